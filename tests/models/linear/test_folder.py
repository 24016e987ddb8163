"""Changed model folders: what does not fit is refused before it is used."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tampered import Change, check_refused, settings, tensors, with_number, words

from whyword import SVMClassifier

TEXTS, LABELS = ["wa wb wa", "wc wd", "wa we"], ["first", "second", "third"]
NAN = float("nan")

SVM: dict[str, tuple[Change, str]] = {
    "temperature 0": (settings(temperature=0), "temperature must be a number above"),
    "NaN weights": (tensors(output_weight=with_number(3, NAN)), "output_weight has a number"),
    "more weights": (tensors(output_weight=np.ones((6, 3))), "(V = 5, C = 3)"),
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
    "frequencies below 0": (tensors(document_frequency=with_number(0, -1)), "the number -1"),
    "too frequent words": (tensors(document_frequency=with_number(0, 4)), "the number 4"),
    "an idf, too": (tensors(idf=np.ones(5)), "'idf' is no tensor"),
    "no documents": (settings(features__documents=0), "features.documents must be a whole number"),
    "another truth": (settings(features__sublinear=2), "features.sublinear must be True or False"),
    "giant weights": (tensors(output_weight=with_number(3, 1e200)), "weights are so large"),
    "no features": (settings(features=None), "features must be settings by name"),
    "a small C": (settings(parameters__C=1e-9), "parameters.C must be from 1e-6"),
    "one fold": (settings(parameters__folds=1), "parameters.folds must be"),
}
NGRAMS: dict[str, tuple[Change, str]] = {
    "no pairs": (tensors(ngrams_2=None), "the tensor ngrams_2 is missing"),
    "fewer pairs": (tensors(ngrams_2=np.array([[0, 1]], np.int32)), "it should have (V = "),
    "pairs of three": (tensors(ngrams_2=np.ones((4, 3), np.int32)), "it should have (V_2 = 4, 2)"),
    "a pair twice": (tensors(ngrams_2=np.zeros((4, 2), np.int32)), "not in order, or twice"),
    "a word beyond": (tensors(ngrams_2=with_number(1, 5)), "words that are not there"),
    "a first word beyond": (tensors(ngrams_2=with_number(6, 5)), "words that are not there"),
    "triples, too": (tensors(ngrams_3=np.zeros((1, 2), np.int32)), "'ngrams_3' is no tensor"),
    "triples wanted": (settings(features__ngrams=[1, 3]), "the tensor ngrams_3 is missing"),
    "single words wanted": (settings(features__ngrams=[1, 1]), "(V = 5"),
    "pairs only": (settings(features__ngrams=[2, 2]), "(V = 4"),
    "upside down": (settings(features__ngrams=[2, 1]), "the lower first"),
    "too long": (settings(features__ngrams=[1, 6]), "features.ngrams must be a whole number"),
    "one number": (settings(features__ngrams=2), "must be two numbers"),
    "stop words": (settings(features__stop_words="english"), "must be a list of strings"),
    "an argument": (settings(parameters__ngrams="x"), "parameters.ngrams must be two numbers"),
    "a rarity": (settings(parameters__min_documents=0), "parameters.min_documents must be"),
    "a language": (settings(parameters__stop_words="x"), "parameters.stop_words may be"),
}


@cache
def saved(ngrams: bool) -> SVMClassifier:
    more = {"ngrams": (1, 2), "min_documents": 1, "stop_words": ["wz"]} if ngrams else {}
    return SVMClassifier(C=1.0).set_params(**more).fit(TEXTS, LABELS)


@pytest.mark.parametrize("name", [*SVM, *NGRAMS])
def test_changed_folders_are_refused(name: str, tmp_path: Path) -> None:
    saved(name in NGRAMS).save(tmp_path)
    check_refused(tmp_path, *(SVM | NGRAMS)[name])
