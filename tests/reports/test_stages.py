"""Stages are computed once, and again when their inputs or the program changed."""

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from networks import TINY, made_cnn, some_vectors, topical

from whyword import CNNClassifier
from whyword.base.progress import Progress
from whyword.corpora.corpus import Part
from whyword.reports import program
from whyword.reports import stages as module
from whyword.reports.background import Background
from whyword.reports.machine import machine, peak_memory
from whyword.reports.program import digest_of_program, program_digest
from whyword.reports.stages import Stages
from whyword.reports.training import train_models


def network() -> CNNClassifier:
    made = made_cnn()
    made.provenance_["seconds"] = 1.0
    return made


def some_stages(folder: Path) -> Stages:
    return Stages(folder, dict.fromkeys(("a stage", "another", "s", "m"), 1.0), lambda step: None)


def test_a_result_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setattr(module, "program_digest", lambda training=False: "other")
    some_stages(tmp_path).result("another", {"of": [1, 2]}, make)
    assert len(made) == 4


def test_a_stage_that_fails_leaves_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ZeroDivisionError):
        some_stages(tmp_path).result("s", {}, lambda: {"value": 1 / 0})
    assert list(tmp_path.iterdir()) == []
    stages = some_stages(Path("/proc/nowhere"))  # a folder that cannot be written loses nothing
    assert stages.result("s", {}, lambda: {"value": 1}) == {"value": 1}
    assert stages.model("m", {}, network).load().identity == network().identity
    assert caplog.text.count("could not be kept in the cache") == 2


def test_a_model_is_trained_once_and_again_if_it_is_damaged(tmp_path: Path) -> None:
    made = []

    def train() -> CNNClassifier:
        made.append(1)
        return network()

    models = [some_stages(tmp_path).model("m", {}, train) for _ in range(2)]
    assert len(made) == 1
    assert models[0].load().identity == models[1].identity == network().identity
    assert models[1].provenance["documents"] == 10
    (folder,) = tmp_path.iterdir()
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    assert some_stages(tmp_path).model("m", {}, train).load().identity == network().identity
    (folder / "model.json").unlink()
    assert some_stages(tmp_path).model("m", {}, train).load().identity == network().identity
    assert ([path.name for path in tmp_path.iterdir()], len(made)) == ([folder.name], 3)


def test_a_damaged_result_is_computed_again(tmp_path: Path) -> None:
    for content in (b"", b"\xff", b'{"result": 1', b"[]"):
        some_stages(tmp_path).result("s", {}, lambda: {"value": 1})
        (path,) = tmp_path.iterdir()
        path.write_bytes(content)
        assert some_stages(tmp_path).result("s", {}, lambda: {"value": 2}) == {"value": 2}
        path.unlink()


def test_the_time_left_follows_the_pace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as slow as expected so far: twice as long for the rest."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def make() -> dict[str, int]:
        now[0] += 20
        return {}

    left = []
    for names in ("abc", "a"):
        events: list[Progress] = []
        stages = Stages(tmp_path, {"a": 10, "b": 30, "c": 40}, events.append)
        for name in names:
            stages.result(name, {}, make)
        left.append([(event.seconds_left, event.kept) for event in events])
    assert left == [[(80, False), (2 * 70, False), (40, False)], [(70, True)]]


def test_models_are_trained_once(tmp_path: Path) -> None:
    texts, labels = topical(60, seed=2)
    train = Part(texts, labels, [str(n) for n in range(60)])
    some_vectors().save(tmp_path / "v.safetensors")
    data = {"train": "a digest", "plan": TINY.as_inputs(), "vectors": "those"}
    names = ("training SVM", "word vectors", "training CNN1", "training CNN2")
    networks, trained = {"CNN1": (1, 400), "CNN2": (2, 400)}, []
    begun: list[bool] = []
    for _ in range(2):
        stages = Stages(
            tmp_path / "kept", dict.fromkeys(names, 1.0), lambda step: begun.append(bool(step.kept))
        )
        file = tmp_path / "v.safetensors"
        models = train_models(stages, train, data, TINY, file, networks)
        trained.append({name: model.identity for name, model in models.items()})
    assert begun == [False] * 4 + [True] * 4
    assert (list(trained[0]), trained[0]) == (["SVM", "CNN1", "CNN2"], trained[1])
    assert models["CNN2"].load().width == 2
    assert models["SVM"].load().predict(["orbit moon rocket"]).tolist() == ["space"]


# ---- what results depend on ---------------------------------------------------------------------

PACKAGE = Path(program.__file__).parent.parent


@pytest.mark.slow(reason="copies the package")
def test_a_changed_file_changes_the_digests_that_depend_on_it(tmp_path: Path) -> None:
    package = tmp_path / "whyword"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    whole = [digest_of_program(package, training) for training in (False, True)]
    assert whole == [program_digest(), program_digest(training=True)]
    used = ["models/cnn/training.py", "models/linear/training.py", "base/files.py"]
    for name in (*used, "pages/templates/tour.html", "web/app.py", "reports/claims.py"):
        before = (package / name).read_bytes()
        (package / name).write_bytes(before + b"\n# changed\n")
        now = [digest_of_program(package, training) for training in (False, True)]
        (package / name).write_bytes(before)
        assert [a != b for a, b in zip(whole, now, strict=True)] == [True, name in used]
    (package / "reports" / "training.py").unlink()  # else nothing would be trained anew
    with pytest.raises(FileNotFoundError):
        digest_of_program(package, training=True)


# ---- background work and the machine ------------------------------------------------------------


def test_background_work_goes_on_and_raises_what_it_raised() -> None:
    go = threading.Event()
    work = Background(lambda: go.wait(30) and "done")
    go.set()
    assert [work.result(), work.result()] == ["done", "done"]
    lost: dict[str, int] = {}
    with pytest.raises(KeyError, match="lost"):
        Background(lambda: lost["lost"]).result()


def test_not_every_system_tells_its_memory(uninstall: Callable[[str], None]) -> None:
    assert " cores" in machine()
    assert 1 << 24 < (peak_memory() or 0) < 1 << 36
    uninstall("resource")
    assert peak_memory() is None
    assert machine()
