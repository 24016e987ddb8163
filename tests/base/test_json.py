"""JSON from outside is parsed, or refused in one line."""

import pytest

from whyword.base.errors import InputError
from whyword.base.json import parse_json


def test_values() -> None:
    assert parse_json('{"a": [1, 2.5, null, "é"]}', "x.json") == {"a": [1, 2.5, None, "é"]}
    assert parse_json('"é"'.encode(), "x.json") == "é"


DAMAGED: list[str | bytes] = ["", "{", '{"a": 1}}', "[" * 200_000, '{"a":' * 200_000, "NaN"]
DAMAGED += ['{"a": -Infinity}', "9" * 100_000, b"\xff\xfe", b'"\xed\xa0\x80"']


@pytest.mark.parametrize("damaged", DAMAGED, ids=range(10))
def test_damaged_json_is_a_one_line_error(damaged: str | bytes) -> None:
    with pytest.raises(InputError, match=r"^x\.json is damaged: ") as error:
        parse_json(damaged, "x.json")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_keys_may_have_to_be_unique() -> None:
    twice = '{"a": [{"b": 1, "c": 2, "b": 3}]}'
    assert parse_json(twice, "x.json") == {"a": [{"b": 3, "c": 2}]}
    with pytest.raises(InputError, match=r"^x\.json is damaged: it has 'b' more than once"):
        parse_json(twice, "x.json", unique_keys=True)
    assert parse_json('{"a": {"a": 1}}', "x.json", unique_keys=True) == {"a": {"a": 1}}
