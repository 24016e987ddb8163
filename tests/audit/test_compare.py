"""Models side by side, in one call."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compared import FEW, LABELS, TEXTS, compared, models
from keywords import Keywords
from networks import small_cnn, topical
from toys import TopicsClassifier, several_topics

import whyword as ww
from whyword import InputError, compare_models
from whyword.audit.compare import chosen_documents, common_classes, named_models
from whyword.base.progress import Progress

pytestmark = pytest.mark.slow(reason="compares models")


def test_the_same_again_with_stages() -> None:
    events: list[Progress] = []
    again = compare_models(
        models(), TEXTS, LABELS, source="topics", on_progress=events.append, **FEW
    )
    assert [event.number for event in events] == list(range(1, 16))
    assert {event.total for event in events} == {15}
    assert list(again.seconds) == [event.stage for event in events]
    first, second = compared().to_dict(), again.to_dict()
    for data in (first, second):
        del data["seconds"]
        data["findings"] = [one for one in data["findings"] if "fastest" not in one]
        for row in data["models"]:
            del row["seconds_prediction"], row["seconds_explanation"]
    assert first == second


def test_files(tmp_path: Path) -> None:
    found = compared()
    assert found.to_json(tmp_path / "c.json") == str(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["findings"] == found.findings
    assert found.to_html(tmp_path / "c.html", "a title") == str(tmp_path / "c.html")
    assert "<title>a title</title>" in (tmp_path / "c.html").read_text()


def test_samples_are_by_chance_and_said() -> None:
    both = [small_cnn(), small_cnn(seed=1)]
    few = compare_models(
        both, TEXTS, LABELS, deletion_documents=9, power_documents=20, steps=2, **FEW
    )
    assert "Words were deleted from, and compared in 9 of the 60 documents." in few.remarks
    assert "Explanatory power was measured on 20 of the 60 documents." in few.remarks
    row = few.models["cnn (2)"]
    assert sum(len(row.curves[number]["lrp"]) for number in (1, 2)) == 9
    assert row.power is not None
    assert sum(map(len, row.power.splits[0])) == 20


def test_documents_are_those_in_which_every_model_finds_words() -> None:
    lengths = np.array([0, 1, 2, 8, 9])
    assert chosen_documents(lengths, 8, 10, 10, 0) == ([3, 4], True, [2, 3, 4])
    assert chosen_documents(lengths, 8, 1, 2, 0)[0] in ([3], [4])
    assert chosen_documents(lengths, 99, 10, 10, 0)[:2] == ([2, 3, 4], False)
    assert chosen_documents(lengths[:2], 99, 10, 10, 0) == ([0, 1], False, [])
    one, other = small_cnn(), ww.SVMClassifier(C=1.0, max_words=3).fit(*topical(9))
    found = compare_models({"a": one, "b": other}, TEXTS[:9], LABELS[:9], steps=2, **FEW)
    for row in found.models.values():  # the other reads three words
        assert row.curves == {}
        assert row.lacks["word deletion"] == (
            "in none of the texts every model finds at least 4 words"
        )
    assert found.pairs[0].words is not None


def test_few_and_empty_texts() -> None:
    found = compare_models([small_cnn(), Keywords()], ["", "?"], ["space", "hockey"], runs=1)
    assert found.remarks[0] == "All figures rest on 2 documents only."
    assert found.pairs[0].words is None
    assert found.models["cnn"].curves == {}
    json.loads(found.to_json())
    assert "It could not be measured" in found.to_html()


def test_classes_may_be_told_by_their_text() -> None:
    texts = ["a b c d"] * 4 + ["e f g h"] * 4

    def one(several: list[str]) -> list[list[float]]:
        return [[0.9, 0.1] if "a" in text else [0.1, 0.9] for text in several]

    numbers, names = ww.BlackBox(one, [0, 1]), ww.BlackBox(one, ["0", "1"])
    found = compare_models({"a": numbers, "b": names}, texts, [0] * 4 + [1] * 4, runs=1)
    assert found.classes == (0, 1)
    assert [row.quality.accuracy for row in found.models.values()] == [1, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": [small_cnn()]}, "models: at least two are compared, not 1"),
        ({"models": small_cnn()}, "models takes a dict from names to models, or a list of models"),
        ({"models": {1: small_cnn()}}, "models: a name is a str, not 1"),
        ({"texts": []}, "differ in length|labels"),
        ({"labels": ["sea"] * 60}, "there is no class 'sea'"),
        ({"method": "lime"}, "there is no method 'lime'"),
        ({"power_documents": 3}, "power_documents must be a whole number"),
        ({"deletion_documents": 0}, "deletion_documents must be a whole number"),
        ({"alpha": 1}, "alpha must be below 1"),
        ({"source": 3}, "source must be a str"),
        ({"ids": ["a"]}, "ids and texts differ in length|ids"),
    ],
)
def test_bad_questions(changes: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"models": models(), "texts": TEXTS, "labels": LABELS} | changes
    with pytest.raises(InputError, match=message):
        compare_models(**asked)


def test_a_method_that_is_for_none() -> None:
    with pytest.raises(InputError, match="'sensitivity' needs a model that is differentiable"):
        compare_models([Keywords(), Keywords()], TEXTS, LABELS, method="sensitivity")
    with pytest.raises(InputError, match="no texts to compare models on"):
        compare_models(models(), [], [])


def test_other_classes() -> None:
    def box(*labels: str) -> Any:  # noqa: ANN401
        return ww.BlackBox(len, list(labels))

    with pytest.raises(InputError) as raised:
        common_classes(named_models({"a": box("x", "y"), "b": box("y", "z", "u", "v", "w")}))
    assert str(raised.value) == (
        "the models have different classes: 'a' has 'x', which 'b' has not"
    )
    with pytest.raises(InputError) as raised:
        common_classes(named_models({"a": box("x", "y"), "b": box("x", "y", "z", "u", "v", "w")}))
    assert str(raised.value) == (
        "the models have different classes: 'b' has 'u', 'v', 'w' and 1 more, which 'a' has not"
    )
    labels = TopicsClassifier().fit(*several_topics(12))
    with pytest.raises(InputError, match=r"'b' predicts several labels, and 'a' one class of each"):
        common_classes(named_models({"a": box(*labels.classes_), "b": labels}))
    with pytest.raises(InputError, match=r"'a' predicts several labels, and 'b' one class of each"):
        common_classes(named_models({"a": labels, "b": box(*labels.classes_)}))


def test_names() -> None:
    assert list(named_models([small_cnn(), small_cnn(), Keywords()])) == [
        *("cnn", "cnn (2)", "Keywords"),
    ]
    odd = named_models({"a\udc80": Keywords(), "b": Keywords()})
    assert list(odd) == ["a\\x80", "b"]
