"""After how many words a model is asked: each, or chosen ones, which are the same points."""

from collections.abc import Callable, Iterable
from itertools import count, repeat
from typing import Any

import numpy as np
import pytest
from counting import Counting
from networks import small_cnn, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from whyword import InputError, SVMClassifier, deletion_curve, from_pipeline
from whyword.evaluation.steps import asked_texts, plain_steps, shown_steps, step_numbers

# ---- what may be asked for ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "numbers"),
    [
        (3, [0, 1, 2, 3]),
        (np.int64(1), [0, 1]),
        (np.array(2), [0, 1, 2]),
        ([0, 2, 7], [0, 2, 7]),
        ((2, 7), [0, 2, 7]),
        ([3], [0, 3]),
        (np.array([1, 100_000]), [0, 1, 100_000]),
        (range(0, 9, 4), [0, 4, 8]),
        ((2**n for n in range(3)), [0, 1, 2, 4]),
    ],
)
def test_numbers(steps: Any, numbers: list[int]) -> None:  # noqa: ANN401
    found = step_numbers(steps)
    assert found.dtype == np.intp
    assert found.tolist() == numbers


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (0, "must be a whole number from 1 to 100,000, not 0"),
        (True, "must be a whole number from 1"),
        (2.0, "takes a whole number, or an increasing list of them, not float"),
        ("0,5", "takes a whole number, or an increasing list of them, not str"),
        (None, "takes a whole number, or an increasing list of them, not NoneType"),
        ({1: 2}, "takes a whole number, or an increasing list of them, not dict"),
        ([], "must have a number above 0"),
        ([0], "must have a number above 0"),
        ([0, 0, 1], "must increase, but 0 follows 0"),
        ([1, 5, 5], "must increase, but 5 follows 5"),
        ([5, 1], "must increase, but 1 follows 5"),
        ([-1, 5], "must be a whole number from 0 to 100,000, not -1"),
        ([1, 2.0], "must be a whole number from 0 to 100,000, not 2.0"),
        ([1, None], "must be a whole number from 0 to 100,000, not None"),
        ([[1, 2]], "must be a whole number from 0"),
        ([100_001], "must be a whole number from 0 to 100,000, not 100001"),
        (count(), "must be a whole number from 0 to 100,000, not 100001"),
        (repeat(1), "must increase, but 1 follows 1"),
    ],
)
def test_unfit_numbers(steps: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=f"^steps {message}") as caught:
        step_numbers(steps)
    assert caught.value.arguments == ["steps"]


def test_plain_and_shown() -> None:
    assert plain_steps(step_numbers(4)) == plain_steps(step_numbers([1, 2, 3, 4])) == 4
    assert plain_steps(step_numbers([1, 4])) == [0, 1, 4]
    assert shown_steps(50) == "50"
    assert shown_steps([0, 1, 4]) == "0, 1, 4"
    assert shown_steps(range(0, 99, 2)) == "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, …, 98"


def test_texts_of_an_order() -> None:
    steps = step_numbers([1, 2, 5, 10, 20])
    assert [asked_texts(steps, longest) for longest in (0, 1, 5, 6, 20, 99)] == [1, 2, 4, 5, 6, 6]
    assert asked_texts(step_numbers(50), 30) == 31


# ---- the same points of every curve -------------------------------------------------------------

TEXTS, LABELS = topical(24, seed=3)
TEXTS = [*TEXTS, "moon", "Moon the orbit, moon"]  # few words, and fewer than the steps
LABELS = [*LABELS, "space", "space"]
STEPS = [0, 1, 2, 5, 11, 40]


class Letters:
    """Somebody's model: which letters there are."""

    classes_ = np.array(["crypto", "hockey", "space"])

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return Counting()([text.translate(str.maketrans("ckm", "abc")) for text in texts])


def torch_module() -> object:
    import torch
    from torch_texts import CLASSES, VOCABULARY, Convolution

    import whyword as ww

    torch.manual_seed(2)
    return ww.TorchClassifier(Convolution().eval(), VOCABULARY, CLASSES)


KINDS: dict[str, Callable[[], object]] = {
    "network": small_cnn,
    "words": lambda: SVMClassifier(C=1.0, ngrams=(1, 1)).fit(*topical(60)),
    "n-grams": lambda: SVMClassifier(C=1.0, ngrams=(1, 2)).fit(*topical(60)),
    "pipeline": lambda: from_pipeline(
        make_pipeline(CountVectorizer(), MultinomialNB()).fit(*topical(60))
    ),
    "black box": Letters,
    "module": torch_module,
}
LAST_DIGITS = {"module": 1e-6}  # other texts are in its batches


@pytest.mark.slow(reason="every kind of model")
@pytest.mark.parametrize("kind", KINDS)
def test_chosen_steps_are_points_of_the_whole_curve(kind: str) -> None:
    model = KINDS[kind]()
    for action, method, runs in (("delete", None, 1), ("insert", None, 1), ("delete", "random", 3)):
        asked: dict[str, Any] = {"action": action, "method": method, "runs": runs, "subset": "all"}
        whole = deletion_curve(model, TEXTS, LABELS, steps=STEPS[-1], **asked)
        some = deletion_curve(model, TEXTS, LABELS, steps=STEPS, **asked)
        assert some.steps.tolist() == STEPS
        assert some.chosen.tolist() == whole.chosen.tolist() == list(range(len(TEXTS)))
        np.testing.assert_array_equal(some.correct, whole.correct[:, :, STEPS])
        assert some.correct.shape == (runs, len(TEXTS), len(STEPS))
        for name in ("scores", "probabilities", "opposite"):
            points = getattr(whole, name)[:, :, STEPS]
            np.testing.assert_allclose(
                getattr(some, name), points, rtol=0, atol=LAST_DIGITS.get(kind, 0)
            )
        assert np.ptp(some.scores) > 0


def asked_of(model: Counting, texts: list[str], steps: int | Iterable[int]) -> int:
    """Return about how many texts a model is asked by one order of each, beside the intact ones."""
    before = model.total
    asked = {"subset": "all", "runs": 1, "sufficiency": False}
    deletion_curve(model.box(), texts, ["a"] * len(texts), "random", steps=steps, **asked)  # type: ignore[arg-type]
    return model.total - before - len(texts)


def test_a_model_is_asked_for_the_chosen_steps_only() -> None:
    model = Counting()
    texts = ["a b cab bead " * 20, "b a bead cab " * 25]
    assert asked_of(model, texts, 50) == 2 * 51
    assert asked_of(model, texts, [0, 1, 2, 5, 10, 20, 50]) == 2 * 7
    assert asked_of(model, texts, [5, 90, 200, 300]) == 2 * 4  # 0, 5, 90 and all of the words
