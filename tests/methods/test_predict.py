import pytest
from networks import small_cnn, topical

from whyword.corpora.source import Record
from whyword.methods import predict as predictions
from whyword.methods.predict import predict_documents


def test_every_document_gets_its_prediction() -> None:
    model = small_cnn()
    texts, labels = topical(30, seed=8)
    records = [
        Record(str(number), text, label, None)
        for number, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    records.append(Record("none", "qqq zzz", None, None))
    found = list(predict_documents(model, iter(records)))
    assert [p.id for p in found] == [record.id for record in records]
    assert [p.predicted for p in found] == model.predict([r.text for r in records]).tolist()
    assert found[-1].known_words == 0
    assert found[-1].label is None
    assert found[0].label == labels[0]
    assert abs(found[0].probabilities.sum() - 1) < 1e-9
    assert found[0].probability == found[0].probabilities.max()


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_cnn()
    records = [Record(str(n), text, None, None) for n, text in enumerate(topical(7)[0])]
    whole = [p.predicted for p in predict_documents(model, records)]
    monkeypatch.setattr(predictions, "_BLOCK", 2)
    assert [p.predicted for p in predict_documents(model, records)] == whole
    assert list(predict_documents(model, [])) == []
