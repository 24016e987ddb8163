"""The explanation of one document: its lists, its displays, and what is none."""

import dataclasses
import json
from collections.abc import Callable

import numpy as np
import pytest
from networks import made_cnn

from whyword import Explanation, InputError, explain
from whyword.base.errors import MissingExtraError
from whyword.explanation.row import NAMES


def test_as_list_is_limes() -> None:
    made = explain(made_cnn(), "wa wb Wa wc", "all")
    pairs = made.as_list("class 2")
    assert {word for word, _ in pairs} == {"wa", "wb", "wc"}
    assert [abs(value) for _, value in pairs] == sorted((abs(v) for _, v in pairs), reverse=True)
    expected = float(made.relevance[0, 2]) + float(made.relevance[2, 2])
    assert dict(pairs)["wa"] == pytest.approx(expected)
    assert made.as_list() == made.as_list(made.predicted)
    with pytest.raises(InputError, match="'class 7' was not explained, only class 0, class 1"):
        made.as_list("class 7")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spans", [[0, 2], [3, 500]]),
        ("spans", [[0, 2]]),
        ("spans", "no"),
        ("spans", [[0, 2], [1, 5]]),
        ("spans", [[3, 5], [0, 2]]),
        ("spans", [[0.5, 2], [3, 5]]),
        ("words", ["wa", "other"]),
        ("target", "nosuch"),
        ("classes", ["class 1"]),
        ("padding", [0.0, 0.0]),
        ("padding", "none"),
        ("constant", [0.0]),
        ("constant", "none"),
        ("conserves", "yes"),
        ("conserves", 1),
        ("parameters", {"against": "nosuch"}),
        ("elements", [[1.0]]),
        ("phrases", ["wa wb"]),
        ("relevance", [1]),
        ("relevance", ["a", "b"]),
        ("known", [True]),
        ("truncated", "many"),
        ("scores", ["x"]),
        ("parameters", 3),
    ],
)
def test_fields_that_do_not_fit(name: str, value: object) -> None:
    fields = json.loads(explain(made_cnn(), "wa wb", "class 1").to_json())
    fields[name] = value
    with pytest.raises(InputError, match="this is no explanation"):
        Explanation.from_json(json.dumps(fields))


@pytest.mark.parametrize("path", [3, None, b"x", "a\0b", "."])
def test_what_is_no_path(path: object) -> None:
    made = explain(made_cnn(), "wa")
    with pytest.raises(InputError):
        made.to_png(path)  # type: ignore[arg-type]


def test_what_displays_cannot_show() -> None:
    made = explain(made_cnn(), "wa wb", "all")
    assert made.to_svg(targets="class 1") == made.to_svg(targets=["class 1"])
    for targets in ([], "nosuch", 5, ["class 1", "nosuch"]):
        with pytest.raises(InputError, match=r"empty list|was not explained"):
            made.to_svg(targets=targets)  # type: ignore[arg-type]
    for scale in (0, -1, "a", float("nan")):
        with pytest.raises(InputError, match="scale must be"):
            made.heatmap(scale=scale)  # type: ignore[arg-type]


@pytest.mark.parametrize("package", ["pandas", "shap"])
def test_without_the_package(package: str, uninstall: Callable[[str], None]) -> None:
    made = explain(made_cnn(), "wa")
    uninstall(package)
    with pytest.raises(MissingExtraError, match="pip install"):
        made.to_frame() if package == "pandas" else made.to_shap()


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_its_row(target: str) -> None:
    assert list(explain(made_cnn(), "wa", target).fields()) == list(NAMES)
    detailed = explain(made_cnn(), "wa", target, level="element").fields()
    assert list(detailed) == [*NAMES, "elements"]


def test_notes_say_what_biases_said() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    assert "in biases" not in made.to_text()
    total = made.padding + made.constant
    apart = dataclasses.replace(made, padding=total + 0.125, constant=-0.125)
    assert "; −0.125 in biases\n" in apart.to_text()
    placed = dataclasses.replace(apart, parameters={"positions": "apart"})
    assert "; −0.125 in biases and positions\n" in placed.to_text()
    assert "add up" not in apart.to_text()


def test_what_does_not_add_up_is_said_if_it_was_promised() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    broken = dataclasses.replace(made, constant=0.5, conserves=True)
    assert "residual -0.5" in repr(broken)
    assert "−0.5 unexplained" in broken.to_text()
    assert "NOT conserved" in broken.to_text()
    unpromised = dataclasses.replace(broken, conserves=False)
    assert "residual" not in repr(unpromised)
    assert "need not add up" in unpromised.to_text()
    assert "NOT conserved" not in unpromised.to_text()


def test_words_that_cancel_each_other_out_are_told_of() -> None:
    made = explain(made_cnn(), "wa wb", "class 1")
    assert "cancel" not in made.to_text()
    shift = np.array([300, -300], np.float32) * max(1, abs(made.score))
    wild = dataclasses.replace(made, relevance=made.relevance + shift)
    assert wild.conserved
    assert "without their signs they are 600 times the score" in wild.to_text()
    assert "cancel" not in dataclasses.replace(wild, conserves=False).to_text()  # promised nothing
    several = explain(made_cnn(), "wa wb", "all")
    shift = np.array([[900], [-900]], np.float32)
    several = dataclasses.replace(several, relevance=several.relevance + shift)
    assert "cancel" in several.to_html()


def test_a_word_for_the_target_here_and_against_it_there_is_listed_twice() -> None:
    made = explain(made_cnn(), "wa wb wa", "class 1")
    made = dataclasses.replace(made, relevance=np.array([0.4, 0.1, -0.3], np.float32))
    (panel,) = made.heatmap().panels
    assert [word for word, _ in panel.strongest] == ["wa", "wa", "wb"]
    np.testing.assert_allclose([value for _, value in panel.strongest], [0.4, -0.3, 0.1])
    assert "for     wa +0.4  wb +0.1\nagainst wa −0.3\n" in made.to_text()
    assert made.by_word()["wa"] == pytest.approx(0.1)
