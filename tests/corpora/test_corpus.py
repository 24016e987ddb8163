"""A corpus in memory: its split, its figures, and the format of its texts."""

import io
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import InputError, load_corpus
from whyword.corpora import corpus
from whyword.corpora.corpus import Corpus, Part, open_texts
from whyword.corpora.format import LOOKED_AT, format_note, guess_format
from whyword.corpora.overview import ClassFigures, GroupFigures, PartFigures, describe
from whyword.corpora.split import hold_out

Write = Callable[[str, "str | bytes"], Path]


def csv(**classes: int) -> str:
    rows = [f"{name} {i},{name}" for name, count in classes.items() for i in range(count)]
    return "\n".join(["text,label", *rows]) + "\n"


def test_a_stratified_split_is_made(write: Write) -> None:
    path = write("a.csv", csv(big=50, small=10, one=1))
    corpus = load_corpus(path, test=0.2, seed=3)
    assert Counter(corpus.test.labels) == {"big": 10, "small": 2}
    assert Counter(corpus.train.labels) == {"big": 40, "small": 8, "one": 1}
    assert not set(corpus.train.ids) & set(corpus.test.ids)
    assert len(corpus) == 61
    assert corpus.classes == ("big", "one", "small")
    assert "20% held out, by class (seed 3)" in corpus.notes[-1]
    for part in (corpus.train, corpus.test):
        assert part.labels == [text.split()[0] for text in part.texts]
    again = load_corpus(path, test=0.2, seed=3)
    assert again.test.ids == corpus.test.ids
    assert load_corpus(path, test=0.2, seed=4).test.ids != corpus.test.ids


def test_parts_are_those_of_the_whole(write: Write) -> None:
    path = write("a.csv", csv(x=10, y=10))
    whole = load_corpus(path)
    train, test = load_corpus(f"{path}:train"), load_corpus(f"{path}:test")
    assert train.train == whole.train
    assert train.test.texts == []
    assert test.texts == test.test.texts == whole.test.texts
    assert test.labels == whole.test.labels
    assert test.ids == whole.test.ids


def test_a_split_of_its_own_is_kept(write: Write) -> None:
    path = write("a.csv", "text,label,split\na,x,test\nb,y,train\n")
    corpus = load_corpus(path, test=0.5)
    assert (corpus.train.texts, corpus.test.texts) == (["b"], ["a"])


def test_no_split_and_no_labels(write: Write) -> None:
    corpus = load_corpus(write("a.csv", csv(x=3)), test=0)
    assert (len(corpus.train), len(corpus.test)) == (3, 0)
    corpus = load_corpus(write("a.csv", "text\na\nb\n"), labelled=False, test=0)
    assert corpus.labels is None
    assert corpus.classes == ()
    assert corpus.texts == ["a", "b"]
    path = write("a.csv", "text,label\na,x\nb,\n")
    assert load_corpus(path, labelled=False, test=0).labels is None
    with pytest.raises(InputError, match="every document needs a label"):
        load_corpus(path)


def test_choices_are_logged(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "whyword"):
        load_corpus(write("a.csv", "body,label\na,b\n"))
    assert "text column: 'body'" in caplog.text


def test_wrong_arguments(write: Write) -> None:
    path = write("a.csv", csv(x=3))
    for share in (-0.1, 1, 1.5, float("nan"), "0.2", None):
        with pytest.raises(InputError, match="test must be a share"):
            load_corpus(path, test=share)  # type: ignore[arg-type]
    for seed in (-1, 1.5, None, "a"):
        with pytest.raises(InputError, match="seed must be a whole number"):
            load_corpus(path, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="has no documents"):
        load_corpus(write("b.csv", "text,label\n"))


def test_repr(write: Write) -> None:
    corpus = load_corpus(write("a.csv", csv(x=5, y=5)))
    assert repr(corpus).endswith("a.csv', 8 train, 2 test, 2 classes)")
    assert repr(corpus.train) == "Part(8 documents)"


def test_texts_for_commands(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = write("mail.txt", "one\ntext")
    assert [(r.id, r.text) for r in open_texts(str(mail))] == [("mail.txt", "one\ntext")]
    (mail.parent / "two words.txt").write_text("a")
    assert [r.text for r in open_texts(str(mail.parent / "two words.txt"))] == ["a"]
    for text in ("the moon: an orbit", "no such:test", "long " * 5_000):
        with pytest.raises(InputError, match="a text itself goes to stdin, which '-' names"):
            list(open_texts(text))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"typed")))
    assert [(r.id, r.text) for r in open_texts("-")] == [("-", "typed")]
    for data, expected in ((b"Gr\xfc\xdfe", "Grüße"), ("é".encode("utf-16"), "é"), (b"", "")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert [r.text for r in open_texts("-")] == [expected]
    monkeypatch.setattr(corpus, "LONGEST", 5_000)
    refused = [
        (b"\xff", "utf-8", "say encoding='latin-1' or"),
        (b"%PDF-1", None, "stdin: a PDF, no"),
        (b"x" * 5_001, None, "stdin: more than 67,108,864 characters"),
    ]
    for data, encoding, said in refused:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(InputError, match=said):
            list(open_texts("-", encoding=encoding))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="stdin is closed"):
        list(open_texts("-"))
    table = write("a.csv", csv(x=10, y=10))
    assert len(list(open_texts(str(table)))) == 20
    held_out = load_corpus(table, test=0.3, seed=1).test
    records = list(open_texts(f"{table}:test", test=0.3, seed=1))
    assert [(r.id, r.text, r.label, r.split) for r in records] == [
        (*row, "test")
        for row in zip(held_out.ids, held_out.texts, held_out.labels or (), strict=True)
    ]
    assert [r.id for r in open_texts(f"{table}:train")] == load_corpus(table).train.ids
    plain = write("b.csv", "text\nhello\n")
    assert [r.label for r in open_texts(str(plain))] == [None]


# ---- the split --------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("aabbbbcd"), min_size=1, max_size=60), st.data())
def test_each_class_is_held_out_by_its_share(labels: list[str], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(labels) - 1))
    chosen = hold_out(labels, count, seed=1)
    sizes = Counter(labels)
    assert chosen.sum() == min(count, sum(size - 1 for size in sizes.values()))
    taken = Counter(np.array(labels)[chosen].tolist())
    for label, size in sizes.items():  # one of each stays
        assert taken[label] <= size - 1


@pytest.mark.parametrize(
    ("sizes", "count", "expected"),
    [
        ({"a": 50, "b": 50}, 20, {"a": 10, "b": 10}),
        ({"a": 7, "b": 3}, 5, {"a": 4, "b": 1}),  # 3.5 and 1.5: the first of equal remainders
        ({"a": 13, "b": 7}, 5, {"a": 3, "b": 2}),  # 3.25 and 1.75: the larger remainder
        ({"a": 1, "b": 9, "c": 2}, 6, {"b": 5, "c": 1}),  # one of a class stays
        ({"a": 1, "b": 2}, 3, {"b": 1}),
    ],
)
def test_shares_of_classes(sizes: dict[str, int], count: int, expected: dict[str, int]) -> None:
    labels = [label for label, size in sizes.items() for _ in range(size)]
    first, again, other = (hold_out(labels, count, seed) for seed in (1, 1, 3))
    np.testing.assert_array_equal(first, again)
    for chosen in (first, other):
        assert Counter(np.array(labels)[chosen].tolist()) == expected
    assert (first != other).any() or len(labels) < 10


# ---- figures ----------------------------------------------------------------------------------


def test_figures() -> None:
    texts = ["One two two.", "", "word " * 100, "x " * 399 + "last late", "y " * 99]
    groups = {"author": ["eve", "", "bob", "ann", "ann"]}
    train = Part(texts, ["a", "a", "b", "b", "c"], [], groups)
    test = Part(["Hello", "c"], ["a", "a"], [], {"author": ["eve", "eve"]})
    figures = describe(Corpus("name", train, test))
    assert figures.name == "name"
    assert figures.train == PartFigures(
        documents=5, words=603, vocabulary=7, vocabulary_400=6, short=1, long=2
    )
    assert figures.test == PartFigures(2, 2, 2, 2, short=2, long=0)
    assert figures.classes == (
        ClassFigures("a", 2, 2, 1.0),
        ClassFigures("b", 2, 0, 250.5),
        ClassFigures("c", 1, 0, 99.0),
    )
    assert figures.groups == (GroupFigures("author", train=3, test=1, both=1),)
    empty = Part([], [], [])
    assert describe(Corpus("name", train, empty)).groups[0] == GroupFigures("author", 3, 0, 0)
    without = describe(Corpus("name", Part(["a b"], None, ["1"]), empty))
    assert (without.classes, without.train.words, without.sizes) == ((), 2, {})


# ---- the format -------------------------------------------------------------------------------

PLAIN = "a < b, <someone@example.org>, vector<int>"
PAGE = "Bad.<br /><br />Really bad."
MAIL = "From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>x</p>"
POST = "From: a@example.org\nSubject: no MIME\n\ntext"


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([], None),
        ([PLAIN, POST, ""], None),
        ([PLAIN] * 4 + [PAGE], None),  # a fifth is not enough
        ([PLAIN] * 4 + [MAIL], None),
        ([PLAIN] * 3 + [PAGE], "html"),
        ([MAIL], "mail"),
        ([MAIL, PAGE, PAGE], "mail"),
        ([PLAIN] * LOOKED_AT + [PAGE] * 1_000, None),
        ([PLAIN + " " * 20_000 + PAGE], None),
        ([" " * 19_990 + "<br>"], "html"),
    ],
)
def test_formats(texts: list[str], found: str | None) -> None:
    def endless() -> Iterator[str]:
        yield from texts[:LOOKED_AT]
        assert len(texts) < LOOKED_AT, "more texts are read than needed"

    assert guess_format(endless()) == found
    assert (format_note(texts) is None) == (found is None)


def test_a_corpus_notes_its_format(write: Write) -> None:
    for text, name in ((PAGE, "html"), (MAIL.replace("\n", "\r\n"), "mail")):
        rows = "".join(f'"{text}",{"xy"[number % 2]}\n' for number in range(20))
        corpus = load_corpus(write("a.csv", "text,label\n" + rows))
        what = {"html": "HTML", "mail": "raw mails"}[name]
        note = f"the texts look like {what}; Reader('{name}'), or train --format {name}, decodes"
        assert f"{note} them" in corpus.notes
