"""The Ray engine writes what the local one writes, though a machine goes in the middle.

Most tests run on a stand-in for Ray that computes in this process: the calls that the engine makes,
and what it needs of their answers. The others run on Ray itself, which shows that these are right.
"""

import logging
import os
import pickle
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from threading import Lock
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import small_cnn
from served import model
from streams import contents, fewer_texts, other_text, shrink_runs, write_corpus, written_parts

from whyword import InputError, explain_corpus
from whyword.base.errors import MissingExtraError, WhywordError
from whyword.base.progress import Progress
from whyword.batch import ray as engine
from whyword.batch import summarize_corpus
from whyword.batch.ray import silence_ray

# ---- on a stand-in ------------------------------------------------------------------------------


class RayError(Exception):
    """As Ray's."""


class RayTaskError(RayError):
    """As Ray's: what a worker raised is its cause."""


class Rows:
    """A dataset whose rows are computed one by one."""

    def __init__(self, rows: Iterable[dict[str, Any]], context: Any = None) -> None:  # noqa: ANN401
        self.rows = rows
        self.context = context or SimpleNamespace(execution_options=SimpleNamespace())

    def map_batches(self, call: Any, batch_size: int, num_cpus: float) -> "Rows":  # noqa: ANN401
        assert (batch_size, 0 < num_cpus < 1) == (1, True)
        call = pickle.loads(pickle.dumps(call))
        batches = ({key: np.array([value]) for key, value in row.items()} for row in self.rows)
        answers = (answer for batch in batches for answer in call(batch))
        return Rows(({key: one[0] for key, one in each.items()} for each in answers), self.context)

    def map(
        self,
        actor: Any,  # noqa: ANN401 - a class
        fn_constructor_args: Any,  # noqa: ANN401 - its arguments
        num_cpus: float,
        compute: object,
    ) -> "Rows":
        assert 0 < num_cpus < 1
        made = actor(*fn_constructor_args)
        return Rows((made(row) for row in self.rows), self.context)

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        assert vars(self.context).items() >= {"target_max_block_size": 1 << 20}.items()
        assert self.context.execution_options.preserve_order
        assert not self.context.enable_progress_bars
        yield from self.rows


class StandIn:
    """Ray, as far as the engine needs it; records how it is started and how many actors it has."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.failures: list[Exception] = []  # of starting it
        self.actors: list[int] = []
        self.running = False

    def modules(self) -> dict[str, ModuleType]:
        """Return what stands in its modules' place."""
        ray, data, errors = (ModuleType(name) for name in ("ray", "ray.data", "ray.exceptions"))
        vars(ray).update(
            data=data,
            is_initialized=lambda: self.running,
            init=self.init,
            shutdown=lambda: self.log.append("shutdown"),
            cluster_resources=lambda: {"CPU": 3.0},
            put=pickle.dumps,
            get=pickle.loads,
        )
        vars(data).update(
            from_items=lambda items, override_num_blocks: Rows(items),
            ActorPoolStrategy=lambda size: self.actors.append(size),
        )
        vars(errors).update(RayError=RayError, RayTaskError=RayTaskError)
        return {"ray": ray, "ray.data": data, "ray.exceptions": errors}

    def init(self, address: str, **how: object) -> None:
        self.log.append((address, how.pop("num_cpus"), how.pop("include_dashboard")))
        assert how == {"log_to_driver": False, "logging_level": logging.ERROR}
        if self.failures:
            raise self.failures.pop(0)


@pytest.fixture
def ray(small_parts: None, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn()
    for name, module in made.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(engine, "use_one_thread", lambda: made.log.append("one thread"))
    return made


def test_it_writes_what_the_local_engine_writes(
    ray: StandIn, source: Path, finished: Path, tmp_path: Path
) -> None:
    out = tmp_path / "why"
    events: list[Progress] = []
    outcome = explain_corpus(
        small_cnn(), source, out, "all", engine="ray", on_progress=events.append
    )
    assert (outcome.n_documents, outcome.rejected, outcome.parts) == (22, 2, 6)
    assert [event.n_documents for event in events] == [4, 8, 11, 15, 19, 22]
    assert contents(out) == contents(finished)
    assert ray.log == [("local", None, False), "one thread", "shutdown"]
    assert ray.actors == [3]  # one for each core of the cluster
    # what another run has done is not done again
    (out / "part-00001-00001.parquet").unlink()
    before, ray.running = written_parts(out), True
    again = explain_corpus(small_cnn(), source, out, "all", engine="ray", workers=2, resume=True)
    assert (again.resumed, again.parts) == (18, 6)
    assert contents(out) == contents(finished)
    assert written_parts(out).items() > before.items()
    assert ray.log[3:] == ["one thread"]  # a cluster that is there is used, and stays
    assert ray.actors == [3, 2]


def test_a_cluster_is_asked_for_by_its_address(ray: StandIn, source: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"engine": "ray", "address": "there:1", "workers": 2}
    summarize_corpus(model("svm"), source, tmp_path / "a", **how)
    assert ray.log == [("there:1", None, None), "one thread", "shutdown"]
    summarize_corpus(model("svm"), source, tmp_path / "b", engine="ray", workers=2)
    assert ray.log[3:] == [("local", 2, False), "one thread", "shutdown"]
    ray.failures[:] = [ConnectionError("nobody answers")]
    with pytest.raises(WhywordError, match=r"no Ray cluster at there:1 \(nobody answers\)"):
        summarize_corpus(model("svm"), source, tmp_path / "c", **how)


def test_a_busy_machine_is_given_a_second_chance(
    ray: StandIn, source: Path, tmp_path: Path
) -> None:
    late = Exception("The current node timed out during startup. This could happen because …")
    ray.failures[:] = [late]
    summarize_corpus(model("svm"), source, tmp_path / "a", engine="ray")
    assert [said for said in ray.log if said == "shutdown"] == ["shutdown"] * 2
    ray.failures[:] = [late, late]
    with pytest.raises(WhywordError, match="within 30 seconds, and not when asked again"):
        summarize_corpus(model("svm"), source, tmp_path / "b", engine="ray")
    ray.failures[:] = [ZeroDivisionError("something else")]
    with pytest.raises(ZeroDivisionError):
        summarize_corpus(model("svm"), source, tmp_path / "b", engine="ray")


def test_a_source_that_changed(ray: StandIn, source: Path, tmp_path: Path) -> None:
    mine, out = shutil.copytree(source, tmp_path / "mine"), tmp_path / "why"
    summarize_corpus(model("svm"), mine, out, engine="ray")
    (out / "part-00000-00001.parquet").unlink()
    for change in (other_text, fewer_texts):
        change(mine / "1.jsonl")
        with pytest.raises(InputError, match="the source has changed since the run in"):
            summarize_corpus(model("svm"), mine, out, engine="ray", resume=True)


def chained(*errors: Exception) -> Exception:
    """Return the first error, each caused by the next."""
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return errors[0]


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            chained(RayTaskError("said\nat length"), RayError(), InputError("line 2: bad\nsee")),
            InputError,
            "^line 2: bad$",
        ),
        (chained(RayTaskError("no cause"), KeyError("x")), RayTaskError, "^no cause$"),
        (
            RayError("\nThe actor died\nValueError: one\nOSError: no room\nlast"),
            WhywordError,
            r"^the Ray cluster failed \(OSError: no room\); what is done is kept$",
        ),
        (RayError("it died\nof it"), WhywordError, r"^the Ray cluster failed \(it died\)"),
        (RayError(), WhywordError, r"^the Ray cluster failed \(RayError\)"),
    ],
)
def test_errors_of_workers_are_told(
    error: Exception,
    kind: type[Exception],
    message: str,
    ray: StandIn,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: Rows) -> Iterator[dict[str, Any]]:
        raise error
        yield {}

    monkeypatch.setattr(Rows, "iter_rows", fail)
    with pytest.raises(kind, match=message):
        summarize_corpus(model("svm"), source, tmp_path / "why", engine="ray")
    assert ray.log[-1] == "shutdown"


class Held(Keywords):
    """What no process can hand to another."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = Lock()


def test_a_model_that_cannot_be_sent(ray: StandIn, source: Path, tmp_path: Path) -> None:
    message = r"^the model cannot be sent to Ray's workers \(TypeError: cannot pickle"
    with pytest.raises(WhywordError, match=message):
        explain_corpus(Held(), source, tmp_path / "held", engine="ray")


def test_a_program_may_have_ray_say_nothing(ray: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_BACKEND_LOG_LEVEL", "x")
    monkeypatch.delenv("RAY_BACKEND_LOG_LEVEL")
    log = logging.getLogger("ray.data")
    level = log.level
    with warnings.catch_warnings():
        silence_ray()
        assert warnings.filters[0][0] == "ignore"
        assert warnings.filters[0][3].match("ray.data")  # type: ignore[union-attr]
    assert os.environ["RAY_BACKEND_LOG_LEVEL"] == "fatal"
    assert log.level == logging.CRITICAL
    log.setLevel(level)


def test_without_ray(source: Path, tmp_path: Path, uninstall: Callable[[str], None]) -> None:
    uninstall("ray")
    with pytest.raises(MissingExtraError, match=r"ray is not installed.*'whyword\[ray\]'"):
        explain_corpus(model("svm"), source, tmp_path / "why", engine="ray")


# ---- on Ray -------------------------------------------------------------------------------------


@pytest.mark.slow(reason="starts Ray")
# Ray warns of parts of its own, and leaves sockets to the end of the process
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("small_parts")
def test_runs_on_ray(source: Path, finished: Path, tmp_path: Path) -> None:
    import ray

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        explain_corpus(small_cnn(), source, tmp_path / "why", "all", engine="ray")
        assert contents(tmp_path / "why") == contents(finished)
        with pytest.raises(InputError) as caught:
            explain_corpus(small_cnn(), source, tmp_path / "strict", engine="ray", strict=True)
    finally:
        ray.shutdown()
    # files are read side by side, and any may be first
    message = rf"{re.escape(str(source))}/\d\.jsonl, line \d+: 'text' is null, not text"
    assert re.fullmatch(message, str(caught.value))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two machines of one core each, on this one."""
    import ray
    from ray.cluster_utils import Cluster

    shrink_runs(monkeypatch, 16)
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


@pytest.mark.nightly(reason="starts clusters of Ray")
@pytest.mark.filterwarnings("ignore")
def test_the_same_files_though_a_machine_goes(
    cluster: Any,  # noqa: ANN401 - Ray's
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = write_corpus(tmp_path / "tables")
    explain_corpus(small_cnn(), source, tmp_path / "local", "all")
    events: list[Progress] = []

    def lose_a_machine(progress: Progress) -> None:
        if not events:
            (other,) = cluster.worker_nodes
            cluster.remove_node(other, allow_graceful=False)
        events.append(progress)

    monkeypatch.chdir(tmp_path)  # machines of the cluster stand elsewhere
    explain_corpus(small_cnn(), source, "ray", "all", engine="ray", on_progress=lose_a_machine)
    assert (events[-1].n_documents, events[-1].share) == (357, 1.0)
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
