"""A linear model's folder that somebody changed: what does not fit is refused before it is used."""

from pathlib import Path

import numpy as np
import pytest
from tampered import Change, check_refused, settings, tensors, with_number, words

from whyword import InputError, SVMClassifier

TEXTS, LABELS = ["wa wb wa", "wc wd", "wa we"], ["first", "second", "third"]
NAN = float("nan")

SVM: dict[str, tuple[Change, str]] = {
    "temperature null": (settings(temperature=None), "temperature must be a number"),
    "temperature 0": (settings(temperature=0), "temperature must be a number above"),
    "temperature below 0": (settings(temperature=-1), "temperature must be a number above"),
    "a true temperature": (settings(temperature=True), "temperature must be a number"),
    "NaN weights": (tensors(output_weight=with_number(3, NAN)), "output_weight has a number"),
    "more weights": (tensors(output_weight=np.ones((6, 3))), "(V = 5, C = 3)"),
    "more columns": (tensors(output_weight=np.ones((5, 9))), "(V = 5, C = 3)"),
    "fewer biases": (tensors(output_bias=np.ones(2)), "output_bias has the shape (2,)"),
    "float32": (tensors(output_bias=np.ones(3, np.float32)), "should be float64"),
    "no words": (
        tensors(
            vocabulary=words([]),
            document_frequency=np.empty(0, np.int64),
            output_weight=np.empty((0, 3)),
        ),
        "vocabulary has 0 words",
    ),
    "equal words": (tensors(vocabulary=words(["wa"] * 5)), "4 words twice"),
    "frequencies below 0": (tensors(document_frequency=with_number(0, -1)), "the number -1"),
    "too frequent words": (tensors(document_frequency=with_number(0, 4)), "the number 4"),
    "an idf, too": (tensors(idf=np.ones(5)), "'idf' is no tensor"),
    "no documents": (settings(features__documents=0), "features.documents must be a whole number"),
    "true documents": (settings(features__documents=True), "features.documents must be"),
    "another truth": (settings(features__sublinear=2), "features.sublinear must be True or False"),
    "giant weights": (tensors(output_weight=with_number(3, 1e200)), "weights are so large"),
    "no features": (settings(features=None), "features must be settings by name"),
    "a small C": (settings(parameters__C=1e-9), "parameters.C must be from 1e-6"),
    "one fold": (settings(parameters__folds=1), "parameters.folds must be"),
}


@pytest.mark.parametrize("name", SVM)
def test_changed_bags_of_words_are_refused(name: str, tmp_path: Path) -> None:
    SVMClassifier(C=1.0).fit(TEXTS, LABELS).save(tmp_path)
    check_refused(tmp_path, *SVM[name])


def test_names_of_classes_that_no_file_can_keep() -> None:
    labels = ["first", "second", "half \ud800"]
    with pytest.raises(InputError, match="label 2 holds half a surrogate pair"):
        SVMClassifier(C=1.0).fit(TEXTS, labels)
    with pytest.raises(InputError, match="sublinear must be True or False"):
        SVMClassifier(sublinear=2).fit(TEXTS, LABELS)  # type: ignore[arg-type]
