"""Figures as people read them: the best of a row is marked, what is missing is said."""

import dataclasses

import pytest
from compared import compared

from whyword.audit.measures import measures, shown_size, shown_time


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        *((0.0000123, "0.01 ms"), (0.00123, "1.2 ms"), (0.0123, "12.3 ms"), (0.123, "123 ms")),
        *((1.0, "1.0 s"), (1234.5, "1,234.5 s"), (0.0, "0.00 ms")),
    ],
)
def test_times(seconds: float, shown: str) -> None:
    assert shown_time(seconds) == shown


@pytest.mark.parametrize(
    ("n_bytes", "shown"),
    [
        *((0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (123_456, "123 kB")),
        *((91_000_000, "91.0 MB"), (2_500_000_000, "2.5 GB"), (10**13, "10,000 GB")),
    ],
)
def test_sizes(n_bytes: int, shown: str) -> None:
    assert shown_size(n_bytes) == shown


@pytest.mark.slow(reason="compares models")
def test_the_best_is_marked() -> None:
    rows = list(compared().models.values())
    by_name = {one.name: one for one in measures(rows)}
    accuracies = [row.quality.accuracy for row in rows]
    accuracy = by_name["accuracy"]
    assert [one.best for one in accuracy.figures] == [a == max(accuracies) for a in accuracies]
    assert [one.number for one in accuracy.figures] == [f"{a:.2%}" for a in accuracies]
    errors = [row.quality.calibration_error for row in rows]  # type: ignore[union-attr]
    marked = [one.best for one in by_name["calibration error"].figures]
    assert marked == [error == min(errors) for error in errors]
    assert not any(one.best for one in by_name["explained by"].figures)
    assert [one.number for one in by_name["explained by"].figures] == ["lrp", "lrp", "occlusion"]
    last = by_name["explanatory power, EPI"].figures[2]
    assert (last.number, last.best) == ("–", False)
    assert last.note == "documents of kind 'Weak' have no vectors"
    gain = by_name["deletion 1: gain over chance"].figures[0]
    assert gain.number == f"{rows[0].gain(1):.3f}".replace("-", "−")
    assert gain.note.startswith(f"area {rows[0].curves[1]['lrp'].area:.3f}, by chance ")


@pytest.mark.slow(reason="compares models")
def test_equals_are_not_marked() -> None:
    row = compared().models["cnn"]
    for one in measures([row, dataclasses.replace(row, name="again")]):
        assert not any(figure.best for figure in one.figures)
    unable = dataclasses.replace(
        row, method=None, curves={}, lacks={"explanation": "not", "word deletion": "no words"}
    )
    by_name = {one.name: one.figures[0] for one in measures([unable, row])}
    assert by_name["explained by"] == ("–", "not", False)
    assert by_name["deletion 2: gain over chance"] == ("–", "no words", False)
