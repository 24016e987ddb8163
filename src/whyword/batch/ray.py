"""The Ray engine: Ray Data reads, actors that hold the model work, on any number of machines."""

import logging
import os
import pickle
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyword.base.errors import MissingExtraError, WhywordError
from whyword.base.printable import one_line, reason
from whyword.base.threads import use_one_thread
from whyword.batch.chunks import Chunk, Place, SourceReader
from whyword.batch.folder import Rejects, RunFolder
from whyword.batch.parts import EarlierParts
from whyword.batch.tasks import Task, WrittenChunk
from whyword.corpora.tables import BadRow

# of a core: reading takes a tenth of the time, and must find room where actors hold every core
_READER, _ACTOR = 0.1, 0.9
_ERROR_LINE = re.compile(r"\w+(Error|Exception): ")  # of a traceback in a message
_TOO_LATE = "timed out during startup"  # as Ray says it
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
) -> Iterator[WrittenChunk]:
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

    with _cluster(address, workers):
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        actors = workers or max(1, int(resources.get("CPU", 1)))
        count, earlier, read = len(reader.shards), folder.earlier, set[Place]()
        shards = ray.data.from_items(
            [{"shard": n} for n in range(count)], override_num_blocks=count
        )
        _keep_chunks_apart(shards.context)  # which is this data's alone
        shard_reader = _ShardReader(reader, strict, earlier)
        chunks = shards.map_batches(shard_reader, batch_size=1, num_cpus=_READER)
        stored = _stored(task)  # for as long as actors may begin
        rows = chunks.map(
            _ChunkWriter,  # type: ignore[arg-type]
            fn_constructor_args=([stored], folder.path),
            num_cpus=_ACTOR,
            compute=ray.data.ActorPoolStrategy(size=actors),
        )
        for row in _unwrap_errors(rows.iter_rows()):
            rejects.add(BadRow(*each) for each in pickle.loads(row["bad_rows"]))  # noqa: S301 - ours
            read.add(Place(int(row["shard"]), int(row["number"])))
            written = pickle.loads(row["written"])  # noqa: S301 - ours
            if written is not None:
                yield written
        earlier.check_all_read(read)


def check_ray() -> None:
    """Raise unless Ray is installed."""
    try:
        import ray.data  # noqa: F401 - is it there?
    except ImportError:
        raise MissingExtraError("ray", "ray") from None


def _stored(task: Task) -> Any:  # noqa: ANN401 - Ray's reference
    """Return the task where all workers find it; raise if it cannot be sent."""
    import ray

    try:
        return ray.put(task)
    except Exception as error:
        cause = error.__cause__ or error.__context__ or error  # what Ray says is a page long
        raise WhywordError(
            f"the model cannot be sent to Ray's workers ({reason(cause)})"
        ) from error


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
        lines = str(error).strip().splitlines() or [type(error).__name__]
        named = [line for line in lines if _ERROR_LINE.match(line)]  # the last is the cause
        said = one_line((named or lines[:1])[-1])
        raise WhywordError(f"the Ray cluster failed ({said}); what is done is kept") from error


class _ShardReader:
    """Reads shards, in a task of Ray's.

    A chunk is a row: Ray cuts tables between rows, never within one.
    """

    def __init__(self, reader: SourceReader, strict: bool, earlier: EarlierParts) -> None:
        self._reader, self._strict, self._earlier = reader, strict, earlier

    def __call__(self, batch: Row) -> Iterator[Row]:
        for shard in batch["shard"].tolist():
            for chunk in self._reader.chunks(shard, self._strict):
                if chunk.records and self._earlier.has(chunk):
                    chunk = replace(chunk, records=[])
                yield {"chunk": [pickle.dumps(chunk)]}


class _ChunkWriter:
    """Works on chunks, in an actor."""

    def __init__(self, stored: list[Any], folder: Path) -> None:
        import ray

        self._task, self._folder = ray.get(stored[0]), folder
        use_one_thread()  # of the libraries, too, that the task has loaded

    def __call__(self, row: Row) -> Row:
        chunk: Chunk = pickle.loads(row["chunk"])  # noqa: S301 - ours
        written = self._task.write(chunk, self._folder) if chunk.records else None
        return {
            "shard": chunk.place.shard,
            "number": chunk.place.number,
            "written": pickle.dumps(written),
            "bad_rows": pickle.dumps([tuple(each) for each in chunk.bad_rows]),
        }


def _keep_chunks_apart(context: Any) -> None:  # noqa: ANN401 - Ray's
    """Let Ray Data make no larger blocks of chunks, keep their order, and show nothing."""
    context.target_max_block_size = _BLOCK_BYTES
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    context.print_on_execution_start = False


def silence_ray() -> None:
    """Let Ray say nothing in this process from now on: what goes wrong is raised.

    For a program whose process it is; the engine itself leaves the process as it finds it.
    """
    import ray.data  # noqa: F401 - it sets up its logging

    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    warnings.filterwarnings("ignore", module="ray")  # of parts of its own, of small corpora


@contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[None]:
    """Connect to the cluster, or start one; one that was there before stays."""
    import ray

    if ray.is_initialized():
        yield
        return
    if not _start(address, workers) and not _start(address, workers):
        raise WhywordError(
            "Ray did not start within 30 seconds, and not when asked again: the machine is too "
            "busy; try later, or without Ray"
        )
    try:
        yield
    finally:
        ray.shutdown()


def _start(address: str | None, workers: int | None) -> bool:
    """Connect or start; return whether it did so in the time that Ray gives itself."""
    import ray

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
    except Exception as error:  # Ray has no class for it
        if _TOO_LATE not in str(error):
            raise
        ray.shutdown()
        return False
    return True
