"""The paper's study, tiny: the same twice and after being killed, its figures, files and claims."""

import csv
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from networks import TINY

from whyword import InputError, Vectors
from whyword.base.files import exclusive_folder
from whyword.base.progress import Progress
from whyword.pages.charts import ScatterChart
from whyword.reports import paper
from whyword.reports.claims import claims
from whyword.reports.figures import (
    deletion_chart,
    deletion_figure,
    neighbour_chart,
    neighbour_figure,
    plane_figure,
    slug,
    word_figure,
)
from whyword.reports.files import write_reproduction
from whyword.reports.page import reproduction_page, words_of_all_classes
from whyword.reports.plan import QUICK, Plan
from whyword.reports.reproduction import Reproduction, reproduce


def figures(results: dict[str, Any]) -> str:
    """Return results without the times, which differ."""
    kept = {name: value for name, value in results.items() if name not in ("about", "models")}
    return json.dumps(kept, sort_keys=True)


@pytest.mark.real
@pytest.mark.slow(reason="runs the study")
def test_everything_is_computed_and_once(tiny: Reproduction, tiny_stages: Path) -> None:
    results = tiny.results
    assert list(results["quality"]) == ["SVM", "CNN1", "CNN2", "CNN3", paper.PRETRAINED]
    assert list(results["powers"]) == [row.name for row in paper.POWERS]
    assert (len(results["planes"]), len(results["words"]["SVM"])) == (10, 20)
    counts = {"train": 11314, "test": 7532, "long_documents": 4972, "short_documents": 25}
    assert results["corpus"] == counts | {"vocabulary": results["corpus"]["vocabulary"]}
    assert len(tiny.claims) >= 20
    folder, events = tiny_stages.with_name("copied"), list[Progress]()
    shutil.copytree(tiny_stages, folder)
    again = reproduce(TINY, on_progress=events.append, folder=folder)
    assert figures(again.results) == figures(results)
    assert [event.number for event in events] == list(range(1, (events[0].total or 0) + 1))
    assert all(event.kept for event in events)
    assert set(results["about"]["seconds"]) == {event.stage for event in events}
    with exclusive_folder(folder), pytest.raises(InputError, match="another run is at work"):
        reproduce(TINY, folder=folder)


@pytest.mark.real
@pytest.mark.nightly(reason="trains the networks with other vectors")
def test_other_vectors(tiny: Reproduction, tiny_stages: Path, tmp_path: Path) -> None:
    """All of a file's vectors are pre-trained, so no further network is needed for those."""
    path, folder = tmp_path / "mine.safetensors", tmp_path / "stages"
    Vectors.load("glove-6b-50d").restrict(["space", "doctor", "image", "the", "of"]).save(path)
    shutil.copytree(tiny_stages, folder)
    results = reproduce(TINY, path, folder=folder).results
    assert list(results["words"]) == ["CNN2", "SVM"]
    assert "mine.safetensors" in results["about"]["data"]["vectors"]
    assert results["quality"]["CNN2"] != tiny.results["quality"]["CNN2"]
    assert results["quality"]["SVM"] == tiny.results["quality"]["SVM"]


@pytest.mark.real
@pytest.mark.nightly(reason="runs the study four times")
def test_killed_at_any_time_it_ends_with_the_same_results(
    tiny: Reproduction, tmp_path: Path
) -> None:
    """SIGKILL at several moments: before, between and within stages."""
    code = (
        "import sys, json; from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from networks import TINY; from reports.test_reproduction import figures\n"
        "from whyword.reports.reproduction import reproduce\n"
        "Path(sys.argv[3]).write_text(figures(reproduce(TINY, folder=Path(sys.argv[1])).results))"
    )
    out, tests = tmp_path / "out.json", str(Path(__file__).parent.parent)
    command = [sys.executable, "-c", code, str(tmp_path / "stages"), tests]
    for kept in (0, 2, 6):  # stages, after which it is killed
        process = subprocess.Popen([*command, str(out)])
        while process.poll() is None and len(list(tmp_path.glob("stages/[!.]*"))) < kept:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not out.exists()
    subprocess.run([*command, str(out)], check=True)
    assert out.read_text() == figures(tiny.results)


@pytest.mark.real
@pytest.mark.slow(reason="runs the study")
def test_every_table_and_figure_is_a_file(tiny: Reproduction, tmp_path: Path) -> None:
    written = write_reproduction(tiny, tmp_path / "report")
    assert written[0] == tmp_path / "report" / "index.html"
    assert all(path.stat().st_size > 0 for path in written)
    names = {path.relative_to(tmp_path / "report").as_posix() for path in written}
    drawn = ("deletion", "neighbours", "planes", "words-cnn2", "heatmap-cnn2", "heatmap-svm")
    assert {f"figures/{figure}.svg" for figure in drawn} <= names
    results = json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8"))
    assert len(results["claims"]) == len(tiny.claims)
    with (tmp_path / "report" / "tables" / "explanatory_power.csv").open() as stream:
        rows = list(csv.reader(stream))
    assert [row[0] for row in rows[1:]] == [row.name for row in paper.POWERS]
    page = written[0].read_text(encoding="utf-8")
    assert "This is the quick version" in page
    held = sum(claim.holds for claim in tiny.claims)
    assert f'{held} of <a href="#statements">{len(tiny.claims)} statements</a> hold' in page


@pytest.mark.real
@pytest.mark.slow(reason="runs the study")
def test_figures_and_pages_show_the_results(tiny: Reproduction) -> None:
    results = tiny.results
    curves = results["deletion"]["CNN1"]["1"]["curves"]
    chart = deletion_chart(curves)
    assert [curve.name for curve in chart.curves] == [paper.METHODS[name] for name in curves]
    assert len(chart.curves[0].points.split()) == len(curves["lrp"]["accuracy"])
    first, second, *_ = deletion_figure(results["deletion"]).panels
    assert first.chart == chart
    assert (first.title, second.title) == ("CNN1, experiment 1", "CNN2, experiment 1")
    left, right = neighbour_figure(results["powers"]).panels
    assert left.chart == neighbour_chart("CNN2", results["powers"])
    assert right.x > left.x
    planes = plane_figure(results["planes"]).panels
    assert len(planes) == 10
    for panel in planes:
        assert isinstance(panel.chart, ScatterChart)
        count = len(results["planes"]["SVM LRP"]["points"])
        assert sum(len(some.places) for some in panel.chart.points) == count
    page = "".join(reproduction_page(tiny))
    for row in paper.POWERS:
        here = results["powers"][row.name]
        assert f"{row.epi:.4f} ± {row.deviation:.4f} ({row.k})" in page
        assert f"{here['epi']:.4f} ± {here['deviation']:.4f} ({here['k']})" in page
    for published in paper.ACCURACY.values():
        assert f"{published:.2f} %" in page
    assert page.count('<svg class="chart"') == 9 + 2 + 10  # lines, and planes
    assert "http" not in page.replace("http-equiv", "")
    assert "".join(words_of_all_classes(tiny)).count("<section>") == 60


def test_words_of_a_figure_are_text_and_unseen_ones_underlined() -> None:
    words = {label: [["<b>", 1.234, True], ["new", 0.5, False]] for label in paper.WORD_CLASSES}
    made = word_figure(words)
    assert made.count("<tspan>&lt;b&gt;</tspan> (1.23)") == 3
    assert made.count('<tspan text-decoration="underline">new</tspan>') == 3
    assert slug("CNN2, GloVe alone") == "cnn2-glove-alone"


# ---- what is published, and what is claimed -----------------------------------------------------


def test_published_figures_and_plans() -> None:
    names = [row.name for row in paper.POWERS]
    assert len(names) == len(set(names)) == 18
    best = max(paper.POWERS, key=lambda row: row.epi)
    assert (best.name, best.epi, best.k) == ("CNN2 LRP (ew)", 0.8076, 10)
    labels = ["comp.sys.mac.hardware", "talk.politics.guns", "talk.religion.misc", "alt.atheism"]
    labels += ["soc.religion.christian", "misc.forsale"]
    groups = ["comp", "politics", "religion", "religion", "religion", "misc"]
    assert [paper.group_of(label) for label in labels] == groups
    inputs = Plan().as_inputs()
    assert (inputs["train"], inputs["epochs"], inputs["filters"]) == (None, 15, 1.0)
    assert Plan(**inputs) == Plan()
    for name in ("cbow_epochs", "epochs", "filters", "folds", "runs", "validation"):
        assert getattr(QUICK, name) < getattr(Plan(), name)


def made_results(good: bool) -> dict[str, Any]:
    sign = 1 if good else -1

    def curves(areas: dict[str, float]) -> dict[str, Any]:
        made = {name: {"area": 0.5 + sign * area} for name, area in areas.items()}
        made["random"]["largest_deviation"] = 0.01 if good else 0.02
        known = made["random"]["area"] + (0 if good else 0.1)
        made["random_known"] = {"area": known, "largest_deviation": 0.01}
        return {"curves": made}

    def experiments(name: str) -> dict[str, Any]:
        wide = 0 if name == "CNN1" else 0.05
        return {
            "1": curves({"lrp": -0.3 - wide, "sensitivity": -0.1 - wide, "random": 0.2}),
            "2": curves({"lrp": 0.3, "sensitivity": -0.1, "random": 0.1}),
            "3": curves({"lrp": 0.3, "sensitivity": 0.1, "random": -0.1}),
        }

    names = ("LRP (ew)", "LRP", "SA (ew)", "SA", "TFIDF", "uniform")
    worth = dict(zip(names, (0.3, 0.2, 0.1, 0.05, -0.1, -0.2), strict=True))
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
    rest, medical = (0.001, 1.0) if sparse else (1.0, -1.0)
    words = [paper.UNSEEN_WORD.title(), *paper.MEDICAL_WORDS, *("the" for _ in range(20))]
    values = [[1.0 if sparse else 0.0, 0.0], *([0.0, medical] for _ in range(3))]
    values += [[rest, rest]] * 20
    data = {"words": words, "relevance": values, "target": list(paper.EXAMPLE_TARGETS)}
    return {"explanation": json.dumps(data)}


@pytest.mark.parametrize("good", [True, False])
def test_claims_follow_the_numbers(good: bool) -> None:
    judged = claims(made_results(good), {})
    assert len(judged) == 4 + 4 + 2 + 2 + 9 + 2 + 2 + 6 + 3 + 4
    assert {claim.holds for claim in judged} == {good}
    assert judged[0].text == "SVM reaches 80.10 % on the test posts"
    assert judged[0].figures == ("81.10 %, +1.00" if good else "79.10 %, −1.00")
