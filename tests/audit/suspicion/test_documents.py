"""The documents that are searched: classes, authors, near copies, and what is not known."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import LETTER, form_letters, planted_corpus

from whyword import InputError
from whyword.audit.suspicion.documents import Documents
from whyword.audit.suspicion.row import NEAR_COPIES
from whyword.corpora.corpus import Corpus, Part
from whyword.words.tokenizer import Tokenizer

CLASSES = ["hockey", "space"]
EMPTY = Part([], None, [])
CORPUS = planted_corpus()
NOT_KNOWN = "Who wrote the documents is not known, "


def of(corpus: Corpus, groups: Any = None) -> Documents:  # noqa: ANN401
    return Documents.of(corpus, CLASSES, groups)


def with_groups(**groups: list[str]) -> Corpus:
    return replace(CORPUS, train=replace(CORPUS.train, groups=groups))


def grouped(corpus: Corpus, groups: Any = None) -> Documents:  # noqa: ANN401
    return of(corpus, groups).with_copies(list(Tokenizer().documents(corpus.texts)))


def test_documents_are_aligned_with_what_is_known_of_them() -> None:
    found = of(CORPUS)
    assert (found.groups, found.remarks) == ("author", [])
    assert (found.texts, found.ids) == (CORPUS.texts, CORPUS.ids)
    assert found.known.is_train.tolist() == [True] * 120 + [False] * 120
    assert [CLASSES[n] for n in found.known.classes] == CORPUS.labels
    names = list(dict.fromkeys(CORPUS.train.groups["author"]))
    numbers = [names.index(author) for author in CORPUS.train.groups["author"]]
    assert found.known.groups is not None
    assert found.known.groups.tolist() == numbers + [-1] * 120


def test_groups_may_be_given_and_who_is_not_known_is_nobody() -> None:
    """Else all that nobody signed would be one person's habit."""
    found = of(CORPUS, [None, float("nan"), " ", " joe "] * 15 + [3] * 60)
    assert (found.groups, found.known.groups is None) == ("group", False)
    assert found.known.groups is not None
    assert found.known.groups.tolist() == [-1, -1, -1, 0] * 15 + [1] * 60 + [-1] * 120
    authors = CORPUS.train.groups["author"]
    silent = with_groups(thread=[""] * 120, author=authors)
    assert of(silent).groups == "author"
    assert of(silent, "thread").groups == "thread"
    assert of(with_groups(author=[""] * 120)).groups is None


@pytest.mark.parametrize(
    ("train", "test", "said"),
    [
        ((50, 50), (10, 90), "50% and [19]0%"),
        ((50, 50), (55, 45), ""),
        ((50, 50), (67, 33), ""),  # the odds are about half
        ((50, 50), (68, 32), "50% and (32|68)%"),
        ((50, 50), (5, 44), ""),  # too few to tell
    ],
)
def test_classes_that_are_rarer_in_held_out_documents(
    train: tuple[int, int], test: tuple[int, int], said: str
) -> None:
    parts: list[Any] = []
    for space, hockey in (train, test):
        labels = ["space"] * space + ["hockey"] * hockey
        texts = [f"t {n}" for n in range(len(labels))]
        parts.append(Part(texts, labels, texts))
    remarks = [one for one in of(Corpus("c", *parts)).remarks if "not as frequent" in one]
    assert len(remarks) == bool(said)
    assert all(re.search(rf"\('(hockey|space)': {said}\)", one) for one in remarks)


def test_near_copies_are_groups_where_nobody_says_who_wrote_what() -> None:
    found = grouped(form_letters())
    assert found.groups == NEAR_COPIES
    assert found.known.groups is not None
    letters = [n for n, text in enumerate(found.texts) if LETTER in text and n < 120]
    numbers, counts = np.unique(found.known.groups[:120], return_counts=True)
    assert len(letters) == counts.max() == 15
    assert set(found.known.groups[letters].tolist()) == {numbers[counts.argmax()]}
    assert counts[counts < 15].tolist() == [1] * 105
    assert (found.known.groups[120:] == -1).all()
    assert found.remarks == [
        NOT_KNOWN + "so that habits of few are those of near copies: 15 training documents are "
        "copies of 1 text. A column of authors, threads or sources (groups, --groups COLUMN) "
        "would say more."
    ]


def test_without_a_copy_there_are_no_groups() -> None:
    bare = replace(CORPUS, train=replace(CORPUS.train, texts=[""] * 5 + CORPUS.train.texts[5:]))
    for corpus in (with_groups(), replace(bare, train=replace(bare.train, groups={}))):
        found = grouped(corpus)
        assert (found.groups, found.known.groups) == (None, None)
        assert found.remarks == [
            NOT_KNOWN + "and none is a near copy of another, so that habits of few cannot be "
            "seen: keep a column of authors, threads or sources (groups, --groups COLUMN)."
        ]


def test_copies_are_not_looked_for_where_they_say_nothing() -> None:
    corpus = form_letters()
    given = of(corpus, [n % 3 for n in range(120)])
    others = [of(replace(corpus, train=t)) for t in (replace(corpus.train, labels=None), EMPTY)]
    assert all(found.with_copies([]) is found for found in (of(CORPUS), given, *others))


def test_what_is_not_known_is_said() -> None:
    unlabelled = Part(CORPUS.test.texts, None, CORPUS.test.ids)
    remarks = {
        "There are no training documents: who": replace(CORPUS, train=EMPTY),
        "The training documents have no labels: ": replace(CORPUS, train=unlabelled),
        "There are no held-out documents: whether": replace(CORPUS, test=EMPTY),
        "The held-out documents have no labels: ": replace(CORPUS, test=unlabelled),
    }
    for start, corpus in remarks.items():
        (said,) = of(corpus).remarks
        assert said.startswith(start)
    found = of(replace(CORPUS, train=EMPTY, test=unlabelled))
    assert found.known.classes.tolist() == [-1] * 120
    assert len(found.remarks) == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"groups": "thread"}, "planted kept no column 'thread'; it has author"),
        ({"corpus": with_groups(), "groups": "x"}, "kept no column 'x'; load_corpus keeps those"),
        ({"groups": ["a"]}, "groups and training documents differ in length: 1 ≠ 120"),
        ({"classes": ["a", "b"]}, "there is no class"),
        (
            {"corpus": Corpus("one", Part(["a"] * 2, ["space"] * 2, ["1", "2"]), EMPTY)},
            "all documents of one are of one class, 'space'",
        ),
    ],
)
def test_invalid_corpora(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Documents.of(**{"corpus": CORPUS, "classes": CLASSES, "groups": None, **asked})
