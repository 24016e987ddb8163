"""A model reads the same way wherever it is asked: what training removed, nobody reads again."""

import csv
import io
import json
from copy import copy
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow.parquet as pq
import pytest
from commands import printed, run
from numpy.typing import NDArray
from served import ask
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import (
    CNNClassifier,
    Reader,
    SVMClassifier,
    Vectors,
    class_words,
    evaluate,
    explain,
    explain_corpus,
    from_pipeline,
    load_corpus,
    load_model,
    predict_corpus,
)
from whyword.batch import class_words_corpus
from whyword.corpora.corpus import open_texts
from whyword.methods.registry import methods_for
from whyword.models.blackbox import BlackBox
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.words.tokenizer import Tokenizer

WORDS = {
    "ham": "meeting project report agenda deadline lunch",
    "spam": "pills winner casino cheap offer click",
}
# in training mails of a class come from one host, in test mails from the other's
HOSTS = {"ham": "goodhost.example.org", "spam": "badhost.example.com"}
HEADER_WORDS = {"from", "subject", "received", "postmaster", *HOSTS.values()}
ALL_WORDS = [*WORDS["ham"].split(), *WORDS["spam"].split(), "the", "and", *HOSTS.values()]
SMALL: dict[str, Any] = {
    "vectors": Vectors(
        ALL_WORDS, np.random.default_rng(0).normal(size=(len(ALL_WORDS), 8)).astype(np.float32)
    ),
    "filters": 10,
    "epochs": 3,
    "validation": 0,
}
REMOVED = Reader(remove=["headers"])


def mail(label: str, number: int, host: str) -> str:
    chance = np.random.default_rng(number + 1_000 * (label == "spam"))
    own, other = WORDS[label].split(), WORDS["spam" if label == "ham" else "ham"].split()
    body = " ".join([*chance.choice(own, 4), *chance.choice(other, 2), "and the"])
    header = f"From: postmaster@{host}\nReceived: by {host} {host} {host}\nSubject: hello"
    return f"{header}\n\nDear all,\n\n{body}.\n"


@pytest.fixture(scope="session")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of mails, raw, in a training and a test part."""
    folder = tmp_path_factory.mktemp("mails")
    for part, count in (("train", 30), ("test", 12)):
        for label, other in (("ham", "spam"), ("spam", "ham")):
            (folder / part / label).mkdir(parents=True)
            for number in range(count):
                host = HOSTS[label if part == "train" else other]
                text = mail(label, number + 100 * (part == "test"), host)
                (folder / part / label / f"{number:02}.txt").write_text(text)
    return folder


@pytest.fixture(scope="session")
def trained(mails: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model trained on the command line without headers."""
    folder = tmp_path_factory.mktemp("models") / "svm"
    done = run("train", mails, "--model", "svm", "--remove", "headers", "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


def accuracy_of(trained: Path) -> float:
    facts = json.loads((trained / "model.json").read_text())["provenance"]
    accuracy: float = facts["test_accuracy"]
    assert accuracy > 0.8  # headers would say the opposite
    return accuracy


# ---- the command line -----------------------------------------------------------------------


def test_evaluate_and_tour_say_what_training_said(
    mails: Path, trained: Path, tmp_path: Path
) -> None:
    said = json.loads(printed("evaluate", trained, f"{mails}:test", "--json", "--runs", 1))
    assert said["quality"]["accuracy"] == accuracy_of(trained)
    printed("tour", trained, f"{mails}:test", "--out", tmp_path / "tour", "--limit", 10)
    page = (tmp_path / "tour" / "index.html").read_text()
    assert f"{accuracy_of(trained):.1%}".replace("%", "") in page.replace("\u202f", "")


def test_predict_and_explain_read_what_training_read(mails: Path, trained: Path) -> None:
    shown = printed("predict", trained, f"{mails}:test", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(shown)))
    right = [row["predicted"] == row["id"].partition("/")[0] for row in rows]
    assert np.mean(right) == accuracy_of(trained)
    lines = printed("explain", trained, f"{mails}:test", "--format", "json").splitlines()
    assert len(lines) == len(rows)
    for one in map(json.loads, lines):
        assert not HEADER_WORDS & {word.lower() for word in one["words"]}
        assert one["unread"] == [[0, one["text"].index("Dear all")]]
    alone = printed("explain", trained, mails / "test" / "ham" / "00.txt", "--format", "html")
    assert 'title="not read">From: postmaster@' in alone
    assert "not read (9 words)" in alone


def test_words_search_and_map(mails: Path, trained: Path, tmp_path: Path) -> None:
    words = json.loads(printed("words", trained, f"{mails}:test", "--json"))
    assert not HEADER_WORDS & {entry["word"] for entries in words.values() for entry in entries}
    done = run("search", trained, f"{mails}:test", f"From {HOSTS['spam']}")
    assert "the model knows no word of this query" in done.stderr
    printed("map", trained, f"{mails}:test", "--out", tmp_path / "map.html")
    data = (tmp_path / "map.html").read_text().partition('id="data">')[2].partition("</script>")[0]
    strongest = " ".join(words for _, _, _, words, *_ in json.loads(data)["documents"]).lower()
    assert "casino" in strongest
    assert not any(word in strongest.split() for word in HEADER_WORDS)


def test_runs_over_corpora(mails: Path, trained: Path, tmp_path: Path) -> None:
    model = load_model(trained)
    predict_corpus(model, f"{mails}:test", tmp_path / "said")
    said = pq.read_table(tmp_path / "said").to_pylist()
    assert np.mean([row["predicted"] == row["label"] for row in said]) == accuracy_of(trained)
    explain_corpus(model, f"{mails}:test", tmp_path / "why")
    whole = load_corpus(f"{mails}:test").test
    expected = explain(model, whole.texts)
    for row, one in zip(pq.read_table(tmp_path / "why").to_pylist(), expected, strict=True):
        assert row["words"] == one.words
        assert row["unread"] == one.document.unread.tolist() == [[0, row["text"].index("Dear")]]
    words = class_words_corpus(model, f"{mails}:test", "all", workers=1)
    assert {label: [entry.word for entry in entries] for label, entries in words.items()} == {
        label: [entry.word for entry in entries]
        for label, entries in class_words(model, whole.texts, "all").items()
    }


def test_the_server(mails: Path, trained: Path) -> None:
    part = load_corpus(f"{mails}:test").test
    engine = Engine(load_model(trained))
    app = create_app(engine)
    answer = ask(app, "/api/predict", {"documents": part.texts}).json
    found = np.array([one["predicted"] for one in answer["predictions"]])
    assert np.mean(found == np.array(part.labels)) == accuracy_of(trained)
    answer = ask(app, "/api/explain", {"documents": part.texts[:3]}).json
    for one in answer["explanations"]:
        assert not HEADER_WORDS & {word.lower() for word in one["words"]}
        assert one["unread"] == [[0, one["text"].index("Dear all")]]


def test_ignored_words_from_a_file(mails: Path, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("pills\n\n/c.*/\n")
    (tmp_path / "suspects.csv").write_text("word,artefact\nDear all,x\noffer,\n")
    named = (f"@{tmp_path / 'words'}", "Winner", tmp_path / "suspects.csv")
    ignored = [part for one in named for part in ("--ignore", one)]
    printed("train", mails, "--model", "svm", *ignored, "--out", tmp_path / "svm")
    model = load_model(tmp_path / "svm")
    assert model.reader_.ignore == ("/c.*/", "dear all", "pills", "winner")
    assert not {"pills", "winner", "casino", "cheap", "click", "dear"} & model.training_words
    assert "offer" in model.training_words


# ---- every kind of model ----------------------------------------------------------------------


def models(reader: Reader | None, mails: Path) -> dict[str, Any]:
    train = load_corpus(f"{mails}:train").train
    bodies = [REMOVED(text).visible for text in train.texts]
    pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
    pipeline.fit(bodies, train.labels)
    return {
        "cnn": CNNClassifier(**SMALL, reader=reader).fit(train.texts, train.labels or ()),
        "svm": SVMClassifier(C=1, reader=reader).fit(train.texts, train.labels or ()),
        "pipeline": from_pipeline(pipeline, reader=reader),
        "black box": BlackBox(pipeline, reader=reader),
    }


@pytest.fixture(scope="session")
def reading(mails: Path) -> dict[str, Any]:
    """Return a model of each kind that removes headers and ignores a word."""
    return models(Reader(remove=["headers"], ignore=["pills"]), mails)


KINDS = ("cnn", "svm", "pipeline", "black box")


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_text_without_it(reading: dict[str, Any], kind: str) -> None:
    model = reading[kind]
    text = mail("spam", 7, HOSTS["ham"]) + "Cheap pills from a winner."
    body = text[text.index("Dear") :]
    whole, alone = explain(model, text), explain(model, body)
    np.testing.assert_allclose(whole.scores, alone.scores, rtol=1e-6)
    assert whole.words == alone.words
    np.testing.assert_allclose(whole.relevance, alone.relevance, rtol=1e-5, atol=1e-7)
    assert "pills" in text[whole.document.unread[-1][0] : whole.document.unread[-1][1]]


@pytest.mark.parametrize("kind", KINDS)
def test_an_ignored_word_is_no_class_word(reading: dict[str, Any], kind: str) -> None:
    words = class_words(reading[kind], ["cheap pills", "Pills for a meeting"], "all")
    listed = {entry.word for entries in words.values() for entry in entries}
    assert {"cheap", "meeting"} <= listed
    assert "pills" not in listed
    assert reading[kind].known_words(["pills"]).tolist() == [0] if kind != "black box" else True


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_an_ignored_word_is_a_deleted_one(reading: dict[str, Any], kind: str) -> None:
    model = reading[kind]
    text = "cheap pills from a casino, pills for the winner of the meeting"
    place = [1, 5]
    plain = copy(model)
    part = "features_" if kind == "svm" else "inputs_"
    setattr(plain, part, replace(getattr(model, part), reader=Reader()))
    for method in ("lrp", "sensitivity", "gradient_input", "occlusion"):
        one = explain(model, text, "all", method=method)
        other = explain(plain, text, "all", method=method, deleted=place)
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-6)
        np.testing.assert_allclose(one.relevance, other.relevance, rtol=1e-5, atol=1e-6)
        assert not one.relevance[place].any()
        np.testing.assert_allclose(one.padding, other.padding, rtol=1e-5, atol=1e-6)
        assert one.conserved or not one.conserves
        assert not one.known[place].any()


@pytest.mark.parametrize("kind", ["cnn", "svm", "pipeline"])
def test_a_saved_model_reads_as_it_did(
    reading: dict[str, Any], kind: str, tmp_path: Path, mails: Path
) -> None:
    model = reading[kind]
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.reader_.configuration() == model.reader_.configuration()
    assert loaded.identity == model.identity
    texts = load_corpus(f"{mails}:test").test.texts
    np.testing.assert_array_equal(loaded.class_scores(texts), model.class_scores(texts))
    for one, other in zip(explain(loaded, texts), explain(model, texts), strict=True):
        assert one.to_json() == other.to_json()


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_conserves_as_it_says(reading: dict[str, Any], kind: str, mails: Path) -> None:
    model = reading[kind]
    texts = [*load_corpus(f"{mails}:test").test.texts[::6], "pills", "From: a@b\n\npills", ""]
    for name in methods_for(model.trace_kind):
        for one in explain(model, texts, method=name):
            assert one.conserved or not one.conserves
            assert not one.relevance[one.document.ignored].any()


def test_a_reader_that_reads_all_changes_no_identity(mails: Path) -> None:
    train = load_corpus(f"{mails}:train").train
    one = SVMClassifier(C=1).fit(train.texts, train.labels or ())
    other = SVMClassifier(C=1, reader=Reader()).fit(train.texts, train.labels or ())
    assert one.identity == other.identity
    third = SVMClassifier(C=1, reader=Reader(remove=[])).fit(train.texts, train.labels or ())
    assert third.identity != one.identity


# ---- what is decoded --------------------------------------------------------------------------

OF_MAIL = "MIME Content Transfer Encoding quoted printable base64 multipart boundary charset utf"
OF_HTML = "html body br div nbsp amp font color href class span"


def encoded_mail(label: str, number: int) -> str:
    """Return a raw mail of one of four forms, with its transfer encoding."""
    chance = np.random.default_rng(number)
    said = f"Grüße, {' '.join(chance.choice(WORDS[label].split(), 5))}, café."
    form = number % 4
    message = EmailMessage()
    message["From"], message["Subject"] = "a@example.org", "Résumé of the week"
    if form == 0:
        message.set_content(said, charset="iso-8859-15", cte="quoted-printable")
    elif form == 1:
        message.set_content(said, charset="utf-8", cte="base64")
    else:
        page = f"<html><body><div class='x'>{said.replace(' ', '&nbsp;', 1)}<br />bye</div></body>"
        if form == 2:
            message.set_content(page, subtype="html", cte="quoted-printable")
        else:
            message.set_content(said, cte="quoted-printable")
            message.add_alternative(page, subtype="html", cte="base64")
    return message.as_string(policy=message.policy.clone(max_line_length=60))


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_nothing_of_a_mails_encoding_is_ever_a_word(kind: str) -> None:
    texts = [encoded_mail(label, n) for label in WORDS for n in range(24)]
    labels = [label for label in WORDS for _ in range(24)]
    reader = Reader("mail", remove=["headers"])
    if kind == "svm":
        model: Any = SVMClassifier(C=1, reader=reader)
    else:
        model = CNNClassifier(**SMALL | {"epochs": 30, "learning_rate": 0.02}, reader=reader)
    model.fit(texts, labels)
    foreign = {word.lower() for word in f"{OF_MAIL} {OF_HTML} From Subject Résumé".split()}
    assert not foreign & set(model.training_words)
    assert {"grüße", "café", "pills", "agenda"} <= set(model.training_words)
    assert model.score(texts, labels) > 0.9
    for text, one in zip(texts, explain(model, texts), strict=True):
        assert one.text != text
        assert one.words == [one.text[start:end] for start, end in one.spans.tolist()]
        assert one.words[0] == "Grüße"
        assert one.text.startswith("From: a@example.org\nSubject: Résumé of the week\n\n")
        assert one.document.unread[0].tolist() == [0, one.text.index("Grüße")]
        assert one.conserved
        again = explain(model, one.text)  # decoding what is decoded changes nothing
        assert (again.text, again.words) == (one.text, one.words)


def test_a_folder_of_eml_files_trains_a_model_of_mails(tmp_path: Path) -> None:
    for label in WORDS:
        (tmp_path / "mails" / label).mkdir(parents=True)
        for number in range(12):
            file = tmp_path / "mails" / label / f"{number}.eml"
            file.write_bytes(encoded_mail(label, number).encode())
    out = tmp_path / "svm"
    printed("train", tmp_path / "mails", "--model", "svm", "--remove", "headers", "--out", out)
    model = load_model(out)
    assert model.reader_.format == "mail"
    assert not {"mime", "charset", "div", "html", "subject"} & model.training_words
    raw = tmp_path / "mails" / "spam" / "3.eml"
    by_file = json.loads(printed("explain", out, raw, "--format", "json"))
    by_text = explain(model, raw.read_text())
    assert (by_file["text"], by_file["words"]) == (by_text.text, by_text.words)


def test_html_and_chinese_on_the_command_line(tmp_path: Path) -> None:
    rows = [("今天火箭飞向月球<br />很好", "space"), ("冰球比赛很好&nbsp;进球", "hockey")] * 6
    with (tmp_path / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    source, plain, cut = tmp_path / "texts.csv", tmp_path / "plain", tmp_path / "cut"
    done = run("train", source, "--model", "svm", "--out", plain)
    assert "--words unicode cuts them" in done.stderr
    assert "--format html" in done.stderr or "format" in done.stderr
    printed(
        "train", source, "--model", "svm", "--words", "unicode", "--format", "html", "--out", cut
    )
    model = load_model(cut)
    assert {"火", "箭", "冰"} <= model.training_words
    assert not {"br", "nbsp"} & model.training_words
    one = explain(model, rows[0][0])
    assert one.text == "今天火箭飞向月球\n很好"
    assert one.words == list("今天火箭飞向月球很好")


# ---- what readers of the diff, and a newcomer, found --------------------------------------------


def test_nothing_beyond_the_last_word_read_is_seen() -> None:
    class Echo:
        classes_ = ("a", "b")
        seen: ClassVar[list[str]] = []

        def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
            self.seen.extend(texts)
            return np.full((len(texts), 2), 0.5)

    reader = Reader(ignore=["secret"], tokenizer=Tokenizer(max_words=3))
    one = explain(BlackBox(Echo(), reader=reader), "a secret b secret c")
    assert one.truncated == 2
    assert one.known.tolist() == [True, False, True]
    assert {word for text in Echo.seen for word in text.split()} == {"a", "b"}
    texts, labels = ["good day now", "bad day now"], ["a", "b"]
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
    model = from_pipeline(pipeline, reader=Reader(tokenizer=Tokenizer(max_words=1)))
    np.testing.assert_array_equal(*model.class_scores(["good", "good bad bad"]))
    assert explain(model, "good bad bad").words == ["good"]


def test_a_loaded_model_can_be_trained_anew(tmp_path: Path) -> None:
    texts, labels = ["one two three", "four five six"] * 3, ["a", "b"] * 3
    SVMClassifier(C=1, max_words=2).fit(texts, labels).save(tmp_path / "m")
    model = load_model(tmp_path / "m")
    assert (model.reader, model.max_words) == (None, 2)
    assert "three" in model.set_params(max_words=None).fit(texts, labels).training_words


def test_a_function_that_explains_is_given_the_texts_as_they_were() -> None:
    texts = ["good &lt;b&gt; day" * 9, "bad <i>day</i> &amp;" * 9] * 8
    labels = ["a", "b"] * 8
    model = SVMClassifier(C=1, reader=Reader("html")).fit(texts, labels)
    given: list[str] = []

    def mine(model: object, some: list[str], targets: list[str]) -> list[Any]:
        given.extend(some)
        return [explain(model, text, target) for text, target in zip(some, targets, strict=True)]

    found = evaluate(model, texts, labels, {"mine": mine}, steps=2, runs=1, splits=1)
    assert given
    assert set(given) <= set(texts)
    assert found.quality.accuracy == 1.0


def test_the_test_part_is_that_of_the_training(tmp_path: Path) -> None:
    """Also where only training must know which column has the labels."""
    rows = [
        f"{' '.join(WORDS[kind].split()[n % 6 :])} {n},{kind}" for n in range(40) for kind in WORDS
    ]
    (tmp_path / "m.csv").write_text("\n".join(["text,sort", *rows]))
    source = f"{tmp_path / 'm.csv'}:test"
    assert [one.id for one in open_texts(source)] == load_corpus(source).test.ids
    (tmp_path / "odd.csv").write_text("\n".join(["msg,folder,category", *(f"{r},k" for r in rows)]))
    how = ("--text", "msg", "--label", "folder")
    source, out = f"{tmp_path / 'odd.csv'}:test", tmp_path / "svm"
    printed("train", tmp_path / "odd.csv", *how, "--model", "svm", "--out", out)
    shown = printed("predict", out, source, *how, "--format", "csv")
    found = list(csv.DictReader(io.StringIO(shown)))
    assert {row["label"] for row in found} == set(WORDS)
    assert [row["id"] for row in found] == load_corpus(source, text="msg", label="folder").test.ids
    done = run("evaluate", out, source, *how, "--seed", 3, "--runs", 1, "--json")
    assert "the model was not trained on" in done.stderr
    assert json.loads(done.stdout)["near_copies"] is None
    done = run("evaluate", out, source.replace(":test", ":train"), *how, "--runs", 1)
    assert "the model was trained on these very documents" in done.stderr
