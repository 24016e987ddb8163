"""What a user sees of explain: spans, filters, endless texts, all models on all real documents."""

import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

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
    FilterExplanation,
    InputError,
    SVMClassifier,
    explain,
    iter_explanations,
    load_model,
)
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
    found = explain(made_cnn(), text, method=method)
    assert found.text == text
    assert [text[start:end] for start, end in found.spans.tolist()] == found.words
    assert len(found.relevance) == len(found.words) == len(found.known)
    assert "wa" not in text or found.known[found.words.index("wa")] or "’" in text


@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_is_explained(text: str) -> None:
    for model in (MODELS[0], MODELS[1]):
        found = explain(model, text, target="all", strict=True)
        assert found.relevance.shape == (len(found.words), 3)
        assert (np.diff(found.spans.ravel()) >= 0).all()


MODELS = (made_cnn((1, 3)), SVMClassifier(C=1.0).fit(*topical(60)))


@pytest.mark.parametrize("texts", [["a", None], [1], 3, None, b"bytes", [b"bytes"]])
def test_what_is_no_text(texts: object) -> None:
    with pytest.raises(InputError, match="texts"):
        explain(made_cnn(), texts)  # type: ignore[call-overload]


def test_no_texts_at_all() -> None:
    found = explain(made_cnn(), [])
    assert isinstance(found, Explanations)
    assert len(found) == 0
    assert found.conserved


def test_explanations_are_a_sequence() -> None:
    found = explain(made_cnn(), ["wa", "wb wc", ""], ids=["a", "b", "c"])
    assert [one.id for one in found] == ["a", "b", "c"]
    assert isinstance(found[1], Explanation)
    assert isinstance(found[1:], Explanations)
    assert found[-1].words == []
    assert repr(found) == "Explanations(3 documents, lrp)"
    assert repr(found[0]) == f"Explanation({found[0].target}, 1 word, lrp)"
    assert str(found[1]) == found[1].to_text()


def test_the_words_listed_are_pooled() -> None:
    found = explain(made_cnn(seed=3), "wa wb Wa wc", target="class 1")
    shown = {
        word: value
        for line in found.to_text().splitlines()
        for word, value in re.findall(r"(\S+) ([+−][\d.e−+]+)", line[8:])
        if line.startswith(("for ", "against "))
    }
    pooled = {word: shown_number(value) for word, value in found.by_word().items()}
    assert shown == {word: value for word, value in pooled.items() if value != "0"}


def test_a_text_without_colours_is_shown_once() -> None:
    found = explain(made_cnn(), "wa wb wc", target="all")
    assert found.to_text().count("wa wb wc") == 1
    assert found.to_text().count("score") == 3


def test_a_contrast_with_itself_says_so() -> None:
    model = made_cnn()
    predicted = model.predict(["wa"])[0]
    assert "there is nothing to explain" in str(explain(model, "wa", against=predicted))


def test_words_beyond_max_words_are_counted_and_shown_as_such() -> None:
    texts, labels = topical(60)
    model = CNNClassifier(vectors=some_vectors(), filters=8, epochs=2, max_words=5)
    model.fit(texts, labels)
    found = explain(model, texts[0])
    assert (len(found.words), found.truncated) == (5, 11)
    assert "not read" in found.to_html()


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


def test_the_identity_is_the_saved_models(tmp_path: Path) -> None:
    model = small_cnn()
    found = explain(model, "orbit").model
    assert found == model.identity == model.save(tmp_path / "model")
    assert explain(load_model(tmp_path / "model"), "orbit").model == found
    again = small_cnn(seed=1)
    before = again.identity
    texts, labels = topical(seed=5)
    again.fit(texts, labels)
    assert again.identity != before


# ---- filters ----------------------------------------------------------------------------------


@pytest.mark.parametrize("widths", [(2,), (1, 3)])
def test_filters_equal_the_literal_formula(widths: tuple[int, ...]) -> None:
    model, text = made_cnn(widths, seed=7), made_text([0, 1, 2, 3, 4])
    found = explain(model, text, target="all", layer="pooled")
    inputs, convolutions, weight, bias = literal_parts(model, text)
    pools = [oracle.max_pool(oracle.convolution(inputs, w, b)) for w, b in convolutions]
    pooled = np.concatenate([pool for pool, _ in pools])
    np.testing.assert_allclose(found.activations, pooled, atol=1e-5)
    for k in range(3):
        expected = oracle.lrp_output_layer(pooled, weight, bias, k, 0.01, shared=True)
        np.testing.assert_allclose(found.relevance[:, k], expected, atol=1e-5)
    starts = np.concatenate([first for _, first in pools])
    np.testing.assert_array_equal(found.starts[pooled > 0], starts[pooled > 0])
    assert found.conserved
    words = text.split()
    for j, ngram in enumerate(found.ngrams):
        start, width = found.starts[j], found.widths[j]
        assert ngram == (" ".join(words[start : start + width]) if pooled[j] > 0 else "")


def test_the_top_filters() -> None:
    model, text = made_cnn((2,), seed=7), made_text([0, 1, 2, 3, 4])
    found = explain(model, text, layer="pooled")
    assert isinstance(found, FilterExplanation)
    top = found.top(3)
    assert [abs(share.relevance) for share in top] == sorted(
        (abs(share.relevance) for share in top), reverse=True
    )
    assert top[0].ngram == found.ngrams[top[0].filter]
    assert "filters fired" in repr(found)
    for method in ("sensitivity", "gradient_input"):
        explain(model, text, layer="pooled", method=method)
    several = explain(model, [text, ""], layer="pooled", ids=["a", "b"])
    assert [one.id for one in several] == ["a", "b"]
    assert several[1].words == []


# ---- endless texts ----------------------------------------------------------------------------


def test_texts_may_be_endless() -> None:
    def texts() -> Iterator[str]:
        for number in itertools.count():
            yield made_text([number % 7, 1, 2])

    for model in MODELS:
        found = list(itertools.islice(iter_explanations(model, texts()), 20_000, 20_003))
        assert [one.words[0] for one in found] == ["wb", "wc", "wd"]


def test_a_stream_that_does_not_fit_its_ids_or_targets() -> None:
    with pytest.raises(InputError, match="fewer ids than texts"):
        list(iter_explanations(MODELS[0], ["wa", "wb"], ids=["a"]))
    with pytest.raises(InputError, match="fewer targets than texts"):
        list(iter_explanations(MODELS[0], ["wa", "wb"], targets=iter(["class 1"])))
    with pytest.raises(InputError, match="texts must be a list of strings, not str"):
        iter_explanations(MODELS[0], "wa")
    with pytest.raises(InputError, match="item 1 must be a str, not NoneType"):
        list(iter_explanations(MODELS[1], ["wa", None]))  # type: ignore[list-item]


def test_a_kept_explanation_does_not_keep_its_block() -> None:
    found = list(iter_explanations(MODELS[0], ["wa wb"] * 50, target="all"))
    assert all(one.relevance.base is None for one in found)


# ---- the real corpus --------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize("width", [1, 2, 3])
def test_relevance_is_conserved_on_every_real_document(
    news: Corpus, real_cnn: Callable[[int], CNNClassifier], width: int
) -> None:
    """7,532 documents × 20 classes."""
    count = 0
    for found in iter_explanations(real_cnn(width), news.test.texts, target="all", strict=True):
        assert found.relevance.shape == (len(found.words), 20)
        count += 1
    assert count == 7532


@pytest.mark.real
def test_svm_relevance_is_conserved_on_every_real_document(news: Corpus) -> None:
    model = SVMClassifier(C=1.0, folds=2, max_words=400)
    model.fit(news.train.texts, news.train.labels or [])
    found = iter_explanations(model, news.test.texts, target="all", strict=True)
    assert sum(1 for _ in found) == 7532
