"""The relevance of windows, against the literal formula."""

from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text

from whyword import CNNClassifier, explain

shapes = {
    "widths": st.sampled_from([(1,), (2,), (3,), (5,), (1, 2), (2, 3, 5)]),
    "numbers": st.lists(st.integers(0, 6), min_size=0, max_size=9),
    "deleted": st.sets(st.integers(0, 8), max_size=4),
    "seed": st.integers(0, 10_000),
    "shared": st.booleans(),
}


def compare(model: CNNClassifier, text: str, gone: list[int], shared: bool) -> None:
    """Hold the windows against the oracle, and their sum against the words', for every class."""
    inputs, convolutions, weight, bias = literal_parts(model, text)
    words = len(text.split())
    inputs[gone] = 0
    targets = np.arange(len(model.classes_), dtype=np.int32)[None]
    (trace,) = model.trace([text], deleted=iter([np.array(gone, np.intp)]), columns=3)
    rule: dict[str, Any] = {"epsilon": 0.01, "bias": "shared" if shared else "apart"}
    (phrases,), relevance = trace.lrp_phrases(targets, **rule), trace.lrp(targets, **rule)
    relevance.move_to_padding(0, np.array(gone, np.intp))
    limit = 1e-5 * max(1, np.abs(trace.scores).max())
    assert np.abs(phrases.relevance.sum(axis=0) - relevance.words[0].sum(axis=0)).max() <= limit
    is_word = [t < words and t not in gone for t in range(len(inputs))]
    spans = trace.documents[0].spans.tolist()
    for k in targets[0].tolist():
        expected: dict[tuple[int, ...], list[float]] = {}
        literal = oracle.window_relevance(
            inputs, convolutions, weight, bias, k, is_word, shared=shared
        )
        for (width, t), value in literal.items():
            live = [n for n in range(t, t + width) if is_word[n]]
            span = spans[live[0]][0], spans[live[-1]][1]
            expected.setdefault(span, []).append(value)
        found: dict[tuple[int, ...], list[float]] = {}
        for place, value in zip(phrases.spans.tolist(), phrases.relevance[:, k], strict=True):
            found.setdefault(tuple(place), []).append(float(value))
        assert found.keys() == expected.keys()
        for where, values in expected.items():
            np.testing.assert_allclose(sorted(found[where]), sorted(values), atol=limit)


@settings(deadline=None, max_examples=120)
@given(**shapes)
def test_windows_equal_the_literal_formula(
    widths: tuple[int, ...], numbers: list[int], deleted: set[int], seed: int, shared: bool
) -> None:
    gone = sorted(at for at in deleted if at < len(numbers))
    model, text = made_cnn(widths, seed=seed), made_text(numbers)
    inputs, convolutions, *_ = literal_parts(model, text)
    inputs[gone] = 0
    assume(oracle.smallest_margin(inputs, convolutions) > 1e-5)
    compare(model, text, gone, shared)


@pytest.mark.parametrize("widths", [(1,), (2,), (3,), (1, 2, 3)])
@pytest.mark.parametrize("numbers", [[], [0], [6], [0, 1], [3, 3, 3, 3]])
def test_short_texts_and_texts_without_any_word_left(
    widths: tuple[int, ...], numbers: list[int]
) -> None:
    for seed in range(3):
        model, text = made_cnn(widths, seed=seed), made_text(numbers)
        inputs, convolutions, *_ = literal_parts(model, text)
        if oracle.smallest_margin(inputs, convolutions) > 1e-5:
            compare(model, text, [], True)
        phrases = explain(model, text, level="phrase", deleted=range(len(numbers))).phrases()
        assert phrases == []


def test_a_window_with_a_hole_says_so() -> None:
    model, text = made_cnn((3,), filters=40, seed=1), made_text([0, 1, 2, 3])
    phrases = explain(model, text, level="phrase", deleted=[1]).phrases()
    assert {one.text for one in phrases} <= {"wa … wc", "wc wd"}
    assert len(phrases) == 2
