"""How much of 20 Newsgroups is told by words that MiniLM has no piece for.

A transformer reads words that its vocabulary lacks in pieces, and has to learn from those what a
bag of words sees at once. An SVM (C = 1, the rest by default) is trained and tested on the posts as
they are, on their first 400 words, and on what is left of them without the words that MiniLM's
tokenizer breaks apart, or with these alone.

    python benchmarks/broken_words.py [--out FILE]
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from figures import write_results
from tokenizers import Tokenizer

import whyword as ww
from whyword.models.bases import base_folder

BASE = "minilm-l6"
FIRST = 400  # words that transformers read in benchmarks/network_kinds.py
CONTINUED = "##"  # how pieces begin that go on where another one ended

Words = Sequence[str]


def broken_ones(words: set[str]) -> set[str]:
    """Return the words that the base has no piece of their own for."""
    tokenizer = Tokenizer.from_file(str(base_folder(BASE) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    listed = sorted(words)
    said = tokenizer.encode_batch(listed, add_special_tokens=False)
    return {
        word
        for word, one in zip(listed, said, strict=True)
        if any(piece.startswith(CONTINUED) for piece in one.tokens)
    }


def accuracy(train: list[Words], test: list[Words], corpus: ww.Corpus) -> float:
    """Return the share of test posts that a bag of the words that are left has right."""
    model = ww.SVMClassifier(C=1.0).fit(map(" ".join, train), corpus.train.labels or [])
    said = model.predict(list(map(" ".join, test)))
    return float(np.mean(said == np.array(corpus.test.labels)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    corpus = ww.load_corpus("20newsgroups")
    train, test = (
        [one.words for one in ww.Reader().documents(part.texts)]
        for part in (corpus.train, corpus.test)
    )
    broken = broken_ones(set(chain.from_iterable(chain(train, test))))
    ways: dict[str, Callable[[Words], Words]] = {
        "all": lambda words: words,
        "first": lambda words: words[:FIRST],
        "whole": lambda words: [word for word in words if word not in broken],
        "broken": lambda words: [word for word in words if word in broken],
    }
    found = {}
    for name, way in ways.items():
        found[name] = accuracy([*map(way, train)], [*map(way, test)], corpus)
        print(f"{name:8} {found[name]:.2%}", flush=True)
    count = sum(map(len, train))
    share = sum(word in broken for words in train for word in words) / count
    print(f"{share:.1%} of the training posts' {count:,} words are broken apart")
    if arguments.out:
        write_results(arguments.out, {"accuracy": found, "share": share, "first": FIRST})


if __name__ == "__main__":
    main()
