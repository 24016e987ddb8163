"""Who may ask: a token, pages of other sites, and the names that the server goes by."""

import re
from dataclasses import dataclass

from whyword.base.errors import InputError

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Attributes
    ----------
    token : str or None
        What requests to the API must bear, if anything.
    origins : tuple of str
        Of other sites' pages that may use the API, as in ``https://example.org``.
    hosts : tuple of str
        Names the server goes by, as in a Host header without its port; empty for any. A page
        elsewhere can make its own name point here, so a server for this machine alone answers to
        its usual names only.
    log_texts : bool
        Whether the log may show what was sent.
    """

    token: str | None = None
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = LOCAL_HOSTS
    log_texts: bool = False


def checked_token(token: str | None) -> str | None:
    """Return the token; raise if no header could bear it."""
    if token is not None and not re.fullmatch("[!-~]([ -~]*[!-~])?", token):
        raise InputError(
            "a token is made of printable ASCII characters, with no space before or behind them"
        )
    return token


def checked_origin(origin: str) -> str:
    """Return an origin as browsers write it; raise if it is none."""
    match = re.fullmatch(r"(https?://[^/\s*]+)/?", origin)
    if match is None:
        raise InputError(f"an origin is written https://example.org, not {origin!r:.80}")
    return match[1].lower()


def in_address(host: str) -> str:
    """Return a host as addresses and Host headers write it: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def host_of(origin: str) -> str:
    """Return the name in an origin: a proxy that serves this site there asks under that name."""
    return re.sub(r":\d*$", "", checked_origin(origin).partition("://")[2])
