import pytest

from whyword import InputError
from whyword.corpora.mail_parts import clean_post

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
    assert clean_post("A: b\r\n\r\nbody\r\n\r\nmore") == "body\r\n\r\nmore"
    assert clean_post("no blank line") == "no blank line"
    assert clean_post("a\n\n") == ""


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
