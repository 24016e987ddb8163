"""An evaluation has what each instrument finds by itself, as value, plain data and page."""

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from counting import LETTERS, Counting
from keywords import Keywords
from networks import made_cnn, made_text, topical
from page_tables import items, lines, plain, tables
from toys import TopicsClassifier, several_topics

import whyword as ww
from whyword import InputError, SVMClassifier, evaluate, explain, explanatory_power, summarize
from whyword.base.progress import Progress
from whyword.evaluation import compare_all, deletion_curves, model_quality, model_randomisation
from whyword.evaluation.copies import copy_quality
from whyword.evaluation.evaluate import Evaluation, usual_steps
from whyword.evaluation.price import evaluation_price
from whyword.evaluation.quality import classes_quality

RANDOM = np.random.default_rng(3)
LENGTHS = [*range(1, 13), *[12] * 40]
TEXTS = [made_text(RANDOM.integers(0, 7, length)) for length in LENGTHS]
MODEL = made_cnn()
LABELS = RANDOM.choice(MODEL.classes_, 52).tolist()
ASKED: dict[str, Any] = {"runs": 3, "splits": 4, "seed": 2, "alpha": 0.1}
STAGES: list[Progress] = []


@cache
def evaluation() -> Evaluation:
    """Return the evaluation of a network with all that there is."""
    return evaluate(
        MODEL, TEXTS, LABELS, source="a <b>", train=TEXTS[:3], on_progress=STAGES.append, **ASKED
    )


def test_it_finds_what_the_instruments_find() -> None:
    found = evaluation()
    assert found.quality.to_dict() == model_quality(MODEL, TEXTS, LABELS).to_dict()
    settings = ASKED | {"source": "a <b>", "documents": 52, "steps": 6, "least_words": 12}
    methods = ["lrp", "sensitivity", "random", "random_known"]
    assert found.settings == settings | {"methods": methods}
    curves = deletion_curves(MODEL, TEXTS, LABELS, steps=6, least_words=12, runs=3, seed=2)
    assert {n: list(one) for n, one in found.curves.items()} == {n: list(curves[n]) for n in curves}
    for number, by_method in curves.items():
        for name, curve in by_method.items():
            np.testing.assert_array_equal(found.curves[number][name].scores, curve.scores)
        assert found.curve_comparisons[number] == compare_all(by_method, alpha=0.1, seed=2)
    weightings: dict[str, dict[str, Any]] = {
        "lrp (ew)": {"method": "lrp", "level": "element"},
        "lrp": {"method": "lrp"},
        "sensitivity (ew)": {"method": "sensitivity", "level": "element"},
        "sensitivity": {"method": "sensitivity"},
        "random": {"method": "random", "seed": 2},
        "tfidf": {"method": "tfidf"},
        "uniform": {"method": "uniform"},
    }
    assert list(found.powers) == list(weightings)
    for name, options in weightings.items():
        vectors = summarize(MODEL, TEXTS[1:], **options)  # those of one word are left out
        power = explanatory_power(vectors, LABELS[1:], 4, range(1, 27), seed=2)
        assert found.powers[name].to_dict() == power.to_dict()
    assert found.power_comparisons == compare_all(found.powers, alpha=0.1, seed=2)
    order = np.random.default_rng(2).choice(np.arange(1, 52), 51, replace=False)
    some = [TEXTS[number] for number in order]
    assert list(found.checks) == ["lrp", "sensitivity"]
    for name, checks in found.checks.items():
        for check, layers in zip(checks, ("all", "output"), strict=True):
            alone = model_randomisation(MODEL, some, name, layers=layers, seed=2)
            assert check.to_dict() == pytest.approx(alone.to_dict())
    assert list(found.seconds) == [event.stage for event in STAGES]
    assert list(found.seconds)[:4] == [
        *("the model", "near copies", "word deletion", "explanatory power: lrp (ew)"),
    ]
    assert found.remarks == [
        f"Word deletion {n} rests on {len(curves[n]['lrp'])} documents only." for n in (1, 2, 3)
    ]


def test_plain_data_has_everything(tmp_path: Path) -> None:
    found = evaluation()
    assert found.to_json(tmp_path / "r.json") == str(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data == json.loads(json.dumps(found.to_dict()))
    assert (data["model"], data["kind"], data["classes"]) == (
        *(MODEL.identity, "cnn", MODEL.classes_.tolist()),
    )
    assert found.copies is not None
    plain_data = {"remarks": found.remarks, "settings": found.settings, "seconds": found.seconds}
    plain_data |= {"quality": found.quality.to_dict(), "near_copies": found.copies.to_dict()}
    assert {name: data[name] for name in plain_data} == json.loads(json.dumps(plain_data))
    for number, by_method in found.curves.items():
        deletion = data["deletion"][str(number)]
        assert {n: one["area"] for n, one in deletion["curves"].items()} == {
            name: curve.area for name, curve in by_method.items()
        }
        verdicts = [one.verdict for one in found.curve_comparisons[number]]
        assert [one["verdict"] for one in deletion["comparisons"]] == verdicts
    power = data["explanatory_power"]
    assert {n: row["k"] for n, row in power["rows"].items()} == {
        name: one.k for name, one in found.powers.items()
    }
    assert len(power["comparisons"]) == len(found.power_comparisons)
    passed = {name: [one["passed"] for one in each] for name, each in data["sanity"].items()}
    assert passed == {n: [one.passed for one in each] for n, each in found.checks.items()}
    powers = ", ".join(f"{name} {one.epi:.4f}" for name, one in found.powers.items())
    accuracy = f"accuracy {found.quality.accuracy:.4f}"
    assert repr(found) == f"Evaluation(52 documents, {accuracy}, EPI: {powers})"


# ---- the page -----------------------------------------------------------------------------------


def test_the_page_has_all_tables(tmp_path: Path) -> None:
    found = evaluation()
    assert found.to_html(tmp_path / "r.html", "a title") == str(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    classes, matrix, mistakes, *deletions, power, sanity = tables(page)
    one = found.quality.classes[1]
    shares = [f"{share:.3f}" for share in (one.precision, one.recall, one.f1)]
    assert classes[2] == [str(one.label), *shares, str(one.n_documents)]
    confusion = found.quality.confusion.tolist()  # type: ignore[union-attr]
    rows = [[str(number or "") for number in row] for row in confusion]
    assert [row[1:] for row in matrix] == [["1", "2", "3"], *rows]
    wrong = {
        (label, other): confusion[n][m]
        for n, label in enumerate(MODEL.classes_)
        for m, other in enumerate(MODEL.classes_)
        if n != m
    }
    assert mistakes[1:] == [
        [*pair, str(many), f"{many / LABELS.count(pair[0]):.1%}"]
        for pair, many in sorted(wrong.items(), key=lambda one: -one[1])
        if many
    ]
    for number, table in enumerate(deletions, 1):
        curves = found.curves[number]
        best = (min if number == 1 else max)(curve.area for curve in curves.values())
        assert [row[0] for row in table[1:]] == [
            "*" * (curve.area == best) + name for name, curve in curves.items()
        ]
        lrp, random = curves["lrp"], curves["random"]
        falls = (lrp.aopc, lrp.comprehensiveness, lrp.sufficiency)
        cells = [f"{value:.3f}".replace("-", "−") for value in falls]
        assert table[1][1:] == [f"{lrp.area:.4f}", *cells]
        assert table[3][1] == f"{random.area:.4f} ± {random.deviation:.4f}"
        said = f"Areas: {', '.join(f'{n} {curve.area:.3f}' for n, curve in curves.items())}"
        assert said in page
    highest = max(one.epi for one in found.powers.values())
    assert power[1:] == [
        ["*" * (one.epi == highest) + n, f"{one.epi:.4f} ± {one.deviation:.4f}", str(one.k)]
        for n, one in found.powers.items()
    ]
    assert f"Best: {', '.join(f'{n} {one.epi:.3f}' for n, one in found.powers.items())}" in page
    assert sanity[0] == ["method", "weights", "rank correlation", "common among the top 10", ""]
    checks = [(name, check) for name, each in found.checks.items() for check in each]
    for n, ((name, check), row) in enumerate(zip(checks, sanity[1:], strict=True)):
        common = (check.agreement.overlap, check.agreement.chance)
        assert row == [
            *(name, ("all", "the output layer's")[n % 2]),
            f"{check.agreement.correlation:.3f}".replace("-", "−"),
            "{:.0%} ({:.0%} by chance)".format(*common),
            "depends on them" if check.passed else "hardly depends on them",
        ]


def test_the_page_has_facts_charts_and_verdicts() -> None:
    found = evaluation()
    page, quality = found.to_html(), found.quality
    read = plain(page.split("<body>")[1])
    assert read.startswith(
        f"Evaluation cnn, identity {str(MODEL.identity)[:12]}; 52 documents, 3 classes (a <b>)."
    )
    settings = "source a <b>; documents 52; methods lrp, sensitivity, random, random_known; steps 6"
    assert f"{settings}; least words 12; runs 3; splits 4; seed 2; alpha 0.1." in read
    assert f"{quality.accuracy:.2%} accuracy {quality.macro_f1:.4f} macro-F1" in read
    assert page.count("<svg") == 5  # one of them of the calibration
    assert page.count('class="thin"') == 2  # word by word, where there is element by element
    listed = items(page)
    for comparisons in (*found.curve_comparisons.values(), found.power_comparisons):
        for one in comparisons:
            assert one.verdict in listed
        best = [one.headline for one in comparisons if one.headline in listed]
        names = {name for one in comparisons for name in one.names}
        assert len(best) == len(names) - 1


def test_many_classes_have_no_matrix_and_the_first_twenty_mistakes() -> None:
    names = [f"class {n:02}" for n in range(41)]
    truth = np.arange(82) % 41
    quality = classes_quality(names, truth, np.eye(41)[(truth + (truth < 30)) % 41])
    page = replace(evaluation(), quality=quality).to_html()
    _, mistakes, *_ = tables(page)
    assert "Confusions" not in page
    assert mistakes[1:] == [
        [f"class {n:02}", f"class {n + 1:02}", "2", "100.0%"] for n in range(20)
    ]
    forty = classes_quality(names[:40], truth[:40], np.eye(40)[truth[:40]])
    page = replace(evaluation(), quality=forty, copies=None).to_html()
    assert "Confusions" in page
    assert page.count('<td class="n20">') == 40 == page.count("<td class=")
    assert "Calibration</summary>" not in page  # all are sure
    assert "copies of training" not in page


def test_several_labels_are_judged_each_by_itself() -> None:
    model, (texts, labels) = TopicsClassifier().fit(*several_topics(60)), several_topics(12, seed=5)
    found = evaluate(model, texts, labels, ["lrp", "random"], runs=1, splits=2, steps=2)
    assert found.powers == {}
    assert (
        "Explanatory power needs one class of each document, not several labels: it was left out."
    ) in found.remarks
    read = plain(found.to_html())
    assert f"{found.quality.micro_f1:.4f} micro-F1" in read  # type: ignore[union-attr]
    assert "3 of the texts have no label" in read
    assert found.curves[1]["lrp"].size in read


# ---- what cannot be measured --------------------------------------------------------------------


def test_what_cannot_be_measured_is_said() -> None:
    texts = ["wa wb", "wc wd", "we"]
    found = evaluate(MODEL, texts, MODEL.predict(texts), ["lrp"], runs=1, splits=2)
    assert (list(found.curves), found.powers) == ([1], {})
    why = "none of the 3 texts is predicted wrong and has at least 2 words"
    assert found.remarks == [
        "All figures rest on 3 documents only.",
        *(f"Word deletion {number} was left out: {why}." for number in (2, 3)),
        "Word deletion 1 rests on 2 documents only.",
        "Explanatory power needs at least 4 documents of 2 words.",
    ]
    page = found.to_html()
    assert page.count("It could not be measured") == 1
    assert found.remarks[1] in items(page)
    nothing = evaluate(MODEL, ["", "?"], ["class 0", "class 1"], ["lrp"])
    assert (nothing.curves, nothing.powers, nothing.checks) == ({}, {}, {})
    assert nothing.to_html().count("It could not be measured") == 2
    json.loads(nothing.to_json())
    alike = evaluate(MODEL, TEXTS[:12], ["class 1"] * 12, ["lrp"], splits=1)
    assert (alike.powers, set(map(len, alike.curve_comparisons.values()))) == ({}, {0})
    one_class = "Explanatory power needs documents of at least two classes: it was left out."
    assert alike.remarks[-1] == one_class
    single = evaluate(MODEL, TEXTS[6:24], LABELS[6:24], ["lrp", "random"], splits=1, runs=1)
    assert (len(single.powers), single.power_comparisons) == (5, [])


def test_a_black_box_is_judged_as_far_as_possible() -> None:
    texts, labels = topical(20, seed=3)
    labels[:2] = ["hockey", "space"]
    found = evaluate(Keywords(), texts, labels, splits=2)
    assert (found.model, found.kind) == (None, "Keywords")
    assert found.classes == ("space", "hockey", "crypto")
    assert found.settings["methods"] == ["occlusion", "random", "random_known"]
    curves = deletion_curves(Keywords(), texts, labels, steps=8, least_words=16)
    assert list(curves) == list(found.curves) == [1, 2, 3]
    for number, by_method in curves.items():
        for name, curve in by_method.items():
            np.testing.assert_array_equal(found.curves[number][name].scores, curve.scores)
    assert (found.powers, found.power_comparisons, found.checks) == ({}, [], {})
    assert found.remarks[-2:] == [
        "Explanatory power needs documents with vectors: it was left out.",
        "Sanity checks need weights to shuffle: they were left out.",
    ]
    assert json.loads(found.to_json())["model"] is None
    assert "<h2>Sanity" not in found.to_html()
    with pytest.raises(InputError, match="'lrp' needs a model that is decomposable"):
        evaluate(Keywords(), ["x"], ["space"], ["lrp"])


def test_many_documents_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["whyword.evaluation.evaluate"], "_POWER_DOCUMENTS", 20)
    found = evaluate(MODEL, TEXTS, LABELS, ["lrp"], splits=2, seed=1)
    assert "Explanatory power was measured on 20 documents, by chance." in found.remarks
    chosen = np.sort(np.random.default_rng(1).choice(np.arange(1, 52), 20, replace=False))
    vectors = summarize(MODEL, [TEXTS[n] for n in chosen], "lrp")
    power = explanatory_power(vectors, [LABELS[n] for n in chosen], 2, range(1, 11), seed=1)
    assert found.powers["lrp"].to_dict() == power.to_dict()


# ---- how it is asked for ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths", "steps"),
    [
        ([100] + [10] * 4, 50),
        ([100] + [10] * 5, 5),
        ([99] * 5, 49),
        ([98] * 9 + [500], 49),
        ([1, 1], 1),
        ([7, 8, 9], 4),
    ],
)
def test_steps_are_the_papers_where_texts_are_long(lengths: list[int], steps: int) -> None:
    assert usual_steps(np.array(lengths)) == steps


def test_chosen_steps_are_points_of_the_curve() -> None:
    asked: dict[str, Any] = {"methods": ["lrp", "random"], "runs": 2, "splits": 2}
    dense = evaluate(MODEL, TEXTS, LABELS, steps=6, **asked)
    sparse = evaluate(MODEL, TEXTS, LABELS, steps=(1, 3, 6), **asked)
    assert sparse.settings["steps"] == [0, 1, 3, 6]
    assert sparse.settings["least_words"] == dense.settings["least_words"] == 12
    curve = sparse.curves[1]["random"]
    np.testing.assert_array_equal(curve.accuracy, dense.curves[1]["random"].accuracy[[0, 1, 3, 6]])
    page = sparse.to_html()
    assert "steps 0, 1, 3, 6; least words 12" in page
    np.testing.assert_allclose(lines(page)[2], [0, 1 / 6, 1 / 2, 1], atol=1e-3)
    fewer = evaluate(MODEL, TEXTS, LABELS, steps=6, least_words=3, **asked)
    assert len(fewer.curves[1]["lrp"]) > len(dense.curves[1]["lrp"])


def test_a_users_explainer_is_measured_like_ours() -> None:
    def same_as_lrp(model: Any, texts: list[str], targets: list[str]) -> list[Any]:  # noqa: ANN401
        return [(one.spans, one.relevance) for one in explain(model, texts, targets=targets)]

    given = {"ours": "lrp", "mine": same_as_lrp}
    found = evaluate(MODEL, TEXTS[4:24], LABELS[4:24], given, splits=2)
    for curves in found.curves.values():
        assert list(curves) == ["ours", "mine"]
        np.testing.assert_array_equal(curves["mine"].scores, curves["ours"].scores)
    assert list(found.powers) == ["ours (ew)", "ours", "mine", "tfidf", "uniform"]
    assert found.powers["mine"].epi == pytest.approx(found.powers["ours"].epi, abs=0.11)
    ours, mine = (found.checks[name][0].agreement.correlation for name in given)
    assert mine == pytest.approx(ours)
    assert found.settings["methods"] == ["ours", "mine"]


def test_a_bag_of_words_and_labels_that_are_numbers() -> None:
    texts, labels = topical(30, seed=3)
    numbers = [{"space": 3, "hockey": 7, "crypto": 9}[label] for label in labels]
    model = SVMClassifier(C=1.0).fit(texts, numbers)
    found = evaluate(model, texts, numbers, ["lrp", "occlusion"], runs=1, splits=2)
    assert list(found.powers) == ["lrp", "occlusion", "tfidf", "uniform"]
    assert found.classes == (3, 7, 9)
    assert '"classes": [\n    3,' in found.to_json()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"methods": 5}, "methods takes names, or a dict of them, not int"),
        ({"steps": 0}, "steps must be"),
        ({"least_words": 0}, "least_words must be"),
        ({"splits": 10_001}, "splits must be a whole number from 1 to 10,000"),
        ({"alpha": 1}, "alpha must be below 1"),
        ({"source": 5}, "source must be a str, not int"),
        ({"on_progress": 5}, "on_progress must be a function"),
        ({"train": "text"}, "train must be a list of strings"),
        ({"labels": ["space"]}, "labels and texts differ in length: 1 ≠ 52"),
        ({"texts": [], "labels": []}, "there are no texts to evaluate on"),
        ({"model": "cnn"}, "str is no model"),
    ],
)
def test_invalid_arguments(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(**{"model": MODEL, "texts": TEXTS, "labels": LABELS, **asked})


# ---- copies of training documents ---------------------------------------------------------------


def test_accuracy_without_copies_is_that_on_the_rest() -> None:
    texts, right = topical(60, seed=3)
    labels = [right[(n + 1) % 60] if n % 5 == 0 else label for n, label in enumerate(right)]
    model = Keywords()
    train = pd.Series([text + " more" for text in texts[:20]] + texts[20:22])
    accuracy = model_quality(model, texts, labels).accuracy
    found = copy_quality(model, train, texts, labels, accuracy)
    rest = np.flatnonzero(~found.copies.is_copy).tolist()
    alone = model_quality(model, [texts[n] for n in rest], [labels[n] for n in rest]).accuracy
    counts = {"exact": 2, "near": 20, "threshold": 0.7, "documents_without": len(rest)}
    assert found.to_dict() == counts | {"accuracy_without": pytest.approx(alone)}
    assert repr(found) == f"CopyQuality({found.copies!r}, accuracy without them {alone:.4f})"
    none = copy_quality(model, ["nothing of the kind"], texts, labels, 0.5)
    assert (none.rest, none.accuracy) == (60, 0.5)
    every = copy_quality(model, texts, texts, labels, 0.5)
    assert (every.rest, every.accuracy) == (0, None)
    assert "accuracy without them nothing" in repr(every)


def test_an_evaluation_counts_copies() -> None:
    copies = evaluation().copies
    assert copies is not None
    quality = model_quality(MODEL, TEXTS, LABELS)
    assert (
        copies.to_dict()
        == copy_quality(MODEL, TEXTS[:3], TEXTS, LABELS, quality.accuracy).to_dict()
    )
    assert f"{copies.accuracy:.2%} accuracy without copies of" in plain(evaluation().to_html())


# ---- what it costs ------------------------------------------------------------------------------

LONG = [" ".join(RANDOM.choice(["a", "b", "cab", "bead"], length)) for length in (30, 31, 60, 45)]


def labels_of(texts: list[str], added: int) -> list[str]:
    """Return the labels that the counting model gives, or others."""
    best = Counting().box().scores(texts).argmax(axis=1)
    return [LETTERS[(number + added) % 3] for number in best.tolist()]


@pytest.mark.parametrize(
    ("texts", "methods", "how"),
    [
        (LONG, None, {"runs": 2}),
        (LONG, ["occlusion"], {"steps": 40, "least_words": 35}),
        (LONG, ["random_known", "random"], {"steps": 10, "least_words": 1000}),  # none is so long
        ([*LONG, "", "a"] * 3, ["random_known", "random"], {"steps": 4, "least_words": 1}),
        (LONG * 70, ["random"], {"steps": 2, "runs": 1}),  # several blocks
        (LONG, None, {"steps": [0, 2, 59, 80, 90], "least_words": 1, "runs": 2}),  # beyond the last
    ],
)
def test_price_is_what_is_asked_if_the_model_is_never_right(
    texts: list[str], methods: list[str] | None, how: dict[str, Any]
) -> None:
    model = Counting()
    said = evaluation_price(model.box(), texts, methods, **how)
    measured = model.total
    evaluate(model.box(), texts, labels_of(texts, 1), methods, **how)
    assert said.at_most
    assert model.total - measured == said.predictions
    evaluate(model.box(), texts, labels_of(texts, 0), methods, **how)
    assert model.total - measured <= 2 * said.predictions


def test_price_of_copies_and_of_words_that_are_not_read() -> None:
    model = Counting()
    copied = [*LONG, "b b b a b a a quite another text, of which there is no copy at all"]
    said = evaluation_price(model.box(), copied, ["random"], train=True, runs=1, steps=5)
    measured = model.total
    evaluate(model.box(), copied, labels_of(copied, 1), ["random"], train=LONG, runs=1, steps=5)
    assert said.predictions - 1 <= model.total - measured <= said.predictions
    box = model.box().with_reader(ww.Reader(ignore=["cab"]))
    whole = evaluation_price(model.box(), LONG, runs=2, steps=5).predictions
    said, measured = evaluation_price(box, LONG, runs=2, steps=5), model.total
    evaluate(box, LONG, labels_of(LONG, 1), runs=2, steps=5)
    assert model.total - measured <= said.predictions
    assert said.predictions > whole  # both random orders differ


def test_price_in_seconds_and_of_a_network() -> None:
    model = Counting(0.25)
    said = evaluation_price(model.box(), LONG, clock=model.clock)
    assert said.seconds == pytest.approx(said.predictions * 0.25)
    assert evaluation_price(model.box(), []).predictions == 0
    texts = TEXTS[:4]  # of 1 to 4 words; each is explained for two wrong experiments, two
    # vectors and four checks, by lrp in one pass; one step of two documents goes and comes
    network = evaluation_price(MODEL, texts, ["lrp"], steps=2)
    assert network.predictions == 2 * 4 + 1 * (2 * 2) * 3 + (2 * 1 + 2 * 4 + 4 * 4) * 1
