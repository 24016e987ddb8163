"""Parts of posts and mails that are removed, compared with the literal rules."""

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


@pytest.mark.parametrize(
    ("post", "rest"),
    [
        (POST, POST.partition("\n\n")[2]),
        ("From: b\r\n\r\nbody\r\n\r\nmore", "body\r\n\r\nmore"),
        ("Subject: a\n\n", ""),
        (" path!of!the!post\nFrom: a@b\n\nbody", "body"),
        ("From a@b Thu Aug 22 12:36:23 2002\nReturn-Path: <a@b>\n\nbody", "body"),
        ("X: y\nREPLY-TO: z\n\nbody", "body"),
        *(
            (text, text)
            for text in (
                "From: b\nno blank line",
                "A first paragraph.\n\nA second one.",
                "Dear all:\n\nwe have removed nothing.",
                "Subject: what it is about\nand a line that is none of a header\n\nbody",
                "From afar I write to you\n\nbody",
                "\n\nSubject: late\n\nbody",
                "",
            )
        ),
    ],
)
def test_headers_end_with_the_first_blank_line(post: str, rest: str) -> None:
    assert clean_post(post) == rest


def without_footer(text: str) -> str:
    lines = text.strip().split("\n")
    for number in range(len(lines) - 1, 0, -1):
        if not lines[number].strip().strip("-"):
            return "\n".join(lines[:number])
    return text


def without_quotes(text: str) -> str:
    quoted = re.compile(r"^(?:>|\||In article|Quoted from)|writes in|writes:|wrote:|says:|said:")
    return "\n".join(line for line in text.split("\n") if not quoted.search(line))


LINES = ["", " ", "> a", "| b", "--", "- ", "X", "my words", "he wrote: x", "\r", "a\v"]


@given(st.lists(st.sampled_from(LINES), max_size=8).map("\n".join), st.sets(st.sampled_from(PARTS)))
def test_parts_against_the_literal_rules(text: str, remove: set[str]) -> None:
    assert clean_post(text, ["footers"]) == without_footer(text)
    assert clean_post(text, ["quotes"]) == without_quotes(text)
    assert clean_post(text, ["quotes", "footers"]) == without_quotes(without_footer(text))
    whole = f"From: a@b\nSubject: c\n\n{text}"
    assert clean_post(whole, PARTS) == without_quotes(without_footer(text))
    ends = [place for one in removed_ranges(text, remove) for place in one]
    assert ends == sorted(set(ends))  # in order and apart
    assert not ends or (ends[0] >= 0 and ends[-1] <= len(text))


def test_parts_that_are_removed() -> None:
    assert clean_post(POST, PARTS) == "My own words.\n"
    assert clean_post("only one line", ("footers",)) == "only one line"
    assert clean_post(POST, ()) == POST
    assert merge_ranges([(5, 7), (0, 2), (2, 3), (6, 9), (4, 4)]) == [(0, 3), (5, 9)]
    for wrong in ("headers", ["header"], ["quotes", 3], 5):
        with pytest.raises(InputError, match="remove"):
            clean_post("x", wrong)  # type: ignore[arg-type]
