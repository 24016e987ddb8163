"""What commands say of their price before it is paid."""

import logging
import re
from pathlib import Path

import pytest
from commands import Write, run
from counting import Counting
from networks import made_cnn, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import from_pipeline
from whyword.cli.price import NOTICEABLE, asks_anew, is_costly, say_price, with_price
from whyword.corpora.source import Record
from whyword.methods.price import Price

RECORDS = [Record(str(n), "a text of six words here", None, None) for n in range(30)]


def test_only_what_is_noticed_is_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "whyword")
    say_price("occlusion", Price(9, NOTICEABLE - 0.01))
    assert not caplog.messages
    say_price("occlusion", Price(12_340, 185.0))
    say_price("the tour", Price(7, NOTICEABLE, at_most=True), " of one process")
    assert caplog.messages == [
        "occlusion asks the model 12,340 times; about 3 min",
        "the tour asks the model up to 7 times; about 5 s of one process",
    ]


def test_models_that_are_asked_again_and_again_are_costly() -> None:
    assert is_costly(Counting().box())
    assert not is_costly(made_cnn())
    texts, labels = topical(12)
    exact = from_pipeline(make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, labels))
    assert is_costly(exact, "occlusion")
    assert not is_costly(exact)
    assert [asks_anew(one) for one in (Counting().box(), exact, made_cnn())] == [True, True, False]


def test_records_are_read_once() -> None:
    assert list(with_price(iter(RECORDS), Counting().box(), None)) == RECORDS
    endless = iter(lambda: RECORDS[0], None)
    assert next(with_price(endless, made_cnn(), None)) is RECORDS[0]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("explain M texts.csv", r"occlusion asks the model 165 times; "),
        ("explain M texts.csv --out why", r"occlusion asks the model 165 times; .* of one process"),
        ("words M texts.csv --html words.html", r"occlusion asks the model up to 330 times; "),
        ("evaluate M texts.csv --runs 1 --splits 1", r"the evaluation asks the model up to "),
        ("tour M texts.csv --out pages --limit 10", r"the tour asks the model up to "),
        ("suspects M texts.csv", r"the search for suspects asks the model up to "),
        ("strategies M texts.csv --target a --most 1", r"the search for strategies asks the model"),
        ("compare M M --corpus texts.csv --runs 1 --splits 1", r"comparing M asks the model up to"),
    ],
)
def test_commands_say_their_price(
    call: str, said: str, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("whyword.cli.price.NOTICEABLE", 0.0)
    model = Counting().box()
    monkeypatch.setattr("whyword.cli.inputs.load_model", lambda source: model)
    write("texts.csv", "text,label\n" + "a text here,a\na word,a\nsome word there,b\n" * 15)
    done = run(*call.split())
    assert done.returncode == 0, done.stderr
    assert re.search(f"^{said}", done.stderr, re.MULTILINE), done.stderr


def test_the_price_is_said_before_it_is_paid(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("whyword.cli.price.NOTICEABLE", 0.5)
    write(
        "slow.py",
        "import time\nasked = []\n\n\ndef ask(texts):\n    asked.extend(texts)\n"
        "    time.sleep(0.2)\n    assert len(asked) < 3, 'enough'\n    return [[0.2, 0.8]]\n",
    )
    write("one.txt", "a text of six words here")
    done = run("explain", "slow:ask", "one.txt")
    assert (done.returncode, done.stdout) == (1, "")
    classes, first, last = done.stderr.splitlines()
    assert classes.startswith("ask names no classes: they are numbers")
    assert re.fullmatch(r"occlusion asks the model 7 times; about \d s", first)
    assert last == "error: ask failed (AssertionError: enough)"
