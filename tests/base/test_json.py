"""JSON that somebody else may have written or damaged."""

import pytest

from whyword.base.errors import InputError
from whyword.base.json import parse_json


def test_what_json_says() -> None:
    assert parse_json('{"a": [1, 2.5, null, "é"]}', "x.json") == {"a": [1, 2.5, None, "é"]}
    assert parse_json('"é"'.encode(), "x.json") == "é"


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "{",
        '{"a": 1}}',
        "[" * 200_000,
        '{"a":' * 200_000,
        "NaN",
        '{"a": -Infinity}',
        "9" * 100_000,
        b"\xff\xfe",
        b'"\xed\xa0\x80"',
    ],
    ids=range(10),
)
def test_what_is_wrong_is_said_in_one_line(damaged: str | bytes) -> None:
    with pytest.raises(InputError, match=r"^x\.json is damaged: ") as error:
        parse_json(damaged, "x.json")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300
