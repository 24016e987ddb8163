"""All instruments in one call."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import made_cnn, small_cnn, topical

from whyword import InputError, SVMClassifier, deletion_curve, evaluate, explain
from whyword.base.progress import Progress
from whyword.evaluation import EXPERIMENTS, compare_all, model_quality

MODEL = small_cnn()
TEXTS, RIGHT = topical(60, seed=3)
LABELS = [RIGHT[(n + 1) % 60] if n % 5 == 0 else label for n, label in enumerate(RIGHT)]


def test_what_is_found_is_what_the_instruments_find() -> None:
    events: list[Progress] = []
    evaluation = evaluate(MODEL, TEXTS, LABELS, runs=3, splits=4, on_progress=events.append)
    stages = [event.stage for event in events]
    assert evaluation.quality.accuracy == MODEL.score(TEXTS, LABELS)
    assert evaluation.settings["steps"] == 8  # half of the 16 words each text has
    assert evaluation.settings["least_words"] == 16
    assert list(evaluation.curves) == [1, 2, 3]
    assert list(evaluation.curves[1]) == ["lrp", "sensitivity", "random", "random_known"]
    alone = deletion_curve(
        MODEL, TEXTS, LABELS, "random_known", steps=8, least_words=16, runs=3, sufficiency=False
    )
    np.testing.assert_array_equal(evaluation.curves[1]["random_known"].scores, alone.scores)
    assert list(evaluation.powers) == [
        *("lrp (ew)", "lrp", "sensitivity (ew)", "sensitivity", "random", "tfidf", "uniform"),
    ]
    assert evaluation.power_comparisons == compare_all(evaluation.powers)
    assert evaluation.curve_comparisons[2] == compare_all(evaluation.curves[2])
    assert list(evaluation.checks) == ["lrp", "sensitivity"]
    assert [check.passed for check in evaluation.checks["lrp"]] == [True, True]
    assert [check.name for check in evaluation.checks["lrp"]] == [
        "model randomisation (all)",
        "model randomisation (output)",
    ]
    assert evaluation.remarks == [
        f"Word deletion {n} rests on {len(evaluation.curves[n]['lrp'])} documents only."
        for n in (1, 2, 3)
        if len(evaluation.curves[n]["lrp"]) < 50
    ]
    assert list(evaluation.seconds) == stages
    assert f"accuracy {evaluation.quality.accuracy:.4f}" in repr(evaluation)


def test_one_class_has_no_explanatory_power() -> None:
    texts = [text for text, label in zip(TEXTS, RIGHT, strict=True) if label == "space"]
    evaluation = evaluate(MODEL, texts, ["space"] * len(texts), ["lrp"], runs=1, splits=2)
    assert evaluation.powers == {}
    assert any("needs documents of at least two classes" in one for one in evaluation.remarks)


def test_the_same_again() -> None:
    asked: dict[str, Any] = {"methods": ["lrp", "random"], "runs": 2, "splits": 2, "seed": 5}
    first, second = (evaluate(MODEL, TEXTS, LABELS, **asked).to_dict() for _ in range(2))
    for data in (first, second):
        del data["seconds"]
    assert first == second


def test_a_bag_of_words() -> None:
    model = SVMClassifier(C=1.0).fit(*topical())
    evaluation = evaluate(model, TEXTS, LABELS, ["lrp", "occlusion", "random"], runs=2, splits=3)
    assert list(evaluation.powers) == ["lrp", "occlusion", "random", "tfidf", "uniform"]
    assert evaluation.powers["lrp"].epi > evaluation.powers["random"].epi
    assert list(evaluation.curves[3]) == ["lrp", "occlusion", "random"]


def test_what_cannot_be_measured_is_said() -> None:
    texts = ["moon orbit", "puck goal", "key"]
    labels = MODEL.predict(texts)
    evaluation = evaluate(MODEL, texts, labels, ["lrp"], runs=1, splits=2)
    assert list(evaluation.curves) == [1]
    assert evaluation.powers == {}
    assert evaluation.remarks == [
        "All figures rest on 3 documents only.",
        "Word deletion 2 was left out: none of the 3 texts is predicted wrong and has at least 2 "
        "words.",
        "Word deletion 3 was left out: none of the 3 texts is predicted wrong and has at least 2 "
        "words.",
        "Word deletion 1 rests on 2 documents only.",
        "Explanatory power needs at least 4 documents of 2 words.",
    ]
    page = evaluation.to_html()
    assert "It could not be measured" in page
    assert "predicted wrong and has at least" in page
    nothing = evaluate(MODEL, ["", "?"], ["space", "hockey"], ["lrp"])
    assert (nothing.curves, nothing.powers, nothing.checks) == ({}, {}, {})
    assert "It could not be measured" in nothing.to_html()
    json.loads(nothing.to_json())


def test_a_single_split_or_method_is_compared_with_nothing() -> None:
    evaluation = evaluate(MODEL, TEXTS, LABELS, ["lrp"], splits=1)
    assert evaluation.power_comparisons == []
    assert evaluation.curve_comparisons == {1: [], 2: [], 3: []}
    evaluation.to_html()


def test_many_documents_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["whyword.evaluation.evaluate"], "_POWER_DOCUMENTS", 20)
    evaluation = evaluate(MODEL, TEXTS, LABELS, ["lrp"], splits=2)
    assert len(evaluation.powers["lrp"].splits[0][0]) == 10
    assert "Explanatory power was measured on 20 documents, by chance." in evaluation.remarks


def test_steps_are_the_papers_where_texts_are_long() -> None:
    long = [f"{text} " * 7 for text in TEXTS[:4]]
    evaluation = evaluate(
        MODEL, [*long, *TEXTS[:12]], [*LABELS[:4], *LABELS[:12]], ["lrp"], splits=2
    )
    assert (evaluation.settings["steps"], evaluation.settings["least_words"]) == (50, 100)
    assert len(evaluation.curves[1]["lrp"]) <= 4


def test_chosen_steps() -> None:
    """The same documents as up to the last of them, the points at their places."""
    asked = {"methods": ["lrp", "random"], "runs": 2, "splits": 2}
    dense = evaluate(MODEL, TEXTS, LABELS, steps=6, **asked)  # type: ignore[arg-type]
    sparse = evaluate(MODEL, TEXTS, LABELS, steps=(1, 3, 6), **asked)  # type: ignore[arg-type]
    assert sparse.settings["steps"] == [0, 1, 3, 6]
    assert sparse.settings["least_words"] == dense.settings["least_words"] == 12
    curve = sparse.curves[1]["random"]
    np.testing.assert_array_equal(curve.accuracy, dense.curves[1]["random"].accuracy[[0, 1, 3, 6]])
    data = json.loads(sparse.to_json())
    assert data["settings"]["steps"] == data["deletion"]["1"]["curves"]["lrp"]["steps"]
    page = sparse.to_html()
    assert "steps 0, 1, 3, 6; least words 12" in page
    line = re.search(r'points="([\d., ]+)"', page[page.index(">words deleted<") :])
    assert line is not None
    places = [float(point.split(",")[0]) for point in line[1].split()]
    shares = (np.array(places) - places[0]) / (places[-1] - places[0])
    np.testing.assert_allclose(shares, np.array([0, 1, 3, 6]) / 6, atol=1e-3)


def test_files(tmp_path: Path) -> None:
    evaluation = evaluate(MODEL, TEXTS, LABELS, ["lrp", "random"], runs=2, splits=2)
    assert evaluation.to_json(tmp_path / "r.json") == str(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data["quality"]["accuracy"] == evaluation.quality.accuracy
    assert data["deletion"]["1"]["curves"]["lrp"]["area"] == evaluation.curves[1]["lrp"].area
    assert data["explanatory_power"]["rows"]["lrp"]["k"] == evaluation.powers["lrp"].k
    assert data["model"] == MODEL.identity
    evaluation.to_html(tmp_path / "r.html", "a <b> title")
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


def test_somebodys_model_is_judged_as_far_as_it_lets_us() -> None:
    labels = ["hockey", *LABELS[1:]]
    labels[1] = "space"
    evaluation = evaluate(Keywords(), TEXTS, labels, splits=2)
    assert (evaluation.model, evaluation.kind) == (None, "Keywords")
    assert evaluation.classes == ("space", "hockey", "crypto")
    assert evaluation.quality.accuracy == model_quality(Keywords(), TEXTS, labels).accuracy
    assert evaluation.settings["methods"] == ["occlusion", "random", "random_known"]
    for number, curves in evaluation.curves.items():
        assert list(curves) == ["occlusion", "random", "random_known"]
        alone = deletion_curve(
            Keywords(),
            TEXTS,
            labels,
            "occlusion",
            steps=evaluation.settings["steps"],
            least_words=evaluation.settings["least_words"],
            **EXPERIMENTS[number],
        )
        np.testing.assert_array_equal(curves["occlusion"].scores, alone.scores)
    assert list(evaluation.curves) == [1, 2, 3]
    assert evaluation.curves[1]["occlusion"].area < evaluation.curves[1]["random_known"].area
    assert all(evaluation.curve_comparisons.values())
    assert (evaluation.powers, evaluation.power_comparisons, evaluation.checks) == ({}, [], {})
    assert evaluation.remarks[-2:] == [
        "Explanatory power needs documents with vectors: it was left out.",
        "Sanity checks need weights to shuffle: they were left out.",
    ]
    assert json.loads(evaluation.to_json())["model"] is None
    assert "it was left out" in evaluation.to_html()


def test_somebodys_model_that_learned_nothing() -> None:
    class Other:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> np.ndarray:
            return np.full((len(texts), 2), 0.5)

    evaluation = evaluate(Other(), ["x y"], ["a"])
    assert evaluation.quality.accuracy == 1
    assert list(evaluation.curves) == [1]
    assert evaluate(Other(), ["x"], ["a"]).curves == {}  # of two words at least
    with pytest.raises(InputError, match="'lrp' needs a model that is decomposable"):
        evaluate(Other(), ["x"], ["a"], ["lrp"])


def test_labels_may_be_numbers() -> None:
    model = made_cnn()
    model.classes_ = np.array([3, 7, 9])
    evaluation = evaluate(model, ["wa wb wc wd"] * 8, [3, 7, 9, 3] * 2, ["lrp"], splits=2)
    assert evaluation.classes == (3, 7, 9)
    assert '"classes": [\n    3,' in evaluation.to_json()


def test_somebodys_explainer_is_measured_like_ours() -> None:
    def same_as_lrp(model: Any, texts: list[str], targets: list[str]) -> list[Any]:  # noqa: ANN401
        return [(one.spans, one.relevance) for one in explain(model, texts, targets=targets)]

    evaluation = evaluate(MODEL, TEXTS, LABELS, {"ours": "lrp", "mine": same_as_lrp}, splits=2)
    assert list(evaluation.curves[1]) == ["ours", "mine"]
    for curves in evaluation.curves.values():
        np.testing.assert_array_equal(curves["mine"].scores, curves["ours"].scores)
        assert curves["mine"].method == "mine"
    assert evaluation.powers["mine"].epi == pytest.approx(evaluation.powers["ours"].epi, abs=0.02)
    assert evaluation.checks["mine"][0].agreement.correlation == pytest.approx(
        evaluation.checks["ours"][0].agreement.correlation
    )
    assert evaluation.settings["methods"] == ["ours", "mine"]
    assert "mine" in evaluation.to_html()
