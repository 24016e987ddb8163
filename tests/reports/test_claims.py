"""Statements are computed: turn the numbers round, and they turn."""

import json
from typing import Any

import pytest

from whyword.reports import paper
from whyword.reports.claims import claims


def made_results(good: bool) -> dict[str, Any]:
    sign = 1 if good else -1

    def curves(areas: dict[str, float]) -> dict[str, Any]:
        made = {name: {"area": 0.5 + sign * area} for name, area in areas.items()}
        made["random"]["largest_deviation"] = 0.01 if good else 0.02
        made["random_known"] = {
            "area": made["random"]["area"] + (0 if good else 0.1),
            "largest_deviation": 0.01,
        }
        return {"curves": made}

    def experiments(name: str) -> dict[str, Any]:
        wide = 0 if name == "CNN1" else 0.05
        return {
            "1": curves({"lrp": -0.3 - wide, "sensitivity": -0.1 - wide, "random": 0.2}),
            "2": curves({"lrp": 0.3, "sensitivity": -0.1, "random": 0.1}),
            "3": curves({"lrp": 0.3, "sensitivity": 0.1, "random": -0.1}),
        }

    worth = {
        "LRP (ew)": 0.3,
        "LRP": 0.2,
        "SA (ew)": 0.1,
        "SA": 0.05,
        "TFIDF": -0.1,
        "uniform": -0.2,
    }
    network = {"CNN1": 0.01, "CNN2": 0.02, "CNN3": 0.01}
    return {
        "quality": {n: {"accuracy": (p + sign) / 100} for n, p in paper.ACCURACY.items()},
        "heatmaps": {"CNN2": heatmap("CNN2", good), "SVM": heatmap("SVM", good)},
        "planes": {
            row.name: {"neighbours_of_own_group": 0.5 + sign * worth[row.weighting]}
            for row in paper.POWERS
            if row.model in ("CNN2", "SVM")
        },
        "deletion": {name: experiments(name) for name in paper.FILTERS},
        "powers": {
            row.name: {"epi": value, "curve": [value, value + 0.01]}
            for row in paper.POWERS
            for value in (0.5 + sign * (worth[row.weighting] + network.get(row.vectors, 0)),)
        },
        "words": {
            name: {label: [["w", 1.0, not good or name == "SVM"]] for label in paper.WORD_CLASSES}
            for name in ("CNN2", "SVM", paper.PRETRAINED)
        },
    }


def heatmap(model: str, good: bool) -> dict[str, str]:
    """Two columns, sci.space and sci.med: CNN2's few words for it, the SVM's many against it."""
    sparse = good == (model == "CNN2")
    rest = 0.001 if sparse else 1.0
    medical = 1.0 if sparse else -1.0
    words = [paper.UNSEEN_WORD.title(), *paper.MEDICAL_WORDS, *("the" for _ in range(20))]
    values = [[1.0 if sparse else 0.0, 0.0], *([0.0, medical] for _ in range(3))]
    values += [[rest, rest]] * 20
    return {
        "explanation": json.dumps(
            {"words": words, "relevance": values, "target": list(paper.EXAMPLE_TARGETS)}
        )
    }


@pytest.mark.parametrize("good", [True, False])
def test_they_follow_the_numbers(good: bool) -> None:
    judged = claims(made_results(good), {})
    assert len(judged) == 4 + 4 + 2 + 2 + 9 + 2 + 2 + 6 + 3 + 4
    assert {claim.holds for claim in judged} == {good}


def test_the_figures_are_shown() -> None:
    first = claims(made_results(True), {})[0]
    assert first.text == "SVM reaches 80.10 % on the test posts"
    assert first.figures == "81.10 %, +1.00"
