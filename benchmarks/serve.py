"""The server under load, beside the same server explaining one class by PyTorch's autograd.

Each server is a process of its own on the loopback interface, this script another one that asks:
over connections that are kept, with requests made beforehand, reading answers without parsing them
(the first answer to each document is parsed and checked). The documents are posts of 20 Newsgroups
of about 300 words, in rotation. Measured in rounds that go from server to server, medians of them:

- answers at 1 client, in milliseconds, and at 16 clients, per second, of explaining all 20
  classes, in as many processes as the server usually has, and in one; of autograd's gradient ×
  input of the predicted class, in as many processes, in one with as many threads that answer, and
  in one with as many threads of torch, of which the best counts; of predicting alone; of the
  server's bare sign of life;
- memory of all processes of the server over 20,000 requests for documents that it has all seen
  before, since its tables of words fill up to their budget as new words come;
- the answers that four clients get beside 20 that send a byte at a time and 20 that go away in the
  middle of a request or before its answer.

    python benchmarks/serve.py [--rounds 5] [--seconds 5] [--requests 20000] [--model FOLDER]
"""

import argparse
import asyncio
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import numpy as np
import psutil
from figures import keep, ratios
from starlette.types import Message, Receive, Send
from trained import trained

from whyword import CNNClassifier, explain, load_corpus, load_model
from whyword.explanation.explanation import Explanation
from whyword.explanation.row import TOLERANCE
from whyword.models.cnn.network import TABLE_BYTES
from whyword.models.cnn.word_cache import RecentWords
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.limits import Limits
from whyword.web.serving import bound_socket, run, usual_processes
from whyword.words.document import Text

LATENCY = 10.0  # milliseconds at 1 client, at most
FASTER = 4.0  # times the requests of autograd, at least
GROWTH = 10.0  # MB from the second to the last quarter of the requests, at most
SLOWDOWN = 2.0  # times the median answer, at most, beside slow and aborted clients

HOST = "127.0.0.1"
CLIENTS, FEW_CLIENTS = 16, 4
LENGTHS = range(280, 321)  # words of a document
ODD_LENGTH = 0.1  # of an answer, relative to the first one to the same request
ROUNDING = 1e-3  # of the score, in float32
SAMPLES = 20  # of the server's memory
SLOW, ABORTING = 20, 20  # clients
BYTE_SECONDS, ABORT_SECONDS = 0.1, 1.0  # from byte to byte; from one aborted request to the next
LONGEST = 600  # seconds of any one measurement
IDLE = 0.2  # cores that others may take
MB = 1 << 20
WHYWORD, AUTOGRAD = "whyword", "autograd"

# ---- the servers --------------------------------------------------------------------------------


class AutogradEngine(Engine):
    """Explains one class, the predicted one, by torch: gradient × input."""

    def __init__(self, model: CNNClassifier, workers: int, threads: int) -> None:
        # here, so that the server it is compared with does not carry torch
        import torch
        from torch_network import from_network

        # as many answers at a time as there are cores for; torch lets go of Python's lock
        limits = Limits(workers=workers)
        super().__init__(model, limits, cache_bytes=0)
        torch.set_num_threads(threads)
        self._classifier, self._inputs = model, model.inputs_
        self._plain = from_network(model.network_).requires_grad_(False)

    def is_quick(self, texts: Sequence[str], method: str | None = None) -> bool:
        """Say no: torch's answers take longer, and are computed side by side in threads."""
        return False

    def explain(
        self,
        texts: Sequence[str],
        ids: Sequence[str | None],
        deleted: Sequence[Sequence[int]],
        target: object = "predicted",
        against: str | None = None,
        method: str | None = None,
        phrases: bool = False,
        top_classes: int | None = None,
    ) -> list[dict[str, Any]]:
        """Return the explanations of the predicted classes, whatever was asked for."""
        read = self._read(texts, self.limits.words)
        return [self._explained(text, name) for text, name in zip(read, ids, strict=True)]

    def _explained(self, text: Text, name: str | None) -> dict[str, Any]:
        import torch

        batch = self._inputs.batch([text])
        inputs = torch.from_numpy(np.ascontiguousarray(batch.vectors[batch.ids].T))[None]
        inputs.requires_grad_()
        # one text has no padding to mask, and the maximum before relu is the same for less work
        pooled = torch.relu(self._plain.convolution(inputs).amax(dim=2))
        scores = self._plain.output(pooled)[0]
        predicted = int(scores.argmax())
        (gradient,) = torch.autograd.grad(scores[predicted], inputs)
        relevance = (gradient * inputs.detach())[0].sum(dim=0).numpy()
        one = Explanation(
            document=batch.documents[0],
            known=batch.known[batch.ids],
            classes=tuple(self.classes),
            scores=scores.detach().numpy().astype(np.float64),
            target=self.classes[predicted],
            relevance=relevance,
            padding=0.0,
            method="gradient_input",
            model=self.model.identity,
        )
        return one.fields() | {
            "id": name,
            "predicted": one.predicted,
            "probabilities": self._classifier.probabilities(one.scores[None])[0],
            "conserved": one.conserved,
        }


class Shape(NamedTuple):
    """How a server uses the cores."""

    processes: int = 1
    workers: int = 1
    threads: int = 1


def serve(kind: str, shape: Shape, folder: Path) -> None:
    """Serve until terminated; print the port at first, each process its words at last."""
    model = load_model(folder)
    assert isinstance(model, CNNClassifier)
    engine: Engine
    if kind == AUTOGRAD:
        engine = AutogradEngine(model, shape.workers, shape.threads)
    else:
        engine = Engine(model, cache_bytes=TABLE_BYTES // shape.processes)
    app, bound = create_app(engine), bound_socket(HOST, 0)
    port = bound.getsockname()[1]

    async def telling(scope: Message, receive: Receive, send: Send) -> None:
        await app(scope, receive, send)
        if scope["type"] == "lifespan":
            words = getattr(engine.model, "words_", None)  # the engine's own copy keeps them
            kept = words.kept if isinstance(words, RecentWords) else None
            told = (0, 0) if kept is None else (len(kept), kept.capacity)
            os.write(1, f"{told[0]} {told[1]}\n".encode())  # in one piece

    def ready() -> None:
        print(port, flush=True)

    run(telling, bound, engine.limits, ready, shape.processes)


@dataclass
class Server:
    """A server that was started.

    Attributes
    ----------
    process : Popen
    port : int
    remembered, capacity : list of int
        Words in the table of each process, and those that its budget holds; known once it has
        ended.
    """

    process: subprocess.Popen[str]
    port: int
    remembered: list[int] = field(default_factory=list)
    capacity: list[int] = field(default_factory=list)

    def family(self) -> list[psutil.Process]:
        """Return all its processes."""
        first = psutil.Process(self.process.pid)
        return [first, *first.children(recursive=True)]

    def megabytes(self) -> float:
        """Return the memory it takes, what processes share counted once."""
        return float(sum(one.memory_full_info().pss for one in self.family())) / MB


@contextmanager
def started(kind: str, folder: Path, shape: Shape) -> Iterator[Server]:
    """Run a server as long as the context lasts."""
    command = [sys.executable, __file__, "--as-server", kind, "--model", str(folder)]
    command += ["--shape", *map(str, shape)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline()
            if not port:
                raise SystemExit(f"the server ({kind}) did not start")
            server = Server(process, int(port))
            yield server
            process.terminate()
            numbers = list(map(int, process.communicate(timeout=30)[0].split()))
            server.remembered, server.capacity = numbers[::2], numbers[1::2]
        finally:
            process.kill()  # does nothing to one that has ended


# ---- what is asked ------------------------------------------------------------------------------


class Question(NamedTuple):
    """A request, and how long the answer was when it was first asked."""

    request: bytes
    length: int


def asked(port: int, path: str, content: object = None) -> tuple[Question, Any]:
    """Ask once; return the question and the answer."""
    body = b"" if content is None else json.dumps(content).encode()
    method = "GET" if content is None else "POST"
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
    if body:
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    connection = http.client.HTTPConnection(HOST, port, timeout=LONGEST)
    connection.request(method, path, body or None, {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    if response.status != 200:
        raise SystemExit(f"{path} was answered with {response.status}: {answer[:200]!r}")
    return Question(f"{head}\r\n".encode() + body, len(answer)), json.loads(answer)


def explaining(port: int, model: CNNClassifier, texts: Sequence[str]) -> list[Question]:
    """Ask for all classes of each text; check that the answers add up to the scores."""
    questions = []
    for text in texts:
        question, answer = asked(port, "/api/explain", {"documents": [text], "target": "all"})
        (one,) = answer["explanations"]
        relevance, scores = np.array(one["relevance"]), np.array(one["scores"])
        expected = (len(model.inputs_.reader(text)), len(model.classes_))
        left = np.abs(scores - relevance.sum(axis=0) - one["padding"]) / np.maximum(1, abs(scores))
        if relevance.shape != expected or left.max() > TOLERANCE:
            raise SystemExit("an answer is no explanation of all classes")
        questions.append(question)
    return questions


def explaining_one(port: int, model: CNNClassifier, texts: Sequence[str]) -> list[Question]:
    """Ask autograd's server; check that its relevance is the gradient × input that ours is."""
    questions = []
    ours = explain(model, texts, method="gradient_input")
    for text, known in zip(texts, ours, strict=True):
        question, answer = asked(port, "/api/explain", {"documents": [text], "target": "all"})
        (one,) = answer["explanations"]
        # the sums: torch splits a maximum among equal windows
        difference = abs(sum(one["relevance"]) - float(known.relevance.sum()))
        if len(one["relevance"]) != len(known.words) or difference > ROUNDING * known.score:
            raise SystemExit("an answer of autograd is not its gradient × input")
        questions.append(question)
    return questions


def predicting(port: int, texts: Sequence[str]) -> list[Question]:
    """Ask for the predictions alone."""
    return [asked(port, "/api/predict", {"documents": [text]})[0] for text in texts]


# ---- the clients --------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What came of a measurement."""

    milliseconds: list[float] = field(default_factory=list)
    failed: int = 0
    seconds: float = 0.0

    @property
    def median(self) -> float:
        """The median answer, in milliseconds."""
        return statistics.median(self.milliseconds)

    @property
    def slowest(self) -> float:
        """The 99th percentile, in milliseconds."""
        return float(np.percentile(self.milliseconds, 99))

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.milliseconds) / self.seconds


class Client(asyncio.Protocol):
    """One connection: asks, waits for the whole answer, asks again while there are questions."""

    def __init__(self, questions: Iterator[Question], outcome: Outcome) -> None:
        self._questions, self._outcome = questions, outcome
        self._question: Question | None = None
        self._asked = 0.0
        self._head, self._right, self._missing = b"", False, 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask the first question."""
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def _ask(self) -> None:
        self._question = next(self._questions, None)
        if self._question is None:
            self._transport.close()
            return
        self._head, self._missing = b"", 0
        self._asked = time.perf_counter()
        self._transport.write(self._question.request)

    def data_received(self, data: bytes) -> None:
        """Count what comes; look at the head only."""
        if self._missing:
            self._missing -= len(data)
        else:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            length = content_length(head)
            self._right = head.startswith(b"HTTP/1.1 200 ") and self._is_usual(length)
            self._missing = length - len(body)
        if self._missing <= 0:
            self._answered()

    def _is_usual(self, length: int) -> bool:
        usual = self._question.length if self._question else 0
        return abs(length - usual) <= ODD_LENGTH * usual

    def _answered(self) -> None:
        if self._right and self._missing == 0:
            self._outcome.milliseconds.append(1000 * (time.perf_counter() - self._asked))
        else:
            self._outcome.failed += 1
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        """End; a question without an answer has failed."""
        self._outcome.failed += self._question is not None
        if not self.done.done():
            self.done.set_result(None)


def content_length(head: bytes) -> int:
    """Return how long the body is, 0 if the head does not say."""
    _, _, rest = head.lower().partition(b"\r\ncontent-length:")
    return int(rest.partition(b"\r\n")[0] or 0)


async def load(port: int, questions: Iterator[Question], clients: int) -> Outcome:
    """Let so many clients ask the questions, until there are no more."""
    outcome, loop = Outcome(), asyncio.get_running_loop()
    start = time.perf_counter()
    try:
        async with asyncio.timeout(LONGEST):
            made = [
                await loop.create_connection(lambda: Client(questions, outcome), HOST, port)
                for _ in range(clients)
            ]
            await asyncio.gather(*(client.done for _, client in made))
    except TimeoutError:
        raise SystemExit(f"the server stalls: no end after {LONGEST} s") from None
    outcome.seconds = time.perf_counter() - start
    return outcome


def for_seconds(questions: Sequence[Question], seconds: float) -> Iterator[Question]:
    """Yield the questions again and again, for so long."""
    end = time.perf_counter() + seconds
    return takewhile(lambda _: time.perf_counter() < end, cycle(questions))


# ---- clients to be wary of ----------------------------------------------------------------------


async def dribble(port: int, request: bytes, at_once: int) -> None:
    """Send a request byte by byte, after so many bytes at once; when turned away, start again."""
    while True:
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            writer.write(request[:at_once])
            for byte in request[at_once:]:
                if reader.at_eof() or writer.is_closing():
                    break
                writer.write(bytes([byte]))
                await asyncio.sleep(BYTE_SECONDS)
        finally:
            writer.transport.abort()


async def abort(port: int, request: bytes, delay: float) -> None:
    """Send a request, or the part of one, and go; again and again."""
    await asyncio.sleep(delay)
    while True:
        _, writer = await asyncio.open_connection(HOST, port)
        writer.write(request)
        writer.close()
        await asyncio.sleep(ABORT_SECONDS)


async def beside_bad_clients(port: int, questions: Sequence[Question], seconds: float) -> Outcome:
    """Return how a few clients fare beside slow and aborting ones."""
    request = questions[0].request
    body = request.index(b"\r\n\r\n") + 4
    bad = [dribble(port, request, at_once=body * (n % 2)) for n in range(SLOW)]
    for n in range(ABORTING):
        part = request if n % 2 else request[: len(request) // 2]
        bad.append(abort(port, part, delay=ABORT_SECONDS * n / ABORTING))
    tasks = [asyncio.create_task(each) for each in bad]
    await asyncio.sleep(ABORT_SECONDS)  # until all are there
    outcome = await load(port, for_seconds(questions, seconds), FEW_CLIENTS)
    broken = [task for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if broken:
        raise SystemExit(f"a slow or aborting client could not go on: {broken[0].exception()}")
    return outcome


# ---- the measurements ---------------------------------------------------------------------------


@dataclass
class Subject:
    """Something to ask for, of some server, and what came of it in each round."""

    name: str
    port: int
    questions: Sequence[Question]
    alone: list[Outcome] = field(default_factory=list)
    loaded: list[Outcome] = field(default_factory=list)

    def measure(self, seconds: float) -> None:
        """Ask with 1 client, then with many."""
        for clients, outcomes in ((1, self.alone), (CLIENTS, self.loaded)):
            questions = for_seconds(self.questions, seconds)
            outcomes.append(asyncio.run(load(self.port, questions, clients)))

    @property
    def median(self) -> float:
        """Of the answers at 1 client, in milliseconds."""
        return statistics.median(one.median for one in self.alone)

    @property
    def slowest(self) -> float:
        """The 99th percentile of the answers at 1 client, in milliseconds."""
        return statistics.median(one.slowest for one in self.alone)

    @property
    def rate(self) -> float:
        """Answers per second at many clients."""
        return statistics.median(one.rate for one in self.loaded)

    def tell(self) -> None:
        """Print a row."""
        print(f"{self.name:<34}{self.median:9.2f} ms{self.slowest:9.2f} ms{self.rate:12,.0f} /s")


def compare(
    ours: Server,
    model: CNNClassifier,
    folder: Path,
    texts: Sequence[str],
    rounds: int,
    seconds: float,
) -> list[bool]:
    """Measure answers at 1 client and at many; return what was missed."""
    cores = os.cpu_count() or 1
    shapes = {
        f"autograd, 1 class, {cores} processes": Shape(processes=cores),
        f"autograd, 1 class, {cores} workers": Shape(workers=cores),
        f"autograd, 1 class, torch × {cores}": Shape(threads=cores),
    }
    with ExitStack() as stack:
        alone = stack.enter_context(started(WHYWORD, folder, Shape()))
        explained, single = (
            Subject(f"whyword, 20 classes{how}", server.port, explaining(server.port, model, texts))
            for how, server in ((f", {usual_processes()} processes", ours), (", 1 process", alone))
        )
        others = {
            name: stack.enter_context(started(AUTOGRAD, folder, shape))
            for name, shape in shapes.items()
        }
        rivals = [
            Subject(name, server.port, explaining_one(server.port, model, texts))
            for name, server in others.items()
        ]
        predicted = Subject("whyword, prediction only", ours.port, predicting(ours.port, texts))
        bare = Subject("whyword, sign of life", ours.port, [asked(ours.port, "/healthz")[0]])
        subjects = [explained, single, *rivals, predicted, bare]
        with told_others(ours, alone, *others.values()):
            for _ in range(rounds):
                for subject in subjects:
                    subject.measure(seconds)
    print(f"{'':34}{'1 client':>12}{'99 %':>12}{f'{CLIENTS} clients':>15}")
    for subject in subjects:
        subject.tell()
    rival = max(subject.rate for subject in rivals)
    best = max(rivals, key=lambda one: one.rate)
    keep(
        "serve",
        {
            "milliseconds": [one.median for one in explained.alone],
            "autograd_milliseconds": min(one.median for one in rivals),
            "rate": [one.rate for one in explained.loaded],
            "autograd_rate": [one.rate for one in best.loaded],
            "ratio": ratios(
                [one.rate for one in explained.loaded], [one.rate for one in best.loaded]
            ),
            **{
                f"{name}_{what}": values
                for name, one in (("single", single), ("predict", predicted), ("life", bare))
                for what, values in (
                    ("milliseconds", [each.median for each in one.alone]),
                    ("rate", [each.rate for each in one.loaded]),
                )
            },
        },
    )
    return [
        told("at 1 client, median in ms", explained.median, LATENCY),
        told(f"at {CLIENTS} clients, × autograd", explained.rate / rival, FASTER, least=True),
        told(f"at {CLIENTS} clients, 1 process, × autograd", single.rate / rival),
        told(f"at {CLIENTS} clients, × prediction only", explained.rate / predicted.rate),
        told_failures(one for each in subjects for one in (*each.alone, *each.loaded)),
    ]


def watch_memory(ours: Server, questions: Sequence[Question], requests: int) -> list[bool]:
    """Measure memory while many requests are answered; return what was missed."""
    megabytes, outcomes = [], []
    endless, each = cycle(questions), max(1, requests // SAMPLES)
    for _ in range(SAMPLES):
        some = islice(endless, each)
        outcomes.append(asyncio.run(load(ours.port, some, CLIENTS)))
        megabytes.append(ours.megabytes())
    quarter = SAMPLES // 4
    before = statistics.median(megabytes[quarter : 2 * quarter])
    keep("serve_memory", {"megabytes": megabytes[-quarter:], "requests": SAMPLES * each})
    print(
        f"memory, each {each:,} of {SAMPLES * each:,} requests: {megabytes[0]:,.1f} MB at first, "
        f"{megabytes[-1]:,.1f} at last, {max(megabytes):,.1f} at most"
    )
    return [
        told(
            "MB more, last quarter − second (medians)",
            statistics.median(megabytes[-quarter:]) - before,
            GROWTH,
        ),
        told_failures(outcomes),
    ]


def disturb(ours: Server, questions: Sequence[Question], rounds: int, seconds: float) -> list[bool]:
    """Measure answers with and without slow and aborting clients; return what was missed."""
    calm, disturbed = [], []
    for _ in range(rounds):
        usual = for_seconds(questions, seconds)
        calm.append(asyncio.run(load(ours.port, usual, FEW_CLIENTS)))
        disturbed.append(asyncio.run(beside_bad_clients(ours.port, questions, seconds)))
    medians = []
    print(f"{'':34}{'median':>12}{'99 %':>12}")
    for name, outcomes in (("", calm), (f", {SLOW} slow, {ABORTING} aborting", disturbed)):
        medians.append(statistics.median(one.median for one in outcomes))
        slowest = statistics.median(one.slowest for one in outcomes)
        print(f"{f'{FEW_CLIENTS} clients{name}':<34}{medians[-1]:9.2f} ms{slowest:9.2f} ms")
    slower = [one.median / other.median for one, other in zip(disturbed, calm, strict=True)]
    keep("serve_disturbed", {"ratio": slower})
    return [
        told("beside them, × the median", medians[1] / medians[0], SLOWDOWN),
        told_failures((*calm, *disturbed)),
    ]


def told(name: str, found: float, limit: float | None = None, least: bool = False) -> bool:
    """Print a figure beside its limit, if it has one; return whether it was missed."""
    aim = "" if limit is None else f" (must be {'≥' if least else '≤'} {limit:g})"
    print(f"  {name:<42}{found:8.2f}{aim}", flush=True)
    if limit is None:
        return False
    return found < limit if least else found > limit


@contextmanager
def told_others(*servers: Server) -> Iterator[None]:
    """Print what the rest of the machine took meanwhile: it hits the server of most cores most."""
    ours = [psutil.Process(), *(one for server in servers for one in server.family())]

    def spent() -> float:
        everything = psutil.cpu_times()
        idle = everything.idle + getattr(everything, "iowait", 0.0)
        return float(sum(everything) - idle - sum(sum(one.cpu_times()[:2]) for one in ours))

    start, before = time.perf_counter(), spent()
    yield
    others = (spent() - before) / (time.perf_counter() - start)
    judged = "" if others <= IDLE else ": too much to judge by, repeat it on an idle machine"
    print(f"other processes took {others:.2f} of the {os.cpu_count()} cores meanwhile{judged}")


def told_failures(outcomes: Iterable[Outcome]) -> bool:
    """Print how many requests failed; return whether any did."""
    counts = [(one.failed, len(one.milliseconds)) for one in outcomes]
    failed, answered = sum(each[0] for each in counts), sum(each[1] for each in counts)
    print(f"  {failed:,} of {failed + answered:,} requests failed (must be 0)", flush=True)
    return failed > 0


def main() -> None:
    # whoever is terminated ends by way of its ``finally``: no server is left behind
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--requests", type=int, default=20_000, help="while memory is watched")
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    parser.add_argument("--as-server", choices=(WHYWORD, AUTOGRAD), help=argparse.SUPPRESS)
    parser.add_argument("--shape", type=int, nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.as_server:
        serve(arguments.as_server, Shape(*arguments.shape), arguments.model)
        return
    rounds, seconds = arguments.rounds, arguments.seconds
    with TemporaryDirectory() as temporary:
        folder = arguments.model or Path(temporary) / "cnn2"
        news = load_corpus("20newsgroups")
        model = trained("cnn2", news, folder)
        assert isinstance(model, CNNClassifier)
        tokenizer = model.inputs_.reader
        texts = [text for text in news.test.texts if len(tokenizer(text)) in LENGTHS]
        print(
            f"{len(texts)} posts of {LENGTHS[0]} to {LENGTHS[-1]} words, {os.cpu_count()} cores, "
            f"{rounds} rounds of {seconds:g} s, medians"
        )
        with started(WHYWORD, folder, Shape(usual_processes())) as ours:
            missed = compare(ours, model, folder, texts, rounds, seconds)
            questions = explaining(ours.port, model, texts)
            missed += watch_memory(ours, questions, arguments.requests)
            missed += disturb(ours, questions, rounds, seconds)
    print(
        f"the tables held {' and '.join(map('{:,}'.format, ours.remembered))} words at last, of "
        f"{ours.capacity[0]:,} that each has room for, in {TABLE_BYTES // MB} MB together"
    )
    if any(missed):
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
