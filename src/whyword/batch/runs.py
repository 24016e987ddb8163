"""Corpora larger than memory: explained, predicted, summarised into a folder of Parquet files."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

from whyword.base.checks import exists, expand_path, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.base.threads import usable_cores
from whyword.batch import ray as onray
from whyword.batch.chunks import Chunk, SourceReader
from whyword.batch.folder import Rejects, RunFolder, open_run_folder, plan_of
from whyword.batch.local import Workers
from whyword.batch.parts import EarlierParts
from whyword.batch.tasks import ExplainTask, PredictTask, SummarizeTask, Task, WrittenChunk
from whyword.methods.targets import PREDICTED
from whyword.models.abilities import Caching, removal_by_source

ENGINES = ("local", "ray")
LEXICON_BYTES = 384 << 20  # for frequent words' answers
_SAMPLE = 4  # chunks whose words are counted first


@dataclass(frozen=True)
class Outcome:
    """What a run wrote.

    Attributes
    ----------
    folder : Path
    n_documents, rejected, parts : int
    resumed : int
        How many of the documents an earlier run had done.
    seconds : float
    """

    folder: Path
    n_documents: int
    rejected: int
    parts: int
    resumed: int
    seconds: float


class RunOptions(TypedDict, total=False):
    """How a corpus is gone through; see :func:`explain_corpus`."""

    engine: str
    workers: int | None
    address: str | None
    resume: bool
    strict: bool
    text: str | None
    label: str | Collection[str] | None
    label_separator: str | None
    encoding: str | None
    on_progress: OnProgress | None


def explain_corpus(
    model: object,
    source: str | Path,
    out: str | Path,
    target: object = PREDICTED,
    *,
    method: str | None = None,
    against: object = None,
    top_classes: int | None = None,
    top: int | None = None,
    engine: str = "local",
    workers: int | None = None,
    address: str | None = None,
    resume: bool = False,
    strict: bool = False,
    text: str | None = None,
    encoding: str | None = None,
    on_progress: OnProgress | None = None,
    **parameters: float | str,
) -> Outcome:
    """Explain a corpus of any size; write a folder of Parquet files, a row for each document.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    source : str or Path
        A CSV, TSV, JSON Lines or Parquet file, a folder of them, a pattern like
        ``"2024-*.csv"``, or a corpus that :func:`~whyword.load_corpus` knows.
    out : str or Path
        The folder; new, or empty, or with `resume` that of a run which did not end.
    target, method, against, **parameters
        As for :func:`~whyword.explain`.
    top_classes : int, optional
        Explain each document's so many classes with the highest scores, instead of `target`: the
        ``top`` of :func:`~whyword.explain`.
    top : int, optional
        Keep so many words of each document, the strongest; `left_out` has what the others bear.
    engine : {"local", "ray"}
        All cores of this machine, or a Ray cluster.
    workers : int, optional
        Processes that work; by default one for each core.
    address : str, optional
        Of a running Ray cluster; by default one is started on this machine.
    resume : bool
        Go on with a run that was interrupted: what it wrote stays.
    strict : bool
        Stop at a row that cannot be read, instead of writing it to ``_rejects.jsonl``, and at an
        explanation that does not add up to the score.
    text, encoding
        As for :func:`~whyword.load_corpus`.
    on_progress : callable, optional
        Called with the :class:`~whyword.base.progress.Progress`, again and again.

    Examples
    --------
    ::

        explain_corpus(model, "mails/*.jsonl", "why", top=20)
        pandas.read_parquet("why")
    """
    top = None if top is None else whole_number("top", top)
    target = list(target) if isinstance(target, tuple | set | frozenset) else target
    task = ExplainTask(model, target, method, parameters, against, top, strict, top_classes)
    how: RunOptions = {
        "engine": engine,
        "workers": workers,
        "address": address,
        "resume": resume,
        "strict": strict,
        "text": text,
        "encoding": encoding,
        "on_progress": on_progress,
    }
    return _run(task, source, out, **how)


def predict_corpus(
    model: object, source: str | Path, out: str | Path, **how: Unpack[RunOptions]
) -> Outcome:
    """Predict the classes of a corpus of any size; write a folder of Parquet files.

    The columns are `id`, `label` (if the source has any), `predicted`, `probability`,
    `known_words`, `classes`, `scores` and `probabilities`.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    source, out, **how
        As for :func:`explain_corpus`.
    """
    return _run(PredictTask(model), source, out, **how)


def summarize_corpus(
    model: object,
    source: str | Path,
    out: str | Path,
    method: str | None = None,
    level: str = "word",
    target: object = PREDICTED,
    **how: Unpack[RunOptions],
) -> Outcome:
    """Make vectors of the documents of a corpus of any size; write a folder of Parquet files.

    The columns are `id` and `vector`, or, of a bag of words, `places` and `values`.

    Parameters
    ----------
    model : TextClassifier, or anything that a :class:`~whyword.BlackBox` takes
    source, out, **how
        As for :func:`explain_corpus`.
    method, level, target
        As for :func:`~whyword.summarize`.
    """
    return _run(SummarizeTask(model, method, level, target), source, out, **how)


def _run(task: Task, source: str | Path, out: str | Path, **how: Unpack[RunOptions]) -> Outcome:
    engine, address = how.get("engine", "local"), how.get("address")
    if engine not in ENGINES:
        raise InputError(Argument("engine"), f" may be 'local' or 'ray', not {engine!r:.40}")
    if engine == "local" and address is not None:
        raise InputError(
            "an address is that of a Ray cluster: say ", Argument("engine", "ray"), ", too"
        )
    if engine == "ray":
        onray.check_ray()
    if how.get("workers") is not None:
        whole_number("workers", how["workers"])
    start = time.monotonic()
    about = task.about()  # raises if the task makes no sense
    removed = removal_by_source(task.model)
    reader = SourceReader.of(
        source,
        how.get("text"),
        how.get("encoding"),
        removed,
        how.get("label"),
        how.get("label_separator"),
    )
    place = expand_path(out).absolute()  # machines and processes may stand elsewhere
    _check_apart(place, expand_path(source))
    plan = plan_of(about, reader, LEXICON_BYTES)
    with open_run_folder(place, plan, how.get("resume", False)) as folder:
        resumed = folder.n_documents
        if folder.rejected is None:
            folder.complete(_process_chunks(task, reader, folder, how))
    seconds = time.monotonic() - start
    return Outcome(
        folder=folder.path,
        n_documents=folder.n_documents,
        rejected=folder.rejected or 0,
        parts=len(folder.done),
        resumed=resumed,
        seconds=seconds,
    )


def _check_apart(out: Path, source: Path) -> None:
    """Raise if what is written would be read the next time."""
    if exists(source) and source.is_dir() and out.resolve().is_relative_to(source.resolve()):
        raise InputError(f"{out} is in the folder that is read; name another one")


def _process_chunks(task: Task, reader: SourceReader, folder: RunFolder, how: RunOptions) -> int:
    """Do what is not done yet; return how many rows could not be read."""
    report, n_documents, share = how.get("on_progress") or ignore, 0, 0.0
    run = _run_on_ray if how.get("engine") == "ray" else _run_locally
    with Rejects(folder.path) as rejects:
        for part, read in run(task, reader, folder, rejects, how):
            n_documents += part.n_documents
            share = max(share, (part.place.shard + read) / len(reader.shards))
            report(Progress(task.stage, n_documents=n_documents, share=share))
    return rejects.count


def _run_on_ray(
    task: Task, reader: SourceReader, folder: RunFolder, rejects: Rejects, how: RunOptions
) -> Iterator[WrittenChunk]:
    strict = how.get("strict", False)
    model, _ = cache_frequent_words(task.model, reader, strict)
    ready = replace(task, model=model)
    running = onray.run(
        ready, reader, folder, rejects, strict, how.get("workers"), how.get("address")
    )
    for done in running:
        folder.record(done.part)
        yield done


def _run_locally(
    task: Task, reader: SourceReader, folder: RunFolder, rejects: Rejects, how: RunOptions
) -> Iterator[WrittenChunk]:
    with Workers(how.get("workers") or usable_cores(), inherited=folder.lock) as workers:
        strict, earlier = how.get("strict", False), folder.earlier

        def warm_up(ahead: list[Chunk]) -> None:
            workers.warm_up(sum(chunk.place not in earlier.done for chunk in ahead))

        model, chunks = cache_frequent_words(task.model, reader, strict, warm_up)
        work = partial(replace(task, model=model).write, folder=folder.path)
        del model  # the processes have it
        unwritten = _unwritten_chunks(chunks, earlier, rejects)
        running = workers.run(work, unwritten, on_result=lambda done: folder.record(done.part))
        del work
        yield from running


def _unwritten_chunks(
    chunks: Iterable[Chunk], earlier: EarlierParts, rejects: Rejects
) -> Iterator[Chunk]:
    """Read everything; yield the chunks that are not written yet."""
    read = set()
    for chunk in chunks:
        rejects.add(chunk.bad_rows)
        read.add(chunk.place)
        if chunk.records and not earlier.has(chunk):
            yield chunk
    earlier.check_all_read(read)


def cache_frequent_words(
    model: Any,  # noqa: ANN401 - any model
    reader: SourceReader,
    strict: bool = False,
    on_read: Callable[[list[Chunk]], object] | None = None,
) -> tuple[Any, Iterator[Chunk]]:
    """Return the model with its answers to words that are frequent in the first documents.

    And the chunks of all documents: the first ones are not read again. `on_read` is called with
    these before the model is asked, which takes a while.
    """
    if not isinstance(model, Caching):
        return model, reader.all_chunks(strict)
    ahead, chunks = reader.look_ahead(_SAMPLE, strict)
    if on_read is not None:
        on_read(ahead)
    texts = (record.text for chunk in ahead for record in chunk.records)
    return model.cache_frequent_words(texts, LEXICON_BYTES), chunks
