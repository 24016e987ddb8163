"""The documents in which suspects are looked for."""

from dataclasses import replace

import numpy as np
import pytest
from planted import planted_corpus

from whyword import InputError
from whyword.audit.suspicion.documents import Documents
from whyword.corpora.corpus import Corpus, Part

CLASSES = ["hockey", "space"]
EMPTY = Part([], None, [])


def test_what_is_known_is_aligned_with_the_texts() -> None:
    corpus = planted_corpus()
    found = Documents.of(corpus, CLASSES, None)
    assert found.groups == "author"
    assert found.texts == corpus.texts
    assert found.known.is_train.tolist() == [True] * 120 + [False] * 120
    assert [CLASSES[n] for n in found.known.classes] == corpus.labels
    assert found.known.groups is not None
    assert (found.known.groups[120:] == -1).all()
    assert len(np.unique(found.known.groups[:120])) == 16
    assert found.remarks == []


def test_groups_may_be_given() -> None:
    found = Documents.of(planted_corpus(), CLASSES, [n % 3 for n in range(120)])
    assert found.groups == "group"
    assert found.known.groups is not None
    assert found.known.groups[:4].tolist() == [0, 1, 2, 0]


def test_what_is_not_known_is_said() -> None:
    corpus = planted_corpus()
    bare = [Part(part.texts, part.labels, part.ids) for part in (corpus.train, corpus.test)]
    (said,) = Documents.of(Corpus("bare", bare[0], bare[1]), CLASSES, None).remarks
    assert "Who wrote" in said
    (said,) = Documents.of(replace(corpus, train=EMPTY), CLASSES, None).remarks
    assert "no training documents" in said
    (said,) = Documents.of(replace(corpus, test=EMPTY), CLASSES, None).remarks
    assert "no held-out documents" in said
    unlabelled = Part(corpus.test.texts, None, corpus.test.ids)
    found = Documents.of(replace(corpus, train=EMPTY, test=unlabelled), CLASSES, None)
    assert (found.known.classes == -1).all()
    assert len(found.remarks) == 2


def test_what_makes_no_sense_is_one_line() -> None:
    corpus = planted_corpus()
    with pytest.raises(InputError, match="kept no column 'thread'; it has author"):
        Documents.of(corpus, CLASSES, "thread")
    one = Part(["a", "b"], ["space", "space"], ["1", "2"])
    with pytest.raises(InputError, match="one class, 'space'"):
        Documents.of(Corpus("one", one, EMPTY), CLASSES, None)
    with pytest.raises(InputError, match="training document"):
        Documents.of(corpus, CLASSES, ["a"])
    with pytest.raises(InputError, match="no class"):
        Documents.of(corpus, ["a", "b"], None)
