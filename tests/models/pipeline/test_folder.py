"""Changed model folders, and those of former versions."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import Binarizer, Normalizer, StandardScaler
from tampered import Change, check_refused, settings, tensors, with_number
from wrapped import as_former, fit, words

from whyword import InputError, Reader, from_pipeline, load_model
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.store import write_model
from whyword.words.tokenizer import Tokenizer

TEXTS, LABELS = ["wa wb wa", "wc wd", "wa we"], ["first", "second", "third"]
NAN = float("nan")


def node(number: int, **new: Any) -> Change:  # noqa: ANN401 - any plain data
    """Return the change of a node's settings; those within others by ``outer__inner``."""
    change = settings(**new)
    return lambda _, old: change({}, old["features"]["nodes"][number])


def nodes(change: Any) -> Change:  # noqa: ANN401 - a function of the list
    return lambda _, old: change(old["features"]["nodes"])


VECTORIZER: dict[str, tuple[Change, str]] = {
    "another": (node(0, vectorizer="DictVectorizer"), "features.nodes.0.vectorizer may be"),
    "no n-grams": (node(0, parameters__ngram_range=[0, 1]), "ngram_range must be"),
    "n-grams upside down": (node(0, parameters__ngram_range=[2, 1]), "the lower first"),
    "n-grams by one number": (node(0, parameters__ngram_range=2), "two numbers"),
    "no pattern": (node(0, parameters__token_pattern="("), "no regular expression"),
    "two groups": (node(0, parameters__token_pattern="(a)(b)"), "one group at most"),
    "a null pattern": (node(0, parameters__token_pattern=None), "token_pattern is null"),
    "an endless pattern": (node(0, parameters__token_pattern="(a+)+b"), "never end"),
    "accents": (node(0, parameters__strip_accents="all"), "strip_accents may be"),
    "stop words": (node(0, parameters__stop_words="german"), "stop_words must be"),
    "an analyser": (node(0, parameters__analyzer="code"), "analyzer may be"),
    "a dtype": (node(0, parameters__dtype="object"), "dtype may be"),
    "a function": (node(0, parameters__tokenizer="os.system"), "is no setting"),
    "a NaN idf": (tensors(idf_0=with_number(0, NAN)), "idf_0 has a number that is NaN"),
    "a short idf": (tensors(idf_0=np.ones(2)), "idf_0 has the shape (2,)"),
    "no idf": (tensors(idf_0=None), "the tensor idf_0 is missing"),
    "fewer weights": (tensors(output_weight=np.ones((4, 3))), "output_weight has the shape"),
    "giant weights": (tensors(output_weight=with_number(3, 1e200)), "weights are so large"),
    "a giant idf": (tensors(idf_0=with_number(3, 1e200)), "weights are so large"),
    "another link": (settings(link__name="own"), "link.name may be"),
    "a temperature": (settings(link__temperature=0), "link.temperature must be"),
    "a parameter": (settings(parameters={"C": 1}), "'C' is no setting"),
}
# node 1 projects, 2 centres, 3 scales, 4 is of length 1; 5 binarises and 6 selects from node 0; 7
STEPS: dict[str, tuple[Change, str]] = {
    "no nodes": (settings(features__nodes=[]), "has 0 entries"),
    "no list": (settings(features__nodes={}), "features.nodes must be a list"),
    "no settings": (settings(features__nodes=[1]), "features.nodes.0 must be settings by name"),
    "an unknown node": (node(1, node="code"), "features.nodes.1.node may be"),
    "a node of itself": (node(1, inputs=[1]), "must be numbers of nodes before it"),
    "a true node": (node(1, inputs=[True]), "must be numbers of nodes before it"),
    "a node of none": (node(1, inputs=[]), "node 1 (projecting) is given 0 nodes"),
    "a vectoriser of another": (
        nodes(lambda all_: all_.append(all_[0] | {"inputs": [1]})),
        "is given 1",
    ),
    "a union of one": (node(7, inputs=[6]), "output_weight has the shape"),
    "other components": (tensors(components_1=np.ones((2, 3))), "components_1 has the shape"),
    "no components": (tensors(components_1=None), "the tensor components_1 is missing"),
    "a shorter shift": (tensors(shift_2=np.ones(1)), "shift_2 has the shape (1,)"),
    "a float32 scale": (tensors(scale_3=np.ones(2, np.float32)), "should be float64"),
    "another norm": (node(4, norm="l9"), "features.nodes.4.norm may be"),
    "a threshold below 0": (node(5, threshold=-1), "threshold must be at least 0"),
    "chosen beyond": (tensors(chosen_6=np.array([1, 9])), "chosen_6 has the number 9"),
    "chosen before": (tensors(chosen_6=np.array([-1, 1])), "chosen_6 has the number -1"),
    "none chosen": (tensors(chosen_6=np.empty(0, np.int64)), "no places in increasing order"),
    "what bends over sums": (node(5, inputs=[4]), "binarising stands over sums"),
    "more": (tensors(scale_9=np.ones(2)), "'scale_9' is no tensor"),
    "giant components": (tensors(components_1=with_number(0, 1e300)), "weights are so large"),
}


@cache
def with_steps() -> PipelineClassifier:
    topics = make_pipeline(TruncatedSVD(2, random_state=0), StandardScaler(), Normalizer())
    best = make_pipeline(Binarizer(), SelectKBest(chi2, k=2))
    both = FeatureUnion([("topics", topics), ("best", best)])
    made = make_pipeline(CountVectorizer(), both, LogisticRegression())
    texts, labels = [*TEXTS, "wa wc", "wb wd we", "we wb"], LABELS * 2
    wrapped: PipelineClassifier = from_pipeline(made.fit(texts, labels))
    names = [one.work.name for one in wrapped.features_.graph.nodes]
    assert names == [
        *("vectorizer", "projecting", "centring", "scaling", "normalising"),
        *("binarising", "selecting", "union"),
    ]
    return wrapped


@cache
def with_a_vectorizer() -> PipelineClassifier:
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    wrapped: PipelineClassifier = from_pipeline(pipeline)
    return wrapped


@pytest.mark.parametrize("name", [*VECTORIZER, *STEPS])
def test_changed_folders_are_refused(name: str, tmp_path: Path) -> None:
    made = with_a_vectorizer() if name in VECTORIZER else with_steps()
    made.save(tmp_path)
    check_refused(tmp_path, *(VECTORIZER | STEPS)[name])


def test_a_count_vectorizer_has_no_norm(tmp_path: Path) -> None:
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    from_pipeline(pipeline).save(tmp_path)
    check_refused(tmp_path, node(0, parameters__norm="l2"), "'norm' is no setting")


@pytest.mark.parametrize("count", [0, 2**31, True])
def test_the_number_of_hashed_features(count: object, tmp_path: Path) -> None:
    from_pipeline(
        fit(make_pipeline(HashingVectorizer(n_features=8), LogisticRegression()), 2)
    ).save(tmp_path)
    check_refused(tmp_path, node(0, parameters__n_features=count), "n_features must be")


def test_half_a_surrogate_pair_is_not_saved(tmp_path: Path) -> None:
    texts = ["a \ud800b", "c d", "e f"]
    pipeline = make_pipeline(CountVectorizer(token_pattern=r"\S+"), LogisticRegression())
    model = from_pipeline(pipeline.fit(texts, LABELS))
    with pytest.raises(InputError, match=r"a model cannot keep .*half a surrogate pair"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()
    assert model.identity is None


# ---- folders of former versions -----------------------------------------------------------------


@pytest.mark.parametrize("vectoriser", [words(), CountVectorizer(), words(use_idf=False)], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_folders_of_former_versions(vectoriser: Any, classes: int, tmp_path: Path) -> None:  # noqa: ANN401
    model = from_pipeline(fit(make_pipeline(vectoriser, LogisticRegression()), classes))
    identity = write_model(tmp_path / "old", *as_former(model))
    again = load_model(tmp_path / "old")
    assert isinstance(again, PipelineClassifier)
    assert again.identity == identity
    texts = ["the moon and the rocket", "", "goal"]
    np.testing.assert_array_equal(again.class_scores(TEXTS), model.class_scores(TEXTS))
    np.testing.assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    assert again.save(tmp_path / "new") == model.identity


def test_a_former_folder_that_was_changed(tmp_path: Path) -> None:
    model = from_pipeline(fit(make_pipeline(words(), LogisticRegression()), 3))
    for name, said in {"C": "parameters", "colour": "'colour' is no setting"}.items():
        arrays, configuration = as_former(model)
        configuration["parameters" if name == "colour" else "classes"] = {name: 1}
        write_model(tmp_path / name, arrays, configuration)
        with pytest.raises(InputError, match=said if name == "colour" else "classes must be"):
            load_model(tmp_path / name)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32])
def test_counts_of_any_size_are_kept(tmp_path: Path, dtype: type) -> None:
    made = make_pipeline(CountVectorizer(dtype=dtype), LogisticRegression()).fit(TEXTS, LABELS)
    model = from_pipeline(made)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model").class_scores(TEXTS)
    np.testing.assert_array_equal(again, model.class_scores(TEXTS))


def test_a_reader_with_its_own_tokenizer_is_kept(tmp_path: Path) -> None:
    made = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    reader = Reader("mail", ignore=["wa"], tokenizer=Tokenizer(3, rule="characters"))
    for number, one in enumerate((reader, Reader("html"), Reader())):
        model = from_pipeline(made, reader=one)
        model.save(tmp_path / str(number))
        assert load_model(tmp_path / str(number)).reader_ == model.reader_ == one
