from whyword import tokenize
from whyword.words.stop_words import ENGLISH


def test_they_are_lower_cased_words_as_our_rule_cuts_them() -> None:
    for word in ENGLISH:
        assert word == word.lower()
        assert tokenize(f"x{word}" if word.startswith("'") else word).words[-1] == word


def test_what_negates_is_read() -> None:
    text = "It wasn't good, and I do not, never, think that nothing without any of it is no good."
    read = [word for word in tokenize(text).words if word.lower() not in ENGLISH]
    assert read == "n't good not never think nothing without no good".split()
