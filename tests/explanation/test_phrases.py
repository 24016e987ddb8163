"""What a model used as units: pooled, by character, asked for later, in files."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, small_cnn, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import (
    CNNClassifier,
    Explanation,
    Explanations,
    InputError,
    Vectors,
    explain,
    from_pipeline,
)
from whyword.explanation.phrases import Phrases


def made() -> Phrases:
    spans = np.array([[0, 8], [4, 8], [13, 21]], np.int32)
    return Phrases(
        ["not good", "good", "not good"], spans, np.array([[1.0, -1], [3, 0], [0.5, -5]])
    )


def test_occurrences_are_pooled_the_strongest_first() -> None:
    first, second = made().pooled(0)
    assert first == ("good", 3.0, ((4, 8),))
    assert second == ("not good", 1.5, ((0, 8), (13, 21)))
    assert [one.text for one in made().pooled(1)] == ["not good", "good"]


def test_characters_share_what_their_phrases_say() -> None:
    characters = made().by_character(21)
    assert characters.shape == (21, 2)
    np.testing.assert_allclose(characters.sum(axis=0), made().relevance.sum(axis=0))
    np.testing.assert_allclose(characters[0], [1 / 8, -1 / 8])
    np.testing.assert_allclose(characters[4], [1 / 8 + 3 / 4, -1 / 8])
    np.testing.assert_allclose(characters[8:13], 0, atol=1e-15)


TEXTS = [
    *("a good film", "good and good again", "so good", "not bad at all", "it is not bad"),
    *("a bad film", "bad and bad again", "so bad", "not good at all", "it is not good"),
]
LABELS = ["good"] * 5 + ["bad"] * 5


def sentiment() -> object:
    pipeline = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression(C=100))
    return from_pipeline(pipeline.fit(TEXTS, LABELS))


@pytest.mark.parametrize("text", ["The film is not good", "not bad", "good", "not good, not bad"])
def test_not_good_is_a_unit_of_its_own(text: str) -> None:
    explanation = explain(sentiment(), text, target="good", level="phrase", bias="apart")
    phrases = {one.text: one.relevance for one in explanation.phrases()}
    assert sum(phrases.values()) + explanation.constant == pytest.approx(
        explanation.score, abs=1e-6
    )
    assert ("not good" in phrases, "not bad" in phrases) == ("not good" in text, "not bad" in text)
    assert phrases.get("not good", -1) < 0 < phrases.get("not bad", 1)
    assert phrases.get("good", 1) > 0


def test_a_networks_windows_are_units() -> None:
    words = sorted({word for text in TEXTS for word in text.split()})
    vectors = Vectors(words, np.eye(len(words), dtype=np.float32))
    model = CNNClassifier(
        vectors=vectors,
        width=2,
        filters=40,
        epochs=40,
        learning_rate=0.02,
        word_dropout=0.0,
        validation=2,
        seed=0,
    )
    model.fit(TEXTS * 8, LABELS * 8)
    assert model.predict(["it is not good", "it is not bad", "good"]).tolist() == [
        *("bad", "good", "good")
    ]
    for text in ("it is not good", "it is not bad", "good"):
        explanation = explain(model, text, level="phrase")
        phrases = explanation.phrases()
        total = sum(one.relevance for one in phrases) + explanation.padding
        assert total == pytest.approx(explanation.score, abs=1e-6 * max(1, abs(explanation.score)))
        for phrase in phrases:
            assert all(text[slice(*span)] == phrase.text for span in phrase.spans)
        if "not" in text:
            assert {text[6:]} <= {one.text for one in phrases} <= {"it is", "is not", text[6:]}


def test_where_there_are_none() -> None:
    model = made_cnn()
    for method in ("sensitivity", "occlusion", "random"):
        with pytest.raises(InputError, match="no phrases; explain a CNN or a bag of words"):
            explain(model, "wa wb", method=method).phrases()
        with pytest.raises(InputError, match="level='phrase' needs a model whose units"):
            explain(model, "wa wb", method=method, level="phrase")
    copy = pickle.loads(pickle.dumps(explain(model, "wa wb")))
    with pytest.raises(InputError, match="no phrases"):
        copy.phrases()
    assert explain(model, "", level="phrase").phrases() == []


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_files_hold_them(tmp_path: Path, target: str) -> None:
    explained = explain(made_cnn((1, 3)), ["wa wb wc", "", "wd"], target, level="phrase")
    explained.to_parquet(tmp_path / "why.parquet")
    for read in (
        Explanations.from_parquet(tmp_path / "why.parquet"),
        Explanations.from_json(explained.to_json()),
    ):
        for one, expected in zip(read, explained, strict=True):
            assert one.units is not None
            assert one.phrases() == expected.phrases()
            assert one.units.relevance.shape == expected.units.relevance.shape  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"phrases": None}, "names, spans or relevance are missing"),
        ({"phrases": [1, 2]}, "no strings"),
        ({"phrases": ["wa"]}, "differ in number"),
        ({"phrase_spans": [[0, 2], [3, 9]]}, "leave the text"),
        ({"phrase_spans": [[-1, 2], [3, 5]]}, "leave the text"),
        ({"phrase_spans": [[2, 0], [3, 5]]}, "end before they begin"),
        ({"phrase_spans": [[0, 2, 3], [3, 5, 5]]}, "no pairs"),
        ({"phrase_spans": [[0.5, 2], [3, 5]]}, "no whole numbers"),
        ({"phrase_relevance": [1, "x"]}, "no numbers"),
        ({"phrase_relevance": [[1.0], [2.0]]}, "differ in number"),
    ],
)
def test_what_a_file_may_not_say(changes: dict[str, Any], said: str) -> None:
    fields = json.loads(explain(made_cnn((1,)), "wa wb", "class 1").to_json())
    fields |= {
        "phrases": ["wa", "wb"],
        "phrase_spans": [[0, 2], [3, 5]],
        "phrase_relevance": [1, 2],
    }
    assert len(Explanation.from_json(json.dumps(fields)).phrases()) == 2
    with pytest.raises(InputError, match=f"this is no explanation: .*{said}"):
        Explanation.from_json(json.dumps(fields | changes))


def test_displays_list_them_where_they_are_more_than_words() -> None:
    model, (texts, _) = small_cnn(2), topical(3)
    explanation = explain(model, texts[0], level="phrase")
    strongest = explanation.phrases()[0].text
    assert f"phrases “{strongest}”" in explanation.to_text()
    assert f"<bdi>“{strongest}”</bdi>" in explanation.to_html()
    assert "phrases" not in explain(model, texts[0]).to_text()
    assert "phrases" not in explain(small_cnn(1), texts[0], level="phrase").to_text()
