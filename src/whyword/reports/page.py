"""The reproduction as one page: every table and figure beside the paper's."""

from collections.abc import Iterator, Sequence
from typing import Any

from whyword.base.printable import html_line
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.pages.charts import Line, line_chart
from whyword.pages.layout import table
from whyword.pages.parts import STYLE, picture, word_list
from whyword.reports import paper
from whyword.reports.claims import Claim
from whyword.reports.figures import GROUP_COLOURS, SIDES, plane_picture, weighting
from whyword.reports.reproduction import Reproduction

_GROUPS = "".join(
    f".g{number}::before{{color:{colour}}}" for number, colour in enumerate(GROUP_COLOURS.values())
)
_STYLE = (
    STYLE
    + _GROUPS
    + """
nav{margin:1rem 0;font-size:.92rem}.planes{margin-bottom:.8rem}
.yes{color:#2f8f5b}.no{color:#c2453b}
.planes{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr))}
.key::before{content:"";display:inline-block;width:.75em;height:.75em;border-radius:50%;
margin:0 .3em 0 .8em;vertical-align:-.05em;background:currentColor}.key{white-space:nowrap}
.claims td,.claims th{white-space:normal;text-align:left;vertical-align:top}
.claims td:nth-child(2){white-space:nowrap}
"""
)
_CONTENTS = (
    ("accuracy", "Table 1"),
    ("heatmaps", "heatmaps"),
    ("words", "class words"),
    ("maps", "maps"),
    ("deletion", "word deletion"),
    ("power", "Table 2"),
    ("neighbours", "neighbours"),
    ("statements", "statements"),
    ("how", "how it was computed"),
)
_EXPERIMENTS = {
    "1": "Right posts, most relevant words first: lower is better",
    "2": "Wrong posts, what speaks against the true class first: higher is better",
    "3": "Wrong posts, what misled the network first: higher is better",
}


def reproduction_page(reproduction: Reproduction, words_page: str = "words.html") -> Iterator[str]:
    """Yield the parts of the page.

    Parameters
    ----------
    reproduction : Reproduction
    words_page : str
        Where the words of all twenty classes are.
    """
    results = reproduction.results
    title = "“What is Relevant in a Text Document?”, reproduced"
    yield heatmap.page_head(title, _STYLE, pictures=True)
    yield f'<main class="ww"><h1>{html_line(title)}</h1>'
    yield from _summary(reproduction)
    yield "<nav>" + " · ".join(f'<a href="#{to}">{name}</a>' for to, name in _CONTENTS) + "</nav>"
    yield from _accuracies(results)
    yield from _heatmaps(results)
    yield from _words(results, words_page)
    yield from _planes(results)
    yield from _deletions(results)
    yield from _powers(results)
    yield from _neighbours(results)
    yield '<h2 id="statements">The paper’s statements, one by one</h2>'
    yield _claims(reproduction.claims)
    yield from _about(reproduction)
    yield f"</main>{heatmap.PAGE_END}"


def _summary(reproduction: Reproduction) -> Iterator[str]:
    claims, plan = reproduction.claims, reproduction.plan
    failed = [claim for claim in claims if not claim.holds]
    held = len(claims) - len(failed)
    yield (
        "<p>Every table and figure of Arras, Horn, Montavon, Müller and Samek’s paper, computed "
        "anew, numbers and statements beside the published ones. What is said here is computed: "
        f'<b>{held} of <a href="#statements">{len(claims)} statements</a> hold.</b></p>'
    )
    if plan.test is not None:
        yield (
            f"<p><b>This is the quick version</b>: {plan.train:,} training and "
            f"{plan.test:,} test posts, small networks, few epochs. Its figures show that "
            "everything runs; they are not the paper’s.</p>"
        )
    if failed:
        yield f"<p>What does not hold here:</p>{_claims(failed)}"


def _claims(claims: Sequence[Claim]) -> str:
    rows = [
        [
            html_line(claim.text),
            '<span class="yes">holds</span>' if claim.holds else '<span class="no">does not</span>',
            html_line(claim.figures),
        ]
        for claim in claims
    ]
    return f'<div class="claims">{table(["the paper’s statement", "here", "figures"], rows)}</div>'


def _accuracies(results: dict[str, Any]) -> Iterator[str]:
    yield '<h2 id="accuracy">Table 1: accuracy on the test posts</h2>'
    rows = []
    for name, published in paper.ACCURACY.items():
        here = 100 * results["quality"][name]["accuracy"]
        difference = f"{here - published:+.2f}".replace("-", "−")
        macro = f"{results['quality'][name]['macro_f1']:.4f}"
        rows.append([name, f"{published:.2f} %", f"{here:.2f} %", difference, macro])
    yield table(["model", "paper", "here", "difference", "macro-F1 here"], rows)
    corpus = results["corpus"]
    rows = [
        [what, f"{published:,}", f"{corpus[name]:,}"]
        for what, name, published in (
            ("test posts of at least 100 words", "long_documents", paper.CORPUS.long_documents),
            ("test posts of at most one word", "short_documents", paper.CORPUS.short_documents),
            ("distinct training words", "vocabulary", paper.CORPUS.vocabulary),
        )
    ]
    yield table(["corpus", "paper", "here"], rows)


def _heatmaps(results: dict[str, Any]) -> Iterator[str]:
    yield f'<h2 id="heatmaps">Heatmaps of {paper.EXAMPLE}</h2>'
    for name, one in results["heatmaps"].items():
        shown = Explanation.from_json(one["explanation"]).heatmap()
        titled = heatmap.Heatmap(**{**vars(shown), "title": name})
        yield heatmap.fragment(titled)


def _words(results: dict[str, Any], words_page: str) -> Iterator[str]:
    yield '<h2 id="words">The thirty most relevant words of a class</h2>'
    yield (
        '<p><span class="unseen">Underlined</span>: not in the training texts. '
        f'<a href="{words_page}">All twenty classes</a>.</p>'
    )
    for name, classes in results["words"].items():
        yield f"<h3>{name}</h3>"
        if name == paper.PRETRAINED:
            accuracy = results["quality"][name]["accuracy"]
            yield (
                "<p>Words that no training text has can be known from pre-trained vectors only, "
                "and CNN2 hears little of those beside its own. This network has nothing else: "
                f"{accuracy:.2%} accuracy.</p>"
            )
        yield '<div class="grid3">'
        for label in paper.WORD_CLASSES:
            yield f"<section><h4>{html_line(label)}</h4>{word_list(classes[label])}</section>"
        yield "</div>"


def words_of_all_classes(reproduction: Reproduction) -> Iterator[str]:
    """Yield the parts of the page with the words of all classes, of CNN2 and of the SVM."""
    yield heatmap.page_head("Class words", _STYLE)
    yield '<main class="ww"><h1>The thirty most relevant words of all classes</h1>'
    for name, classes in reproduction.results["words"].items():
        yield f'<h2>{name}</h2><div class="grid3">'
        for label, entries in classes.items():
            yield f"<section><h3>{html_line(label)}</h3>{word_list(entries)}</section>"
        yield "</div>"
    yield f"</main>{heatmap.PAGE_END}"


def _planes(results: dict[str, Any]) -> Iterator[str]:
    yield '<h2 id="maps">Summary vectors on their first two principal components</h2>'
    legend = " ".join(
        f'<span class="key g{number}">{group}</span>' for number, group in enumerate(GROUP_COLOURS)
    )
    yield (
        "<p>Test posts, coloured by their true top-level group; relevance is for the predicted "
        "class, so no label is used. Below each: how many of a post’s ten nearest on the plane "
        f"are of its group (by chance, about a fifth).</p><p>{legend}</p>"
    )
    for starts in (("CNN2", "word vectors"), ("SVM", "BoW")):
        yield '<div class="planes">'
        for name, one in results["planes"].items():
            if name.startswith(starts):
                share = f"{one['neighbours_of_own_group']:.1%}"
                said = f"{name}: the posts on a plane"
                yield picture(plane_picture(one), said, f"{name} ({share})")
        yield "</div>"


def _deletions(results: dict[str, Any]) -> Iterator[str]:
    yield '<h2 id="deletion">Word deletion</h2>'
    for number, said in _EXPERIMENTS.items():
        yield f'<h3>{number}. {said}</h3><div class="grid3">'
        for name, experiments in results["deletion"].items():
            if number in experiments:
                curves = experiments[number]["curves"]
                lines = [
                    Line(
                        paper.METHODS[method],
                        range(len(curve["accuracy"])),
                        curve["accuracy"],
                        colour,
                    )
                    for colour, (method, curve) in enumerate(curves.items())
                ]
                areas = ", ".join(f"{paper.METHODS[m]} {c['area']:.3f}" for m, c in curves.items())
                yield f"<div><b>{name}</b>"
                yield line_chart(lines, "words deleted", "accuracy", f"Areas: {areas}", True)
                yield f'<p class="facts">area: {areas}; {curves["lrp"]["count"]:,} posts</p></div>'
        yield "</div>"


def _powers(results: dict[str, Any]) -> Iterator[str]:
    yield '<h2 id="power">Table 2: explanatory power</h2>'
    rows = []
    for published in paper.POWERS:
        here = results["powers"][published.name]
        difference = here["epi"] - published.epi
        within = abs(difference) <= max(published.deviation, here["deviation"])
        rows.append(
            [
                html_line(published.name),
                f"{published.epi:.4f} ± {published.deviation:.4f} ({published.k})",
                f"{here['epi']:.4f} ± {here['deviation']:.4f} ({here['k']})",
                f"{difference:+.4f}".replace("-", "−"),
                "within" if within else ("above" if difference > 0 else "below"),
            ]
        )
    yield table(["", "paper: EPI (K)", "here: EPI (K)", "difference", "split deviation"], rows)
    verdicts = "".join(f"<li>{html_line(one['verdict'])}</li>" for one in results["tests"].values())
    yield f'<h3>Significance</h3><ul class="verdicts">{verdicts}</ul>'


def _neighbours(results: dict[str, Any]) -> Iterator[str]:
    yield '<h2 id="neighbours">Accuracy over the number of neighbours</h2><div class="grid2">'
    for title, names in SIDES.items():
        lines = [
            Line(weighting(name), row["neighbours"], row["curve"], colour)
            for colour, name in enumerate(names)
            for row in (results["powers"][name],)
        ]
        chart = line_chart(lines, "neighbours, K", "accuracy", title, percent=True)
        yield f"<div><b>{title}</b>{chart}</div>"
    yield "</div>"


def _about(reproduction: Reproduction) -> Iterator[str]:
    about, plan = reproduction.results["about"], reproduction.plan
    yield '<h2 id="how">How this was computed</h2>'
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
    shown = [[html_line(cell) for cell in row] for row in rows]
    yield f'<div class="claims">{table(["", ""], shown)}</div>'
    spent = [[html_line(name), f"{seconds:,.1f} s"] for name, seconds in about["seconds"].items()]
    times = table(["stage", "time"], spent)
    yield f"<details><summary>Time of each stage</summary>{times}</details>"
