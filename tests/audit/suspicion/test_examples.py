"""The documents of the first rows are explained, and no more of them."""

from dataclasses import replace

from planted import planted_corpus, planted_suspects, planted_svm

import whyword as ww
from whyword.audit.suspicion.documents import Documents
from whyword.audit.suspicion.examples import explain_examples
from whyword.methods.request import Request


def test_examples_are_explained_for_the_class_of_their_row() -> None:
    model, corpus = planted_svm(), planted_corpus()
    found = planted_suspects()
    assert set(found.examples) == {number for row in found for number in row.examples}
    for row in found:
        for number in row.examples:
            one = found.examples[number]
            assert one.target == row.label
            assert (one.text, one.id) == (corpus.texts[number], corpus.ids[number])
            assert one.by_word() == ww.explain(model, corpus.texts[number]).by_word()
    assert "examples" not in found.to_dict()


def test_the_first_suspects_come_before_others() -> None:
    model, corpus = planted_svm(), planted_corpus()
    first, second = planted_suspects()[:2]
    request = Request.of(model, "predicted", None)
    documents = Documents.of(corpus, model.classes_.tolist(), None)
    harmless = [replace(first, verdict="no evidence"), second]
    assert set(explain_examples(request, harmless, documents, 1)) == set(second.examples)
    assert explain_examples(request, [], documents) == {}
