"""An epoch of fine-tuning MiniLM's first two layers: ours beside the loop that many people write.

That loop: ``AutoModelForSequenceClassification`` with its own head, texts cut at 200 pieces, random
batches padded to their longest, AdamW, float32, dropout as the configuration has it, the
embeddings frozen. Ours: ``TransformerClassifier`` with its defaults, which reads 128 pieces at a
time and another window of a long text in each epoch, in bfloat16 where the processor has it; and
ours at 200 pieces. Each in a process of its own, in turn, on the same posts of 20 Newsgroups'
training part; printed are medians of the seconds of an epoch, for all 11,314 posts, and the peak of
memory. (Accuracies are not compared here: docs/models.md.)

    python benchmarks/train_transformer.py [--posts 600] [--rounds 5] [--layers 2]
"""

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
from figures import keep, ratios

import whyword as ww
from whyword.base.progress import Progress
from whyword.models.bases import base_folder

ALL, PIECES, BATCH = 11_314, 200, 32
SIDES = ("plain loop", "ours", "ours, 200 pieces")


def posts(count: int) -> tuple[list[str], list[str]]:
    """Return posts drawn by chance, and their groups."""
    train = ww.load_corpus("20newsgroups").train
    drawn = np.random.default_rng(0).permutation(len(train.texts))[:count].tolist()
    labels = train.labels or []
    return [train.texts[n] for n in drawn], [str(labels[n]) for n in drawn]


def plain_loop(texts: list[str], labels: list[str], layers: int) -> float:
    """Return the seconds of an epoch of the loop that many people write."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder, names = base_folder("minilm-l6"), sorted(set(labels))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    module = AutoModelForSequenceClassification.from_pretrained(
        folder, num_labels=len(names), num_hidden_layers=layers
    )
    module.base_model.embeddings.requires_grad_(False)
    trained = [one for one in module.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=1e-4)
    wanted = torch.tensor([names.index(label) for label in labels])
    module.train()
    order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(0))
    start = time.perf_counter()
    for first in range(0, len(order), BATCH):
        some = order[first : first + BATCH]
        batch = tokenizer(
            [texts[n] for n in some.tolist()],
            truncation=True,
            max_length=PIECES,
            padding=True,
            return_tensors="pt",
        )
        module(**batch, labels=wanted[some]).loss.backward()
        optimiser.step()
        optimiser.zero_grad()
    return time.perf_counter() - start


def ours(texts: list[str], labels: list[str], layers: int, length: int) -> float:
    """Return the seconds of an epoch of ours."""
    begun: list[float] = []

    def note(event: Progress) -> None:
        begun.append(time.perf_counter())

    model = ww.TransformerClassifier(
        "minilm-l6", layers=layers, length=length, epochs=2, validation=0, on_progress=note
    )
    model.fit(texts, labels)
    half = len(begun) // 2  # the events of the second epoch, which ends with the last one
    return begun[-1] - begun[half - 1]


def measure(side: str, count: int, layers: int) -> None:
    """Print the seconds of an epoch and the megabytes of one side, as JSON."""
    texts, labels = posts(count)
    if side == SIDES[0]:
        seconds = plain_loop(texts, labels, layers)
    else:
        seconds = ours(texts, labels, layers, 128 if side == "ours" else PIECES)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--posts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        measure(arguments.side, arguments.posts, arguments.layers)
        return
    found: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    numbers = ["--posts", str(arguments.posts), "--layers", str(arguments.layers)]
    for _ in range(arguments.rounds):
        for side in SIDES:
            call = [sys.executable, __file__, "--side", side, *numbers]
            ended = subprocess.run(call, check=True, capture_output=True, text=True)
            found[side].append(json.loads(ended.stdout.splitlines()[-1]))
    middle = {
        side: float(np.median([one["seconds"] for one in some])) for side, some in found.items()
    }
    seconds = {side: [one["seconds"] for one in some] for side, some in found.items()}
    plain, ours = SIDES[:2]
    keep(
        "train_transformer",
        {
            "ratio": ratios(seconds[plain], seconds[ours]),
            "minutes": [one * ALL / arguments.posts / 60 for one in seconds[ours]],
            "plain_minutes": [one * ALL / arguments.posts / 60 for one in seconds[plain]],
            "megabytes": [one["megabytes"] for one in found[ours]],
            "plain_megabytes": [one["megabytes"] for one in found[plain]],
        },
    )
    for side, some in found.items():
        minutes = middle[side] * ALL / arguments.posts / 60
        most = max(one["megabytes"] for one in some)
        ratio = middle[SIDES[0]] / middle[side]
        print(f"{side:18} {minutes:6.1f} minutes an epoch, {most:6,.0f} MB; {ratio:.2f} × as fast")


if __name__ == "__main__":
    main()
