"""The reproduction as one page, every table and figure beside the paper's.

What ``pages/templates/reproduction.html`` shows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.pages.charts import LineChart, ScatterChart, group_look
from whyword.pages.layout import Table, table
from whyword.pages.render import count, fixed, render
from whyword.reports import paper
from whyword.reports.figures import (
    EXPERIMENTS,
    GROUPS,
    SIDES,
    areas,
    deletion_chart,
    neighbour_chart,
    plane_chart,
)
from whyword.reports.reproduction import Reproduction

_SIDES = (("CNN2", "word vectors"), ("SVM", "BoW"))  # whose planes stand in one row


class ModelWords(NamedTuple):
    """A model's class words; its accuracy, if that is to be said."""

    name: str
    classes: list[tuple[str, list[Any]]]
    accuracy: float | None = None


class Plane(NamedTuple):
    """Documents on a plane, and how many of their neighbours there are of their own group."""

    name: str
    chart: ScatterChart
    share: float


class NetworkDeletion(NamedTuple):
    """One experiment of word deletion with one network."""

    name: str
    chart: LineChart
    areas: str
    n_documents: int


class Deletion(NamedTuple):
    """One experiment of word deletion."""

    number: str
    networks: list[NetworkDeletion]


def reproduction_page(reproduction: Reproduction, words_page: str = "words.html") -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    reproduction : Reproduction
    words_page : str
        Where the words of all twenty classes are.
    """
    results = reproduction.results
    return render(
        "reproduction.html",
        title="“What is Relevant in a Text Document?”, reproduced",
        claims=reproduction.claims,
        plan=reproduction.plan,
        accuracies=_accuracies(results["quality"]),
        corpus=_corpus(results["corpus"]),
        example=paper.EXAMPLE,
        heatmaps=list(_heatmaps(results["heatmaps"])),
        words_page=words_page,
        words=list(_words_of_few(results)),
        groups=GROUPS,
        looks=[group_look(number) for number in range(len(GROUPS))],
        planes=list(_planes(results["planes"])),
        deletions=list(_deletions(results["deletion"])),
        powers=_powers(results["powers"]),
        verdicts=[one["verdict"] for one in results["tests"].values()],
        neighbours=[(side, neighbour_chart(side, results["powers"])) for side in SIDES],
        about=_about(reproduction),
        times=table(
            ["stage", "time"],
            [[name, f"{fixed(spent, 1)} s"] for name, spent in results["about"]["seconds"].items()],
        ),
    )


def words_of_all_classes(reproduction: Reproduction) -> Iterator[str]:
    """Yield the parts of the page with the words of all classes, of CNN2 and of the SVM."""
    words = [
        ModelWords(name, list(classes.items()))
        for name, classes in reproduction.results["words"].items()
    ]
    return render("reproduced_words.html", title="Class words", words=words)


def _accuracies(quality: Mapping[str, Any]) -> Table:
    rows = []
    for name, published in paper.ACCURACY.items():
        here = 100 * quality[name]["accuracy"]
        shown = [f"{fixed(published, 2)} %", f"{fixed(here, 2)} %", fixed(here - published, 2, "+")]
        rows.append([name, *shown, fixed(quality[name]["macro_f1"], 4)])
    return table(["model", "paper", "here", "difference", "macro-F1 here"], rows)


def _corpus(corpus: Mapping[str, int]) -> Table:
    rows = [
        [what, count(published), count(corpus[name])]
        for what, name, published in (
            ("test posts of at least 100 words", "long_documents", paper.CORPUS.long_documents),
            ("test posts of at most one word", "short_documents", paper.CORPUS.short_documents),
            ("distinct training words", "vocabulary", paper.CORPUS.vocabulary),
        )
    ]
    return table(["corpus", "paper", "here"], rows)


def _heatmaps(heatmaps: Mapping[str, Any]) -> Iterator[heatmap.Article]:
    for name, one in heatmaps.items():
        shown = Explanation.from_json(one["explanation"]).heatmap()
        yield heatmap.article(replace(shown, title=name))


def _words_of_few(results: Mapping[str, Any]) -> Iterator[ModelWords]:
    for name, classes in results["words"].items():
        few = [(label, classes[label]) for label in paper.WORD_CLASSES]
        alone = name == paper.PRETRAINED
        yield ModelWords(name, few, results["quality"][name]["accuracy"] if alone else None)


def _planes(planes: Mapping[str, Any]) -> Iterator[list[Plane]]:
    for side in _SIDES:
        yield [
            Plane(name, plane_chart(name, one), one["neighbours_of_own_group"])
            for name, one in planes.items()
            if name.startswith(side)
        ]


def _deletions(networks: Mapping[str, Any]) -> Iterator[Deletion]:
    for number in EXPERIMENTS:
        shown = []
        for name, experiments in networks.items():
            if number in experiments:
                curves = experiments[number]["curves"]
                chart, documents = deletion_chart(curves), curves["lrp"]["count"]
                shown.append(NetworkDeletion(name, chart, areas(curves), documents))
        yield Deletion(number, shown)


def _powers(powers: Mapping[str, Any]) -> Table:
    rows = []
    for published in paper.POWERS:
        here = powers[published.name]
        difference = here["epi"] - published.epi
        within = abs(difference) <= max(published.deviation, here["deviation"])
        rows.append(
            [
                published.name,
                _power(published.epi, published.deviation, published.k),
                _power(here["epi"], here["deviation"], here["k"]),
                fixed(difference, 4, "+"),
                "within" if within else ("above" if difference > 0 else "below"),
            ]
        )
    return table(["", "paper: EPI (K)", "here: EPI (K)", "difference", "split deviation"], rows)


def _power(epi: float, deviation: float, k: int) -> str:
    return f"{fixed(epi, 4)} ± {fixed(deviation, 4)} ({k})"


def _about(reproduction: Reproduction) -> Table:
    about, plan = reproduction.results["about"], reproduction.plan
    memory = about["memory"]
    vectors = about["data"]["vectors"] or (
        f"GloVe 6B 50d beside CBOW of the training posts ({plan.cbow_epochs} epochs)"
    )
    rows = [
        [
            "data",
            f"20 Newsgroups bydate, headers removed, first {paper.MOST_WORDS} words of a post",
        ],
        ["word vectors", vectors],
        [
            "networks",
            f"{plan.epochs} epochs, {plan.validation:,} posts held out to choose among them",
        ],
        ["SVM", f"C by {plan.folds}-fold cross-validation on the training posts"],
        ["seed", f"{plan.seed}"],
        ["versions", ", ".join(f"{name} {value}" for name, value in about["versions"].items())],
        ["machine", about["machine"]],
        [
            "all stages",
            f"{sum(about['seconds'].values()):,.0f} s (this run: {about['this_run']:,} s)",
        ],
        *([["memory", f"{memory / 1e9:.1f} GB at most, in this run"]] if memory else []),
    ]
    return table(["", ""], rows)
