"""From arrays to rows."""

import numpy as np
from planted import planted_corpus, planted_svm

from whyword import explain
from whyword.audit.suspicion.row import Suspect
from whyword.audit.suspicion.search import suspects


def row(name: str) -> Suspect:
    (found,) = [one for one in suspects(planted_svm(), planted_corpus()) if one.name == name]
    return found


def test_rows_are_sorted_and_turns_are_of_the_right_documents() -> None:
    found = suspects(planted_svm(), planted_corpus())
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    corpus, model = planted_corpus(), planted_svm()
    one = row("zorvex")
    before = model.predict(corpus.test.texts)
    without = [text.replace("zorvex ", "") for text in corpus.test.texts]
    after = model.predict(without)
    truth = np.array(corpus.test.labels)
    assert one.held_out_turned is not None
    assert one.held_out_turned.wrong_to_right == np.sum((before != truth) & (after == truth)) > 0
    assert one.held_out_turned.right_to_wrong == np.sum((before == truth) & (after != truth))


def test_examples_are_documents_of_the_class_in_which_it_carries_most() -> None:
    corpus, model = planted_corpus(), planted_svm()
    one = row("zorvex")
    assert 0 < len(one.examples) <= 3
    for number in one.examples:
        text = corpus.texts[number]
        assert "zorvex" in text
        assert explain(model, text).target == one.label
