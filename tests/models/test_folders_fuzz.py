"""Changed model folders with hashes that fit: they load and work, or are refused in one line.

Run as a program, it tries many of them, with numba's bounds checking if that was set: it must be
before anything is compiled, and numba's cache ignores it.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st
from networks import made_cnn
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import Binarizer, Normalizer, StandardScaler
from wrapped import as_former

from whyword import SVMClassifier, Vectors, explain, from_pipeline, load_model
from whyword.base.compiled import compiled
from whyword.base.tensors import read_tensors, serialise_tensors
from whyword.models.cnn.inputs import Inputs
from whyword.models.estimator import Estimator
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.protocol import Differentiable, Filtered
from whyword.models.store import write_model
from whyword.words.reader import Reader
from whyword.words.tokenizer import Tokenizer

KINDS = ("network", "several widths", "svm", "n-grams", "pipeline", "steps", "former")
TEXTS = ["wa wb wc wd", "we wf wg wa wa. Mr. wb", "", "wz"]
LABELS = ["first", "second", "third"]


def good_model(kind: str) -> Estimator:
    """Return a small model; training it would tell us nothing."""
    if kind == "network":
        return made_cnn((2,))
    if kind == "several widths":
        model = made_cnn((1, 3), dimensions=4)
        half = Vectors(["wa", "wx"], np.eye(2, dtype=np.float32))
        (table,) = model.inputs_.vectors.tables
        stacked = Vectors.stack(Vectors(table[0], table[1][:, :2]), half)
        model.vectors = stacked
        model.inputs_ = Inputs(Reader(tokenizer=Tokenizer(5, rule="unicode")), stacked, 0.1, 2.0, 3)
        model.vocabulary_ = {"wa": 3, "wb": 10}
        return model
    texts, labels = [*TEXTS[:2], "wc wd wa wh"], LABELS
    if kind == "svm":
        reader = Reader("mail", ["headers"], ["wz", "/w[xy]/"])
        return SVMClassifier(C=1.0, class_weight={"first": 2.0}, reader=reader).fit(texts, labels)
    if kind == "n-grams":
        bag = SVMClassifier(C=1.0, ngrams=(1, 3), min_documents=1, stop_words=["wd", "wz"])
        return bag.fit(texts, labels)
    reader = Reader("html", ignore=["wz"])
    before: Any = TfidfVectorizer(ngram_range=(1, 2))
    if kind == "steps":
        topics = make_pipeline(TruncatedSVD(2, random_state=0), StandardScaler(), Normalizer())
        best = make_pipeline(Binarizer(), SelectKBest(chi2, k=3))
        both = FeatureUnion([("topics", topics), ("best", best)])
        hashed = make_pipeline(HashingVectorizer(n_features=16, alternate_sign=False), both)
        before = FeatureUnion(
            [("hashed", hashed), ("characters", CountVectorizer(analyzer="char"))]
        )
    pipeline = make_pipeline(before, LogisticRegression()).fit(texts, labels)
    wrapping: Estimator = from_pipeline(pipeline, reader=reader)
    return wrapping


# ---- changes ------------------------------------------------------------------------------------

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, -1, 10, 10**12, 2**63, 10**400, 0.5, 1.0, -0.5, 1e-320),
    *(1e-40, 1e39, 1e308, float("nan"), float("inf"), "", "x", "first", "balanced", "english"),
    *("\ud800", "a\0", "9" * 5_000, "line\nend", "(", "(a)(b)", "a{99999999999}", "(?P<x"),
    *(r"\w*", "(" * 500, "word", "char", "char_wb", "l1", "ascii", "CountVectorizer", "svm"),
    *("cnn", "HashingVectorizer", "pipeline", "softmax", "sigmoids", "own", "union", "scaling"),
    *("sublinear", "vectorizer", "words", "unicode", "mail", "html", "headers", "/(a+)+b/", "deep"),
    *(["headers"], ["/(a+)+b/"], ["/w.*/"], [" "], [], [1], [1, 2], [2, 1], [2, 3], [0, 1]),
    *([1, 10**9], [True, False], [None, None], [1.5, 2.5], ["a", "a"], ["a", "b"]),
    *(["a", "b", "c"], ["a", "a\0", "b"], [["a"], ["b"], ["c"]], [1, 2, 3], ["a", 2, None]),
    *([["first", 2.0]], [["first", -1]], ["x" * 9_999, "b", "c"], {}, {"a": 1}),
)
NUMBERS = (0.0, -1.0, 1.0, 1e-45, 1e30, -3e38, 1e300, 2**31 - 1, float("nan"), -float("inf"))
WORDS: tuple[Any, ...] = ("", "wa", "wb", "WA", "\ud800", "\0", "a\nb", 1, None, ["wa"], {}, 0.5)
NEW_NAMES = (
    *("conv_weight_9", "conv_bias_9999999999", "conv_weight_02", "conv_weight_²", "conv_weight_"),
    *("vectors_2", "vectors_-1", "words_2", "more", "", "idf", "ngrams_1", "ngrams_4", "chosen_6"),
)
DTYPES = ("float32", "float64", "int32", "int64", "uint8", "bool", "float16")


def change_tensors(tensors: dict[str, NDArray[Any]], how: random.Random) -> None:
    """Change one tensor, or the size of all."""
    name, other = how.choice(sorted(tensors)), how.choice(sorted(tensors))
    array, what = tensors[name], how.randrange(11)
    if what == 0:
        shape = [how.choice((0, 1, 2, 3, 4, 6, 12, 100)) for _ in range(how.randrange(4))]
        tensors[name] = np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)
    elif what == 1:
        axis, by = how.randrange(3), how.choice((-2, -1, 1, 2, 50))
        tensors[name] = grown(array, axis, by)
    elif what == 2:  # so that they still fit each other
        axis, by = how.randrange(3), how.choice((-2, -1, 1, 2))
        for one, each in tensors.items():
            tensors[one] = grown(each, axis, by)
    elif what == 3:
        tensors[name] = np.ascontiguousarray(array.T)
    elif what == 4:
        tensors[name] = array.astype(how.choice(DTYPES))
    elif what in (5, 6) and array.size:
        tensors[name] = array.copy()
        at = slice(None) if what == 5 else how.randrange(array.size)
        tensors[name].flat[at] = np.array(how.choice(NUMBERS)).astype(array.dtype)
    elif what == 7:
        tensors[name], tensors[other] = tensors[other], array
    elif what == 8:
        tensors[how.choice(NEW_NAMES)] = tensors.pop(name) if how.randrange(2) else array
    elif what == 9:
        del tensors[name]
    elif array.dtype == np.uint8:
        tensors[name] = changed_words(array, how)


def grown(array: NDArray[Any], axis: int, by: int) -> NDArray[Any]:
    """Return an array that is longer, or shorter, along an axis."""
    if axis >= array.ndim or not array.size:
        return array
    return array.take(np.arange(max(0, array.shape[axis] + by)), axis, mode="wrap")


def changed_words(tensor: NDArray[Any], how: random.Random) -> NDArray[np.uint8]:
    """Return the bytes of other words."""
    try:
        words = json.loads(tensor.tobytes())
    except ValueError:  # they were changed already
        return tensor
    what, count = how.randrange(4), how.randrange(1, 9)
    if what == 0 or not isinstance(words, list) or not words:
        words = how.choice(HOSTILE)
    elif what == 1:
        words[how.randrange(len(words))] = how.choice(WORDS)
    else:
        words = words[:-count] if what == 2 else [*words, *(f"new{n}" for n in range(count))]
    return np.frombuffer(as_json(words).encode("utf-8", "surrogatepass"), np.uint8)


def change_settings(settings: dict[str, Any], how: random.Random) -> None:
    """Change one place in a configuration."""
    holder, last = how.choice(list(places_in(settings)))
    what, value = how.randrange(5), deepcopy(how.choice(HOSTILE))
    if what < 2:
        holder[last] = value
    elif what == 2:
        del holder[last]
    elif what == 3 and isinstance(holder, dict):
        holder[how.choice(("colour", "", "kind", "\ud800"))] = value
    elif what == 3:
        holder.append(value)
    else:
        there, key = how.choice(list(places_in(settings)))
        holder[last] = json.loads(as_json(there[key]))


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - plain data
    """Yield holders and keys of everything in plain data; of long lists their first items."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value[:3])):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places_in(inner)


def as_json(value: object) -> str:
    """Return JSON in which "deep" is nested deeply."""
    return json.dumps(value).replace('"deep"', "[" * 5_000 + "]" * 5_000)


def write_case(good: Path, folder: Path, seeds: list[int]) -> None:
    """Write a changed copy of a good folder, with the hashes that fit it."""
    tensors = dict(read_tensors((good / "model.safetensors").read_bytes(), good))
    settings = json.loads((good / "model.json").read_text())
    digest = settings["weights_sha256"]
    damages = []
    for how in map(random.Random, seeds):
        what = how.randrange(11)
        if what < 5 and tensors:
            change_tensors(tensors, how)
        elif what < 9 and settings:
            change_settings(settings, how)
        else:
            damages.append((what, how))
    weights, text = serialise_tensors(tensors), as_json(settings)
    for what, how in damages:
        if what == 9:
            weights = damage(weights, how)
        else:
            damaged = damage(text.encode("utf-8", "surrogateescape"), how)
            text = damaged.decode("utf-8", "surrogateescape")
    text = text.replace(digest, digest := hashlib.sha256(weights).hexdigest())
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "model.json").write_bytes(signed(text, digest).encode("utf-8", "surrogateescape"))


def signed(text: str, digest: str) -> str:
    """Return a configuration with the identity that fits it, if it can have one."""
    try:
        content = json.loads(text)
        added = ("format", "identity", "weights_sha256", "provenance")
        kept = {name: value for name, value in content.items() if name not in added}
        canonical = json.dumps(kept, sort_keys=True, ensure_ascii=False)
        identity = hashlib.sha256(f"{digest}\n{canonical}".encode()).hexdigest()
        return text.replace(content["identity"], identity)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return text


# ---- what is done with them ---------------------------------------------------------------------


def use(model: Any, folder: Path) -> None:  # noqa: ANN401 - any kind
    """Do what a user would."""
    assert len(model.predict(TEXTS)) == len(TEXTS)
    np.testing.assert_allclose(model.predict_proba(TEXTS).sum(axis=1), 1)
    methods = ["lrp", "occlusion"]
    if issubclass(model.trace_kind, Differentiable):
        methods += ["sensitivity", "gradient_input"]
    for method in methods:
        explanations = explain(model, TEXTS, "all", method=method)
        assert [len(one.relevance) for one in explanations] == [
            len(one.words) for one in explanations
        ]
    for one in explain(model, TEXTS[:1], deleted=[[0]] if len(explanations[0].words) else [[]]):
        assert one.predicted in model.classes_.tolist()
    if issubclass(model.trace_kind, Filtered):
        explain(model, TEXTS, "all", level="filter")
        explain(model, TEXTS, level="element", bias="apart")
    identity = model.save(folder)
    assert load_model(folder).identity == identity


def fuzzer(folder: Path) -> Fuzzer:
    """Return the fuzzer of model folders."""
    for kind in KINDS:
        if kind == "former":  # of a version in which a pipeline was a kind of SVM
            wrapped = good_model(kind)
            assert isinstance(wrapped, PipelineClassifier)
            write_model(folder / kind, *as_former(wrapped))
        else:
            good_model(kind).save(folder / kind)

    def run(case: tuple[str, list[int]]) -> None:
        kind, seeds = case
        shutil.rmtree(folder / "saved", ignore_errors=True)
        write_case(folder / kind, folder / "changed", seeds)
        use(load_model(folder / "changed"), folder / "saved")

    seeds = st.lists(st.integers(0, 2**32), min_size=1, max_size=2)  # one for each change
    return Fuzzer("model folders", st.tuples(st.sampled_from(KINDS), seeds), run)


def first_behind(array: NDArray[np.float64]) -> float:
    """Read the number behind an array, which compiled code allows without bounds checking."""
    return float(array[len(array)])


def main(folder: Path, count: int) -> None:
    """Try so many folders with bounds checking, and print what became of them."""
    with pytest.raises(IndexError):
        compiled(first_behind)(np.zeros(3))
    warnings.simplefilter("ignore")  # of overflows: their results are refused
    os.chdir(folder)  # so that messages begin with what differs
    made_up = fuzzer(Path())
    made_up.check(count)
    print(json.dumps([made_up.accepted, made_up.refused, len(made_up.messages)]))


@pytest.mark.slow(reason="many folders")
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")  # their results are refused
def test_changed_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fuzzer(Path()).check(150)


@pytest.mark.nightly(reason="compiles the loops anew, with their bounds checked")
def test_two_thousand_folders_with_bounds_checking(tmp_path: Path) -> None:
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path / "numba"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    (tmp_path / "folders").mkdir()
    command = [sys.executable, __file__, str(tmp_path / "folders"), "2000"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5_000:]
    accepted, refused, messages = json.loads(done.stdout)
    assert min(accepted, refused) > 300
    assert messages > 20


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
