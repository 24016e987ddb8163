import numpy as np
import pytest
from networks import made_cnn, made_text

from whyword.methods import blocks as module
from whyword.methods.blocks import NetworkBlock, blocks, network_blocks
from whyword.models.cnn.inputs import MOST_DOCUMENTS


def test_a_block_holds_no_more_numbers_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Relevance takes 4 bytes × words × targets (× dimensions), and a block bounds that."""
    model = made_cnn(dimensions=5)
    texts = [made_text([0, 1, 2, 3])] * 40
    monkeypatch.setattr(module, "BLOCK_BYTES", 4 * 3 * 20)
    assert [len(b.documents) for b in blocks(model, texts, 3, False)] == [5] * 8
    monkeypatch.setattr(module, "BLOCK_BYTES", 4 * 3 * 20 * 5)
    assert [len(b.documents) for b in blocks(model, texts, 3, True)] == [5] * 8
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)
    assert [len(b.documents) for b in blocks(model, texts, 3, True)] == [1] * 40


def test_many_short_texts_make_several_blocks() -> None:
    sizes = [len(b.documents) for b in blocks(made_cnn(), ["wa"] * (MOST_DOCUMENTS + 5), 1, False)]
    assert sizes == [MOST_DOCUMENTS, 5]


def test_rows_are_cut_into_words_and_padding() -> None:
    (block,) = network_blocks(made_cnn((3,)), ["wa", "", "wa wb wc wd"], 1)
    assert isinstance(block, NetworkBlock)
    rows = np.arange(10, dtype=np.float32)[:, None]
    assert [part.ravel().tolist() for part in block.cut(rows)] == [[0], [], [6, 7, 8, 9]]
    assert block.padding(rows).ravel().tolist() == [1 + 2, 3 + 4 + 5, 0]
