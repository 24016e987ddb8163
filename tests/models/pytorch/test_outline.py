from pathlib import Path
from typing import Any

import pytest
import torch
from hub_folders import CONFIG, write_folder

from whyword import InputError
from whyword.models.pytorch.outline import Outline
from whyword.models.pytorch.weights import Weights

pytestmark = pytest.mark.slow("imports transformers")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Weights:
    return Weights.of(write_folder(tmp_path_factory.mktemp("hub") / "bert"))


def outline(weights: Weights, new_head: bool = False, **changes: Any) -> Outline:
    from transformers import BertConfig

    return Outline.of(BertConfig.from_dict({**CONFIG, **changes}), len(weights.places), new_head)


def test_it_has_no_memory(weights: Weights) -> None:
    made = outline(weights, vocab_size=10**12)
    assert {one.device.type for one in made.module.parameters()} == {"meta"}
    assert made.shapes["bert.embeddings.word_embeddings.weight"] == (10**12, 8)
    assert made.kind.__name__ == "BertForSequenceClassification"
    assert torch.empty(1).device.type == "cpu"


def test_what_fits(weights: Weights) -> None:
    made = outline(weights)
    made.check(Path("x"), weights)
    assert set(made.shapes) == set(weights.shapes)
    assert made.new == made.optional == frozenset()


def test_a_new_head(weights: Weights) -> None:
    made = outline(weights, new_head=True, id2label={"0": "a", "1": "b"})
    assert made.new == {"classifier.weight", "classifier.bias"}
    assert made.optional == {"bert.pooler.dense.weight", "bert.pooler.dense.bias"}
    made.check(Path("x"), weights)  # whatever the old one's size


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("classifier.bias", "classifier.bias"),
        ("embeddings.word_embeddings.weight", "bert.embeddings.word_embeddings.weight"),
        ("bert.embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"),
        ("embeddings.LayerNorm.beta", "bert.embeddings.LayerNorm.bias"),
        ("bert.classifier.bias", "classifier.bias"),
        ("gamma", None),
        ("", None),
    ],
)
def test_names_of_files(theirs: str, ours: str | None, weights: Weights) -> None:
    assert outline(weights).name_of(theirs) == ours


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hidden_size": 10}, r"is \(10,\), in the weights it is \(8,\)"),
        ({"num_hidden_layers": 3}, "describes .* weights, there are"),
        ({"num_hidden_layers": 999}, "far more parts than there are weights"),
    ],
)
def test_what_does_not_fit(changes: Any, said: str, weights: Weights) -> None:
    with pytest.raises(InputError, match=said):
        outline(weights, **changes).check(Path("x"), weights)


def test_weights_that_are_shared_count_once(tmp_path: Path) -> None:
    """BART's table is that of encoder and decoder, and in the file once."""
    import transformers

    config = transformers.BartConfig(
        vocab_size=31,
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=8,
        decoder_ffn_dim=8,
        max_position_embeddings=16,
    )
    transformers.BartForSequenceClassification(config).save_pretrained(tmp_path)
    weights = Weights.of(tmp_path)
    Outline.of(config, len(weights.places)).check(tmp_path, weights)
