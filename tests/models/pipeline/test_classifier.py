"""The estimator: what every kind of model has."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from wrapped import fitted

from whyword import InputError, class_words, from_pipeline
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.links import Link
from whyword.words.reader import Reader

TEXTS = ["the rocket and the moon", "goal", ""]


def test_it_is_not_trained() -> None:
    model = from_pipeline(fitted("tf-idf, SVM", 3))
    with pytest.raises(InputError, match="fit the pipeline and wrap it again"):
        model.fit(TEXTS, ["a", "b", "c"])
    with pytest.raises(InputError, match="use from_pipeline"):
        PipelineClassifier().predict(TEXTS)


def test_what_it_was_made_with() -> None:
    reader = Reader(ignore=["moon"])
    model = from_pipeline(fitted("tf-idf, SVM", 3), reader=reader)
    assert model.get_params() == {"reader": reader}
    assert model.reader_ == reader
    assert clone(model).reader == reader
    assert repr(from_pipeline(fitted("tf-idf, SVM", 3))) == "PipelineClassifier()"
    assert model.provenance_["pipeline"].startswith("Pipeline(")


def test_what_the_classifier_sees() -> None:
    pipeline = fitted("chosen by a test", 3)
    model = from_pipeline(pipeline)
    row = model.input_matrix(TEXTS[0])
    assert row.shape == (1, 30)
    np.testing.assert_allclose(row.toarray(), pipeline[:-1].transform(TEXTS[:1]).toarray())
    np.testing.assert_array_equal(model.weights["output_weight"], pipeline[-1].coef_.T)


def test_training_words() -> None:
    words = from_pipeline(fitted("tf-idf, SVM", 3)).training_words
    assert words is not None
    assert {"moon", "the moon"} <= words
    assert from_pipeline(fitted("hashed", 3)).training_words is None
    found = class_words(from_pipeline(fitted("hashed", 3)), TEXTS[:2])
    assert all(one.seen is None for several in found.values() for one in several)


@pytest.mark.parametrize("name", ["tf-idf, SVM", "calibrated"])
def test_weights_in_another_order(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    other = model.shuffled("all", 0)
    assert not np.array_equal(other.output_weight_, model.output_weight_)
    np.testing.assert_array_equal(
        np.sort(other.output_weight_, None), np.sort(model.output_weight_, None)
    )
    assert other.link_ == (Link() if name == "calibrated" else model.link_)
    np.testing.assert_allclose(other.predict_proba(TEXTS).sum(axis=1), 1)


@pytest.mark.parametrize("name", ["words and characters", "one column, calibrated"])
def test_it_goes_to_another_process(name: str) -> None:
    model = from_pipeline(fitted(name, 3))
    list(model.trace(TEXTS))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_no_texts() -> None:
    model = from_pipeline(fitted("calibrated", 3))
    assert model.predict_proba([]).shape == model.class_scores([]).shape == (0, 3)
    assert list(model.trace([])) == []
    assert len(model.predict([])) == 0
