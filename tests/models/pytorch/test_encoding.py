"""From a text to ids and back: which words the pieces are of, and ways to delete a word."""

import string
import unicodedata
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_networks import enliven

import whyword as ww
from whyword.base.errors import InputError, ModelError
from whyword.models.pytorch.character_encoding import (
    BLANK,
    FIRST,
    UNKNOWN,
    CharacterEncoder,
    alphabet_of,
)
from whyword.models.pytorch.encoding import (
    Deletion,
    Encoded,
    FunctionEncoder,
    VocabularyEncoder,
    encoder_of,
    tokenizer_of,
)
from whyword.models.pytorch.pieces import Pieces, with_symbols
from whyword.words import Document, Reader

VOCABULARY = {"<pad>": 0, "<unk>": 1, "good": 2, "film": 3, "NASA": 4}


def document(text: str) -> Document:
    (made,) = Reader().documents([text])
    return made


def letters(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Return a token for each character, and one that begins the text."""
    return [1, *map(ord, text)], [(0, 0), *((n, n + 1) for n in range(len(text)))]


def encode(encoder: Any, text: str) -> Encoded:
    made: Encoded = encoder_of(encoder)(document(text))
    return made


# ---- ways to encode -----------------------------------------------------------------------------


def test_a_dict_reads_words() -> None:
    encoder = VocabularyEncoder(VOCABULARY)
    assert (encoder.pad, encoder.unknown, encoder.sees_symbols) == (0, 1, False)
    one = encoder(document("Good films: NASA, a film!"))
    assert one.ids.tolist() == [2, 1, 4, 1, 3]
    assert one.known.tolist() == [True, False, True, False, True]
    assert one.pieces.to_words(np.eye(5)).tolist() == np.eye(5).tolist()
    assert encoder.settings == {"vocabulary": VOCABULARY}


def test_unknown_words_are_left_out_of_a_dict_without_an_id_for_them() -> None:
    one = encode({"good": 2, "film": 3}, "a good old film")
    assert one.ids.tolist() == [2, 3]
    assert one.pieces.to_words(np.eye(2)).tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert one.known.all()


def test_a_function_encodes() -> None:
    one = encode(letters, "ab c")
    assert one.ids.tolist() == [1, 97, 98, 32, 99]
    assert one.pieces.of_words.tolist() == [False, True, True, False, True]
    assert one.special.tolist() == [True, False, False, False, False]
    arrays = encode(lambda text: tuple(map(np.array, letters(text))), "ab c")
    assert arrays.ids.tolist() == one.ids.tolist()
    assert encoder_of(letters).settings is None
    encoder = FunctionEncoder(letters)
    assert encoder_of(encoder) is encoder
    nothing = encode(lambda text: ([], []), "")
    assert (len(nothing.ids), nothing.pieces.words) == (0, 0)


def test_a_fast_tokenizer_neither_cuts_nor_pads() -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "film", "##s", "good", "!"]
    inner = Tokenizer(
        models.WordPiece({word: n for n, word in enumerate(words)}, unk_token="[UNK]")
    )
    inner.normalizer = normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    inner.enable_truncation(4)
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    encoder = encoder_of(PreTrainedTokenizerFast(tokenizer_object=inner, **special))
    assert (encoder.pad, encoder.mask, encoder.sees_symbols) == (0, 4, True)
    text = with_symbols(document("Good Films of!"))
    one = encoder(text)
    assert one.ids.tolist() == [2, 7, 5, 6, 1, 8, 3]
    assert one.known.tolist() == [True, True, True, True, False, True, True]
    assert one.special.tolist() == [True, *[False] * 5, True]
    shares = one.pieces.to_words(np.eye(7))
    assert [np.flatnonzero(row).tolist() for row in shares] == [[1], [2, 3], [4], [5]]
    assert encoder.settings is not None
    stored = encoder.settings["tokenizer"]
    assert stored["special"] == special
    again = tokenizer_of(stored)
    assert again(text).ids.tolist() == one.ids.tolist()
    assert (again.settings, again.pad, again.mask) == (encoder.settings, 0, 4)
    for wrong, said in (
        (stored | {"model": {"type": "nonsense"}}, r"the folder's tokenizer is none \("),
        (stored | {"model": {"vocab": {"a": 1 << 25}}}, "it has the id 33554432"),
    ):
        with pytest.raises(InputError, match=said):
            tokenizer_of(wrong)


class Slow:
    is_fast = False


@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        (Slow(), "Slow is no fast tokenizer"),
        (7, r"must be a function from a text to \(ids, spans\), .* not 7"),
        ({"good": "two"}, "must map words to ids; it has 'good': 'two'"),
        ({"good": True}, "must map words to ids"),
        ({3: 4}, "must map words to ids"),
    ],
)
def test_an_encoder_that_is_none_is_refused(encoder: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        encoder_of(encoder)


def too_long(text: str) -> Any:
    spans = SimpleNamespace(tolist=lambda: np.zeros(((1 << 20) + 1, 2), int))  # no list, quickly
    return SimpleNamespace(tolist=lambda: np.ones((1 << 20) + 1, int)), spans


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda text: [1, 2, 3], r"must return \(ids, spans\)"),
        (lambda text: None, r"must return \(ids, spans\), not None"),
        (lambda text: ([1, 2], [(0, 1)]), r"not \(2,\) and \(1, 2\)"),
        (lambda text: ([1], [0]), r"must return ids \(n,\) and spans \(n, 2\)"),
        (lambda text: ([1.5], [(0, 1)]), "of whole numbers"),
        (lambda text: ([[1]], [(0, 1)]), "of whole numbers"),
        (lambda text: (["a"], [(0, 1)]), "of whole numbers"),
        (lambda text: ([[1], [2, 3]], [(0, 1)]), "of whole numbers"),
        (lambda text: ([1], [(0, 5)]), r"the span \[0, 5\) of a text of 4 characters"),
        (lambda text: ([1, 1], [(0, 4), (2, 1)]), r"the span \[2, 1\)"),
        (lambda text: ([1], [(-1, 1)]), r"the span \[-1, 1\)"),
        (too_long, "a text has 1,048,577 tokens; there may be 1,048,576"),
    ],
)
def test_a_wrong_answer_of_an_encoder_is_told_in_one_line(function: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        encode(function, "text")
    assert "\n" not in str(error.value)


def test_an_error_of_an_encoder_is_told() -> None:
    def fail(text: str) -> Any:
        raise RuntimeError("broken")

    with pytest.raises(ModelError, match=r"encode failed on 'text' \(RuntimeError: broken\)"):
        encode(fail, "text")


# ---- characters ---------------------------------------------------------------------------------

ENCODER = CharacterEncoder("abcdé!", lowercase=True)


def read(text: str, encoder: CharacterEncoder = ENCODER) -> tuple[str, list[int]]:
    """Return the characters that the ids stand for, and their places."""
    ids, spans = encoder.ids_and_spans(document(text), text)
    names = {BLANK: " ", UNKNOWN: "?"} | dict(enumerate(encoder.alphabet, FIRST))
    assert (spans[:, 1] - spans[:, 0] == 1).all()
    return "".join(names[one] for one in ids.tolist()), spans[:, 0].tolist()


def test_characters_have_ids_and_blanks_in_a_row_are_one() -> None:
    assert read("Bad cab") == ("bad cab", [0, 1, 2, 3, 4, 5, 6])
    assert read("aÉz!") == ("aé?!", [0, 1, 2, 3])
    assert read("İ") == ("?", [0])  # two characters in lower case
    assert read("") == read(" \n\t") == ("", [])
    assert read("  a \n\n b  ") == ("a b ", [2, 3, 7, 8])
    assert read("BAD", CharacterEncoder("ABd", lowercase=False)) == ("BA?", [0, 1, 2])
    assert ENCODER.settings == {"alphabet": "abcdé!", "lowercase": True}
    assert ENCODER.known(np.array([BLANK, UNKNOWN, FIRST])).tolist() == [False, False, True]


def test_an_alphabet_is_the_most_frequent_characters() -> None:
    texts = ["aab B", "b\ud800\n\u3000", "cC c"]
    assert alphabet_of(texts, 2, lowercase=True) == "bc"
    assert alphabet_of(texts, 9, lowercase=True) == "bca"
    assert alphabet_of(texts, 9, lowercase=False) == "abcBC"
    assert alphabet_of([], 9, lowercase=True) == ""


@given(st.text())
def test_every_character_that_is_no_blank_is_of_one_word(text: str) -> None:
    encoded = ENCODER(with_symbols(document(text)))
    pieces, owners = encoded.pieces, encoded.pieces.owners
    assert pieces.of_words.tolist() == (encoded.ids != BLANK).tolist()
    assert sum(not one.isspace() for one in text) == pieces.of_words.sum()
    shares = np.bincount(pieces.piece, pieces.share, pieces.count)
    np.testing.assert_array_equal(shares, 1.0 * pieces.of_words)
    assert (owners >= 0).tolist() == pieces.of_words.tolist()
    assert (np.diff(owners[owners >= 0]) >= 0).all()


# ---- pieces of words ----------------------------------------------------------------------------


def test_symbols_are_words_too() -> None:
    for text, words in (
        ("In 2020, C++ was !!! 😡 don't", "In 2020, C++ was !!! 😡 do n't"),
        ("", ""),
        ("  \n ", ""),
    ):
        spans = with_symbols(document(text)).spans.tolist()
        assert [text[start:end] for start, end in spans] == words.split()


@st.composite
def documents_and_spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(st.text(alphabet="ab1! é", max_size=12))
    bounds = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    return text, [(min(pair), max(pair)) for pair in draw(st.lists(bounds, max_size=6))]


@given(documents_and_spans())
def test_shares_of_pieces_are_by_characters(given: tuple[str, list[tuple[int, int]]]) -> None:
    text, spans = given
    whole = with_symbols(document(text))
    owner = {
        place: number
        for number, (start, end) in enumerate(whole.spans.tolist())
        for place in range(start, end)
    }
    assert sorted(owner) == [place for place, one in enumerate(text) if not one.isspace()]
    pieces = Pieces.of(np.array(spans, np.int64).reshape(-1, 2), whole)
    shares = np.zeros((len(spans), len(whole)))
    for number, (start, end) in enumerate(spans):
        own = [owner[place] for place in range(start, end) if place in owner]
        for word in own:
            shares[number, word] += 1 / len(own)
    values = np.arange(1.0, len(spans) + 1).reshape(-1, 1)
    np.testing.assert_allclose(pieces.to_words(values), shares.T @ values)
    np.testing.assert_array_equal(pieces.of_words, shares.any(1))
    gone = np.arange(len(whole)) % 2 == 0
    np.testing.assert_array_equal(pieces.gone(gone), shares @ gone >= 0.5 - 1e-12)
    known = np.arange(len(spans)) % 2 == 0
    np.testing.assert_array_equal(pieces.known_words(known), shares[known].any(0))
    words = np.arange(1.0, len(whole) + 1).reshape(-1, 1)
    totals = np.where(shares.any(0), shares.sum(0), 1)
    np.testing.assert_allclose(pieces.to_pieces(words), shares / totals @ words)
    for number, row in enumerate(shares):
        assert pieces.owners[number] in (np.flatnonzero(row == row.max()) if row.any() else [-1])


def test_chosen_pieces_keep_their_words() -> None:
    pieces = Pieces.of(np.array([[0, 2], [2, 3], [4, 7], [8, 13]]), document("one two three"))
    kept = pieces.chosen(np.array([True, False, False, True]))
    assert kept.count == 2
    assert kept.to_words(np.array([[1.0], [5.0]])).tolist() == [[1], [0], [5]]


# ---- deletions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["zero", "mask", "pad", "cut"])
@pytest.mark.parametrize("encoder", [VOCABULARY, letters])
def test_a_deleted_word_is_read_in_its_way(how: str, encoder: Any) -> None:
    made, text = encoder_of(encoder), document("good old film")
    deletion = Deletion.of(how, made, 0, 9)
    whole = made(text)
    gone = np.array([False, True, False])
    nothing = made.without(text, whole, np.zeros(3, np.bool_), deletion)
    assert nothing.ids.tolist() == whole.ids.tolist()
    found = made.without(text, whole, gone, deletion)
    places = whole.pieces.gone(gone)
    assert places.sum() == (1 if encoder is VOCABULARY else 3)
    if how == "cut":
        assert found.ids.tolist() == made(document("good  film")).ids.tolist()
        ones = np.ones((len(found.ids), 1))
        counts = whole.pieces.to_words(np.ones((len(whole.ids), 1)))[:, 0]
        assert found.pieces.to_words(ones)[:, 0].tolist() == [counts[0], 0, counts[2]]
        return
    instead = {"zero": whole.ids[places], "mask": 9, "pad": 0}[how]
    assert (found.ids[places] == instead).all()
    assert (found.ids[~places] == whole.ids[~places]).all()
    assert found.zeroed.tolist() == (places & (how == "zero")).tolist()
    assert found.hidden.tolist() == (places & (how == "pad")).tolist()
    assert found.pieces.known_words(found.known).tolist() == [True, False, True]


def test_words_are_hidden_by_default_if_they_can_be() -> None:
    for pad, hides, how in ((0, True, "pad"), (0, False, "zero"), (None, True, "zero")):
        assert Deletion.of(None, encoder_of(letters), pad, None, hides).how == how
    for how, said in (
        ("forget", "deletion may be"),
        ("mask", "needs the id that is read instead: say mask="),
        ("pad", "needs a padding id: say pad="),
    ):
        with pytest.raises(InputError, match=said):
            Deletion.of(how, encoder_of(letters), None, None)


# ---- words of sub-words, whatever the text is ---------------------------------------------------

SPECIAL = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
WINDOW = 12
pieces_of_text = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["2020", "3.14", "😡", "👩‍👩‍👧", "🇩🇪", "C++", "don't", "naïve", "İ", "日本語", "e\u0301"]
    ),
    st.sampled_from([" ", "\n", "\t", "\u00a0", "\u200b", "\x00", "\ufffd", "\u202e", "a" * 120]),
    st.characters(categories=["Cs"]),
)
texts = st.lists(pieces_of_text, max_size=12).map("".join)


class Masked(nn.Module):
    """What words say, weighed by what they are."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.embedding, self.look = nn.Embedding(words, 3), nn.Linear(3, 1)
        self.output = nn.Linear(3, 2)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        x = torch.tanh(self.embedding(input_ids))
        asked = self.look(x)[..., 0].masked_fill(attention_mask == 0, -torch.inf)
        return self.output((asked.softmax(1).unsqueeze(-1) * x).sum(1))


@cache
def model(name: str) -> ww.TorchClassifier:
    """Return a classifier whose tokenizer cuts words into pieces, or bytes into pairs."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    if name == "word pieces":  # letters, digits and what follows them in a word; else unknown
        single = [*string.ascii_lowercase, *string.digits, *string.punctuation]
        words = [*SPECIAL, *single, *(f"##{one}" for one in single), "the", "do", "20", "##20"]
        numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
        inner = Tokenizer(models.WordPiece(numbers, unk_token="<unk>"))
        inner.normalizer = normalizers.BertNormalizer()
        inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    else:
        single = sorted(pre_tokenizers.ByteLevel.alphabet())
        pairs = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("2", "0"), ("20", "20")]
        words = [*SPECIAL, *single, *("".join(pair) for pair in pairs)]
        inner = Tokenizer(models.BPE({word: n for n, word in enumerate(words)}, pairs))
        inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    ends = [(one, SPECIAL.index(one)) for one in ("<s>", "</s>")]
    inner.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=ends)
    names = {f"{name}_token": f"<{name}>" for name in ("pad", "unk", "mask")}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, **names)
    module = enliven(Masked(len(tokenizer)).double())
    return ww.TorchClassifier(module, tokenizer, ["no", "yes"], window=WINDOW)


def is_lasting(letter: str) -> bool:
    """Whether no tokenizer may drop a character: letters, digits, signs, emoji.

    (BERT's own drops U+FFFD, which stands for what could not be decoded.)
    """
    kinds = ("Lu", "Ll", "Lo", "Nd", "So", "Sc", "Sm", "Po")
    return letter != "\ufffd" and unicodedata.category(letter) in kinds


@pytest.mark.parametrize("name", ["word pieces", "byte pairs"])
@settings(max_examples=50)
@given(text=texts)
def test_nothing_is_lost_of_any_text(name: str, text: str) -> None:
    one = model(name)
    (trace,) = one.trace([text], columns=2)
    (whole,) = trace.documents
    covered = [place for start, end in whole.spans.tolist() for place in range(start, end)]
    assert covered == [place for place, letter in enumerate(text) if not letter.isspace()]
    pieces = one.encoder(whole).pieces
    for number, (start, end) in enumerate(whole.spans.tolist()):
        if any(map(is_lasting, text[start:end])):
            assert number in pieces.word
    shares = np.bincount(pieces.piece, pieces.share, pieces.count)
    np.testing.assert_allclose(shares, 1.0 * pieces.of_words)
    found = trace.lrp(np.array([[0, 1]], np.int32))
    assert found.units is not None
    own: NDArray[Any] = found.units[0][pieces.of_words].sum(0)
    np.testing.assert_allclose(found.words[0].sum(0), own, atol=1e-12)
    total = found.words[0].sum(0) + found.padding[0] + found.constant[0]
    np.testing.assert_allclose(total, trace.scores[0], atol=1e-10)
