import io
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from whyword import InputError, load_corpus
from whyword.corpora.corpus import open_texts

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


def test_no_split(write: Write) -> None:
    corpus = load_corpus(write("a.csv", csv(x=3)), test=0)
    assert (len(corpus.train), len(corpus.test)) == (3, 0)


def test_without_labels(write: Write) -> None:
    corpus = load_corpus(write("a.csv", "text\na\nb\n"), labelled=False, test=0)
    assert corpus.labels is None
    assert corpus.classes == ()
    assert corpus.texts == ["a", "b"]


def test_what_was_chosen_is_logged(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "whyword"):
        load_corpus(write("a.csv", "body,label\na,b\n"))
    assert "text column: 'body'" in caplog.text


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, float("nan"), "0.2", None])
def test_a_share_that_is_none(write: Write, share: float) -> None:
    with pytest.raises(InputError, match="test must be a share"):
        load_corpus(write("a.csv", csv(x=3)), test=share)


@pytest.mark.parametrize("seed", [-1, 1.5, None, "a"])
def test_seeds_are_whole_numbers(write: Write, seed: int) -> None:
    with pytest.raises(InputError, match="seed must be a whole number"):
        load_corpus(write("a.csv", csv(x=3)), seed=seed)


def test_some_labels_missing(write: Write) -> None:
    path = write("a.csv", "text,label\na,x\nb,\n")
    assert load_corpus(path, labelled=False, test=0).labels is None
    with pytest.raises(InputError, match="every document needs a label"):
        load_corpus(path)


def test_a_corpus_is_shown_in_one_line(write: Write) -> None:
    corpus = load_corpus(write("a.csv", csv(x=5, y=5)))
    assert repr(corpus).endswith("a.csv', 8 train, 2 test, 2 classes)")
    assert repr(corpus.train) == "Part(8 documents)"


def test_texts_for_commands(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = write("mail.txt", "one\ntext")
    assert [(r.id, r.text) for r in open_texts(str(mail))] == [("mail.txt", "one\ntext")]
    (mail.parent / "two words.txt").write_text("a")
    assert [r.text for r in open_texts(str(mail.parent / "two words.txt"))] == ["a"]
    for given in ("the moon: an orbit", "no such:test", "long " * 5_000):
        with pytest.raises(InputError, match="a text itself goes to stdin, which '-' names"):
            list(open_texts(given))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"typed")))
    assert [(r.id, r.text) for r in open_texts("-")] == [("-", "typed")]
    for data, text in ((b"Gr\xfc\xdfe", "Grüße"), ("é".encode("utf-16"), "é"), (b"", "")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert [r.text for r in open_texts("-")] == [text]
    refused = [
        (b"\xff", "utf-8", "say encoding='latin-1' or"),
        (b"%PDF-1", None, "stdin: a PDF, no"),
    ]
    for data, encoding, said in refused:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(InputError, match=said):
            list(open_texts("-", encoding=encoding))
    table = write("a.csv", csv(x=10, y=10))
    assert len(list(open_texts(str(table)))) == 20
    held_out = load_corpus(table, test=0.3, seed=1).test
    records = list(open_texts(f"{table}:test", test=0.3, seed=1))
    assert [r.id for r in records] == held_out.ids
    assert [r.label for r in records] == held_out.labels
    plain = write("b.csv", "text\nhello\n")
    assert [r.label for r in open_texts(str(plain))] == [None]


def test_no_documents(write: Write) -> None:
    with pytest.raises(InputError, match="has no documents"):
        load_corpus(write("a.csv", "text,label\n"))
