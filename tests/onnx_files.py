"""ONNX files of others: their weights by name, their own predictions, and a BERT's pieces."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


def wordpiece_tokenizer(vocabulary: Path) -> Any:  # noqa: ANN401 - transformers' types are not looked at
    """Return the fast tokenizer of an uncased BERT from its list of pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    pieces = vocabulary.read_text(encoding="utf-8").splitlines()
    ids = {piece: number for number, piece in enumerate(pieces)}
    rules = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    rules.normalizer = normalizers.BertNormalizer(lowercase=True)
    rules.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(token, ids[token]) for token in ("[CLS]", "[SEP]")]
    rules.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=rules,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=256,
    )


def dequantised(model: Path) -> dict[str, torch.Tensor]:
    """Return a quantised BERT's weights by the names that transformers gives them."""
    import onnx

    arrays = onnx_arrays(model)
    named = {name: array for name, array in arrays.items() if "." in name and "onnx::" not in name}
    graph = onnx.load(model).graph
    for node in graph.node:  # matrices have lost their names: the operation's own path says them
        if node.op_type == "MatMulInteger" and node.input[1].startswith("onnx::"):
            layer = node.name.strip("/").removesuffix("_quant").rpartition("/")[0]
            named[f"{layer.replace('/', '.')}.weight_quantized"] = arrays[node.input[1]]
            for part in ("scale", "zero_point"):
                matrix = node.input[1].removesuffix("_quantized")
                named[f"{layer.replace('/', '.')}.weight_{part}"] = arrays[f"{matrix}_{part}"]
    weights = {}
    for name, array in named.items():
        if name.endswith("_quantized"):
            stem = name.removesuffix("_quantized")
            steps = array.astype(np.float32) - named[f"{stem}_zero_point"].astype(np.float32)
            plain = steps * named[f"{stem}_scale"]
            weights[stem] = torch.tensor(plain if "embeddings" in stem else plain.T.copy())
        elif not name.endswith(("_scale", "_zero_point")):
            weights[name] = torch.tensor(array)
    return weights


def onnx_weights(model: Path) -> dict[str, NDArray[Any]]:
    """Return weights by torch's names: matrices have lost theirs, an operation's path says them."""
    import onnx

    arrays = onnx_arrays(model)
    named = {name: array for name, array in arrays.items() if "onnx::" not in name}
    for node in onnx.load(model).graph.node:
        if node.op_type == "MatMul" and node.input[1].startswith("onnx::"):
            layer = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            named[f"{layer}.weight"] = arrays[node.input[1]].T.copy()
    return named


def onnx_arrays(model: Path) -> dict[str, NDArray[Any]]:
    import onnx.numpy_helper

    graph = onnx.load(model).graph
    return {one.name: onnx.numpy_helper.to_array(one).copy() for one in graph.initializer}


def onnx_session(model: Path) -> Any:  # noqa: ANN401 - it has no types
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
