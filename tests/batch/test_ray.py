"""Ray's engine writes what the local one writes, though a machine goes in the middle."""

import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
import torch
from networks import small_cnn
from served import model
from streams import contents, write_corpus

from whyword import InputError, TorchClassifier, explain_corpus
from whyword.base.errors import MissingExtraError, WhywordError
from whyword.base.progress import Progress
from whyword.batch import chunks
from whyword.batch import runs as corpora
from whyword.batch.ray import _cluster, silence_ray

# Ray warns of parts of its own, and leaves sockets to the end of the process
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow(reason="starts Ray")]


@pytest.fixture(scope="module")
def sizes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(chunks, "ROWS", 16)
        monkeypatch.setattr(chunks, "_SHARD_BYTES", 12_000)
        monkeypatch.setattr(corpora, "LEXICON_BYTES", 4_000)
        yield


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "tables")


@pytest.fixture(scope="module")
def cluster(sizes: None) -> Iterator[Any]:
    """Two machines of one core each, on this one."""
    import ray
    from ray.cluster_utils import Cluster

    small: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20}
    soon = {  # is it noticed that a machine is gone
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 300,
        "health_check_timeout_ms": 300,
        "health_check_failure_threshold": 2,
    }
    head = small | {"include_dashboard": False, "_system_config": soon}
    started = Cluster(initialize_head=True, head_node_args=head)
    started.add_node(**small)
    ray.init(started.address, log_to_driver=False, logging_level=logging.ERROR)
    yield started
    ray.shutdown()
    started.shutdown()  # type: ignore[no-untyped-call]


def test_the_same_files_though_a_machine_goes(
    cluster: Any,  # noqa: ANN401 - Ray's
    source: Path,
    tmp_path: Path,
) -> None:
    cnn = small_cnn()
    explain_corpus(cnn, source, tmp_path / "local", "all")
    events: list[Progress] = []

    def lose_a_machine(progress: Progress) -> None:
        if not events:
            (other,) = cluster.worker_nodes
            cluster.remove_node(other, allow_graceful=False)
        events.append(progress)

    outcome = explain_corpus(
        cnn, source, tmp_path / "ray", "all", engine="ray", on_progress=lose_a_machine
    )
    assert (outcome.n_documents, outcome.rejected) == (357, 3)
    assert (events[-1].n_documents, events[-1].share) == (357, 1.0)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    # a run that another engine began
    (tmp_path / "local" / "part-00000-00001.parquet").unlink()
    explain_corpus(cnn, source, tmp_path / "local", "all", engine="ray", resume=True)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")


def test_paths_are_those_of_the_driver_and_its_settings_stay(
    cluster: Any,  # noqa: ANN401 - Ray's
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import ray.data

    def state() -> tuple[object, ...]:
        """Return what others in this process have of it."""
        context = ray.data.DataContext.get_current()
        options = (context.target_max_block_size, context.execution_options.preserve_order)
        level = logging.getLogger("ray.data").level
        return id(context), options, level, dict(os.environ), list(warnings.filters)

    before, during = state(), []

    def look(_: Progress) -> None:
        during.append(state())

    monkeypatch.chdir(tmp_path)  # machines of the cluster stand elsewhere
    (tmp_path / "tables").symlink_to(source)
    outcome = explain_corpus(
        model("svm"), "tables/*.jsonl", "why", engine="ray", top=1, on_progress=look
    )
    assert (outcome.n_documents, outcome.rejected) == (357, 3)
    assert contents(tmp_path / "why")
    assert len(during) == outcome.parts
    assert all(one == before for one in during)
    assert state() == before


def test_a_program_may_have_ray_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_BACKEND_LOG_LEVEL", raising=False)
    log = logging.getLogger("ray.data")
    level = log.level
    with warnings.catch_warnings():
        silence_ray()
        assert any(one[0] == "ignore" and one[3] for one in warnings.filters[:1])
    assert os.environ.pop("RAY_BACKEND_LOG_LEVEL") == "fatal"
    assert log.level == logging.CRITICAL
    log.setLevel(level)


def test_a_busy_machine_is_given_a_second_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    said = "The current node timed out during startup. This could happen because …"
    answers: list[Exception | None] = []
    done: list[str] = []

    def init(*_: object, **__: object) -> None:
        done.append("init")
        answer = answers.pop(0)
        if answer is not None:
            raise answer

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "shutdown", lambda: done.append("shutdown"))
    monkeypatch.setattr(ray, "init", init)
    answers[:] = [Exception(said), None]
    with _cluster(None, 2):
        assert done == ["init", "shutdown", "init"]
    assert done.pop() == "shutdown"
    answers[:] = [Exception(said), Exception(said)]
    with pytest.raises(WhywordError, match="within 30 seconds, and not when asked again"):
        _cluster(None, 2).__enter__()
    answers[:] = [ZeroDivisionError("something else")]
    with pytest.raises(ZeroDivisionError):
        _cluster(None, 2).__enter__()


def test_errors_of_workers_are_told(
    cluster: Any,  # noqa: ANN401 - Ray's
    source: Path,
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError) as caught:
        explain_corpus(model("svm"), source, tmp_path / "why", engine="ray", strict=True)
    # files are read side by side, and any may be first
    message = rf"{re.escape(str(source))}/\d\.jsonl, line \d+: 'text' is null, not text"
    assert re.fullmatch(message, str(caught.value))


class Held(torch.nn.EmbeddingBag):
    """What no process can hand to another."""

    def __init__(self) -> None:
        super().__init__(9, 3)
        self.lock = Lock()


def test_a_torch_module(
    cluster: Any,  # noqa: ANN401 - Ray's
    source: Path,
    tmp_path: Path,
) -> None:
    words = {word: number for number, word in enumerate(["<pad>", "<unk>", "moon", "goal", "the"])}
    module = torch.nn.Sequential(torch.nn.EmbeddingBag(9, 4), torch.nn.Linear(4, 3)).eval()
    classifier = TorchClassifier(module, words, ["a", "b", "c"])
    for engine in ("local", "ray"):
        explain_corpus(classifier, source, tmp_path / engine, engine=engine, workers=1)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    held = TorchClassifier(Held().eval(), words, ["a", "b", "c"])
    with pytest.raises(
        WhywordError, match=r"cannot be sent to Ray's workers \(TypeError: cannot pi"
    ):
        explain_corpus(held, source, tmp_path / "held", engine="ray")


def test_without_ray(
    source: Path, tmp_path: Path, uninstall: Callable[[str], None], sizes: None
) -> None:
    uninstall("ray")
    with pytest.raises(MissingExtraError, match=r"ray is not installed.*'whyword\[ray\]'"):
        explain_corpus(model("svm"), source, tmp_path / "why", engine="ray")
