from pathlib import Path

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


def test_whole_numbers() -> None:
    assert whole_number("n", np.int64(3)) == 3
    for wrong in (0, -1, 2.0, "3", None, True, 2**31):
        with pytest.raises(InputError, match="n must be a whole number from 1 to 2,147,483,647"):
            whole_number("n", wrong)


def test_shares() -> None:
    assert share("s", 0) == 0.0
    for wrong in (1, -0.1, "0.5", None, False, float("nan")):
        with pytest.raises(InputError, match="s must be a share"):
            share("s", wrong)


def test_real_numbers() -> None:
    assert real_number("x", np.float32(0.5)) == 0.5
    assert real_number("x", 0) == 0.0
    for wrong in ("1", None, True, float("inf"), float("nan")):
        with pytest.raises(InputError, match="x must be a number"):
            real_number("x", wrong)
    with pytest.raises(InputError, match="x must be at least 0"):
        real_number("x", -1)
    with pytest.raises(InputError, match="x must be above 0"):
        real_number("x", 0, above=0)


def test_choices() -> None:
    assert one_of("order", "most", ("most", "least")) == "most"
    for value in ("first", None, 3, ["most"]):
        with pytest.raises(InputError, match="order may be 'most' or 'least', not") as caught:
            one_of("order", value, ("most", "least"))
        assert caught.value.arguments == ["order"]


def test_strings() -> None:
    assert strings("x", (w for w in "ab")) == ["a", "b"]
    for wrong in ("ab", 5, ["a", 5], None):
        with pytest.raises(InputError, match="x"):
            strings("x", wrong)  # type: ignore[arg-type]


def test_paths(tmp_path: Path) -> None:
    assert expand_path("~nobody-has-this-name/x") == Path("~nobody-has-this-name/x")
    assert expand_path("~") == Path.home()
    with pytest.raises(InputError, match="empty name"):
        expand_path("")
    with pytest.raises(InputError, match="not a regular file"):
        existing_file(tmp_path)


def test_long_lists_are_cut_short() -> None:
    assert join_names(["a", "b"]) == "a, b"
    assert join_names([str(n) for n in range(5000)], most=2) == "0, 1, … (5,000 in all)"


def test_what_is_missing_is_named_before_the_work() -> None:
    check_installed("report", "numpy", "json")
    with pytest.raises(
        MissingExtraError, match=r"nowhere is not .* pip install 'whyword\[report\]'"
    ):
        check_installed("report", "numpy", "nowhere")


def test_true_or_false() -> None:
    assert [flag("strict", value) for value in (True, np.False_, np.int64(1), 0)] == [
        True,
        False,
        True,
        False,
    ]
    for value in (None, 2, np.int64(2), "no", np.array([1, 2]), float("nan")):
        with pytest.raises(InputError, match="strict must be True or False"):
            flag("strict", value)


def test_items_are_read_when_they_are_asked_for() -> None:
    assert list(items("ids", iter("ab"))) == ["a", "b"]
    for value in ("ab", b"ab", {"a": 1}, 3, np.array(3)):
        with pytest.raises(InputError, match="ids takes a list, not"):
            items("ids", value)


def test_names_that_no_file_can_have() -> None:
    assert not exists(Path("x" * 10_000))
    with pytest.raises(InputError, match="File name too long"):
        existing_file(Path("x" * 10_000))
    with pytest.raises(InputError, match="cannot be encoded"):
        expand_path("\ud800")
    assert file_name(Path("two\nlines")) == "two·lines"
    assert len(file_name(Path("x" * 10_000))) == 301


def test_only_functions_are_called() -> None:
    check_callable("on_progress", print)
    check_callable("on_progress", None)
    with pytest.raises(InputError, match="on_progress must be a function, not 3"):
        check_callable("on_progress", 3)


def test_names_that_may_be_meant() -> None:
    names = ["encoder.layer.1", "encoder.layer.2", "head"]
    assert names_meant("encoder.layer.9", names).startswith("did you mean encoder.layer.")
    assert names_meant("LAYER", names) == "did you mean encoder.layer.1 or encoder.layer.2?"
    assert names_meant("", names) == "there are encoder.layer.1, encoder.layer.2, head"
    assert names_meant("zz", [f"n{i}" for i in range(50)]).endswith("… (50 in all)")
