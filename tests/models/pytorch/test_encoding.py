"""From a text to ids and back: three ways to encode, four ways to delete."""

from typing import Any

import numpy as np
import pytest

from whyword.base.errors import InputError, ModelError
from whyword.models.pytorch.encoding import (
    Deletion,
    Encoded,
    FunctionEncoder,
    VocabularyEncoder,
    encoder_of,
)
from whyword.models.pytorch.pieces import with_symbols
from whyword.words import Document, Reader

VOCABULARY = {"<pad>": 0, "<unk>": 1, "good": 2, "film": 3, "NASA": 4}


def document(text: str) -> Document:
    (made,) = Reader().documents([text])
    return made


def letters(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Every character is a token; one begins the text."""
    return [1, *map(ord, text)], [(0, 0), *((n, n + 1) for n in range(len(text)))]


def encode(encoder: Any, text: str) -> Encoded:
    made: Encoded = encoder_of(encoder)(document(text))
    return made


def test_a_dict() -> None:
    encoder = VocabularyEncoder(VOCABULARY)
    assert (encoder.pad, encoder.unknown, encoder.sees_symbols) == (0, 1, False)
    one = encoder(document("Good films: NASA, a film!"))
    assert one.ids.tolist() == [2, 1, 4, 1, 3]
    assert one.known.tolist() == [True, False, True, False, True]
    assert one.pieces.to_words(np.eye(5)).tolist() == np.eye(5).tolist()


def test_words_that_nobody_knows_are_left_out_without_an_id_for_them() -> None:
    one = encode({"good": 2, "film": 3}, "a good old film")
    assert one.ids.tolist() == [2, 3]
    assert one.pieces.to_words(np.eye(2)).tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
    assert one.known.all()


def test_a_function() -> None:
    one = encode(letters, "ab c")
    assert one.ids.tolist() == [1, 97, 98, 32, 99]
    assert one.pieces.of_words.tolist() == [False, True, True, False, True]
    arrays = encode(lambda text: tuple(map(np.array, letters(text))), "ab c")
    assert arrays.ids.tolist() == one.ids.tolist()
    assert encoder_of(letters).settings is None


def test_an_encoder_is_one() -> None:
    encoder = FunctionEncoder(letters)
    assert encoder_of(encoder) is encoder


@pytest.mark.slow("imports transformers")
def test_a_fast_tokenizer() -> None:
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
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, **special)
    encoder = encoder_of(tokenizer)
    assert (encoder.pad, encoder.mask, encoder.sees_symbols) == (0, 4, True)
    one = encoder(with_symbols(document("Good Films of!")))
    assert one.ids.tolist() == [2, 7, 5, 6, 1, 8, 3]  # and it was not cut
    assert one.known.tolist() == [True, True, True, True, False, True, True]
    shares = one.pieces.to_words(np.eye(7))
    assert [np.flatnonzero(row).tolist() for row in shares] == [[1], [2, 3], [4], [5]]
    assert encoder.settings is not None


class Slow:
    is_fast = False


NO_ENCODER: dict[str, tuple[Any, str]] = {
    "a slow tokenizer": (Slow(), "Slow is no fast tokenizer"),
    "a number": (7, "must be a function from a text"),
    "no ids": ({"good": "two"}, "must map words to ids; it has 'good': 'two'"),
    "flags": ({"good": True}, "must map words to ids"),
    "numbers as words": ({3: 4}, "must map words to ids"),
}


@pytest.mark.parametrize("name", NO_ENCODER)
def test_no_encoder(name: str) -> None:
    encoder, said = NO_ENCODER[name]
    with pytest.raises(InputError, match=said):
        encoder_of(encoder)


def fail(text: str) -> Any:
    raise RuntimeError("broken")


WRONG: dict[str, tuple[Any, str]] = {
    "ids only": (lambda text: [1, 2, 3], r"must return \(ids, spans\)"),
    "nothing": (lambda text: None, r"must return \(ids, spans\), not None"),
    "too few spans": (lambda text: ([1, 2], [(0, 1)]), r"not \(2,\) and \(1, 2\)"),
    "no pairs": (lambda text: ([1], [0]), r"must return ids \(n,\) and spans \(n, 2\)"),
    "halves": (lambda text: ([1.5], [(0, 1)]), "of whole numbers"),
    "words": (lambda text: (["a"], [(0, 1)]), "of whole numbers"),
    "ragged": (lambda text: ([[1], [2, 3]], [(0, 1)]), "of whole numbers"),
    "beyond the end": (lambda text: ([1], [(0, 99)]), r"the span \[0, 99\) of a text of 4"),
    "backwards": (lambda text: ([1], [(2, 1)]), r"the span \[2, 1\)"),
    "before": (lambda text: ([1], [(-1, 1)]), r"the span \[-1, 1\)"),
    "too long": (
        lambda text: (np.ones((1 << 20) + 1, int), np.zeros(((1 << 20) + 1, 2), int)),
        "1,048,577 tokens",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers_are_one_line(name: str) -> None:
    function, said = WRONG[name]
    with pytest.raises(InputError, match=said) as error:
        encode(function, "text")
    assert "\n" not in str(error.value)


def test_an_error_of_somebodys() -> None:
    with pytest.raises(ModelError, match=r"encode failed on 'text' \(RuntimeError: broken\)"):
        encode(fail, "text")


def test_nothing_at_all() -> None:
    one = encode(lambda text: ([], []), "")
    assert len(one.ids) == 0
    assert one.pieces.words == 0


# ---- deletions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["zero", "mask", "pad", "cut"])
@pytest.mark.parametrize("encoder", [VOCABULARY, letters])
def test_without_words(how: str, encoder: Any) -> None:
    made, text = encoder_of(encoder), document("good old film")
    deletion = Deletion.of(how, made, 0, 9)
    whole = made(text)
    gone = np.array([False, True, False])
    nothing = made.without(text, whole, np.zeros(3, np.bool_), deletion)
    assert nothing.ids.tolist() == whole.ids.tolist()
    found = made.without(text, whole, gone, deletion)
    places = whole.pieces.gone(gone)
    if how == "cut":
        rest = made(document("good  film"))
        assert found.ids.tolist() == rest.ids.tolist()
        sums = found.pieces.to_words(np.ones((len(found.ids), 1)))[:, 0]
        assert sums[1] == 0
        assert sums[0] == whole.pieces.to_words(np.ones((len(whole.ids), 1)))[0, 0]
    elif how == "zero":
        assert found.ids.tolist() == whole.ids.tolist()
        assert found.zeroed.tolist() == places.tolist()
    else:
        instead = 9 if how == "mask" else 0
        assert (found.ids[places] == instead).all()
        assert (found.ids[~places] == whole.ids[~places]).all()
        assert found.hidden.any() == (how == "pad")
    assert found.pieces.known_words(found.known).tolist() == [True, False, True]


@pytest.mark.parametrize(("pad", "hides"), [(0, True), (0, False), (None, True)])
def test_by_default_words_are_hidden_if_they_can_be(pad: int | None, hides: bool) -> None:
    chosen = Deletion.of(None, encoder_of(letters), pad, None, hides)
    assert chosen.how == ("pad" if hides and pad is not None else "zero")


def test_deletions_that_cannot_be() -> None:
    encoder = encoder_of(letters)
    with pytest.raises(InputError, match="deletion"):
        Deletion.of("forget", encoder, None, None)
    with pytest.raises(InputError, match="needs the id that is read instead"):
        Deletion.of("mask", encoder, None, None)
    with pytest.raises(InputError, match="needs a padding id"):
        Deletion.of("pad", encoder, None, None)
