"""Bodies that hold too much are refused by their size, before anything is made of their content."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import made_cnn
from served import app, ask, asked, check_refused

from whyword.base.errors import InputError
from whyword.web.app import create_app
from whyword.web.bodies import BoundedRequest, Sizes, body_sizes, count_values
from whyword.web.engine import Engine
from whyword.web.limits import Limits

MOST = Limits().values
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


@settings(max_examples=40)
@given(VALUES, st.integers(0, 30), st.binary(max_size=8))
def test_no_value_is_left_out_of_the_count(content: object, enough: int, end: bytes) -> None:
    """Also if the end is wrong: a parser makes values of the beginning before it finds that."""
    body = json.dumps(content).encode()
    assert count_values(body, enough) >= min(values_in(content), enough + 1)
    broken = json.dumps([content, content]).encode()[:-1]
    assert count_values(broken + b"\\" + end, 0) >= min(values_in(content), 1)
    assert count_values(broken + b',"' + end, 1) > 1


def test_counts() -> None:
    assert count_values(b'[0, 0,"""', 1) > 1  # a quote without its other
    text = r"a, b: [c] {d} \" \\ \\\" e, " * 10
    body = f'{{"documents": ["{text}", "\\\\", "{text}"]}}'.encode()
    assert count_values(body, 8) == 6  # the object, its key, the list, three texts


# ---- refused before they are parsed -------------------------------------------------------------


def hostile_bodies() -> dict[str, bytes]:
    """Return the shapes of which pydantic would complain for minutes, or a parser make a lot."""
    zeros, names = b"0," * 300_000 + b"0", b'"x",' * 150_000 + b'"x"'
    return {
        "zeros": b'{"documents":[' + zeros + b"]}",
        "positions": b'{"documents":[{"text":"a","deleted":[' + zeros + b"]}]}",
        "names": b'{"documents":["a"],"target":[' + names + b"]}",
        "lists": b'{"documents":[' + b"[]," * 300_000 + b"[]]}",
        "objects": b'{"documents":[' + b"{}," * 300_000 + b"{}]}",
        "depth": b"[" * 8_000_000,
        "depth in objects": b'{"a":' * 300_000,
        "keys": b"{" + b",".join(b'"%d":0' % n for n in range(100_000)) + b"}",
        "the same key": b"{" + b'"documents":[],' * 150_000 + b'"documents":[]}',
        "quotes": b'":' * 1_000_000,
    }


def test_nothing_is_made_of_a_million_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """And others are answered meanwhile: the loop goes on."""

    async def talk() -> list[int]:
        good = [asked(app(), "/api/predict", {"documents": ["moon"]}) for _ in range(3)]
        return [answer.status for answer in await asyncio.gather(*bodies, *good)]

    bodies = [asked(app(), "/api/explain", body=body) for body in hostile_bodies().values()]
    assert asyncio.run(talk()) == [422] * 10 + [200] * 3

    def never(*_: object, **__: object) -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(BoundedRequest, "json", never)
    for shape, body in hostile_bodies().items():
        said = check_refused(ask(app(), "/api/search", body=body), 422)
        assert said == f"the body has more than {MOST:,} values; send less", shape


def test_other_encodings_than_utf_8_are_refused() -> None:
    """Values are counted by bytes of UTF-8: those of others hide them, here behind a quote."""
    good = '{"documents": ["\u2200 moon"]}'
    many = '{"documents":["\u2200",' + "{}," * 100_000 + "0]}"
    assert ask(app(), "/api/predict", body=good.encode()).status == 200
    for encoding in ("utf-16-le", "utf-16-be", "utf-16", "utf-32-le", "utf-8-sig"):
        for body, said in ((good, "the body is no JSON"), (many, "the body ")):
            check_refused(ask(app(), "/api/predict", body=body.encode(encoding)), 422, said)
    half = b'{"documents": ["moon \xed\xa0\x80"]}'  # of a surrogate pair
    check_refused(ask(app(), "/api/predict", body=half), 422, "no JSON in UTF-8")


def test_no_integer_of_thousands_of_digits_is_made() -> None:
    """That takes the square of their number: 8 MB of them stop the loop for a while."""
    for digits, said in (("9" * 4_299, "numbered beyond reason"), ("9" * 100, "deleted")):
        body = '{"documents": [{"text": "moon", "deleted": [%s]}]}' % digits  # noqa: UP031
        check_refused(ask(app(), "/api/predict", body=body.encode()), 422, said)
    assert ask(app(), "/api/predict", {"documents": ["9" * 4_299]}).status == 200


def test_a_large_body_of_few_values_is_taken() -> None:
    documents = ["moon, [goal] {puck}: " * 10_000, 'so "it" is \\ ' * 10_000]
    assert ask(app(), "/api/predict", {"documents": documents}).status == 200
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
def test_sizes_are_told_before_types(
    given: Any,  # noqa: ANN401 - any JSON
    said: str,
    fields: bool,
) -> None:
    answer = ask(app(), "/api/explain", given)
    assert check_refused(answer, 422) == said
    assert answer.json["fields"] == ([said.split()[0]] if fields else [])


# ---- the schema ---------------------------------------------------------------------------------


def test_every_body_of_the_api_has_its_sizes() -> None:
    schema = ask(app(), "/api/openapi.json").json
    sizes = body_sizes(schema)
    assert set(sizes) == {
        path
        for path, methods in schema["paths"].items()
        if any("requestBody" in operation for operation in methods.values())
    }
    document = Sizes(keys={"text": None, "id": None, "deleted": Sizes(most=20_000)})
    others = dict.fromkeys(("against", "top_classes", "method", "phrases"))
    assert sizes["/api/explain"] == Sizes(
        keys={"documents": Sizes(1, 64, document), "target": Sizes(1, 3), **others}
    )
    assert sizes["/api/what-if"] == Sizes(keys={"words": Sizes(1, 1_000)})
    assert sizes["/api/search"] == Sizes(keys={"query": None, "top": None})
    del schema["components"]["schemas"]["DocumentIn"]["properties"]["deleted"]["maxItems"]
    with pytest.raises(KeyError, match="maxItems"):  # a list without a bound is our mistake
        body_sizes(schema)


def test_other_types_are_not_measured() -> None:
    sizes = Sizes(most=2, keys={"a": None})
    for content in (None, 5, "text" * 100, [1, 2], {"a": [1, 2, 3]}):
        sizes.check(content)
    Sizes().check([1, 2, 3])
    Sizes(most=2).check({"a": 1, "b": 2, "c": 3})
    with pytest.raises(InputError, match="x must have at most 2 items, not 3"):
        sizes.check([1, 2, 3], "x")
