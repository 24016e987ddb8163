"""What the network sees of texts, in which portions, and how it is trained."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from networks import made_cnn, made_text, some_vectors, topical

from whyword import InputError, Vectors
from whyword.base.errors import MissingExtraError
from whyword.base.progress import Progress
from whyword.models.cnn import forward, inputs
from whyword.models.cnn.inputs import PADDING, Inputs, normalisation, split_batch
from whyword.models.cnn.kernels import filter_gradient
from whyword.models.cnn.network import Convolution, Network
from whyword.models.cnn.training import LabelledBatch, Settings, train_network
from whyword.words import Reader


def made_inputs(shortest: int = 2, vectors: Vectors | None = None) -> Inputs:
    return Inputs(Reader(), vectors or some_vectors(), 0.5, 2.0, shortest)


def test_inputs_are_normalized_vectors_padded_with_zeros() -> None:
    vectors = some_vectors()
    matrix = made_inputs(shortest=4).matrix("Moon unheard-of the")
    expected = np.stack([vectors["moon"], np.zeros(8), vectors["the"]])
    np.testing.assert_allclose(matrix[:3], (expected - 0.5) / 2, atol=1e-6)
    np.testing.assert_array_equal(matrix[3:], np.zeros((1, 8)))
    assert matrix.dtype == np.float32
    assert made_inputs(shortest=3).matrix("").shape == (3, 8)


def test_equal_vectors_share_a_row() -> None:
    batch = made_inputs().batch(["Moon MOON moon", "other unknown Moon"])
    assert batch.ids.tolist() == [2, 2, 2, 1, 1, 2]  # 0 is padding, 1 an unknown word
    assert batch.offsets.tolist() == [0, 3, 6]
    assert batch.known.tolist() == [False, False, True]
    assert len(batch.vectors) == 3


@pytest.mark.parametrize("most_rows", [1, 20, 40, 10_000])
def test_parts_of_a_batch_are_the_whole(most_rows: int) -> None:
    texts, _ = topical(12)
    texts[5] = ""
    whole = made_inputs().batch(texts)
    batches = list(split_batch(whole, most_rows))
    assert sum(len(part) for part in batches) == 12
    for part in batches:
        assert len(part) == 1 or len(part.ids) <= most_rows
        assert len(part.vectors) <= len(part.ids) + 1
        assert not part.vectors[PADDING].any()
        known = whole.known[np.isin(whole.vectors, part.vectors).all(axis=1)]
        assert part.known.sum() == known.sum()
    assert len(batches[0]) == {1: 1, 20: 1, 40: 2, 10_000: 12}[most_rows]
    together = np.concatenate([part.vectors[part.ids] for part in batches])
    np.testing.assert_array_equal(together, whole.vectors[whole.ids])


def test_stacked_tables_do_not_collide() -> None:
    a = Vectors(["x", "y"], np.array([[1, 0], [0, 1]], np.float32))
    b = Vectors(["y", "z"], np.array([[1, 0], [0, 1]], np.float32))
    stacked = Vectors.stack(a, b)
    batch = Inputs(Reader(), stacked).batch(["x y z none"])
    np.testing.assert_array_equal(batch.vectors[batch.ids], stacked.rows(["x", "y", "z", "none"]))
    tables = [Vectors(["god"], np.ones((1, 1), np.float32)) for _ in range(70)]
    many = Vectors.stack(Vectors(["alpha"], np.ones((1, 1), np.float32)), *tables)
    first, second = Inputs(Reader(), many).matrix("alpha zzzz")
    assert (first != second).any()


def test_normalization_is_that_of_the_words_of_all_texts() -> None:
    texts, _ = topical(20)
    raw = Inputs(Reader(), some_vectors(), shortest=1).batch([*texts, "", "unknown"])
    flat = raw.vectors[np.delete(raw.ids, np.flatnonzero(raw.ids == PADDING))].astype(float)
    mean, deviation = normalisation(raw)
    assert [mean, deviation] == pytest.approx([flat.mean(), flat.std()])
    assert normalisation(Inputs(Reader(), some_vectors()).batch([""])) == (0.0, 1.0)


# ---- portions -----------------------------------------------------------------------------------


def test_a_block_holds_no_more_numbers_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relevance takes 4 bytes × words × targets (× dimensions)."""
    model, texts = made_cnn(dimensions=5), [made_text([0, 1, 2, 3])] * 40
    for most, elements, size in ((240, False, 5), (1200, True, 5), (1, True, 1)):
        monkeypatch.setattr(forward, "BLOCK_BYTES", most)
        blocks = list(model.trace(texts, columns=3, elements=elements))
        assert [len(one.documents) for one in blocks] == [size] * (40 // size)
    monkeypatch.undo()
    monkeypatch.setattr(inputs, "MOST_DOCUMENTS", 8)
    assert [len(one.documents) for one in model.trace(texts[:19])] == [8, 8, 3]
    monkeypatch.undo()
    (block,) = model.trace(texts)
    assert (len(block), block.dimensions, block.pooled.shape) == (40, 5, (40, 6))


def test_rows_are_cut_into_words_and_padding() -> None:
    (trace,) = made_cnn((3,)).trace(["wa", "", "wa wb wc wd"])
    rows = np.arange(10, dtype=np.float32)[:, None]
    assert [part.ravel().tolist() for part in trace.cut(rows)] == [[0], [], [6, 7, 8, 9]]
    assert trace.padding(rows).ravel().tolist() == [1 + 2, 3 + 4 + 5, 0]


def test_deleted_words_point_to_padding_and_are_not_known() -> None:
    model, text = made_cnn(), made_text([0, 1, 6, 2])
    (whole,) = model.trace([text])
    (trace,) = model.trace([text], deleted=iter([np.array([1, 3])]))
    assert (trace.batch.ids == PADDING).tolist() == [False, True, False, True]
    assert not (whole.batch.ids == PADDING).any()
    assert whole.known[0].tolist() == [True, True, False, True]
    assert trace.known[0].tolist() == [True, False, False, False]
    with pytest.raises(InputError, match="fewer lists of deleted words than texts"):
        list(model.trace([text, text], deleted=iter([np.array([0])])))


def test_tables_stay_within_their_budget() -> None:
    network = Network(
        tuple(
            Convolution(np.zeros((w, 1000, 8), np.float32), np.zeros(1000, np.float32))
            for w in (1, 2)
        ),
        np.zeros((2000, 3), np.float32),
        np.zeros(3, np.float32),
    )
    assert network.row_size() == 3000
    assert network.most_rows() == (256 << 20) // (4 * 3000)


def test_a_bound_of_what_is_computed() -> None:
    """Two filters, |w|·x + |b|: 3·2 + 1 = 7 and 4·2 + 0 = 8; scores 7·1 + 8·2 + 5 = 28."""
    weight = np.array([[[1, -2], [0, 4]]], np.float32)
    network = Network(
        (Convolution(weight, np.array([-1, 0], np.float32)),),
        np.array([[1, 0], [0, -2]], np.float32),
        np.array([-5, 1], np.float32),
    )
    assert network.largest(2.0) == 28  # its gradient: 3·1 + 4·2 = 11
    assert network.largest(100.0) == 301 + 2 * 400 + 5
    output = (network.output_weight / 100).astype(np.float32)
    calm = replace(network, output_weight=output, output_bias=np.zeros(2, np.float32))
    assert (calm.largest(2.0), calm.largest(0.0)) == (8, 1)
    assert Inputs(Reader(), some_vectors(), -3.0, 0.5).largest(2.0) == 10
    assert np.isnan(network.largest(float("nan")))


# ---- training -----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 3])
def test_the_gradient_of_filters_is_torchs(width: int) -> None:
    random = np.random.default_rng(width)
    filters, lengths = 7, [6, 4, 9]
    vectors = random.normal(size=(9, 5)).astype(np.float32)
    offsets = np.cumsum([0, *lengths]).astype(np.int64)
    ids = random.integers(0, 9, offsets[-1]).astype(np.int32)
    upstream = random.normal(size=(3, filters)).astype(np.float32)
    layer = torch.nn.Conv1d(5, filters, width)
    total = torch.zeros(())
    pooled, winners = np.zeros((3, filters), np.float32), np.zeros((3, filters), np.int32)
    for number in range(3):
        matrix = torch.from_numpy(vectors[ids[offsets[number] : offsets[number + 1]]].T.copy())
        best, first = torch.relu(layer(matrix[None]))[0].max(dim=1)
        pooled[number], winners[number] = best.detach().numpy(), first.numpy()
        total = total + (best * torch.from_numpy(upstream[number])).sum()
    total.backward()  # type: ignore[no-untyped-call]
    gradient = filter_gradient(ids, offsets, vectors, winners, upstream * (pooled > 0), width)
    assert layer.weight.grad is not None
    expected = layer.weight.grad.numpy().transpose(2, 0, 1)
    np.testing.assert_allclose(gradient, expected, atol=1e-5)


SETTINGS = Settings(
    widths=(2,),
    filters=10,
    dropout=0.2,
    word_dropout=0.1,
    l2=1e-4,
    epochs=6,
    batch_size=8,
    learning_rate=0.02,
    seed=0,
)


def data(count: int, seed: int) -> LabelledBatch:
    texts, labels = topical(count, seed=seed)
    numbers = np.unique(labels, return_inverse=True)[1]
    return LabelledBatch(made_inputs().batch(texts), numbers)


def trained(validation: LabelledBatch | None = None, **changed: Any) -> tuple[Any, ...]:  # noqa: ANN401
    events: list[Progress] = []
    weights, settings = np.ones(3, np.float32), replace(SETTINGS, **changed)
    return *train_network(data(30, 0), validation, weights, settings, events.append), events


def test_the_best_epoch_on_held_out_documents_is_kept() -> None:
    validation = data(30, 1)
    network, best, events = trained(validation)
    assert [(event.number, event.total) for event in events] == [(n, 6) for n in range(1, 7)]
    assert events[2].share == 0.5
    assert best.accuracy == max(event.metrics["validation accuracy"] for event in events)
    predicted = network.forward(validation.inputs).argmax(axis=1)
    assert np.mean(predicted == validation.classes) == best.accuracy > 0.5
    assert events[-1].metrics["loss"] < events[0].metrics["loss"]


def test_training_as_torch_does_it_by_hand() -> None:
    """One batch, no dropout: Adam's first step is the learning rate, against the gradient."""
    how: dict[str, Any] = {"dropout": 0.0, "word_dropout": 0.0, "batch_size": 30, "l2": 0.0}
    network, last, (event,) = trained(epochs=1, **how)
    assert (last.number, last.accuracy) == (1, None)
    generator = torch.Generator().manual_seed(0)

    def draw(fan_in: int, *shape: int) -> torch.Tensor:
        values = torch.rand(shape, generator=generator) * 2 * fan_in**-0.5 - fan_in**-0.5
        drawn: torch.Tensor = values.requires_grad_()
        return drawn

    weight, bias = draw(16, 2, 10, 8), draw(16, 10)
    output, output_bias = draw(10, 10, 3), draw(10, 3)
    batch = data(30, 0)
    x = torch.tensor(batch.inputs.vectors[batch.inputs.ids]).reshape(30, 16, 8)
    z = torch.nn.functional.conv1d(x.transpose(1, 2), weight.permute(1, 2, 0), bias)
    scores = torch.relu(z).amax(dim=2) @ output + output_bias
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor(batch.classes))
    loss.backward()  # type: ignore[no-untyped-call]
    assert event.metrics["loss"] == pytest.approx(loss.item(), rel=1e-5)
    (convolution,) = network.convolutions
    for ours, theirs in (
        (convolution.weight, weight),
        (convolution.bias, bias),
        (network.output_weight, output),
        (network.output_bias, output_bias),
    ):
        assert theirs.grad is not None
        large = theirs.grad.abs() > 1e-5
        moved = (theirs - 0.02 * theirs.grad.sign()).detach()
        np.testing.assert_allclose(ours[large], moved[large], rtol=1e-3, atol=1e-5)


def test_dropout_and_seeds_and_weights_change_the_training() -> None:
    def first_loss(**changed: Any) -> float:  # noqa: ANN401
        return float(trained(epochs=1, **changed)[2][0].metrics["loss"])

    plain = first_loss()
    assert first_loss() == plain
    for changed in ({"seed": 1}, {"dropout": 0.0}, {"word_dropout": 0.5}, {"batch_size": 30}):
        assert first_loss(**changed) != plain
    small = trained(l2=1.0)[0].output_weight
    assert np.abs(small).mean() < 0.2 * np.abs(trained()[0].output_weight).mean()


def test_a_training_that_diverges_and_one_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"training diverged in epoch .*; lower learning_rate"):
        trained(learning_rate=1e30)
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[train\]'"):
        trained()


# ---- networks made from a trained one -----------------------------------------------------------


@pytest.mark.parametrize("layers", ["all", "output"])
def test_a_shuffled_network(layers: str) -> None:
    model = made_cnn((1, 2))
    before, text = model.network_, made_text([0, 1, 2])
    scores = model.class_scores([text])
    after, again, other = (model.shuffled(layers, seed).network_ for seed in (3, 3, 4))
    assert layers in model.shuffled_layers
    assert (after.output_weight != before.output_weight).any()
    np.testing.assert_array_equal(after.output_weight, again.output_weight)
    assert (after.output_weight != other.output_weight).any()
    np.testing.assert_array_equal(after.output_bias, before.output_bias)
    for old, new in zip(before.convolutions, after.convolutions, strict=True):
        assert (old.weight != new.weight).any() == (layers == "all")
        np.testing.assert_array_equal(np.sort(old.weight.ravel()), np.sort(new.weight.ravel()))
        np.testing.assert_array_equal(old.bias, new.bias)
    np.testing.assert_array_equal(model.class_scores([text]), scores)  # it is a copy


@pytest.mark.parametrize("widths", [(1,), (3,), (1, 2)])
def test_shifted_inputs_have_the_same_scores(widths: tuple[int, ...]) -> None:
    model = made_cnn(widths, seed=2)
    for text in (made_text([0, 1, 2, 3, 4]), made_text([6, 5, 4, 3]), made_text([1, 1, 1])):
        assert model.is_shiftable(text)
        for shift in (0.0, 0.5, -3.0):
            moved = model.shifted(shift)
            expected = model.input_matrix(text) + shift
            np.testing.assert_allclose(moved.input_matrix(text), expected, atol=1e-5)
            scores = model.class_scores([text])
            np.testing.assert_allclose(moved.class_scores([text]), scores, atol=1e-4)
    assert not made_cnn((3,)).is_shiftable("wa wb")  # padding does not move
    assert made_cnn((3,)).is_shiftable("wa wb wc")
