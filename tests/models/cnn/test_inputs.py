import numpy as np
import pytest
from networks import some_vectors, topical

from whyword import Vectors
from whyword.models.cnn.inputs import Inputs, normalisation, split_batch
from whyword.words import Reader


def inputs(shortest: int = 2, vectors: Vectors | None = None) -> Inputs:
    return Inputs(Reader(), vectors or some_vectors(), 0.5, 2.0, shortest)


def test_what_the_network_sees() -> None:
    vectors = some_vectors()
    matrix = inputs(shortest=4).matrix("Moon unheard-of the")
    expected = np.stack([vectors["moon"], np.zeros(8), vectors["the"]])
    np.testing.assert_allclose(matrix[:3], (expected - 0.5) / 2, atol=1e-6)
    np.testing.assert_array_equal(matrix[3], np.zeros(8))  # padding, after normalising
    assert matrix.dtype == np.float32
    assert inputs(shortest=3).matrix("").shape == (3, 8)


def test_equal_vectors_share_a_row() -> None:
    batch = inputs().batch(["Moon MOON moon", "other unknown Moon"])
    assert len(batch.vectors) == 3  # padding, unknown, moon
    assert batch.ids[:3].tolist() == [batch.ids[0]] * 3
    assert batch.ids[3] == batch.ids[4] != batch.ids[5] == batch.ids[0]
    assert batch.known.sum() == 1


@pytest.mark.parametrize("most_rows", [1, 20, 40, 10_000])
def test_parts_are_the_whole(most_rows: int) -> None:
    texts, _ = topical(12)
    texts[5] = ""
    whole = inputs().batch(texts)
    batches = list(split_batch(whole, most_rows))
    assert sum(len(part) for part in batches) == 12
    for part in batches:
        assert len(part) == 1 or len(part.ids) <= most_rows
        assert len(part.vectors) <= len(part.ids) + 1
        assert not part.vectors[0].any()
    together = np.concatenate([part.vectors[part.ids] for part in batches])
    np.testing.assert_array_equal(together, whole.vectors[whole.ids])


def test_stacked_tables_do_not_collide() -> None:
    a = Vectors(["x", "y"], np.array([[1, 0], [0, 1]], np.float32))
    b = Vectors(["y", "z"], np.array([[1, 0], [0, 1]], np.float32))
    stacked = Vectors.stack(a, b)
    batch = Inputs(Reader(), stacked).batch(["x y z none"])
    np.testing.assert_array_equal(batch.vectors[batch.ids], stacked.rows(["x", "y", "z", "none"]))


def test_normalisation_is_that_of_the_flattened_data() -> None:
    texts, _ = topical(20)
    raw = Inputs(Reader(), some_vectors(), shortest=1).batch([*texts, "", "unknown"])
    flat = raw.vectors[raw.ids]
    flat = np.delete(flat, np.flatnonzero(raw.ids == 0), axis=0).astype(float)
    mean, deviation = normalisation(raw)
    assert mean == pytest.approx(flat.mean())
    assert deviation == pytest.approx(flat.std())
    assert normalisation(Inputs(Reader(), some_vectors()).batch([""])) == (0.0, 1.0)
