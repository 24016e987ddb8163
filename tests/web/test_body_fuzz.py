"""Bodies that are nearly right, sent to the API: an answer, or a refusal in one line."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from networks import made_cnn, made_text
from served import HOSTILE_HEADERS, Answer, ask, records

from whyword import InputError
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import open_library

pytestmark = pytest.mark.slow(reason="fuzzes the API")

MODEL = made_cnn()
TEXTS = [made_text(range(first, 7)) for first in range(5)]
APP = create_app(Engine(MODEL), open_library(MODEL, records(TEXTS, None), "texts"))
LARGEST = 6 << 20  # bytes, below the server's limit: refused for what it is, not for its size
# JSON, or nearly
HOSTILE_VALUES = [
    *("null", "true", "0", "-1", "7", "1.5", "-0", "1e2", "1e999", "-1e999", "1e-999", "NaN"),
    *("Infinity", "-Infinity", "9" * 19, "9" * 30, "9" * 5_000, "0." + "1" * 5_000, "01", "0x1"),
    *(
        '""',
        '" "',
        '"\\ud800"',
        '"\\udfff\\ud800"',
        '"\\u0000"',
        '"\\ud83d\\ude00"',
        '"\u2028\x7f"',
    ),
    *('"all"', '"predicted"', '"class 0"', '"class 3"', '"lrp"', '"occlusion"', '"wa wb"', '"\\x"'),
    *("[]", "{}", "[[]]", "[{}]", '[""]', "[null]", '["all"]', '["class 0", "class 0"]', "[0, 0]"),
    *(
        '{"text": "wa"}',
        '{"text": 1}',
        '{"text": "wa", "text": 1}',
        '{"__proto__": {}}',
        "undefined",
    ),
    *(
        "[" * 900 + "]" * 900,
        "[" * 100_000,
        '{"a":' * 100_000,
        "",
        "/* */ 1",
        "'wa'",
        "[1,]",
        '"wa',
    ),
]
GOOD: dict[str, list[dict[str, Any]]] = {
    "/api/predict": [
        {"documents": ["wa wb wc", ""]},
        {"documents": [{"text": "wa wd", "id": "one"}, {"text": "wb"}, "wc"]},
    ],
    "/api/explain": [
        {"documents": ["wa wb wc"], "target": "all"},
        {
            "documents": [{"text": "wa wb wc", "id": "one", "deleted": [0, 2]}, "wd"],
            "target": "class 1",
        },
        {"documents": ["wa wb"], "target": ["class 0", "class 2"], "method": "gradient_input"},
        {"documents": ["wa we wf"], "target": "class 0", "against": "class 1", "method": "lrp"},
    ],
    "/api/what-if": [{"words": ["wa", "wb wc", "/w.*/"]}, {"words": ["nowhere"]}],
    "/api/search": [{"query": "wa wb"}, {"query": "wc wd wa", "top": 3}],
}


@dataclass(frozen=True)
class Sent:
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def __repr__(self) -> str:
        body = repr(self.body)
        if len(body) > 600:
            body = f"{body[:400]} … {body[-200:]} ({len(self.body):,} bytes)"
        return f"Sent({self.method!r}, {self.path!r}, {self.headers!r:.300}, {body})"


@dataclass
class Raw:
    """What is written into JSON as it is."""

    text: str


class Pairs(list[tuple[str, Any]]):
    """An object whose keys may be there twice."""


def parsed(value: object) -> Any:  # noqa: ANN401 - any JSON
    """Return a copy of JSON in a form that can be damaged."""
    if isinstance(value, dict):
        return Pairs((key, parsed(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return [parsed(inner) for inner in value]
    return Raw(json.dumps(value))


def written(value: object) -> str:
    """Return JSON, or nearly."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{json.dumps(k)}: {written(v)}" for k, v in value) + "}"
    assert isinstance(value, list)
    return "[" + ", ".join(map(written, value)) + "]"


def containers(value: object) -> Iterator[list[Any]]:
    """Yield the lists and objects in it, itself first."""
    if isinstance(value, list):
        yield value
        for inner in value:
            yield from containers(inner[1] if isinstance(value, Pairs) else inner)


def change(content: list[Any], how: random.Random) -> None:
    """Change one thing somewhere in JSON: add, drop, double, nest or replace it."""
    place = how.choice(list(containers(content)))
    at = how.randrange(len(place)) if place else 0
    hostile = Raw(how.choice(HOSTILE_VALUES))
    kind = how.choice(("add", "drop", "double", "nest", "replace", "replace"))
    if not place or kind == "add":
        key = how.choice(("text", "documents", "target", "query", "x", "", "\ud800", "k" * 5_000))
        place.insert(at, (key, hostile) if isinstance(place, Pairs) else hostile)
    elif kind == "drop":
        del place[at]
    elif kind == "double":
        place.append(place[at])
    elif isinstance(place, Pairs):
        key, value = place[at]
        place[at] = (key, [value] if kind == "nest" else hostile)
    else:
        place[at] = [place[at]] if kind == "nest" else hostile


def multiply(content: list[Any], how: random.Random) -> None:
    """Put very many of something where there is one, unless that is large; in objects, of keys."""
    place = how.choice([each for each in containers(content) if each] or [[Raw("0")]])
    at, times = how.randrange(len(place)), how.choice((70, 2_000, 400_000))
    key, value = place[at] if isinstance(place, Pairs) else ("", place[at])
    if (len(key) + 10 + len(written(value))) * times > LARGEST:
        return
    if isinstance(place, Pairs):
        place.extend((f"{key}{number}", value) for number in range(times))
    else:
        place[at : at + 1] = [value] * times


def near(seed: int) -> Sent:
    """Return a good request with some things wrong, as JSON, as bytes, or in its headers."""
    how = random.Random(seed)
    path = how.choice(list(GOOD))
    content = parsed(how.choice(GOOD[path]))
    for _ in range(how.choice((0, 1, 1, 1, 2, 3))):
        change(content, how)
    if how.randrange(6) == 0:
        multiply(content, how)
    body = written(content).encode("utf-8", how.choice(("surrogatepass", "replace")))
    for _ in range(how.choice((0, 0, 0, 1, 2))):
        body = damage(body, how)
    if how.randrange(12) == 0:
        body = how.choice(ENCODINGS)(body)
    headers = dict([how.choice(HOSTILE_HEADERS)]) if how.randrange(6) == 0 else {}
    method = how.choice(("GET", "HEAD", "PUT", "OPTIONS")) if how.randrange(30) == 0 else "POST"
    return Sent(method, how.choice(list(GOOD)) if how.randrange(20) == 0 else path, headers, body)


ENCODINGS: list[Callable[[bytes], bytes]] = [
    lambda body: b"\xef\xbb\xbf" + body,
    lambda body: body.decode("latin-1").encode("utf-16"),
    lambda body: body.decode("latin-1").encode("utf-32-be"),
    lambda body: body + b" " * 200_000,
    lambda body: body + body,
    lambda body: body.hex().encode(),
    lambda body: b"",
]


def post(sent: Sent) -> None:
    """Send a request; what is refused is raised."""
    answer = ask(APP, sent.path, method=sent.method, headers=sent.headers, body=sent.body)
    assert answer.status < 500, answer
    if sent.method == "HEAD":
        return
    if answer.status >= 400:
        check_problem(answer)
        raise InputError(answer.problem)
    if sent.method == "POST":
        json.loads(answer.body, parse_constant=refuse_constant)


def refuse_constant(name: str) -> None:
    """Raise: NaN and Infinity are no JSON."""
    raise AssertionError(f"{name} in an answer")


def check_problem(answer: Answer) -> None:
    """Look at the form of an error."""
    assert answer.problem
    fields = answer.json["fields"]
    assert all(isinstance(name, str) and name for name in fields)
    assert len(fields) == len(set(fields)) <= 8


def fuzzer() -> Fuzzer:
    """Return the fuzzer of API bodies."""
    return Fuzzer("API bodies", st.integers(0, 2**60).map(near), post)


def test_bodies_that_are_nearly_right() -> None:
    bodies = fuzzer()
    bodies.check(2_000)
    assert min(bodies.accepted, bodies.refused) > 200
    assert len(bodies.messages) > 40
