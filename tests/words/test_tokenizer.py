"""Words by the rule "words", which is NLTK's, and the settings of a tokenizer."""

import json
import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import is_word, simple_words

from whyword import InputError, tokenize
from whyword.words import Tokenizer
from whyword.words.scan import code_points, folded_hashes
from whyword.words.stop_words import ENGLISH
from whyword.words.tokenizer import words_of


def words(text: str) -> list[str]:
    return tokenize(text).words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("  \n\t ", ""),
        (". .. ... - -- ' '' 's", "'s"),
        ("do n't", "do n't"),
        ("Don't! You'll CAN'T, NASA's.", "Do n't You 'll CA N'T NASA 's"),
        ("I'd we've they're I'm", "I 'd we 've they 're I 'm"),
        ("cannot gonna Gimme", "can not gon na Gim me"),
        ("state-of-the-art", "state-of-the-art"),
        ("the dogs' bowl 'quoted words'", "the dogs bowl quoted words"),
        ("rock 'n' roll", "rock 'n roll"),
        ("the end '", "the end"),
        ("the 1980's and/or x=1 a_b 3rd", "the 's"),
        ("one--two...three", "one two three"),
        ("mail me@host.com or http://a.b/c", "mail me host.com or http"),
        ("yes,no:maybe 1,5 a,5", "yes no maybe"),
        ('(in) [out] {or} <tag> "q" `b`', "in out or tag q b"),
        # dots stay on abbreviations only
        ("The end.", "The end"),
        ("The end. Next one.", "The end Next one"),
        ('He said "stop." Then left.', "He said stop Then left"),
        ("(It ended.) 'It did.'", "It ended It did"),
        ("'It did'.", "It did"),
        ("Mr. Smith vs. Dr. Who etc. and more", "Mr. Smith vs. Dr. Who etc. and more"),
        ("in the U.S. The law, e.g. this", "in the U.S. The law e.g. this"),
        ("He moved to the U.S.", "He moved to the U.S."),
        ("by J. R. Smith and J.-P. Roe, Ph.D.", "by J. R. Smith and J.-P. Roe Ph.D."),
        ("vitamin C. The rest", "vitamin C The rest"),
        ("the o'U.S. law ab.c. x abc.d. x", "the o'U.S law ab.c. x abc.d x"),
        ("Foo Inc., a company", "Foo Inc. a company"),
        ("visit host.com. Now", "visit host.com Now"),
        ("it ends etc.", "it ends etc"),
        # other scripts and characters
        ("नमस्ते दुनिया।", "नमस्ते दुनिया"),
        ("cafe\u0301 nai\u0308ve", "cafe\u0301 nai\u0308ve"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("שלום עולם", "שלום עולם"),
        ("good… word—word «ja» “so” 你好，世界。", "good word word ja so 你好 世界"),
        ("great😀 👍🏽ok", "great ok"),
        ("a\x00b\x1bc \u202eabc\u202c \ufeffbom", "a b c abc bom"),
        ("line\r\nbreak\u2028here", "line break here"),
        ("Straße ÅNGSTRÖM ﬁn", "Straße ÅNGSTRÖM ﬁn"),
        ("lone \ud800surrogate \uf0b7private", "lone surrogate private"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


tricky = st.text(st.sampled_from("aB.'-, \n:;1/()\"éе\u0301😀\u200d") | st.characters())


@given(tricky)
def test_every_span_is_a_word_of_the_text(text: str) -> None:
    document = tokenize(text)
    assert document.text == text
    assert [text[start:end] for start, end in document.spans.tolist()] == document.words
    assert all(is_word(word) for word in document.words)
    ends = document.spans.ravel()
    assert (ends[1:] >= ends[:-1]).all()
    assert len(document) == len(document.words)


@given(st.text(st.sampled_from('abcXYZ-_/=;,:()"[] \n!?')).filter(lambda t: "--" not in t))
def test_plain_text_equals_the_literal_rule(text: str) -> None:
    expected = simple_words(text)
    if not {"cannot", "gonna"} & set(expected):
        assert words(text) == expected


@given(tricky, tricky)
def test_a_paragraph_break_separates(first: str, second: str) -> None:
    """Words never join across a break, whatever stands on its two sides."""
    break_at = len(first)
    for start, end in tokenize(first + "\n\n" + second).spans.tolist():
        assert end <= break_at or start >= break_at + 2


def test_max_words_counts_the_words_left_out() -> None:
    document = tokenize("one two three four", max_words=3)
    assert document.words == ["one", "two", "three"]
    assert document.truncated == 1
    assert tokenize("one two").truncated == 0
    assert list(words_of(["Don't go", document])) == [["Do", "n't", "go"], document.words]
    assert list(words_of(["a b"], Tokenizer(1))) == [["a"]]


def test_wrong_arguments() -> None:
    for text in (None, 3, b"bytes", ["a"]):
        with pytest.raises(InputError, match=f"a text must be a str, not {type(text).__name__}: "):
            tokenize(text)  # type: ignore[arg-type]
    for most in (0, -1, 2.5, "5", True):
        with pytest.raises(InputError, match="max_words must be a whole number"):
            Tokenizer(max_words=most)  # type: ignore[arg-type]
    for rule in ("word", "", None, 1, int):
        with pytest.raises(InputError, match="rule may be 'words' or 'unicode' or 'characters'"):
            Tokenizer(rule=rule)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="abbreviations must be a list"):
        Tokenizer(abbreviations="dr")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="texts must be a list of strings, not one string"):
        words_of("a text")


def test_own_abbreviations() -> None:
    for form in ("bzw", "bzw.", "Bzw"):
        tokenizer = Tokenizer(abbreviations=frozenset({form}))
        assert tokenizer("A bzw. b").words == ["A", "bzw.", "b"]


def test_rules() -> None:
    text = "Don't say 你好!"
    assert tokenize(text).words == ["Do", "n't", "say", "你好"]
    assert tokenize(text, rule="unicode").words == ["Don't", "say", "你", "好"]
    assert "".join(tokenize(text, rule="characters").words) == text.replace(" ", "")
    assert tokenize(text, rule=first_letter).words == ["D"]
    assert tokenize(text, 3, rule="unicode").truncated == 1


def first_letter(text: str) -> list[tuple[int, int]]:
    return [(0, 1)] if text else []


def test_configurations() -> None:
    for rule in ("words", "unicode", "characters"):
        tokenizer = Tokenizer(5, frozenset({"dr"}), rule)
        stored = json.loads(json.dumps(tokenizer.configuration()))
        assert Tokenizer.from_configuration(stored) == tokenizer
        assert ("rule" in stored) == (rule != "words")
    tokenizer = Tokenizer(rule=first_letter)
    with pytest.raises(InputError, match="rule is a function; a saved model holds no code"):
        tokenizer.configuration()
    assert pickle.loads(pickle.dumps(tokenizer))("abc").words == ["a"]


def test_hashes_are_sorted_and_fold_capitals() -> None:
    def fnv(word: str) -> int:
        value = 0xCBF29CE484222325
        for character in word.lower():
            value = (value ^ ord(character)) * 0x100000001B3 % 2**64
        return value

    assert folded_hashes(["Inc", "aZ@[", "Dr"]).tolist() == sorted(map(fnv, ["inc", "aZ@[", "dr"]))
    assert len(folded_hashes([])) == 0


@given(st.text())
def test_code_points_are_those_of_python(text: str) -> None:
    assert code_points(text).tolist() == list(map(ord, text))


def test_stop_words_are_words_of_this_rule_and_not_negations() -> None:
    for word in ENGLISH:
        assert word == word.lower()
        assert words(f"x{word}" if word.startswith("'") else word)[-1] == word
    text = "It wasn't good, and I do not, never, think that nothing without any of it is no good."
    read = [word for word in words(text) if word.lower() not in ENGLISH]
    assert read == "n't good not never think nothing without no good".split()


@pytest.mark.nightly(reason="measures time")
@pytest.mark.parametrize("rule", ["words", "unicode", "characters"])
def test_time_is_linear_in_the_length(rule: str) -> None:
    def seconds(unit: str, count: int) -> float:
        text = "a" + unit * (count // len(unit))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()  # of this process: others may be busy, too
            tokenize(text, rule=rule)
            best = min(best, time.process_time() - start)
        return best

    units = "a|a. |a.' |'|-|.|a'|n't|(| |\u0301|A. (|a,1|U.|天|カ|ก|a\u0301|\u200d|👩\u200d"
    for unit in (units + '|🇩|a_|_|\u1100|\u00ad|क्|a.\u0301|ש"|1,').split("|"):
        tokenize(unit, rule=rule)
        # Sixteen times the text; quadratic time would be 256 times as long.
        assert seconds(unit, 1_600_000) < 80 * max(seconds(unit, 100_000), 1e-4), unit
