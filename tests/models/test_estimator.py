import numpy as np
import pytest
from sklearn.utils import estimator_checks

from whyword import CNNClassifier, InputError, SVMClassifier
from whyword.models.estimator import class_weights

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
