"""A served model under attack: what a good client notices of it.

`whyword serve` runs as a user would start it, on the loopback interface. A good client asks it 40
times a second, over six connections that are kept and two that are opened anew each time, to
predict and explain ordinary posts of 20 Newsgroups, and compares every answer with what the model
says itself. It does so in peace, then beside attackers of several kinds (`benchmarks/attackers.py`,
in a process of their own), then in peace again:

- bodies: a million numbers, strings or objects where 64 texts are taken, 100,000 unknown
  keys, two million brackets, a number of a million digits; one each 200 ms;
- headers: 200 MB of them, one endless, many, long ones;
- slow: 40 connections that send their headers or bodies byte by byte;
- readers: 24 connections that ask for four long answers each and hardly read them;
- idle: 150 connections that say nothing, or stop after a few words;
- killed: two worker processes, with SIGKILL;
- overwritten: the files of the served model, in place, by another model of the same size, by a
  smaller one, and at last cut off.

An answer's time counts from when it was due, whether or not the one before was late. A request
whose connection was cut is asked once more where workers are killed, and only there.

    python benchmarks/attack.py [--seconds 20] [--quick] [--model FOLDER] [--only PHASE …]
"""

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

import attackers
import numpy as np
import psutil
from serve import LENGTHS, Server, content_length
from trained import trained

from whyword import CNNClassifier, Corpus, SVMClassifier, explain, load_corpus

P99 = 250.0  # milliseconds, at most
MEMORY = 1.1  # times what it was after the first phase, at most

HOST = attackers.HOST
KEPT, ANEW = 6, 2  # connections of the good client
RATE = 40.0  # its requests a second
TEXTS = 40
TIMEOUT = 10.0  # seconds until the good client gives up
SAME = 1e-4  # relative to the largest number of an answer
CALM = 0.1  # cores that the server may still take before the next phase begins
LONGEST_CALM = 90.0  # seconds to wait for that
QUICK = 5.0  # seconds of a phase
SAMPLE_SECONDS = 0.5  # from one look at the memory to the next
KILLS = 2
RESTS = 3.0  # seconds before the memory is judged
BUSY = 0.2  # cores that others may take
SERVED, LOG = "served", "log"

# ---- what is asked, and the right answers -------------------------------------------------------


@dataclass
class Question:
    """A request, and whether an answer is right.

    Attributes
    ----------
    request : bytes
    is_right : callable
        Of the JSON.
    known : set of bytes
        Answers that were found right.
    """

    request: bytes
    is_right: Callable[[Any], bool]
    known: set[bytes] = field(default_factory=set)

    def answered(self, status: bytes, body: bytes) -> bool:
        """Whether an answer is right."""
        if body not in self.known:
            if status != b"200" or not self.is_right(json.loads(body)):
                return False
            self.known.add(body)
        return True


def questions_of(model: CNNClassifier, texts: Sequence[str]) -> list[Question]:
    """Return questions: half of them predict, a quarter explains the class predicted, one all."""
    return [
        predicting(model, text) if number % 2 else explaining(model, text, TARGETS[number // 2 % 2])
        for number, text in enumerate(texts)
    ]


TARGETS = ("predicted", "all")


def predicting(model: CNNClassifier, text: str) -> Question:
    """Return the question for a text's class."""
    (chances,) = model.predict_proba([text])
    identity = model.identity

    def is_right(answer: Any) -> bool:  # noqa: ANN401 - any JSON
        (one,) = answer["predictions"]
        return answer["model"] == identity and close(one["probabilities"], chances)

    return Question(posted("/api/predict", {"documents": [text]}), is_right)


def explaining(model: CNNClassifier, text: str, target: str) -> Question:
    """Return the question for a text's words."""
    expected = explain(model, text, target)

    def is_right(answer: Any) -> bool:  # noqa: ANN401 - any JSON
        (one,) = answer["explanations"]
        numbers = close(one["relevance"], expected.relevance)
        return bool(numbers and one["words"] == list(expected.words))

    return Question(posted("/api/explain", {"documents": [text], "target": target}), is_right)


def close(found: Sequence[float], expected: object) -> bool:
    """Whether numbers are the same but for rounding."""
    right = np.asarray(expected, np.float64)
    numbers = np.asarray(found, np.float64)
    if numbers.shape != right.shape:
        return False
    return bool(np.abs(numbers - right).max() <= SAME * np.abs(right).max())


def posted(path: str, content: object) -> bytes:
    """Return a request."""
    body = json.dumps(content).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


# ---- the good client ----------------------------------------------------------------------------


@dataclass
class Outcome:
    """What the good client got.

    Attributes
    ----------
    milliseconds : list of float
        Of the right answers.
    failed, wrong, again : int
        Requests without an answer, with a wrong one, and those asked once more.
    reasons : set of str
        Why requests failed.
    """

    milliseconds: list[float] = field(default_factory=list)
    failed: int = 0
    wrong: int = 0
    again: int = 0
    reasons: set[str] = field(default_factory=set)

    def percentile(self, percent: float) -> float:
        """Return that of the answers' times."""
        return float(np.percentile(self.milliseconds or [np.inf], percent))


class Client:
    """One connection of the good client: asks when it is time to.

    Parameters
    ----------
    port : int
    keeps : bool
        Or opens a connection for each request.
    retries : bool
        Whether it asks once more if the connection is cut.
    outcome : Outcome
    """

    def __init__(self, port: int, keeps: bool, retries: bool, outcome: Outcome) -> None:
        self._port, self._keeps, self._retries = port, keeps, retries
        self._outcome = outcome
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask_at(self, times: Iterator[float], questions: Iterator[Question]) -> None:
        """Ask at these times of the clock, or as soon as the answer before is there."""
        for due in times:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await self._ask(next(questions), due)
        self._close()

    async def _ask(self, question: Question, due: float) -> None:
        try:
            try:
                status, body = await self._exchange(question.request)
            except (OSError, EOFError):
                if not self._retries:
                    raise
                self._outcome.again += 1
                status, body = await self._exchange(question.request)
        except (OSError, EOFError) as error:  # among them that it took too long
            self._outcome.failed += 1
            self._outcome.reasons.add(str(error) or type(error).__name__)
            return
        milliseconds = 1000 * (time.perf_counter() - due)
        if question.answered(status, body):
            self._outcome.milliseconds.append(milliseconds)
        elif status == b"200":
            self._outcome.wrong += 1
        else:
            self._outcome.failed += 1
            self._outcome.reasons.add(f"{status.decode()} {body[:80].decode()}")

    async def _exchange(self, request: bytes) -> tuple[bytes, bytes]:
        try:
            async with asyncio.timeout(TIMEOUT):
                if self._streams is None:
                    self._streams = await asyncio.open_connection(HOST, self._port)
                reader, writer = self._streams
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(content_length(head))
        except BaseException:
            self._close()
            raise
        if not self._keeps or b"\r\nconnection: close" in head.lower():
            self._close()
        return head[9:12], body

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


async def good_client(
    port: int, questions: Sequence[Question], seconds: float, retries: bool
) -> Outcome:
    """Ask so many times a second for so long."""
    outcome, connections = Outcome(), KEPT + ANEW
    start = time.perf_counter() + 0.1

    def times(number: int) -> Iterator[float]:
        for turn in count():
            due = (number + turn * connections) / RATE
            if due > seconds:
                return
            yield start + due

    def chosen(number: int) -> Iterator[Question]:
        chance = random.Random(number)
        while True:
            yield chance.choice(questions)

    await asyncio.gather(
        *(
            Client(port, number < KEPT, retries, outcome).ask_at(times(number), chosen(number))
            for number in range(connections)
        )
    )
    return outcome


def warm_up(port: int, questions: Sequence[Question], seconds: float = 60.0) -> None:
    """Ask until every process has met every word: it remembers them, and its memory grows."""
    for question in [*questions] * 6:
        connection = http.client.HTTPConnection(HOST, port, timeout=seconds)
        head, _, body = question.request.partition(b"\r\n\r\n")
        path = head.split()[1].decode()
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        if not question.answered(str(response.status).encode(), response.read()):
            raise SystemExit(f"{path}: the server and the model say different things, in peace")
        connection.close()


# ---- the server ---------------------------------------------------------------------------------


@contextmanager
def serving(folder: Path, log: Path) -> Iterator[Server]:
    """Run the command as long as the context lasts."""
    command = [sys.executable, "-m", "whyword", "serve", str(folder), "--no-open", "--port", "0"]
    with (
        log.open("ab") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            address = re.match(r"http://[^:]+:(\d+)/", process.stdout.readline())
            if address is None:
                raise SystemExit(f"the server did not start: {log.read_text()[-500:]}")
            yield Server(process, int(address[1]))
            process.terminate()
            process.wait(30)
        finally:
            process.kill()  # does nothing to one that has ended


def megabytes(server: Server) -> float:
    """Return the memory that the server takes now, 0 if it has ended."""
    try:
        return server.megabytes()
    except psutil.Error:  # a process went while it was looked at
        return 0.0


def cpu_seconds(server: Server) -> float:
    """Return what the server's processes computed so far, those that have ended as well."""
    try:
        return float(sum(sum(one.cpu_times()[:4]) for one in server.family()))
    except psutil.Error:
        return 0.0


def wait_for_calm(server: Server) -> None:
    """Wait until the server has done what it was still doing."""
    until = time.monotonic() + LONGEST_CALM
    while time.monotonic() < until:
        before = cpu_seconds(server)
        time.sleep(0.5)
        if cpu_seconds(server) - before < 0.5 * CALM:
            return


@contextmanager
def memory_watched(server: Server) -> Iterator[list[float]]:
    """Look at the server's memory again and again; the list has all that was seen, in MB."""
    seen, done = [megabytes(server)], Event()

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            seen.append(megabytes(server))

    thread = Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


# ---- the attacks that are none of clients -------------------------------------------------------


async def kill_workers(server: Server, seconds: float) -> str:
    """Kill processes of the server, all but the first, one after the other."""
    killed = []
    for _ in range(KILLS):
        await asyncio.sleep(seconds / (KILLS + 1))
        workers = server.family()[1:]
        if workers:
            worker = random.Random(0).choice(workers)
            worker.kill()
            killed.append(worker.pid)
    return f"{len(killed)} worker processes killed"


@dataclass
class Overwriting:
    """Writes over the files of a served model, in place.

    Attributes
    ----------
    folder : Path
        That is served.
    same_size, smaller : Path
        Folders of other models.
    """

    folder: Path
    same_size: Path
    smaller: Path

    async def __call__(self, _: Server, seconds: float) -> str:
        """Do so, one after the other."""
        for step in (self._write_same_size, self._copy_smaller, self._cut_off):
            await asyncio.sleep(seconds / 4)
            await asyncio.to_thread(step)
        return "another model of the same size written in place; `cp smaller/* served/`; cut to 0"

    def _write_same_size(self) -> None:
        for source in self.same_size.iterdir():
            with (self.folder / source.name).open("r+b") as stream:
                stream.write(source.read_bytes())

    def _copy_smaller(self) -> None:
        for source in self.smaller.iterdir():
            shutil.copyfile(source, self.folder / source.name)  # as cp does: cut, then written

    def _cut_off(self) -> None:
        for file in self.folder.iterdir():
            os.truncate(file, 0)


def other_models(model: CNNClassifier, folder: Path, news: Corpus) -> tuple[Path, Path]:
    """Save two other models: one of the same size, and a smaller one; return their folders."""
    same_size, smaller = folder / "same-size", folder / "smaller"
    model.shuffled("all", seed=0).save(same_size)
    texts, labels = news.train.texts[:500], (news.train.labels or [])[:500]
    SVMClassifier(C=1.0).fit(texts, labels).save(smaller)
    return same_size, smaller


# ---- the phases ---------------------------------------------------------------------------------

Deed = Callable[[Server, float], Awaitable[str]]


@dataclass
class Phase:
    """A time in which something is done to the server, and what came of it.

    Attributes
    ----------
    name : str
    deed : callable or None
        What is done, beside the good client's requests; returns what was done.
    retries : bool
        Whether the good client asks once more if its connection is cut.
    outcome : Outcome
    memory : list of float
        MB, the last one at the end.
    others : float
        Cores that other processes of the machine took meanwhile.
    done : str
        What was done.
    ended : bool
        Whether the server was gone afterwards.
    """

    name: str
    deed: Deed | None = None
    retries: bool = False
    outcome: Outcome = field(default_factory=Outcome)
    memory: list[float] = field(default_factory=list)
    others: float = 0.0
    done: str = ""
    ended: bool = False

    def run(self, server: Server, questions: Sequence[Question], seconds: float) -> None:
        """Run it."""
        with memory_watched(server) as self.memory, others_watched(server) as others:
            asyncio.run(self._both(server, questions, seconds))
        (self.others,) = others
        wait_for_calm(server)
        self.memory.append(megabytes(server))
        self.ended = server.process.poll() is not None
        self._tell()

    async def _both(self, server: Server, questions: Sequence[Question], seconds: float) -> None:
        asking = good_client(server.port, questions, seconds, self.retries)
        if self.deed is None:
            self.outcome = await asking
        else:
            self.outcome, self.done = await asyncio.gather(asking, self.deed(server, seconds))

    def _tell(self) -> None:
        """Print a row."""
        got = self.outcome
        print(
            f"{self.name:<14}{len(got.milliseconds):7,}{got.failed:7,}{got.wrong:7,}{got.again:7,}"
            f"{got.percentile(50):8.1f} ms{got.percentile(99):8.1f} ms"
            f"{max(self.memory):9,.0f} MB{self.memory[-1]:9,.0f} MB{self.others:8.2f}",
            flush=True,
        )
        for line in (self.done, *sorted(got.reasons)[:5], "THE SERVER ENDED" if self.ended else ""):
            if line:
                print(f"    {line}", flush=True)

    def missed(self) -> list[str]:
        """Return the bounds that were missed."""
        got = self.outcome
        found = {
            f"99th percentile {got.percentile(99):,.0f} ms": got.percentile(99) >= P99,
            f"{got.failed} failed": got.failed > 0,
            f"{got.wrong} wrong": got.wrong > 0,
            "the server ended": self.ended,
        }
        return [f"{self.name}: {what}" for what, missed in found.items() if missed]


def by_attackers(name: str) -> Deed:
    """Return what starts attackers of a kind."""

    async def attack(server: Server, seconds: float) -> str:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "import attackers; attackers.main()"),
            *(name, str(server.port), str(seconds)),
            cwd=Path(__file__).parent,
            stdout=subprocess.PIPE,
        )
        try:
            said, _ = await asyncio.wait_for(process.communicate(), seconds + 30)
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            raise SystemExit(f"the attackers ({name}) ended with {process.returncode}")
        return said.decode().strip()

    return attack


@contextmanager
def others_watched(server: Server) -> Iterator[list[float]]:
    """Put into the list how many cores other processes of the machine took."""
    shares: list[float] = []

    def spent() -> float:
        everything = psutil.cpu_times()
        idle = everything.idle + getattr(everything, "iowait", 0.0)
        ours = sum(psutil.Process().cpu_times()[:4]) + cpu_seconds(server)
        return float(sum(everything) - idle - ours)

    start, before = time.perf_counter(), spent()
    yield shares
    shares.append((spent() - before) / (time.perf_counter() - start))


def attack(
    original: Path,
    folder: Path,
    phases: Sequence[Phase],
    questions: Sequence[Question],
    seconds: float,
) -> list[str]:
    """Run the phases, with one server unless it ends; return what was missed.

    Parameters
    ----------
    original : Path
        The model.
    folder : Path
        For the copy that is served and for the server's log.
    phases, questions : sequences
    seconds : float
        Of each phase.
    """
    print(
        f"{'':14}{'right':>7}{'failed':>7}{'wrong':>7}{'again':>7}{'median':>11}{'99 %':>11}"
        f"{'most':>12}{'then':>12}{'others':>8}"
    )
    missed: list[str] = []
    waiting = list(phases)
    while waiting:
        shutil.rmtree(folder / SERVED, ignore_errors=True)
        shutil.copytree(original, folder / SERVED)
        with serving(folder / SERVED, folder / LOG) as server:
            warm_up(server.port, questions)
            time.sleep(RESTS)
            before = megabytes(server)
            while waiting and server.process.poll() is None:
                waiting[0].run(server, questions, seconds)
                missed += waiting.pop(0).missed()
            time.sleep(RESTS)
            share = megabytes(server) / before
        print(f"memory after all that: {share:.2f} × {before:,.0f} MB", flush=True)
        if share > MEMORY:
            missed.append(f"memory: {share:.2f} × what it was")
    return missed


def main() -> None:
    # whoever is terminated ends by way of its ``finally``: no server is left behind
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:g} seconds")
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    parser.add_argument("--only", nargs="+", metavar="PHASE", help="these, between the quiet ones")
    arguments = parser.parse_args()
    seconds = QUICK if arguments.quick else arguments.seconds
    with TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        original = arguments.model or scratch / "cnn2"
        news = load_corpus("20newsgroups")
        model = trained("cnn2", news, original)
        assert isinstance(model, CNNClassifier)
        overwrite = Overwriting(scratch / SERVED, *other_models(model, scratch, news))
        tokenizer = model.inputs_.reader
        texts = [text for text in news.test.texts if len(tokenizer(text)) in LENGTHS][:TEXTS]
        phases = [
            Phase("quiet"),
            *(Phase(name, by_attackers(name)) for name in attackers.ATTACKS),
            Phase("killed", kill_workers, retries=True),
            Phase("overwritten", overwrite),
            Phase("quiet again"),
        ]
        if arguments.only:
            phases = [
                one for one in phases if one.name in ("quiet", *arguments.only, "quiet again")
            ]
        print(f"{RATE:g} good requests a second, phases of {seconds:g} s, {os.cpu_count()} cores")
        missed = attack(original, scratch, phases, questions_of(model, texts), seconds)
        tracebacks = (scratch / LOG).read_text(errors="replace").count("Traceback")
    print(f"{tracebacks} tracebacks in the server's log (must be 0)")
    missed += ["tracebacks in the log"] * (tracebacks > 0)
    crowd = max(phase.others for phase in phases)
    if crowd > BUSY:
        print(f"other processes took up to {crowd:.2f} cores: repeat it on an idle machine")
    print(
        "\n".join(f"missed: {line}" for line in missed)
        or f"every 99th percentile < {P99:g} ms, no answer failed or wrong, memory as before"
    )
    if missed:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
