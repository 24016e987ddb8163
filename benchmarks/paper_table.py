"""The paper's tables beside the published ones, made of what reproduction.py left behind."""

from collections.abc import Sequence
from typing import Any

from study_tables import table

from whyword.reports import paper

NETWORKS = ("CNN1", "CNN2", "CNN3")
WEIGHTINGS = ("LRP (ew)", "SA (ew)", "LRP", "SA")
UNWEIGHTED = ("TFIDF", "uniform")
DELETED_BY = ("lrp", "sensitivity", "random")
WORDS_OF = {
    "CNN2": "CNN2, default vectors",
    paper.PRETRAINED: "CNN2, pre-trained vectors alone",
    "SVM": "SVM",
}
Figures = dict[str, Any]


def paper_tables(measured: list[Figures]) -> str:
    """Return accuracies, explanatory powers and areas under deletion curves."""
    (found,) = measured
    held = sum(claim["holds"] for claim in found["claims"])
    return "\n\n".join(
        [
            f"{held} of {len(found['claims'])} statements hold.",
            _accuracies(found),
            "Explanatory power (EPI, higher is better):",
            _powers(found, (*NETWORKS, "SVM"), WEIGHTINGS),
            _powers(found, ("word vectors", "BoW"), UNWEIGHTED),
            "Area under the accuracy over 50 deletions. 1: right posts, most relevant words first, "
            "lower is better; 2: wrong posts, what speaks against the true class first; 3: wrong "
            "posts, what misled the network first, higher is better.",
            _areas(found),
        ]
    )


def accuracy_table(measured: list[Figures]) -> str:
    """Return the paper's first table."""
    (found,) = measured
    return _accuracies(found)


def areas_table(measured: list[Figures]) -> str:
    """Return the areas under deletion curves."""
    (found,) = measured
    return _areas(found)


def neighbours_table(measured: list[Figures]) -> str:
    """Return how many of a document's ten nearest on the map are of its own group, by level."""
    (found,) = measured
    levels = {"word": "CNN2 LRP", "element": "CNN2 LRP (ew)"}
    cells = [f"{100 * found['neighbours'][name]:.0f} %" for name in levels.values()]
    return table([f'`level="{level}"`' for level in levels], [cells])


def class_words_lists(measured: list[Figures]) -> str:
    """Return the strongest words of the paper's classes, and how many are unseen in each."""
    (found,) = measured
    parts = []
    for label in paper.WORD_CLASSES:
        lists = (
            f"- **{title}**: {', '.join(map(_word, found['words'][name][label]))}"
            for name, title in WORDS_OF.items()
        )
        parts += [f"### {label}", "\n".join(lists)]
    counts = (
        [label, *(str(sum(not one[2] for one in found["words"][name][label])) for name in WORDS_OF)]
        for label in found["words"]["SVM"]
    )
    unseen = table(["class", *WORDS_OF.values()], counts)
    return "\n\n".join([*parts, "### Unseen words among the 30", unseen])


def _accuracies(found: Figures) -> str:
    published = [f"{paper.ACCURACY[name]:.2f} %" for name in paper.ACCURACY]
    here = [f"{100 * found['accuracy'][name]:.2f} %" for name in paper.ACCURACY]
    return table(["accuracy", *paper.ACCURACY], [["paper", *published], ["here", *here]])


def _powers(found: Figures, vectors: Sequence[str], weightings: Sequence[str]) -> str:
    published = {row.name: row.epi for row in paper.POWERS}

    def cell(name: str) -> str:
        if name not in published:
            return ""
        return f"{found['power'][name]['epi']:.4f} (paper {published[name]:.4f})"

    rows = ([one, *(cell(f"{one} {weighting}") for weighting in weightings)] for one in vectors)
    return table(["", *weightings], rows)


def _areas(found: Figures) -> str:
    names = ", ".join(paper.METHODS[method] for method in DELETED_BY)
    rows = (
        [
            number,
            *(
                ", ".join(f"{found['area'][network][number][method]:.3f}" for method in DELETED_BY)
                for network in NETWORKS
            ),
        ]
        for number in ("1", "2", "3")
    )
    return table(["", *(f"{network}: {names}" for network in NETWORKS)], rows)


def _word(entry: list[Any]) -> str:
    word, relevance, seen = entry
    return f"{word} {relevance:.1f}" if seen else f"*{word}* {relevance:.1f}"
