"""A recurrent network as an estimator: what the kind has of its own."""

from pathlib import Path

import numpy as np
import pytest
import torch
from networks import some_vectors, topical
from torch_trained import trained, untrained

import whyword as ww
from whyword.base.progress import Progress
from whyword.models.pytorch.recurrent_network import CELLS, POOLINGS

pytestmark = pytest.mark.slow("trains small networks")

TEXTS = ["the moon of rocket", "", "unheard", "puck", "goal ice " * 12, "Moon chip the a team"]
SHAPES = [
    *({"cell": cell, "pooling": one} for cell in CELLS for one in POOLINGS),
    *({"pooling": one, "bidirectional": False} for one in ("last", "max")),
    {"layers": 2},
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape.values())))
def test_relevance_is_conserved_and_a_batch_equals_its_singles(shape: dict[str, object]) -> None:
    classes = 2 if shape.get("pooling") == "max" else 3
    model = untrained("recurrent", epochs=1, **shape).fit(*topical(12, classes))
    together = ww.explain(model, TEXTS, "all")
    for one, text in zip(together, TEXTS, strict=True):
        assert one.conserved
        assert np.abs(one.residual).max() < 1e-5
        alone = ww.explain(model, text, "all")
        np.testing.assert_allclose(one.relevance, alone.relevance, atol=1e-5)
        np.testing.assert_allclose(one.scores, alone.scores, atol=1e-5)
        assert not one.relevance[~one.known].any()
    assert model.classifier_.network.pads


@pytest.mark.parametrize("cell", CELLS)
def test_what_a_word_bears_does_not_grow_with_the_text(cell: str) -> None:
    """The relevance of a word is at most Σ |v|·|W·x|, whatever stands before and behind it."""
    model = untrained("recurrent", epochs=1, cell=cell).fit(*topical(12, 3))
    network, size = model.module, model.hidden
    text = " ".join(np.random.default_rng(0).permutation(TEXTS[-1].split() * 150))
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if "bias_hh" in name:
                weight[: 2 * size] += 1.0  # gates are open
    kept = ww.explain(model, text, "all")
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if "weight_hh" in name:  # candidates see the states, as in other people's cells
                weight[2 * size : 3 * size] = 4 * torch.randn(size, size, generator=random)
    plain = ww.explain(model, text, "all")
    assert np.abs(kept.residual).max() < 1e-4
    vector = torch.from_numpy(model.vectors.rows([word.lower() for word in kept.words]))
    inputs = (vector.float() * network.words.scale) @ torch.cat(
        [cells[0].weight_ih_l0[2 * size : 3 * size] for cells in (network.forth, network.back)]
    ).T
    bound = (inputs.abs() @ network.output.weight.abs().T).detach().numpy()
    assert (np.abs(kept.relevance) <= bound + 1e-5).all()
    assert not (np.abs(plain.relevance) <= 100 * bound).all()


def test_it_learns() -> None:
    model = trained("recurrent")
    texts, labels = topical(60, seed=5)
    assert model.score(texts, labels) > 0.9


def test_words_that_only_the_vectors_know() -> None:
    texts, labels = topical(30)
    fewer = [text.replace("orbit", "the") for text in texts]
    for train_vectors in (False, True):
        model = untrained("recurrent", train_vectors=train_vectors).fit(fewer, labels)
        (known,) = (one.known.tolist() for one in ww.explain(model, ["orbit Moon nasa"]))
        assert known == [not train_vectors, True, False]  # nasa has no vector
        assert "orbit" not in model.training_words


def test_vectors_are_trained_if_that_is_said() -> None:
    matrix = some_vectors()["moon"]
    kept = untrained("recurrent").fit(*topical(30))
    changed = untrained("recurrent", train_vectors=True).fit(*topical(30))
    for model, same in ((kept, True), (changed, False)):
        number = model.classifier_.encoder.numbers["moon"]
        table = model.module.words
        row = table.weights[0][table.rows_0[number]].numpy()
        assert np.array_equal(row, matrix) == same
        assert not table.weights[0][0].any()


def test_several_tables(tmp_path: Path) -> None:
    vectors = ww.Vectors.stack(
        some_vectors(), ww.Vectors(["nasa", "moon"], np.eye(2, dtype=np.float32))
    )
    model = untrained("recurrent", vectors=vectors).fit(*topical(30))
    assert ww.explain(model, "nasa moon orbit chip").known.tolist() == [True, True, True, False]
    assert model.save(tmp_path / "m") == model.identity
    loaded = ww.load_model(tmp_path / "m")
    assert loaded.identity == model.identity
    np.testing.assert_array_equal(loaded.class_scores(TEXTS), model.class_scores(TEXTS))
    words = ["nasa", "moon", "orbit", "chip"]
    np.testing.assert_allclose(loaded.vectors.rows(words), vectors.rows(words))
    again = loaded.set_params(on_progress=False).fit(*topical(30))
    np.testing.assert_allclose(again.class_scores(TEXTS), model.class_scores(TEXTS), atol=1e-5)


def test_default_vectors_are_made_of_whole_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def for_texts(texts: object, **options: object) -> ww.Vectors:
        read.extend(len(one) for one in texts)  # type: ignore[attr-defined]
        return some_vectors()

    monkeypatch.setattr(ww.Vectors, "for_texts", for_texts)
    texts, labels = topical(12)
    model = untrained("recurrent", vectors=None, max_words=5).fit(texts, labels)
    assert read == [16] * 12
    assert model.provenance_["vectors"] == "GloVe 50d + CBOW"
    assert ww.explain(model, texts[0]).truncated == 11


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cell": "rnn"}, "cell may be 'lstm' or 'gru', not 'rnn'"),
        ({"pooling": "min"}, "pooling may be 'last' or 'mean' or 'max' or 'attention', not 'min'"),
        ({"hidden": 0}, "hidden must be a whole number"),
        ({"hidden": 10**9}, "hidden must be a whole number"),
        ({"layers": 1.5}, "layers must be a whole number"),
        ({"bidirectional": "yes"}, "bidirectional must be"),
        ({"dropout": 2}, "dropout must be"),
        ({"vectors": 3}, "vectors takes Vectors or a path, not int"),
        ({"vectors": ww.Vectors(["x"], np.ones((1, 2), np.float32))}, "no word of the training"),
        ({"precision": "float16"}, "precision may be"),
        ({"length": 0}, "length must be a whole number"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ww.InputError, match=message):
        untrained("recurrent", **settings).fit(*topical(12))


def test_progress() -> None:
    events: list[Progress] = []
    untrained("recurrent", on_progress=events.append).fit(*topical(30))
    assert [one.number for one in events if "validation accuracy" in one.metrics] == [1, 2]
    assert events[-1].share == 1
