"""A PyTorch module is a model like others: all that can be asked of those works with it."""

import json
from pathlib import Path

import numpy as np
import pytest
from networks import TOPICS
from served import records
from torch_texts import CLASSES, LABELS, MAKERS, TEXTS, bert, recurrent, several, texts_of

import whyword as ww
from whyword.corpora.corpus import Part
from whyword.evaluation.price import evaluation_price
from whyword.evaluation.quality import MultiLabelQuality
from whyword.evaluation.sanity import input_invariance, model_randomisation, seed_stability
from whyword.reports.tour import write_tour
from whyword.reports.tour_price import tour_price
from whyword.web.library import library_price

pytestmark = pytest.mark.slow("trains and evaluates small modules")

METHODS = ("lrp", "sensitivity", "gradient_input", "integrated_gradients", "occlusion", "random")


@pytest.fixture(params=list(MAKERS))
def model(request: pytest.FixtureRequest) -> "ww.TorchClassifier":
    return MAKERS[request.param]()


# ---- explanations -----------------------------------------------------------------------------


def test_it_has_learned(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    pairs = zip(model.predict(texts), labels, strict=True)
    assert sum(said == true for said, true in pairs) >= 36


@pytest.mark.parametrize("method", METHODS)
def test_every_method_explains_all_classes(model: "ww.TorchClassifier", method: str) -> None:
    texts, _ = texts_of(model)
    found = ww.explain(model, texts[:5], "all", method=method)
    for one, text, scores in zip(found, texts, model.class_scores(texts[:5]), strict=False):
        assert one.relevance.shape == (len(text.split()), 3)
        assert one.scores == pytest.approx(scores, abs=1e-5)
        assert one.parameters["deletion"] == model.deletion.how
        assert one.conserved or method != "lrp"
        again = ww.Explanation.from_json(one.to_json())
        assert again.to_json() == one.to_json()
    assert [one.predicted for one in found] == list(model.predict(texts[:5]))
    each = [ww.explain(model, text, "all", method=method) for text in texts[:5]]
    if method != "random":
        for one, alone in zip(found, each, strict=True):
            np.testing.assert_allclose(one.relevance, alone.relevance, atol=2e-4)


def test_the_ways_to_ask(model: "ww.TorchClassifier") -> None:
    texts, _ = texts_of(model)
    every = ww.explain(model, texts[1], "all")
    two = ww.explain(model, texts[1:3], top=2)[0]
    assert two.targets == tuple(np.array(CLASSES)[np.argsort(-every.scores)[:2]])
    contrast = ww.explain(model, texts[1], "space", against="hockey")
    column = [CLASSES.index(name) for name in ("space", "hockey")]
    expected = every.relevance[:, column[0]] - every.relevance[:, column[1]]
    np.testing.assert_allclose(contrast.relevance, expected, atol=1e-5)
    assert contrast.conserved
    assert contrast.relevance.shape == expected.shape
    fine = ww.explain(model, texts[1], "all", level="element")
    assert fine.elements is not None
    np.testing.assert_allclose(fine.elements.sum(1), every.relevance, atol=1e-4)
    lazily = list(ww.iter_explanations(model, iter(texts)))
    assert [one.predicted for one in lazily] == list(model.predict(texts))


def test_a_deleted_word_bears_nothing(model: "ww.TorchClassifier") -> None:
    texts, _ = texts_of(model)
    whole, without = (ww.explain(model, texts[1], "all", deleted=gone) for gone in ([], [0, 2]))
    assert not without.relevance[[0, 2]].any()
    assert not without.known[[0, 2]].any()
    assert without.conserved
    assert np.abs(without.scores - whole.scores).max() > 1e-3
    occluded = ww.explain(model, texts[1], "all", method="occlusion")
    alone = ww.explain(model, texts[1], "all", deleted=[0])
    np.testing.assert_allclose(occluded.relevance[0], whole.scores - alone.scores, atol=1e-4)


LAYERS = {"recurrent": "lstm", "bert": "bert.encoder.layer.0", "several": "embedding"}


@pytest.mark.parametrize("name", LAYERS)
def test_a_hidden_layer(name: str) -> None:
    model, layer = MAKERS[name](), LAYERS[name]
    text = texts_of(model)[0][1]
    there = ww.explain(model, text, "all", layer=layer)
    assert (there.parameters["layer"], there.conserved) == (layer, True)
    words = ww.explain(model, text, "all")
    assert np.allclose(there.relevance, words.relevance, atol=1e-5) == (layer == "embedding")
    with pytest.raises(ww.InputError, match="there is no layer 'lsm' in this model"):
        ww.explain(model, text, layer="lsm")
    with pytest.raises(ww.InputError, match="a vector for each of the"):
        ww.explain(model, text, layer=model.layer_names[-1])


def test_numbers_and_signs_are_seen_if_the_tokenizer_sees_them() -> None:
    texts = [f"{text} 10 !" for text in TEXTS]
    assert "!" in ww.explain(bert(), texts[0]).words
    assert "!" not in ww.explain(recurrent(), texts[0]).words
    words = ww.class_words(bert(), texts, symbols=True)
    assert {entry.word for name in CLASSES for entry in words[name]} & {"10", "!"}
    plain = ww.class_words(bert(), texts)
    assert not {entry.word for name in CLASSES for entry in plain[name]} & {"!"}


# ---- what is made of many ---------------------------------------------------------------------


def test_class_words_summaries_map_and_search(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    words = ww.class_words(model, texts, top=3)
    for name in CLASSES:
        assert {entry.word for entry in words[name]} <= {*TOPICS[name]}
    width = ww.explain(model, texts[0], level="element").elements.shape[1]  # type: ignore[union-attr]
    for options in ({}, {"level": "element"}, {"method": "uniform"}):
        rows = ww.summarize(model, texts, **options)
        assert rows.shape == (40, width)
        assert np.isfinite(rows).all()
    with pytest.raises(ww.InputError, match=r"'tfidf': each word by its rarity .* is not known"):
        ww.summarize(model, texts, method="tfidf")
    drawn = ww.document_map(model, texts, labels, level="element")
    assert len(drawn.points) == 40
    index = ww.SearchIndex(model, texts)
    best = index.search(texts[3], 2)[0]
    assert (best.id, round(best.similarity, 4)) == ("3", 1)
    assert sum(word.similarity for word in best.words) == pytest.approx(1, abs=1e-4)


def test_explanatory_power() -> None:
    by_relevance = ww.summarize(recurrent(), TEXTS, level="element")
    by_chance = ww.summarize(recurrent(), TEXTS, method="uniform")
    power, uniform = (
        ww.explanatory_power(vectors, LABELS, 4, range(1, 6))
        for vectors in (by_relevance, by_chance)
    )
    assert power.epi > 0.9
    assert ww.compare(power, uniform).difference == pytest.approx(power.epi - uniform.epi)


def test_deletion(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    by_relevance, by_chance = (
        ww.deletion_curve(model, texts, labels, method, steps=8, least_words=8)
        for method in ("lrp", "random")
    )
    assert by_relevance.area < by_chance.area
    if model.is_multilabel:
        assert len(by_relevance) > by_relevance.n_documents


@pytest.mark.parametrize("layers", ["all", "output"])
def test_sanity(layers: str) -> None:
    before = recurrent().identity
    check = model_randomisation(recurrent(), TEXTS[:10], layers=layers)
    assert check.passed
    assert recurrent().identity == before
    assert seed_stability(recurrent(), bert(), TEXTS[:10]).agreement.overlap > 0.2
    with pytest.raises(ww.InputError, match="shifted, which a model of kind 'torch' has not"):
        input_invariance(recurrent(), TEXTS[:10])


def test_evaluation(model: "ww.TorchClassifier") -> None:
    texts, labels = texts_of(model)
    found = ww.evaluate(model, texts, labels, train=[texts[0]], steps=3, least_words=6, runs=2)
    assert found.quality.accuracy >= 0.9
    assert found.copies is not None
    assert set(found.checks) == {"lrp", "sensitivity"}
    assert len(found.checks["lrp"]) == 2
    assert isinstance(found.quality, MultiLabelQuality) == model.is_multilabel
    expected = {"lrp", "lrp (ew)", "sensitivity", "sensitivity (ew)", "random", "uniform"}
    assert set(found.powers) == (set() if model.is_multilabel else expected)
    page = found.to_html()
    assert "tfidf</td>" not in page
    assert json.loads(found.to_json())["kind"] == "torch"


def test_a_tour(tmp_path: Path) -> None:
    ids = [str(number) for number in range(40)]
    for one, name in ((recurrent(), "a"), (several(), "b")):
        part = Part(*texts_of(one), ids)  # type: ignore[arg-type]
        made = write_tour(one, part, tmp_path / name, few=30, runs=1)
        assert (made.kept, (tmp_path / name / "map.html").is_file()) == (False, True)
        assert write_tour(one, part, tmp_path / name, few=30, runs=1).kept


def test_prices() -> None:
    model = recurrent()
    words = sum(len(text.split()) for text in TEXTS)
    assert ww.price(model, TEXTS).predictions == 40
    assert ww.price(model, TEXTS, "occlusion").predictions == 40 + words
    assert ww.price(model, TEXTS, "integrated_gradients", steps=7).predictions == 40 * 7
    said = evaluation_price(model, TEXTS, ["lrp", "random"], steps=3, least_words=6, runs=2)
    # predicted twice; 2 + 4 orders of 4 texts; explained for 2 targets, 2 vectors, 2 × 2 checks
    assert said.predictions == 40 * (2 + (2 + 4) * 4 + 2 + 2 + 4)
    part = Part(TEXTS, LABELS, [str(number) for number in range(40)])
    assert tour_price(model, part, 40).predictions > said.predictions
    assert library_price(model, records(TEXTS, LABELS)).predictions == 3 * 40
