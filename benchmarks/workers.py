"""Several processes of one server: gunicorn's, as they serve, beside uvicorn's own workers.

Both serve the same saved CNN2 on the loopback interface, one after the other in rounds, for 16
clients that ask for all 20 classes of posts of about 300 words (see serve.py). Of each are printed
the seconds from its start to its first answer, the median of its answers per second and of their
ratio to gunicorn's in the same round, and the memory of all its processes in the end, what they
share counted once.

    python benchmarks/workers.py --model FOLDER [--rounds 7] [--seconds 3] [--processes 2]
"""

import argparse
import asyncio
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import uvicorn
from serve import HOST, LENGTHS, Server, asked, explaining, for_seconds, load
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from whyword import CNNClassifier, load_corpus, load_model
from whyword.models.cnn.network import TABLE_BYTES
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.limits import Limits
from whyword.web.serving import bound_socket, run, usual_processes

GUNICORN, UVICORN = KINDS = ("gunicorn", "uvicorn")
CLIENTS, POSTS = 16, 100
MODEL, COUNT = "WHYWORD_BENCHMARK_MODEL", "WHYWORD_BENCHMARK_PROCESSES"


def app() -> ASGIApp:
    """Return the application: uvicorn's workers call this by its name."""
    cache_bytes = TABLE_BYTES // int(os.environ[COUNT])
    return create_app(Engine(load_model(os.environ[MODEL]), cache_bytes=cache_bytes))


def serve(kind: str) -> None:
    """Serve until terminated; print the port at first."""
    bound, count = bound_socket(HOST, 0), int(os.environ[COUNT])
    print(bound.getsockname()[1], flush=True)
    if kind == GUNICORN:
        run(app(), bound, Limits(), processes=count)
    else:
        configuration = uvicorn.Config(
            "workers:app",
            factory=True,
            workers=count,
            lifespan="on",
            access_log=False,
            log_level="warning",
        )
        Multiprocess(configuration, sockets=[bound]).run()


def start(kind: str, stack: ExitStack) -> Server:
    """Return a server that answers; it ends with the stack."""
    begun = time.perf_counter()
    command = [sys.executable, __file__, "--as-server", kind]
    process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    stack.callback(process.terminate)
    assert process.stdout is not None
    server = Server(process, int(process.stdout.readline()))
    asked(server.port, "/healthz")
    print(f"{kind}: {time.perf_counter() - begun:.1f} s to the first answer", flush=True)
    return server


def compare(folder: Path, rounds: int, seconds: float) -> None:
    """Measure both in turn."""
    model = load_model(folder)
    assert isinstance(model, CNNClassifier)
    posts = load_corpus("20newsgroups").test.texts
    texts = [text for text in posts if len(model.inputs_.reader(text)) in LENGTHS][:POSTS]
    rates: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with ExitStack() as stack:
        servers = {kind: start(kind, stack) for kind in KINDS}
        questions = {kind: explaining(servers[kind].port, model, texts) for kind in KINDS}
        for number in range(rounds + 1):
            for kind in KINDS:
                some = for_seconds(questions[kind], seconds)
                outcome = asyncio.run(load(servers[kind].port, some, CLIENTS))
                if outcome.failed:
                    raise SystemExit(f"{outcome.failed} requests failed")
                if number:  # the first one fills the tables of words
                    rates[kind].append(outcome.rate)
        for kind in KINDS:
            ratio = median(a / b for a, b in zip(rates[kind], rates[GUNICORN], strict=True))
            print(
                f"{kind}: {median(rates[kind]):,.0f} answers/s, {ratio:.2f} × gunicorn's, "
                f"{servers[kind].megabytes():,.0f} MB"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--processes", type=int, default=usual_processes())
    parser.add_argument("--as-server", choices=KINDS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.as_server:
        serve(arguments.as_server)
        return
    os.environ |= {MODEL: str(arguments.model), COUNT: str(arguments.processes)}
    compare(arguments.model, arguments.rounds, arguments.seconds)


if __name__ == "__main__":
    main()
