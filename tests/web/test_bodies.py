"""Bodies that hold too much: refused by their size, before anything is made of what is in them."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from fastapi import Response
from hypothesis import given
from hypothesis import strategies as st
from networks import made_cnn
from served import app, ask, asked, check_refused

from whyword.base.errors import InputError
from whyword.web import problems
from whyword.web.app import create_app
from whyword.web.bodies import BoundedRequest, Sizes, body_sizes, count_values
from whyword.web.engine import Engine
from whyword.web.limits import Limits

MOST = Limits().values
SCHEMA: Any = ask(app(), "/api/openapi.json").json
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('"\\,:[]{}a'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('"\\,:[]{}a'), inner),
)


def values_in(content: object) -> int:
    """Return how many values and keys there are, by walking through them."""
    if isinstance(content, dict):
        return 1 + sum(1 + values_in(one) for one in content.values())
    return 1 + (sum(map(values_in, content)) if isinstance(content, list) else 0)


# ---- counted as bytes ---------------------------------------------------------------------------


@given(VALUES, st.integers(0, 30))
@pytest.mark.slow(reason="half a second and more")
def test_no_value_is_left_out_of_the_count(content: object, enough: int) -> None:
    body = json.dumps(content).encode()
    assert count_values(body, enough) >= min(values_in(content), enough + 1)


@given(VALUES, st.binary(max_size=8))
def test_what_breaks_off_or_goes_wrong_is_counted_up_to_there(content: object, end: bytes) -> None:
    """A parser makes values of the beginning before it finds what is wrong."""
    body = json.dumps([content, content]).encode()[:-1]
    assert count_values(body + b"\\" + end, 0) >= min(values_in(content), 1)
    assert count_values(body + b',"' + end, 1) > 1


def test_a_quote_without_its_other_is_counted() -> None:
    assert count_values(b'[0, 0,"""', 1) > 1


def test_commas_in_texts_are_no_values() -> None:
    text = r"a, b: [c] {d} \" \\ \\\" e, " * 10
    body = f'{{"documents": ["{text}", "\\\\", "{text}"]}}'.encode()
    assert count_values(body, 8) == 6  # the object, its key, the list, three texts


# ---- refused before they are parsed -------------------------------------------------------------


def hostile_bodies() -> dict[str, bytes]:
    """Return the shapes of which pydantic would complain for minutes, or a parser make a lot."""
    zeros, names = b"0," * 1_000_000 + b"0", b'"x",' * 500_000 + b'"x"'
    return {
        "a million zeros": b'{"documents":[' + zeros + b"]}",
        "a million positions": b'{"documents":[{"text":"a","deleted":[' + zeros + b"]}]}",
        "half a million names": b'{"documents":["a"],"target":[' + names + b"]}",
        "lists": b'{"documents":[' + b"[]," * 1_000_000 + b"[]]}",
        "objects": b'{"documents":[' + b"{}," * 1_000_000 + b"{}]}",
        "depth": b"[" * 8_000_000,
        "depth in objects": b'{"a":' * 1_000_000,
        "keys": b"{" + b",".join(b'"%d":0' % n for n in range(100_000)) + b"}",
        "the same key": b"{" + b'"documents":[],' * 500_000 + b'"documents":[]}',
        "quotes": b'":' * 4_000_000,
    }


@pytest.mark.parametrize("path", ["/api/predict", "/api/explain", "/api/search"])
def test_nothing_is_made_of_a_million_values(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(BoundedRequest, "json", never)
    for shape, body in hostile_bodies().items():
        said = check_refused(ask(app(), path, body=body), 422)
        assert said == f"the body has more than {MOST:,} values; send less", shape


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-32-le", "utf-8-sig"])
def test_other_encodings_than_utf_8_are_refused(encoding: str) -> None:
    """Values are counted by bytes of UTF-8: those of others hide them, here behind a quote."""
    good = '{"documents": ["\u2200 moon"]}'
    assert ask(app(), "/api/predict", body=good.encode()).status == 200
    check_refused(
        ask(app(), "/api/predict", body=good.encode(encoding)), 422, "the body is no JSON"
    )
    many = '{"documents":["\u2200",' + "{}," * 100_000 + "0]}"
    check_refused(ask(app(), "/api/predict", body=many.encode(encoding)), 422, "the body ")


def test_half_a_surrogate_pair_in_bytes_is_no_utf_8() -> None:
    body = b'{"documents": ["moon \xed\xa0\x80"]}'
    check_refused(ask(app(), "/api/predict", body=body), 422, "no JSON in UTF-8")


def test_no_integer_of_thousands_of_digits_is_made() -> None:
    """That takes the square of their number: 8 MB of them stop the loop for a while."""
    for digits, said in (("9" * 4_299, "numbered beyond reason"), ("9" * 100, "deleted")):
        body = '{"documents": [{"text": "moon", "deleted": [%s]}]}' % digits  # noqa: UP031
        check_refused(ask(app(), "/api/predict", body=body.encode()), 422, said)
    text = json.dumps({"documents": ["9" * 4_299]}).encode()
    assert ask(app(), "/api/predict", body=text).status == 200


def test_a_large_body_of_few_values_is_taken() -> None:
    text = "moon, [goal] {puck}: " * 40_000
    body = json.dumps({"documents": [text, 'so "it" is \\ ' * 60_000]}).encode()
    assert ask(app(), "/api/predict", body=body).status == 200
    few = create_app(Engine(made_cnn(), Limits(values=20)))
    assert ask(few, "/api/predict", {"documents": ["wa, wa"] * 8}).status == 200
    check_refused(ask(few, "/api/predict", {"documents": ["wa, wa"] * 30}), 422, "20 values")


# ---- refused before they are validated ----------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said", "fields"),
    [
        ({"documents": [0] * 50_000}, "documents must have from 1 to 64 items, not 50,000", True),
        ({"documents": []}, "documents must have from 1 to 64 items, not 0", True),
        (
            {"documents": ["a"], "target": ["a"] * 50_000},
            "target must have from 1 to 3 items, not 50,000",
            True,
        ),
        (
            {"documents": ["a", {"text": "a", "deleted": [0] * 50_000}]},
            "deleted must have at most 20,000 items, not 50,000",
            True,
        ),
        (
            {str(number): 0 for number in range(10_000)},
            "there are 10,000 fields where there can be documents, target, against, "
            "top_classes, method, phrases",
            False,
        ),
        (
            {"documents": [{str(number): 0 for number in range(10_000)}]},
            "there are 10,000 fields where there can be text, id, deleted",
            False,
        ),
    ],
)
def test_sizes_are_told_before_kinds(
    given: Any,  # noqa: ANN401 - any JSON
    said: str,
    fields: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(problems, "_invalid", lambda *_: 1 // 0)
    answer = ask(app(), "/api/explain", given)
    assert check_refused(answer, 422) == said
    assert answer.json["fields"] == ([said.split()[0]] if fields else [])


def test_complaints_are_few_whatever_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pydantic makes a report of each; so many at most are left to it."""
    counts: list[int] = []
    told = problems._invalid

    def counted(errors: Sequence[Any], known: frozenset[str]) -> Response:
        counts.append(len(errors))
        return told(errors, known)

    monkeypatch.setattr(problems, "_invalid", counted)
    bad: Any
    for bad in (
        0,
        [],
        {},
        {"text": 0, "id": 0, "deleted": ["x"] * 1_000},
        {"a": 0, "b": 0, "c": 0},
    ):
        given = {"documents": [bad] * 64, "target": [0] * 3, "against": [], "method": [0] * 9_000}
        said = check_refused(ask(app(), "/api/explain", given), 422, "documents.0")
        assert said.endswith(f" (and {said.rpartition('and ')[2].split()[0]} more)")
    assert max(counts) <= 64 * 5 + 10


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 90_000, b"9" * 5_000, b"NaN", b"null"])
def test_what_is_no_json_is_said_as_before(body: bytes) -> None:
    check_refused(ask(app(), "/api/explain", body=body, method="POST"), 422)


# ---- the schema ---------------------------------------------------------------------------------


def test_every_body_of_the_api_has_its_sizes() -> None:
    sizes = body_sizes(SCHEMA)
    with_bodies = {
        path
        for path, methods in SCHEMA["paths"].items()
        if any("requestBody" in operation for operation in methods.values())
    }
    assert (
        set(sizes)
        == with_bodies
        == {
            "/api/predict",
            "/api/explain",
            "/api/search",
            "/api/what-if",
            "/api/suspects/table",
        }
    )
    document = Sizes(keys={"text": None, "id": None, "deleted": Sizes(most=20_000)})
    assert sizes["/api/explain"] == Sizes(
        keys={
            "documents": Sizes(1, 64, document),
            "target": Sizes(1, 3),
            "against": None,
            "top_classes": None,
            "method": None,
            "phrases": None,
        }
    )
    assert sizes["/api/what-if"] == Sizes(keys={"words": Sizes(1, 1_000)})
    assert sizes["/api/search"] == Sizes(keys={"query": None, "top": None})


def test_a_list_without_a_bound_is_a_mistake_of_ours() -> None:
    schema = json.loads(json.dumps(SCHEMA))
    del schema["components"]["schemas"]["DocumentIn"]["properties"]["deleted"]["maxItems"]
    with pytest.raises(KeyError, match="maxItems"):
        body_sizes(schema)


def test_other_kinds_are_not_looked_at() -> None:
    sizes = Sizes(most=2, keys={"a": None})
    for content in (None, 5, "text" * 100, [1, 2], {"a": [1, 2, 3]}):
        sizes.check(content)
    Sizes().check([1, 2, 3])
    Sizes(most=2).check({"a": 1, "b": 2, "c": 3})
    with pytest.raises(InputError, match="x must have at most 2 items, not 3"):
        sizes.check([1, 2, 3], "x")


def test_others_are_answered_meanwhile() -> None:
    """Whatever a body is, what is done with it on the loop ends: the loop goes on."""

    async def talk() -> list[int]:
        bodies = [asked(app(), "/api/explain", body=body) for body in hostile_bodies().values()]
        good = [asked(app(), "/api/predict", {"documents": ["moon"]}) for _ in bodies]
        return [answer.status for answer in await asyncio.gather(*bodies, *good)]

    statuses = asyncio.run(talk())
    assert statuses == [422] * 10 + [200] * 10
