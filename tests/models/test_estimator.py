"""What all models of ours share: scikit-learn's rules, identity, training epochs, loading."""

import copy
import dataclasses
import gc
import pickle
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, made_text
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

from whyword import (
    CNNClassifier,
    InputError,
    Reader,
    SVMClassifier,
    Vectors,
    explain,
    load_model,
)
from whyword.base.progress import Progress
from whyword.base.tensors import Tensors
from whyword.models import estimator
from whyword.models.epochs import OnShare, best_epoch, held_out_count, held_out_documents
from whyword.models.estimator import Estimator, class_weights
from whyword.models.input_vectors import input_vectors, vectors_record
from whyword.models.loading import KINDS, Lazy, register_kind
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.store import identity_when_written
from whyword.words import Tokenizer

CHECKS = [
    estimator_checks.check_estimator_cloneable,
    estimator_checks.check_estimator_repr,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_set_params,
    estimator_checks.check_valid_tag_types,
    estimator_checks.check_estimator_tags_renamed,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("make", [CNNClassifier, SVMClassifier])
def test_scikit_learns_own_checks(make: type, check: object) -> None:
    check(make.__name__, make())  # type: ignore[operator]


def test_default_parameters() -> None:
    nothing = dict.fromkeys(["max_words", "class_weight", "reader"])
    training = {"filters": 800, "width": 2, "epochs": 15, "batch_size": 64, "learning_rate": 2e-3}
    against = {"dropout": 0.5, "word_dropout": 0.3, "l2": 0.0, "validation": 0.1, "seed": 0}
    params = nothing | training | against | {"vectors": None, "on_progress": None}
    assert CNNClassifier().get_params() == params
    params = {"ngrams": None, "min_documents": None, "stop_words": None, "C": None, "folds": 5}
    assert SVMClassifier().get_params() == nothing | params | {"sublinear": True, "seed": 0}


def test_a_notebook_shows_it_as_scikit_learns_own(uninstall: Callable[[str], None]) -> None:
    assert (repr(CNNClassifier()), repr(SVMClassifier(C=1.0))) == (
        *("CNNClassifier()", "SVMClassifier(C=1.0)"),
    )
    with pytest.raises(ValueError, match="no parameter 'colour'; it has vectors, width"):
        CNNClassifier().set_params(colour="red")
    new, trained = CNNClassifier(width=3), tiny_svm()
    assert "<pre>CNNClassifier(width=3)</pre>" in str(new._repr_html_())
    assert "<span>Not fitted</span>" in str(new._repr_html_())
    assert "<span>Fitted</span>" in str(trained._repr_html_())
    whole = make_pipeline(FunctionTransformer(), SVMClassifier(C=0.5))  # its diagram has ours
    assert "<pre>SVMClassifier(C=0.5)</pre>" in whole._repr_html_()
    with config_context(display="text"):
        assert new._repr_html_() is None
    uninstall("sklearn")
    assert new._repr_html_() is None


def test_class_weights() -> None:
    classes, numbers = np.array(["a", "b"]), np.array([0, 0, 0, 1])
    np.testing.assert_array_equal(class_weights(None, classes, numbers), [1, 1])
    np.testing.assert_allclose(class_weights("balanced", classes, numbers), [4 / 6, 2])
    np.testing.assert_array_equal(class_weights({"b": 3.0}, classes, numbers), [1, 3])
    with pytest.raises(InputError, match="names 'z', which is no class"):
        class_weights({"z": 1.0}, classes, numbers)
    with pytest.raises(InputError, match="labels and texts differ in length: 1 ≠ 2"):
        tiny_svm().score(["moon", "ice"], ["x"])


# ---- identity -----------------------------------------------------------------------------------


def tiny_svm(labels: str = "xy") -> SVMClassifier:
    return SVMClassifier(C=1.0).fit(["wa wb", "wc wd"] * 3, [*labels] * 3)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count how often a model's weights are hashed."""
    identities: list[str] = []

    def counting(tensors: Tensors, configuration: dict[str, object]) -> str:
        identities.append(identity_when_written(tensors, configuration))
        return identities[-1]

    monkeypatch.setattr(estimator, "identity_when_written", counting)
    return identities


@pytest.mark.parametrize("make", [made_cnn, tiny_svm])
def test_weights_are_hashed_once_and_not_to_explain(
    make: Callable[[], Estimator], hashed: list[str]
) -> None:
    model, text = make(), made_text([0, 1, 2])
    explanations = [explain(model, text), explain(model, text, "all"), *explain(model, [text])]
    explanations[0].to_html(), explanations[0].to_text()
    assert not hashed
    assert {one.model for one in explanations} == {model.identity} == set(hashed)
    assert len(hashed) == 1
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.identity == model.identity
    assert len(hashed) == 1


def test_an_explanation_names_the_model_as_it_was() -> None:
    model = tiny_svm()
    explanation = explain(model, "wa")
    before = copy.deepcopy(model).identity
    model.fit(["wa wb", "wc wd"] * 3, ["y", "x"] * 3)
    assert explanation.model == before != model.identity
    assert explain(model, "wa").model == model.identity
    sent = pickle.dumps(explain(model, "wa"))
    assert b"SVMClassifier" not in sent
    assert pickle.loads(sent).model == model.identity
    vars(model)["_identity"] = (model.classes_, "0" * 64)  # as a pickle of an earlier version
    assert explain(model, "wa").model == model.identity == tiny_svm("yx").identity


def test_other_weights_have_another_identity() -> None:
    cnn, svm = made_cnn(), tiny_svm()
    copies: list[Estimator] = [
        *(cnn, cnn.shuffled("all", 0), cnn.shuffled("output", 0), cnn.shifted(0.5)),
        *(svm, svm.shuffled("all", 3), copy.copy(svm).set_params(seed=3)),
        *(one.with_reader(Reader(ignore=["wa"])) for one in (cnn, svm)),
    ]
    assert len({model.identity for model in copies}) == len(copies)
    cached = cnn.cache_frequent_words(["wa wb"], 1 << 16)
    assert cached.identity == cnn.cache_words(1 << 16).identity == copies[0].identity


def test_an_explanation_keeps_neither_model_nor_cache(tmp_path: Path) -> None:
    made_cnn().save(tmp_path / "model")
    for make in (lambda: load_model(tmp_path / "model"), made_cnn):
        model = make()
        explanations = [explain(model, text) for text in ("wa", "wb")]
        weights, identity = weakref.ref(model.network_), explanations[0].model
        del model
        gc.collect()
        assert weights() is None
        assert explanations[1].model == identity
    model = made_cnn().cache_words(1 << 16)
    explanation = explain(model, "wa wb")
    kept = weakref.ref(model.words_)
    model.cache_words(0)
    gc.collect()
    assert kept() is None
    assert explanation.model == model.identity


def test_sizes_of_models_and_pickles(tmp_path: Path) -> None:
    model = made_cnn()
    model.save(tmp_path / "model")
    written = (tmp_path / "model" / "model.safetensors").stat().st_size
    assert 0 < written - int(model.n_bytes or 0) < 2_000  # the names of the tensors
    with pytest.raises(InputError, match="not trained yet"):
        _ = CNNClassifier().n_bytes
    function = Tokenizer(rule=lambda text: [(0, len(text))])
    model.inputs_ = dataclasses.replace(model.inputs_, reader=Reader(tokenizer=function))
    assert model.n_bytes is None  # a function cannot be saved
    svm, texts, labels = tiny_svm(), ["good", "bad", "fine"] * 50, ["a", "b", "a"] * 50
    assert svm.identity == pickle.loads(pickle.dumps(svm)).identity
    fresh = SVMClassifier(**svm.get_params()).fit(texts, labels)
    assert abs(len(pickle.dumps(svm.fit(texts, labels))) - len(pickle.dumps(fresh))) < 200


# ---- loading ------------------------------------------------------------------------------------


def test_the_kind_decides_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(SVMClassifier):
        kind = "mine"

    made_cnn().save(tmp_path / "cnn")
    tiny_svm().save(tmp_path / "svm")
    assert isinstance(load_model(tmp_path / "cnn"), CNNClassifier)
    assert type(load_model(str(tmp_path / "svm"))) is SVMClassifier
    Mine(C=1.0).fit(["a b", "c d"], ["x", "y"]).save(tmp_path / "mine")
    with pytest.raises(InputError, match="kind 'mine'; known: cnn, svm, pipeline"):
        load_model(tmp_path / "mine")
    monkeypatch.setitem(KINDS, "mine", SVMClassifier)  # removed again after the test
    assert register_kind(Mine) is Mine
    assert isinstance(load_model(tmp_path / "mine"), Mine)


@pytest.mark.slow(reason="imports transformers")
def test_the_kinds_by_name() -> None:
    lazy = {name: one.load() for name, one in KINDS.items() if isinstance(one, Lazy)}
    ours = {"cnn": CNNClassifier, "svm": SVMClassifier, "pipeline": PipelineClassifier}
    assert {name: one for name, one in KINDS.items() if name not in lazy} == ours
    assert {name: one.kind for name, one in lazy.items()} == {
        name: name for name in ("torch", "transformer", "recurrent", "characters")
    }


# ---- training -----------------------------------------------------------------------------------


class Told:
    """A training whose losses and accuracies are known beforehand."""

    def __init__(
        self, accuracies: Sequence[float | None], losses: Sequence[float] | None = None
    ) -> None:
        self.accuracies, self.losses, self.number = accuracies, losses, 0

    def epoch(self, on_share: OnShare) -> float:
        self.number += 1
        on_share(0.5, 2.0)
        return 1.0 if self.losses is None else self.losses[self.number - 1]

    def accuracy(self) -> float | None:
        return self.accuracies[self.number - 1]

    def snapshot(self) -> int:
        return self.number


@pytest.mark.parametrize(
    ("accuracies", "patience", "kept", "trained"),
    [
        ([0.1, 0.3, 0.2], None, 2, 3),
        ([0.3, 0.3, 0.2], None, 2, 3),  # of equals the last
        ([None, None, None], None, 3, 3),
        ([0.3, 0.2, 0.4], 1, 1, 2),
        ([0.3, 0.2, 0.4], 2, 3, 3),
    ],
)
def test_the_best_epoch_is_kept(
    accuracies: list[float | None], patience: int | None, kept: int, trained: int
) -> None:
    training = Told(accuracies)
    state, epoch = best_epoch(training, 3, lambda _: None, patience)
    assert (state, epoch.number, training.number) == (kept, kept, trained)


def test_progress_and_divergence_of_epochs() -> None:
    events: list[Progress] = []
    best_epoch(Told([0.5, 0.6]), 2, events.append)
    assert [one.share for one in events] == [0.25, 0.5, 0.75, 1.0]
    assert [one.number for one in events] == [1, 1, 2, 2]
    assert events[0].metrics == {"loss": 2.0}
    assert events[-1].metrics == {"loss": 1.0, "validation accuracy": 0.6}
    with pytest.raises(InputError, match="diverged in epoch 2; lower learning_rate"):
        best_epoch(Told([0.5] * 3, [1.0, np.nan, 1.0]), 3, lambda _: None)
    with pytest.raises(InputError, match="epochs must be at least 1"):
        best_epoch(Told([]), 0, lambda _: None)


def test_documents_are_held_out_by_number_or_share() -> None:
    classes = np.repeat([0, 1], 50)
    assert held_out_documents(0.2, classes, 0).sum() == 20
    assert held_out_documents(7, classes, 0).sum() == 7
    assert not held_out_documents(0, classes, 0).any()
    assert held_out_count("validation", 3) == 3
    for wrong in (1.5, -1, "x"):
        with pytest.raises(InputError, match="validation"):
            held_out_count("validation", wrong)


def test_vectors_for_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Vectors(["moon"], np.ones((1, 2), np.float32))
    own.save(tmp_path / "v.safetensors")
    documents = [Reader()("the moon")]
    assert input_vectors(own, documents, 0, False) is own
    for path in (tmp_path / "v.safetensors", str(tmp_path / "v.safetensors")):
        assert input_vectors(path, documents, 0, False).words == ["moon"]
    asked: dict[str, Any] = {}

    def for_texts(texts: object, **options: object) -> Vectors:
        asked.update(options, texts=texts)
        return own

    monkeypatch.setattr(Vectors, "for_texts", for_texts)
    assert input_vectors(None, documents, 7, False) is own
    assert asked == {"texts": documents, "seed": 7, "on_progress": False}
    with pytest.raises(InputError, match="vectors takes Vectors or a path, not int"):
        input_vectors(3, documents, 0, False)
    assert vectors_record(None) == "GloVe 50d + CBOW"
    assert vectors_record("glove-6b-50d") == "glove-6b-50d"
