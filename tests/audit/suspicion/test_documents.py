"""The documents in which suspects are looked for."""

from dataclasses import replace

import numpy as np
import pytest
from planted import LETTER, form_letters, planted_corpus

from whyword import InputError
from whyword.audit.suspicion.documents import Documents
from whyword.audit.suspicion.row import NEAR_COPIES
from whyword.corpora.corpus import Corpus, Part
from whyword.words.document import Document
from whyword.words.tokenizer import Tokenizer

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


def test_who_is_not_known_is_nobody() -> None:
    """Else all that nobody signed would be one person's habit."""
    given = [None, float("nan"), " ", "joe"] * 30
    found = Documents.of(planted_corpus(), CLASSES, given)
    assert found.known.groups is not None
    assert found.known.groups[:4].tolist() == [-1, -1, -1, 0]


def test_classes_that_are_rarer_in_held_out_documents_are_told_of() -> None:
    def part(space: int, hockey: int) -> Part:
        labels = ["space"] * space + ["hockey"] * hockey
        return Part(
            [f"t {n}" for n in range(len(labels))], labels, list(map(str, range(len(labels))))
        )

    def said(train: Part, test: Part) -> list[str]:
        remarks = Documents.of(Corpus("c", train, test), CLASSES, None).remarks
        return [one for one in remarks if "not as frequent" in one]

    (one,) = said(part(50, 50), part(10, 90))
    assert "50% and 90%" in one or "50% and 10%" in one
    assert said(part(50, 50), part(55, 45)) == []
    assert said(part(50, 50), part(1, 3)) == []  # too few to tell


def test_a_column_that_says_nothing_says_who_wrote_nothing() -> None:
    corpus = planted_corpus()
    silent = {"thread": [""] * 120, "author": corpus.train.groups["author"]}
    assert Documents.of(with_groups(corpus, silent), CLASSES, None).groups == "author"
    assert Documents.of(with_groups(corpus, {"author": [""] * 120}), CLASSES, None).groups is None
    named = Documents.of(with_groups(corpus, silent), CLASSES, "thread")
    assert named.groups == "thread"


def with_groups(corpus: Corpus, groups: dict[str, list[str]]) -> Corpus:
    return replace(corpus, train=replace(corpus.train, groups=groups))


def grouped(corpus: Corpus, groups: list[str] | None = None) -> Documents:
    found = Documents.of(corpus, CLASSES, groups)
    return found.with_copies(list(Tokenizer().documents(corpus.texts)))


def test_near_copies_are_groups_where_nobody_says_who_wrote_what() -> None:
    found = grouped(form_letters())
    assert found.groups == NEAR_COPIES
    assert found.known.groups is not None
    letters = [n for n, text in enumerate(found.texts) if LETTER in text and n < 120]
    assert len(letters) == 15
    numbers, counts = np.unique(found.known.groups[:120], return_counts=True)
    assert counts.max() == 15
    assert set(found.known.groups[letters].tolist()) == {numbers[counts.argmax()]}
    assert counts[counts < 15].tolist() == [1] * 105
    assert (found.known.groups[120:] == -1).all()
    (said,) = found.remarks
    assert "15 training documents are copies of 1 text" in said
    assert "(groups, --groups COLUMN) would say more" in said
    assert "authors" in said


def test_without_a_copy_there_are_no_groups() -> None:
    found = grouped(with_groups(planted_corpus(), {}))
    assert found.groups is None
    assert found.known.groups is None
    (said,) = found.remarks
    assert said.startswith("Who wrote the documents is not known, and none is a near copy of")
    assert "habits of few cannot be seen" in said
    assert said.endswith("(groups, --groups COLUMN).")


def test_copies_are_not_looked_for_where_they_say_nothing() -> None:
    corpus = form_letters()
    nobody: list[Document] = []
    assert grouped(planted_corpus()).groups == "author"
    given = Documents.of(corpus, CLASSES, [n % 3 for n in range(120)])
    assert given.with_copies(nobody) is given
    unlabelled = replace(corpus.train, labels=None)
    for train in (unlabelled, EMPTY):
        found = Documents.of(replace(corpus, train=train), CLASSES, None)
        assert found.with_copies(nobody) is found


def test_texts_without_words_are_copies_of_none() -> None:
    corpus = planted_corpus()
    texts = [*[""] * 5, *corpus.train.texts[5:]]
    bare = replace(corpus, train=Part(texts, corpus.train.labels, corpus.train.ids))
    assert grouped(bare).groups is None


def test_what_is_not_known_is_said() -> None:
    corpus = planted_corpus()
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
