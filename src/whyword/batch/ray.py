"""The Ray engine: Ray Data reads, actors that hold the model work, on any number of machines."""

import logging
import os
import pickle
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyword.base.errors import MissingExtraError, WhywordError
from whyword.base.threads import use_one_thread
from whyword.batch.chunks import Chunk, Place, SourceReader
from whyword.batch.folder import Rejects, RunFolder
from whyword.batch.tasks import Task, WrittenPart
from whyword.corpora.tables import BadRow

# of a core: reading takes a tenth of the time, and must find room where actors hold every core
_READER, _ACTOR = 0.1, 0.9
_BLOCK_BYTES = 1 << 20  # less than a chunk, so that each is a block of its own

Row = dict[str, Any]


def run(
    task: Task,
    reader: SourceReader,
    folder: RunFolder,
    rejects: Rejects,
    strict: bool,
    workers: int | None,
    address: str | None,
) -> Iterator[WrittenPart]:
    """Yield each chunk that is done, in order.

    Parameters
    ----------
    task : Task
    reader : SourceReader
        Of files that every machine reaches by the same names, as it does the folder.
    folder : RunFolder
    rejects : Rejects
    strict : bool
        Stop at a row that cannot be read.
    workers : int or None
        Actors; by default one for each core of the cluster.
    address : str or None
        Of a cluster; by default one is started on this machine.
    """
    import ray
    import ray.data

    with _silence_ray(), _cluster(address, workers), _settings():
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        actors = workers or max(1, int(resources.get("CPU", 1)))
        count = len(reader.shards)
        shards = ray.data.from_items(
            [{"shard": n} for n in range(count)], override_num_blocks=count
        )
        shard_reader = _ShardReader(reader, strict, frozenset(folder.done))
        chunks = shards.map_batches(shard_reader, batch_size=1, num_cpus=_READER)
        stored = ray.put(task)  # for as long as actors may begin
        written = chunks.map(
            _ChunkWriter,  # type: ignore[arg-type]
            fn_constructor_args=([stored], folder.path),
            num_cpus=_ACTOR,
            compute=ray.data.ActorPoolStrategy(size=actors),
        )
        for row in _unwrap_errors(written.iter_rows()):
            rejects.add(BadRow(*each) for each in pickle.loads(row["bad_rows"]))  # noqa: S301 - ours
            if row["documents"]:
                place = Place(int(row["shard"]), int(row["number"]))
                yield WrittenPart(place, int(row["documents"]), float(row["read"]))


def check_ray() -> None:
    """Raise unless Ray is installed."""
    try:
        import ray.data  # noqa: F401 - is it there?
    except ImportError:
        raise MissingExtraError("ray", "ray") from None


def _unwrap_errors(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows; raise what a worker raised without Ray's account of where it was."""
    from ray.exceptions import RayError, RayTaskError

    try:
        yield from rows
    except RayTaskError as error:
        cause: BaseException | None = error
        while isinstance(cause, RayError):
            cause = getattr(cause, "cause", None) or cause.__cause__
        if isinstance(cause, WhywordError):
            cause.args = (str(cause).partition("\n")[0],)  # Ray has added what it thinks of it
            raise cause from None
        raise
    except RayError as error:
        reason = str(error).strip().partition("\n")[0]
        raise WhywordError(f"the Ray cluster failed ({reason}); what is done is kept") from error


class _ShardReader:
    """Reads shards, in a task of Ray's.

    A chunk is a row: Ray cuts tables between rows, never within one.
    """

    def __init__(self, reader: SourceReader, strict: bool, done: frozenset[Place]) -> None:
        self._reader, self._strict, self._done = reader, strict, done

    def __call__(self, batch: Row) -> Iterator[Row]:
        for shard in batch["shard"].tolist():
            for chunk in self._reader.chunks(shard, self._strict):
                if chunk.place in self._done:
                    chunk = replace(chunk, records=[])
                yield {"chunk": [pickle.dumps(chunk)]}


class _ChunkWriter:
    """Works on chunks, in an actor."""

    def __init__(self, stored: list[Any], folder: Path) -> None:
        import ray

        use_one_thread()
        self._task, self._folder = ray.get(stored[0]), folder

    def __call__(self, row: Row) -> Row:
        chunk: Chunk = pickle.loads(row["chunk"])  # noqa: S301 - ours
        done = WrittenPart(chunk.place, 0, chunk.read)
        if chunk.records:
            done = self._task.write(chunk, self._folder)
        return {
            "shard": done.place.shard,
            "number": done.place.number,
            "documents": done.n_documents,
            "read": done.read,
            "bad_rows": pickle.dumps([tuple(each) for each in chunk.bad_rows]),
        }


@contextmanager
def _settings() -> Iterator[None]:
    """Let Ray Data keep chunks apart and in order; others' work with it keeps its settings."""
    import ray.data

    context = ray.data.DataContext.get_current().copy()
    context.target_max_block_size = _BLOCK_BYTES
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    with ray.data.DataContext.current(context):
        yield


@contextmanager
def _silence_ray() -> Iterator[None]:
    """Let Ray say nothing: what goes wrong is raised."""
    log = logging.getLogger("ray.data")
    level, variable = log.level, "RAY_BACKEND_LOG_LEVEL"
    before = os.environ.get(variable)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="ray")  # of parts of its own, of small corpora
        log.setLevel(logging.CRITICAL)
        os.environ.setdefault(variable, "fatal")
        try:
            yield
        finally:
            log.setLevel(level)
            if before is None:
                del os.environ[variable]


@contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """Connect to the cluster, or start one; one that was there before stays."""
    import ray

    if ray.is_initialized():
        yield
        return
    try:
        ray.init(
            address or "local",
            num_cpus=None if address else workers,
            include_dashboard=None if address else False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except ConnectionError as error:
        raise WhywordError(f"there is no Ray cluster at {address} ({error})") from None
    try:
        yield
    finally:
        ray.shutdown()
