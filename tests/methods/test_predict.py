import numpy as np
import pytest
from networks import small_cnn, topical

from whyword.corpora.source import Record
from whyword.methods import predict as predictions
from whyword.methods.predict import (
    predict_documents,
    predicted_labels,
    probabilities_of,
    scores_of,
)
from whyword.models.blackbox import as_classifier


def test_every_document_gets_its_prediction() -> None:
    model = small_cnn()
    texts, labels = topical(30, seed=8)
    records = [
        Record(str(number), text, label, None)
        for number, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    records.append(Record("none", "qqq zzz", None, None))
    predictions = list(predict_documents(model, iter(records)))
    assert [p.id for p in predictions] == [record.id for record in records]
    assert [p.predicted for p in predictions] == model.predict([r.text for r in records]).tolist()
    assert predictions[-1].known_words == 0
    assert predictions[-1].label is None
    assert predictions[0].label == labels[0]
    assert abs(predictions[0].probabilities.sum() - 1) < 1e-9
    assert predictions[0].probability == predictions[0].probabilities.max()


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_cnn()
    records = [Record(str(n), text, None, None) for n, text in enumerate(topical(7)[0])]
    whole = [p.predicted for p in predict_documents(model, records)]
    monkeypatch.setattr(predictions, "_BLOCK", 2)
    assert [p.predicted for p in predict_documents(model, records)] == whole
    assert list(predict_documents(model, [])) == []


class Even:
    """Somebody's model."""

    classes_ = ("a", "b")

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.4, 0.6] for _ in texts]


def test_what_is_said_of_all_texts_at_once() -> None:
    model = small_cnn()
    texts = [*topical(7)[0], ""]
    np.testing.assert_array_equal(scores_of(model, texts), model.class_scores(texts))
    np.testing.assert_allclose(probabilities_of(model, texts), model.predict_proba(texts))
    assert predicted_labels(model, texts) == model.predict(texts).tolist()
    assert scores_of(model, []).shape == probabilities_of(model, []).shape == (0, 3)
    assert predicted_labels(model, []) == []


def test_somebodys_model_predicts_documents_too() -> None:
    (prediction,) = predict_documents(Even(), [Record("1", "some text", "a", None)])
    assert (prediction.predicted, prediction.label, prediction.known_words) == ("b", "a", 2)
    assert prediction.probability == 0.6
    np.testing.assert_array_equal(scores_of(as_classifier(Even()), ["x", "y"]), [[0.4, 0.6]] * 2)
    assert predicted_labels(as_classifier(Even()), ["x"]) == ["b"]
