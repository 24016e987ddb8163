"""Recurrent cells whose candidates see the states before, and those that see words only.

PyTorch's cells make what they may remember of the word and of the states; those of
`RecurrentClassifier` of the word only (see `recurrent_network.py`). Both are trained on 1,500
training posts of 20 Newsgroups, one run each. Then, on others of the training part: the accuracy of
1,000, and of 250 how large the words are beside the score, Σ |relevance| / max(1, |score|), by the
length of the text, and the largest residual.

    python benchmarks/recurrent_states.py [--cell lstm|gru]
"""

import argparse
from collections import defaultdict
from typing import Any

import numpy as np
from torch import nn

import whyword as ww

TRAINED, HELD_OUT, EXPLAINED, EPOCHS = 1_500, 1_000, 250, 8


class Plain(ww.RecurrentClassifier):
    """The same network with candidates that see the states, too."""

    def _untrained(self, *given: Any) -> Any:  # noqa: ANN401 - as of the kind
        model = super()._untrained(*given)
        for module in model.module.modules():
            if isinstance(module, nn.LSTM | nn.GRU):
                weight = module.get_parameter("weight_hh_l0")
                if weight._backward_hooks:  # which keep the states out
                    weight._backward_hooks.clear()
                module.reset_parameters()
        return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cell", choices=("lstm", "gru"), default="lstm")
    cell = parser.parse_args().cell
    posts = ww.load_corpus("20newsgroups").train
    labels = posts.labels or []
    order = np.random.default_rng(0).permutation(len(labels)).tolist()
    train, held = order[:TRAINED], order[TRAINED : TRAINED + HELD_OUT]
    for name, kind in (("words only", ww.RecurrentClassifier), ("words and states", Plain)):
        model = kind(cell=cell, epochs=EPOCHS, seed=0)
        model.fit([posts.texts[n] for n in train], [labels[n] for n in train])
        right = model.predict([posts.texts[n] for n in held]) == [labels[n] for n in held]
        print(f"{cell}, {name}: held-out accuracy {np.mean(right):.1%}", flush=True)
        sizes, residual = defaultdict[int, list[float]](list), 0.0
        for one in ww.explain(model, [posts.texts[n] for n in held[:EXPLAINED]]):
            with np.errstate(over="ignore"):
                size = np.abs(one.relevance).sum(dtype=np.float64) / max(1, abs(one.score))
            sizes[int(np.log2(max(1, len(one.words))))].append(size)
            residual = max(residual, abs(one.residual)) if one.residual == one.residual else np.inf
        for power, some in sorted(sizes.items()):
            shown = f"median {np.median(some):10.1f}, largest {max(some):8.2g}"
            print(f"  from {2**power:5,} words: {len(some):3} texts, {shown}", flush=True)
        print(f"  residual at most {residual:.1e}", flush=True)


if __name__ == "__main__":
    main()
