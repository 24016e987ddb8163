import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from networks import small_cnn, topical

from whyword import InputError, SVMClassifier, evaluate, explain
from whyword.evaluation.copies import copy_quality
from whyword.methods.explain import iter_explanations

MODEL = small_cnn()
TEXTS, RIGHT = topical(60, seed=3)
LABELS = [RIGHT[(n + 1) % 60] if n % 5 == 0 else label for n, label in enumerate(RIGHT)]
TRAIN = [text + " more" for text in TEXTS[:20]] + TEXTS[20:22]


def test_the_accuracy_without_copies_is_that_on_the_rest() -> None:
    found = copy_quality(MODEL, TRAIN, TEXTS, LABELS, MODEL.score(TEXTS, LABELS))
    rest = np.flatnonzero(~found.copies.is_copy).tolist()
    assert found.copies.exact >= 2
    assert found.copies.near > 0
    assert found.rest == len(rest) < 60
    alone = MODEL.score([TEXTS[n] for n in rest], [LABELS[n] for n in rest])
    assert found.accuracy == pytest.approx(alone)
    assert found.to_dict() == {
        "exact": found.copies.exact,
        "near": found.copies.near,
        "threshold": 0.7,
        "documents_without": found.rest,
        "accuracy_without": found.accuracy,
    }
    assert "accuracy without them" in repr(found)


def test_without_copies_and_with_nothing_else() -> None:
    none = copy_quality(MODEL, ["nothing of the kind"], TEXTS, LABELS, 0.5)
    assert (none.rest, none.accuracy) == (60, 0.5)
    every = copy_quality(MODEL, TEXTS, TEXTS, LABELS, 0.5)
    assert (every.rest, every.accuracy) == (0, None)
    assert "accuracy without them nothing" in repr(every)


def test_an_evaluation_says_it() -> None:
    findings = evaluate(MODEL, TEXTS, LABELS, ["lrp"], train=pd.Series(TRAIN), runs=1, splits=2)
    assert findings.copies is not None
    assert findings.to_dict()["near_copies"] == findings.copies.to_dict()
    assert "accuracy without copies of training documents" in findings.to_html()
    assert "near copies" in findings.seconds
    without = evaluate(MODEL, TEXTS, LABELS, ["lrp"], runs=1, splits=2)
    assert without.to_dict()["near_copies"] is None
    assert "copies of training" not in without.to_html()


COLUMNS = {
    "pandas": pd.Series,
    "polars": lambda values: pl.Series(values),
    "Arrow": pa.array,
    "Arrow, in chunks": lambda values: pa.chunked_array([values[:7], values[7:]]),
    "NumPy": np.array,
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_models_take_columns(kind: str) -> None:
    texts, labels = COLUMNS[kind](TEXTS), COLUMNS[kind](LABELS)
    plain, model = (
        SVMClassifier(C=1.0, folds=2).fit(*given) for given in ((TEXTS, LABELS), (texts, labels))
    )
    assert model.predict(texts).tolist() == plain.predict(TEXTS).tolist()
    np.testing.assert_array_equal(model.predict_proba(texts), plain.predict_proba(TEXTS))
    np.testing.assert_array_equal(model.decision_function(texts), plain.decision_function(TEXTS))
    assert model.score(texts, labels) == plain.score(TEXTS, LABELS)
    whole = explain(plain, TEXTS, targets=LABELS)
    for some in (explain(model, texts, targets=labels), iter_explanations(model, texts)):
        assert [one.document.text for one in some] == [one.document.text for one in whole]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_models_refuse_whole_frames(frame: type) -> None:
    whole = frame({"text": TEXTS, "label": LABELS})
    for call in (MODEL.predict, MODEL.predict_proba, MODEL.decision_function):
        with pytest.raises(InputError, match=r"not a column: pass frame\['text'\]"):
            call(whole)
    for ask in (explain, iter_explanations):
        with pytest.raises(InputError, match=r"not a column: pass frame\['text'\]"):
            ask(MODEL, whole)
    with pytest.raises(InputError, match=r"labels: .* pass frame\['label'\]"):
        SVMClassifier().fit(TEXTS, whole)
    with pytest.raises(InputError, match=r"labels: .* pass frame\['label'\]"):
        MODEL.score(TEXTS, whole)


def test_a_label_that_is_missing() -> None:
    with pytest.raises(InputError, match=r"label 1 is missing \(<NA>\)"):
        SVMClassifier().fit(["a", "b"], pd.Series(["x", pd.NA], dtype="object"))
