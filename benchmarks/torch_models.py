"""Explaining a torch model: our LRP beside the plain forward pass, LXT, captum and SHAP.

A BERT of random weights (6 layers of 384, 20 classes), a batch of 32 texts of 128 words, and a
bi-LSTM (128 in each direction, 32 texts of 100 words). Ours is timed from texts to explanations.

- the plain forward pass, on ids, nothing kept for a backward pass;
- LXT's efficient mode, one class, in an environment of its own with transformers 4
  (the first run makes it), the same weights and ids;
- captum's integrated gradients, 50 steps, one class, a few texts; SHAP's partition explainer with
  its defaults, a few texts, all classes at once;
- all 20 classes at once beside 20 calls, in batches of 8.

Everybody has a process of their own and the same threads; they take turns, and a time is the median
of the rounds after the first. Memory is the peak beyond the loaded model. Beside each time stands
how many times longer the slowest round took than the fastest: where that is much, something else
ran on the machine, ratios mean nothing, and the run says so.

    python benchmarks/torch_models.py [--rounds 5]
"""

import argparse
import tempfile
from contextlib import ExitStack
from pathlib import Path

import torch
from contenders import FEW, Contender, save_bert, save_ids
from figures import keep, ratios
from lxt_process import lxt_python

TEXTS, WORDS, CLASSES = 32, 128, 20
LONG, SHORT = 100, 8  # words for the LSTM; texts where every class is explained
MOST = {"bert": 3, "lstm": 15}  # times the forward pass
SPREAD = 1.3  # of rounds; more, and the machine was busy
LEAST = {"lxt": 1, "captum": 10, "shap": 50, "calls": 1.1}  # times faster


def take_turns(
    folder: Path, names: list[str], rounds: int, pythons: dict[str, str] | None = None
) -> dict[str, Contender]:
    """Return the contenders after one round to warm up and the others."""
    with ExitStack() as stack:
        contenders = {
            name: stack.enter_context(Contender(name, folder, **_python(pythons, name)))
            for name in names
        }
        for number in range(rounds + 1):
            for name, one in contenders.items():
                if name not in FEW or number < min(3, rounds + 1):  # these take a minute each
                    one.ask()
    return contenders


def _python(pythons: dict[str, str] | None, name: str) -> dict[str, str]:
    return {"python": pythons[name]} if pythons and name in pythons else {}


def line(name: str, one: Contender, ratio: float, aim: str = "", each: int = 1) -> None:
    """Print a contender's time (of one of so many texts) and a ratio beside its aim."""
    spent, spread = 1000 * one.median() / each, f"(× {one.spread:.2f})"
    print(f"{name:30} {spent:10,.1f} ms {spread:9} {one.megabytes:6,.0f} MB {ratio:8.2f} × {aim}")


def busy(contenders: dict[str, Contender]) -> bool:
    """Return whether the rounds of somebody differ so much that ratios mean nothing; say so."""
    worst = max(contenders.values(), key=lambda one: one.spread)
    if worst.spread > SPREAD:
        print(f"the machine was busy: rounds of {worst.name!r} differ by × {worst.spread:.1f}")
    return worst.spread > SPREAD


def bert(folder: Path, rounds: int) -> list[bool]:
    """Compare on the BERT; return what was missed."""
    save_bert(folder, TEXTS, WORDS, CLASSES)
    names = ["forward", "one class", "attnlrp", "lxt", "captum", "shap"]
    all_of_them = take_turns(folder, names, rounds, {"lxt": lxt_python()})
    plain, ours, halved, lxt = (all_of_them[name] for name in names[:4])
    print(f"BERT, {TEXTS} × {WORDS} words, one class; the ratio is to the plain forward pass")
    times = {name: all_of_them[name].median() / plain.median() for name in names[:4]}
    line("plain forward pass", plain, 1)
    line("whyword", ours, times["one class"], f"(must be ≤ {MOST['bert']})")
    line('whyword, attention="attnlrp"', halved, times["attnlrp"])
    line("LXT, efficient", lxt, times["lxt"])
    print(
        f"of the median text's score are lost: {ours.median('lost'):.0e} by ours, "
        f"{halved.median('lost'):.2f} with attnlrp, {lxt.median('lost'):.2f} by LXT; "
        f"the first score is {plain.median('score'):.5f} plain, {ours.median('score'):.5f} by "
        f"ours, {lxt.median('score'):.5f} by LXT"
    )
    print("one class of one text; the ratio is how many times faster whyword is")
    missed = [times["one class"] > MOST["bert"]]
    figures: dict[str, float | list[float]] = {
        "forward_times": ratios(ours.seconds, plain.seconds),
        "lost": ours.median("lost"),
        "lxt_lost": lxt.median("lost"),
    }
    for name, shown, each in (
        ("lxt", "LXT, efficient", TEXTS),
        ("captum", "captum, integrated gradients", 1),
        ("shap", "SHAP, partition", 1),
    ):
        ratio = all_of_them[name].median() / each / (ours.median() / TEXTS)
        line(shown, all_of_them[name], ratio, f"(must be ≥ {LEAST[name]})", each)
        missed.append(ratio < LEAST[name])
        figures[f"{name}_ratio"] = ratios(
            [one / each for one in all_of_them[name].seconds],
            [one / TEXTS for one in ours.seconds],
        )
    keep("torch_models", figures)
    return [*missed, busy(all_of_them)]


def classes(folder: Path, rounds: int) -> list[bool]:
    """Compare all classes at once with a call for each; return what was missed."""
    save_ids(folder, SHORT, WORDS)
    names = ["all classes", "class by class", "one class"]
    found = take_turns(folder, names, min(3, rounds))
    at_once, by_calls, one = (found[name] for name in names)
    print(f"BERT, {SHORT} × {WORDS} words, {CLASSES} classes; the ratio is to one class")
    ratio = by_calls.median() / at_once.median()
    for name, contender in (("one class", one), ("at once", at_once), ("20 calls", by_calls)):
        line(name, contender, contender.median() / one.median())
    print(f"at once is {ratio:.2f} × faster (must be ≥ {LEAST['calls']})")
    return [ratio < LEAST["calls"], busy(found)]


def lstm(folder: Path, rounds: int) -> list[bool]:
    """Compare on the bi-LSTM; return what was missed."""
    save_ids(folder, TEXTS, LONG)
    found = take_turns(folder, ["lstm forward", "lstm one class"], rounds)
    plain, ours = found.values()
    print(f"bi-LSTM, {TEXTS} × {LONG} words, one class; the ratio is to its fused forward pass")
    ratio = ours.median() / plain.median()
    keep("torch_lstm", {"forward_times": ratios(ours.seconds, plain.seconds)})
    line("fused forward pass", plain, 1)
    line("whyword", ours, ratio, f"(must be ≤ {MOST['lstm']})")
    return [ratio > MOST["lstm"], busy(found)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"{torch.get_num_threads()} threads, medians of {rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        missed = [bert(Path(folder), rounds), classes(Path(folder), rounds)]
    with tempfile.TemporaryDirectory() as folder:
        missed.append(lstm(Path(folder), rounds))
    if any(map(any, missed)):
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
