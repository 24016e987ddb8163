"""Numbers about units, against counting one by one."""

import numpy as np
from planted import TOKEN, planted_corpus, planted_svm

from whyword.audit.suspicion.candidates import Labelled, candidates
from whyword.audit.suspicion.documents import Documents
from whyword.audit.suspicion.evidence import gather_evidence
from whyword.audit.suspicion.read import read_documents
from whyword.audit.suspicion.units import UnitGroups
from whyword.base.progress import ignore
from whyword.methods.request import Request


def test_counts_are_those_of_the_texts() -> None:
    corpus, model = planted_corpus(), planted_svm()
    labels = model.classes_.tolist()
    documents = Documents.of(corpus, labels, None)
    read = read_documents(Request.of(model, "predicted"), documents.texts, ignore, "")
    known = documents.known
    labelled = Labelled(np.where(known.is_train, known.classes, -1), 2)
    units = UnitGroups.of(candidates(read.occurrences, labelled), read.occurrences)
    evidence = gather_evidence(read, units, known, 2, seed=0)
    for name in (TOKEN, "orbit", "the"):
        (unit,) = [n for n, one in enumerate(units.units) if one.name == name]
        label = labels[evidence.label[unit]]
        for part, counted, of_class in (
            (corpus.train, evidence.train, evidence.train_class),
            (corpus.test, evidence.other, evidence.other_class),
        ):
            has = [name in text.split() for text in part.texts]
            assert counted[unit] == sum(has)
            pairs = zip(has, part.labels or [], strict=True)
            assert of_class[unit] == sum(one and own == label for one, own in pairs)
        authors = {
            author
            for text, own, author in zip(
                corpus.train.texts,
                corpus.train.labels or [],
                corpus.train.groups["author"],
                strict=True,
            )
            if name in text.split() and own == label
        }
        assert evidence.groups[unit] == len(authors)
        assert (evidence.q_odds[unit] <= 0.05) == (name == TOKEN)
    some = evidence.chosen(np.arange(len(units.units)) < 3)
    assert len(some.label) == len(some.q_odds) == 3


def test_without_groups_nothing_is_a_habit() -> None:
    corpus, model = planted_corpus(), planted_svm()
    documents = Documents.of(corpus, model.classes_.tolist(), [""] * 120)
    read = read_documents(Request.of(model, "predicted"), documents.texts, ignore, "")
    labelled = Labelled(documents.known.classes, 2)
    units = UnitGroups.of(candidates(read.occurrences, labelled), read.occurrences)
    evidence = gather_evidence(read, units, documents.known, 2, seed=0)
    assert (evidence.p_groups == 1).all()
