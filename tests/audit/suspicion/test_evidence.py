"""Evidence against units: relevance, spread over authors, odds, predictions without them."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import oracle
import pytest
from keywords import Keywords
from networks import made_cnn, made_text, topical
from planted import TOKEN, planted_corpus, planted_svm
from scipy import stats
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import whyword as ww
from whyword.audit.suspicion import dependence
from whyword.audit.suspicion.candidates import Labelled, candidates
from whyword.audit.suspicion.dependence import predictions_without
from whyword.audit.suspicion.documents import Documents
from whyword.audit.suspicion.evidence import Evidence, gather_evidence
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.audit.suspicion.read import ReadDocuments, read_documents
from whyword.audit.suspicion.spread import chance_bound, fewer_groups, lower_odds
from whyword.audit.suspicion.units import Unit, UnitGroups
from whyword.audit.suspicion.weighing import Turns, Weighed, suspicion_of, weigh
from whyword.base.progress import Progress, ignore
from whyword.evaluation.significance import benjamini_hochberg
from whyword.methods.request import Request
from whyword.models.blackbox import as_classifier
from whyword.models.protocol import TextClassifier

# ---- spread -------------------------------------------------------------------------------------


def test_random_orders_have_as_many_groups_as_all_choices() -> None:
    population = [0, 0, 0, 1, 1, 2, 3, 3]
    sizes, groups = np.repeat(np.arange(1, 9), 4), np.tile(np.arange(1, 5), 8)
    expected, p = fewer_groups(sizes, groups, np.array(population), seed=0, draws=20_000)
    for size, group, mean, chance in zip(sizes, groups, expected, p, strict=True):
        counts = np.array(oracle.group_counts(population, int(size)))
        assert mean == pytest.approx(counts.mean(), abs=0.03)
        assert chance == pytest.approx(np.mean(counts <= group), abs=0.02)


def test_random_orders_are_drawn_literally() -> None:
    """Also where they do not fit into one portion."""
    population, random = np.array([0, 0, 1, 1, 2]), np.random.default_rng(3)
    orders = random.permuted(np.tile(np.arange(5), (40, 1)), axis=1)
    counts = []
    for ranks in orders:  # the place of each document
        first = sorted(range(5), key=lambda document: ranks[document])[:3]
        counts.append(len({int(population[document]) for document in first}))
    expected, p = fewer_groups(np.array([3, 0]), np.array([2, 0]), population, seed=3, draws=40)
    assert expected.tolist() == [np.mean(counts), 0]
    assert p.tolist() == [(1 + sum(count <= 2 for count in counts)) / 41, 1]


def test_a_unit_without_documents_is_not_tested_and_p_is_never_zero() -> None:
    population = np.repeat(np.arange(50), 2)
    expected, p = fewer_groups(np.array([0, 50]), np.array([0, 1]), population, seed=1, draws=99)
    assert (expected[0], p[0]) == (0, 1)
    assert 0 < p[1] < 1e-300  # 50 documents cannot be of one group of two
    none = fewer_groups(np.zeros(0, np.intp), np.zeros(0, np.intp), population, seed=1)
    assert len(none[1]) == 0


@pytest.mark.parametrize(
    "population", [[0, 0, 0, 1, 1, 2, 3, 3], [0] * 7, list(range(6)), [0, 0, 0, 0, 0, 1, 2, 3, 4]]
)
def test_the_bound_is_the_sum_over_sets_of_groups(population: list[int]) -> None:
    sizes = np.repeat(np.arange(1, len(population) + 1), max(population) + 1)
    groups = np.tile(np.arange(1, max(population) + 2), len(population))
    bounds = chance_bound(sizes, groups, np.array(population))
    for size, group, bound in zip(sizes.tolist(), groups.tolist(), bounds, strict=True):
        literal = oracle.group_sets(population, size, group)
        assert bound == pytest.approx(min(1.0, literal), rel=1e-9)
        exact = np.mean(np.array(oracle.group_counts(population, size)) <= group)
        assert bound >= exact - 1e-12


def test_one_habit_among_very_many_units_is_seen() -> None:
    """Random orders alone cannot say less than 1e-4, which is nothing among 30,000 units."""
    population = np.concatenate([np.arange(500), np.full(20, 500)])  # one person wrote 20 of 520
    _, p = fewer_groups(np.array([15]), np.array([1]), population, seed=0, draws=999)
    assert p[0] == pytest.approx(oracle.group_sets(population.tolist(), 15, 1), rel=1e-6)
    others = np.random.default_rng(0).uniform(size=30_000)
    assert benjamini_hochberg(np.append(p, others))[0] < 1e-10


def test_the_bound_of_very_many_documents_ends_and_does_not_overflow() -> None:
    bounds = chance_bound(np.array([3, 900]), np.array([2, 450]), np.arange(20_000) // 2)
    assert ((bounds > 0) & (bounds <= 1)).all()
    large = np.repeat(np.arange(1_500), 2)
    bounds = chance_bound(np.array([1_000, 3_000]), np.array([50, 1_500]), large)
    assert (bounds[0] >= 0, bounds[1]) == (True, 1)


def test_odds_are_fishers() -> None:
    random = np.random.default_rng(0)
    train, other = random.integers(0, 12, 60), random.integers(0, 12, 60)
    train_class, other_class = random.integers(0, train + 1), random.integers(0, other + 1)
    p = lower_odds(train, train_class, other, other_class)
    for a, b, c, d, found in zip(train, train_class, other, other_class, p, strict=True):
        if a == 0 or c == 0:
            assert found == 1
            continue
        assert found == pytest.approx(oracle.fisher(int(a), int(b), int(c), int(d)))
        table = [[b, a - b], [d, c - d]]
        assert found == pytest.approx(stats.fisher_exact(table, alternative="greater").pvalue)


# ---- evidence -----------------------------------------------------------------------------------


def test_shares_are_those_of_explanations() -> None:
    model, texts = planted_svm(), [*planted_corpus().test.texts[:5], "", "unheard of"]
    seen: list[Progress] = []
    read = read_documents(Request.of(model, "predicted"), texts, seen.append, "reading")
    assert (seen[-1].stage, seen[-1].share, seen[-1].n_documents) == ("reading", 1, 7)
    explained = ww.explain(model, texts)
    labels = model.classes_.tolist()
    assert [labels[n] for n in read.predicted] == [one.target for one in explained]
    for number, one in enumerate(explained):
        start, end = read.occurrences.offsets[number : number + 2]
        positive = one.relevance[one.relevance > 0].astype(np.float64).sum()
        expected = one.relevance / positive if positive else np.zeros(len(one.words))
        np.testing.assert_allclose(read.shares[start:end], expected, atol=1e-6)


@functools.cache
def planted_units() -> tuple[Documents, ReadDocuments, UnitGroups]:
    model, corpus = planted_svm(), planted_corpus()
    documents = Documents.of(corpus, model.classes_.tolist(), None)
    read = read_documents(Request.of(model, "predicted"), documents.texts, ignore, "")
    known = documents.known
    labelled = Labelled(np.where(known.is_train, known.classes, -1), 2)
    return documents, read, UnitGroups.of(candidates(read.occurrences, labelled), read.occurrences)


def test_evidence_is_counted_text_by_text() -> None:
    corpus, model = planted_corpus(), planted_svm()
    documents, read, units = planted_units()
    evidence = gather_evidence(read, units, documents.known, 2, seed=0)
    labels, explained = model.classes_.tolist(), ww.explain(model, documents.texts)
    for name in (TOKEN, "orbit", "the"):
        (unit,) = [n for n, one in enumerate(units.units) if one.name == name]
        carried = {label: [0.0, 0] for label in labels}
        for one in explained:
            on = one.by_word().get(name, 0)
            if on > 0:
                carried[str(one.target)][0] += on / one.relevance[one.relevance > 0].sum()
                carried[str(one.target)][1] += 1
        label = max(carried, key=lambda one: carried[one][0])
        assert labels[evidence.label[unit]] == label
        assert [evidence.carried[unit], evidence.documents[unit]] == pytest.approx(carried[label])
        for part, counted, of_class in (
            (corpus.train, evidence.train, evidence.train_class),
            (corpus.test, evidence.other, evidence.other_class),
        ):
            has = np.array([name in text.split() for text in part.texts])
            own = has & (np.array(part.labels) == label)
            assert (counted[unit], of_class[unit]) == (has.sum(), own.sum())
            if part is corpus.train:
                wrote = set(np.array(part.groups["author"])[own])
                assert (evidence.grouped[unit], evidence.groups[unit]) == (own.sum(), len(wrote))
        assert (evidence.q_odds[unit] <= 0.05) == (name == TOKEN)
    tested, compared = evidence.grouped >= 2, (evidence.train > 0) & (evidence.other > 0)
    for q, p, fit in (
        (evidence.q_groups, evidence.p_groups, tested),
        (evidence.q_odds, evidence.p_odds, compared),
    ):
        np.testing.assert_allclose(q[fit], benjamini_hochberg(p[fit]))
        assert set(q[~fit]) <= {1.0}
    some = evidence.chosen(np.arange(len(units.units)) < 3)
    assert len(some.label) == len(some.q_odds) == 3


def test_without_groups_nothing_is_a_habit() -> None:
    _, read, units = planted_units()
    nobody = Documents.of(planted_corpus(), planted_svm().classes_.tolist(), [""] * 120).known
    for known in (nobody, replace(nobody, groups=None)):
        evidence = gather_evidence(read, units, known, 2, seed=0)
        assert (evidence.p_groups == evidence.q_groups).all()
        assert (evidence.p_groups == 1).all()
        assert not evidence.groups.any()


# ---- weighing -----------------------------------------------------------------------------------

NONE = Turns(*(np.zeros(1, np.int64),) * 3)


def weighed(
    kind: str = "word", form: str = "word", changed: int = 0, turns: Turns = NONE, **given: float
) -> Weighed:
    numbers: dict[str, Any] = {
        "label": 0, "carried": 7, "documents": 9, "train": 10, "train_class": 10, "other": 10,
        "other_class": 10, "grouped": 20, "groups": 10, "expected": 10, "p_groups": 1,
        "q_groups": 1, "p_odds": 1, "q_odds": 1,
    }  # fmt: skip
    evidence = Evidence(**{name: np.array([value]) for name, value in (numbers | given).items()})
    word = {"word": "moon", "host": "mail.acme.org"}[form]
    against = suspicion_of(evidence, [Unit((word,), kind, (word,))], alpha=0.05)
    return weigh(against, evidence.carried, np.array([changed]), turns)


@pytest.mark.parametrize(
    ("given", "suspicion"),
    [
        ({}, 0),
        ({"groups": 2, "q_groups": 0.05}, 0.8),
        ({"groups": 2, "q_groups": 0.051}, 0),
        ({"groups": 12, "q_groups": 0.01}, 0),
        ({"groups": 0.5, "expected": 0.5, "q_groups": 0.01}, 0.5),
        ({"other_class": 1, "q_odds": 0.05}, 0.9),
        ({"other_class": 1, "q_odds": 0.06}, 0),
        ({"train": 20, "other": 20, "other_class": 1, "q_odds": 0.01}, 0.45),
        ({"train": 0, "train_class": 0, "q_odds": 0.01}, 0),
        ({"other": 0, "other_class": 0, "q_odds": 0.01}, 1),
        ({"form": "host"}, 0.5),
        ({"kind": "line"}, 0.3),
        ({"kind": "line", "form": "host"}, 0.5),
        ({"form": "host", "groups": 5, "q_groups": 0, "other_class": 5, "q_odds": 0}, 0.875),
    ],
)
def test_suspicion_at_its_thresholds(given: dict[str, Any], suspicion: float) -> None:
    found = weighed(**given)
    assert found.suspicion[0] == pytest.approx(suspicion)
    assert found.score[0] == pytest.approx(suspicion * 3)  # log2(1 + 7)
    assert found.verdict(0) == ("suspect" if suspicion >= 0.5 else "no evidence")


def test_relevance_and_predictions_weigh() -> None:
    assert weighed(form="host", carried=3, changed=4).score[0] == pytest.approx(1.5)
    assert weighed(form="host", carried=0.9).verdict(0) == "no evidence"
    assert weighed(form="host", carried=0.0, changed=1).verdict(0) == "suspect"


@pytest.mark.parametrize(
    ("wrong", "right", "noise"), [(6, 4, True), (4, 6, True), (7, 3, False), (5, 4, False)]
)
def test_noise_turns_both_ways(wrong: int, right: int, noise: bool) -> None:
    turns = Turns(np.array([wrong]), np.array([right]), np.array([0]))
    assert weighed(turns=turns).verdict(0) == ("noise" if noise else "no evidence")
    assert weighed(turns=turns, form="host").verdict(0) == "suspect"


# ---- predictions without units ------------------------------------------------------------------


@functools.cache
def calibrated() -> object:
    """Return a pipeline whose class is that of the largest probability, not of the score."""
    texts, labels = topical(90, seed=1)
    random = np.random.default_rng(0)
    mixed = [random.choice(labels) if random.random() < 0.5 else label for label in labels]
    head = CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=3)
    return make_pipeline(CountVectorizer(), head).fit(texts, mixed)


TEXTS = topical(25, seed=5)[0]


def units_of(model: TextClassifier, texts: list[str]) -> tuple[UnitGroups, Occurrences]:
    found = Occurrences.of(model.documents([*texts, ""]))
    labelled = Labelled(np.zeros(len(found), np.intp), 3)
    return UnitGroups.of(candidates(found, labelled), found), found


@pytest.mark.parametrize("kind", ["cnn", "svm", "black box", "calibrated"])
@pytest.mark.parametrize("near", [1e-3, 1e3])  # nothing is asked again, or everything
def test_predictions_without_units_are_those_of_predicting_anew(
    kind: str, near: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, Any] = {"cnn": made_cnn(), "svm": planted_svm(), "black box": Keywords()}
    model = as_classifier(calibrated() if kind == "calibrated" else made[kind])
    random = np.random.default_rng(2)
    words = [made_text(random.integers(0, 7, 9)) for _ in range(20)]
    units, found = units_of(model, words if kind == "cnn" else TEXTS)
    monkeypatch.setattr(dependence, "_NEAR", near)
    events: list[Progress] = []
    after = predictions_without(model, found.documents, units, events.append, "deletion")
    assert len(after) == len(units) > 50
    assert (events[-1].stage, events[-1].share) == ("deletion", 1)
    for unit, document, said in list(zip(units.numbers, units.documents, after, strict=True))[::5]:
        at = int(np.flatnonzero((units.numbers == unit) & (units.documents == document))[0])
        gone = units.groups.positions[units.groups.starts[at] : units.groups.starts[at + 1]]
        (trace,) = model.trace([found.documents[document]], deleted=iter([gone.astype(np.intp)]))
        assert trace.predicted[0] == said
    if kind == "calibrated":  # else nothing is tested
        (trace,) = model.trace(TEXTS)
        assert (trace.scores.argmax(axis=1) != trace.predicted).any()


def test_scores_that_are_nearly_equal_are_asked_again() -> None:
    scores = np.array([[1.0, 1.0 + 1e-6, 0], [1.0, 2.0, 0], [-500.0, -500.3, -900]])
    assert dependence._is_near(scores).tolist() == [True, False, True]
    assert dependence._is_near(np.ones((2, 1))).tolist() == [False, False]


def test_nothing_is_an_answer() -> None:
    units, _ = units_of(planted_svm(), [])
    assert len(predictions_without(planted_svm(), [], units, ignore, "deletion")) == 0
