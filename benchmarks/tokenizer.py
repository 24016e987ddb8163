"""Our tokeniser beside NLTK's on the 20 Newsgroups test split: agreement and speed.

NLTK's own Punkt model is a download, so one is trained on the training texts, as the method
says. Both sides tokenise the same texts in the same run, in turn; medians are compared.

    python benchmarks/tokenizer.py [--rounds 5]
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher

from figures import keep, ratios
from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

from whyword import load_corpus
from whyword.words import Tokenizer
from whyword.words.characters import LETTER, MARK, character_classes

TARGET_AGREEMENT = 0.995
TARGET_RATIO = 10


def nltk_tokenizer(texts: list[str]) -> Callable[[str], list[str]]:
    """Train Punkt on texts and return the paper's tokenisation by NLTK."""
    trainer = PunktTrainer()
    trainer.train("\n\n".join(texts), finalize=False)
    trainer.finalize_training()
    sentences = PunktSentenceTokenizer(trainer.get_params())
    words = NLTKWordTokenizer()

    def tokenize(text: str) -> list[str]:
        tokens = (word for part in sentences.tokenize(text) for word in words.tokenize(part))
        return [token for token in tokens if is_word(token)]

    return tokenize


def is_word(token: str) -> bool:
    classes = character_classes()
    kinds = [classes[ord(character)] for character in token]
    allowed = all(
        kind in (LETTER, MARK) or character in "-.'"
        for kind, character in zip(kinds, token, strict=True)
    )
    return allowed and LETTER in kinds


def agreement(ours: list[list[str]], theirs: list[list[str]]) -> tuple[float, Counter[str]]:
    """Return 2·matches / (tokens of both), and the differences by frequency."""
    matches = 0
    differences: Counter[str] = Counter()
    for a, b in zip(ours, theirs, strict=True):
        if a == b:
            matches += len(a)
            continue
        for kind, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if kind == "equal":
                matches += a2 - a1
            else:
                differences[f"{' '.join(a[a1:a2])} | {' '.join(b[b1:b2])}"] += 1
    return 2 * matches / (sum(map(len, ours)) + sum(map(len, theirs))), differences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    news = load_corpus("20newsgroups")
    print("training Punkt on the training texts (about a minute) …", flush=True)
    by_nltk = nltk_tokenizer(news.train.texts)
    tokenizer = Tokenizer()

    def by_us(text: str) -> list[str]:
        return tokenizer(text).words

    by_us("compile first")
    seconds: dict[str, list[float]] = {"whyword": [], "NLTK": []}
    tokens = {}
    for _ in range(rounds):
        for name, tokenize in (("whyword", by_us), ("NLTK", by_nltk)):
            start = time.perf_counter()
            tokens[name] = [tokenize(text) for text in news.test.texts]
            seconds[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, median in medians.items():
        count = sum(map(len, tokens[name]))
        print(
            f"{name:8} {median:7.2f} s  {count / median / 1e6:6.2f} M tokens/s  "
            f"{1e3 * median / len(news.test):.3f} ms per document  ({count:,} tokens)"
        )
    share, differences = agreement(tokens["whyword"], tokens["NLTK"])
    ratio = medians["NLTK"] / medians["whyword"]
    keep(
        "tokenizer",
        {"ratio": ratios(seconds["NLTK"], seconds["whyword"]), "agreement": share},
    )
    print(f"speed ratio {ratio:.0f} × (must be ≥ {TARGET_RATIO})")
    print(f"agreement {share:.3%} (must be ≥ {TARGET_AGREEMENT:.1%})")
    print("most frequent differences, ours | NLTK's:")
    for difference, count in differences.most_common(12):
        print(f"  {count:5}  {difference}")
    if ratio < TARGET_RATIO or share < TARGET_AGREEMENT:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
