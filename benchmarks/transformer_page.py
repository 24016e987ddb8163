"""How long the page waits for a transformer: a post of 300 words, one class, over HTTP.

Transformers of 2 and of 6 layers of MiniLM with a head for 20 classes (its numbers do not matter
for the time), each served by a process of its own on the loopback interface, windows of 128 pieces.
The page's own request is sent one at a time over a connection that is kept, for posts of about 300
words, each before and after another; the library's call is timed beside it.

    python benchmarks/transformer_page.py [--posts 15] [--base minilm-l6]
"""

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from figures import keep

import whyword as ww
from whyword.models.bases import base_folder
from whyword.models.pytorch.pooled import PooledEncoder
from whyword.models.pytorch.pretrained import read_base

MILLISECONDS = {2: 150, 6: 500}  # at most
CLASSES, LENGTH = 20, 128
LENGTHS = range(280, 321)  # words of a post
STARTING = 120  # seconds that a server may take


def made(layers: int, base: str) -> ww.TransformerClassifier:
    """Return a transformer with a head that was never trained."""
    labels = [f"class {number}" for number in range(CLASSES)]
    read = read_base(base_folder(base), labels, layers=layers)
    module = PooledEncoder(read.module.base_model, CLASSES).eval()  # type: ignore[arg-type]
    model = ww.TransformerClassifier.from_module(module, read.encoder, labels)
    model.length = LENGTH
    return model


def served(folder: Path) -> tuple["subprocess.Popen[str]", str]:
    """Return a server of a model, and its address once it answers."""
    call = [sys.executable, "-m", "whyword", "serve", str(folder), "--no-open", "--port", "0"]
    server = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        if "http://127.0.0.1:" in line:
            return server, line.split("http://")[1].split("/")[0].strip()
    raise SystemExit("the server did not start")


def asked(address: str, texts: list[str]) -> list[float]:
    """Return how long each text's answer took; the first is asked twice and counted once."""
    connection = http.client.HTTPConnection(address, timeout=STARTING)
    headers = {"Content-Type": "application/json"}
    times = []
    for text in [texts[0], *texts]:
        body = json.dumps({"documents": [text], "target": "predicted"})
        start = time.perf_counter()
        connection.request("POST", "/api/explain", body, headers)
        answer = connection.getresponse()
        content = answer.read()
        times.append(time.perf_counter() - start)
        if answer.status != 200:
            raise SystemExit(f"{answer.status}: {content[:200]!r}")
    return times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--posts", type=int, default=15)
    parser.add_argument("--base", default="minilm-l6")
    arguments = parser.parse_args()
    posts = [
        one for one in ww.load_corpus("20newsgroups:test").texts if len(one.split()) in LENGTHS
    ]
    texts = posts[: arguments.posts]
    missed, figures = False, dict[str, list[float]]()
    for layers, most in MILLISECONDS.items():
        with TemporaryDirectory() as folder:
            made(layers, arguments.base).save(folder)
            model = ww.load_model(folder)
            ww.explain(model, texts[0])
            own = []
            for text in texts:
                start = time.perf_counter()
                ww.explain(model, text)
                own.append(time.perf_counter() - start)
            server, address = served(Path(folder))
            try:
                times = asked(address, texts)
            finally:
                server.terminate()
                server.wait(30)
        page, library = (1000 * statistics.median(some) for some in (times, own))
        spread = 1000 * np.percentile(times, [10, 90])
        print(
            f"{layers} layers: {page:.0f} ms over HTTP (from {spread[0]:.0f} to {spread[1]:.0f}; "
            f"must be ≤ {most}), {library:.0f} ms the library's call; {len(texts)} posts",
            flush=True,
        )
        missed |= page > most
        figures[f"layers_{layers}_milliseconds"] = [1000 * one for one in times]
    keep("transformer_page", figures)
    if missed:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
