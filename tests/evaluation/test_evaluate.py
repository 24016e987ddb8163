"""All instruments in one call."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, small_cnn, topical

from whyword import InputError, SVMClassifier, compare_all, deletion_curve, evaluate, explain

MODEL = small_cnn()
TEXTS, RIGHT = topical(60, seed=3)
LABELS = [RIGHT[(n + 1) % 60] if n % 5 == 0 else label for n, label in enumerate(RIGHT)]


def test_what_is_found_is_what_the_instruments_find() -> None:
    stages: list[str] = []
    found = evaluate(MODEL, TEXTS, LABELS, runs=3, splits=4, tell=stages.append)
    assert found.quality.accuracy == MODEL.score(TEXTS, LABELS)
    assert found.settings["steps"] == 8  # half of the 16 words each text has
    assert found.settings["least_words"] == 16
    assert list(found.curves) == [1, 2, 3]
    assert list(found.curves[1]) == ["lrp", "sensitivity", "random", "random_known"]
    alone = deletion_curve(
        MODEL, TEXTS, LABELS, "random_known", steps=8, least_words=16, runs=3, sufficiency=False
    )
    np.testing.assert_array_equal(found.curves[1]["random_known"].scores, alone.scores)
    assert list(found.powers) == [
        *("lrp (ew)", "lrp", "sensitivity (ew)", "sensitivity", "random", "tfidf", "uniform"),
    ]
    assert found.power_comparisons == compare_all(found.powers)
    assert found.curve_comparisons[2] == compare_all(found.curves[2])
    assert list(found.checks) == ["lrp", "sensitivity"]
    assert [check.passed for check in found.checks["lrp"]] == [True, True]
    assert [check.name for check in found.checks["lrp"]] == [
        "model randomisation (all)",
        "model randomisation (output)",
    ]
    assert found.remarks == [
        f"Word deletion {n} rests on {len(found.curves[n]['lrp'])} documents only."
        for n in (1, 2, 3)
        if len(found.curves[n]["lrp"]) < 50
    ]
    assert list(found.seconds) == stages
    assert f"accuracy {found.quality.accuracy:.4f}" in repr(found)


def test_the_same_again() -> None:
    asked: dict[str, Any] = {"methods": ["lrp", "random"], "runs": 2, "splits": 2, "seed": 5}
    first, second = (evaluate(MODEL, TEXTS, LABELS, **asked).to_dict() for _ in range(2))
    for found in (first, second):
        del found["seconds"]
    assert first == second


def test_a_bag_of_words() -> None:
    model = SVMClassifier(C=1.0).fit(*topical())
    found = evaluate(model, TEXTS, LABELS, ["lrp", "occlusion", "random"], runs=2, splits=3)
    assert list(found.powers) == ["lrp", "occlusion", "random", "tfidf", "uniform"]
    assert found.powers["lrp"].epi > found.powers["random"].epi
    assert list(found.curves[3]) == ["lrp", "occlusion", "random"]


def test_what_cannot_be_measured_is_said() -> None:
    texts = ["moon orbit", "puck goal", "key"]
    labels = MODEL.predict(texts)
    found = evaluate(MODEL, texts, labels, ["lrp"], runs=1, splits=2)
    assert list(found.curves) == [1]
    assert found.powers == {}
    assert found.remarks == [
        "All figures rest on 3 documents only.",
        "Word deletion 2 was left out: none of the 3 texts is predicted wrong and has at least 2 "
        "words.",
        "Word deletion 3 was left out: none of the 3 texts is predicted wrong and has at least 2 "
        "words.",
        "Word deletion 1 rests on 2 documents only.",
        "Explanatory power needs at least 4 documents of 2 words.",
    ]
    page = found.to_html()
    assert "It could not be measured" in page
    assert "predicted wrong and has at least" in page
    nothing = evaluate(MODEL, ["", "?"], ["space", "hockey"], ["lrp"])
    assert (nothing.curves, nothing.powers, nothing.checks) == ({}, {}, {})
    assert "It could not be measured" in nothing.to_html()
    json.loads(nothing.to_json())


def test_a_single_split_or_method_is_compared_with_nothing() -> None:
    found = evaluate(MODEL, TEXTS, LABELS, ["lrp"], splits=1)
    assert found.power_comparisons == []
    assert found.curve_comparisons == {1: [], 2: [], 3: []}
    found.to_html()


def test_many_documents_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whyword.evaluation.evaluate._POWER_DOCUMENTS", 20)
    found = evaluate(MODEL, TEXTS, LABELS, ["lrp"], splits=2)
    assert len(found.powers["lrp"].splits[0][0]) == 10
    assert "Explanatory power was measured on 20 documents, by chance." in found.remarks


def test_steps_are_the_papers_where_texts_are_long() -> None:
    long = [f"{text} " * 7 for text in TEXTS[:4]]
    found = evaluate(MODEL, [*long, *TEXTS[:12]], [*LABELS[:4], *LABELS[:12]], ["lrp"], splits=2)
    assert (found.settings["steps"], found.settings["least_words"]) == (50, 100)
    assert len(found.curves[1]["lrp"]) <= 4


def test_files(tmp_path: Path) -> None:
    found = evaluate(MODEL, TEXTS, LABELS, ["lrp", "random"], runs=2, splits=2)
    assert found.to_json(tmp_path / "r.json") == str(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data["quality"]["accuracy"] == found.quality.accuracy
    assert data["deletion"]["1"]["curves"]["lrp"]["area"] == found.curves[1]["lrp"].area
    assert data["explanatory_power"]["rows"]["lrp"]["k"] == found.powers["lrp"].k
    assert data["model"] == MODEL.identity
    found.to_html(tmp_path / "r.html", "a <b> title")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "a &lt;b&gt; title" in page
    assert page.count("<svg") == 5  # one of them of the calibration


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"methods": 5}, "methods takes names, or a dict of them, not int"),
        ({"methods": [5]}, "method takes a name or a function, not 5"),
        ({"methods": ["magic"]}, "no method 'magic'; choose from lrp"),
        ({"methods": []}, "methods is empty"),
        ({"steps": 0}, "steps must be"),
        ({"labels": ["x"] * 60}, "there is no class 'x'"),
        ({"labels": ["space"]}, "labels and texts differ in length: 1 ≠ 60"),
        ({"texts": [], "labels": []}, "there are no texts"),
        ({"model": "cnn"}, "str is no model"),
    ],
)
def test_bad_questions(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(**{"model": MODEL, "texts": TEXTS, "labels": LABELS, **asked})


def test_somebodys_model_is_refused() -> None:
    class Other:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> np.ndarray:
            return np.full((len(texts), 2), 0.5)

    with pytest.raises(InputError, match="deletion_curve takes any model"):
        evaluate(Other(), ["x"], ["a"])  # type: ignore[arg-type]


def test_labels_may_be_numbers() -> None:
    model = made_cnn()
    model.classes_ = np.array([3, 7, 9])
    found = evaluate(model, ["wa wb wc wd"] * 8, [3, 7, 9, 3] * 2, ["lrp"], splits=2)
    assert found.classes == (3, 7, 9)
    assert '"classes": [\n    3,' in found.to_json()


def test_somebodys_explainer_is_measured_like_ours() -> None:
    def same_as_lrp(model: Any, texts: list[str], targets: list[str]) -> list[Any]:  # noqa: ANN401
        return [(one.spans, one.relevance) for one in explain(model, texts, targets=targets)]

    found = evaluate(MODEL, TEXTS, LABELS, {"ours": "lrp", "mine": same_as_lrp}, splits=2)
    assert list(found.curves[1]) == ["ours", "mine"]
    for curves in found.curves.values():
        np.testing.assert_array_equal(curves["mine"].scores, curves["ours"].scores)
        assert curves["mine"].method == "mine"
    assert found.powers["mine"].epi == pytest.approx(found.powers["ours"].epi, abs=0.02)
    assert found.checks["mine"][0].agreement.correlation == pytest.approx(
        found.checks["ours"][0].agreement.correlation
    )
    assert found.settings["methods"] == ["ours", "mine"]
    assert "mine" in found.to_html()
