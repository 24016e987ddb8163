"""Each text is read once, whatever is done with it: counted at the compiled scan."""

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn, some_vectors, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from toys import CentroidClassifier

from whyword import (
    CNNClassifier,
    SVMClassifier,
    Vectors,
    class_words,
    deletion_curve,
    explain,
    from_pipeline,
    summarize,
)
from whyword.corpora.source import Record
from whyword.evaluation.quality import model_quality
from whyword.methods.explain import explain_blocks
from whyword.methods.predict import predict_documents
from whyword.methods.request import Request
from whyword.models.blackbox import as_classifier
from whyword.models.estimator import Estimator
from whyword.words import tokenizer as tokenizer_module
from whyword.words.scan import word_spans

METHODS = (
    "lrp",
    "sensitivity",
    "gradient_input",
    "integrated_gradients",
    "occlusion",
    "random",
)
TEXTS = [f"{text} number{chr(97 + n)}" for n, text in enumerate(topical(12)[0])]  # all different


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often each text is read."""
    times = Counter[str]()

    def counting(codes: NDArray[np.uint32], *tables: NDArray[np.generic]) -> NDArray[np.int32]:
        times[codes.tobytes().decode("utf-32-le", "surrogatepass")] += 1
        return word_spans(codes, *tables)  # type: ignore[arg-type]

    monkeypatch.setattr(tokenizer_module, "word_spans", counting)
    return times


def cnn() -> Estimator:
    return small_cnn()


def svm() -> Estimator:
    return SVMClassifier(C=1).fit(*topical())


def pipeline() -> Estimator:
    steps = make_pipeline(TfidfVectorizer(), LogisticRegression())
    wrapping: Estimator = from_pipeline(steps.fit(*topical()))
    return wrapping


def toy() -> Estimator:
    return CentroidClassifier().fit(*topical())


def frequent() -> Estimator:
    return small_cnn().cache_frequent_words(topical()[0], 1 << 16)


class Unknown:
    """A model of which nothing is known."""

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[1 / (1 + len(text)), 1 - 1 / (1 + len(text))] for text in texts]


OURS = [cnn, frequent, svm, toy]


@pytest.mark.parametrize("make", [*OURS, pipeline, Unknown])
def test_documents_are_not_read_again(make: Callable[[], object], read: Counter[str]) -> None:
    model = as_classifier(make())
    read.clear()
    documents = list(model.documents(TEXTS))
    counted = Counter() if make is pipeline else Counter(TEXTS)  # that one's words are another's
    assert read == counted
    (expected,) = model.trace(TEXTS) if make is not toy else [None]
    read.clear()
    again = list(model.trace(model.documents(documents)))
    assert not read
    assert [one.spans.tolist() for trace in again for one in trace.documents] == [
        one.spans.tolist() for one in documents
    ]
    if expected is not None:
        np.testing.assert_array_equal(again[0].scores, expected.scores)
        for a, b in zip(again[0].known, expected.known, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("make", [cnn, svm, pipeline])
def test_explanations_of_documents(make: Callable[[], Estimator]) -> None:
    model = make()
    request = Request.of(model, "all", "lrp")
    deleted = [[number % 3] for number in range(len(TEXTS))]
    blocks = explain_blocks(request, model.documents(TEXTS), deleted=deleted)
    explanations = [one for _, block in blocks for one in block]
    for one, other in zip(explanations, explain(model, TEXTS, "all", deleted=deleted), strict=True):
        np.testing.assert_array_equal(one.relevance, other.relevance)
        assert one.words == other.words


def test_documents_end_where_the_model_stops_reading(read: Counter[str]) -> None:
    model: CNNClassifier = made_cnn()
    text = made_text([0, 1, 2, 3, 4])
    (document,) = model.documents([text])
    assert (len(document), document.truncated) == (5, 0)
    (trace,) = model.trace([document])
    assert trace.documents[0] is document
    assert read == {text: 1}


def once(texts: Iterable[str]) -> Counter[str]:
    return Counter(dict.fromkeys(texts, 1))


@pytest.mark.parametrize("make", OURS)
@pytest.mark.parametrize("ask", ["predict", "predict_proba", "decision_function", "known_words"])
def test_a_prediction_reads_once(
    make: Callable[[], Estimator], ask: str, read: Counter[str]
) -> None:
    model = make()
    read.clear()
    getattr(model, ask)(TEXTS)
    assert read == once(TEXTS)


@pytest.mark.parametrize("make", [cnn, frequent, svm])
@pytest.mark.parametrize("method", METHODS)
def test_an_explanation_reads_once(
    make: Callable[[], Estimator], method: str, read: Counter[str]
) -> None:
    model = make()
    read.clear()
    explain(model, TEXTS, "all", method=method)
    assert read == once(TEXTS)


@pytest.mark.parametrize("max_words", [None, 5])
def test_training_a_network_reads_once(
    max_words: int | None, read: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its vectors, its normalisation, its batches and its document frequencies all need words."""
    monkeypatch.setattr(Vectors, "load", lambda *_: some_vectors())
    model = CNNClassifier(filters=4, epochs=1, max_words=max_words, on_progress=False)
    labels = topical(12)[1]
    model.fit(TEXTS, labels)
    assert read == once(TEXTS)
    assert model.vocabulary_["numbera"] == 1  # a text's last word, whatever the network reads
    (trace,) = model.trace(TEXTS)
    assert {len(document) for document in trace.documents} == {max_words or 17}


@pytest.mark.parametrize("max_words", [None, 5])
def test_training_on_a_bag_of_words_reads_once(max_words: int | None, read: Counter[str]) -> None:
    SVMClassifier(C=1, folds=2, max_words=max_words).fit(TEXTS, topical(12)[1])
    assert read == once(TEXTS)


@pytest.mark.parametrize("make", [cnn, svm])
@pytest.mark.parametrize(
    "ask",
    [
        lambda model: list(predict_documents(model, [Record(t, t, None, None) for t in TEXTS])),
        lambda model: class_words(model, TEXTS),
        lambda model: deletion_curve(model, TEXTS, topical(12)[1], steps=3),
        lambda model: deletion_curve(model, TEXTS, topical(12)[1], "random", steps=3),
        lambda model: summarize(model, TEXTS),
        lambda model: summarize(model, TEXTS, "uniform"),
        lambda model: model_quality(model, TEXTS, topical(12)[1]),
        lambda model: explain(model, TEXTS).to_html(),
    ],
    ids=["predict", "words", "deletion", "chance", "summary", "mean", "quality", "page"],
)
def test_what_is_built_on_it_reads_once(
    make: Callable[[], Estimator], ask: Callable[[Estimator], object], read: Counter[str]
) -> None:
    model = make()
    read.clear()
    ask(model)
    assert read == once(TEXTS)
