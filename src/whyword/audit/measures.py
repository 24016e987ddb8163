"""What was measured of models, a figure for each of them, as it is shown on a page or a screen."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from whyword.audit.rows import DELETION, EXPLANATION, POWER, SIZE, ModelRow
from whyword.evaluation.experiment import EXPERIMENTS
from whyword.evaluation.quality import ModelQuality, MultiLabelQuality
from whyword.pages.render import fixed, percent

_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "bytes"))


class Figure(NamedTuple):
    """A number about a model, what is said beside it, and whether it is the best."""

    number: str
    note: str = ""
    best: bool = False


class Measure(NamedTuple):
    """What was measured, which numbers are good, and the figure of each model."""

    name: str
    better: str
    figures: list[Figure]


class _Value(NamedTuple):
    """A value to be marked if it is the best; None where there is none."""

    value: float | None
    number: str = "–"
    note: str = ""


def measures(rows: Sequence[ModelRow]) -> Iterator[Measure]:
    """Yield what was measured, a figure for each model."""
    several = isinstance(rows[0].quality, MultiLabelQuality)
    right = "exactly the right labels" if several else "accuracy"
    yield _measure(right, "higher", rows, _accuracy)
    yield _measure("macro-F1", "higher", rows, lambda row: _fixed(row.quality.macro_f1))
    if several:
        yield _measure("micro-F1", "higher", rows, _micro_f1)
    else:
        yield _measure("calibration error", "lower", rows, _calibration)
    yield _measure("explained by", "", rows, _method)
    yield _measure("explanatory power, EPI", "higher", rows, _power)
    yield _measure("EPI without explanation", "", rows, _uniform)
    for number in EXPERIMENTS:
        name = f"deletion {number}: gain over chance"
        yield _measure(name, "higher", rows, lambda row, number=number: _deletion(row, number))
    yield _measure("a prediction", "lower", rows, lambda row: _time(row.times.prediction))
    yield _measure("an explanation", "lower", rows, _explanation_time)
    yield _measure("size", "lower", rows, _size)


def _measure(
    name: str, better: str, rows: Sequence[ModelRow], value_of: Callable[..., _Value]
) -> Measure:
    values = [value_of(row) for row in rows]
    known = [one.value for one in values if one.value is not None]
    choose = min if better == "lower" else max
    best = choose(known) if better and len(set(known)) > 1 else None
    figures = [
        Figure(one.number, one.note, best is not None and one.value == best) for one in values
    ]
    return Measure(name, better, figures)


def _fixed(value: float) -> _Value:
    return _Value(value, fixed(value, 4))


def _accuracy(row: ModelRow) -> _Value:
    low, high = (percent(end, 1) for end in row.interval)
    accuracy = row.quality.accuracy
    return _Value(accuracy, percent(accuracy, 2), f"{low} to {high}")


def _micro_f1(row: ModelRow) -> _Value:
    quality = row.quality
    return _fixed(quality.micro_f1) if isinstance(quality, MultiLabelQuality) else _Value(None)


def _calibration(row: ModelRow) -> _Value:
    quality = row.quality
    return _fixed(quality.calibration_error) if isinstance(quality, ModelQuality) else _Value(None)


def _method(row: ModelRow) -> _Value:
    return _Value(None, row.method or "–", row.lacks.get(EXPLANATION, ""))


def _power(row: ModelRow) -> _Value:
    if row.power is None:
        return _Value(None, note=row.lacks.get(POWER, ""))
    note = f"± {fixed(row.power.deviation, 4)}, K = {row.power.k}"
    return _Value(row.power.epi, fixed(row.power.epi, 4), note)


def _uniform(row: ModelRow) -> _Value:
    if row.uniform is None:
        return _Value(None)
    return _Value(row.uniform.epi, fixed(row.uniform.epi, 4), f"K = {row.uniform.k}")


def _deletion(row: ModelRow, number: int) -> _Value:
    curve, chance, gain = row.curve(number), row.chance_curve(number), row.gain(number)
    if curve is None or chance is None:
        why = row.lacks.get(f"{DELETION} {number}", row.lacks.get(DELETION, ""))
        return _Value(None, note=why)
    note = f"area {fixed(curve.area, 3)}, by chance {fixed(chance.area, 3)}; {curve.size}"
    return _Value(gain, fixed(gain, 3), note)


def _time(seconds: float) -> _Value:
    return _Value(seconds, shown_time(seconds))


def _explanation_time(row: ModelRow) -> _Value:
    seconds = row.times.explanation
    return _Value(None, note=row.lacks.get(EXPLANATION, "")) if seconds is None else _time(seconds)


def _size(row: ModelRow) -> _Value:
    if row.n_bytes is None:
        return _Value(None, note=row.lacks.get(SIZE, ""))
    return _Value(row.n_bytes, shown_size(row.n_bytes))


def shown_time(seconds: float) -> str:
    """Return how long something takes, for people."""
    if seconds >= 1:
        return f"{seconds:,.1f} s"
    return f"{1000 * seconds:.{0 if seconds >= 0.1 else 1 if seconds >= 0.001 else 2}f} ms"


def shown_size(n_bytes: int) -> str:
    """Return how large something is, for people."""
    size, unit = next((one for one in _UNITS if n_bytes >= one[0]), _UNITS[-1])
    return f"{n_bytes / size:,.{0 if size == 1 or n_bytes >= 100 * size else 1}f} {unit}"
