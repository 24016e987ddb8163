"""What the server sends is what the library returns."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import made_cnn, some_vectors
from served import KINDS, LABELS, TEXT, TEXTS, arrived, model, records
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import (
    CNNClassifier,
    Explanation,
    InputError,
    Reader,
    explain,
    from_pipeline,
)
from whyword.methods.registry import METHODS
from whyword.models.cnn.word_cache import RecentWords
from whyword.models.estimator import Estimator
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.library import open_library
from whyword.web.limits import Limits

HOSTILE = ["", " \n\t", "unheard", "\x00", "\ufffd", "🌙 moon 月", "MOON moon mOOn", "a" * 5000]


def explain_all(engine: Engine, texts: list[str], *asked: Any) -> list[Any]:  # noqa: ANN401
    explanations = engine.explain(texts, [None] * len(texts), [[]] * len(texts), *asked)
    result: list[Any] = arrived(explanations)
    return result


def predict(engine: Engine, texts: list[str]) -> list[Any]:
    result: list[Any] = arrived(engine.predict(texts, [None] * len(texts)))
    return result


def check_same(sent: Any, expected: Explanation, of: Estimator) -> None:  # noqa: ANN401
    """Compare with an explanation of the library, and take it through its JSON form."""
    again = Explanation.from_json(json.dumps(sent))
    for name in ("text", "words", "classes", "target", "method", "parameters", "model"):
        assert getattr(again, name) == getattr(expected, name), name
    for name in ("spans", "known"):
        np.testing.assert_array_equal(getattr(again, name), getattr(expected, name))
    for name in ("relevance", "scores", "padding", "residual"):
        np.testing.assert_allclose(
            getattr(again, name), getattr(expected, name), rtol=1e-5, atol=1e-6, err_msg=name
        )
    assert again.relevance.shape == expected.relevance.shape
    assert sent["truncated"] == expected.truncated
    assert sent["predicted"] == expected.predicted
    assert sent["conserved"] == expected.conserved
    chances = of.probabilities(expected.scores[None])[0]
    np.testing.assert_allclose(sent["probabilities"], chances, rtol=1e-5, atol=1e-7)


def questions(classes: list[Any]) -> Iterator[tuple[Any, Any]]:
    first, *_, last = [str(label) for label in classes]
    yield from (("predicted", None), ("all", None), (last, None), ([last, first], None))
    yield from ((last, first), ("all", first))


@pytest.mark.parametrize("kind", KINDS)
def test_explanations_are_those_of_the_library(kind: str) -> None:
    used = model(kind)
    engine = Engine(used)
    assert engine.about()["phrases"]
    for target, against in questions(engine.classes):
        expected = explain(used, TEXT, target, against=against, level="phrase")
        (sent,) = explain_all(engine, [TEXT], target, against, "lrp", True)
        assert Explanation.from_json(json.dumps(sent)).phrases() == expected.phrases()
        (sent,) = explain_all(engine, [TEXT], target, against)
        assert "phrases" not in sent
        check_same(sent, expected, used)
    for method in METHODS:
        expected = explain(used, TEXT, method=method)
        check_same(explain_all(engine, [TEXT], "predicted", None, method)[0], expected, used)


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
    for number, one in enumerate(predict(Engine(used), texts)):
        assert (one["id"], one["predicted"]) == (None, used.predict(texts).tolist()[number])
        assert one["classes"] == used.classes_.tolist()
        assert one["known_words"] == used.known_words(texts)[number]
        np.testing.assert_allclose(
            one["probabilities"], used.predict_proba(texts)[number], rtol=1e-5
        )
        np.testing.assert_allclose(
            one["scores"], used.class_scores(texts)[number], rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("kind", KINDS)
def test_deleted_words(kind: str) -> None:
    used = model(kind)
    expected = explain(used, TEXT, "all", deleted=[1, 4])
    (explanation,) = arrived(Engine(used).explain([TEXT], ["x"], [[4, 1, 4]], "all"))
    check_same(explanation, expected, used)
    assert explanation["parameters"]["deleted"] == [1, 4]
    nothing = [0] * len(explanation["classes"])
    assert [explanation["relevance"][place] for place in (1, 4)] == [nothing] * 2
    everything = list(range(len(expected.words)))
    (bare,) = arrived(Engine(used).explain([TEXT], ["x"], [everything], "all"))
    np.testing.assert_allclose(bare["scores"], explain(used, "", "all").scores, atol=1e-6)


def test_a_text_that_was_cut_short() -> None:
    limited = CNNClassifier(vectors=some_vectors(), filters=4, epochs=1, max_words=4)
    limited.fit(TEXTS, LABELS)
    engine = Engine(limited)
    assert engine.about()["max_words"] == 4
    (explanation,) = explain_all(engine, [TEXT])
    assert explanation["words"] == ["The", "moon", "and", "the"]
    assert explanation["truncated"] == 5
    check_same(explanation, explain(limited, TEXT), limited)


@pytest.mark.parametrize("kind", KINDS)
def test_facts_about_the_model(kind: str) -> None:
    used = model(kind)
    about = arrived(Engine(used).about())
    assert about["kind"] == ("pipeline" if kind == "numbers" else kind)
    assert about["identity"] == used.identity
    assert about["classes"] == ([105, 106] if kind == "numbers" else used.classes_.tolist())
    assert about["methods"] == list(METHODS)


def test_cached_words_change_neither_answers_nor_the_callers_model() -> None:
    plain, used = deepcopy(model("cnn")), deepcopy(model("cnn"))
    assert isinstance(plain, CNNClassifier)
    assert isinstance(used, CNNClassifier)
    plain.cache_words(0)
    before = dict(vars(used))
    engine = Engine(used)
    create_app(engine, open_library(engine.model, records(), "posts"))
    for _ in range(2):
        for explanation, expected in zip(
            explain_all(engine, TEXTS[:5], "all"), explain(plain, TEXTS[:5], "all"), strict=True
        ):
            np.testing.assert_allclose(explanation["relevance"], expected.relevance, atol=1e-5)
    assert isinstance(engine.model, CNNClassifier)
    assert isinstance(engine.model.words_, RecentWords)
    assert vars(used).keys() == before.keys()
    assert all(vars(used)[name] is before[name] for name in before)
    without = Engine(used, cache_bytes=0)
    without.keep_words()
    assert isinstance(without.model, CNNClassifier)
    assert not isinstance(without.model.words_, RecentWords)


def test_a_model_that_cannot_be_saved_can_be_served() -> None:
    made = make_pipeline(CountVectorizer(analyzer=str.split), LogisticRegression())
    engine = Engine(from_pipeline(made.fit(TEXTS, LABELS)))
    assert engine.identity is engine.about()["identity"] is None
    (explanation,) = explain_all(engine, [TEXTS[0]])
    assert explanation["model"] is None
    assert Explanation.from_json(json.dumps(explanation)).conserved


# ---- too much -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_words(kind: str) -> None:
    engine = Engine(model(kind), Limits(words=10))
    assert len(explain_all(engine, ["moon rocket orbit moon goal"] * 2)) == 2
    with pytest.raises(InputError, match="11 words together, this server explains 10 at a time"):
        explain_all(engine, ["moon rocket orbit moon goal", "moon rocket orbit moon goal puck"])
    assert len(predict(engine, ["moon rocket " * 20])) == 1  # whose answer stays small


def test_too_long_texts() -> None:
    engine = Engine(made_cnn(), Limits(characters=10))
    assert predict(engine, ["wa wb    🌙"])
    for work in (explain_all, predict):
        with pytest.raises(InputError, match="a text has 11 characters, this server reads 10"):
            work(engine, ["wa", "secret wa wb"[:11]])


def test_errors_do_not_repeat_the_texts() -> None:
    engine = Engine(made_cnn(), Limits(words=3, characters=100))
    for text, deleted, asked in (
        *(("secret " * 4, [], ()), ("secret " * 20, [], ()), ("secret", [5], ()), ("", [0], ())),
        *(("secret", [2**70], ()), ("secret", [-1], ()), ("secret", [], ("class 9",))),
        *(("secret", [], ("class 1", "class 1")), ("secret", [], ([],))),
        *(("secret", [], (["class 1", "class 1"],)), ("secret", [], ("all", None, "magic"))),
    ):
        with pytest.raises(InputError) as caught:
            engine.explain([text], [None], [deleted], *asked)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_method_that_asks_for_each_word_takes_fewer_words() -> None:
    """Occlusion asks a pipeline's vectoriser once for each word."""
    many = ["moon " * 1_001]
    with pytest.raises(InputError, match="1,001 words together, this server explains 1,000"):
        explain_all(Engine(model("pipeline")), many, "predicted", None, "occlusion")
    for kind, method in (("pipeline", "lrp"), ("svm", "occlusion")):
        explanations = explain_all(Engine(model(kind)), many, "predicted", None, method)
        assert len(explanations[0]["words"]) == 1_001


def test_short_texts_of_quick_models_are_quick() -> None:
    for kind in ("cnn", "svm"):
        engine = Engine(model(kind))
        assert engine.is_quick(["moon " * 300])
        assert not engine.is_quick(["moon " * 300] * 3)
        assert not engine.is_quick(["moon"], "occlusion")
    assert not Engine(model("pipeline")).is_quick(["moon"])


def test_a_black_box() -> None:
    engine = Engine(Keywords())
    assert engine.about() == {
        "kind": "Keywords",
        "identity": None,
        "classes": ["space", "hockey", "crypto"],
        "names": ["space", "hockey", "crypto"],
        "multilabel": False,
        "reads": dict(Reader().described()),
        "max_words": None,
        "documents": None,
        "test_accuracy": None,
        "methods": ["occlusion", "random"],
        "phrases": False,
        "all_classes": True,
    }
    assert not engine.is_quick(["moon"])
    (prediction,) = predict(engine, [TEXT])
    np.testing.assert_allclose(prediction["probabilities"], Keywords().predict_proba([TEXT])[0])
    assert prediction["scores"] == prediction["probabilities"]
    for target, against in (("predicted", None), ("all", None), ("space", "hockey")):
        expected = explain(Keywords(), TEXT, target, against=against)
        (explanation,) = explain_all(engine, [TEXT], target, against)
        again = Explanation.from_json(json.dumps(explanation))
        np.testing.assert_allclose(again.relevance, expected.relevance, atol=1e-6)
        assert (again.method, again.target) == ("occlusion", expected.target)
        assert explanation["probabilities"] == prediction["probabilities"]
    assert engine.explain([TEXT], [None], [[0]], "space")[0]["relevance"][0] == 0
    with pytest.raises(InputError, match="'lrp' needs a model that is decomposable"):
        explain_all(engine, [TEXT], "predicted", None, "lrp")
    with pytest.raises(InputError, match="explains 1,000 at a time"):
        explain_all(engine, ["moon " * 1100])
