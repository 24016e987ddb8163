"""Changing an explanation in place changes no other one, nor the model."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from networks import small_cnn, small_svm, topical
from toys import CentroidClassifier
from wrapped import fitted

from whyword import explain, from_pipeline, iter_explanations
from whyword.explanation.decomposition import Decomposition

TEXTS, LABELS = topical(30, seed=3)
TEXTS = [*TEXTS[:4], TEXTS[0], "", "nothing known here"]  # one of them twice


class BlackBox:
    classes_ = np.array(["a", "b"])

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.25, 0.75] if "orbit" in text else [0.5, 0.5] for text in texts]


MODELS: dict[str, Callable[[], Any]] = {
    "cnn": small_cnn,
    "cnn with a cache": lambda: small_cnn().cache_words(),
    "svm": small_svm,
    "pipeline": lambda: from_pipeline(fitted("tf-idf, SVM", 3)),
    "toy": lambda: CentroidClassifier().fit(*topical(20)),
    "black box": BlackBox,
}


def arrays(explanation: Decomposition) -> Iterator[np.ndarray[Any, Any]]:
    for value in (*vars(explanation).values(), explanation.spans):
        if isinstance(value, np.ndarray):
            yield value


def scribble(explanation: Decomposition) -> None:
    """Change everything that can be changed."""
    for values in arrays(explanation):
        if values.flags.writeable:
            values[...] = 7
    explanation.parameters["scribbled"] = True  # type: ignore[index]
    explanation.words.clear()


def state(explanation: Decomposition) -> bytes:
    other = ("document", "ask_units")  # the last is a question to the model
    kept = {name: value for name, value in vars(explanation).items() if name not in other}
    kept["model"] = explanation.model
    return pickle.dumps([kept, explanation.text, explanation.spans.tolist(), explanation.words])


def explain_at(model: object, target: str, level: str) -> Sequence[Decomposition]:
    made: Any = explain(model, TEXTS, target, level=level)  # type: ignore[call-overload]
    return list(made)


CASES = [(name, "word") for name in MODELS] + [("cnn", "element"), ("cnn", "filter")]


@pytest.mark.parametrize("target", ["predicted", "all"])
@pytest.mark.parametrize(("name", "level"), CASES)
def test_an_explanation_shares_nothing_with_others(name: str, target: str, level: str) -> None:
    model = MODELS[name]()
    expected = [state(one) for one in explain_at(model, target, level)]
    made = explain_at(model, target, level)
    for number in range(len(TEXTS)):
        assert [state(one) for one in made[number:]] == expected[number:]
        scribble(made[number])
    assert [state(one) for one in explain_at(model, target, level)] == expected


def test_a_stream_of_explanations_shares_nothing() -> None:
    model = small_cnn().cache_words()
    expected = [state(one) for one in iter_explanations(model, TEXTS)]
    seen = []
    for one in iter_explanations(model, TEXTS):
        seen.append(state(one))
        scribble(one)
    assert seen == expected
