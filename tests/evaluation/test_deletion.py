"""Word deletion against its definition, for models of one class and of several labels."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import oracle
import pytest
from counting import Counting
from keywords import Keywords
from networks import literal_parts, made_cnn, made_text, small_cnn, topical
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from toys import TopicsClassifier, several_topics

from whyword import InputError, SVMClassifier, deletion_curve, explain, from_pipeline
from whyword.base.errors import NoDocumentsError
from whyword.evaluation import EXPERIMENTS, deletion_curves
from whyword.evaluation.erased_words import ErasedWords
from whyword.evaluation.experiment import nothing_to_start_from
from whyword.models.probabilities import softmax
from whyword.models.protocol import Erased

RANDOM = np.random.default_rng(5)
TEXTS = [made_text(RANDOM.integers(0, 7, length)) for length in (9, 7, 1, 8, 5, 0, 6, 4, 2)]
MODEL = made_cnn()
CLASSES = MODEL.classes_.tolist()


@cache
def labels() -> list[str]:
    """Return what the model predicts, of each second text another class."""
    numbers = [CLASSES.index(label) for label in MODEL.predict(TEXTS)]
    return [CLASSES[(number + place % 2) % 3] for place, number in enumerate(numbers)]


Literal = tuple[list[int], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]


def literal(subset: str, target: str, order: str, action: str, steps: int, least: int) -> Literal:
    """Return documents, whether they are right, scores and probabilities, by the slow network."""
    chosen, correct, scores, chances = [], [], [], []
    for number, (text, label) in enumerate(zip(TEXTS, labels(), strict=True)):
        parts = literal_parts(MODEL, text)
        truth, predicted = CLASSES.index(label), int(oracle.class_scores(*parts).argmax())
        if subset != "all" and (predicted == truth) != (subset == "correct"):
            continue
        wanted = {"true": truth, "predicted": predicted, "class 1": 1}[target]
        relevance = explain(MODEL, text, target=CLASSES[wanted]).relevance
        if len(relevance) < least:
            continue
        sign = -1 if order == "most" else 1
        ranked = sorted(range(len(relevance)), key=lambda t: (sign * relevance[t], t))
        path = oracle.scores_by_step(*parts, len(relevance), ranked[:steps], action == "insert")
        path = np.concatenate([path, np.tile(path[-1], (steps + 1 - len(path), 1))])
        chosen.append(number)
        correct.append(path.argmax(axis=1) == truth)
        scores.append(path[:, wanted])
        chances.append(softmax(path)[:, wanted])
    return chosen, np.array(correct), np.array(scores), np.array(chances)


@pytest.mark.parametrize(
    ("subset", "target", "order", "action", "steps", "least"),
    [
        ("correct", "true", "most", "delete", 12, 1),
        ("correct", "predicted", "least", "insert", 5, 5),
        ("wrong", "true", "least", "delete", 5, 1),
        ("wrong", "predicted", "most", "insert", 12, 2),
        ("all", "class 1", "most", "delete", 6, 6),
    ],
)
def test_curves_equal_the_definition(
    subset: str, target: str, order: str, action: str, steps: int, least: int
) -> None:
    asked: dict[str, Any] = {"subset": subset, "target": target, "order": order, "action": action}
    curve = deletion_curve(MODEL, TEXTS, labels(), steps=steps, least_words=least, **asked)
    chosen, correct, scores, chances = literal(**asked, steps=steps, least=least)
    assert curve.chosen.tolist() == chosen
    assert {name: getattr(curve, name) for name in asked} == asked
    assert (curve.method, curve.steps.tolist()) == ("lrp", list(range(steps + 1)))
    np.testing.assert_array_equal(curve.correct[0], correct)
    np.testing.assert_allclose(curve.scores[0], scores, atol=1e-4)
    np.testing.assert_allclose(curve.probabilities[0], chances, atol=1e-4)
    opposite = "insert" if action == "delete" else "delete"
    *_, other = literal(**{**asked, "action": opposite}, steps=steps, least=least)
    assert curve.opposite is not None
    np.testing.assert_allclose(curve.opposite[0], other, atol=1e-4)
    area = np.trapezoid(correct.mean(axis=0)) / steps
    assert curve.area == pytest.approx(area)


def test_many_documents_are_as_in_portions() -> None:
    texts = [made_text(RANDOM.integers(0, 7, 3)) for _ in range(260)]
    said = MODEL.predict(texts).tolist()
    asked: dict[str, Any] = {"method": "random", "runs": 2, "steps": 2, "sufficiency": False}
    whole = deletion_curve(MODEL, texts, said, **asked)
    parts = [deletion_curve(MODEL, texts[some], said[some], **asked) for some in (H1, H2)]
    assert whole.chosen.tolist() == list(range(260))
    assert whole.opposite is None
    expected = np.concatenate([part.scores for part in parts], axis=1)
    np.testing.assert_allclose(whole.scores, expected, atol=1e-5)


H1, H2 = slice(0, 130), slice(130, None)


# ---- the paper's experiments --------------------------------------------------------------------


def test_the_papers_experiments_find_the_words_that_matter() -> None:
    assert EXPERIMENTS == {
        1: {"subset": "correct", "target": "true", "order": "most"},
        2: {"subset": "wrong", "target": "true", "order": "least"},
        3: {"subset": "wrong", "target": "predicted", "order": "most"},
    }
    texts, right = topical(24, seed=3)
    true = [right[(n + 1) % 24] if n % 4 == 0 else label for n, label in enumerate(right)]
    experiments = deletion_curves(
        Keywords(), texts, true, ["occlusion", "random"], steps=6, least_words=1
    )
    assert list(experiments) == [1, 2, 3]
    for number, curves in experiments.items():
        assert list(curves) == ["occlusion", "random"]
        ours, chance = curves.values()
        assert ours.better == ("lower" if number == 1 else "higher")
        assert (ours.area < chance.area) == (number == 1)
        assert ours.accuracy[0] == (1 if number == 1 else 0)
        assert (ours.runs, chance.runs) == (1, 10)
        assert (ours.opposite is None, chance.opposite is None) == (False, True)


def test_several_at_once_are_as_one_by_one() -> None:
    experiments = deletion_curves(
        MODEL, TEXTS, labels(), {"ours": "lrp", "chance": "random"}, (1, 3), 4, runs=3, seed=7,
        least_words=2,
    )  # fmt: skip
    assert list(experiments) == [1, 3]
    for number, curves in experiments.items():
        for (name, curve), method in zip(curves.items(), ("lrp", "random"), strict=True):
            asked: dict[str, Any] = {**EXPERIMENTS[number], "steps": 4, "runs": 3, "seed": 7}
            alone = deletion_curve(MODEL, TEXTS, labels(), method, least_words=2, **asked)
            assert (curve.method, alone.method) == (name, method)
            np.testing.assert_array_equal(curve.scores, alone.scores)
            np.testing.assert_array_equal(curve.correct, alone.correct)
    plain = deletion_curves(MODEL, TEXTS, labels(), "lrp", [1], 4, least_words=1, sufficiency=False)
    assert plain[1]["lrp"].opposite is None


def test_documents_twice_as_long_as_the_last_step_take_part() -> None:
    for numbers in (np.int64(1), np.array([1])):
        found = deletion_curves(MODEL, TEXTS, labels(), ["random"], numbers, 4, runs=1)  # type: ignore[arg-type]
        assert [(number, type(number)) for number in found] == [(1, int)]
        long = [n for n in (0, 3) if labels()[n] == MODEL.predict([TEXTS[n]])[0]]
        assert found[1]["random"].chosen.tolist() == long
    assert deletion_curves(MODEL, TEXTS, labels(), "lrp", steps=[1, 5]) == {}
    with pytest.raises(InputError, match="experiments are 1, 2 and 3, not 4"):
        deletion_curves(MODEL, TEXTS, labels(), experiments=[4])
    with pytest.raises(InputError, match="experiments takes a list of numbers, not float"):
        deletion_curves(MODEL, TEXTS, labels(), experiments=1.0)  # type: ignore[arg-type]


# ---- several labels -----------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["true", "predicted", "space"])
@pytest.mark.parametrize("subset", ["correct", "wrong", "all"])
def test_each_label_of_a_text_takes_part(subset: str, target: str) -> None:
    """Against one loop over all texts and labels, predicting again what is left of each text."""
    model = TopicsClassifier().fit(*several_topics(60))
    texts, true = several_topics(12, seed=5)
    names = model.classes_.tolist()
    expected = {}
    for number, (text, own, said) in enumerate(zip(texts, true, model.predict(texts), strict=True)):
        for column, name in enumerate(names):
            wanted = {"true": name in own, "predicted": name in said, "space": name == "space"}
            right = (name in own) == (name in said)
            if wanted[target] and (subset == "all" or right == (subset == "correct")):
                relevance = explain(model, text, target=name).relevance
                words, path, true_now = text.split(), [], []
                for gone in range(4):
                    out = set(np.argsort(-relevance, kind="stable")[:gone].tolist())
                    left = " ".join(word for at, word in enumerate(words) if at not in out)
                    path.append(model.class_scores([left])[0, column])
                    true_now.append((name in model.predict([left])[0]) == (name in own))
                expected[number, name] = path, true_now
    if not expected:
        with pytest.raises(InputError, match="none of the 12 texts is predicted wrong"):
            deletion_curve(model, texts, true, steps=3, subset=subset, target=target)
        return
    curve = deletion_curve(model, texts, true, steps=3, subset=subset, target=target)
    assert curve.targets is not None
    pairs = zip(curve.chosen.tolist(), (names[n] for n in curve.targets.tolist()), strict=True)
    found = {pair: (curve.scores[0, n], curve.correct[0, n]) for n, pair in enumerate(pairs)}
    assert found.keys() == expected.keys()
    for pair, (path, true_now) in expected.items():
        np.testing.assert_allclose(found[pair][0], path, rtol=1e-5)
        assert found[pair][1].tolist() == true_now


def test_a_label_is_said_from_its_threshold_on() -> None:
    model = TopicsClassifier().fit(*several_topics(60))
    text, name = several_topics(4)[0][3], "hockey"
    column = model.classes_.tolist().index(name)
    (trace,) = model.trace([text])
    model.thresholds_ = np.array(trace.probabilities[0])
    curve = deletion_curve(model, [text], [(name,)], steps=1, target=name, subset="all")
    assert curve.correct[0, 0, 0]
    model.thresholds_[column] += 1e-9
    curve = deletion_curve(model, [text], [(name,)], steps=1, target=name, subset="all")
    assert not curve.correct[0, 0, 0]


# ---- relevance of other kinds, other models -----------------------------------------------------


def test_a_black_box_by_hand() -> None:
    class Counts:
        classes_ = np.array(["hockey", "space"])

        def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
            counts = [(1 + t.count("puck"), 1 + t.count("moon")) for t in texts]
            return np.array([np.array(pair) / sum(pair) for pair in counts])

    texts, true = ["a moon moon and puck", "the puck"], ["space", "hockey"]
    curve = deletion_curve(Counts(), texts, true, "occlusion", steps=2)
    np.testing.assert_allclose(curve.probabilities[0, 0], [3 / 5, 2 / 4, 1 / 3])
    assert curve.correct[0].tolist() == [[True, False, False], [True, True, True]]


def asked_of(model: Counting, texts: list[str], steps: int | Iterable[int]) -> int:
    """Return about how many texts a model is asked by one order of each, beside the intact ones."""
    before = model.total
    asked: dict[str, Any] = {"subset": "all", "runs": 1, "sufficiency": False}
    deletion_curve(model.box(), texts, ["a"] * len(texts), "random", steps=steps, **asked)
    return model.total - before - len(texts)


def test_a_model_is_asked_for_the_chosen_steps_only() -> None:
    model = Counting()
    texts = ["a b cab bead " * 20, "b a bead cab " * 25]
    assert asked_of(model, texts, 50) == 2 * 51
    assert asked_of(model, texts, [0, 1, 2, 5, 10, 20, 50]) == 2 * 7
    assert asked_of(model, texts, [5, 90, 200, 300]) == 2 * 4  # 0, 5, 90 and all of the words


STEPS = [0, 1, 2, 5, 11, 40]
MODELS: dict[str, Callable[[], object]] = {
    "network": small_cnn,
    "n-grams": lambda: SVMClassifier(C=1.0, ngrams=(1, 2)).fit(*topical(60)),
    "pipeline": lambda: from_pipeline(
        make_pipeline(CountVectorizer(), MultinomialNB()).fit(*topical(60))
    ),
}


@pytest.mark.slow(reason="each type of model")
@pytest.mark.parametrize("kind", MODELS)
def test_chosen_steps_are_points_of_the_whole_curve(kind: str) -> None:
    model, (texts, true) = MODELS[kind](), topical(12, seed=3)
    texts, true = [*texts, "moon", "Moon the orbit, moon"], [*true, "space", "space"]
    for action, method, runs in (("delete", "random", 3), ("insert", None, 1)):
        asked: dict[str, Any] = {"action": action, "method": method, "runs": runs, "subset": "all"}
        whole = deletion_curve(model, texts, true, steps=STEPS[-1], **asked)
        some = deletion_curve(model, texts, true, steps=STEPS, **asked)
        assert some.steps.tolist() == STEPS
        np.testing.assert_array_equal(some.correct, whole.correct[:, :, STEPS])
        assert some.correct.shape == (runs, len(texts), len(STEPS))
        for name in ("scores", "probabilities", "opposite"):
            points = getattr(whole, name)[:, :, STEPS]
            np.testing.assert_array_equal(getattr(some, name), points)
        assert np.ptp(some.scores) > 0


class Large:
    """A trace whose answers take 128 MB each, none of it in memory."""

    asked = 0

    def erase(self, *_: object) -> Erased:
        self.asked += 1
        return Erased(*(np.broadcast_to(0.0, (1 << 23,)),) * 2)


def test_the_same_deletions_are_computed_once_while_there_is_room() -> None:
    trace = Large()
    erased, orders, steps = ErasedWords(trace), np.array([[[0, 1]]], np.int32), np.arange(3)
    one, two = np.array([0], np.intp), np.array([1], np.intp)
    for documents in (one, two, one.copy()):  # two fit
        erased(documents, orders.copy(), False, steps.copy())
    assert trace.asked == 2
    others = [(orders, True, steps), (orders[:, :, ::-1].copy(), False, steps)]
    for other in (*others, (orders, False, steps[::2].copy()), others[1]):
        erased(one, *other)
    assert trace.asked == 5
    erased(two, orders, False, steps)  # the older ones had to go
    assert trace.asked == 6


# ---- invalid input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"order": "first"}, "order may be 'most' or 'least', not 'first'"),
        ({"subset": "some"}, "subset may be 'correct' or 'wrong' or 'all'"),
        ({"action": "add"}, "action may be 'delete' or 'insert'"),
        ({"steps": 0}, "steps must be a whole number from 1 to 100,000"),
        ({"least_words": 0}, "least_words must be a whole number from 1"),
        ({"sufficiency": "no"}, "sufficiency must be True or False"),
        ({"target": "sport"}, "there is no class 'sport'"),
        ({"method": "magic"}, "no method 'magic'"),
        ({"relevance": [[1.0]] * 9}, "document 0 has 1 values, but the model sees 9 words"),
        ({"least_words": 99}, "none of the 9 texts is predicted right and has at least 99 words"),
        ({"labels": ["class 1"]}, "labels and texts differ in length: 1 ≠ 9"),
        ({"labels": ["class"] * 9}, "there is no class 'class'; did you mean class"),
        ({"labels": [("class 1",)] * 9}, "the model predicts one class of each text"),
        ({"texts": [], "labels": []}, "there are no texts"),
        ({"model": 5}, "is no model"),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"model": MODEL, "texts": TEXTS, "labels": labels()} | asked
    with pytest.raises(InputError, match=message):
        deletion_curve(**given)


def test_invalid_labels_of_a_model_with_several() -> None:
    model = TopicsClassifier().fit(*several_topics(12))
    with pytest.raises(InputError, match=r"the model predicts several labels.* not 'space'"):
        deletion_curve(model, ["moon"], ["space"])
    with pytest.raises(InputError, match="there is no class 'tennis'"):
        deletion_curve(model, ["moon"], [("space", "tennis")])
    with pytest.raises(InputError, match="relevance is given for one target of each text, and th"):
        deletion_curve(model, ["moon"], [("space",)], relevance=[[1.0]])
    deletion_curve(model, ["moon"], [()], relevance=[[1.0]], target="space", subset="all", steps=1)


def test_words_that_cannot_be_taken_away() -> None:
    class Fixed(TopicsClassifier):
        kind = "fixed"
        trace_kind = object  # type: ignore[assignment]

    with pytest.raises(InputError, match="words can be taken away, which one of kind 'fixed' is n"):
        deletion_curve(Fixed().fit(*several_topics(12)), ["moon"], [("space",)])


def test_why_there_is_nothing_to_start_from() -> None:
    message = "none of the 1 texts is predicted wrong and has at least 1 word"
    with pytest.raises(NoDocumentsError, match=f"^{message}$"):
        deletion_curve(MODEL, TEXTS[:1], labels()[:1], subset="wrong")
    assert nothing_to_start_from("all", 3, 0) == "there are no texts"
    found = nothing_to_start_from("all", 2, 1_000)
    assert found == "none of the 1,000 texts is there and has at least 2 words"
