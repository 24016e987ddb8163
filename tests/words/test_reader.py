"""What a reader makes of a text, against the text with everything cut out that it does not read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import InputError, Reader, tokenize
from whyword.words.document import Document
from whyword.words.mail_parts import PARTS, clean_post
from whyword.words.tokenizer import Tokenizer

POST = """From: baalke@kelvin.jpl.nasa.gov (Ron Baalke)
Subject: Galileo Update

In article <1> Nick writes:
> Is it in orbit?
It will be. Dr. Who said so.

--
Ron Baalke
"""


def test_what_is_removed_is_not_read_and_spans_point_into_the_whole_text() -> None:
    document = Reader(remove=["headers", "quotes", "footers"])(POST)
    assert document.text == POST
    assert document.words == "It will be Dr. Who said so".split()
    assert [POST[start:end] for start, end in document.spans] == document.words
    removed = [POST[start:end] for start, end in document.unread]
    assert removed[0].startswith("From: ")
    assert removed[0].endswith("> Is it in orbit?\n")
    assert removed[1].split() == ["--", "Ron", "Baalke"]
    assert document.unread_words == 20
    assert not len(document.ignored)


def test_ignored_words_stay_in_their_place() -> None:
    document = Reader(ignore=["the", "Galileo", r"/.*\.gov/", "/N[AB]SA/"])(
        "The Galileo of NASA, nasa too, asks jpl.gov"
    )
    assert document.words == ["The", "Galileo", "of", "NASA", "nasa", "too", "asks", "jpl.gov"]
    assert document.ignored.tolist() == [0, 1, 3, 7]
    assert document.cut_read() == ["of", "nasa", "too", "asks"]
    assert document.visible.split() == ["of", ",", "nasa", "too,", "asks"]
    assert len(document.visible) == len(document.text)


def test_phrases_are_words_in_a_row() -> None:
    document = Reader(ignore=["Gordon Banks", "n't ask"])("gordon banks! Gordon, Banks: don't ask")
    assert document.cut_read() == ["do"]
    assert not Reader(ignore=["gordon banks"])("banks Gordon the Banks").ignored.size
    reader = Reader(ignore=["gordon banks"])
    assert reader.ignores("the") is reader.ignores("gordon") is False


def test_what_is_ignored_and_stands_nowhere() -> None:
    entries = ["subject", "orbit", "ron baalke", "dr. who", "puck", "/z.*/"]
    reader = Reader(remove=["headers", "footers"], ignore=entries, tokenizer=Tokenizer(15))
    assert reader.absent([POST]) == ["puck", "ron baalke", "subject"]
    assert reader.absent([reader(POST)]) == ["puck", "ron baalke", "subject"]
    assert Reader().absent([POST]) == []


def test_a_phrase_that_goes_beyond_the_last_word() -> None:
    reader = Reader(ignore=["b c d", "x"], tokenizer=Tokenizer(2))
    document = reader("a b c d e")
    assert (document.words, document.truncated) == (["a", "b"], 3)
    assert document.ignored.tolist() == [1]
    assert document.unread.tolist() == [[2, 3]]
    whole = reader.shortened(None)("a b c d e").shortened(2)
    assert whole.ignored.tolist() == [1]
    assert (whole.visible, document.visible) == ("a        ", "a        ")
    assert not reader("a b c").ignored.size
    most = Reader(ignore=["a b"], tokenizer=Tokenizer(2**31 - 1))
    assert most("a b").ignored.tolist() == [0, 1]


def test_words_that_somebody_else_cuts() -> None:
    document = Document("rutgers.edu ice", np.array([[0, 7], [8, 11], [12, 15]], np.int32))
    read = Reader(ignore=["edu ice"]).ignore_words(document)
    assert read.ignored.tolist() == [1, 2]
    assert Reader().ignore_words(document) is document


LINES = st.sampled_from(
    [
        "",
        " ",
        "From: x",
        "Subject: y z",
        "> a Mr. b",
        "--",
        "my own.",
        "He said: x",
        "U.S. The",
        "é€😀",
    ]
)
TEXTS = st.lists(LINES, max_size=9).map("\n".join)


@given(TEXTS, st.sets(st.sampled_from(PARTS)), st.sets(st.sampled_from(["my", "x", "/.*s.*/"])))
def test_words_are_those_of_the_text_with_the_rest_cut_out(
    text: str, remove: set[str], ignore: set[str]
) -> None:
    document = Reader(remove=remove, ignore=ignore)(text)
    expected = tokenize(clean_post(text, remove)).words
    assert document.words == expected
    assert document.cut() == [text[start:end] for start, end in document.spans.tolist()]
    gone = {"my", "x"} & ignore
    kept = [w for w in expected if w.lower() not in gone]
    if "/.*s.*/" in ignore:
        kept = [w for w in kept if "s" not in w.lower()]
    assert document.cut_read() == kept
    places = document.unread.ravel()
    assert (np.diff(places) > 0).all()
    assert not len(places) or (places[0] >= 0 and places[-1] <= len(text))


@given(TEXTS)
def test_a_plain_reader_is_the_tokeniser(text: str) -> None:
    document, expected = Reader()(text), tokenize(text)
    assert document.spans.tolist() == expected.spans.tolist()
    assert not len(document.unread)
    assert document.visible is text


def test_so_many_words_at_most() -> None:
    document = Reader(ignore=["b"], tokenizer=Tokenizer(2))("a b c d")
    assert (document.words, document.truncated, document.ignored.tolist()) == (["a", "b"], 2, [1])
    assert document.shortened(1).ignored.tolist() == []


def test_readers_are_equal_however_they_are_written() -> None:
    one = Reader(remove=["quotes", "headers"], ignore=["B", "a", "b"])
    other = Reader(remove=("headers", "quotes"), ignore={"a", "b"})
    assert one == other
    assert hash(one) == hash(other)
    assert Reader() != Reader(remove=[])
    again = Reader.from_configuration(one.configuration(), one.tokenizer)
    assert again == one


def test_a_reader_and_a_number_of_words() -> None:
    assert Reader.of(None, 5) == Reader(tokenizer=Tokenizer(5))
    assert Reader.of(Reader(remove=[]), 5).tokenizer.max_words == 5
    assert Reader.of(Reader(tokenizer=Tokenizer(5)), 5) == Reader(tokenizer=Tokenizer(5))
    with pytest.raises(InputError, match=r"max_words=4 and a reader of 5 words contradict"):
        Reader.of(Reader(tokenizer=Tokenizer(5)), 4)
    with pytest.raises(InputError, match="reader must be a Reader or None, not str"):
        Reader.of("mail")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"format": "docx"}, "format"),
        ({"remove": "headers"}, "remove"),
        ({"remove": ["header"]}, "remove takes headers, quotes, footers; not 'header'"),
        ({"ignore": "the"}, "ignore"),
        ({"ignore": ["the", " "]}, "ignore holds an empty word"),
        ({"ignore": [3]}, "ignore"),
        ({"ignore": ["/(/"]}, "ignore is no regular expression"),
        ({"ignore": ["/(a+)+b/"]}, "never end"),
        ({"tokenizer": str.split}, "tokenizer must be a Tokenizer"),
    ],
)
def test_what_is_no_reader(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(").replace("+", r"\+")):
        Reader(**wrong)  # type: ignore[arg-type]


def test_what_is_no_text() -> None:
    for reader in (Reader(), Reader(remove=["headers"]), Reader("mail"), Reader("html")):
        with pytest.raises(InputError, match="a text must be a str, not int"):
            reader(3)  # type: ignore[arg-type]


def test_a_reader_shows_what_is_unusual() -> None:
    assert repr(Reader()) == "Reader()"
    reader = Reader("mail", ["headers"], tokenizer=Tokenizer(5))
    assert repr(reader) == (
        "Reader(format='mail', remove=('headers',), tokenizer=Tokenizer(max_words=5))"
    )
    assert eval(repr(reader)) == reader
