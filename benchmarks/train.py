"""One epoch of training CNN2 on 20 Newsgroups: ours beside nn.Conv1d and autograd.

Same network, same inputs, same batch size, same threads, in one run, in turn; medians. The
plain side gets batches of similar length, so that it wastes little on padding. Each side's time
includes putting its batches together; only ours drops words out.

    python benchmarks/train.py [--rounds 5] [--width 2] [--filters 800]
"""

import argparse
import statistics
import time

import numpy as np
import torch
from figures import keep, ratios
from torch_network import PlainNetwork, padded, sorted_batches

from whyword import CNNClassifier, Vectors, load_corpus
from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.training import LabelledBatch, Settings, _Trainer
from whyword.words import Reader, Tokenizer

TARGET_RATIO = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--width", type=int, default=2)
    parser.add_argument("--filters", type=int, default=800)
    arguments = parser.parse_args()
    defaults = CNNClassifier()
    train = load_corpus("20newsgroups:train").train
    vectors = Vectors.for_texts(train.texts, epochs=1)  # any of this size will do
    inputs = Inputs(Reader(tokenizer=Tokenizer(400)), vectors, shortest=arguments.width).batch(
        train.texts
    )
    classes = np.unique(train.labels or [], return_inverse=True)[1]
    settings = Settings(
        widths=(arguments.width,),
        filters=arguments.filters,
        dropout=defaults.dropout,
        word_dropout=defaults.word_dropout,
        l2=defaults.l2,
        epochs=100,
        batch_size=defaults.batch_size,
        learning_rate=defaults.learning_rate,
        seed=0,
    )
    ours = _Trainer(LabelledBatch(inputs, classes), None, np.ones(20, np.float32), settings)
    plain = PlainNetwork(vectors.dimensions, arguments.width, arguments.filters, 20)
    optimiser = torch.optim.Adam(plain.parameters(), lr=settings.learning_rate)

    def plain_epoch() -> None:
        for documents in sorted_batches(inputs, settings.batch_size):
            loss = torch.nn.functional.cross_entropy(
                plain(*padded(inputs, documents)), torch.from_numpy(classes[documents])
            )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()

    seconds: dict[str, list[float]] = {"whyword": [], "torch": []}
    ours.epoch(lambda share, loss: None)  # compile and warm up
    for _ in range(arguments.rounds):
        start = time.perf_counter()
        ours.epoch(lambda share, loss: None)
        seconds["whyword"].append(time.perf_counter() - start)
        start = time.perf_counter()
        plain_epoch()
        seconds["torch"].append(time.perf_counter() - start)
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, median in medians.items():
        print(f"{name:8} {median:6.1f} s per epoch of {len(inputs):,} documents", flush=True)
    ratio = medians["torch"] / medians["whyword"]
    keep(
        "train",
        {
            "seconds": seconds["whyword"],
            "torch_seconds": seconds["torch"],
            "ratio": ratios(seconds["torch"], seconds["whyword"]),
        },
    )
    print(
        f"speed ratio {ratio:.1f} × (must be ≥ {TARGET_RATIO}), {torch.get_num_threads()} threads"
    )
    if ratio < TARGET_RATIO:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
