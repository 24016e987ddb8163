"""Stages are computed once, and found by what they were made of."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from networks import small_cnn

from whyword.base.progress import Progress
from whyword.models.cnn.classifier import CNNClassifier
from whyword.reports import stages as module
from whyword.reports.stages import Stages


def some_stages(folder: Path) -> Stages:
    return Stages(folder, dict.fromkeys(("a stage", "another", "s", "m"), 1.0), lambda step: None)


def test_a_result_is_made_once(tmp_path: Path) -> None:
    events: list[Progress] = []
    made = []

    def make() -> dict[str, float]:
        made.append(1)
        return {"value": 0.1 + 0.2}

    for _ in range(2):
        stages = Stages(tmp_path, {"a stage": 10, "another": 20}, events.append)
        assert stages.result("a stage", {"of": [1, 2]}, make) == {"value": 0.1 + 0.2}
        assert stages.seconds["a stage"] >= 0
    assert len(made) == 1
    begun = Progress("a stage", share=0.0, number=1, total=2, seconds_left=30)
    assert events == [begun, replace(begun, kept=True, seconds_left=20)]
    some_stages(tmp_path).result("a stage", {"of": [1, 3]}, make)
    some_stages(tmp_path).result("another", {"of": [1, 2]}, make)
    assert len(made) == 3


def test_another_program_makes_it_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make() -> dict[str, int]:
        made.append(1)
        return {}

    some_stages(tmp_path).result("s", {}, make)
    monkeypatch.setattr(module, "program_digest", lambda training=False: "other")
    some_stages(tmp_path).result("s", {}, make)
    assert len(made) == 2


def test_a_stage_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> dict[str, int]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        some_stages(tmp_path).result("s", {}, fail)
    assert list(tmp_path.iterdir()) == []


def test_a_model_is_trained_once(tmp_path: Path) -> None:
    made = []

    def train() -> CNNClassifier:
        made.append(1)
        return small_cnn()

    models = [some_stages(tmp_path).model("m", {}, train) for _ in range(2)]
    assert len(made) == 1
    assert models[0].load().identity == models[0].identity
    assert models[1].provenance["documents"] == 120
    assert models[0].identity == models[1].identity == small_cnn().identity


def test_a_half_saved_model_is_trained_anew(tmp_path: Path) -> None:
    some_stages(tmp_path).model("m", {}, small_cnn)
    (folder,) = tmp_path.iterdir()
    (folder / "model.json").unlink()
    model = some_stages(tmp_path).model("m", {}, small_cnn)
    assert model.load().identity == small_cnn().identity
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_a_folder_that_cannot_be_written_loses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    stages = some_stages(Path("/proc/nowhere"))
    assert stages.result("s", {}, lambda: {"value": 1}) == {"value": 1}
    model = stages.model("m", {}, small_cnn)
    assert model.load().identity == model.identity == small_cnn().identity
    assert caplog.text.count("could not be kept in the cache") == 2


def test_the_time_left_follows_the_pace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as slow as expected so far: twice as long for the rest."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    events: list[Progress] = []
    stages = Stages(tmp_path, {"a": 10, "b": 30, "c": 40}, events.append)

    def make() -> dict[str, int]:
        now[0] += 20
        return {}

    stages.result("a", {}, make)
    stages.result("b", {}, make)
    stages.result("c", {}, make)
    assert [event.seconds_left for event in events] == [80, 2 * 70, 1 * 40]
    again: list[Progress] = []
    stages = Stages(tmp_path, {"a": 10, "b": 30, "c": 40}, again.append)
    stages.result("a", {}, make)
    assert again == [Progress("a", share=0.0, number=1, total=3, kept=True, seconds_left=70)]


def test_a_damaged_result_is_made_anew(tmp_path: Path) -> None:
    for content in (b"", b"\xff", b'{"result": 1', b"[]"):
        some_stages(tmp_path).result("s", {}, lambda: {"value": 1})
        (path,) = tmp_path.iterdir()
        path.write_bytes(content)
        assert some_stages(tmp_path).result("s", {}, lambda: {"value": 2}) == {"value": 2}
        path.unlink()


def test_a_damaged_model_is_trained_anew(tmp_path: Path) -> None:
    some_stages(tmp_path).model("m", {}, small_cnn)
    (folder,) = tmp_path.iterdir()
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    assert some_stages(tmp_path).model("m", {}, small_cnn).identity == small_cnn().identity
