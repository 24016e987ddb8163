"""What the server sends is what the library says."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from keywords import Keywords
from networks import made_cnn, some_vectors, topical
from numpy.typing import NDArray
from served import KINDS, LABELS, TEXT, TEXTS, arrived, model, records
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import (
    CNNClassifier,
    Explanation,
    InputError,
    Reader,
    SVMClassifier,
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
from whyword.words import tokenizer
from whyword.words.scan import word_spans

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


def explain_all(engine: Engine, texts: list[str], *asked: Any) -> list[Any]:  # noqa: ANN401
    explanations = engine.explain(texts, [None] * len(texts), [[]] * len(texts), *asked)
    result: list[Any] = arrived(explanations)
    return result


def predict(engine: Engine, texts: list[str]) -> list[Any]:
    return engine.predict(texts, [None] * len(texts))


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
    if "deleted" not in expected.parameters:
        chances = of.predict_proba([expected.text])[0]
        np.testing.assert_allclose(sent["probabilities"], chances, rtol=1e-5, atol=1e-7)


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
        expected = explain(used, TEXT, target, against=against, method=method)
        (explanation,) = explain_all(engine, [TEXT], target, against, method)
        check_same(explanation, expected, used)


@pytest.mark.parametrize("kind", KINDS)
def test_phrases_are_sent_if_they_are_asked_for(kind: str) -> None:
    used = model(kind)
    engine = Engine(used)
    assert engine.about()["phrases"]
    for target, against in questions(engine.classes):
        expected = explain(used, TEXT, target, against=against, level="phrase")
        (sent,) = explain_all(engine, [TEXT], target, against, "lrp", True)
        assert Explanation.from_json(json.dumps(sent)).phrases() == expected.phrases()
        assert "phrases" not in explain_all(engine, [TEXT], target, against)[0]


def test_a_memory_changes_nothing() -> None:
    plain, with_cache = deepcopy(model("cnn")), deepcopy(model("cnn"))
    assert isinstance(plain, CNNClassifier)
    plain.cache_words(0)
    engine = Engine(with_cache)
    engine.keep_words()
    for _ in range(2):
        for explanation, expected in zip(
            explain_all(engine, TEXTS[:5], "all"), explain(plain, TEXTS[:5], "all"), strict=True
        ):
            np.testing.assert_allclose(explanation["relevance"], expected.relevance, atol=1e-5)
    assert isinstance(engine.model, CNNClassifier)
    assert isinstance(engine.model.words_, RecentWords)
    without = Engine(with_cache, cache_bytes=0)
    without.keep_words()
    assert isinstance(without.model, CNNClassifier)
    assert not isinstance(without.model.words_, RecentWords)


def test_the_callers_model_stays_as_it_is() -> None:
    used = deepcopy(model("cnn"))
    assert isinstance(used, CNNClassifier)
    before = dict(vars(used))
    engine = Engine(used)
    create_app(engine, open_library(engine.model, records(), "posts"))
    engine.explain([TEXT], [None], [[]])
    assert vars(used).keys() == before.keys()
    assert all(vars(used)[name] is before[name] for name in before)
    assert not isinstance(used.words_, RecentWords)
    used.cache_words(1 << 16)
    kept = used.words_
    create_app(Engine(used))
    assert used.words_ is kept


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
    predictions = arrived(Engine(used).predict(texts, [None] * len(texts)))
    for one, label, chances, scores, known in zip(
        predictions,
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
    expected = explain(used, TEXT, "all", deleted=[1, 4])
    (explanation,) = arrived(Engine(used).explain([TEXT], ["x"], [[4, 1, 4]], "all"))
    check_same(explanation, expected, used)
    assert explanation["parameters"]["deleted"] == [1, 4]
    assert [explanation["relevance"][place] for place in (1, 4)] == [
        [0] * len(explanation["classes"])
    ] * 2
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
def test_what_is_to_be_known(kind: str) -> None:
    used = model(kind)
    about = arrived(Engine(used).about())
    assert about["kind"] == ("pipeline" if kind == "numbers" else kind)
    assert about["identity"] == used.identity
    assert about["classes"] == used.classes_.tolist()
    assert about["methods"] == list(METHODS)
    if kind == "numbers":
        assert about["classes"] == [105, 106]


def test_a_model_that_cannot_be_saved_can_be_served() -> None:
    made = make_pipeline(CountVectorizer(analyzer=str.split), LogisticRegression())
    engine = Engine(from_pipeline(made.fit(TEXTS, LABELS)))
    assert engine.identity is None
    assert engine.about()["identity"] is None
    (explanation,) = explain_all(engine, [TEXTS[0]])
    assert explanation["model"] is None
    assert Explanation.from_json(json.dumps(explanation)).conserved


# ---- too much ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_words(kind: str) -> None:
    engine = Engine(model(kind), Limits(words=10))
    assert len(explain_all(engine, ["moon rocket orbit moon goal"] * 2)) == 2
    with pytest.raises(InputError, match="11 words together, this server explains 10 at a time"):
        explain_all(engine, ["moon rocket orbit moon goal", "moon rocket orbit moon goal puck"])
    assert len(engine.predict(["moon rocket " * 20], [None])) == 1  # whose answer stays small


def test_too_long_texts() -> None:
    engine = Engine(made_cnn(), Limits(characters=10))
    assert engine.predict(["wa wb    🌙"], [None])
    for work in (explain_all, lambda e, texts: e.predict(texts, [None] * len(texts))):
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
        explain_all(Engine(model("pipeline")), many, "predicted", None, "occlusion")
    for kind, method in (("pipeline", "lrp"), ("svm", "occlusion"), ("cnn", "occlusion")):
        explanations = explain_all(Engine(model(kind)), many, "predicted", None, method)
        assert len(explanations[0]["words"]) == 1_001


@pytest.mark.parametrize("used", [*(model(kind) for kind in ("cnn", "svm")), Keywords()])
def test_each_text_of_a_request_is_tokenised_once(
    used: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are so long that their words are counted, too."""
    times = Counter[str]()

    def counting(codes: NDArray[np.uint32], *tables: Any) -> NDArray[np.int32]:  # noqa: ANN401
        times[codes.tobytes().decode("utf-32-le")] += 1
        return word_spans(codes, *tables)

    engine = Engine(used, Limits(words=10))
    monkeypatch.setattr(tokenizer, "word_spans", counting)
    asks: list[Callable[[Engine, list[str]], list[Any]]] = [explain_all, predict]
    for texts in (["moon"], ["the moon", "a puck"], ["some moonlight", "a rocketlauncher"]):
        for ask in asks:
            times.clear()
            ask(engine, texts)
            assert times == Counter(texts)


def test_what_is_quick() -> None:
    for kind in ("cnn", "svm"):
        engine = Engine(model(kind))
        assert engine.is_quick(["moon " * 300])
        assert not engine.is_quick(["moon " * 300] * 3)
        assert not engine.is_quick(["moon"], "occlusion")
    assert not Engine(model("pipeline")).is_quick(["moon"])


def test_labels_have_names_by_which_they_are_asked_for() -> None:
    texts, labels = topical(30, 2)
    engine = Engine(SVMClassifier(seed=0).fit(texts, [label == labels[0] for label in labels]))
    about = engine.about()
    assert about["names"] == ["False", "True"]
    for name, label in zip(about["names"], about["classes"], strict=True):
        (answer,) = engine.explain([TEXT], [None], [[]], target=[name])
        assert list(answer["target"]) == [label]


def test_somebodys_model() -> None:
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
    (prediction,) = arrived(engine.predict([TEXT], ["a"]))
    np.testing.assert_allclose(prediction["probabilities"], Keywords().predict_proba([TEXT])[0])
    assert prediction["scores"] == prediction["probabilities"]
    for target, against in (("predicted", None), ("all", None), ("space", "hockey")):
        expected = explain(Keywords(), TEXT, target, against=against)
        (explanation,) = explain_all(engine, [TEXT], target, against)
        again = Explanation.from_json(json.dumps(explanation))
        np.testing.assert_allclose(again.relevance, expected.relevance, atol=1e-6)
        assert (again.method, again.target) == ("occlusion", expected.target)
        assert explanation["probabilities"] == prediction["probabilities"]
    gone = engine.explain([TEXT], [None], [[0]], "space")[0]
    assert gone["relevance"][0] == 0
    with pytest.raises(InputError, match="'lrp' needs a model that is decomposable"):
        explain_all(engine, [TEXT], "predicted", None, "lrp")
    with pytest.raises(InputError, match="explains 1,000 at a time"):
        explain_all(engine, ["moon " * 1100])
