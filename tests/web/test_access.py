"""Who may ask, as it is written on the command line."""

import pytest

from whyword import InputError
from whyword.web.access import checked_origin, checked_token, host_of


@pytest.mark.parametrize(
    ("written", "origin"),
    [
        ("https://Example.org/", "https://example.org"),
        ("http://localhost:3000", "http://localhost:3000"),
    ],
)
def test_origins_as_browsers_write_them(written: str, origin: str) -> None:
    assert checked_origin(written) == origin


@pytest.mark.parametrize(
    "written",
    [
        *("*", "example.org", "https://", "https://a.example/page", "ftp://a.example", "null", ""),
        *(
            "https://*.example",
            "https://a*b.example",
            "https://a.example, https://b.example",
            "https://a.example\r\nx: y",
        ),
    ],
)
def test_what_is_no_origin(written: str) -> None:
    with pytest.raises(InputError, match=r"an origin is written https://example\.org"):
        checked_origin(written)


@pytest.mark.parametrize("token", ["", " ", "a\n", "a\r\nx: y", "é", "\x00", " a", "a ", "a\t"])
def test_tokens_that_no_header_could_bear(token: str) -> None:
    with pytest.raises(InputError, match="a token is made of printable ASCII"):
        checked_token(token)


def test_tokens_that_are_fit() -> None:
    assert checked_token("a b~!") == "a b~!"
    assert checked_token("x") == "x"
    assert checked_token(None) is None


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://Why.example.org:8443/", "why.example.org"),
        ("https://why.example.org", "why.example.org"),
        ("http://[::1]:80", "[::1]"),
        ("http://[::1]", "[::1]"),
    ],
)
def test_a_proxy_asks_under_its_own_name(origin: str, host: str) -> None:
    assert host_of(origin) == host
