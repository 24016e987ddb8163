"""What a comparison says: findings in sentences, figures and pages, of numbers set by hand."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import pytest
from compared import compared
from page_tables import items, lines, plain, tables

from whyword.audit.changes_page import EXAMPLES, changes_sentence
from whyword.audit.findings import findings_of
from whyword.audit.measures import measures, shown_size, shown_time
from whyword.audit.page import comparison_page
from whyword.audit.rows import ModelRow, Times
from whyword.audit.side_by_side import SideBySide
from whyword.evaluation import Comparison


def changed(
    accuracy: float = 1.0,
    power: float | None = 1.0,
    deletion: float | None = 1.0,
    gain: float = -0.1,
    **models: Sequence[object],
) -> SideBySide:
    """Return the comparison of cnn and svm with other p's, and other fields of both rows."""
    found = compared()
    pair = found.pair("cnn", "svm")
    assert pair.power is not None
    assert pair.deletion is not None

    def with_p(one: Comparison, p: float | None, difference: float) -> Any:  # noqa: ANN401
        fields: dict[str, Any] = {"p": p, "adjusted": p, "comparisons": 1, "difference": difference}
        return None if p is None else dataclasses.replace(one, **fields)

    pair = dataclasses.replace(
        pair,
        accuracy=with_p(pair.accuracy, accuracy, 0.1),
        power=with_p(pair.power, power, -0.1),
        deletion=with_p(pair.deletion, deletion, gain),
    )
    own: dict[str, Any] = {"times": [Times(0.001, None, 3)] * 2, "n_bytes": [None, 5], **models}
    rows = {
        name: dataclasses.replace(found.models[name], **{f: each[n] for f, each in own.items()})
        for n, name in enumerate(("cnn", "svm"))
    }
    return dataclasses.replace(found, models=rows, pairs=[pair])


def rows() -> list[ModelRow]:
    return [compared().models[name] for name in ("cnn", "svm")]


# ---- findings -----------------------------------------------------------------------------------


def test_all_findings_in_their_order() -> None:
    found = changed(accuracy=0.001)
    cnn, svm = rows()
    accuracies = [row.quality.accuracy for row in (cnn, svm)]
    powers = {row.name: row.power.epi for row in rows() if row.power is not None}
    gains = {row.name: row.gain(1) or 0.0 for row in rows()}
    epi, words = (max(each, key=lambda name: each[name]) for each in (powers, gains))
    other = {"cnn": "svm", "svm": "cnn"}
    pair, changes = found.pairs[0], found.changes()
    most = changes.confusions[0]
    assert pair.words is not None
    few = [f"{row.name} {row.curves[n]['lrp'].n_documents}" for n in (2, 3) for row in rows()]
    assert findings_of(found) == [
        f"cnn ({accuracies[0]:.1%}) is more accurate than svm ({accuracies[1]:.1%}): p = 0.0010.",
        f"By the summary vectors of {epi} documents are told apart best, EPI {powers[epi]:.3f}; "
        f"not told apart from {other[epi]}.",
        f"The words that explain {words} decide most: deleting them makes the area "
        f"{gains[words]:.3f} smaller than deleting random ones; not told apart from "
        f"{other[words]}.",
        f"cnn and svm predict the same of {pair.share:.1%} of the documents; where both are right, "
        f"{pair.words.overlap:.0%} of the 10 most relevant words are the same "
        f"({pair.words.chance:.0%} by chance).",
        changes_sentence(("cnn", "svm"), changes),
        f"The most frequent change: {most.n_documents} documents of {most.true}, taken for "
        f"{most.before} by cnn and for {most.after} by svm.",
        f"{found.all_wrong} documents ({found.all_wrong / 40:.1%}) are wrong by all models.",
        *(
            f"Deletion {n} rests on few documents, too few to tell much: {a} and {b}."
            for n, a, b in ((2, *few[:2]), (3, *few[2:]))
        ),
    ]


def test_the_papers_question() -> None:
    def question(found: SideBySide) -> list[str]:
        return [said for said in findings_of(found) if said.startswith("Equally accurate")]

    start = "Equally accurate, more explainable? "
    nobody = "Nobody's explanations are better, as far as can be told here."
    assert question(changed()) == [start + nobody]
    assert question(changed(accuracy=0.001)) == []
    pair = changed().pairs[0]
    values = [
        f"cnn {one.values[0]:.3f}, svm {one.values[1]:.3f}"
        for one in (pair.power, pair.deletion)
        if one is not None
    ]
    by = [
        f"by EPI ({values[0]}; p = 0.0010)",
        f"by deletion's gain over chance ({values[1]} on documents that both have right; "
        "p = 0.0020)",
    ]
    (both,) = question(changed(power=0.001, deletion=0.002))
    assert both == f"{start}svm's explanations hold more than cnn's {by[0]} and {by[1]}."
    (one,) = question(changed(deletion=0.002))
    assert one == f"{start}svm's explanations hold more than cnn's {by[1]}."
    (parted,) = question(changed(power=0.001, deletion=0.002, gain=0.1))
    assert parted == f"{start}Of cnn and svm it depends on the measure: {by[0]} and {by[1]}."
    assert question(changed(power=None, deletion=None)) == []
    equal = findings_of(changed())[0]
    accuracies = " and ".join(f"{row.name} ({row.quality.accuracy:.1%})" for row in rows())
    assert equal == (
        f"{accuracies} cannot be told apart in accuracy here, which does not prove them equal: "
        "p = 1.0000."
    )


def test_what_was_lost_is_not_called_open() -> None:
    """Best by all that each has right, and worse on what both have."""
    gains = {row.name: row.gain(1) or 0.0 for row in rows()}
    best = max(gains, key=lambda name: gains[name])
    other = "svm" if best == "cnn" else "cnn"
    for gain, winner in ((0.1, "cnn"), (-0.1, "svm")):
        (said,) = [
            one for one in findings_of(changed(deletion=0.001, gain=gain)) if "decide" in one
        ]
        won, lost = (
            f"; better than {other} beyond chance.",
            f"; {other} is better where both are right.",
        )
        assert said.endswith(won if winner == best else lost)
    alone = dataclasses.replace(rows()[1], power=None)
    found = dataclasses.replace(changed(), models={"cnn": rows()[0], "svm": alone})
    assert "told apart best" not in "\n".join(findings_of(found))


QUICK, SMALL = "cnn predicts fastest; svm takes 30", "svm is smallest; cnn is 3.0"


@pytest.mark.parametrize(
    ("seconds", "sizes", "said"),
    [
        ((0.001, 0.03), (300, 100), [QUICK, SMALL]),
        ((0.03, 0.03), (300, 100), [SMALL]),
        ((0.0029, 0.002), (149, 100), []),
        ((0.003, 0.002), (None, 100), ["svm predicts fastest; cnn takes 1.5"]),
        ((1.0, 1.0), (150, 100), ["svm is smallest; cnn is 1.5"]),
    ],
)
def test_what_is_by_far_slower_or_larger(
    seconds: tuple[float, float], sizes: tuple[int, int], said: list[str]
) -> None:
    times = [Times(one, None, 3) for one in seconds]
    found = findings_of(changed(times=times, n_bytes=sizes))
    large = [one for one in found if "fastest" in one or "smallest" in one]
    assert [one.partition(" times as l")[0] for one in large] == said


def test_of_many_pairs_the_most_and_the_least_alike_are_named() -> None:
    said = [one for one in findings_of(compared()) if "predict the same of" in one]
    shares = sorted(pair.share for pair in compared().pairs)
    assert [f"{shares[-1]:.1%}" in said[0], f"{shares[0]:.1%}" in said[1]] == [True, True]
    assert len(said) == 2


# ---- figures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        *((0.0000123, "0.01 ms"), (0.001, "1.0 ms"), (0.0123, "12.3 ms"), (0.1, "100 ms")),
        *((1.0, "1.0 s"), (1234.5, "1,234.5 s"), (0.0, "0.00 ms")),
    ],
)
def test_times(seconds: float, shown: str) -> None:
    assert shown_time(seconds) == shown


@pytest.mark.parametrize(
    ("n_bytes", "shown"),
    [
        *((0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (100_000, "100 kB")),
        *((91_000_000, "91.0 MB"), (2_500_000_000, "2.5 GB"), (10**13, "10,000 GB")),
    ],
)
def test_sizes(n_bytes: int, shown: str) -> None:
    assert shown_size(n_bytes) == shown


def test_the_best_figure_of_each_measure_is_marked() -> None:
    found = list(compared().models.values())
    by_name = {one.name: one for one in measures(found)}
    qualities: list[Any] = [row.quality for row in found]
    for name, better, values in (
        ("accuracy", "higher", [one.accuracy for one in qualities]),
        ("macro-F1", "higher", [one.macro_f1 for one in qualities]),
        ("calibration error", "lower", [one.calibration_error for one in qualities]),
        ("deletion 1: gain over chance", "higher", [row.gain(1) for row in found]),
        ("a prediction", "lower", [row.times.prediction for row in found]),
    ):
        best = (min if better == "lower" else max)(values)
        assert by_name[name].better == better
        assert [one.best for one in by_name[name].figures] == [value == best for value in values]
    row = found[0]
    assert row.power is not None
    assert row.uniform is not None
    low, high = row.interval
    curve, chance = row.curves[1]["lrp"], row.curves[1]["random"]
    epi, uniform = row.power, row.uniform
    assert [measure.figures[0][:2] for measure in by_name.values()] == [
        (f"{row.quality.accuracy:.2%}", f"{low:.1%} to {high:.1%}"),
        (f"{row.quality.macro_f1:.4f}", ""),
        (f"{qualities[0].calibration_error:.4f}", ""),
        ("lrp", ""),
        (f"{epi.epi:.4f}", f"± {epi.deviation:.4f}, K = {epi.k}"),
        (f"{uniform.epi:.4f}", f"K = {uniform.k}"),
        (
            f"{row.gain(1):.3f}".replace("-", "−"),
            f"area {curve.area:.3f}, by chance {chance.area:.3f}; {curve.size}",
        ),
        *(by_name[f"deletion {n}: gain over chance"].figures[0][:2] for n in (2, 3)),
        (shown_time(row.times.prediction), ""),
        (shown_time(row.times.explanation or 0), ""),
        (shown_size(row.n_bytes or 0), ""),
    ]
    last = {name: measure.figures[2] for name, measure in by_name.items()}
    why = "documents of kind 'Weak' have no vectors"
    assert last["explanatory power, EPI"] == ("–", why, False)
    assert last["EPI without explanation"] == ("–", "", False)
    assert last["size"] == ("–", "how large it is, it does not say", False)
    lacks = {"explanation": "not", "word deletion": "no words", "word deletion 2": "none wrong"}
    times = row.times._replace(explanation=None)
    unable = dataclasses.replace(row, method=None, curves={}, lacks=lacks, times=times)
    one = {measure.name: measure.figures[0] for measure in measures([unable, unable])}
    assert one["explained by"] == one["an explanation"]._replace(number="–") == ("–", "not", False)
    assert one["deletion 2: gain over chance"] == ("–", "none wrong", False)
    assert one["deletion 3: gain over chance"] == ("–", "no words", False)
    assert not any(figure.best for figure in one.values())  # equals are not marked


# ---- the page -----------------------------------------------------------------------------------


def page_of(found: SideBySide, *said: str, **changes: object) -> str:
    changes_: Any = changes
    return "".join(comparison_page(dataclasses.replace(found, **changes_), said))


def test_the_page_has_everything() -> None:
    found = compared()
    page, listed = found.to_html(), items(found.to_html())
    titles = ["Side by side", "Word deletion", "Explanatory power", "What changes", "Two by two"]
    assert re.findall(r"<h2>(.*?)</h2>", page) == [*titles, "How this was measured"]
    read = plain(page.split("<body>")[1])
    assert "Models side by side 3 models, 40 documents, 3 classes (words)." in read
    assert "steps 4; least words 8; runs 2; splits 3; seed 4; alpha 0.05." in read
    for said in found.findings:
        assert said in listed
    for pair in found.pairs:
        for one in (pair.accuracy, pair.power, pair.deletion):
            assert one is None or one.verdict in listed
    summaries = re.findall(r"All comparisons: (.*?)</summary>", page)
    assert summaries == ["accuracy", "explanatory power", "word deletion 1, gain over chance"]
    measured, *_, pairs = tables(page)
    assert measured[1][0] == "accuracy higher is better"
    pair, cells = found.pairs[1], pairs[2]
    assert pair.words is not None
    counts = [pair.both_right, pair.only_first, pair.only_second, pair.both_wrong]
    assert cells[:7] == [
        *("cnn / words", f"{pair.share:.1%}"),
        *map(str, [*counts, pair.same_mistake]),
    ]
    correlation = f"{pair.words.correlation:.2f}".replace("-", "−")
    assert cells[7:] == [f"{pair.words.overlap:.0%}", f"{pair.words.chance:.0%}", correlation]
    said = ", ".join(
        f"{name} {row.curves[1][str(row.method)].area:.3f} (by chance "
        f"{row.curves[1]['random'].area:.3f})"
        for name, row in found.models.items()
    )
    assert f'aria-label="Areas: {said}"' in page
    powers = [f"{row.name} {row.power.epi:.3f}" for row in rows() if row.power is not None]
    assert f'aria-label="Best: {", ".join(powers)}"' in page
    assert page.count('class="thin"') == 9


def test_what_changes_and_for_which_documents() -> None:
    found = compared()
    page = found.to_html()
    for name in ("svm", "words"):
        changes = found.changes(after=name)
        assert changes_sentence(("cnn", name), changes) in page
        assert f"<bdi>cnn</bdi> → <bdi>{name}</bdi>" in page
        assert f"<summary>{len(changes.changed)} documents</summary>" in page
    assert page.count("<summary>Why, in ") == 2
    shown = found.changes().some(EXAMPLES)[0]
    assert f"<bdi>{shown.document}, {shown.true}</bdi> <small>{shown.turn}</small>" in page
    assert '<h2 dir="auto">svm</h2>' in page
    assert f"{shown.after} (predicted)" in page
    two = {name: found.models[name] for name in ("cnn", "svm")}
    page = page_of(found, "One finding.", models=two)
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert (titles[0], titles.count("What changes")) == ("What changes", 1)  # opened, and first
    assert len(re.findall(r"<details open><summary>(What was|\d+ documents)", page)) == 2
    row = found.models["cnn"]
    alike = page_of(found, models={"a": row, "b": row}, examples={}, pairs=found.pairs[:1])
    assert "a and b predict the same of every document." in alike
    assert "What was taken for what" not in alike


def test_what_could_not_be_measured() -> None:
    found = compared()
    bare = {
        name: dataclasses.replace(row, power=None, uniform=None, curves={})
        for name, row in found.models.items()
    }
    pairs = [dataclasses.replace(one, power=None, deletion=None, words=None) for one in found.pairs]
    page = page_of(found, models=bare, pairs=pairs, remarks=["One remark."])
    assert page.count("It could not be measured; the table says why.") == 2
    assert "One remark." in page
    assert "most relevant words for the true class" not in page
    assert tables(page)[-1][1][-3:] == ["–", "–", "–"]


def test_points_stand_at_their_steps_and_long_names_are_cut() -> None:
    row, name = compared().models["cnn"], "a-folder-with-a-rather-long-name"
    curves = {
        name: dataclasses.replace(curve, steps=curve.steps**2)
        for name, curve in row.curves[1].items()
    }
    one = dataclasses.replace(row, name=name, curves={1: curves}, power=None)
    page = page_of(compared(), models={name: one})
    for line in lines(page):
        assert line == pytest.approx([0, 1 / 16, 4 / 16, 9 / 16, 1], abs=1e-3)
    assert len(lines(page)) == 2
    assert "a-folder-with-a…</text>" in page
    assert name in page
