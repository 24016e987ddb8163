"""What a server lets one request ask for."""

from dataclasses import dataclass

from whyword.base.threads import usable_cores

MOST_WORDS = 1_000  # of a what-if
WORD_CHARACTERS = 1_000  # of each
MOST_ARTEFACTS = 10_000  # rows of suspects


@dataclass(frozen=True)
class Limits:
    """How much is too much.

    Attributes
    ----------
    body_bytes : int
        Of a request.
    values : int
        Of a request's JSON: texts, numbers, lists, objects and their keys.
    header_bytes : int
        Of a request before its body, its address included; the framing of a body in chunks may
        take as much again.
    headers : int
        Of a request.
    pipelined : int
        Requests that a connection may send before the first of them is answered.
    held_bytes : int
        Of all requests that are on their way or being answered.
    documents : int
        Of a request.
    characters : int
        Of a text, in code points.
    words : int
        Of a request's texts together: every word comes back with a number for each class.
    read_seconds : float
        For a request to arrive.
    write_seconds : float
        For a client to take its answer, once it lags behind.
    work_seconds : float
        For its answer to be computed, waiting included.
    workers : int
        Answers that are computed at the same time.
    waiting : int
        Requests that may wait for one; more are turned away.
    connections : int
        Open at the same time.
    """

    body_bytes: int = 8 << 20
    values: int = 100_000
    header_bytes: int = 64 << 10
    headers: int = 100
    pipelined: int = 32
    held_bytes: int = 256 << 20
    documents: int = 64
    characters: int = 1_000_000
    words: int = 20_000
    read_seconds: float = 10.0
    write_seconds: float = 30.0
    work_seconds: float = 30.0
    workers: int = usable_cores()
    waiting: int = 64
    connections: int = 500
