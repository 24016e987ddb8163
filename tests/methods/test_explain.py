"""What a user sees of explain: spans, filters, endless texts, all models on all real documents."""

import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import assert_type

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import literal_parts, made_cnn, made_text, small_cnn, some_vectors, topical

from whyword import (
    CNNClassifier,
    Corpus,
    Explanation,
    Explanations,
    InputError,
    SVMClassifier,
    explain,
    iter_explanations,
    load_model,
)
from whyword.explanation import FilterExplanation
from whyword.explanation.heatmap import number as shown_number
from whyword.methods.registry import METHODS


@pytest.mark.parametrize(
    "text",
    [
        "Der 👩\u200d🚀 startet, Müller e\u0301te\u0301 wa!",
        "שלום wa עולם\r\nמה שלומך",
        "مرحبا بالعالم wa",
        "wa\r\nwb\rwc\n\r\nwd",
        "Don't wa\u2019s cannot",
        "नमस्ते wa दुनिया",
        "\ufeffwa \u202ewb\u202c",
        "",
        " \n ",
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_spans_point_into_the_text_as_passed(text: str, method: str) -> None:
    explanation = explain(made_cnn(), text, method=method)
    assert explanation.text == text
    assert [text[start:end] for start, end in explanation.spans.tolist()] == explanation.words
    assert len(explanation.relevance) == len(explanation.words) == len(explanation.known)
    assert "wa" not in text or explanation.known[explanation.words.index("wa")] or "’" in text


@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_is_explained(text: str) -> None:
    for model in (MODELS[0], MODELS[1]):
        explanation = explain(model, text, target="all", strict=True)
        assert explanation.relevance.shape == (len(explanation.words), 3)
        assert (np.diff(explanation.spans.ravel()) >= 0).all()


MODELS = (made_cnn((1, 3)), SVMClassifier(C=1.0).fit(*topical(60)))


@pytest.mark.parametrize("texts", [["a", None], [1], 3, None, b"bytes", [b"bytes"]])
def test_what_is_no_text(texts: object) -> None:
    with pytest.raises(InputError, match="texts"):
        explain(made_cnn(), texts)  # type: ignore[call-overload]


def test_no_texts_at_all() -> None:
    explanations = explain(made_cnn(), [])
    assert isinstance(explanations, Explanations)
    assert len(explanations) == 0
    assert explanations.conserved


def test_explanations_are_a_sequence() -> None:
    explanations = explain(made_cnn(), ["wa", "wb wc", ""], ids=["a", "b", "c"])
    assert [one.id for one in explanations] == ["a", "b", "c"]
    assert isinstance(explanations[1], Explanation)
    assert isinstance(explanations[1:], Explanations)
    assert explanations[-1].words == []
    assert repr(explanations) == "Explanations(3 documents, lrp)"
    assert repr(explanations[0]) == f"Explanation({explanations[0].target}, 1 word, lrp)"
    assert str(explanations[1]) == explanations[1].to_text()


def test_the_words_listed_are_pooled_those_for_and_those_against_by_themselves() -> None:
    explanation = explain(made_cnn(seed=3), "wa wb Wa wc", target="class 1")
    shown = {
        (word, value)
        for line in explanation.to_text().splitlines()
        for word, value in re.findall(r"(\S+) ([+−][\d.e−+]+)", line[8:])
        if line.startswith(("for ", "against "))
    }
    sums: dict[tuple[str, bool], float] = {}
    for word, value in zip(explanation.words, explanation.relevance.tolist(), strict=True):
        key = word.lower(), value > 0
        sums[key] = sums.get(key, 0.0) + value
    assert shown == {(word, shown_number(value)) for (word, _), value in sums.items() if value}


def test_a_text_without_colours_is_shown_once() -> None:
    explanation = explain(made_cnn(), "wa wb wc", target="all")
    assert explanation.to_text().count("wa wb wc") == 1
    assert explanation.to_text().count("score") == 3


def test_a_contrast_with_itself_says_so() -> None:
    model = made_cnn()
    predicted = model.predict(["wa"])[0]
    assert "there is nothing to explain" in str(explain(model, "wa", against=predicted))


def test_words_beyond_max_words_are_counted_and_shown_as_such() -> None:
    texts, labels = topical(60)
    model = CNNClassifier(vectors=some_vectors(), filters=8, epochs=2, max_words=5)
    model.fit(texts, labels)
    explanation = explain(model, texts[0])
    assert (len(explanation.words), explanation.truncated) == (5, 11)
    assert "not read" in explanation.to_html()


@pytest.mark.slow(reason="starts a process")
def test_explaining_needs_no_optional_package(tmp_path: Path) -> None:
    small_cnn().save(tmp_path / "model")
    code = (
        "import sys, whyword as ww\n"
        f"model = ww.load_model({str(tmp_path / 'model')!r})\n"
        "e = ww.explain(model, 'orbit and goal', target='all')\n"
        "e.to_html(), e.to_svg(), e.to_text(), e.to_json(), e.by_word()\n"
        "extras = 'torch sklearn pandas shap matplotlib pyarrow'.split()\n"
        "print([name for name in extras if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow(reason="trains another network, twice")
def test_the_identity_is_the_saved_models(tmp_path: Path) -> None:
    model = small_cnn()
    explanation = explain(model, "orbit").model
    assert explanation == model.identity == model.save(tmp_path / "model")
    assert explain(load_model(tmp_path / "model"), "orbit").model == explanation
    again = small_cnn(seed=1)
    before = again.identity
    texts, labels = topical(seed=5)
    again.fit(texts, labels)
    assert again.identity != before


@pytest.mark.parametrize("method", ["lrp", "sensitivity", "gradient_input", "occlusion", "random"])
@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_a_batch_equals_its_singles(kind: str, method: str) -> None:
    texts, labels = topical(40)
    model = made_cnn((1, 3), seed=2) if kind == "cnn" else SVMClassifier(C=1.0).fit(texts, labels)
    texts = [made_text([0, 1, 6, 2]), "", "wa", *texts, made_text([3] * 50), "wa wb \n wa"]
    together = explain(model, texts, target="all", method=method)
    for text, one in zip(texts, together, strict=True):
        alone = explain(model, text, target="all", method=method)
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-5)
        np.testing.assert_allclose(one.padding, alone.padding, atol=1e-5)
        single = explain(model, text, method=method)
        column = list(model.classes_).index(single.target)
        np.testing.assert_allclose(single.relevance, one.relevance[:, column], atol=1e-5)


def test_mypy_knows_what_is_returned() -> None:
    model, text, texts = made_cnn(), "wa wb", ["wa", "wb"]
    assert_type(explain(model, text), Explanation)
    assert_type(explain(model, texts, targets=["class 0"] * 2, strict=True), Explanations)
    assert_type(explain(model, text, "class 1", level="element", epsilon=1.0), Explanation)
    assert_type(explain(model, text, level="filter", strict=True, bias="apart"), FilterExplanation)
    assert_type(explain(model, texts, "all", level="filter"), list[FilterExplanation])


# ---- filters ----------------------------------------------------------------------------------


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
def test_filters_equal_the_literal_formula(widths: tuple[int, ...]) -> None:
    model, text = made_cnn(widths, seed=7), made_text([0, 1, 2, 3, 4])
    explanation = explain(model, text, target="all", level="filter")
    inputs, convolutions, weight, bias = literal_parts(model, text)
    pools = [oracle.max_pool(oracle.convolution(inputs, w, b)) for w, b in convolutions]
    pooled = np.concatenate([pool for pool, _ in pools])
    np.testing.assert_allclose(explanation.activations, pooled, atol=1e-5)
    for k in range(3):
        expected = oracle.lrp_output_layer(pooled, weight, bias, k, 0.01, shared=True)
        np.testing.assert_allclose(explanation.relevance[:, k], expected, atol=1e-5)
    starts = np.concatenate([first for _, first in pools])
    np.testing.assert_array_equal(explanation.starts[pooled > 0], starts[pooled > 0])
    assert explanation.conserved
    words = text.split()
    for j, ngram in enumerate(explanation.ngrams):
        start, width = explanation.starts[j], explanation.widths[j]
        assert ngram == (" ".join(words[start : start + width]) if pooled[j] > 0 else "")


def test_the_top_filters() -> None:
    model, text = made_cnn((2,), seed=7), made_text([0, 1, 2, 3, 4])
    explanation = explain(model, text, level="filter")
    assert isinstance(explanation, FilterExplanation)
    top = explanation.top(3)
    assert [abs(share.relevance) for share in top] == sorted(
        (abs(share.relevance) for share in top), reverse=True
    )
    assert top[0].ngram == explanation.ngrams[top[0].filter]
    assert "filters fired" in repr(explanation)
    for method in ("sensitivity", "gradient_input"):
        explain(model, text, level="filter", method=method)
    several = explain(model, [text, ""], level="filter", ids=["a", "b"])
    assert [one.id for one in several] == ["a", "b"]
    assert several[1].words == []


# ---- endless texts ----------------------------------------------------------------------------


@pytest.mark.slow(reason="thousands of texts")
def test_texts_may_be_endless() -> None:
    def texts() -> Iterator[str]:
        for number in itertools.count():
            yield made_text([number % 7, 1, 2])

    for model in MODELS:
        explanations = list(itertools.islice(iter_explanations(model, texts()), 20_000, 20_003))
        assert [one.words[0] for one in explanations] == ["wb", "wc", "wd"]


def test_a_stream_that_does_not_fit_its_ids_or_targets() -> None:
    with pytest.raises(InputError, match="fewer ids than texts"):
        list(iter_explanations(MODELS[0], ["wa", "wb"], ids=["a"]))
    with pytest.raises(InputError, match="fewer targets than texts"):
        list(iter_explanations(MODELS[0], ["wa", "wb"], targets=iter(["class 1"])))
    with pytest.raises(InputError, match="texts must be a list of strings, not one string"):
        iter_explanations(MODELS[0], "wa")
    with pytest.raises(InputError, match=r"item 1 is missing \(None\)"):
        list(iter_explanations(MODELS[1], ["wa", None]))  # type: ignore[list-item]


def test_a_kept_explanation_does_not_keep_its_block() -> None:
    explanations = list(iter_explanations(MODELS[0], ["wa wb"] * 50, target="all"))
    assert all(one.relevance.base is None for one in explanations)


# ---- the real corpus --------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize("width", [1, 2, 3])
def test_relevance_is_conserved_on_every_real_document(
    news: Corpus, real_cnn: Callable[[int], CNNClassifier], width: int
) -> None:
    """7,532 documents × 20 classes."""
    count = 0
    for explanation in iter_explanations(
        real_cnn(width), news.test.texts, target="all", strict=True
    ):
        assert explanation.relevance.shape == (len(explanation.words), 20)
        count += 1
    assert count == 7532


@pytest.mark.real
def test_svm_relevance_is_conserved_on_every_real_document(news: Corpus) -> None:
    model = SVMClassifier(C=1.0, folds=2, max_words=400)
    model.fit(news.train.texts, news.train.labels or [])
    explanations = iter_explanations(model, news.test.texts, target="all", strict=True)
    assert sum(1 for _ in explanations) == 7532
