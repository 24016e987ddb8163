import numpy as np
import pytest
from networks import made_cnn, made_text

from whyword import InputError
from whyword.models.cnn import forward as module
from whyword.models.cnn.forward import ForwardPass
from whyword.models.cnn.inputs import MOST_DOCUMENTS, PADDING


def test_a_block_holds_no_more_numbers_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relevance takes 4 bytes × words × targets (× dimensions), and a block bounds that."""
    model = made_cnn(dimensions=5)
    texts = [made_text([0, 1, 2, 3])] * 40
    monkeypatch.setattr(module, "BLOCK_BYTES", 4 * 3 * 20)
    assert [len(b.documents) for b in model.trace(texts, columns=3)] == [5] * 8
    monkeypatch.setattr(module, "BLOCK_BYTES", 4 * 3 * 20 * 5)
    assert [len(b.documents) for b in model.trace(texts, columns=3, elements=True)] == [5] * 8
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)
    assert [len(b.documents) for b in model.trace(texts, columns=3, elements=True)] == [1] * 40


def test_many_short_texts_make_several_blocks() -> None:
    sizes = [len(b.documents) for b in made_cnn().trace(["wa"] * (MOST_DOCUMENTS + 5))]
    assert sizes == [MOST_DOCUMENTS, 5]


def test_rows_are_cut_into_words_and_padding() -> None:
    (trace,) = made_cnn((3,)).trace(["wa", "", "wa wb wc wd"])
    assert isinstance(trace, ForwardPass)
    rows = np.arange(10, dtype=np.float32)[:, None]
    assert [part.ravel().tolist() for part in trace.cut(rows)] == [[0], [], [6, 7, 8, 9]]
    assert trace.padding(rows).ravel().tolist() == [1 + 2, 3 + 4 + 5, 0]


def test_it_is_the_models_own_prediction() -> None:
    model, texts = made_cnn((1, 3)), [made_text([0, 6, 2]), "", made_text([4])]
    (trace,) = model.trace(texts)
    np.testing.assert_array_equal(trace.scores, model.class_scores(texts))
    np.testing.assert_allclose(trace.probabilities, model.predict_proba(texts))
    assert [one.tolist() for one in trace.known] == [[True, False, True], [], [True]]
    assert trace.known_words.tolist() == model.known_words(texts).tolist()
    assert (len(trace), trace.dimensions) == (3, 4)
    assert trace.pooled.shape == (3, 12)
    for (activations, weight), first in zip(trace.parts(), (0, 6), strict=True):
        np.testing.assert_array_equal(activations.pooled, trace.pooled[:, first : first + 6])
        np.testing.assert_array_equal(weight, model.network_.output_weight[first : first + 6])


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
