"""The words of the paper's three classes, CNN2's beside the SVM's, as a table for the docs.

Over the 20 Newsgroups test posts, each word by its strongest occurrence; *words in italics* occur
nowhere in the training texts. CNN2 once with the default vectors (GloVe + CBOW on the training
texts) and once with pre-trained vectors alone (GloVe 50d). Models are trained once and kept.

    python benchmarks/class_words.py [--models FOLDER] [--top 30]
"""

import argparse
import time
from pathlib import Path

from trained import PRETRAINED, trained

from whyword import class_words, load_corpus
from whyword.analysis import ClassWord

SHOWN = ("sci.space", "sci.med", "comp.graphics")
MODELS = {
    "cnn2": "CNN2, default vectors",
    PRETRAINED: "CNN2, pre-trained vectors alone",
    "svm": "SVM",
}


def shown(entry: ClassWord) -> str:
    return (
        f"{entry.word} {entry.relevance:.1f}"
        if entry.seen
        else f"*{entry.word}* {entry.relevance:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--top", type=int, default=30)
    arguments = parser.parse_args()
    news = load_corpus("20newsgroups")
    found = {}
    for name in MODELS:
        model = trained(name, news, arguments.models / name if arguments.models else None)
        start = time.perf_counter()
        found[name] = class_words(
            model, news.test.texts, top=arguments.top, rank="strongest", ids=news.test.ids
        )
        print(f"{name}: all classes in {time.perf_counter() - start:.1f} s", flush=True)
    for label in SHOWN:
        print(f"\n### {label}\n")
        for name, title in MODELS.items():
            print(f"- **{title}**: {', '.join(map(shown, found[name][label]))}")
    print("\n| class | " + " | ".join(MODELS.values()) + " |\n|---|" + "---|" * len(MODELS))
    for group in next(iter(found.values())):
        counts = (sum(not entry.seen for entry in found[name][group]) for name in MODELS)
        print(f"| {group} | " + " | ".join(map(str, counts)) + " |")
    if any(not entry.seen for entries in found["svm"].values() for entry in entries):
        raise SystemExit("the SVM knows a word that was not in the training texts")


if __name__ == "__main__":
    main()
