"""Two versions beside each other, to see whether anything became slower.

Both run the same work in turn, each in a process of its own that stays: what the other benchmarks
time of ours alone, from raw texts on, with the same saved CNN2.

- predict and explain (all classes) the test posts of 20 Newsgroups;
- train: an epoch of CNN2 on half of the training posts, GloVe 50d;
- serve: 16 clients that ask for all classes of a post, for some seconds;
- stream: explain_corpus of resampled posts, Parquet to Parquet, on all cores.

In a round each does the work twice: there, here, here, there, or the other way round.
Printed is the median over the rounds of time here / time there (serve: of the rates, the other way
round), and the interval that holds the true median at 95 % or more: of 7 rounds, that from the
smallest ratio to the largest. It fails if an interval lies above 1.03.

    git worktree add ../before COMMIT
    python benchmarks/versions.py ../before/src --model FOLDER [--rounds 7] [--documents 100000]
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

import psutil

HERE = Path(__file__).parent.parent / "src"
LIMIT = 1.03
SURE = 0.95
WORK = ("predict", "explain", "train", "serve", "stream")
SERVE_SECONDS, CLIENTS, POSTS = 4.0, 16, 50


# ---- in a process of its own, of either version: only names that both have ----------------------


def work(model_folder: str, source: str, here: str) -> None:
    """Do what is asked for, a line each, and say how long it took."""
    import whyword as ww

    news = ww.load_corpus("20newsgroups")
    model = ww.load_model(model_folder)
    vectors = ww.Vectors.load("glove-6b-50d")
    out = Path(here) / f"out-{os.getpid()}"

    def train() -> None:
        network = ww.CNNClassifier(vectors=vectors, epochs=1, max_words=400, validation=0)
        network.fit(news.train.texts[::2], (news.train.labels or [])[::2])

    todo: dict[str, Callable[[], object]] = {
        "predict": lambda: model.class_scores(news.test.texts),
        "explain": lambda: ww.explain(model, news.test.texts, target="all"),
        "train": train,
        "stream": lambda: ww.explain_corpus(model, source, out),
    }
    ww.explain(model, news.test.texts[:50], target="all")
    print("ready", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        todo[line.strip()]()
        print(time.perf_counter() - start, flush=True)
        shutil.rmtree(out, ignore_errors=True)


class Worker:
    """The process of one version."""

    def __init__(self, src: Path, arguments: list[str], server: list[str]) -> None:
        environment = os.environ | {"PYTHONPATH": str(src)}
        command = [sys.executable, __file__, str(src), "--as-worker", *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, text=True
        )
        self.answer()
        command = [sys.executable, "-m", "whyword", "serve", *server]
        self.server = subprocess.Popen(
            command, env=environment, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        assert self.server.stdout is not None
        self.port = int(self.server.stdout.readline().split()[0].rpartition(":")[2].strip("/"))

    def answer(self) -> str:
        """Return the next line that the process prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a process ended before its work")
        return line

    def seconds(self, name: str) -> float:
        """Return how long some work took."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self.answer())

    def close(self) -> None:
        """End both processes."""
        self.process.kill()
        self.server.terminate()
        self.server.wait(timeout=30)


# ---- here ---------------------------------------------------------------------------------------


def seconds_per_answer(port: int, texts: list[str]) -> float:
    """Return how long a server takes per answer under load."""
    from serve import Question, asked, for_seconds, load

    body: list[dict[str, Any]] = [{"documents": [text], "target": "all"} for text in texts]
    questions: list[Question] = [asked(port, "/api/explain", one)[0] for one in body]
    outcome = asyncio.run(load(port, for_seconds(questions, SERVE_SECONDS), CLIENTS))
    if outcome.failed:
        raise SystemExit(f"{outcome.failed} requests failed")
    return 1 / outcome.rate


def time_of(name: str, version: Worker, texts: list[str]) -> float:
    """Return how long some work takes a version."""
    if name == "serve":
        return seconds_per_answer(version.port, texts)
    return version.seconds(name)


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return the order statistics that hold the true median with a probability of 95 % or more."""
    count, ordered = len(ratios), sorted(ratios)
    within = [
        left
        for left in range(count // 2)
        if 1 - 2 * sum(comb(count, n) for n in range(left + 1)) / 2**count >= SURE
    ]
    left = max(within, default=0)
    return ordered[left], ordered[count - 1 - left]


@contextmanager
def workers(there: Path, model: str, documents: int) -> Iterator[tuple[list[Worker], list[str]]]:
    """Start both versions."""
    from resampled import write_resampled

    from whyword import load_corpus

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        source = Path(folder) / "documents.parquet"
        write_resampled(source, documents)
        texts = load_corpus("20newsgroups").test.texts[::150][:POSTS]
        server = [model, "--no-open", "--port", "0"]
        started = []
        for src in (there, HERE):
            started.append(Worker(src, [model, str(source), folder], server))
            stack.callback(started[-1].close)
        yield started, texts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("there", type=Path, help="the other version's src folder")
    parser.add_argument("--model", required=True, help="a saved CNN2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--documents", type=int, default=100_000, help="of the stream")
    parser.add_argument("--only", nargs="*", choices=WORK, default=WORK)
    arguments = parser.parse_args()
    ratios: dict[str, list[float]] = {name: [] for name in arguments.only}
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in arguments.only}
    with workers(arguments.there.resolve(), arguments.model, arguments.documents) as (both, texts):
        for number in range(arguments.rounds + 1):  # the first is to get warm
            for name in arguments.only:
                # both ways round: what goes first may find the machine in another state
                once = (0, 1, 1, 0) if number % 2 else (1, 0, 0, 1)
                took = [0.0, 0.0]
                for which in once:
                    took[which] += time_of(name, both[which], texts) / 2
                if number:
                    ratios[name].append(took[1] / took[0])
                    seconds[name].append((took[0], took[1]))
            print(f"round {number} of {arguments.rounds}", flush=True)
    slower = []
    print(f"others took {psutil.getloadavg()[0]:.1f} cores in the last minute, ours included")
    for name, each in ratios.items():
        low, high = interval(each)
        there, here = (median(pair[side] for pair in seconds[name]) for side in (0, 1))
        verdict = "slower" if low > LIMIT else "ok"
        print(
            f"{name:8} {median(each):.3f} × the time there, 95 % [{low:.3f}, {high:.3f}] {verdict}"
            f"   (medians {there:.4g} s, {here:.4g} s)"
        )
        slower += [name] if low > LIMIT else []
    print(json.dumps(ratios))
    raise SystemExit(bool(slower))


if __name__ == "__main__":
    if "--as-worker" in sys.argv:
        work(*sys.argv[sys.argv.index("--as-worker") + 1 :])
    else:
        main()
