"""Models side by side: the numbers of the single instruments, pairs counted by documents."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from compared import FEW, TEXTS, compared, labels, models, predicted
from counting import LETTERS, Counting
from hypothesis import given
from hypothesis import strategies as st
from keywords import Keywords
from networks import made_cnn, made_text
from numpy.typing import NDArray
from toys import CentroidClassifier, TopicsClassifier, several_topics

import whyword as ww
from whyword import BlackBox, InputError, compare_models, evaluate, explain
from whyword.audit import word_agreement as agreeing
from whyword.audit.changes_page import EXAMPLES
from whyword.audit.compare import chosen_documents, common_classes, named_models
from whyword.audit.examination import Examination, LabelledTexts, Settings
from whyword.audit.pairs import corrected_pairs
from whyword.audit.price import comparison_prices
from whyword.audit.rows import ModelRow, agrees
from whyword.audit.side_by_side import distinct_names
from whyword.audit.timing import measure_times
from whyword.audit.word_agreement import WordRelevance, word_relevances
from whyword.base.errors import MissingExtraError
from whyword.base.progress import Progress
from whyword.evaluation import agreement, model_quality
from whyword.evaluation.significance import holm, paired_interval, share_interval
from whyword.models.protocol import Decomposable, Trace
from whyword.words import Tokenizer

# ---- one model ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cnn", "svm", "words"])
def test_it_finds_what_evaluate_finds(name: str) -> None:
    found, row = evaluate(models()[name], TEXTS, labels(), **FEW), compared().models[name]
    assert row.quality.to_dict() == found.quality.to_dict()
    right = np.sum(np.array(predicted(name)) == np.array(labels()))
    assert row.interval == share_interval(int(right), 40, 0.05)
    settings = compared().settings
    assert (settings["steps"], settings["least_words"]) == (4, 8)
    assert found.settings["steps"] == 4
    method = "occlusion" if name == "words" else "lrp"
    assert row.method == method
    for number, curves in found.curves.items():
        assert list(row.curves[number]) == [method, "random"]
        for each in (method, "random"):
            np.testing.assert_array_equal(row.curves[number][each].correct, curves[each].correct)
            assert row.curves[number][each].opposite is None
        curve, chance = row.curve(number), row.chance_curve(number)
        assert (curve, chance) == (row.curves[number][method], row.curves[number]["random"])
        sign = -1 if number == 1 else 1  # the area is to be low, or high
        assert row.gain(number) == pytest.approx(sign * (curve.area - chance.area))  # type: ignore[union-attr]
    if name == "words":
        assert row.lacks["explanatory power"] == "documents of kind 'Weak' have no vectors"
        assert (row.n_bytes, row.lacks["size"]) == (None, "how large it is, it does not say")
        return
    best = "lrp (ew)" if name == "cnn" else "lrp"
    assert row.power is not None
    assert row.uniform is not None
    assert row.power.to_dict() == found.powers[best].to_dict()
    assert row.uniform.to_dict() == found.powers["uniform"].to_dict()
    tensors, _ = models()[name].to_tensors()
    assert row.n_bytes == sum(tensor.nbytes for tensor in tensors.values())
    assert repr(row).startswith(f"ModelRow({name}: accuracy {right / 40:.4f}, EPI 0.")


def test_predictions_have_the_comparisons_numbers() -> None:
    found = compared()
    for name, row in found.models.items():
        assert [found.classes[n] for n in row.predicted] == predicted(name)
        assert [found.classes[n] for n in row.numbers] == list(models()[name].classes_)
        np.testing.assert_array_equal(row.right, row.predicted == found.truth)
    assert [found.classes[n] for n in found.truth] == labels()
    wrong = [all(one[n] != labels()[n] for one in map(predicted, models())) for n in range(40)]
    assert found.all_wrong == sum(wrong) > 0
    nothing = dataclasses.replace(found.models["cnn"], method=None, curves={})
    assert (nothing.curve(1), nothing.chance_curve(1), nothing.gain(1)) == (None, None, None)


def examination(model: Any, method: str | None = None, **changes: Any) -> Examination:  # noqa: ANN401
    documents = LabelledTexts(
        TEXTS[8:17], labels()[8:17], list("abcdefghi"), list(made_cnn().classes_), [0, 1, 2], True,
        [3, 4, 5],
    )  # fmt: skip
    settings = dataclasses.replace(Settings(method, 9, 9, 2, 4, 1, 2, 0, 0.05), **changes)
    made = Examination("a", model, documents, settings)
    made.predict()
    return made


def test_relevant_words_are_of_documents_that_are_right() -> None:
    made = examination(made_cnn())
    words = made.relevances()
    assert list(words) == [n for n in (0, 1, 2) if made.right[n]] == [1, 2]
    for n in words:
        alone = explain(made_cnn(), TEXTS[8 + n], labels()[8 + n], method="lrp")
        np.testing.assert_allclose(words[n].values, alone.relevance, rtol=1e-4, atol=1e-6)
    assert examination(made_cnn()).explanations([]) == {}


class Fixed(CentroidClassifier):
    """Its words cannot be taken away."""

    @property
    def trace_kind(self) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Say less than there is."""
        return type("FixedTrace", (Decomposable, Trace), {"lrp": lambda *_: None})


def test_what_a_model_lacks_is_said() -> None:
    centroid = CentroidClassifier().fit(TEXTS, labels())
    made = examination(centroid)
    assert made.powers() == (None, None)
    assert made.lacks["explanatory power"] == "documents of kind 'centroid' have no vectors"
    made.model = Fixed().fit(TEXTS, labels())
    assert made.deletions() == {}
    assert made.lacks["word deletion"] == "words cannot be taken from documents of kind 'centroid'"
    few = examination(made_cnn())
    few.documents.power_sample[:] = [1, 2, 3]
    assert few.powers() == (None, None)
    assert few.lacks["explanatory power"] == "it needs at least 4 documents of 2 words"
    alike = examination(made_cnn())
    alike.documents.power_sample[:] = [3, 4, 5, 6]
    alike.truth[:] = 1
    assert alike.powers() == (None, None)
    assert alike.lacks["explanatory power"] == "it needs documents of at least two classes"
    long = examination(made_cnn(), least_words=99)
    assert long.deletions() == {}
    why = "none of the 3 texts is predicted wrong and has at least 99 words"
    assert long.lacks["word deletion 2"] == why
    other = examination(centroid, "sensitivity")
    assert other.lacks["explanation"] == "'sensitivity' is not for a model of kind 'centroid'"
    assert (other.method, other.relevances(), other.deletions()) == (None, {}, {})
    assert other.lacks["word deletion"] == other.lacks["explanation"]


# ---- pairs --------------------------------------------------------------------------------------

PAIRS = [("cnn", "svm"), ("cnn", "words"), ("svm", "words")]


@pytest.mark.parametrize("names", PAIRS)
def test_documents_are_counted_and_accuracies_compared_by_coins(names: tuple[str, str]) -> None:
    pair = compared().pair(*names)
    first, second, true = (np.array(one) for one in (*map(predicted, names), labels()))
    a, b = first == true, second == true
    counts = [int(one.sum()) for one in (a & b, a & ~b, b & ~a, ~a & ~b)]
    found = [pair.both_right, pair.only_first, pair.only_second, pair.both_wrong]
    assert (found, pair.n_documents) == (counts, 40)
    same, mistakes = np.sum(first == second), np.sum((first == second) & ~a)
    assert (pair.same, pair.same_mistake, pair.share) == (same, mistakes, same / 40)
    only, other = counts[1:3]
    one = pair.accuracy
    assert one.p == pytest.approx(oracle.mcnemar(only, other))
    shares = [(pair.both_right + each) / 40 for each in (only, other)]
    assert one.values == pytest.approx(shares)
    assert one.difference == pytest.approx((only - other) / 40)
    assert one.interval == paired_interval(only, other, 40, 0.05)
    assert (one.test, one.better, one.comparisons) == ("McNemar's exact test", "higher", 3)
    values = [f"{share:.4f} ({name})" for share, name in zip(shares, names, strict=True)]
    assert one.details == f"accuracy {values[0]} against {values[1]}, 40 documents"
    assert repr(pair) == f"PairRow({one.headline}; same prediction {same / 40:.0%})"


def gains(row: ModelRow) -> dict[int, float]:
    """Return for each document how much smaller its area is than by chance."""
    curve, chance = (row.curves[1][name] for name in (str(row.method), "random"))
    differences = chance.document_areas() - curve.document_areas()
    return dict(zip(curve.chosen.tolist(), differences.tolist(), strict=True))


@pytest.mark.parametrize("names", PAIRS)
def test_gains_and_words_are_of_documents_that_both_have_right(names: tuple[str, str]) -> None:
    pair, rows = compared().pair(*names), [compared().models[name] for name in names]
    first, second = map(gains, rows)
    both = sorted(set(first) & set(second))
    assert pair.deletion is not None
    assert f"{len(both)} documents that both have right" in pair.deletion.details
    means = (np.mean([each[n] for n in both]) for each in (first, second))
    assert pair.deletion.values == pytest.approx(tuple(means))
    assert pair.deletion.better == "higher"
    said, by_document = [predicted(name) for name in names], []
    for n, true in enumerate(labels()):
        if said[0][n] == said[1][n] == true and len(TEXTS[n].split()) == 8:
            each = zip(map(models().get, names), rows, strict=True)
            explained = [explain(m, TEXTS[n], true, method=str(row.method)) for m, row in each]
            spans = [[(int(a), int(b)) for a, b in one.spans] for one in explained]
            values = [one.relevance.astype(float).tolist() for one in explained]
            by_document.append(oracle.common_stretches(len(TEXTS[n]), spans, values))
    expected = agreement([a for a, _ in by_document], [b for _, b in by_document])
    assert pair.words is not None
    assert len(pair.words.overlaps) == len(by_document)
    assert pair.words.correlation == pytest.approx(expected.correlation, abs=1e-3)


def test_powers_are_compared_and_pairs_corrected_together() -> None:
    pair, pairs = compared().pair("cnn", "svm"), compared().pairs
    powers: Any = [compared().models[name].power for name in pair.names]
    assert pair.power == ww.compare(*powers, names=("cnn", "svm"))  # the only one, so uncorrected
    assert compared().pair("cnn", "words").power is None
    why = "it was not measured of both, on several splits"
    assert compared().pair("cnn", "words").lacks == {"explanatory power": why}
    assert compared().pair("cnn", "words").accuracy.winner == "cnn"
    for kind in ("accuracy", "deletion"):
        both = [getattr(one, kind) for one in pairs]
        assert [one.adjusted for one in both] == holm([one.p for one in both]).tolist()
    without = [dataclasses.replace(one, deletion=None) for one in pairs]
    assert [one.deletion for one in corrected_pairs(without)] == [None] * 3
    row = compared().models["cnn"]
    a, b = (
        dataclasses.replace(row, predicted=np.array(said))
        for said in ([[True, False], [True, True]], [[True, False], [True, False]])
    )
    assert agrees(a, b).tolist() == [True, False]  # all labels must


def relevance(text: str, spans: list[tuple[int, int]], values: list[float]) -> WordRelevance:
    return WordRelevance(text, np.array(spans, np.int32).reshape(-1, 2), np.array(values))


SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted), max_size=8)


@given(SPANS, SPANS, st.integers(0, 99))
def test_common_stretches_are_the_oracles(
    first: list[tuple[int, int]], second: list[tuple[int, int]], seed: int
) -> None:
    """Whatever the spans: in any order, one within another, without letters."""
    random = np.random.default_rng(seed)
    spans = [[(start, end) for start, end in one] for one in (first, second)]
    values = [random.integers(-9, 9, len(one)).astype(float).tolist() for one in spans]
    found = agreeing.common_units(*map(relevance, ("x" * 12,) * 2, spans, values))
    assert [one.tolist() for one in found] == oracle.common_stretches(12, spans, values)


def test_models_with_other_words_agree_letter_by_letter() -> None:
    def letters(texts: list[str]) -> list[list[float]]:
        return [[0.2 + 0.6 * ("o" in text), 0.8 - 0.6 * ("o" in text)] for text in texts]

    reader = ww.Reader(tokenizer=Tokenizer(rule="characters"))
    boxes = [BlackBox(letters, ["o", "x"], reader=reader), BlackBox(letters, ["o", "x"])]
    a, b = ({0: word_relevances(one, ["so a bit"], ["o"], "occlusion")[0]} for one in boxes)
    assert (len(a[0].spans), len(b[0].spans)) == (6, 3)
    agreed = agreeing.word_agreement(a, b, top=1)
    assert agreed is not None
    assert (agreed.correlation, agreed.overlap, agreed.chance) == pytest.approx((1, 1, 1 / 3))
    assert word_relevances(made_cnn(), [], [], "lrp") == []
    one, other = relevance("a b", [(0, 1), (2, 3)], [1.0, 2.0]), relevance("b", [(0, 1)], [1.0])
    empty = relevance("", [], [])
    for pair in (({0: one}, {1: one}), ({0: one}, {0: other}), ({0: empty}, {0: empty})):
        assert agreeing.word_agreement(*pair) is None
    agreed = agreeing.word_agreement(
        {0: one, 1: one, 2: empty, 3: other}, {0: one, 1: other, 2: empty}
    )
    assert agreed is not None
    assert (len(agreed.overlaps), agreed.top) == (1, 10)


# ---- the comparison as a value ------------------------------------------------------------------


def test_documents_that_differ_are_found_and_explained_by_both() -> None:
    found = compared()
    first = predicted("cnn")
    for name in ("svm", "words"):
        second = predicted(name)
        expected = [n for n in range(40) if first[n] != second[n]]
        changes = found.changes("cnn", name)
        assert changes.changed.tolist() == expected
        assert [(one.before, one.after, one.true) for one in changes.changes] == [
            (first[n], second[n], labels()[n]) for n in expected
        ]
        assert set(found.examples[name]) == {one.document for one in changes.some(EXAMPLES)}
        assert set(found.examples[name]) <= set(found.examples["cnn"])
        for number, one in found.examples[name].items():
            assert (one.text, one.id, one.target) == (TEXTS[number], str(number), second[number])
    assert found.changes("svm", "svm").changed.tolist() == []
    assert found.changes().changes == found.changes("cnn", "svm").changes
    assert found.pair("words", "cnn") is found.pair("cnn", "words")
    for names, message in (
        (("svm", "svm"), "two different models make a pair, not 'svm' twice"),
        (("svn", "cnn"), "there is no model 'svn'"),
        ((3, "cnn"), "there is no model 3"),
    ):
        with pytest.raises(InputError, match=message):
            found.pair(*names)


def test_plain_data_frame_and_files(tmp_path: Path, uninstall: Callable[[str], None]) -> None:
    found = compared()
    assert found.to_json(tmp_path / "c.json") == str(tmp_path / "c.json")
    data = json.loads((tmp_path / "c.json").read_text())
    assert data == json.loads(json.dumps(found.to_dict()))
    expected = {"documents": 40, "all_wrong": found.all_wrong, "seconds": found.seconds}
    expected |= {
        "findings": found.findings,
        "classes": list(found.classes),
        "remarks": found.remarks,
    }
    expected |= {"models": [json.loads(json.dumps(row.to_dict())) for row in found.models.values()]}
    expected |= {"pairs": [json.loads(json.dumps(pair.to_dict())) for pair in found.pairs]}
    assert {name: data[name] for name in expected} == expected
    for name, changed in found.changes_from_first().items():
        own = data["changes"][name]
        assert (own["changed"], own["turns"]) == (len(changed.changed), changed.turns)
        assert [one["id"] for one in own["changes"]] == [str(n) for n in changed.changed]
        assert "classes" not in own
    (cnn, _, words), pair = data["models"], data["pairs"][1]
    assert words["explanatory_power"] is words["explanatory_power_uniform"] is None
    assert list(words["deletion"]["1"]) == ["occlusion", "random", "gain"]
    assert (words["bytes"], words["timed_documents"]) == (None, 15)
    assert (pair["names"], pair["explanatory_power"]) == (["cnn", "words"], None)
    assert pair["same_prediction"] == found.pairs[1].share
    names = [f"{name} {row.quality.accuracy:.4f}" for name, row in found.models.items()]
    assert repr(found) == f"ModelComparison(40 documents, accuracy: {', '.join(names)})"
    frame = found.to_frame()
    assert list(frame.index) == ["cnn", "svm", "words"]
    figures = {"kind": "cnn", "method": "lrp", "accuracy": cnn["quality"]["accuracy"]}
    figures |= {"macro_f1": cnn["quality"]["macro_f1"], "epi": cnn["explanatory_power"]["epi"]}
    figures |= dict(zip(("accuracy_low", "accuracy_high"), cnn["accuracy_interval"], strict=True))
    figures |= {"epi_uniform": cnn["explanatory_power_uniform"]["epi"]}
    for n in (1, 2, 3):
        figures |= {f"area_{n}": cnn["deletion"][str(n)]["lrp"]["area"]}
        figures |= {f"random_area_{n}": cnn["deletion"][str(n)]["random"]["area"]}
    figures |= {name: cnn[name] for name in ("seconds_prediction", "seconds_explanation", "bytes")}
    assert frame.loc["cnn"].to_dict() == figures
    assert np.isnan(frame.loc["words", "epi"])
    uninstall("pandas")
    with pytest.raises(MissingExtraError, match="pandas"):
        found.to_frame()


# ---- one call -----------------------------------------------------------------------------------


def test_stages_are_reported_and_the_seed_decides() -> None:
    events: list[Progress] = []
    asked: dict[str, Any] = {"source": "words", "on_progress": events.append} | FEW
    again = compare_models(models(), TEXTS, labels(), **asked)
    assert [(event.number, event.total) for event in events] == [(n, 15) for n in range(1, 16)]
    assert list(again.seconds) == [event.stage for event in events]
    first, second = compared().to_dict(), again.to_dict()
    for data in (first, second):
        del data["seconds"]
        data["findings"] = [one for one in data["findings"] if "fastest" not in one]
        for row in data["models"]:
            del row["seconds_prediction"], row["seconds_explanation"]
    assert first == second


def test_samples_are_by_chance_and_said() -> None:
    both = [made_cnn(), made_cnn(seed=1)]
    asked: dict[str, Any] = {"deletion_documents": 9, "power_documents": 20, "steps": 2} | FEW
    few = compare_models(both, TEXTS, labels(), **asked)
    assert few.remarks == [
        "All figures rest on 40 documents only.",
        "Words were deleted from, and compared in 9 of the 40 documents.",
        "Explanatory power was measured on 20 of the 40 documents.",
    ]
    row = few.models["cnn (2)"]
    assert sum(len(row.curves[number]["lrp"]) for number in row.curves if number < 3) == 9
    assert row.power is not None
    assert sum(map(len, row.power.splits[0])) == 20


def test_documents_are_those_in_which_every_model_finds_words() -> None:
    lengths = np.array([0, 1, 2, 8, 9])
    assert chosen_documents(lengths, 8, 10, 10, 0) == ([3, 4], True, [2, 3, 4])
    some = np.random.default_rng(5).choice([2, 3, 4], 2, replace=False)
    assert chosen_documents(lengths, 2, 2, 2, 5) == (sorted(some), True, sorted(some))
    assert chosen_documents(lengths, 99, 10, 10, 0)[:2] == ([2, 3, 4], False)
    assert chosen_documents(lengths[:2], 99, 10, 10, 0) == ([0, 1], False, [])
    one, other = made_cnn(), ww.SVMClassifier(C=1.0, max_words=3).fit(TEXTS, labels())
    found = compare_models({"a": one, "b": other}, TEXTS[8:17], labels()[8:17], steps=2, **FEW)
    for row in found.models.values():  # the other reads three words
        why = "in none of the texts every model finds at least 4 words"
        assert (row.curves, row.lacks["word deletion"]) == ({}, why)
    assert found.pairs[0].words is not None
    assert "there are no documents that both" in found.pairs[0].lacks["word deletion"]


def test_few_and_empty_texts_and_classes_told_by_their_text() -> None:
    found = compare_models([made_cnn(), made_cnn()], ["", "?"], ["class 0", "class 1"], runs=1)
    assert (found.pairs[0].words, found.models["cnn"].curves) == (None, {})
    assert "there are no explained documents" in found.pairs[0].lacks["words"]
    json.loads(found.to_json())
    assert "It could not be measured" in found.to_html()

    def one(several: list[str]) -> list[list[float]]:
        return [[0.9, 0.1] if "a" in text else [0.1, 0.9] for text in several]

    both = {"a": BlackBox(one, [0, 1]), "b": BlackBox(one, ["0", "1"])}
    found = compare_models(both, ["a b c d"] * 4 + ["e f g h"] * 4, [0] * 4 + [1] * 4, runs=1)
    assert found.classes == (0, 1)
    assert [row.quality.accuracy for row in found.models.values()] == [1, 1]


def test_one_method_for_all() -> None:
    found = compare_models(models(), TEXTS[8:20], labels()[8:20], method="random", **FEW)
    for row in found.models.values():
        assert (row.method, row.gain(1), list(row.curves[1])) == ("random", None, ["random"])
    assert all(pair.deletion is None for pair in found.pairs)


def test_several_labels() -> None:
    texts, true = several_topics(24, seed=1)
    both = [TopicsClassifier().fit(*several_topics(n)) for n in (60, 12)]
    asked: dict[str, Any] = {"steps": 3, "least_words": 4} | FEW
    found = compare_models(dict(zip("ab", both, strict=True)), texts, true, **asked)
    for model, row in zip(both, found.models.values(), strict=True):
        assert row.quality.to_dict() == model_quality(model, texts, true).to_dict()
        said = model.predict(texts)
        assert row.right.tolist() == [set(a) == set(b) for a, b in zip(said, true, strict=True)]
        assert row.lacks["explanatory power"].startswith("it needs one class of each document")
        assert row.curves[1]["lrp"].n_documents < len(row.curves[1]["lrp"])
    (pair,) = found.pairs
    said = [model.predict(texts) for model in both]
    assert pair.same == sum(set(a) == set(b) for a, b in zip(*said, strict=True))
    assert pair.words is not None
    assert pair.deletion is not None
    page = found.to_html()
    assert "micro-F1" in page
    assert "exactly the right labels" in page
    assert "calibration" not in page


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": [made_cnn()]}, "models: at least two are compared, not 1"),
        ({"models": made_cnn()}, "models takes a dict from names to models, or a list of models"),
        ({"models": {1: made_cnn()}}, "models: a name is a str, not 1"),
        ({"texts": [], "labels": []}, "no texts to compare models on"),
        ({"method": "lime"}, "there is no method 'lime'"),
        ({"power_documents": 3}, "power_documents must be a whole number from 4"),
        ({"deletion_documents": 0}, "deletion_documents must be a whole number"),
        ({"splits": 10_001}, "splits must be a whole number from 1 to 10,000"),
        ({"least_words": 0}, "least_words must be"),
        ({"alpha": 1}, "alpha must be below 1"),
        ({"source": 3}, "source must be a str"),
        ({"ids": ["a"]}, "ids and texts differ in length"),
        ({"on_progress": 3}, "on_progress must be a function"),
    ],
)
def test_invalid_arguments(changes: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"models": models(), "texts": TEXTS, "labels": labels()} | changes
    with pytest.raises(InputError, match=message):
        compare_models(**asked)


def test_models_that_cannot_be_compared() -> None:
    def box(*names: str) -> Any:  # noqa: ANN401
        return BlackBox(len, list(names))

    several = TopicsClassifier().fit(*several_topics(12))
    one = box(*several.classes_)
    different = "the models have different classes: "
    two, some, many = box(*"xy"), box(*"yzuvw"), box(*"xyzuvw")
    for a, b, message in (
        (two, some, f"{different}'a' has 'x', which 'b' has not"),
        (two, many, f"{different}'b' has 'u', 'v', 'w' and 1 more, which 'a' has not"),
        (one, several, "'b' predicts several labels, and 'a' one class of each text"),
        (several, one, "'a' predicts several labels, and 'b' one class of each text"),
    ):
        with pytest.raises(InputError, match=f"^{message}"):
            common_classes(named_models({"a": a, "b": b}))
    with pytest.raises(InputError, match="'sensitivity' needs a model that is differentiable"):
        compare_models([Keywords(), Keywords()], ["x"], ["space"], method="sensitivity")


def test_names_are_distinct_and_printable() -> None:
    several = [made_cnn(), made_cnn(), Keywords()]
    assert list(named_models(several)) == ["cnn", "cnn (2)", "Keywords"]
    assert list(named_models({"a\udc80": Keywords(), "b": Keywords()})) == ["a\\x80", "b"]
    assert distinct_names(["a", "a", "a (2)", "a"]) == ["a", "a (2)", "a (2) (2)", "a (3)"]


# ---- time and price -----------------------------------------------------------------------------


class Watched:
    """Two models that share a clock, and write down who was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.now = 0.0
        self.models = {"quick": self._box("quick", 1.0), "slow": self._box("slow", 3.0)}

    def _box(self, name: str, seconds: float) -> Any:  # noqa: ANN401
        def ask(texts: list[str]) -> list[list[float]]:
            first = name not in self.asked
            self.asked.append(name)
            self.now += len(texts) * seconds + (100 if first else 0)
            return Counting()(texts)

        return BlackBox(ask, LETTERS)


def test_times_are_medians_without_the_first_which_loads_things() -> None:
    watched = Watched()
    methods = dict.fromkeys(watched.models, "occlusion")
    texts = ["a b", "a b", "a b", "a", "a b c d"]
    times = measure_times(watched.models, methods, texts, clock=lambda: watched.now)
    assert times["quick"] == (1.0, 3.0, 4)  # two words: the text, and without each of them
    assert times["slow"] == (3.0, 9.0, 4)
    assert watched.asked[:6] == ["quick"] * 3 + ["slow"] * 3  # predicted, explained in two calls
    turns = Watched()
    measure_times(turns.models, dict.fromkeys(turns.models), "abc", clock=lambda: turns.now)
    assert turns.asked == ["quick", "slow", "slow", "quick", "quick", "slow"]
    single = Watched()
    some = {"quick": None, "slow": "random"}
    times = measure_times(single.models, some, ["a"], clock=lambda: single.now)
    assert (times["quick"], times["slow"].explanation) == ((101.0, None, 1), 3.0)
    real = measure_times({"a": made_cnn()}, {"a": "lrp"}, [made_text([1, 2])])
    assert real["a"].prediction > 0


COUNTED = [
    " ".join(np.random.default_rng(n).choice(["a", "b", "cab"], n)) for n in (30, 31, 60, 45)
]


@pytest.mark.parametrize(
    ("texts", "how"),
    [
        (COUNTED, {"runs": 2}),  # what is explained once more decides
        (COUNTED, {"steps": 5, "runs": 3, "deletion_documents": 2}),
        (COUNTED, {"method": "random", "steps": 29, "least_words": 25, "runs": 1}),
        (COUNTED, {"steps": 70, "least_words": 1, "runs": 2}),  # goes twice where it is wrong
        (COUNTED, {"method": "random", "steps": 10, "least_words": 1000}),  # none is long enough
        (COUNTED, {"steps": [1, 5, 15]}),
        ([*COUNTED, ""] * 6, {"method": "random", "steps": 4, "least_words": 1, "runs": 2}),
    ],
)
def test_price_is_what_is_asked_at_most(texts: list[str], how: dict[str, Any]) -> None:
    def contrary(several: list[str]) -> NDArray[np.float64]:
        return np.roll(Counting()(several), 1, axis=1)

    model = Counting()
    both = {"a": model.box(), "b": BlackBox(contrary, LETTERS)}
    said = comparison_prices(both, texts, asked=["a"], **how)
    assert list(said) == ["a"]
    asked = []
    best = Counting().box().scores(texts).argmax(axis=1).tolist()
    for added in (0, 1):
        before = model.total
        compare_models(both, texts, [LETTERS[(number + added) % 3] for number in best], **how)
        asked.append(model.total - before)
    assert said["a"].at_most
    if len(texts) <= EXAMPLES:
        assert max(asked) == said["a"].predictions
    else:  # those that are explained because models differ need not be the longest
        assert max(asked) <= said["a"].predictions < 1.5 * max(asked)


def test_price_in_seconds_and_of_other_methods() -> None:
    model = Counting(0.25)
    both = [model.box(), Counting().box()]
    said = comparison_prices(both, COUNTED, asked=["Counting"], clock=model.clock)["Counting"]
    assert said.seconds == pytest.approx(said.predictions * 0.25)
    assert comparison_prices(both, [], asked=["Counting"]) == {}
    beside = {"a": model.box(), "b": made_cnn()}
    unable = comparison_prices(beside, COUNTED, asked=["a"], method="lrp", steps=5)["a"]
    assert unable.predictions == 2 * len(COUNTED)  # predicted and timed
