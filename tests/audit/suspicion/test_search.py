"""Suspects: planted artefacts are found, with the numbers of other tools; honest words are not."""

import csv
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting import LETTERS, Counting
from keywords import Keywords
from networks import topical
from planted import TOKEN, form_letters, planted_corpus, planted_svm
from planted import planted_suspects as planted
from suspected import one_suspect
from toys import TopicsClassifier, several_topics

import whyword as ww
from whyword import InputError, SVMClassifier
from whyword.audit.suspicion.documents import Documents
from whyword.audit.suspicion.examples import explain_examples
from whyword.audit.suspicion.price import suspects_price
from whyword.audit.suspicion.row import NEAR_COPIES, Turned, grounds, reasons
from whyword.audit.suspicion.search import STAGES, suspects
from whyword.audit.suspicion.table import COLUMNS, Suspects
from whyword.base.progress import Progress
from whyword.corpora.corpus import Corpus, Part
from whyword.methods.request import Request

EMPTY = Part([], None, [])
CORPUS = planted_corpus()


# ---- what is found ------------------------------------------------------------------------------


def test_what_was_planted_is_first() -> None:
    found = planted()
    token, line = found
    assert (token.name, token.label, token.verdict) == (TOKEN, "space", "suspect")
    assert (line.label, line.kind) == ("hockey", "line")
    assert "was drinking with a biker" in line.entries
    assert (found.suspects, found.noise) == ([token, line], [])
    assert found.entries() == [TOKEN, *line.entries]
    assert found.of_class("space") == [token] == found[:1]
    assert (len(found), list(found)) == (2, found.rows)
    assert token.score > line.score
    predicted = planted_svm().predict(CORPUS.test.texts)
    assert found.accuracy == np.mean(predicted == np.array(CORPUS.test.labels))
    assert (found.n_train, found.n_held_out, found.remarks) == (120, 120, [])
    settings = {"source": "planted", "model": planted_svm().identity, "method": "lrp", "seed": 0}
    assert found.settings == settings | {"groups": "author", "least_documents": 3, "alpha": 0.05}
    said = f"Suspects(2 of {found.n_units:,} words, lines, pairs and patterns: {TOKEN}, "
    assert repr(found) == f"{said}{line.name[:40]}, …)"
    with pytest.raises(InputError, match="no class 'cricket'"):
        found.of_class("cricket")


def test_numbers_are_those_of_what_if() -> None:
    for one in planted():
        for part, turned in ((CORPUS.train, one.train_turned), (CORPUS.test, one.held_out_turned)):
            found = ww.what_if(planted_svm(), one.entries, part.texts, part.labels)
            assert found.turns is not None
            assert turned == Turned(*found.turns.values())
    token = planted()[0]
    counts = (token.train, token.train_class, token.held_out, token.held_out_class)
    assert counts == (12, 12, 12, 0)
    assert (token.drift, token.unusual, token.form) == (1.0, 0.0, "word")


def test_examples_are_documents_in_which_it_carries_most() -> None:
    found, carried = planted(), {}
    assert set(found.examples) == {number for row in found for number in row.examples}
    for number, one in enumerate(ww.explain(planted_svm(), CORPUS.texts)):
        on = [n for n, word in enumerate(one.words) if word == TOKEN]
        if on and one.target == "space":
            carried[number] = one.relevance[on].sum() / one.relevance[one.relevance > 0].sum()
    assert list(found[0].examples) == sorted(carried, key=lambda n: -carried[n])[:3]
    for row in found:
        for number in row.examples:
            one = found.examples[number]
            own = (row.label, CORPUS.texts[number], CORPUS.ids[number])
            assert (one.target, one.text, one.id) == own
    request = Request.of(planted_svm(), "predicted", None)
    documents = Documents.of(CORPUS, ["hockey", "space"], None)
    harmless = [replace(found[0], verdict="no evidence"), found[1]]
    assert set(explain_examples(request, harmless, documents, 1)) == set(found[1].examples)


@cache
def letters() -> tuple[SVMClassifier, Suspects]:
    corpus = form_letters()
    model = SVMClassifier(C=1.0, ngrams=(1, 1)).fit(corpus.train.texts, corpus.train.labels or [])
    return model, suspects(model, corpus)


def test_words_of_a_letter_that_is_sent_again_are_suspects() -> None:
    model, found = letters()
    assert found.settings["groups"] == found.groups == NEAR_COPIES
    words = {word for one in found.suspects for entry in one.entries for word in entry.split()}
    assert {"subscription", "renew", "dear"} <= words
    assert not words & {"orbit", "puck", "the", "nasa", "goal"}
    number, one = next((n, row) for n, row in enumerate(found) if "subscription" in row.name)
    assert one.groups == 1
    assert one.groups_expected is not None
    assert one.groups_expected > 5
    said = found.to_dict()["rows"][number]["reasons"]
    assert any("15 training documents of hockey have it, copies of 1 text," in why for why in said)
    assert "copies of 1 text" in found.to_csv()
    corpus = form_letters()
    without_labels = replace(corpus, train=replace(corpus.train, labels=None))
    assert all(row.groups is None for row in suspects(model, without_labels))


def topical_corpus() -> Corpus:
    texts, labels = topical(60)
    held_out, true = topical(30, seed=1)
    ids = [str(n) for n in range(60)]
    return Corpus("topics", Part(texts, labels, ids), Part(held_out, true, ids[:30]))


def test_no_evidence_is_an_answer() -> None:
    corpus = topical_corpus()
    found = suspects(
        SVMClassifier(C=1.0).fit(corpus.train.texts, corpus.train.labels or []), corpus
    )
    assert (found.suspects, found.entries()) == ([], [])
    assert repr(found).endswith("words, lines, pairs and patterns; no evidence)")


def test_what_can_be_said_without_labels_is_said() -> None:
    bare = Part(CORPUS.test.texts, None, CORPUS.test.ids)
    found = suspects(planted_svm(), replace(CORPUS, train=EMPTY, test=bare), least_documents=4)
    assert (found.accuracy, len(found.remarks), found.groups) == (None, 2, "groups")
    assert [one.name for one in found.suspects if one.kind == "line"]
    for one in found:
        assert one.habit == one.drift == 0
        assert one.q_odds is one.q_groups is one.groups is None
        assert one.held_out_turned is not None
        assert one.held_out_turned.total == one.held_out_turned.other


def test_a_model_that_has_to_be_asked_is_asked_for_the_most_suspicious(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit_units(monkeypatch, 2)
    asked = ww.BlackBox(planted_svm().predict_proba, ["hockey", "space"])
    found = suspects(asked, CORPUS)
    assert found.remarks == [
        "The model has to be asked for every text without a word: 2 of "
        f"{planted().n_units} words, lines, pairs and patterns were tried, the most suspicious "
        "ones.",
        "What the model was trained on is not known to it: the corpus's training part is taken for "
        "that. If it has seen the others, too, they are no held-out documents.",
    ]
    assert [one.entries for one in found] == [one.entries for one in planted()]
    some = suspects(Keywords(), topical_corpus(), groups=[n % 7 for n in range(60)])
    assert len(some) <= 2


def test_progress_is_reported_and_the_seed_decides() -> None:
    seen: list[Progress] = []
    again = suspects(planted_svm(), CORPUS, on_progress=seen.append)
    assert list(dict.fromkeys(event.stage for event in seen)) == list(STAGES) == list(again.seconds)
    assert [row.to_dict() for row in planted()] == [row.to_dict() for row in again]


@pytest.mark.parametrize(
    ("corpus", "given", "said"),
    [
        (["a text"], {}, "corpus must be a Corpus, of load_corpus, not list"),
        (Corpus("none", EMPTY, EMPTY), {}, "there are no documents in none"),
        (CORPUS, {"alpha": 2}, "alpha"),
        (CORPUS, {"least_documents": 0}, "least_documents"),
        (CORPUS, {"method": "magic"}, "magic"),
        (CORPUS, {"on_progress": 5}, "on_progress must be a function"),
        (CORPUS, {"model": TopicsClassifier().fit(*several_topics(12))}, "predicts several labels"),
    ],
)
def test_invalid_arguments(corpus: Corpus, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        suspects(**{"model": planted_svm(), "corpus": corpus, **given})
    if said.startswith(("corpus", "there")):
        with pytest.raises(InputError, match=said):
            suspects_price(planted_svm(), corpus)


# ---- in words and as files ----------------------------------------------------------------------


def test_reasons_are_sorted_by_strength() -> None:
    one = one_suspect("x", habit=0.4, drift=0.6, unusual=0.5, form="address", kind="line")
    one = replace(one, q_odds=0.012, groups=1.0, held_out_turned=Turned(1, 2, 3))
    assert reasons(one, "authors") == [
        "it does not carry over: 5 of 6 of the training documents that have it are space, of "
        "others 1 of 3 (q = 0.01)",
        "a line that recurs",
        "it looks like an address",
        "a habit of few: 5 training documents of space have it, of 1 author, where 4 would be "
        "usual (q = 0.01)",
        "without it, 1 held-out prediction turns wrong, 2 right",
    ]
    said = ["nothing that carries over", "a line that recurs", "an address", "a habit of few"]
    assert grounds(one) == said
    few = replace(one, drift=0.0, unusual=0.0, groups=6.0, grouped=1_077)
    assert "1,077 training documents of space have it, of 6 authors" in reasons(few, "authors")[0]
    assert "have it, copies of 6 texts, where" in few.to_dict(NEAR_COPIES)["reasons"][0]
    assert "copies of 1 text, where" in reasons(replace(few, groups=1.0), NEAR_COPIES)[0]
    turned = replace(few, habit=0.0, held_out_turned=Turned(2, 0, 0))
    assert reasons(turned) == ["without it, 2 held-out predictions turn wrong, 0 right"]
    for none in (None, Turned(0, 0, 0)):
        assert reasons(replace(turned, held_out_turned=none)) == grounds(turned) == []
    assert grounds(replace(turned, unusual=0.5, form="host", kind="word")) == ["a host"]


def test_a_table_to_fill_in_and_plain_data(tmp_path: Path) -> None:
    found, (one, _) = planted(), planted()
    found.to_csv(tmp_path / "suspects.csv", artefacts={1: "no"})
    with (tmp_path / "suspects.csv").open(encoding="utf-8", newline="") as stream:
        head, row, other = list(csv.reader(stream))
    assert (head, other[:2]) == (list(COLUMNS), [found[1].name, "no"])
    cells = [one.name, "", one.label, one.verdict, round(one.score, 4), one.kind, one.form]
    cells += [round(one.relevance, 4), one.n_documents, one.train, one.train_class, one.held_out]
    rest = [one.held_out_class, one.groups, one.groups_expected, one.q_groups, one.q_odds]
    for turned in (one.train_turned, one.held_out_turned):
        assert turned is not None
        rest += [turned.right_to_wrong, turned.wrong_to_right]
    assert row == [*map(str, [*cells, *rest]), "; ".join(reasons(one, "authors"))]
    frame = found.to_frame()
    assert list(frame["words"]) == [one.name for one in found]
    assert "artefact" not in frame
    found.to_json(tmp_path / "suspects.json")
    data = json.loads((tmp_path / "suspects.json").read_text(encoding="utf-8"))
    assert data["rows"] == [json.loads(json.dumps(row.to_dict("authors"))) for row in found]
    assert data["rows"][0]["entries"] == [TOKEN]
    expected = {"classes": ["hockey", "space"], "accuracy": found.accuracy, "remarks": []}
    expected |= {"units": found.n_units, "train_documents": 120, "held_out_documents": 120}
    assert {name: data[name] for name in expected} == expected
    assert (data["settings"], list(data["seconds"])) == (found.settings, list(STAGES))


# ---- what it costs ------------------------------------------------------------------------------


def counted_corpus(labelled: bool = True) -> Corpus:
    """Return texts of few words, of the classes that a counting model gives them."""
    random = np.random.default_rng(4)
    parts = []
    for count in (30, 20):
        sizes = random.integers(0, 8, count).tolist()
        texts = [" ".join(random.choice(["a", "b", "cab", "bead", "x"], size)) for size in sizes]
        best = Counting().box().scores(texts).argmax(axis=1).tolist()
        labels = [LETTERS[number] for number in best] if labelled else None
        parts.append(Part(texts, labels, list(map(str, range(count)))))
    train, test = parts
    return Corpus("letters", train, test)


def limit_units(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    for module in ("search", "price"):
        monkeypatch.setattr(f"whyword.audit.suspicion.{module}.MOST_ASKED", most)


@pytest.mark.parametrize(
    ("most", "labelled", "method"), [(200, True, None), (3, False, None), (3, True, "random")]
)
def test_price_is_what_is_asked_at_most(
    most: int, labelled: bool, method: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_units(monkeypatch, most)
    texts, model = counted_corpus(labelled), Counting()
    said = suspects_price(model.box(), texts, method=method, least_documents=2)
    measured = model.total
    suspects(model.box(), texts, method=method, least_documents=2)
    asked = model.total - measured
    assert said.at_most
    assert asked <= said.predictions <= 2 * asked


def test_fewer_units_cost_less(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, model, price = counted_corpus(), Counting(0.25), suspects_price
    many = price(model.box(), texts, clock=model.clock)
    assert many.seconds == pytest.approx(many.predictions * 0.25)
    limit_units(monkeypatch, 1)
    few, none = (price(model.box(), texts, least_documents=n).predictions for n in (3, 99))
    assert none < few < many.predictions
