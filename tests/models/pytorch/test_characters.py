"""A network of characters as an estimator: what the kind has of its own."""

import numpy as np
import pytest
import torch
from networks import topical
from torch_trained import trained, untrained

import whyword as ww
from whyword.models.pytorch.network import Network
from whyword.models.pytorch.training import Examples, Settings, Trainer, Window

pytestmark = pytest.mark.slow("trains small networks")

TEXTS = ["the moon, of rocket!", "", "🚀 2020", "puck", "goal ice " * 12, "Moon\n\n chip  C++"]


@pytest.mark.parametrize("hidden", [0, 5])
@pytest.mark.parametrize("classes", [2, 3])
def test_relevance_is_conserved_and_a_batch_equals_its_singles(classes: int, hidden: int) -> None:
    model = untrained("characters", hidden=hidden).fit(*topical(12, classes))
    together = ww.explain(model, TEXTS, "all")
    for one, text in zip(together, TEXTS, strict=True):
        assert one.conserved
        alone = ww.explain(model, text, "all")
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-5)
        np.testing.assert_allclose(one.scores, alone.scores, atol=1e-5)
        assert not np.abs(one.padding).max()  # blanks have none
    assert model.classifier_.network.pads


def test_what_is_no_word_is_read_too() -> None:
    model = untrained("characters").fit(*topical(12))
    said = ww.explain(model, "Moon\n\n it: C++ 2020 🚀")
    assert said.words == ["Moon", "it", ":", "C++", "2020", "🚀"]
    assert said.relevance[:4].all()
    np.testing.assert_allclose(
        model.class_scores(["moon  chip\n"]), model.class_scores(["moon chip "]), atol=1e-6
    )


def test_a_misspelt_word_keeps_most_of_its_relevance() -> None:
    model = trained("characters")
    texts, labels = topical(60, seed=5)
    assert model.score(texts, labels) > 0.9
    right, wrong = (ww.explain(model, text, "space") for text in ("the shuttle", "the shuttel"))
    assert wrong.predicted == right.predicted == "space"
    assert wrong.relevance[1] > 0.5 * right.relevance[1] > 0


def test_case_is_kept_if_that_is_said() -> None:
    kept = untrained("characters", lowercase=False).fit(*topical(12))
    lower = untrained("characters").fit(*topical(12))
    both = ["MOON", "moon"]
    assert not np.allclose(*kept.class_scores(both))
    np.testing.assert_array_equal(*lower.class_scores(both))
    assert ww.explain(kept, "MOON moon").known.tolist() == [False, True]


def test_deleted_words_are_blank() -> None:
    model = untrained("characters").fit(*topical(12))
    without = ww.explain(model, "the moon chip", "all", deleted=[1])
    assert not without.relevance[1].any()
    assert not without.known[1]
    encoder, text = model.classifier_.encoder, "the moon chip"
    (document,) = model.documents([text])
    whole = encoder(document)
    blank = np.where(whole.pieces.owners == 1, 0, whole.ids)
    module = model.module
    said = module(torch.from_numpy(blank)[None], torch.ones(1, len(blank)))
    np.testing.assert_allclose(without.scores, said[0].numpy(), atol=1e-5)


def test_words_are_dropped_as_a_whole() -> None:
    model = untrained("characters").fit(*topical(12))
    network: Network = model.classifier_.network
    (document,) = model.documents(["the moon chip of team"])
    one = model.classifier_.encoder(document)
    window = Window(one.ids, one.pieces.owners)
    settings = Settings(1, 1, 0.1, 0.0, None, 0.5, 0)
    examples = Examples([[window]], np.zeros(1, np.intp))
    weights = np.ones(3, np.float32)
    trainer = Trainer(network, examples, weights, settings, 0, lambda: None)
    seen = set()
    for _ in range(40):
        ids = trainer._draw(0).ids
        gone = {word for word in range(5) if not ids[window.words == word].any()}
        for word in set(range(5)) - gone:
            own = window.words == word
            assert (ids[own] == window.ids[own]).all()
        seen.add(len(gone))
    assert len(seen) > 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alphabet": 0}, "alphabet must be a whole number"),
        ({"width": (3, 3)}, "width takes one or several different numbers"),
        ({"width": 0}, "width must be a whole number"),
        ({"filters": 10**9}, "filters must be a whole number"),
        ({"dimensions": None}, "dimensions must be a whole number"),
        ({"lowercase": "no"}, "lowercase must be"),
        ({"hidden": -1}, "hidden must be a whole number"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ww.InputError, match=message):
        untrained("characters", **settings).fit(*topical(12))


def test_texts_without_a_character() -> None:
    with pytest.raises(ww.InputError, match="there is no character in the training texts"):
        untrained("characters", validation=0).fit(["", " "], ["x", "y"])
