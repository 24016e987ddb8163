"""How somebody's model is asked: stand-ins by what they have, and the real packages."""

import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from networks import topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from whyword import BlackBox, InputError, explain
from whyword.models.adaptors import (
    DecisionFunction,
    Function,
    HuggingFace,
    PredictProba,
    SpaCy,
    adaptor_for,
    as_numbers,
)

TEXTS, LABELS = topical(30)
NAMES = ("hockey", "space", "other")


def shares(text: str) -> list[float]:
    """Return made-up probabilities of three classes."""
    counts = [1 + len(text) % 3, 1 + text.count("moon"), 1 + text.count("puck")]
    return [count / sum(counts) for count in counts]


# ---- stand-ins --------------------------------------------------------------------------------


class FakePipeline:
    """What Hugging Face's pipelines have, and how they answer: the best label first."""

    task = "text-classification"
    tokenizer: object = object()
    _batch_size: int | None = None
    busy = Lock()
    expected = 1  # at a time: what cannot be padded is asked one by one

    def __init__(self, labels: dict[Any, str] | None = None) -> None:
        named = dict(enumerate(NAMES)) if labels is None else labels
        self.model = SimpleNamespace(config=SimpleNamespace(id2label=named))

    def __call__(self, texts: list[str], **options: object) -> list[list[dict[str, Any]]]:
        assert options == {"top_k": None, "truncation": True, "batch_size": self.expected}
        assert self.busy.acquire(blocking=False), "asked by two threads at once"
        rows = []
        for text in texts:
            pairs = zip(NAMES, shares(text), strict=True)
            row = [{"label": label, "score": score} for label, score in pairs]
            rows.append(sorted(row, key=lambda one: -float(str(one["score"]))))
        self.busy.release()
        return rows


class FakeSpaCy:
    """What spaCy's pipelines have."""

    pipe_names: ClassVar[list[str]] = ["tagger", "topics"]
    pipe_factories: ClassVar[dict[str, str]] = {"tagger": "tagger", "topics": "textcat"}

    def get_pipe(self, name: str) -> object:
        return SimpleNamespace(labels=NAMES if name == "topics" else ("NOUN", "VERB"))

    def __call__(self, text: str) -> object:
        raise AssertionError("texts are asked about together")

    def pipe(self, texts: list[str]) -> Iterator[object]:
        for text in texts:
            pairs = list(zip(NAMES, shares(text), strict=True))
            yield SimpleNamespace(cats=dict(reversed(pairs)))


class Scoring:
    """Has both; what gives probabilities goes first."""

    classes_ = NAMES

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [shares(text) for text in texts]

    def decision_function(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError("probabilities are there")

    def __call__(self, texts: list[str]) -> None:
        raise AssertionError("probabilities are there")


def function(texts: list[str]) -> list[list[float]]:
    """Return probabilities."""
    return [shares(text) for text in texts]


def test_networks_are_asked_of_several_texts_at_a_time() -> None:
    padded = FakePipeline()
    padded.tokenizer = SimpleNamespace(pad_token_id=0)
    padded.expected = 32
    assert np.array(adaptor_for(padded).ask(["moon"] * 3)).shape == (3, len(NAMES))
    padded._batch_size = padded.expected = 5  # as its owner wants
    assert np.array(adaptor_for(padded).ask(["moon"])).shape == (1, len(NAMES))


@pytest.mark.parametrize(
    ("model", "kind", "name", "classes"),
    [
        (Scoring(), PredictProba, "Scoring", NAMES),
        (FakePipeline(), HuggingFace, "FakePipeline", list(NAMES)),
        (FakePipeline({"2": "other", "0": "hockey", "1": "space"}), HuggingFace, None, list(NAMES)),
        (FakeSpaCy(), SpaCy, "FakeSpaCy", list(NAMES)),
        (function, Function, "function", None),
        (SimpleNamespace(decision_function=function), DecisionFunction, "SimpleNamespace", None),
    ],
)
def test_which_is_chosen(model: object, kind: type, name: str | None, classes: object) -> None:
    adaptor = adaptor_for(model)
    assert type(adaptor) is kind
    assert adaptor.kind == name or name is None
    assert adaptor.classes == classes
    assert adaptor.output == ("score" if kind is DecisionFunction else "probability")
    np.testing.assert_allclose(
        np.asarray(adaptor.ask(["the moon", "", "puck"])),
        [shares(text) for text in ("the moon", "", "puck")],
    )


@pytest.mark.parametrize("model", [FakePipeline(), FakeSpaCy()])
def test_the_order_of_classes_is_the_models(model: object) -> None:
    explanation = explain(model, "to the moon with a puck", "all")
    assert explanation.classes == NAMES
    np.testing.assert_allclose(explanation.scores, shares("to the moon with a puck"))
    assert explanation.parameters["output"] == "probability"


def test_a_pipeline_is_asked_by_one_thread_at_a_time() -> None:
    box = pickle.loads(pickle.dumps(BlackBox(FakeSpaCy())))  # its lock does not go along
    np.testing.assert_allclose(box.scores(["moon"]), [shares("moon")])
    box = BlackBox(FakePipeline())
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: box.scores(["moon " * n] * 50), range(30)))
    for number, answer in enumerate(answers):
        np.testing.assert_allclose(answer, [shares("moon " * number)] * 50)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "ner"}, "a pipeline of the task 'ner' says no class of a text"),
        ({"task": "zero-shot-classification"}, "says no class of a text; one of 'text-classif"),
    ],
)
def test_pipelines_of_other_tasks(change: dict[str, Any], message: str) -> None:
    model = FakePipeline()
    vars(model).update(change)
    with pytest.raises(InputError, match=message):
        BlackBox(model)


def test_a_spacy_pipeline_without_classes() -> None:
    model = FakeSpaCy()
    model.pipe_names = ["tagger"]  # type: ignore[misc]
    with pytest.raises(InputError, match=r"needs a component 'textcat' or .* and has \['tagger'\]"):
        BlackBox(model)


def test_an_answer_that_leaves_a_class_out() -> None:
    box = BlackBox(FakePipeline({0: "hockey", 1: "space", 2: "something else"}))
    with pytest.raises(InputError, match="an answer has no 'something else', which is one of the"):
        box.scores(["moon"])


def test_what_says_a_class_only() -> None:
    class Stubborn:
        def predict(self, texts: list[str]) -> list[str]:
            return ["yes"] * len(texts)

    with pytest.raises(InputError, match=r"Stubborn is no model: .* it has predict alone"):
        adaptor_for(Stubborn())
    with pytest.raises(InputError, match=r"Stubborn is no model: .*; this is a class, not an obj"):
        adaptor_for(Stubborn)


# ---- what comes back --------------------------------------------------------------------------


class Wrapped:
    """An array of some other package."""

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[np.float64]:
        return np.array([[0.25, 0.75]])


@pytest.mark.parametrize(
    "answer",
    [
        [[0.25, 0.75]],
        [(0.25, 0.75)],
        [np.array([0.25, 0.75], np.float16)],
        np.array([[0.25, 0.75]], np.float32),
        torch.tensor([[0.25, 0.75]]),
        torch.tensor([[0.25, 0.75]], dtype=torch.bfloat16),
        torch.tensor([[0.25, 0.75]], requires_grad=True),
        Wrapped(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_all_sorts(answer: object) -> None:
    numbers = as_numbers(answer)
    assert numbers is not None
    assert numbers.dtype == np.float64
    assert numbers.tolist() == [[0.25, 0.75]]


class Hostile:
    """Looks like an array."""

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[np.float64]:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "0.5",
        [["0.25", "0.75"]],
        [[None, 1.0]],
        [[0.5, 0.5], [1.0]],
        (row for row in [[0.5, 0.5]]),
        {"a": 0.5},
        [[1j, 0]],
        [[b"0.5"]],
        Hostile(),
        [[10**400]],
        SimpleNamespace(detach=lambda: None, cpu=None, double=None),
    ],
)
def test_what_is_no_number(answer: object) -> None:
    assert as_numbers(answer) is None


# ---- scikit-learn -----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3])
def test_scores_of_scikit_learn(count: int) -> None:
    chosen = [n for n, label in enumerate(LABELS) if label in sorted(set(LABELS))[:count]]
    texts, labels = [TEXTS[n] for n in chosen], [LABELS[n] for n in chosen]
    fitted = make_pipeline(TfidfVectorizer(), SVC(kernel="rbf")).fit(texts, labels)
    box = BlackBox(fitted)
    (trace,) = box.trace(texts)
    expected = fitted.decision_function(texts)
    if count == 2:
        np.testing.assert_allclose(trace.scores, np.stack([-expected, expected], axis=1))
        np.testing.assert_allclose(trace.probabilities[:, 1], 1 / (1 + np.exp(-expected)))
    else:
        np.testing.assert_allclose(trace.scores, expected)
        powers = np.exp(expected)
        np.testing.assert_allclose(trace.probabilities, powers / powers.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(box.predict_proba(texts), trace.probabilities)
    one = explain(box, texts[0], labels[0])
    assert (trace.output, one.parameters["output"], one.method) == ("score", "score", "occlusion")
    without = texts[0].replace(one.words[0], "", 1)
    (other,) = box.trace([without])
    column = list(fitted.classes_).index(labels[0])
    difference = trace.scores[0, column] - other.scores[0, column]
    assert one.relevance[0] == pytest.approx(difference, abs=1e-6)


def test_what_an_estimator_is_able_to_comes_first() -> None:
    sure = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
    unsure = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(TEXTS, LABELS)
    assert type(adaptor_for(sure)) is PredictProba
    assert type(adaptor_for(unsure)) is DecisionFunction
    one_to_one = make_pipeline(TfidfVectorizer(), SVC(decision_function_shape="ovo"))
    one_to_one.fit([*TEXTS, "fourth"], [*LABELS, "fourth"])
    with pytest.raises(InputError, match=r"gave \(1, 6\) for 1 texts; .* \(1, 4\)"):
        explain(BlackBox(one_to_one), TEXTS[0])


# ---- the real packages ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def transformer() -> Any:  # noqa: ANN401
    """A tiny network with random weights, and a tokeniser of a few words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tokenizers import Tokenizer, models, pre_tokenizers, processors
        from transformers import (
            BertConfig,
            BertForSequenceClassification,
            PreTrainedTokenizerFast,
            TextClassificationPipeline,
        )
    words = "[PAD] [UNK] [CLS] [SEP] the moon puck rocket goal orbit to a".split()
    rules = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, "[UNK]"))
    rules.pre_tokenizer = pre_tokenizers.Whitespace()
    rules.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=rules, pad_token="[PAD]", unk_token="[UNK]", model_max_length=16
    )
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        initializer_range=1.0,
        id2label=dict(enumerate(NAMES)),
        label2id={name: n for n, name in enumerate(NAMES)},
    )
    state = torch.random.get_rng_state()
    torch.manual_seed(0)
    network = BertForSequenceClassification(config).eval()
    torch.random.set_rng_state(state)
    return TextClassificationPipeline(model=network, tokenizer=tokenizer)


@pytest.mark.slow("imports transformers")
def test_a_real_transformer(transformer: Any) -> None:  # noqa: ANN401
    texts = ["to the moon", "a goal with the puck", ""]
    box = BlackBox(transformer, name="tiny 1")
    inputs = transformer.tokenizer(texts, return_tensors="pt", padding=True)
    with torch.no_grad():
        logits = transformer.model(
            input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
        ).logits
    expected = torch.softmax(logits, dim=1).numpy()
    np.testing.assert_allclose(box.scores(texts), expected, atol=1e-5)
    assert list(box.classes_) == list(NAMES)
    one = explain(transformer, "to the moon", "all")
    without = box.scores(["to the "])[0]
    np.testing.assert_allclose(one.relevance[2], expected[0] - without, atol=1e-5)
    long = explain(transformer, "the moon " * 40, "space")  # truncated, not an error
    assert np.count_nonzero(np.abs(long.relevance) > 1e-6) <= 16
    sent = pickle.loads(pickle.dumps(box))
    np.testing.assert_allclose(sent.scores(texts), expected, atol=1e-5)
    assert sent.identity == box.identity


@pytest.mark.slow("imports transformers")
def test_a_transformer_of_several_labels_at_once(transformer: Any) -> None:  # noqa: ANN401
    kept = transformer.model.config.problem_type
    transformer.model.config.problem_type = "multi_label_classification"
    try:
        scores = BlackBox(transformer).scores(["to the moon", "a goal"])
    finally:
        transformer.model.config.problem_type = kept
    assert scores.shape == (2, 3)
    assert (np.abs(scores.sum(axis=1) - 1) > 1e-3).any()


@pytest.mark.slow("imports spaCy, and trains it for a moment")
@pytest.mark.parametrize("component", ["textcat", "textcat_multilabel"])
def test_a_real_spacy_pipeline(component: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import spacy
        from spacy.training import Example

        nlp = spacy.blank("en")
        added: Any = nlp.add_pipe(component, name="topics")
        for name in NAMES:
            added.add_label(name)
        said = {"the moon and the rocket": "space", "a puck, a goal": "hockey", "so it is": "other"}
        examples = [
            Example.from_dict(nlp.make_doc(text), {"cats": {n: float(n == own) for n in NAMES}})
            for text, own in said.items()
        ]
        optimizer = nlp.initialize(lambda: examples)
        for _ in range(15):
            nlp.update(examples, sgd=optimizer)
    box = BlackBox(nlp)
    texts = [*said, "to the moon", ""]
    expected = [[nlp(text).cats[name] for name in NAMES] for text in texts]
    np.testing.assert_allclose(box.scores(texts), expected, atol=1e-6)
    assert list(box.classes_) == list(NAMES)
    one = explain(nlp, "to the moon", "space")
    lost = nlp("to the moon").cats["space"] - nlp("to the ").cats["space"]
    assert one.relevance[2] == pytest.approx(lost, abs=1e-6)
    with pytest.raises(InputError, match="needs a component 'textcat'"):
        explain(spacy.blank("en"), "to the moon")


@pytest.mark.slow(reason="starts a process")
def test_nothing_of_these_packages_is_imported() -> None:
    import subprocess

    code = (
        "import sys, whyword\n"
        "whyword.explain(lambda texts: [[0.5, 0.5]] * len(texts), 'to the moon')\n"
        "print([name for name in ('transformers', 'spacy', 'torch', 'sklearn') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_function_is_called_by_its_name() -> None:
    nameless: Callable[..., object] = lambda texts: 1 / 0  # noqa: E731
    with pytest.raises(InputError, match=re.escape("<lambda> failed (ZeroDivisionError: division")):
        explain(nameless, "text")
