"""Model folders from strangers, hashes made to fit: they are loaded and work, or one line says why.

Run as a program, it tries so many of them; the test does so with numba's bounds checking on, which
must be said before anything is compiled, and which numba's cache knows nothing of.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

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

Change: TypeAlias = tuple[Any, ...]
Path_: TypeAlias = tuple[str | int, ...]  # to something in the configuration

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


# ---- what is made up: plain data ----------------------------------------------------------------

HOSTILE = st.sampled_from(
    [
        *(None, True, False, 0, 1, 2, 3, -1, 10, 10**12, 2**63, 10**400, 0.5, 1.0, -0.5),
        *(1e-320, 1e-40, 1e39, 1e308, float("nan"), float("inf"), -float("inf")),
        *("", "x", "first", "balanced", "english", "\ud800", "a\0", "9" * 5_000, "line\nend"),
        *("(", "(a)(b)", "a{99999999999}", "(?P<x", r"\w*", "(?i)[a-z]", "(" * 500, "word"),
        *("char", "char_wb", "l1", "ascii", "CountVectorizer", "svm", "cnn", "HashingVectorizer"),
        *("pipeline", "softmax", "sigmoids", "own", "union", "scaling", "sublinear", "vectorizer"),
        *("words", "unicode", "characters", "mail", "html", "headers", "/(a+)+b/"),
        *(["headers"], ["quotes", "headers"], ["/(a+)+b/"], ["/(/"], ["/w.*/"], [" "]),
        *(
            [],
            [1],
            [1, 2],
            [2, 1],
            [2, 3],
            [1, 10**9],
            [0, 1],
            [True, False],
            [None, None],
            [1.5, 2.5],
        ),
        *(["a", "a"], ["a", "b"], ["a", "b", "c"], ["a", "a\0", "b"], [["a"], ["b"], ["c"]]),
        *([1, 2, 3], ["a", 2, None], ["\ud800", "b", "c"], [["first", 2.0]], [["first", -1]]),
        *([[["first"], 2]], ["x" * 9_999, "b", "c"], {}, {"a": 1}, {"documents": "many"}, "deep"),
    ]
)
NUMBERS = st.sampled_from(
    [
        *(0.0, -1.0, 1.0, 1e-45, 1e30, -3e38, 1e300, 2**31 - 1),
        *(float("nan"), float("inf"), -float("inf")),
    ]
)
WORDS: st.SearchStrategy[Any] = st.sampled_from(
    ["", "wa", "wb", "WA", "\ud800", "\0", "a\nb", 1, None, ["wa"], {}, 0.5]
)
NAMES = st.sampled_from(
    [
        *("conv_weight_1", "conv_weight_2", "conv_weight_3", "conv_bias_1", "conv_bias_2"),
        *("conv_bias_3", "output_weight", "output_bias", "vocabulary", "document_frequency"),
        *("vectors_0", "vectors_1", "words_0", "words_1", "idf", "idf_0", "vocabulary_0"),
        *("components_1", "shift_2", "scale_3", "chosen_6", "vocabulary_8"),
        *("ngrams_2", "ngrams_3"),
    ]
)
OTHER_NAMES = st.sampled_from(
    [
        *("conv_weight_9", "conv_bias_9999999999", "conv_weight_02", "conv_weight_²", "vectors_2"),
        *("words_2", "more", "", "conv_weight_", "idf", "document_frequency", "vectors_-1"),
        *("ngrams_1", "ngrams_4"),
    ]
)
SIZES = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 100])
DTYPES = st.sampled_from(["float32", "float64", "int32", "int64", "uint8", "bool", "float16"])
SEEDS = st.integers(0, 2**32)
ABOUT_TENSORS = st.one_of(
    st.tuples(st.just("shape"), NAMES, st.lists(SIZES, max_size=4)),
    st.tuples(st.just("grow"), NAMES, st.integers(0, 2), st.sampled_from([-2, -1, 1, 2, 50])),
    st.tuples(st.just("grow all"), st.integers(0, 2), st.sampled_from([-2, -1, 1, 2])),
    st.tuples(st.just("turn"), NAMES),
    st.tuples(st.just("dtype"), NAMES, DTYPES),
    st.tuples(st.just("number"), NAMES, SEEDS, NUMBERS),
    st.tuples(st.just("fill"), NAMES, NUMBERS),
    st.tuples(st.just("drop"), NAMES),
    st.tuples(st.just("rename"), NAMES, NAMES | OTHER_NAMES),
    st.tuples(st.just("copy"), NAMES, NAMES | OTHER_NAMES),
    st.tuples(st.just("swap"), NAMES, NAMES),
)
ABOUT_WORDS = st.one_of(
    st.tuples(st.just("word"), NAMES, SEEDS, WORDS),
    st.tuples(st.just("words"), NAMES, HOSTILE),
    st.tuples(st.just("fewer words"), NAMES, st.integers(1, 9)),
    st.tuples(st.just("more words"), NAMES, st.integers(1, 9)),
)
ABOUT_SETTINGS = st.one_of(
    st.tuples(st.just("set"), SEEDS, HOSTILE),
    st.tuples(st.just("remove"), SEEDS),
    st.tuples(st.just("add"), SEEDS, st.sampled_from(["colour", "", "kind", "\ud800"]), HOSTILE),
    st.tuples(st.just("exchange"), SEEDS, SEEDS),
)
DAMAGE = st.tuples(st.sampled_from(["damage weights", "damage settings"]), SEEDS)
CASES = st.tuples(
    st.sampled_from(KINDS),
    st.lists(
        st.one_of(
            ABOUT_TENSORS, ABOUT_TENSORS, ABOUT_WORDS, ABOUT_SETTINGS, ABOUT_SETTINGS, DAMAGE
        ),
        min_size=1,
        max_size=2,
    ),
)


# ---- the changes --------------------------------------------------------------------------------


TENSOR_CHANGES = (
    *("shape", "grow", "turn", "dtype", "number", "fill", "drop", "rename", "copy", "swap"),
    *("word", "words", "fewer words", "more words"),
)


def change_tensors(tensors: dict[str, NDArray[Any]], what: str, *how: Any) -> None:  # noqa: ANN401
    """Change tensors, where they are there."""
    if what == "grow all":  # so that they still fit each other
        for name, array in tensors.items():
            tensors[name] = grown(array, *how)
    if not tensors or what not in TENSOR_CHANGES:
        return
    name, *rest = how
    if name not in tensors:  # of another kind of model
        name = sorted(tensors)[len(name) % len(tensors)]
    array = tensors[name]
    if what == "shape":
        tensors[name] = np.resize(array, rest[0]) if array.size else np.zeros(rest[0], array.dtype)
    elif what == "grow":
        tensors[name] = grown(array, *rest)
    elif what == "turn":
        tensors[name] = np.ascontiguousarray(array.T)
    elif what == "dtype":
        tensors[name] = array.astype(rest[0])
    elif what == "number" and array.size:
        tensors[name] = array.copy()
        tensors[name].flat[rest[0] % array.size] = np.array(rest[1]).astype(array.dtype)
    elif what == "fill":
        tensors[name] = np.full_like(array, np.array(rest[0]).astype(array.dtype))
    elif what == "drop":
        del tensors[name]
    elif what == "rename":
        tensors[rest[0]] = tensors.pop(name)
    elif what == "copy":
        tensors[rest[0]] = array
    elif what == "swap" and rest[0] in tensors:
        tensors[name], tensors[rest[0]] = tensors[rest[0]], array
    elif "word" in what and array.dtype == np.uint8:
        tensors[name] = changed_words(array, what, *rest)


def grown(array: NDArray[Any], axis: int, by: int) -> NDArray[Any]:
    """Return an array with more, or fewer, of what it has."""
    if axis >= array.ndim or not array.size:
        return array
    return array.take(np.arange(max(0, array.shape[axis] + by)), axis, mode="wrap")


def changed_words(tensor: NDArray[Any], what: str, *how: Any) -> NDArray[np.uint8]:  # noqa: ANN401
    """Return the bytes of other words."""
    try:
        words = json.loads(tensor.tobytes())
    except ValueError:  # they were changed already
        return tensor
    if what == "words":
        words = how[0]
    elif isinstance(words, list) and words:
        if what == "word":
            words[how[0] % len(words)] = how[1]
        elif what == "fewer words":
            words = words[: -how[0]]
        else:
            words += [f"new{number}" for number in range(how[0])]
    return np.frombuffer(as_json(words).encode("utf-8", "surrogatepass"), np.uint8)


def change_settings(settings: dict[str, Any], what: str, *how: Any) -> None:  # noqa: ANN401
    """Change one place in a configuration."""
    places = list(places_in(settings))
    if not places:
        return
    *inside, last = places[how[0] % len(places)]
    holder: Any = settings
    for key in inside:
        holder = holder[key]
    if what == "set":
        holder[last] = deepcopy(how[1])  # a case is run again: it must stay as it was
    elif what == "remove":
        del holder[last]
    elif what == "add" and isinstance(holder, dict):
        holder[how[1]] = deepcopy(how[2])
    elif what == "add":
        holder.append(deepcopy(how[2]))
    else:
        there: Any = settings
        for key in places[how[1] % len(places)]:
            there = there[key]
        holder[last] = json.loads(as_json(there))


def places_in(value: object) -> Iterator[Path_]:
    """Yield the way to everything in plain data; of long lists to their first items."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:3])  # type: ignore[index]
    for key, inner in items:
        yield (key,)
        if isinstance(inner, dict | list):
            yield from ((key, *rest) for rest in places_in(inner))


def as_json(value: object) -> str:
    """Return JSON in which "deep" is nested deeply."""
    return json.dumps(value).replace('"deep"', "[" * 5_000 + "]" * 5_000)


def write_case(good: Path, folder: Path, changes: list[Change]) -> None:
    """Write a changed copy of a good folder, with the hashes that fit it."""
    tensors = dict(read_tensors((good / "model.safetensors").read_bytes(), good))
    settings = json.loads((good / "model.json").read_text())
    for what, *how in changes:
        change_tensors(tensors, what, *how)
        if what in ("set", "remove", "add", "exchange"):
            change_settings(settings, what, *how)
    weights, text = serialise_tensors(tensors), as_json(settings)
    for what, *how in changes:
        if what == "damage weights":
            weights = damage(weights, random.Random(how[0]))
        elif what == "damage settings":
            damaged = damage(text.encode("utf-8", "surrogateescape"), random.Random(how[0]))
            text = damaged.decode("utf-8", "surrogateescape")
    digest = hashlib.sha256(weights).hexdigest()
    text = text.replace(json.loads((good / "model.json").read_text())["weights_sha256"], digest)
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "model.json").write_bytes(signed(text, digest).encode("utf-8", "surrogateescape"))


def signed(text: str, digest: str) -> str:
    """Return a configuration with the identity that fits it, if it can have one."""
    try:
        content = json.loads(text)
        said = content["identity"]
        added = ("format", "identity", "weights_sha256", "provenance")
        kept = {name: value for name, value in content.items() if name not in added}
        canonical = json.dumps(kept, sort_keys=True, ensure_ascii=False)
        identity = hashlib.sha256(f"{digest}\n{canonical}".encode()).hexdigest()
        return text.replace(said, identity)
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

    def run(case: tuple[str, list[Change]]) -> None:
        kind, changes = case
        shutil.rmtree(folder / "saved", ignore_errors=True)
        write_case(folder / kind, folder / "changed", changes)
        use(load_model(folder / "changed"), folder / "saved")

    return Fuzzer("model folders", CASES, run)


def first_behind(array: NDArray[np.float64]) -> float:
    """Return the number behind an array: what it is in compiled code, nobody knows."""
    return float(array[len(array)])


def main(folder: Path, count: int) -> None:
    """Try so many folders, bounds checked, and print what became of them."""
    with pytest.raises(IndexError):
        compiled(first_behind)(np.zeros(3))
    warnings.simplefilter("ignore")  # of overflows: their results are refused
    os.chdir(folder)  # so that messages begin with what differs
    made_up = fuzzer(Path())
    kinds: Counter[str] = Counter()
    run = made_up.run

    def counted(case: tuple[str, list[Change]]) -> None:
        kinds[case[0]] += 1
        run(case)

    made_up.run = counted
    made_up.check(count)
    print(json.dumps([made_up.accepted, made_up.refused, len(made_up.messages), kinds]))


@pytest.mark.slow(reason="compiles the loops anew, with their bounds checked")
def test_two_thousand_folders(tmp_path: Path) -> None:
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path / "numba"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    (tmp_path / "folders").mkdir()
    command = [sys.executable, __file__, str(tmp_path / "folders"), "2000"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5_000:]
    accepted, refused, messages, kinds = json.loads(done.stdout)
    assert min(accepted, refused) > 300
    assert messages > 20
    assert min(kinds[kind] for kind in KINDS) > 200


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
