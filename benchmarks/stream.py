"""A million documents through the local engine, beside the same work in memory; and through Ray.

The documents are posts of 20 Newsgroups with their lines drawn anew (resampled.py), a Parquet file;
the model is CNN2, every word of each document is explained for the predicted class. Printed:

- documents per second and core in memory: tokenising and the kernels, nothing read or written, as
  many processes as cores at the same time, each in one thread, a tenth of a minute or so; as
  `explain` computes it, and with the answers to frequent words computed beforehand as the engine
  does;
- documents per second and core of `whyword explain --out FOLDER`, from its start to its end, and
  the memory of all its processes (what they share counted once), sampled all the time;
- where the time goes, measured in one process: reading, tokenising, look-up, kernels, columns,
  writing;
- with --ray: 200,000 documents by both engines in turns, the cluster started before.

    python benchmarks/stream.py [--documents 1000000] [--model FOLDER] [--ray] [--folder /tmp]
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psutil
import pyarrow.parquet as pq
from figures import keep
from resampled import write_resampled
from trained import trained

from whyword import CNNClassifier, explain_corpus, load_corpus
from whyword.base.threads import usable_cores, use_one_thread
from whyword.batch.chunks import Chunk, Place, SourceReader
from whyword.batch.parts import write_part
from whyword.batch.runs import LEXICON_BYTES, cache_frequent_words
from whyword.batch.tasks import ExplainTask
from whyword.models.cnn.word_cache import FrequentWords

SLOWER = 1.2  # times the time in memory, at most
MEMORY = 2048.0  # MB, at most
GROWTH = 50.0  # MB from the second quarter of the run to the last, at most
RAY = 1.3  # times the time of the local engine, at most
RAY_DOCUMENTS = 200_000
CHUNKS = 8  # that each process works on in memory
SKIPPED = 4  # those that frequent words are counted in
MB = 1 << 20

_task: ExplainTask | None = None
_chunks: list[Chunk] = []


# ---- in memory --------------------------------------------------------------------------------


def seconds_in_memory(number: int) -> float:
    """Return how long the kernels take for the chunks, in this process."""
    use_one_thread()
    assert _task is not None
    for _ in _task.request.answers([record.text for record in _chunks[0].records[:32]]):
        pass
    start = time.perf_counter()
    for chunk in _chunks:
        for _ in _task.request.answers([record.text for record in chunk.records]):
            pass
    return time.perf_counter() - start


def in_memory(task: ExplainTask, chunks: list[Chunk], cores: int) -> float:
    """Return documents per second and core, all cores at work."""
    global _task, _chunks
    _task, _chunks = task, chunks
    documents = sum(len(chunk.records) for chunk in chunks)
    with ProcessPoolExecutor(cores, get_context("fork")) as pool:
        seconds = list(pool.map(seconds_in_memory, range(cores)))
    return documents / statistics.mean(seconds)


# ---- streaming --------------------------------------------------------------------------------


class Streamed(NamedTuple):
    """How long a run took, and the memory of its processes, sampled."""

    seconds: float
    megabytes: list[float]


def streamed(model: Path, source: Path, out: Path) -> Streamed:
    """Run the command, and watch it."""
    command = [sys.executable, "-m", "whyword", "explain", *map(str, (model, source, "--out", out))]
    start, megabytes = time.perf_counter(), []
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            time.sleep(0.5)
            megabytes.append(memory_of(process.pid))
    if process.returncode:
        raise SystemExit("the run failed")
    return Streamed(time.perf_counter() - start, [each for each in megabytes if each])


def memory_of(pid: int) -> float:
    """Return what a process and those below it take, in MB."""
    total = 0
    try:
        first = psutil.Process(pid)
        for process in (first, *first.children(recursive=True)):
            total += process.memory_full_info().pss
    except psutil.Error:  # one has just ended
        return 0.0
    return total / MB


def rows_of(folder: Path) -> int:
    """Return how many documents there are."""
    return sum(pq.read_metadata(file).num_rows for file in folder.glob("part-*"))


def size_of(folder: Path) -> int:
    """Return the bytes of a folder's files."""
    return sum(file.stat().st_size for file in folder.iterdir())


# ---- where the time goes ----------------------------------------------------------------------


def profile(task: ExplainTask, source: Path, folder: Path) -> dict[str, float]:
    """Return microseconds per document of each stage, in this process.

    To look up a word is to compute the answers to those that are not frequent, too.
    """
    reader = SourceReader.of(source)
    found: dict[str, float] = {}

    def timed(name: str, work: Callable[[], object]) -> None:
        start = time.perf_counter()
        work()
        found[name] = time.perf_counter() - start

    use_one_thread()
    chunks: list[Chunk] = []
    timed("reading", lambda: chunks.extend(islice(reader.chunks(0), SKIPPED + CHUNKS)))
    read = sum(len(chunk.records) for chunk in chunks)
    chunks = chunks[SKIPPED:]
    count = sum(len(chunk.records) for chunk in chunks)
    texts = [[record.text for record in chunk.records] for chunk in chunks]
    model: CNNClassifier = task.model
    words = model.words_
    assert isinstance(words, FrequentWords)

    def batches() -> Iterator[object]:
        for some in texts:
            yield from words.batches(some)

    def tables() -> None:
        for number, chunk in enumerate(chunks):
            made[number] = task.table(chunk.records)

    def write() -> None:
        for number, table in made.items():
            write_part(folder, Place(0, number), chunks[number].digest(), table)

    made: dict[int, object] = {}
    timed("tokenising", lambda: [words.inputs.reader(text) for some in texts for text in some])
    timed("to rare words' rows", lambda: [None for _ in batches()])
    timed("to the kernels' end", lambda: [None for t in texts for _ in task.request.answers(t)])
    timed("to columns", tables)
    timed("writing", write)
    whole = {
        "reading": found["reading"] * count / read,
        "tokenising": found["tokenising"],
        "look_up": found["to rare words' rows"] - found["tokenising"],
        "kernels": found["to the kernels' end"] - found["to rare words' rows"],
        "columns": found["to columns"] - found["to the kernels' end"],
        "writing": found["writing"],
    }
    return {name: 1e6 * seconds / count for name, seconds in whole.items()}


# ---- Ray --------------------------------------------------------------------------------------


def beside_ray(model: CNNClassifier, source: Path, folder: Path, rounds: int) -> bool:
    """Run both engines in turns; return whether Ray's was too slow."""
    import ray

    ray.init("local", include_dashboard=False, log_to_driver=False)
    seconds: dict[str, list[float]] = {"local": [], "ray": []}
    for _ in range(rounds):
        for engine, times in seconds.items():
            out = folder / engine
            rmtree(out, ignore_errors=True)
            times.append(explain_corpus(model, source, out, engine=engine).seconds)
    ray.shutdown()
    files = sorted(file.name for file in (folder / "local").glob("part-*"))
    same = all(
        (folder / "local" / name).read_bytes() == (folder / "ray" / name).read_bytes()
        for name in files
    )
    local, ours = (statistics.median(seconds[engine]) for engine in ("local", "ray"))
    print(f"{RAY_DOCUMENTS:,} documents: local {local:.1f} s, Ray {ours:.1f} s", flush=True)
    print(f"  the {len(files)} files are {'the same' if same else 'NOT the same'}")
    return told("Ray, × the local engine's time", ours / local, RAY) or not same


def told(name: str, found: float, limit: float | None = None) -> bool:
    """Print a figure beside its limit, if it has one; return whether it was missed."""
    aim = "" if limit is None else f" (must be ≤ {limit:g})"
    print(f"  {name:<46}{found:10.2f}{aim}", flush=True)
    return limit is not None and found > limit


def documents_of(path: Path, count: int) -> Path:
    """Return a file of so many documents, made unless it is there."""
    if not path.exists():
        draft = path.with_suffix(".draft")
        write_resampled(draft, count)
        draft.replace(path)
    return path


def quarters(values: Sequence[float]) -> tuple[float, float]:
    """Return the medians of the second quarter and of the last."""
    size = max(1, len(values) // 4)
    return statistics.median(values[size : 2 * size]), statistics.median(values[-size:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    parser.add_argument("--ray", action="store_true", help="compare the engines, too")
    parser.add_argument("--rounds", type=int, default=1, help="of the comparison")
    parser.add_argument("--folder", type=Path, help="where documents stay, for other runs")
    arguments = parser.parse_args()
    cores = usable_cores()
    with TemporaryDirectory(dir=arguments.folder) as temporary:
        scratch = Path(temporary)
        kept = arguments.folder or scratch
        model = trained("cnn2", load_corpus("20newsgroups"), arguments.model or scratch / "cnn2")
        assert isinstance(model, CNNClassifier)
        count = arguments.documents
        source = documents_of(kept / f"resampled-{count}.parquet", count)
        chunks = list(islice(SourceReader.of(source).chunks(0), SKIPPED + CHUNKS))[SKIPPED:]
        plain = ExplainTask(model, "predicted", "lrp", {})
        memory = in_memory(plain, chunks, cores)
        ahead = in_memory(
            replace(plain, model=cache_frequent_words(model, SourceReader.of(source))[0]),
            chunks,
            cores,
        )
        print(
            f"{count:,} documents, {source.stat().st_size / count:,.0f} bytes each; {cores} cores"
        )
        print(f"in memory, documents/s and core: {memory:,.0f}; frequent words ahead: {ahead:,.0f}")
        del chunks
        if arguments.model is None:
            model.save(scratch / "saved")
        found = streamed(arguments.model or scratch / "saved", source, scratch / "why")
        rate = count / found.seconds / cores
        written = size_of(scratch / "why")
        second, last = quarters(found.megabytes)
        print(
            f"streamed: {found.seconds:,.1f} s, {rate:,.0f} documents per second and core; "
            f"{written / count:,.0f} bytes written each"
        )
        keep(
            "stream",
            {
                "seconds": found.seconds,
                "rate": count / found.seconds,
                "core_rate": rate,
                "memory_rate": memory,
                "ahead_rate": ahead,
                "time_to_memory": memory / rate,
                "time_to_ahead": ahead / rate,
                "megabytes": max(found.megabytes),
                "megabytes_grown": last - second,
                "bytes_read": source.stat().st_size / count,
                "bytes_written": written / count,
            },
        )
        missed = [
            told("time, × in memory", memory / rate, SLOWER),
            told("time, × in memory, frequent words ahead", ahead / rate),
            told("MB at most, all processes together", max(found.megabytes), MEMORY),
            told("MB more, last quarter − second (medians)", last - second, GROWTH),
            rows_of(scratch / "why") != count,
        ]
        rmtree(scratch / "why")
        if arguments.ray:
            some = documents_of(kept / f"resampled-{RAY_DOCUMENTS}.parquet", RAY_DOCUMENTS)
            missed.append(beside_ray(model, some, scratch, arguments.rounds))
        ready = replace(plain, model=cache_frequent_words(model, SourceReader.of(source))[0])
        print(f"microseconds for a document, one process ({LEXICON_BYTES // MB} MB for words):")
        stages = profile(ready, source, scratch)
        stages["together"] = sum(stages.values())
        keep("stream_stages", stages)
        for name, micros in stages.items():
            print(f"  {name:<46}{micros:10.1f}")
    if any(missed):
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
