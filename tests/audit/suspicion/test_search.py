"""Suspects: what was planted is found, what is honest is not called suspicious."""

from dataclasses import replace
from typing import Any

import pytest
from keywords import Keywords
from networks import small_cnn, topical
from planted import TOKEN, form_letters, planted_corpus, planted_svm
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import whyword as ww
from whyword import InputError, SVMClassifier
from whyword.audit.suspicion.row import NEAR_COPIES
from whyword.audit.suspicion.search import STAGES, suspects
from whyword.base.progress import Progress
from whyword.corpora.corpus import Corpus, Part

EMPTY = Part([], None, [])


def test_what_was_planted_is_first() -> None:
    found = suspects(planted_svm(), planted_corpus())
    assert found.of_class("space")[0].name == TOKEN
    line = found.of_class("hockey")[0]
    assert "was drinking with a biker" in line.entries
    assert {TOKEN} < set(found.entries())
    named = {one.name for one in found.suspects}
    assert not named & {"orbit", "puck", "the", "nasa", "goal"}
    assert found.accuracy is not None
    assert found.remarks == []


def test_numbers_are_those_of_what_if() -> None:
    model, corpus = planted_svm(), planted_corpus()
    for one in suspects(model, corpus)[:6]:
        for part, turned in (
            (corpus.train, one.train_turned),
            (corpus.test, one.held_out_turned),
        ):
            result = ww.what_if(model, one.entries, part.texts, part.labels)
            turns = [change.turn for change in result.changes]
            assert turned is not None
            assert turned.right_to_wrong == turns.count("right to wrong")
            assert turned.wrong_to_right == turns.count("wrong to right")
            assert turned.other == turns.count("wrong to other wrong")


def topical_corpus() -> Corpus:
    texts, labels = topical(60)
    held_out, true = topical(30, seed=1)
    ids = [str(n) for n in range(60)]
    return Corpus("topics", Part(texts, labels, ids), Part(held_out, true, ids[:30]))


def test_words_of_a_letter_that_is_sent_again_are_suspects() -> None:
    corpus = form_letters()
    model = SVMClassifier(C=1.0, ngrams=(1, 1)).fit(corpus.train.texts, corpus.train.labels or [])
    found = suspects(model, corpus)
    assert found.settings["groups"] == NEAR_COPIES
    assert any("near copies" in remark for remark in found.remarks)
    words = {word for one in found.suspects for entry in one.entries for word in entry.split()}
    assert {"subscription", "renew", "dear"} <= words
    assert not words & {"orbit", "puck", "the", "nasa", "goal"}
    one = next(row for row in found if "subscription" in row.name)
    assert one.groups == 1
    assert one.groups_expected is not None
    assert one.groups_expected > 5
    said = found.to_dict()["rows"][found.rows.index(one)]["reasons"]
    assert any("15 training documents of hockey have it, copies of 1 text," in why for why in said)
    assert "copies of 1 text" in found.to_csv()
    assert "copies of 1 text" in found.to_html()
    without_labels = replace(corpus, train=replace(corpus.train, labels=None))
    assert all(row.groups is None for row in suspects(model, without_labels))


def test_no_evidence_is_an_answer() -> None:
    found = suspects(small_cnn(), topical_corpus())
    assert found.suspects == []
    assert "no evidence" in repr(found)
    assert found.entries() == []


def test_a_model_that_has_to_be_asked_is_asked_for_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whyword.audit.suspicion.search.MOST_ASKED", 3)
    found = suspects(Keywords(), topical_corpus(), groups=[n % 7 for n in range(60)])
    assert any("3 of" in remark for remark in found.remarks)
    assert any("not known to it" in remark for remark in found.remarks)
    assert len(found) <= 3


def test_it_is_asked_for_what_is_suspicious_not_for_what_is_heavy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("whyword.audit.suspicion.search.MOST_ASKED", 2)
    corpus = planted_corpus()
    asked = ww.BlackBox(planted_svm().predict_proba, ["hockey", "space"])
    found = suspects(asked, corpus)
    assert any("2 of" in remark for remark in found.remarks)
    token, line = found
    assert token.name == TOKEN
    assert "was drinking with a biker" in line.entries  # topics carry more, and nobody minds


def test_a_pipeline_does_not_say_what_it_was_trained_on() -> None:
    corpus = planted_corpus()
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    pipeline.fit(corpus.train.texts, corpus.train.labels)
    assert any("not known to it" in remark for remark in suspects(pipeline, corpus).remarks)


def test_what_can_be_said_without_labels_is_said() -> None:
    corpus = planted_corpus()
    bare = Part(corpus.test.texts, None, corpus.test.ids)
    found = suspects(planted_svm(), replace(corpus, train=EMPTY, test=bare))
    assert found.accuracy is None
    assert len(found.remarks) == 2
    assert [one.name for one in found.suspects if one.kind == "line"]
    for one in found:
        assert one.habit == one.drift == 0
        assert one.held_out_turned is not None
        assert one.held_out_turned.total == one.held_out_turned.other


def test_progress_is_told_and_the_seed_decides() -> None:
    seen: list[Progress] = []
    one = suspects(planted_svm(), planted_corpus(), on_progress=seen.append)
    assert {event.stage for event in seen} == set(STAGES)
    again = suspects(planted_svm(), planted_corpus())
    assert [row.to_dict() for row in one] == [row.to_dict() for row in again]


@pytest.mark.parametrize(
    ("corpus", "given", "said"),
    [
        (["a text"], {}, "must be a Corpus"),
        (Corpus("none", EMPTY, EMPTY), {}, "no documents in none"),
        (planted_corpus(), {"alpha": 2}, "alpha"),
        (planted_corpus(), {"least_documents": 0}, "least_documents"),
        (planted_corpus(), {"method": "magic"}, "magic"),
    ],
)
def test_what_makes_no_sense_is_one_line(corpus: Corpus, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        suspects(planted_svm(), corpus, **given)
    assert "\n" not in str(caught.value)
