"""What a comparison of models says, in sentences: the paper's question, asked of these models."""

from collections.abc import Iterator, Mapping, Sequence

from whyword.audit.changes_page import changes_sentence
from whyword.audit.rows import ModelRow, PairRow
from whyword.audit.side_by_side import SideBySide
from whyword.base.labels import label_text
from whyword.evaluation.comparison import Comparison
from whyword.pages.render import count, percent

_QUESTION = "Equally accurate, more explainable?"
_TIMES = 1.5  # as fast or as large, to be worth a word
_FEW = 20  # documents


def findings_of(compared: SideBySide) -> list[str]:
    """Return what the numbers say, the main thing first."""
    rows, pairs = list(compared.models.values()), compared.pairs
    powers = {row.name: row.power.epi for row in rows if row.power is not None}
    gains = {row.name: gain for row in rows if (gain := row.gain(1)) is not None}
    return [
        *_accuracy(compared),
        *_question(compared),
        *_best(
            powers,
            [pair.power for pair in pairs],
            "by the summary vectors of {best} documents are told apart best, EPI {value:.3f}",
        ),
        *_best(
            gains,
            [pair.deletion for pair in pairs],
            "the words that explain {best} decide most: deleting them makes the area {value:.3f} "
            "smaller than deleting random ones",
        ),
        *_agreement(pairs),
        *_changes(compared),
        *_mistakes(compared),
        *_few(rows),
        *_price(rows),
    ]


def _accuracy(compared: SideBySide) -> Iterator[str]:
    """Say which model is most accurate, than which, and from which it cannot be told."""
    accuracy = {row.name: row.quality.accuracy for row in compared.models.values()}
    name = max(accuracy, key=lambda one: accuracy[one])
    beaten, _, rest = _with(name, [pair.accuracy for pair in compared.pairs])

    def listed(names: Sequence[str]) -> str:
        return _and([f"{one} ({percent(accuracy[one], 1)})" for one in names])

    if beaten:
        least_sure = max(beaten, key=lambda one: one.adjusted)
        others = listed([_other(one, name) for one in beaten])
        yield f"{listed([name])} is more accurate than {others}: {least_sure.corrected_p}."
    if rest:
        nearest = min(rest, key=lambda one: one.adjusted)
        yield (
            f"{listed([name, *(_other(one, name) for one in rest)])} cannot be told apart in "
            f"accuracy here, which does not prove them equal: {nearest.corrected_p}."
        )


def _question(compared: SideBySide) -> Iterator[str]:
    """Answer the paper's question for each two models whose accuracy cannot be told apart."""
    open_pairs = [pair for pair in compared.pairs if pair.accuracy.winner is None]
    compared_ones = [
        [one for one in (pair.power, pair.deletion) if one is not None] for pair in open_pairs
    ]
    answers = list(map(_answer, compared_ones))
    yield from (f"{_QUESTION} {answer}" for answer in answers if answer)
    if any(compared_ones) and not any(answers):
        yield f"{_QUESTION} Nobody's explanations are better, as far as can be told here."


def _answer(comparisons: Sequence[Comparison]) -> str:
    """Return whose explanations hold more, by which measure; nothing if that is open."""
    decided = [one for one in comparisons if one.winner is not None]
    if not decided:
        return ""
    said, (a, b) = _and([_by(one) for one in decided]), decided[0].names
    if len({one.winner for one in decided}) > 1:
        return f"Of {a} and {b} it depends on the measure: {said}."
    winner = decided[0].winner
    return f"{winner}'s explanations hold more than {b if winner == a else a}'s {said}."


def _by(one: Comparison) -> str:
    what = "EPI" if one.statistic is not None else "deletion's gain over chance"
    a, b = one.names
    values = f"{a} {one.values[0]:.3f}, {b} {one.values[1]:.3f}"
    if one.statistic is None:
        values += " on documents that both have right"
    return f"by {what} ({values}; {one.corrected_p})"


def _best(
    values: Mapping[str, float], comparisons: Sequence[Comparison | None], sentence: str
) -> Iterator[str]:
    """Say which model has the highest value, and than which it is better beyond chance."""
    if len(values) < 2:
        return
    name = max(values, key=lambda one: values[one])
    beaten, lost, open_ones = _with(name, comparisons)
    said = [sentence.format(best=name, value=values[name])]
    if beaten:
        said.append(f"better than {_and([_other(one, name) for one in beaten])} beyond chance")
    if open_ones:
        said.append(f"not told apart from {_and([_other(one, name) for one in open_ones])}")
    if lost:
        said.append(f"{_and([_other(one, name) for one in lost])} is better where both are right")
    whole = "; ".join(said)
    yield f"{whole[0].upper()}{whole[1:]}."


def _agreement(pairs: Sequence[PairRow]) -> Iterator[str]:
    """Say how far the models that predict most alike, and least alike, do so."""
    ordered = sorted(pairs, key=lambda pair: -pair.share)
    least = ordered[-1:] if ordered[-1].share < ordered[0].share else []
    for pair in (ordered[0], *least):
        first, second = pair.names
        said = f"{first} and {second} predict the same of {percent(pair.share, 1)} of the documents"
        if pair.words is not None:
            words = pair.words
            said += (
                f"; where both are right, {percent(words.overlap)} of the {words.top} most "
                f"relevant words are the same ({percent(words.chance)} by chance)"
            )
        yield f"{said}."


def _changes(compared: SideBySide) -> Iterator[str]:
    """Say what changes from a model to another one, if there are but two, and most of it."""
    if len(compared.models) != 2:
        return
    before, after = compared.models
    changes = compared.changes()
    yield changes_sentence((before, after), changes)
    most = changes.confusions[0] if len(changes.changed) else None
    if most is not None and most.n_documents > 1:
        true, first, second = map(label_text, (most.true, most.before, most.after))
        yield (
            f"The most frequent change: {count(most.n_documents)} documents of {true}, taken for "
            f"{first} by {before} and for {second} by {after}."
        )


def _mistakes(compared: SideBySide) -> Iterator[str]:
    if compared.all_wrong and len(compared.models) > 1:
        share = percent(compared.all_wrong / compared.n_documents, 1)
        yield f"{count(compared.all_wrong)} documents ({share}) are wrong by all models."


def _few(rows: Sequence[ModelRow]) -> Iterator[str]:
    """Say which deletions rest on next to no documents."""
    for number in sorted({number for row in rows for number in row.curves}):
        counts = {
            row.name: min(curve.n_documents for curve in row.curves[number].values())
            for row in rows
            if row.curves.get(number)
        }
        few = [f"{name} {many}" for name, many in counts.items() if many < _FEW]
        if few:
            yield f"Deletion {number} rests on few documents, too few to tell much: {_and(few)}."


def _price(rows: Sequence[ModelRow]) -> Iterator[str]:
    """Say which model is quickest, which smallest, if others are by far not."""
    quick = sorted(rows, key=lambda row: row.times.prediction)
    times = quick[-1].times.prediction / max(quick[0].times.prediction, 1e-9)
    if times >= _TIMES:
        yield f"{quick[0].name} predicts fastest; {quick[-1].name} takes {_times(times)} as long."
    sizes = sorted((row.n_bytes, row.name) for row in rows if row.n_bytes)
    if len(sizes) > 1 and sizes[-1][0] / sizes[0][0] >= _TIMES:
        times = sizes[-1][0] / sizes[0][0]
        yield f"{sizes[0][1]} is smallest; {sizes[-1][1]} is {_times(times)} as large."


def _times(number: float) -> str:
    return f"{number:,.0f} times" if number >= 10 else f"{number:.1f} times"


def _with(
    name: str, comparisons: Sequence[Comparison | None]
) -> tuple[list[Comparison], list[Comparison], list[Comparison]]:
    """Return the comparisons with a model: those that it wins, that it loses, that are open."""
    its = [one for one in comparisons if one is not None and name in one.names]
    won = [one for one in its if one.winner == name]
    lost = [one for one in its if one.winner not in (name, None)]
    return won, lost, [one for one in its if one.winner is None]


def _other(comparison: Comparison, name: str) -> str:
    a, b = comparison.names
    return b if a == name else a


def _and(parts: Sequence[str]) -> str:
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last
