"""Which parts of posts and mails are removed, against the literal rules."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword import InputError
from whyword.words.mail_parts import PARTS, clean_post, merge_ranges, removed_ranges

POST = """From: a@b
Subject: c

In article <1> someone writes:
> quoted
| also quoted
My own words.

--
Signature
"""


def test_headers_end_with_the_first_blank_line() -> None:
    assert clean_post(POST).startswith("In article")
    assert clean_post("From: b\r\n\r\nbody\r\n\r\nmore") == "body\r\n\r\nmore"
    assert clean_post("From: b\nno blank line") == "From: b\nno blank line"
    assert clean_post("Subject: a\n\n") == ""
    assert clean_post(" path!of!the!post\nFrom: a@b\n\nbody") == "body"
    assert clean_post("From a@b Thu Aug 22 12:36:23 2002\nReturn-Path: <a@b>\n\nbody") == "body"


@pytest.mark.parametrize(
    "text",
    [
        "A first paragraph.\n\nA second one.",
        "Dear all:\n\nwe have removed nothing.",
        "Subject: what it is about\nand a line that is none of a header\n\nbody",
        "From afar I write to you\n\nbody",
        "\n\nSubject: late\n\nbody",
        "",
    ],
)
def test_what_does_not_begin_with_a_header_stays(text: str) -> None:
    assert clean_post(text) == text
    assert clean_post(clean_post(f"From: a@b\n\n{text}")) == clean_post(f"From: a@b\n\n{text}")


def without_footer(text: str) -> str:
    lines = text.strip().split("\n")
    for number in range(len(lines) - 1, 0, -1):
        if not lines[number].strip().strip("-"):
            return "\n".join(lines[:number])
    return text


def without_quotes(text: str) -> str:
    quoted = re.compile(r"^(?:>|\||In article|Quoted from)|writes in|writes:|wrote:|says:|said:")
    return "\n".join(line for line in text.split("\n") if not quoted.search(line))


LINES = st.sampled_from(["", " ", "> a", "| b", "--", "- ", "my words", "he wrote: x", "\r", "a\v"])
POSTS = st.lists(LINES, max_size=8).map("\n".join)


@given(POSTS)
def test_parts_against_the_literal_rules(text: str) -> None:
    assert clean_post(text, ["footers"]) == without_footer(text)
    assert clean_post(text, ["quotes"]) == without_quotes(text)
    assert clean_post(text, ["quotes", "footers"]) == without_quotes(without_footer(text))
    whole = f"From: a@b\nSubject: c\n\n{text}"
    assert clean_post(whole, PARTS) == without_quotes(without_footer(text))


@given(POSTS, st.sets(st.sampled_from(PARTS)))
def test_ranges_are_in_order_and_apart(text: str, remove: set[str]) -> None:
    ranges = removed_ranges(text, remove)
    ends = [place for one in ranges for place in one]
    assert ends == sorted(set(ends))
    assert not ends or (ends[0] >= 0 and ends[-1] <= len(text))


def test_ranges_that_touch_are_one() -> None:
    assert merge_ranges([(5, 7), (0, 2), (2, 3), (6, 9), (4, 4)]) == [(0, 3), (5, 9)]


def test_quotes_and_footers() -> None:
    cleaned = clean_post(POST, ("headers", "quotes", "footers"))
    assert cleaned.strip() == "My own words."
    assert "Signature" in clean_post(POST, ("quotes",))
    assert clean_post("only one line", ("footers",)) == "only one line"
    assert clean_post(POST, ()) == POST


@pytest.mark.parametrize("wrong", ["headers", ["header"], ["quotes", 3], 5])
def test_unknown_parts(wrong: list[str]) -> None:
    with pytest.raises(InputError, match="remove"):
        clean_post("x", wrong)
