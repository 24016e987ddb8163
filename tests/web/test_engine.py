"""What the server sends is what the library says."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, some_vectors
from served import KINDS, LABELS, TEXT, TEXTS, arrived, model
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import CNNClassifier, Explanation, InputError, SVMClassifier, explain
from whyword.methods.registry import METHODS
from whyword.web.engine import Engine
from whyword.web.limits import Limits

HOSTILE = [
    "",
    " \n\t",
    "unheard zebra",
    "\x00",
    "\ufffd",
    "🌙 moon 月",
    "MOON moon mOOn",
    "a" * 5000,
]


def explained(engine: Engine, texts: list[str], *asked: Any) -> list[Any]:  # noqa: ANN401
    found = engine.explain(texts, [None] * len(texts), [[]] * len(texts), *asked)
    result: list[Any] = arrived(found)
    return result


def check_same(found: Any, wanted: Explanation, of: CNNClassifier | SVMClassifier) -> None:  # noqa: ANN401
    """Compare with an explanation of the library, and take it through its JSON form."""
    again = Explanation.from_json(json.dumps(found))
    for name in ("text", "words", "classes", "target", "method", "parameters", "model"):
        assert getattr(again, name) == getattr(wanted, name), name
    for name in ("spans", "known"):
        np.testing.assert_array_equal(getattr(again, name), getattr(wanted, name))
    for name in ("relevance", "scores", "padding", "residual"):
        np.testing.assert_allclose(
            getattr(again, name), getattr(wanted, name), rtol=1e-5, atol=1e-6, err_msg=name
        )
    assert again.relevance.shape == wanted.relevance.shape
    assert found["truncated"] == wanted.truncated
    assert found["predicted"] == wanted.predicted
    assert found["conserved"] == wanted.conserved
    chances = of.probabilities(wanted.scores[None])[0]
    np.testing.assert_allclose(found["probabilities"], chances, rtol=1e-5, atol=1e-7)
    if "deleted" not in wanted.parameters:
        chances = of.predict_proba([wanted.text])[0]
        np.testing.assert_allclose(found["probabilities"], chances, rtol=1e-5, atol=1e-7)


def questions(classes: list[Any]) -> Iterator[tuple[Any, Any]]:
    first, *_, last = [str(label) for label in classes]
    yield "predicted", None
    yield "all", None
    yield last, None
    yield [last, first], None
    yield last, first
    yield "all", first
    yield [last, first], first


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_explanations_are_those_of_the_library(kind: str, method: str) -> None:
    used = model(kind)
    engine = Engine(used)
    for target, against in questions(engine.classes):
        wanted = explain(used, TEXT, target, against=against, method=method)
        (found,) = explained(engine, [TEXT], target, against, method)
        check_same(found, wanted, used)


def test_a_memory_changes_nothing() -> None:
    plain, remembering = deepcopy(model("cnn")), deepcopy(model("cnn"))
    assert isinstance(plain, CNNClassifier)
    plain.remember_words(0)
    engine = Engine(remembering)
    for _ in range(2):
        for found, wanted in zip(
            explained(engine, TEXTS[:5], "all"), explain(plain, TEXTS[:5], "all"), strict=True
        ):
            np.testing.assert_allclose(found["relevance"], wanted.relevance, atol=1e-5)
    assert isinstance(remembering, CNNClassifier)
    assert remembering.network_.memory is not None
    Engine(remembering, table_bytes=0)
    assert remembering.network_.memory is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_equals_its_singles(kind: str) -> None:
    engine = Engine(model(kind))
    texts = [*TEXTS[:4], *HOSTILE]
    names: list[str | None] = [f"no. {number}" for number in range(len(texts))]
    deleted: list[list[int]] = [[0, 2], [], [1], *[[]] * (len(texts) - 3)]
    together = arrived(engine.explain(texts, names, deleted, "all"))
    predicted = arrived(engine.predict(texts, names))
    for number, text in enumerate(texts):
        (alone,) = arrived(engine.explain([text], [names[number]], [deleted[number]], "all"))
        for name in ("relevance", "scores", "probabilities", "padding"):
            np.testing.assert_allclose(alone[name], together[number][name], rtol=1e-4, atol=1e-5)
        for name in ("id", "words", "spans", "known", "predicted", "parameters"):
            assert alone[name] == together[number][name]
        (single,) = arrived(engine.predict([text], [names[number]]))
        np.testing.assert_allclose(
            single["probabilities"], predicted[number]["probabilities"], rtol=1e-4
        )
        assert single["id"] == predicted[number]["id"] == f"no. {number}"


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_are_those_of_the_model(kind: str) -> None:
    used = model(kind)
    texts = [*TEXTS[:5], *HOSTILE]
    found = arrived(Engine(used).predict(texts, [None] * len(texts)))
    for one, label, chances, scores, known in zip(
        found,
        used.predict(texts).tolist(),
        used.predict_proba(texts),
        used.class_scores(texts),
        used.known_words(texts),
        strict=True,
    ):
        assert (one["id"], one["predicted"]) == (None, label)
        assert one["classes"] == used.classes_.tolist()
        np.testing.assert_allclose(one["probabilities"], chances, rtol=1e-5)
        np.testing.assert_allclose(one["scores"], scores, rtol=1e-5, atol=1e-6)
        assert one["known_words"] == known


@pytest.mark.parametrize("kind", KINDS)
def test_deleted_words(kind: str) -> None:
    used = model(kind)
    wanted = explain(used, TEXT, "all", deleted=[1, 4])
    (found,) = arrived(Engine(used).explain([TEXT], ["x"], [[4, 1, 4]], "all"))
    check_same(found, wanted, used)
    assert found["parameters"]["deleted"] == [1, 4]
    assert [found["relevance"][place] for place in (1, 4)] == [[0] * len(found["classes"])] * 2
    everything = list(range(len(wanted.words)))
    (bare,) = arrived(Engine(used).explain([TEXT], ["x"], [everything], "all"))
    np.testing.assert_allclose(bare["scores"], explain(used, "", "all").scores, atol=1e-6)


def test_a_text_that_was_cut_short() -> None:
    limited = CNNClassifier(vectors=some_vectors(), filters=4, epochs=1, max_words=4)
    limited.fit(TEXTS, LABELS)
    engine = Engine(limited)
    assert engine.about()["max_words"] == 4
    (found,) = explained(engine, [TEXT])
    assert found["words"] == ["The", "moon", "and", "the"]
    assert found["truncated"] == 5
    check_same(found, explain(limited, TEXT), limited)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_to_be_known(kind: str) -> None:
    used = model(kind)
    about = arrived(Engine(used).about())
    assert about["kind"] == ("cnn" if kind == "cnn" else "svm")
    assert about["identity"] == used.identity
    assert about["classes"] == used.classes_.tolist()
    assert about["methods"] == list(METHODS)
    if kind == "numbers":
        assert about["classes"] == [105, 106]


def test_a_model_that_cannot_be_saved_can_be_served() -> None:
    made = make_pipeline(CountVectorizer(analyzer=str.split), LogisticRegression())
    engine = Engine(SVMClassifier.from_pipeline(made.fit(TEXTS, LABELS)))
    assert engine.identity is None
    assert engine.about()["identity"] is None
    (found,) = explained(engine, [TEXTS[0]])
    assert found["model"] is None
    assert Explanation.from_json(json.dumps(found)).conserved


# ---- too much ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_words(kind: str) -> None:
    engine = Engine(model(kind), Limits(words=10))
    assert len(explained(engine, ["moon rocket orbit moon goal"] * 2)) == 2
    with pytest.raises(InputError, match="11 words together, this server explains 10 at a time"):
        explained(engine, ["moon rocket orbit moon goal", "moon rocket orbit moon goal puck"])
    assert len(engine.predict(["moon rocket " * 20], [None])) == 1  # whose answer stays small


def test_too_long_texts() -> None:
    engine = Engine(made_cnn(), Limits(characters=10))
    assert engine.predict(["wa wb    🌙"], [None])
    for work in (explained, lambda e, texts: e.predict(texts, [None] * len(texts))):
        with pytest.raises(InputError, match="a text has 11 characters, this server reads 10"):
            work(engine, ["wa", "secret wa wb"[:11]])


def test_errors_do_not_repeat_the_texts() -> None:
    engine = Engine(made_cnn(), Limits(words=3, characters=100))
    for texts, deleted, asked in (
        (["secret " * 4], [[]], ()),
        (["secret " * 20], [[]], ()),
        (["secret"], [[5]], ()),
        ([""], [[0]], ()),
        (["secret"], [[2**70]], ()),
        (["secret"], [[-1]], ()),
        (["secret"], [[]], ("class 9",)),
        (["secret"], [[]], ("class 1", "class 1")),
        (["secret"], [[]], (["class 1", "class 1"],)),
        (["secret"], [[]], ([],)),
        (["secret"], [[]], ("all", None, "magic")),
    ):
        with pytest.raises(InputError) as caught:
            engine.explain(texts, [None], deleted, *asked)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_takes_the_square_of_the_words_takes_few_of_them() -> None:
    """Occlusion asks somebody's vectoriser once for each word."""
    many = ["moon " * 1_001]
    with pytest.raises(InputError, match="1,001 words together, this server explains 1,000"):
        explained(Engine(model("pipeline")), many, "predicted", None, "occlusion")
    for kind, method in (("pipeline", "lrp"), ("svm", "occlusion"), ("cnn", "occlusion")):
        found = explained(Engine(model(kind)), many, "predicted", None, method)
        assert len(found[0]["words"]) == 1_001


def test_what_is_quick() -> None:
    for kind in ("cnn", "svm"):
        engine = Engine(model(kind))
        assert engine.is_quick(["moon " * 300])
        assert not engine.is_quick(["moon " * 300] * 3)
        assert not engine.is_quick(["moon"], "occlusion")
    assert not Engine(model("pipeline")).is_quick(["moon"])
