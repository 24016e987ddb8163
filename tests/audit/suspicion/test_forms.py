"""What words look like."""

import pytest

from whyword.audit.suspicion.forms import domain_of, form_of, shape_of


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("ed@mail.acme.org", "address"),
        ("athos.rutgers.edu", "host"),
        ("nasa.gov", "host"),
        ("https://x.org/a", "link"),
        ("jun", "date"),
        ("may", "word"),
        ("sun", "word"),
        ("12:30:45", "date"),
        ("1993", "date"),
        ("12-apr-93", "date"),
        ("1,000.5", "number"),
        ("x11r5", "code"),
        ("a=b", "code"),
        ("shuttle", "word"),
        ("e.g.", "word"),
        ("end.the", "word"),
        ("do.it", "word"),  # two words without a blank, more likely than a host of Italy
        ("", "word"),
        ("…", "word"),
    ],
)
def test_form(word: str, form: str) -> None:
    assert form_of(word) == form


def test_a_hostile_word_takes_no_time() -> None:
    assert form_of("a." * 100_000) == "code"
    assert form_of("a@" * 140) in ("address", "word", "code")


def test_domain_and_shape() -> None:
    assert domain_of("athos.rutgers.edu") == "rutgers.edu"
    assert domain_of("www.cs.ox.ac.uk") == "ox.ac.uk"
    assert domain_of("acme.org.") == "acme.org"
    assert shape_of("x11r5") == r"x\d+r\d+"
    assert shape_of("a.b1") == r"a\.b\d+"
    assert shape_of("shuttle") is None
    assert shape_of("x²") is None  # no digit for a pattern
    assert shape_of("²x1") == r"²x\d+"
