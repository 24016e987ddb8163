"""Ordinary scikit-learn pipelines, by what they are, fitted on a few texts."""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from networks import topical
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import (
    RFE,
    SelectKBest,
    VarianceThreshold,
    chi2,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.random_projection import SparseRandomProjection
from sklearn.svm import SVC, LinearSVC

from whyword.models.pipeline.classifier import PipelineClassifier

Make = Callable[[], Any]


class Shouting(CountVectorizer):  # type: ignore[misc]
    """Somebody's own: words in capitals count twice."""

    def build_analyzer(self) -> Callable[[str], list[str]]:
        plain = super().build_analyzer()
        return lambda text: [w for w in plain(text) for _ in range(1 + w.isupper())]


def words(**settings: Any) -> TfidfVectorizer:  # noqa: ANN401 - of scikit-learn
    return TfidfVectorizer(ngram_range=(1, 2), **settings)


def characters() -> TfidfVectorizer:
    return TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3))


def of_both(**settings: Any) -> FeatureUnion:  # noqa: ANN401
    return FeatureUnion([("words", words()), ("characters", characters())], **settings)


def columns(*parts: Any, **settings: Any) -> ColumnTransformer:  # noqa: ANN401
    given = [(f"part {number}", part, "body") for number, part in enumerate(parts)]
    return ColumnTransformer(given, **settings)


def bayes() -> Pipeline:
    return make_pipeline(words(), MultinomialNB())


def prefit() -> Any:  # noqa: ANN401
    """Return a pipeline that was fitted before, calibrated."""
    made = fit(make_pipeline(words(), LinearSVC()), 2)
    return CalibratedClassifierCV(FrozenEstimator(made), ensemble=False)


LINEAR: dict[str, Make] = {
    "the tutorial's": lambda: make_pipeline(
        CountVectorizer(), TfidfTransformer(), LogisticRegression()
    ),
    "counts": lambda: make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression()),
    "tf-idf, SVM": lambda: make_pipeline(words(), LinearSVC()),
    "sublinear by a transformer": lambda: make_pipeline(
        CountVectorizer(ngram_range=(1, 2)),
        TfidfTransformer(sublinear_tf=True, norm="l1", smooth_idf=False),
        LinearSVC(),
    ),
    "characters": lambda: make_pipeline(characters(), RidgeClassifier()),
    "characters across words": lambda: make_pipeline(
        CountVectorizer(analyzer="char", ngram_range=(3, 3)), LinearSVC()
    ),
    "words and characters": lambda: make_pipeline(of_both(), LinearSVC()),
    "weighted parts": lambda: make_pipeline(
        of_both(transformer_weights={"words": 2.0, "characters": 0.3}), LogisticRegression()
    ),
    "parts with steps": lambda: make_pipeline(
        FeatureUnion(
            [
                ("best", make_pipeline(words(), SelectKBest(chi2, k=20))),
                ("topics", make_pipeline(words(), TruncatedSVD(4, random_state=0))),
                ("none", "drop"),
            ]
        ),
        Normalizer(),
        LogisticRegression(),
    ),
    "a union over features": lambda: make_pipeline(
        words(),
        FeatureUnion([("topics", TruncatedSVD(4, random_state=0)), ("as they are", "passthrough")]),
        LogisticRegression(),
    ),
    "a pipeline in a pipeline": lambda: make_pipeline(
        make_pipeline(CountVectorizer(), TfidfTransformer()), make_pipeline(LinearSVC())
    ),
    "hashed": lambda: make_pipeline(HashingVectorizer(n_features=1 << 12), LogisticRegression()),
    "hashed, colliding": lambda: make_pipeline(
        HashingVectorizer(n_features=16, norm=None), LogisticRegression()
    ),
    "hashed, colliding, binary": lambda: make_pipeline(
        HashingVectorizer(n_features=16, binary=True, ngram_range=(1, 2)), LinearSVC()
    ),
    "hashed counts, weighted": lambda: make_pipeline(
        HashingVectorizer(n_features=512, alternate_sign=False, norm=None),
        TfidfTransformer(),
        SGDClassifier(random_state=0),
    ),
    "chosen by a test": lambda: make_pipeline(words(), SelectKBest(chi2, k=30), LinearSVC()),
    "by variance": lambda: make_pipeline(words(), VarianceThreshold(1e-4), LogisticRegression()),
    "by elimination": lambda: make_pipeline(
        CountVectorizer(), RFE(LogisticRegression(), n_features_to_select=9, step=0.5), LinearSVC()
    ),
    "topics": lambda: make_pipeline(words(), TruncatedSVD(5, random_state=0), LogisticRegression()),
    "topics, centred, of length 1": lambda: make_pipeline(
        words(),
        TruncatedSVD(5, random_state=0),
        StandardScaler(),
        Normalizer(),
        SelectKBest(k=3),
        LogisticRegression(),
    ),
    "topics in a range": lambda: make_pipeline(
        words(), TruncatedSVD(5, random_state=0), MinMaxScaler(), MultinomialNB()
    ),
    "components": lambda: make_pipeline(
        words(), PCA(4, whiten=True, svd_solver="arpack", random_state=0), LogisticRegression()
    ),
    "steps that do nothing": lambda: Pipeline(
        [
            ("words", words()),
            ("nothing", "passthrough"),
            ("none", None),
            ("no function", FunctionTransformer(accept_sparse=True)),
            ("classifier", LinearSVC()),
        ]
    ),
    "C by cross-validation": lambda: make_pipeline(words(), LogisticRegressionCV(Cs=2, cv=2)),
    "one against the rest, by liblinear": lambda: make_pipeline(
        words(), OneVsRestClassifier(LogisticRegression(solver="liblinear"))
    ),
    "log loss": lambda: make_pipeline(words(), SGDClassifier(loss="log_loss", random_state=0)),
    "modified Huber": lambda: make_pipeline(
        words(), SGDClassifier(loss="modified_huber", random_state=0)
    ),
    "ridge": lambda: make_pipeline(words(), RidgeClassifierCV()),
    "naive Bayes": bayes,
    "complement": lambda: make_pipeline(CountVectorizer(), ComplementNB()),
    "Bernoulli": lambda: make_pipeline(CountVectorizer(), BernoulliNB()),
    "Bernoulli above a threshold": lambda: make_pipeline(words(), BernoulliNB(binarize=0.2)),
    "pipelines against the rest": lambda: OneVsRestClassifier(make_pipeline(words(), LinearSVC())),
    "scaled against the rest": lambda: make_pipeline(
        words(), OneVsRestClassifier(make_pipeline(MaxAbsScaler(), LogisticRegression()))
    ),
    "calibrated": lambda: make_pipeline(words(), CalibratedClassifierCV(LinearSVC(), cv=3)),
    "calibrated at once": lambda: make_pipeline(
        words(), CalibratedClassifierCV(LinearSVC(), cv=3, ensemble=False, method="isotonic")
    ),
    "calibrated pipelines": lambda: CalibratedClassifierCV(
        make_pipeline(words(), LinearSVC()), cv=3
    ),
    "found by a grid": lambda: GridSearchCV(
        make_pipeline(words(), LogisticRegression()), {"logisticregression__C": [0.1, 1]}, cv=2
    ),
    "a search at the end": lambda: make_pipeline(
        words(), GridSearchCV(LinearSVC(), {"C": [0.1, 1]}, cv=2)
    ),
    "somebody's own vectoriser": lambda: make_pipeline(Shouting(lowercase=False), LinearSVC()),
}
# single transformers over counts
EACH: dict[str, Make] = {
    "tf-idf": TfidfTransformer,
    "sublinear": lambda: TfidfTransformer(sublinear_tf=True, use_idf=False, norm=None),
    "l1": lambda: Normalizer("l1"),
    "max": lambda: Normalizer("max"),
    "binary": lambda: Binarizer(threshold=1.5),
    "largest": MaxAbsScaler,
    "deviation": lambda: StandardScaler(with_mean=False),
    "quantiles": lambda: RobustScaler(with_centering=False),
    "chosen": lambda: SelectKBest(chi2, k=5),
    "topics": lambda: TruncatedSVD(3, random_state=0),
    "topics, centred": lambda: make_pipeline(TruncatedSVD(3, random_state=0), StandardScaler()),
    "topics, by quantiles": lambda: make_pipeline(TruncatedSVD(3, random_state=0), RobustScaler()),
    "topics in a range": lambda: make_pipeline(
        TruncatedSVD(3, random_state=0), MinMaxScaler(feature_range=(1, 3))
    ),
    "components": lambda: PCA(3, svd_solver="arpack", random_state=0),
    "whitened": lambda: PCA(3, whiten=True, svd_solver="arpack", random_state=0),
    "random sums": lambda: SparseRandomProjection(4, random_state=0),
    "a union": lambda: FeatureUnion(
        [("a", MaxAbsScaler()), ("b", "passthrough"), ("c", "drop")],
        transformer_weights={"b": 0.5},
    ),
    "nothing": lambda: FunctionTransformer(accept_sparse=True),
}
# of frames with a column "body"
FRAMES: dict[str, Make] = {
    "one column": lambda: make_pipeline(columns(words()), LogisticRegression()),
    "one column, several vectorisers": lambda: make_pipeline(
        columns(words(), characters(), transformer_weights={"part 1": 0.5}), LinearSVC()
    ),
    "one column, dense and centred": lambda: make_pipeline(
        columns(words(), sparse_threshold=0), StandardScaler(), LogisticRegression()
    ),
    "one column, calibrated": lambda: make_pipeline(
        columns(words()), CalibratedClassifierCV(LinearSVC(), cv=3)
    ),
}
# of two classes only
OF_TWO: dict[str, Make] = {
    "a linear kernel": lambda: make_pipeline(words(), SVC(kernel="linear")),
    "fitted before, then calibrated": prefit,
}
NOT_LINEAR: dict[str, tuple[Make, str]] = {
    "a forest": (
        lambda: make_pipeline(words(), RandomForestClassifier(5, random_state=0)),
        "its RandomForestClassifier is not linear",
    ),
    "neighbours": (lambda: make_pipeline(words(), KNeighborsClassifier()), "KNeighborsClassifier"),
    "a network": (
        lambda: make_pipeline(words(), MLPClassifier((3,), max_iter=5, random_state=0)),
        "its MLPClassifier is not linear",
    ),
    "a function": (
        lambda: make_pipeline(
            words(), FunctionTransformer(np.sqrt, accept_sparse=True), LogisticRegression()
        ),
        "its FunctionTransformer has a function",
    ),
    "a function of texts": (
        lambda: make_pipeline(FunctionTransformer(list), words(), LogisticRegression()),
        "it begins with FunctionTransformer",
    ),
    "products": (
        lambda: make_pipeline(CountVectorizer(), PolynomialFeatures(2), LogisticRegression()),
        "its PolynomialFeatures is not known to be linear",
    ),
    "sums, binarised": (
        lambda: make_pipeline(
            words(), TruncatedSVD(3, random_state=0), Binarizer(), LogisticRegression()
        ),
        "binarising stands over sums of features",
    ),
    "clipped": (
        lambda: make_pipeline(
            words(), TruncatedSVD(3, random_state=0), MinMaxScaler(clip=True), LogisticRegression()
        ),
        "its MinMaxScaler clips",
    ),
    "a frame's forest": (
        lambda: make_pipeline(columns(words()), RandomForestClassifier(5, random_state=0)),
        "its RandomForestClassifier is not linear",
    ),
}
# which have no probabilities either
NOT_LINEAR_SCORES: dict[str, Make] = {
    "one against one": lambda: make_pipeline(words(), OneVsOneClassifier(LinearSVC())),
    "a linear kernel of three": lambda: make_pipeline(words(), SVC(kernel="linear")),
    "another kernel": lambda: make_pipeline(words(), SVC()),
}


def frame(texts: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(texts)), "body": texts}, dtype=object)


def fit(pipeline: Any, classes: int, *, frames: bool = False) -> Any:  # noqa: ANN401
    """Return a pipeline, or what makes one, fitted."""
    texts, labels = topical(60, classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what scikit-learn has to say of small data, or of itself
        made = pipeline if hasattr(pipeline, "fit") else pipeline()
        return made.fit(frame(texts) if frames else texts, labels)


@cache
def fitted(name: str, classes: int) -> Any:  # noqa: ANN401
    """Return one of the pipelines, fitted once."""
    make = (LINEAR | FRAMES | OF_TWO | NOT_LINEAR_SCORES).get(name) or NOT_LINEAR[name][0]
    return fit(make, classes, frames=name in FRAMES or name == "a frame's forest")


def as_former(model: PipelineClassifier) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the model as it was stored while a pipeline was a kind of SVM."""
    arrays, configuration = model.to_tensors()
    (vectoriser,) = configuration["features"].pop("nodes")
    vectorising = {key: vectoriser[key] for key in ("vectorizer", "parameters")}
    vectorising["parameters"].pop("dtype")
    count = len(model.features_.words or ())
    old = {
        "vocabulary": arrays["vocabulary_0"],
        "idf": arrays.get("idf_0", np.ones(count)),
        "output_weight": arrays["output_weight"],
        "output_bias": arrays["output_bias"],
    }
    parameters = {"C": None, "folds": 10, "sublinear": False, "max_words": None, "seed": 0}
    return old, {
        "kind": "svm",
        "classes": configuration["classes"],
        "parameters": parameters | {"class_weight": None},
        "temperature": configuration["link"]["temperature"],
        "features": vectorising | configuration["features"],
        "provenance": configuration["provenance"],
    }
