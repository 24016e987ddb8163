import copy
import dataclasses
import gc
import pickle
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from networks import made_cnn, made_text, small_cnn
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

from whyword import CNNClassifier, InputError, Reader, SVMClassifier, explain, load_model
from whyword.base.tensors import Tensors
from whyword.models import estimator
from whyword.models.estimator import Estimator, class_weights
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


def test_unknown_parameters() -> None:
    with pytest.raises(ValueError, match="no parameter 'colour'; it has vectors, width"):
        CNNClassifier().set_params(colour="red")


def test_representation() -> None:
    assert repr(CNNClassifier()) == "CNNClassifier()"
    assert repr(SVMClassifier(C=1.0)) == "SVMClassifier(C=1.0)"


def test_a_notebook_shows_it_as_scikit_learns_own(uninstall: Callable[[str], None]) -> None:
    new, trained = CNNClassifier(width=3), small_svm()
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


def test_labels_of_another_length() -> None:
    model = SVMClassifier(C=1.0).fit(["moon", "ice"] * 3, ["x", "y"] * 3)
    with pytest.raises(InputError, match="labels and texts differ in length: 1 ≠ 2"):
        model.score(["moon", "ice"], ["x"])


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count how often a model's weights are hashed."""
    identities: list[str] = []

    def counting(tensors: Tensors, configuration: dict[str, object]) -> str:
        identities.append(identity_when_written(tensors, configuration))
        return identities[-1]

    monkeypatch.setattr(estimator, "identity_when_written", counting)
    return identities


def small_svm() -> SVMClassifier:
    return SVMClassifier(C=1.0).fit(["wa wb", "wc wd"] * 3, ["x", "y"] * 3)


@pytest.mark.parametrize("make", [made_cnn, small_svm])
def test_explaining_hashes_nothing(make: Callable[[], Estimator], hashed: list[str]) -> None:
    model, text = make(), made_text([0, 1, 2])
    explanations = [explain(model, text), explain(model, text, "all"), *explain(model, [text])]
    explanations[0].to_html(), explanations[0].to_text()
    assert not hashed
    assert {one.model for one in explanations} == {model.identity} == set(hashed)
    assert len(hashed) == 1


def test_an_explanation_says_which_model_it_was(hashed: list[str]) -> None:
    model = small_svm()
    explanation = explain(model, "wa")
    before = copy.deepcopy(model).identity
    model.fit(["wa wb", "wc wd"] * 3, ["y", "x"] * 3)
    assert explanation.model == before != model.identity
    assert explain(model, "wa").model == model.identity


def test_an_explanation_that_is_sent_leaves_the_model_behind() -> None:
    model = small_svm()
    sent = pickle.dumps(explain(model, "wa"))
    assert b"SVMClassifier" not in sent
    assert pickle.loads(sent).model == model.identity


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize("make", [made_cnn, small_svm])
def test_a_copy_is_not_hashed_again(
    make: Callable[[], Estimator], how: Callable[[Estimator], Estimator], hashed: list[str]
) -> None:
    model = make()
    assert how(model).identity == model.identity
    hashed.clear()
    assert how(model).identity == model.identity
    assert not hashed


def test_other_weights_have_another_identity() -> None:
    cnn, svm = made_cnn(), small_svm()
    copies: list[Estimator] = [
        *(cnn, cnn.shuffled("all", 0), cnn.shuffled("output", 0), cnn.shifted(0.5)),
        *(svm, svm.shuffled("all", 3), copy.copy(svm).set_params(seed=3)),
    ]
    assert len({model.identity for model in copies}) == len(copies)
    cached = cnn.cache_frequent_words(["wa wb"], 1 << 16)
    assert cached.identity == cnn.cache_words(1 << 16).identity == copies[0].identity


# ---- who holds whom -----------------------------------------------------------------------------


@pytest.mark.slow(reason="half a second and more")
def test_an_explanation_does_not_keep_a_known_model(tmp_path: Path) -> None:
    made_cnn().save(tmp_path / "model")
    model = load_model(tmp_path / "model")
    explanation = explain(model, "wa wb")
    weights = weakref.ref(model.network_)
    del model
    gc.collect()
    assert weights() is None
    assert isinstance(explanation.model, str)


@pytest.mark.slow(reason="half a second and more")
def test_explanations_let_go_of_a_model_when_one_is_asked() -> None:
    model = made_cnn()
    explanations = [explain(model, text) for text in ("wa", "wb")]
    weights = weakref.ref(model.network_)
    identity = explanations[0].model
    del model
    gc.collect()
    assert weights() is None
    assert explanations[1].model == identity


@pytest.mark.slow(reason="half a second and more")
def test_an_explanation_does_not_keep_a_cache() -> None:
    model = made_cnn().cache_words(1 << 16)
    explanation = explain(model, "wa wb")
    kept = weakref.ref(model._kept_words)
    model.cache_words(0)
    gc.collect()
    assert kept() is None
    assert explanation.model == model.identity


def test_a_pickle_leaves_the_former_weights_behind() -> None:
    model = small_svm()
    assert model.identity == pickle.loads(pickle.dumps(model)).identity
    model.fit(["good", "bad", "fine"] * 50, ["a", "b", "a"] * 50)
    fresh = SVMClassifier(**model.get_params()).fit(
        ["good", "bad", "fine"] * 50, ["a", "b", "a"] * 50
    )
    assert abs(len(pickle.dumps(model)) - len(pickle.dumps(fresh))) < 200


def test_a_pickle_of_an_earlier_version() -> None:
    model = small_svm()
    vars(model)["_identity"] = (model.classes_, "0" * 64)  # as it was kept there
    assert explain(model, "good").model == model.identity == small_svm().identity


def test_how_large_it_is(tmp_path: Path) -> None:
    model = small_cnn()
    model.save(tmp_path / "model")
    written = (tmp_path / "model" / "model.safetensors").stat().st_size
    assert 0 < written - int(model.n_bytes or 0) < 2_000  # the names of the tensors
    with pytest.raises(InputError, match="not trained yet"):
        _ = CNNClassifier().n_bytes
    model.inputs_ = dataclasses.replace(
        model.inputs_, reader=Reader(tokenizer=Tokenizer(rule=lambda text: [(0, len(text))]))
    )
    assert model.n_bytes is None  # somebody's function cannot be saved
