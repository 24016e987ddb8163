"""The whole study, tiny: the same twice, and after being killed."""

import json
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
from whyword.reports import paper
from whyword.reports.reproduction import Reproduction, reproduce


def figures(results: dict[str, Any]) -> str:
    """Return results without the times, which differ."""
    kept = {name: value for name, value in results.items() if name not in ("about", "models")}
    return json.dumps(kept, sort_keys=True)


@pytest.mark.real
def test_everything_is_there(tiny: Reproduction) -> None:
    results = tiny.results
    assert list(results["quality"]) == ["SVM", "CNN1", "CNN2", "CNN3", paper.PRETRAINED]
    assert list(results["powers"]) == [row.name for row in paper.POWERS]
    assert len(results["planes"]) == 10
    assert len(results["words"]["SVM"]) == 20
    assert results["corpus"] == {
        "train": 11314,
        "test": 7532,
        "long_documents": 4972,
        "short_documents": 25,
        "vocabulary": results["corpus"]["vocabulary"],
    }
    assert len(tiny.claims) >= 20
    assert "word deletion CNN2" in results["about"]["seconds"]


@pytest.mark.real
def test_nothing_is_computed_twice(tiny: Reproduction, tiny_stages: Path) -> None:
    events: list[Progress] = []
    again = reproduce(TINY, on_progress=events.append, folder=tiny_stages)
    assert figures(again.results) == figures(tiny.results)
    assert [event.number for event in events] == list(range(1, (events[0].total or 0) + 1))
    assert all(event.kept for event in events)
    assert set(tiny.results["about"]["seconds"]) == {event.stage for event in events}
    assert again.results["about"]["this_run"] < 10


@pytest.mark.real
def test_other_vectors(tiny: Reproduction, tiny_stages: Path, tmp_path: Path) -> None:
    """All of a file's vectors are pre-trained, so no further network is needed for those."""
    path = tmp_path / "mine.safetensors"
    Vectors.load("glove-6b-50d").restrict(["space", "doctor", "image", "the", "of"]).save(path)
    events: list[Progress] = []
    results = reproduce(TINY, path, events.append, tiny_stages).results
    assert list(results["words"]) == ["CNN2", "SVM"]
    assert "mine.safetensors" in results["about"]["data"]["vectors"]
    assert results["quality"]["CNN2"] != tiny.results["quality"]["CNN2"]
    assert results["quality"]["SVM"] == tiny.results["quality"]["SVM"]


@pytest.mark.real
def test_two_at_a_time_are_refused(tiny_stages: Path) -> None:
    with exclusive_folder(tiny_stages), pytest.raises(InputError, match="another run is at work"):
        reproduce(TINY, folder=tiny_stages)


@pytest.mark.real
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
    out = tmp_path / "out.json"
    command = [
        sys.executable,
        "-c",
        code,
        str(tmp_path / "stages"),
        str(Path(__file__).parent.parent),
    ]
    for kept in (0, 2, 6):  # stages, after which it is killed
        process = subprocess.Popen([*command, str(out)])
        while process.poll() is None and len(list(tmp_path.glob("stages/[!.]*"))) < kept:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not out.exists()
    subprocess.run([*command, str(out)], check=True)
    assert out.read_text() == figures(tiny.results)
