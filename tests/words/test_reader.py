"""A reader: the words of a text without the parts and words that it does not read."""

from typing import Any

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


def test_removed_parts_are_not_read_and_spans_point_into_the_whole_text() -> None:
    document = Reader(remove=["headers", "quotes", "footers"])(POST)
    assert document.text == POST
    assert document.words == "It will be Dr. Who said so".split()
    assert [POST[start:end] for start, end in document.spans] == document.words
    removed = [POST[start:end] for start, end in document.unread]
    assert removed == [POST[: POST.index("It will")], "\n--\nRon Baalke\n"]
    assert document.unread_words == 20
    assert not len(document.ignored)
    assert document.passed is None


def test_ignored_words_stay_in_their_place() -> None:
    reader = Reader(ignore=["the", "Galileo", r"/.*\.gov/", "/N[AB]SA/"])
    document = reader("The Galileo of NASA, nasa too, asks jpl.gov")
    assert document.words == ["The", "Galileo", "of", "NASA", "nasa", "too", "asks", "jpl.gov"]
    assert document.ignored.tolist() == [0, 1, 3, 7]
    assert document.cut_read() == ["of", "nasa", "too", "asks"]
    assert document.visible == "            of     , nasa too, asks        "
    assert [reader.ignores(word) for word in ("The", "NASA", "nasa", "of")] == [True] * 2 + [
        False
    ] * 2
    phrases = Reader(ignore=["Gordon Banks", "n't ask"])
    assert phrases("gordon banks! Gordon, Banks: don't ask").cut_read() == ["do"]
    assert not phrases("banks Gordon the Banks").ignored.size
    assert not phrases.ignores("gordon")


def test_formats_are_decoded() -> None:
    mail = "Subject: x\nContent-Type: text/html\n\n<p>Two &amp; teas"
    for format_, text, words in (
        ("mail", "Subject: x\n\nTwo & teas", ["Subject", "x", "Two", "teas"]),
        ("text", mail, tokenize(mail).words),
        ("html", "Subject: x Content-Type: text/html\n\nTwo & teas", None),
    ):
        document = Reader(format_)(mail)
        assert document.text == text
        assert document.passed == (None if text == mail else mail)
        assert words is None or document.words == words
    without = Reader("mail", ["headers"], ["two"])(mail)
    assert (without.words, without.cut_read()) == (["Two", "teas"], ["teas"])


def test_absent_entries() -> None:
    entries = ["subject", "orbit", "ron baalke", "dr. who", "puck", "/z.*/"]
    reader = Reader(remove=["headers", "footers"], ignore=entries, tokenizer=Tokenizer(15))
    assert reader.absent([POST]) == ["puck", "ron baalke", "subject"]
    assert reader.absent([reader(POST)]) == ["puck", "ron baalke", "subject"]
    assert Reader().absent([POST]) == []


def test_phrases_beyond_the_last_word() -> None:
    reader = Reader(ignore=["b c d", "x"], tokenizer=Tokenizer(2))
    document = reader("a b c d e")
    assert (document.words, document.truncated) == (["a", "b"], 3)
    assert document.ignored.tolist() == [1]
    assert document.unread.tolist() == [[2, 3]]
    whole = reader.shortened(None)("a b c d e").shortened(2)
    assert whole.ignored.tolist() == [1]
    assert (whole.visible, document.visible) == ("a        ", "a        ")
    assert not reader("a b c").ignored.size
    assert document.shortened(1).ignored.tolist() == []
    most = Reader(ignore=["a b"], tokenizer=Tokenizer(2**31 - 1))
    assert most("a b").ignored.tolist() == [0, 1]


def test_words_of_another_tokenizer() -> None:
    document = Document("rutgers.edu ice", np.array([[0, 7], [8, 11], [12, 15]], np.int32))
    reader = Reader(ignore=["edu ice"])
    assert reader.ignore_words(document).ignored.tolist() == [1, 2]
    assert reader.ignore_words(document, 2).ignored.tolist() == [1]
    assert Reader().ignore_words(document) is document
    for other in (reader, Reader()):  # documents are not read again
        assert [one is document for one in other.documents([document, "a b"])] == [True, False]


LINES = ["", " ", "From: x", "Subject: y z", "> a Mr. b", "--", "my own.", "He said: x", "U.S. The"]
TEXTS = st.lists(st.sampled_from([*LINES, "é€😀"]), max_size=9).map("\n".join)


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
    if not remove and not ignore:
        assert document.visible is text


def test_equal_readers() -> None:
    one = Reader(remove=["quotes", "headers"], ignore=["B", "a", "b"])
    other = Reader(remove=("headers", "quotes"), ignore={"a", "b"})
    assert one == other
    assert hash(one) == hash(other)
    assert Reader() != Reader(remove=[])
    for reader in (one, Reader(), Reader("html", [])):
        again = Reader.from_configuration(reader.configuration(), reader.tokenizer)
        assert again == reader
    assert one.configuration() == {
        "format": "text",
        "remove": ["headers", "quotes"],
        "ignore": ["a", "b"],
    }


def test_a_reader_and_a_number_of_words() -> None:
    assert Reader.of(None, 5) == Reader(tokenizer=Tokenizer(5))
    assert Reader.of(Reader(remove=[]), 5) == Reader(remove=[], tokenizer=Tokenizer(5))
    own = Reader(tokenizer=Tokenizer(5))
    assert Reader.of(own, 5) is Reader.of(own) is own
    with pytest.raises(InputError, match=r"max_words=4 and a reader of 5 words contradict"):
        Reader.of(own, 4)
    with pytest.raises(InputError, match="reader must be a Reader or None, not str"):
        Reader.of("mail")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"format": "docx"}, "format may be 'text' or 'mail' or 'html', not 'docx'"),
        ({"remove": "headers"}, "remove must be a list of strings, not one string"),
        ({"remove": ["header"]}, "remove takes headers, quotes, footers; not 'header'"),
        ({"ignore": "the"}, "ignore must be a list of strings, not one string"),
        ({"ignore": ["the", " "]}, "ignore holds an empty word"),
        ({"ignore": [3]}, "ignore: item 0 must be a str"),
        ({"ignore": ["/(/"]}, "ignore is no regular expression"),
        ({"ignore": ["/(a+)+b/"]}, "ignore could read some texts .* never end"),
        ({"tokenizer": str.split}, "tokenizer must be a Tokenizer, not method_descriptor"),
    ],
)
def test_wrong_settings(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Reader(**wrong)


def test_wrong_texts() -> None:
    for reader in (Reader(), Reader(remove=["headers"]), Reader("mail"), Reader("html")):
        with pytest.raises(InputError, match="a text must be a str, not int"):
            reader(3)  # type: ignore[arg-type]


def test_settings_are_shown() -> None:
    assert repr(Reader()) == "Reader()"
    reader = Reader("mail", ["headers"], ["a", "b"], tokenizer=Tokenizer(5_000))
    said = (
        "format='mail', remove=('headers',), ignore=('a', 'b'), tokenizer=Tokenizer(max_words=5000)"
    )
    assert repr(reader) == f"Reader({said})"
    assert eval(repr(reader)) == reader
    values = [value for _, value in reader.described()]
    assert values == ["mails", "headers", "a, b", "the rule 'words'", "the first 5,000"]
    plain = dict(Reader(tokenizer=Tokenizer(rule=lambda text: [])).described())
    assert list(plain) == ["texts are", "removed", "ignored", "words by", "words read"]
    unsaid = "nothing, or what a corpus has a rule for"
    assert list(plain.values()) == ["plain", unsaid, "nothing", "somebody's function", "all"]
    assert dict(Reader("html", []).described())["removed"] == "nothing"
