"""Changed model folders: what does not fit is refused before it is used."""

import copy
from pathlib import Path

import numpy as np
import pytest
from networks import made_cnn, made_text
from tampered import Change, check_refused, settings, tamper, tensors, with_number, words

from whyword import InputError, explain, load_model

F = np.float32
NAN, INF = float("nan"), float("inf")


def frequency(count: int) -> Change:
    return tensors(vocabulary=words(["wa"]), document_frequency=np.array([count], np.int32))


# made_cnn: H = 1 and 3, F = 6, D = 4, C = 3, six words
WRONG: dict[str, tuple[Change, str]] = {
    "a wider tensor": (
        tensors(conv_weight_3=np.ones((9, 6, 4), F)),
        "conv_weight_3 has the shape (9, 6, 4); it should have (3, F of width 3 = 6, D = 4)",
    ),
    "width 0": (tensors(conv_weight_0=np.ones((0, 6, 4), F)), "conv_weight_<width>"),
    "width 101": (tensors(conv_weight_101=np.ones((101, 6, 4), F)), "a width up to 100"),
    "other dimensions": (tensors(conv_weight_3=np.ones((3, 6, 5), F)), "D = 4"),
    "other filters": (tensors(conv_bias_3=np.ones(7, F)), "conv_bias_3 has the shape (7,)"),
    "no filters": (tensors(conv_weight_3=np.ones((3, 0, 4), F)), "has the shape (3, 0, 4)"),
    "too many filters": (
        tensors(
            conv_weight_3=np.zeros((3, 100_001, 4), F),
            conv_bias_3=np.zeros(100_001, F),
            output_weight=np.zeros((100_007, 3), F),
        ),
        "100,001 filters; there may be 100,000 of a width",
    ),
    "a bias of a giant width": (tensors(conv_bias_9999999999=np.ones(6, F)), "no tensor of this"),
    "no network": (tensors(conv_weight_1=None, conv_weight_3=None), "conv_weight_<width>"),
    "nine columns": (tensors(output_weight=np.ones((12, 9), F)), "(ΣF = 12, C = 3)"),
    "too many rows": (tensors(output_weight=np.ones((13, 3), F)), "(ΣF = 12, C = 3)"),
    "nine biases": (tensors(output_bias=np.ones(9, F)), "output_bias has the shape (9,)"),
    "float64": (tensors(output_bias=np.ones(3)), "dtype float64; it should be float32"),
    "NaN filters": (tensors(conv_weight_1=with_number(0, NAN)), "conv_weight_1 has a number that"),
    "infinite outputs": (tensors(output_weight=with_number(5, -INF)), "output_weight has a number"),
    "NaN vectors": (tensors(vectors_0=with_number(0, NAN)), "vectors_0 has a number that is NaN"),
    "more vectors than words": (tensors(vectors_0=np.ones((7, 4), F)), "words_0 has 6 words"),
    "a second table": (tensors(vectors_1=np.ones((6, 4), F)), "words_1 is missing"),
    "no table": (tensors(vectors_0=None), "vectors_0 is missing"),
    "equal words": (tensors(words_0=words(["wa"] * 6)), "words_0 has 5 words twice"),
    "a negative frequency": (frequency(-1), "the number -1"),
    "more documents than there were": (frequency(11), "the number 11"),
    "a word without a frequency": (tensors(vocabulary=words(["wa"])), "has the shape (0,)"),
    "another tensor": (tensors(more=np.ones(1)), "'more' is no tensor"),
    "deviation 0": (settings(normalisation__deviation=0), "normalisation.deviation must be"),
    "a huge mean": (settings(normalisation__mean=1e200), "normalisation.mean must be"),
    "infinite inputs": (settings(normalisation={"mean": 3e38, "deviation": 1.2e-38}), "so large"),
    "filters that overflow": (tensors(conv_weight_1=with_number(0, 3e38)), "so large that"),
    "an overflowing gradient": (tensors(output_weight=with_number(5, 1e25)), "so large that a"),
    "no normalization": (settings(normalisation={}), "normalisation.mean is missing"),
    "another class": (settings(classes=["a", "b", "c", "d"]), "output_weight has the shape"),
    "no tokenizer": (settings(tokenizer=None), "tokenizer must be settings by name"),
    "very many filters": (settings(parameters__filters=10**12), "parameters.filters must be"),
    "another width": (settings(parameters__width=2), "parameters.width is 2"),
    "a share above 1": (settings(parameters__dropout=1.5), "parameters.dropout must be a share"),
    "weights of no class": (settings(parameters__class_weight=[["x", 1]]), "names 'x'"),
    "an unknown parameter": (settings(parameters__colour=1), "parameters.'colour' is no setting"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made_cnn((1, 3)).save(tmp_path / "m")
    return tmp_path / "m"


@pytest.mark.parametrize("name", WRONG)
def test_changed_folders_are_refused(name: str, folder: Path) -> None:
    check_refused(folder, *WRONG[name])


def test_what_is_unusual_but_fits_is_loaded(folder: Path) -> None:
    good = load_model(folder)
    changed = settings(
        parameters__class_weight=[["class 1", 2.0]],
        parameters__validation=7,
        provenance={},
        tokenizer__abbreviations=[],
    )
    tamper(folder, changed)
    tamper(folder, frequency(2**31 - 1))  # how many documents there were is not known
    model = load_model(folder)
    assert model.class_weight == {"class 1": 2.0}
    assert model.vocabulary_ == {"wa": 2**31 - 1}
    text = made_text([0, 1, 2, 3])
    np.testing.assert_array_equal(model.class_scores([text]), good.class_scores([text]))


def test_filters_may_be_wider_than_any_text(folder: Path) -> None:
    made_cnn((100,)).save(folder)
    assert len(explain(load_model(folder), "wa wb").relevance) == 2


def test_a_model_that_could_not_be_loaded_is_not_saved(folder: Path) -> None:
    model = copy.copy(load_model(folder))
    before = folder.joinpath("model.json").read_bytes()
    model.classes_ = np.array(["a", "b", "half \ud800"])
    with pytest.raises(InputError, match="half a surrogate pair"):
        model.save(folder)
    assert model.identity is None
    model.classes_ = np.array(["a", "b", "a"])
    with pytest.raises(InputError, match="this CNNClassifier cannot be saved: classes must"):
        model.save(folder)
    assert folder.joinpath("model.json").read_bytes() == before
