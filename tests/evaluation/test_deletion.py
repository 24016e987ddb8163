"""Deletion curves: the three experiments, insertion, everybody's relevance."""

from typing import Any

import numpy as np
import oracle
import pytest
from networks import literal_parts, small_cnn, topical
from numpy.typing import NDArray

from whyword import InputError, SVMClassifier, deletion_curve, explain
from whyword.evaluation import EXPERIMENTS, deletion_curves
from whyword.models.cnn.trace import CNNTrace
from whyword.models.probabilities import softmax

MODEL = small_cnn()
TEXTS, RIGHT = topical(60, seed=3)
WRONG = [{"space": "hockey", "hockey": "crypto", "crypto": "space"}[label] for label in RIGHT]
LABELS = [
    wrong if n % 4 == 0 else right
    for n, (right, wrong) in enumerate(zip(RIGHT, WRONG, strict=True))
]


def literal(
    texts: list[str],
    labels: list[str],
    subset: str,
    target: str,
    order: str,
    action: str,
    steps: int,
) -> tuple[list[int], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Everything again from the definitions, by the slow network."""
    classes = MODEL.classes_.tolist()
    chosen, correct, scores, chances = [], [], [], []
    for number, (text, label) in enumerate(zip(texts, labels, strict=True)):
        truth = classes.index(label)
        predicted = int(oracle.class_scores(*literal_parts(MODEL, text)).argmax())
        if subset != "all" and (predicted == truth) != (subset == "correct"):
            continue
        wanted = truth if target == "true" else predicted
        relevance = explain(MODEL, text, target=classes[wanted]).relevance
        ranked = sorted(
            range(len(relevance)),
            key=lambda t: (-relevance[t] if order == "most" else relevance[t], t),
        )
        path = oracle.scores_by_step(
            *literal_parts(MODEL, text), len(relevance), ranked[:steps], action == "insert"
        )
        path = np.concatenate([path, np.tile(path[-1], (steps + 1 - len(path), 1))])
        chosen.append(number)
        correct.append(path.argmax(axis=1) == truth)
        scores.append(path[:, wanted])
        chances.append(softmax(path)[:, wanted])
    return chosen, np.array(correct), np.array(scores), np.array(chances)


@pytest.mark.parametrize("action", ["delete", "insert"])
@pytest.mark.parametrize("subset", ["correct", "wrong", "all"])
@pytest.mark.parametrize(
    ("target", "order"), [("true", "most"), ("true", "least"), ("predicted", "most")]
)
@pytest.mark.slow(reason="many cases")
def test_equals_the_definition(subset: str, target: str, order: str, action: str) -> None:
    asked = {"subset": subset, "target": target, "order": order, "action": action}
    texts, labels = TEXTS[:16], LABELS[:16]
    curve = deletion_curve(MODEL, texts, labels, steps=20, **asked)  # type: ignore[arg-type]
    chosen, correct, scores, chances = literal(texts, labels, **asked, steps=20)
    assert curve.chosen.tolist() == chosen
    np.testing.assert_array_equal(curve.correct[0], correct)
    np.testing.assert_allclose(curve.scores[0], scores, atol=1e-4)
    np.testing.assert_allclose(curve.probabilities[0], chances, atol=1e-4)
    opposite = "insert" if action == "delete" else "delete"
    _, _, _, other = literal(texts, labels, **{**asked, "action": opposite}, steps=20)
    assert curve.opposite is not None
    np.testing.assert_allclose(curve.opposite[0], other, atol=1e-4)
    np.testing.assert_allclose(curve.accuracy, correct.mean(axis=0))
    np.testing.assert_allclose(curve.mean_score, scores.mean(axis=0), atol=1e-4)
    area = np.trapezoid(correct.mean(axis=0)) / 20
    np.testing.assert_allclose(curve.area, area)
    np.testing.assert_allclose(curve.score_area, np.trapezoid(scores.mean(axis=0)) / 20, atol=1e-4)
    removed, kept = (chances, other) if action == "delete" else (other, chances)
    whole = removed[:, :1]
    assert curve.comprehensiveness is not None
    assert curve.sufficiency is not None
    np.testing.assert_allclose(curve.comprehensiveness, (whole - removed[:, 1:]).mean(), atol=1e-4)
    np.testing.assert_allclose(curve.sufficiency, (whole - kept[:, 1:]).mean(), atol=1e-4)
    change = (scores[:, :1] - scores).mean() * (1 if action == "delete" else -1)
    np.testing.assert_allclose(curve.aopc, change, atol=1e-4)


def test_the_three_experiments() -> None:
    """On texts whose labels are partly wrong the right words matter: LRP beats chance."""
    for number, better in ((1, "lower"), (2, "higher"), (3, "higher")):
        experiment: dict[str, Any] = dict(EXPERIMENTS[number])
        by_lrp = deletion_curve(MODEL, TEXTS, LABELS, **experiment, steps=6)
        by_chance = deletion_curve(MODEL, TEXTS, LABELS, "random", **experiment, steps=6)
        assert by_lrp.better == better
        assert by_lrp.accuracy[0] == (1 if number == 1 else 0)
        assert (by_lrp.area < by_chance.area) == (better == "lower")
        assert (by_lrp.runs, by_chance.runs) == (1, 10)
        assert by_chance.deviation > 0 == by_lrp.deviation


def test_given_relevance_does_as_the_method() -> None:
    explained = explain(MODEL, TEXTS, targets=LABELS)
    by_method = deletion_curve(MODEL, TEXTS, LABELS, steps=5)
    forms: list[list[Any]] = [
        list(explained),
        [one.relevance for one in explained],
        [(one.spans, one.relevance) for one in explained],
    ]
    for relevance in forms:
        given = deletion_curve(MODEL, TEXTS, LABELS, "mine", relevance=relevance, steps=5)
        assert given.method == "mine"
        np.testing.assert_array_equal(given.scores, by_method.scores)


def test_short_documents_can_be_left_out() -> None:
    texts, labels = ["moon", "moon orbit the", "orbit rocket " * 4], ["space"] * 3
    curve = deletion_curve(MODEL, texts, labels, subset="all", least_words=3, steps=4)
    assert curve.chosen.tolist() == [1, 2]
    np.testing.assert_array_equal(curve.scores[0, 0, 3], curve.scores[0, 0, 4])  # nothing left


def test_documents_without_words_take_no_part() -> None:
    assert deletion_curve(
        MODEL, ["", "moon"], ["space"] * 2, subset="all", steps=1
    ).chosen.tolist() == [1]


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = deletion_curve(MODEL, TEXTS, LABELS, "random_known", runs=3, steps=7)
    monkeypatch.setattr("whyword.models.cnn.network.TABLE_BYTES", 4 * 2 * 12 * 9)
    monkeypatch.setattr("whyword.evaluation.experiment._DOCUMENTS", 2)
    parts = deletion_curve(MODEL, TEXTS, LABELS, "random_known", runs=3, steps=7)
    np.testing.assert_array_equal(parts.chosen, whole.chosen)
    np.testing.assert_allclose(parts.scores, whole.scores, atol=1e-5)
    assert whole.opposite is not None
    assert parts.opposite is not None
    np.testing.assert_allclose(parts.opposite, whole.opposite, atol=1e-5)


class Keywords:
    """Somebody's model, right about words it knows."""

    classes_ = np.array(["hockey", "space"])

    def predict_proba(self, texts: list[str]) -> NDArray[np.float64]:
        counts = [(1 + t.count("puck"), 1 + t.count("moon")) for t in texts]
        return np.array([np.array(pair) / sum(pair) for pair in counts])


def test_somebodys_model() -> None:
    texts, labels = ["a moon moon and puck", "the puck"], ["space", "hockey"]
    curve = deletion_curve(Keywords(), texts, labels, "occlusion", steps=2)
    np.testing.assert_allclose(curve.probabilities[0, 0], [3 / 5, 2 / 4, 1 / 3])
    assert curve.correct[0].tolist() == [[True, False, False], [True, True, True]]


def test_bag_of_words() -> None:
    model = SVMClassifier(C=1.0).fit(*topical())
    curve = deletion_curve(model, TEXTS, RIGHT, steps=16)
    chance = deletion_curve(model, TEXTS, RIGHT, "random", steps=16)
    assert curve.area < chance.area
    np.testing.assert_allclose(
        curve.scores[0, 0, -1], model.output_bias_[model.classes_ == RIGHT[0]]
    )


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"order": "first"}, "order may be 'most' or 'least', not 'first'"),
        ({"subset": "some"}, "subset may be 'correct' or 'wrong' or 'all'"),
        ({"action": "add"}, "action may be 'delete' or 'insert'"),
        ({"steps": 0}, "steps must be a whole number from 1"),
        ({"steps": 10**9}, "steps must be a whole number from 1 to 100,000"),
        ({"target": "sport"}, "there is no class 'sport'"),
        ({"method": "magic"}, "no method 'magic'"),
        ({"relevance": [[1.0]] * 60}, "document 0 has 1 values, but the model sees 16 words"),
        ({"relevance": [[1.0]] * 3}, "differ in length: 3 ≠ 60"),
        ({"least_words": 99}, "none of the 60 texts is predicted right and has at least 99 words"),
    ],
)
def test_bad_questions(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        deletion_curve(MODEL, TEXTS, LABELS, **asked)


def test_bad_texts_and_labels() -> None:
    with pytest.raises(InputError, match="labels and texts differ in length: 1 ≠ 2"):
        deletion_curve(MODEL, ["moon", "puck"], ["space"])
    with pytest.raises(InputError, match="there is no class 'sapce'; did you mean space"):
        deletion_curve(MODEL, ["moon"], ["sapce"])
    with pytest.raises(InputError, match="label must be a string or a number, not None"):
        deletion_curve(MODEL, ["moon"], [None])
    with pytest.raises(InputError, match="labels takes a list"):
        deletion_curve(MODEL, ["moon"], "space")
    with pytest.raises(InputError, match="there are no texts"):
        deletion_curve(MODEL, [], [])
    with pytest.raises(InputError, match="none of the 1 texts is predicted wrong"):
        deletion_curve(MODEL, ["moon orbit"], ["space"], subset="wrong")
    with pytest.raises(InputError, match="is no model"):
        deletion_curve(5, ["moon"], ["space"])


def test_several_at_once_are_as_one_by_one() -> None:
    experiments = deletion_curves(
        MODEL, TEXTS, LABELS, ["lrp", "random"], steps=4, runs=3, least_words=1
    )
    assert {number: list(curves) for number, curves in experiments.items()} == {
        number: ["lrp", "random"] for number in (1, 2, 3)
    }
    for number, curves in experiments.items():
        for method, curve in curves.items():
            experiment: dict[str, Any] = dict(EXPERIMENTS[number])
            alone = deletion_curve(MODEL, TEXTS, LABELS, method, steps=4, runs=3, **experiment)
            np.testing.assert_array_equal(curve.scores, alone.scores)
            np.testing.assert_array_equal(curve.correct, alone.correct)
            assert (curve.opposite is None) == (method == "random")
    with pytest.raises(InputError, match="experiments are 1, 2 and 3, not 4"):
        deletion_curves(MODEL, TEXTS, LABELS, experiments=[4])
    with pytest.raises(InputError, match="experiments takes a list of numbers, not float"):
        deletion_curves(MODEL, TEXTS, LABELS, experiments=1.0)  # type: ignore[arg-type]


def test_experiments_as_numpy_has_numbers() -> None:
    for numbers in (np.int64(1), np.array([1])):
        found = deletion_curves(
            MODEL,
            TEXTS,
            LABELS,
            ["random"],
            numbers,  # type: ignore[arg-type]
            4,
            runs=1,
            least_words=1,
        )
        assert [(number, type(number)) for number in found] == [(1, int)]
    assert list(deletion_curves(MODEL, ["moon orbit"], ["space"], "lrp", steps=1)) == [1]
    assert deletion_curves(MODEL, ["moon orbit"], ["space"], "lrp") == {}  # of 100 words at least


def test_the_same_deletions_are_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words by chance go in the same order for every target: experiments 2 and 3 are one."""
    asked: list[tuple[Any, ...]] = []

    erase = CNNTrace.erase

    def counting(trace: CNNTrace, documents: Any, orders: Any, *how: Any) -> Any:  # noqa: ANN401
        asked.append((documents.tobytes(), orders.tobytes(), how[0]))
        return erase(trace, documents, orders, *how)

    monkeypatch.setattr(CNNTrace, "erase", counting)
    methods = ["random", "lrp"]
    experiments = deletion_curves(MODEL, TEXTS, LABELS, methods, (2, 3), 4, runs=3, least_words=1)
    assert len(asked) == len(set(asked)) == 1 + 2 * 2  # of LRP, both what goes and what stays
    np.testing.assert_array_equal(
        experiments[2]["random"].correct, experiments[3]["random"].correct
    )
    monkeypatch.setattr("whyword.evaluation.erased_words._CACHE_BYTES", 0)
    asked.clear()
    again = deletion_curves(MODEL, TEXTS, LABELS, methods, (2, 3), 4, runs=3, least_words=1)
    assert len(asked) == 1 + len(set(asked))  # nothing but the last answer is kept
    np.testing.assert_array_equal(again[3]["random"].scores, experiments[3]["random"].scores)
