"""What the commands print: tables and samples."""

import itertools
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from whyword.analysis.class_words import ClassWords
from whyword.analysis.search import Carrier, Hit
from whyword.audit.compare import ModelComparison
from whyword.audit.measures import measures
from whyword.audit.strategy_table import Strategies
from whyword.audit.suspicion.row import reasons
from whyword.audit.suspicion.table import Suspects
from whyword.base.labels import label_text
from whyword.base.printable import one_line
from whyword.corpora.corpus import Corpus
from whyword.corpora.labels import rarest_labels
from whyword.corpora.overview import CorpusFigures
from whyword.evaluation.comparison import Comparison, of_best
from whyword.evaluation.copies import CopyQuality
from whyword.evaluation.findings import Findings
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality
from whyword.explanation.heatmap import number
from whyword.methods.predict import Prediction
from whyword.models.estimator import Estimator
from whyword.reports.claims import Claim

_COPIES = 3  # that are named
_NAMED = 60  # characters of what is suspected


def evaluation_tables(findings: Findings, copies: str = "") -> Group:
    """Return the main figures of an evaluation, and what they say; copies are named already."""
    remarks = [Text(one_line(remark)) for remark in findings.remarks]
    parts: list[RenderableType] = [_quality_table(findings, copies), *remarks, ""]
    several = isinstance(findings.quality, MultiLabelQuality)
    if isinstance(findings.quality, MultiLabelQuality):
        parts += [_label_table(findings.quality), ""]
    for experiment, curves in findings.curves.items():
        first = next(iter(curves.values()))
        kind = f"{first.subset} {'labels' if several else 'documents'}"
        title = f"word deletion {experiment}: {kind}, {first.order} relevant first"
        table = _figures(f"{title} ({len(first):,}, {first.better} is better)", "area", "AOPC")
        for name, curve in curves.items():
            spread = f" ± {curve.deviation:.4f}" if curve.runs > 1 else ""
            table.add_row(Text(one_line(name)), f"{curve.area:.4f}{spread}", number(curve.aopc))
        parts += [table, *_comparison_lines(findings.curve_comparisons[experiment]), ""]
    if findings.powers:
        table = _figures("explanatory power (higher is better)", "EPI", "K")
        for name, power in findings.powers.items():
            spread = f" ± {power.deviation:.4f}" if len(power.splits) > 1 else ""
            table.add_row(Text(one_line(name)), f"{power.epi:.4f}{spread}", f"{power.k}")
        parts += [table, *_comparison_lines(findings.power_comparisons), ""]
    for name, checks in findings.checks.items():
        parts += [Text(f"{one_line(name)}: {check.verdict}") for check in checks]
    return Group(*parts)


def comparison_tables(compared: ModelComparison) -> Group:
    """Return the main figures of several models, and what they say."""
    names = [Text(one_line(name)) for name in compared.models]
    table = Table("", box=None, header_style="bold")
    for name in names:
        table.add_column(name, justify="right")
    for measure in measures(list(compared.models.values())):
        cells = [Text(one_line(one.number), "bold" if one.best else "") for one in measure.figures]
        better = f" ({measure.better} is better)" if measure.better else ""
        table.add_row(f"{measure.name}{better}", *cells)
    lacking = [
        Text(one_line(f"{row.name}, {what}: {why}"), "dim")
        for row in compared.models.values()
        for what, why in row.lacks.items()
    ]
    said = [Text(one_line(one)) for one in (*compared.remarks, *compared.findings)]
    return Group(table, "", *lacking, *[""] * bool(lacking), *said)


def suspect_table(found: Suspects, top: int) -> Group:
    """Return the first suspects, and why; those of one class after the other would be in a file."""
    held = "" if found.accuracy is None else f", held-out accuracy {found.accuracy:.2%}"
    head = (
        f"{_count(len(found.suspects), 'suspect')} and {len(found.noise):,} that are noise among "
        f"{found.n_units:,} words, lines, pairs and patterns{held}"
    )
    table = Table("score", "for", "what", "why", box=None, header_style="bold")
    for row in found.suspects[:top]:
        table.add_row(
            f"{row.score:.2f}",
            Text(one_line(str(row.label))),
            Text(one_line(textwrap.shorten(row.name, _NAMED, placeholder=" …"))),
            Text(one_line("; ".join(reasons(row, found.groups))), "dim"),
        )
    said = [Text(one_line(remark)) for remark in found.remarks]
    more = len(found.suspects) - top
    if more > 0:
        said.append(Text(f"… and {more:,} more: --top, or --out for all of them"))
    return Group(
        head, "", *([table, ""] if found.suspects else ["no evidence against any", ""]), *said
    )


def strategy_tables(found: Strategies) -> Group:
    """Return the ways in which a class is recognised, a row each, and what was found."""
    table = Table("way", box=None, header_style="bold")
    labelled = any(one.accuracy is not None for one in found)
    suspected = any(one.on_suspects is not None for one in found)
    for name in ("documents", *["accuracy"] * labelled, "score", *["on suspects"] * suspected):
        table.add_column(name, justify="right")
    table.add_column("what tells it from the others" if len(found) > 1 else "its words")
    for one in found:
        cells = [f"{one.n_documents:,} ({one.share:.0%})"]
        if one.accuracy is not None and one.interval is not None:
            low, high = one.interval
            cells.append(f"{one.accuracy:.1%} ({low:.0%} to {high:.0%})")
        cells.append(f"{one.score:.3g}")
        if one.on_suspects is not None:
            cells.append(f"{one.on_suspects:.0%}{' (lives on them)' * one.lives_on_suspects}")
        words = ", ".join(f"{one_line(word.word)} {word.share:.1%}" for word in one.listed)
        table.add_row(f"{one.number}", *cells, Text(words))
    return Group(*map(Text, map(one_line, (found.verdict, *found.remarks))), "", table)


def claim_table(claims: list[Claim]) -> Table:
    """Return the paper's statements and whether they hold."""
    table = Table("the paper's statement", "here", "figures", box=None, header_style="bold")
    for claim in claims:
        holds = Text("holds", "green") if claim.holds else Text("does not", "red")
        table.add_row(Text(claim.text), holds, Text(textwrap.shorten(claim.figures, 160), "dim"))
    return table


def _quality_table(findings: Findings, copies: str) -> Table:
    quality, found = findings.quality, findings.copies
    table = Table(box=None, show_header=False)
    several = isinstance(quality, MultiLabelQuality)
    right = "exactly the right labels" if several else "accuracy"
    table.add_row(right, f"{quality.accuracy:.2%} of {_count(quality.n_documents)}")
    if found is not None:
        table.add_row("copies of training documents", Text(copies))
        if len(found.copies) and found.accuracy is not None:
            table.add_row(f"{right} without", f"{found.accuracy:.2%} of {_count(found.rest)}")
    if isinstance(quality, MultiLabelQuality):
        table.add_row("micro-F1", f"{quality.micro_f1:.4f}")
    table.add_row("macro-F1", f"{quality.macro_f1:.4f}")
    if isinstance(quality, ModelQuality):
        table.add_row("calibration error", f"{quality.calibration_error:.4f}")
    return table


def _label_table(quality: MultiLabelQuality) -> Table:
    """Return how well each label is found."""
    table = _figures("label", "precision", "recall", "F1", "documents")
    for one in quality.classes:
        figures = (f"{value:.3f}" for value in (one.precision, one.recall, one.f1))
        table.add_row(Text(one_line(str(one.label))), *figures, f"{one.n_documents:,}")
    return table


def _count(number: int, what: str = "document") -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _figures(title: str, *headings: str) -> Table:
    table = Table(title, box=None, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def _comparison_lines(comparisons: list[Comparison]) -> list[Text]:
    """Return what the comparisons with the best row say."""
    best, _ = of_best(comparisons)
    return [Text(f"   {one_line(one.headline)}", "dim") for one in best]


def copy_names(found: CopyQuality | None, test: Sequence[str], train: Sequence[str]) -> str:
    """Return how many copies of training documents there are, and the first few, likest first."""
    if found is None or not len(found.copies):
        return "none"
    pairs = sorted(found.copies.pairs, key=lambda pair: -pair.similarity)
    shown = [
        f"{one_line(test[n][:60])} of {one_line(train[of][:60])} ({similarity:.2f})"
        for n, of, similarity in pairs[:_COPIES]
    ]
    more = ", …" if len(pairs) > len(shown) else ""
    return f"{found.copies.exact:,} exact, {found.copies.near:,} near: {', '.join(shown)}{more}"


def training_summary(
    classifier: Estimator, loaded: Corpus, out: Path, identity: str, copies: str = ""
) -> Table:
    """Return how a training went; copies of training documents are named already."""
    table = Table(box=None, show_header=False)
    facts = classifier.provenance_
    table.add_row("trained on", f"{_count(facts['documents'])}, {len(loaded.classes)} classes")
    if "best_epoch" in facts:
        table.add_row("best epoch", f"{facts['best_epoch']}")
    if "ngrams" in facts:
        least, most = facts["ngrams"]
        size = f"{least} word{'s' * (least > 1)}" if least == most else f"{least} to {most} words"
        said = f"of {size}: {facts['features']:,}"
        table.add_row("n-grams" + _chosen(classifier, "ngrams"), said)
    if "C" in facts:
        table.add_row("C" + _chosen(classifier, "C"), f"{facts['C']:g}")
    for title, name in (("validation accuracy", "validation_accuracy"), ("test", "test_accuracy")):
        if facts.get(name) is not None:
            size = f" of {_count(len(loaded.test))}" if name == "test_accuracy" else ""
            table.add_row(title, f"{facts[name]:.2%}{size}")
    if copies:
        table.add_row("copies of training documents", Text(copies))
    if facts.get("test_near_copies") and facts["test_accuracy_without_copies"] is not None:
        rest = f"of {_count(len(loaded.test) - facts['test_near_copies'])}"
        table.add_row("test without", f"{facts['test_accuracy_without_copies']:.2%} {rest}")
    table.add_row("time", f"{facts['seconds']:.0f} s")
    table.add_row("saved in", f"{one_line(str(out))}  (identity {identity[:12]})")
    return table


def _chosen(classifier: Estimator, setting: str) -> str:
    return ", by cross-validation" if classifier.get_params()[setting] is None else ""


def prediction_table(predictions: Sequence[Prediction]) -> Table:
    """Return predictions, a row each; with the true classes, where there are any."""
    labelled = any(prediction.label is not None for prediction in predictions)
    table = Table("id", *["label"] * labelled, "predicted", box=None, header_style="bold")
    table.add_column("probability", justify="right")
    table.add_column("")
    for prediction in predictions:
        label = "" if prediction.label is None else label_text(prediction.label)
        remarks = ["no known word"] * (prediction.known_words == 0)
        remarks += ["wrong"] * (prediction.is_right is False)
        table.add_row(
            Text(one_line(prediction.id)),
            *[Text(one_line(label))] * labelled,
            Text(one_line(label_text(prediction.predicted))),
            f"{prediction.probability:.3f}",
            Text(", ".join(remarks)),
        )
    return table


def word_tables(words: ClassWords) -> Group:
    """Return the words of each class; those that training never saw are underlined."""
    tables: list[RenderableType] = []
    for label, entries in words.items():
        table = Table(box=None, header_style="bold")
        table.add_column(Text(one_line(str(label))), min_width=24)
        table.add_column("relevance", justify="right")
        table.add_column("occurs", justify="right")
        table.add_column("documents", justify="right")
        table.add_column("strongest in")
        for entry in entries:
            word = Text(one_line(entry.word), "underline" if entry.seen is False else "")
            table.add_row(
                word if entry.seen is not False else word.append(" (unseen)", "dim"),
                number(entry.relevance),
                f"{entry.occurrences:,}",
                f"{entry.documents:,}",
                Text(f"{one_line(str(entry.document))}, word {entry.position + 1}", "dim"),
            )
        if not entries:
            table.add_row(Text("none", "dim"))
        tables += [table, ""]
    return Group(*tables)


def hit_list(hits: list[Hit]) -> Text:
    """Return what a search found: each document's beginning, and the words that make it near."""
    result = Text("nothing is near\n" if not hits else "", end="")
    for hit in hits:
        result.append(f"{hit.similarity:.3f}  ").append(one_line(hit.id) + "\n", "bold")
        shown = textwrap.shorten(one_line(hit.text.replace("\n", " ")), 150, placeholder=" …")
        result.append(f"       {shown}\n")
        for title, words in (("query", hit.query_words), ("text", hit.words)):
            result.append(f"       {title:6}", "dim").append(f"{_strongest_words(words)}\n", "dim")
    return result


def _strongest_words(words: list[Carrier]) -> str:
    """Return the strongest words, occurrences pooled."""
    sums: dict[str, float] = {}
    for carrier in words:
        word = one_line(carrier.word.lower())
        sums[word] = sums.get(word, 0.0) + carrier.similarity
    strongest = sorted(sums.items(), key=lambda item: -abs(item[1]))[:6]
    return "  ".join(f"{word} {value:+.3f}".replace("-", "−") for word, value in strongest)


def hit_json(hit: Hit) -> dict[str, object]:
    """Return a hit as plain data."""
    return {
        "id": hit.id,
        "similarity": hit.similarity,
        "query_words": [carrier._asdict() for carrier in hit.query_words],
        "words": [carrier._asdict() for carrier in hit.words],
        "text": hit.text,
    }


def class_table(figures: CorpusFigures) -> Table:
    """Return the classes of a corpus, a row each."""
    table = Table("label" if figures.sizes else "class", box=None, header_style="bold")
    for heading in ("train", "test", "median words"):
        table.add_column(heading, justify="right")
    for row in figures.classes:
        table.add_row(
            Text(one_line(row.name)), f"{row.train:,}", f"{row.test:,}", f"{row.median_words:g}"
        )
    return table


def part_table(figures: CorpusFigures) -> Table:
    """Return the sizes of the training and the test part, and how many labels documents have."""
    table = Table("", box=None, header_style="bold")
    for heading in ("train", "test"):
        table.add_column(heading, justify="right")
    rows = {
        "documents": "documents",
        "words": "words",
        "distinct words": "vocabulary",
        "  in the first 400 words of each": "vocabulary_400",
        "documents of at most 1 word": "short",
        "documents of at least 100 words": "long",
    }
    for title, name in rows.items():
        values = (getattr(part, name) for part in (figures.train, figures.test))
        table.add_row(title, *(f"{value:,}" for value in values))
    for group in figures.groups:
        title = f"different values of {one_line(group.name[:40])!r} ({group.both:,} in both)"
        table.add_row(Text(title), f"{group.train:,}", f"{group.test:,}")
    for several, documents in figures.sizes.items():
        title = f"documents of {several} label{'s' * (several != 1)}, of both parts"
        table.add_row(title, f"{documents:,}")
    return table


def one_per_class(loaded: Corpus, samples: int) -> list[int]:
    """Choose documents, of different classes as far as there are any."""
    labels = rarest_labels(loaded.labels or ())
    first_of = {label: at for at, label in reversed(list(enumerate(labels)))}
    chosen = sorted(first_of.values())[:samples]
    others = (number for number in range(len(loaded)) if number not in chosen)
    return chosen + list(itertools.islice(others, samples - len(chosen)))


def some_of(count: int, limit: int | None, seed: int) -> list[int]:
    """Return numbers below the count, in order: all of them, or so many by chance."""
    if limit is None or limit >= count:
        return list(range(count))
    chosen: list[int] = np.random.default_rng(seed).choice(count, limit, replace=False).tolist()
    return sorted(chosen)


def sample(loaded: Corpus, number: int) -> Text:
    """Return the beginning of one document."""
    label = label_text(loaded.labels[number]) if loaded.labels else ""
    text = textwrap.shorten(loaded.texts[number], 300, placeholder=" …")
    head = one_line(f"{loaded.ids[number]}  {label}")
    return Text.assemble("\n", (head, "bold"), "\n", one_line(text))
