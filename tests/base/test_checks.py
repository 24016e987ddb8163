"""Arguments of users are checked; each error names the argument and the value."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whyword import InputError
from whyword.base.checks import (
    check_callable,
    check_installed,
    existing_file,
    exists,
    expand_path,
    file_name,
    flag,
    items,
    join_names,
    names_meant,
    one_of,
    real_number,
    share,
    strings,
    whole_number,
)
from whyword.base.errors import MissingExtraError
from whyword.base.labels import check_storable, label_text

Check = Callable[[str, Any], object]
NAN, INFINITY = float("nan"), float("inf")


def test_good_values() -> None:
    assert whole_number("x", np.int64(3)) == 3
    assert whole_number("x", 2**31 - 1) == 2**31 - 1
    assert (share("x", 0), real_number("x", np.float32(0.5)), real_number("x", 0)) == (0, 0.5, 0)
    flags = [flag("x", value) for value in (True, np.False_, np.int64(1), 0)]
    assert flags == [True, False, True, False]
    assert one_of("x", "most", ("most", "least")) == "most"
    assert strings("x", iter("ab")) == list(items("x", iter("ab"))) == ["a", "b"]


@pytest.mark.parametrize(
    ("check", "wrong", "said"),
    [
        (
            whole_number,
            [0, -1, 2.0, "3", None, True, 2**31],
            "a whole number from 1 to 2,147,483,647, not",
        ),
        (share, [1, -0.1, "0.5", None, False, NAN], "a share, at least 0 and below 1, not"),
        (real_number, ["1", None, True, INFINITY, NAN, 10**400], "a number, not"),
        (real_number, [-1], "at least 0, not -1"),
        (lambda name, value: real_number(name, value, above=0), [0, -1], "above 0, not"),
        (flag, [None, 2, np.int64(2), "no", np.array([1, 2]), NAN], "True or False, not"),
        (check_callable, [3], "a function, not 3"),
        (strings, ["ab"], "a list of strings, not one string"),
        (strings, [5, None], "a list of strings, not"),
    ],
)
def test_wrong_values(check: Check, wrong: list[object], said: str) -> None:
    for value in wrong:
        with pytest.raises(InputError) as caught:
            check("x", value)
        assert str(caught.value).startswith(f"x must be {said}")
        assert caught.value.arguments == ["x"]


def test_other_messages() -> None:
    check_callable("x", print)
    check_callable("x", None)
    for value in ("first", None, 3, ["most"]):
        with pytest.raises(InputError, match="order may be 'most' or 'least', not"):
            one_of("order", value, ("most", "least"))
    with pytest.raises(InputError, match="x: item 1 must be a str, not int: 5"):
        strings("x", ["a", 5])  # type: ignore[list-item]
    for wrong in ("ab", b"ab", {"a": 1}, 3, np.array(3)):
        with pytest.raises(InputError, match="ids takes a list, not"):
            items("ids", wrong)


def test_paths(tmp_path: Path) -> None:
    assert expand_path("~nobody-has-this-name/x") == Path("~nobody-has-this-name/x")
    assert expand_path("~") == Path.home()
    long = Path("x" * 10_000)
    for path, said in (("", "empty name"), ("a\0", "no file's name"), ("\ud800", "be encoded")):
        with pytest.raises(InputError, match=said):
            expand_path(path)
    for file, said in (
        (tmp_path, "not a regular file"),
        (tmp_path / "none", "no such file"),
        (long, "File name too long"),
    ):
        with pytest.raises(InputError, match=said):
            existing_file(file)
    assert not exists(long)
    assert file_name(Path("two\nlines")) == "two·lines"
    assert len(file_name(long)) == 301


def test_packages_that_are_missing() -> None:
    check_installed("report", "numpy", "json")
    message = r"nowhere is not .* pip install 'whyword\[report\]'"
    with pytest.raises(MissingExtraError, match=message):
        check_installed("report", "numpy", "nowhere")


def test_names_in_messages() -> None:
    assert join_names(["a", "b"]) == "a, b"
    assert join_names([str(n) for n in range(5000)], most=2) == "0, 1, … (5,000 in all)"
    names = ["encoder.layer.1", "encoder.layer.2", "head"]
    assert names_meant("encoder.layer.9", names).startswith("did you mean encoder.layer.")
    assert names_meant("LAYER", names) == "did you mean encoder.layer.1 or encoder.layer.2?"
    assert names_meant("", names) == "there are encoder.layer.1, encoder.layer.2, head"
    assert names_meant("zz", [f"n{i}" for i in range(50)]).endswith("… (50 in all)")


def test_labels() -> None:
    texts = [label_text(one) for one in ("a", 1, ("a", "b"), ["a"], ())]
    assert texts == ["a", "1", "a, b", "a", "no label"]
    check_storable(["é", 3, "a"])
    with pytest.raises(InputError, match="label 1 holds half a surrogate pair"):
        check_storable(["a", "b\ud800"])
