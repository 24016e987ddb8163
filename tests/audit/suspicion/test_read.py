"""What a model says of documents, and by which words."""

import numpy as np
from planted import planted_corpus, planted_svm

from whyword import explain
from whyword.audit.suspicion.read import read_documents
from whyword.base.progress import Progress
from whyword.methods.request import Request


def test_shares_are_those_of_explanations() -> None:
    model, texts = planted_svm(), [*planted_corpus().test.texts[:5], "", "unheard of"]
    seen: list[Progress] = []
    read = read_documents(Request.of(model, "predicted"), texts, seen.append, "reading")
    assert seen[-1].share == 1
    explained = explain(model, texts)
    labels = model.classes_.tolist()
    assert [labels[n] for n in read.predicted] == [one.target for one in explained]
    for number, one in enumerate(explained):
        start, end = read.occurrences.offsets[number : number + 2]
        positive = one.relevance[one.relevance > 0].astype(np.float64).sum()
        expected = one.relevance / positive if positive else np.zeros(len(one.words))
        assert np.allclose(read.shares[start:end], expected, atol=1e-6)
