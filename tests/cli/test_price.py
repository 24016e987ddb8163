"""What commands say of their price before it is paid."""

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Write, run
from counting import Counting
from networks import made_cnn, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import from_pipeline
from whyword.base.errors import ModelError
from whyword.cli.evaluate import evaluate
from whyword.cli.explain import explain
from whyword.cli.inputs import CorpusOptions, TextOptions
from whyword.cli.outputs import FolderOptions
from whyword.cli.price import (
    NOTICEABLE,
    asks_anew,
    is_costly,
    say_price,
    say_price_of_corpus,
    with_price,
)
from whyword.cli.strategies import strategies
from whyword.cli.suspects import suspects
from whyword.cli.tour import tour
from whyword.cli.words import words
from whyword.corpora.source import Record
from whyword.methods.price import Price
from whyword.web.library import library_price, open_library

RECORDS = [Record(str(n), "a text of six words here", None, None) for n in range(30)]


@pytest.fixture(autouse=True)
def heard(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "whyword")


def test_only_what_is_noticed_is_said(caplog: pytest.LogCaptureFixture) -> None:
    say_price("occlusion", Price(9, NOTICEABLE - 0.01))
    assert not caplog.messages
    say_price("occlusion", Price(12_340, 185.0))
    say_price("the tour", Price(7, NOTICEABLE, at_most=True), " of one process")
    assert caplog.messages == [
        "occlusion asks the model 12,340 times; about 3 min",
        "the tour asks the model up to 7 times; about 5 s of one process",
    ]


def test_who_is_costly() -> None:
    assert is_costly(Counting().box())
    assert not is_costly(made_cnn())
    texts, labels = topical(12)
    exact = from_pipeline(make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, labels))
    assert is_costly(exact, "occlusion")
    assert not is_costly(exact)  # it is asked once, so that nothing is read before, or held
    assert not is_costly(exact, "lrp")
    assert [asks_anew(one) for one in (Counting().box(), exact, made_cnn())] == [True, True, False]


def test_records_are_all_there_and_read_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whyword.cli.price.NOTICEABLE", 0.0)
    model = Counting()
    assert list(with_price(iter(RECORDS), model.box(), None)) == RECORDS
    assert list(with_price(iter(RECORDS), model.box(), "occlusion", twice=True)) == RECORDS
    lines = [line.partition(";")[0] for line in caplog.messages]
    assert lines == [
        "occlusion asks the model 210 times",
        "occlusion asks the model up to 420 times",
    ]
    endless = iter(lambda: RECORDS[0], None)
    assert next(with_price(endless, made_cnn(), None)) is RECORDS[0]  # nothing is held


def test_of_a_corpus_of_any_size(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    monkeypatch.setattr("whyword.cli.price.NOTICEABLE", 0.0)
    source = write("texts.csv", "text\n" + "a text of six words here\n" * 30)
    say_price_of_corpus(Counting().box(), str(source), {}, None)
    assert any(
        re.match("occlusion asks the model 210 times; .* of one process", line)
        for line in caplog.messages
    )


def test_a_corpus_that_is_served() -> None:
    model = Counting(0.5)
    said = library_price(model.box(), RECORDS, model.clock)
    assert said.seconds == pytest.approx(said.predictions * 0.5)
    measured = model.total
    open_library(model.box(), RECORDS, "posts")
    assert model.total - measured == said.predictions == 30 + 30 * 7


COMMANDS: dict[str, tuple[Callable[..., None], dict[str, Any]]] = {
    "occlusion asks the model 20 times": (explain, {"how": FolderOptions()}),
    "occlusion asks the model up to 40 times": (words, {"html": Path("words.html")}),
    "the evaluation asks the model up to ": (evaluate, {}),
    "the tour asks the model up to ": (tour, {"out": Path("pages")}),
    "the search for suspects asks the model up to ": (suspects, {}),
}


@pytest.mark.parametrize("said", COMMANDS)
def test_commands_say_it_first(
    said: str,
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A model that breaks once it is measured: what is said was said before."""
    command, given = COMMANDS[said]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("whyword.cli.price.NOTICEABLE", 0.0)
    monkeypatch.setattr("whyword.methods.price._SHARE", 10**9)  # two are asked to measure
    write("texts.csv", "text,label\n" + "a text here,a\nsome word there,b\n" * 2 + "a,c\nb,c\n")
    model = Counting()
    model.most = 2
    monkeypatch.setattr("whyword.cli.inputs.load_model", lambda source: model.box())
    reading = CorpusOptions() if command in (evaluate, tour, suspects) else TextOptions()
    with pytest.raises(ModelError, match=r"Counting failed .*enough"):
        command(model=Path("model"), source="texts.csv", reading=reading, **given)
    assert caplog.messages[-1].startswith(said)
    assert model.total == 2


def test_strategies_say_it_first(
    write: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("whyword.cli.price.NOTICEABLE", 0.0)
    monkeypatch.setattr("whyword.methods.price._SHARE", 10**9)  # two are asked to measure
    write("texts.csv", "text\n" + "a text here\n" * 40)
    model = Counting()
    model.most = 2
    monkeypatch.setattr("whyword.cli.inputs.load_model", lambda source: model.box())
    with pytest.raises(ModelError, match=r"Counting failed .*enough"):
        strategies("model", "texts.csv", "a", reading=TextOptions())
    said = f"the search for strategies asks the model up to {40 + 40 * 4} times"
    assert caplog.messages[-1].startswith(said)


@pytest.mark.slow("starts a command")
def test_a_slow_model_on_the_command_line(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        "slow.py",
        "import time\nasked = []\n\n\ndef ask(texts):\n    asked.extend(texts)\n"
        "    time.sleep(0.8)\n    assert len(asked) < 3, 'enough'\n    return [[0.2, 0.8]]\n",
    )
    write("one.txt", "a text of six words here")
    done = run("explain", "slow:ask", "one.txt")
    assert (done.returncode, done.stdout) == (1, "")
    classes, first, last = done.stderr.splitlines()
    assert classes.startswith("ask names no classes: they are numbers")
    assert re.fullmatch(r"occlusion asks the model 7 times; about \d+ s", first)
    assert last == "error: ask failed (AssertionError: enough)"
