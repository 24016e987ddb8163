"""Small Hugging Face folders: a BERT with random weights that knows the words of the topics."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from networks import COMMON, TOPICS

WORDS = [*COMMON, *(word for topic in TOPICS.values() for word in topic)]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CLASSES = sorted(TOPICS)
CONFIG = {
    "model_type": "bert",
    "architectures": ["BertForSequenceClassification"],
    "vocab_size": len(SPECIAL) + len(WORDS),
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 64,
    "initializer_range": 0.5,
    "id2label": {str(number): label for number, label in enumerate(CLASSES)},
    "problem_type": "single_label_classification",
}


def write_tokenizer(folder: Path) -> None:
    """Write a fast tokenizer of whole words that shortens and pads texts, as many do."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    ids = {piece: number for number, piece in enumerate([*SPECIAL, *WORDS])}
    rules = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    rules.normalizer = normalizers.BertNormalizer(lowercase=True)
    rules.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(token, ids[token]) for token in ("[CLS]", "[SEP]")]
    rules.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ends
    )
    rules.enable_truncation(5)
    rules.enable_padding(length=5)
    rules.save(str(folder / "tokenizer.json"))
    names = {f"{token.strip('[]').lower()}_token": token for token in SPECIAL}
    settings = {"tokenizer_class": "BertTokenizer", **names}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def write_folder(folder: Path, **changes: Any) -> Path:  # noqa: ANN401 - settings
    """Write a classifier with random weights, and return the folder."""
    import torch
    from safetensors.torch import save_file
    from transformers import BertConfig, BertForSequenceClassification

    folder.mkdir(parents=True)
    config = CONFIG | changes
    (folder / "config.json").write_text(json.dumps(config))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = BertForSequenceClassification(BertConfig.from_dict(dict(config)))
        for name, one in module.named_parameters():  # biases are zeros at first
            if name.endswith("bias"):
                torch.nn.init.normal_(one)
    tensors = {name: one.contiguous() for name, one in module.state_dict().items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    write_tokenizer(folder)
    return folder


def change_config(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change what ``config.json`` says."""
    path = folder / "config.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
