"""Networks of several kinds on one corpus: how good, how explainable, how long, how large.

CNN2 and SVM, an LSTM, a network of characters, and transformers of 2 and of 6 layers are trained
with their default settings (transformers: those of SETTINGS), one seed, on the training part
of 20 Newsgroups or on 8,000 film reviews of IMDB (read as HTML), one process each, and kept in the
cache folder. Then, on test data: the accuracy; the EPI of element-wise LRP summaries, of 2,000
texts, the same for all models; the accuracy while the most relevant words go, from 500 texts of 100
words at least, those that the model has right, beside three random orders; the time of a training
and of an explanation (processor time, of which others on the machine take nothing), the memory of
the training at its peak and the size of the folder. The EPI is computed in another process, beside
the rest. The figures of a model are written as soon as they are there; one that has them is not
measured again.

Whether a transformer is right is asked in bfloat16, which takes half of the time, and again in
float32 wherever its two best scores are close; how far the two are apart is printed. Relevance is
that of float32.

    python benchmarks/network_kinds.py [--corpus news|imdb] [--only NAME …] [--again] [--out FOLDER]
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from figures import write_results
from numpy.typing import NDArray
from reviews import load_reviews

import whyword as ww
from whyword.base.files import cache_folder
from whyword.base.progress import Progress
from whyword.models.protocol import ElementWise, Scores
from whyword.models.store import fingerprint_of

STEPS = (0, 1, 2, 5, 10, 20, 50)  # words that are gone
POSTS, WORDS, RUNS = 500, 100, 3
SUMMARISED = 2_000  # texts whose summaries the EPI is of
EXPLAINED = 50  # texts whose explanation is timed
CLOSE = 0.5  # scores in bfloat16 that are nearer to each other are asked for again


class Texts(NamedTuple):
    """Labelled texts."""

    texts: list[str]
    labels: list[str]


def texts_of(corpus: str) -> tuple[Texts, Texts]:
    """Return what to train on, and the test part."""
    if corpus == "imdb":
        train, test = load_reviews(0, 8_000, 4_000)
        return Texts(*train), Texts(*test)
    news = ww.load_corpus("20newsgroups")
    return Texts(news.train.texts, news.train.labels or []), Texts(
        news.test.texts, news.test.labels or []
    )


MODELS: dict[str, Callable[[str], Any]] = {
    "svm": lambda base: ww.SVMClassifier(),
    "cnn2": lambda base: ww.CNNClassifier(width=2, filters=800),
    "lstm": lambda base: ww.RecurrentClassifier(),
    "characters": lambda base: ww.CharacterClassifier(),
    "transformer-2": lambda base: ww.TransformerClassifier(base, layers=2, frozen="nothing"),
    "transformer-6": lambda base: ww.TransformerClassifier(base, layers=6, frozen="nothing"),
}
# rates and what is frozen by held-out training texts, epochs and lengths by the hours there were:
# see benchmarks/settings.md; the first 400 words are those of the paper
PARTS = {"length": 128, "max_words": 400, "validation": 500}
WHOLE = PARTS | {"length": 512, "batch_size": 16}
SETTINGS: dict[tuple[str, str], dict[str, Any]] = {
    ("transformer-2", "news"): {**PARTS, "epochs": 5, "learning_rate": 1e-3},
    ("transformer-2", "imdb"): {**PARTS, "epochs": 4},
    ("transformer-6", "news"): {
        **PARTS,
        "length": 256,
        "batch_size": 16,
        "epochs": 6,
        "learning_rate": 3e-4,
        "patience": None,
    },
    ("transformer-6", "imdb"): {**WHOLE, "epochs": 2, "learning_rate": 1e-4},
}


def made(name: str, corpus: str, base: str) -> Any:  # noqa: ANN401 - an estimator
    """Return a model that is not trained yet; reviews hold tags."""
    reader = ww.Reader("html") if corpus == "imdb" else None
    settings = SETTINGS.get((name, corpus), {})
    return MODELS[name](base).set_params(seed=0, reader=reader, **settings)


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that ended."""
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def tell(progress: Progress) -> None:
    """Print what an epoch has led to."""
    if "validation accuracy" in progress.metrics:
        figures = ", ".join(f"{name} {value:.4f}" for name, value in progress.metrics.items())
        print(f"  {progress.number} of {progress.total}: {figures}", flush=True)


def train(name: str, corpus: str, base: str, folder: Path) -> None:
    """Train a model and keep it, with the memory that took."""
    data, _ = texts_of(corpus)
    start, work = time.perf_counter(), processor_seconds()
    model = made(name, corpus, base)
    if "on_progress" in model.get_params():  # a bag of words is trained in one go
        model.set_params(on_progress=tell)
    model.fit(*data)
    model.provenance_ |= {
        "train_seconds": time.perf_counter() - start,
        "train_processor_seconds": processor_seconds() - work,
        "train_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    model.save(folder)


def kept(name: str, corpus: str, base: str, again: bool) -> Path:
    """Return the folder of a model; another process trains it if it is not there."""
    data, _ = texts_of(corpus)
    settings = repr(made(name, corpus, base).get_params())
    digest = fingerprint_of([*data.texts, settings], [*data.labels, settings])[:16]
    folder = cache_folder() / "benchmarks" / f"network-{corpus}-{name}-{digest}"
    if again or not (folder / "model.json").exists():
        print(f"training {name} on {corpus} (once; it is kept) …", flush=True)
        call = [sys.executable, __file__, "--corpus", corpus, "--base", base, "--train", name]
        subprocess.run([*call, "--folder", str(folder)], check=True)
    return folder


def power(folder: Path, corpus: str) -> float:
    """Return the EPI of LRP summaries, element-wise where there are vectors."""
    model, (_, test) = ww.load_model(folder), texts_of(corpus)
    drawn = np.random.default_rng(1).permutation(len(test.texts))[:SUMMARISED]
    known = model.known_words([test.texts[n] for n in drawn])
    chosen = drawn[known > 1].tolist()
    level = "element" if issubclass(model.trace_kind, ElementWise) else "word"
    vectors = ww.summarize(model, [test.texts[n] for n in chosen], level=level)
    return ww.explanatory_power(vectors, [test.labels[n] for n in chosen]).epi


@contextmanager
def roughly(model: Any) -> Iterator[None]:  # noqa: ANN401 - any model
    """Let transformers compute in bfloat16 for a while, in half of the time."""
    if model.kind != "transformer":
        yield
        return
    import torch

    with torch.autocast("cpu", torch.bfloat16):
        yield


def decided(
    model: Any,  # noqa: ANN401 - any model
    scores: Scores,
    texts: Sequence[str],
    deleted: Sequence[NDArray[np.int32]],
) -> NDArray[np.intp]:
    """Return the predicted classes, (n,), by scores that were computed roughly, (n, C).

    Where the two best are close to each other, the model is asked again in float32. That tells how
    rough the scores are; if they are too rough for what was not asked again, it ends.
    """
    best = np.sort(scores, axis=1)[:, -2:]
    close = np.flatnonzero(best[:, 1] - best[:, 0] < CLOSE).tolist()
    if model.kind == "transformer" and close:
        gone = iter([deleted[n] for n in close])
        traces = model.trace([texts[n] for n in close], deleted=gone)
        exact = np.concatenate([trace.scores for trace in traces])
        off = float(np.abs(exact - scores[close]).max())
        print(f"  {len(close)} of {len(scores)} asked again; rough scores are off by {off:.3f}")
        if 2 * off > CLOSE:
            raise SystemExit(f"scores in bfloat16 are off by {off:.3f}: too much")
        scores[close] = exact
    said: NDArray[np.intp] = scores.argmax(axis=1)
    return said


def accuracy_of(model: Any, test: Texts) -> float:  # noqa: ANN401 - any model
    """Return the share of texts that is predicted right."""
    with roughly(model):
        scores = np.concatenate([trace.scores for trace in model.trace(test.texts)])
    nothing = [np.empty(0, np.int32)] * len(test.texts)
    said = model.classes_[decided(model, scores, test.texts, nothing)]
    return float(np.mean(said == np.array(test.labels)))


def right_without(
    model: Any,  # noqa: ANN401 - any model
    texts: Sequence[str],
    classes: NDArray[np.intp],
    orders: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return the shares of texts that are right without the first words of orders, (R, S).

    Parameters
    ----------
    model : TextClassifier
    texts : list of n str
        All of them are predicted right as they are.
    classes : (n,) intp
    orders : (n, R, K) int32
        By position; −1 for words that are not there.
    """
    found, done = [], 0
    for trace in model.trace(texts):
        some = orders[done : done + len(trace)]
        with roughly(model):
            erased = trace.erase(np.arange(len(trace)), some, False, np.array(STEPS))
        found.append(erased.scores)
        done += len(trace)
    scores = np.concatenate(found)
    gone = [(n, order[:step]) for n, each in enumerate(orders) for order in each for step in STEPS]
    said = decided(
        model,
        scores.reshape(-1, scores.shape[-1]),
        [texts[n] for n, _ in gone],
        [words[words >= 0] for _, words in gone],
    )
    right: NDArray[np.float64] = np.mean(
        said.reshape(scores.shape[:-1]) == classes[:, None, None], axis=0
    )
    return right


def deletion(model: Any, test: Texts) -> tuple[int, list[float], list[float]]:  # noqa: ANN401
    """Return how many texts took part, and the accuracy by relevance and by chance."""
    random = np.random.default_rng(0)
    long = [n for n, one in enumerate(test.texts) if len(one.split()) >= WORDS]
    chosen = random.permutation(long)[:POSTS].tolist()
    said = model.predict([test.texts[n] for n in chosen])
    right = [n for n, one in zip(chosen, said, strict=True) if one == test.labels[n]]
    texts = [test.texts[n] for n in right]
    names = model.classes_.tolist()
    classes = np.array([names.index(test.labels[n]) for n in right])
    by_relevance = [np.argsort(-one.relevance, kind="stable") for one in ww.explain(model, texts)]
    by_chance = [[random.permutation(len(one)) for one in by_relevance] for _ in range(RUNS)]
    runs = [by_relevance, *by_chance]
    orders = np.full((len(texts), len(runs), STEPS[-1]), -1, np.int32)
    for run, each in enumerate(runs):
        for number, order in enumerate(each):
            orders[number, run, : len(order)] = order[: STEPS[-1]]
    first, *others = right_without(model, texts, classes, orders)
    return len(right), first.tolist(), np.mean(others, axis=0).tolist()


def area(accuracies: Sequence[float]) -> float:
    """Return the mean accuracy over the words that are gone."""
    return float(np.trapezoid(accuracies, STEPS)) / STEPS[-1]


def seconds_of(model: Any, test: Texts) -> float:  # noqa: ANN401 - any model
    """Return the median processor time of explaining one text for the class that is predicted."""
    times = []
    for text in test.texts[:EXPLAINED]:
        start = time.process_time()
        ww.explain(model, text)
        times.append(time.process_time() - start)
    return float(np.median(times))


def report(name: str, folder: Path, corpus: str) -> dict[str, Any]:
    """Return, and print, all that was measured of a model."""
    _, test = texts_of(corpus)
    model = ww.load_model(folder)
    facts = model.provenance_
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as beside:
        powerful = beside.submit(power, folder, corpus)  # takes as long as all the rest
        accuracy = accuracy_of(model, test)
        print(f"{name} on {corpus}, test accuracy {accuracy:.2%}", flush=True)
        each = seconds_of(model, test)
        count, gone, random = deletion(model, test)
        epi = powerful.result()
    print(f"  EPI {epi:.4f}")
    spent = facts["train_seconds"], facts["train_processor_seconds"]
    print(
        f"  trained in {spent[0] / 60:.1f} minutes ({spent[1] / 60:.1f} of a processor) and",
        end=" ",
    )
    print(f"{facts['train_megabytes']:,.0f} MB; a folder of {size:,.0f} MB;", end=" ")
    print(f"held-out accuracy {facts.get('validation_accuracy') or float('nan'):.2%}")
    print(f"  an explanation: {1000 * each:.1f} ms of a processor (median of {EXPLAINED})")
    print(f"  words gone, of {count} texts  " + " ".join(f"{step:6}" for step in STEPS) + "   area")
    for title, values in (("by LRP", gone), ("at random", random)):
        figures = " ".join(f"{value:6.3f}" for value in values)
        print(f"  {title:26} {figures} {area(values):6.3f}", flush=True)
    return {
        "model": name,
        "corpus": corpus,
        "accuracy": accuracy,
        "epi": epi,
        "deletion": {"texts": count, "lrp": gone, "random": random},
        "explanation_processor_seconds": each,
        "megabytes": size,
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "provenance": facts,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpus", choices=("news", "imdb"), default="news")
    parser.add_argument("--only", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--base", default="minilm-l6", help="what transformers start from")
    parser.add_argument("--again", action="store_true", help="train and measure anew")
    parser.add_argument("--train-only", action="store_true", help="measure another time")
    parser.add_argument("--out", type=Path, help="a folder for the figures, a JSON of each model")
    parser.add_argument("--train", choices=list(MODELS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        train(arguments.train, arguments.corpus, arguments.base, arguments.folder)
        return
    for name in arguments.only:
        folder = kept(name, arguments.corpus, arguments.base, arguments.again)
        out = arguments.out and arguments.out / f"{arguments.corpus}-{name}.json"
        if arguments.train_only or (out and out.exists() and not arguments.again):
            continue
        figures = report(name, folder, arguments.corpus)
        if out:
            write_results(out, figures)


if __name__ == "__main__":
    main()
