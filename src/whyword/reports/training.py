"""The models of the paper, trained: word vectors, the SVM and the networks.

What is kept of them depends on this module and on all that it imports (`reports/program.py`), so
that nothing else is imported here.
"""

from functools import partial
from pathlib import Path
from typing import Any

from whyword.corpora.corpus import Part
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.estimator import Estimator
from whyword.models.linear.classifier import SVMClassifier
from whyword.reports import paper
from whyword.reports.background import Background
from whyword.reports.plan import Plan
from whyword.reports.stages import KeptModel, Stages
from whyword.vectors.vectors import Vectors

SUBLINEAR = False  # the paper's bag of words counts; 1 + ln m, our default, makes TFIDF stronger


def train_models(
    stages: Stages,
    train: Part,
    data: dict[str, Any],
    plan: Plan,
    vectors: str | Path | None,
    networks: dict[str, tuple[int, int]],
) -> dict[str, KeptModel]:
    """Return the SVM and the networks, trained if they are not there."""
    texts, labels = train.texts, train.labels or []
    inputs = {"train": data["train"], "plan": data["plan"], "vectors": data["vectors"]}
    looked_up: list[Vectors] = []

    def word_vectors() -> Vectors:
        if not looked_up and vectors is not None:
            looked_up.append(Vectors.load(vectors))
        elif not looked_up:
            epochs, seed = plan.cbow_epochs, plan.seed
            looked_up.append(Vectors.for_texts(texts, epochs=epochs, seed=seed, on_progress=False))
        return looked_up[0]

    def describe_vectors() -> dict[str, Any]:
        learned = word_vectors()
        return {"dimensions": learned.dimensions, "coverage": learned.coverage(texts)}

    # CBOW has one core only, so the SVM is trained on the other meanwhile
    learning = None if stages.has("word vectors", inputs) else Background(describe_vectors)

    def svm() -> Estimator:
        return SVMClassifier(
            ngrams=(1, 1),
            sublinear=SUBLINEAR,
            max_words=paper.MOST_WORDS,
            folds=plan.folds,
            seed=plan.seed,
        ).fit(texts, labels)

    def cnn(name: str, width: int, filters: int) -> Estimator:
        alone = name == paper.PRETRAINED
        return CNNClassifier(
            vectors=Vectors.load(paper.PRETRAINED_VECTORS) if alone else word_vectors(),
            width=width,
            filters=round(plan.filters * filters),
            epochs=plan.epochs,
            learning_rate=plan.learning_rate,
            validation=plan.validation,
            max_words=paper.MOST_WORDS,
            seed=plan.seed,
            on_progress=False,
        ).fit(texts, labels)

    models = {"SVM": stages.model("training SVM", {**inputs, "sublinear": SUBLINEAR}, svm)}
    stages.result("word vectors", inputs, learning.result if learning else describe_vectors)
    for name, (width, filters) in networks.items():
        more = {**inputs, "width": width, "filters": filters}
        models[name] = stages.model(f"training {name}", more, partial(cnn, name, width, filters))
    return models
