"""Words and characters in any script, compared with the literal rules of tests/segments.py."""

import numpy as np
import pytest
import segments
from hypothesis import given
from hypothesis import strategies as st

from whyword.words.boundaries import character_spans, unicode_spans
from whyword.words.scan import code_points
from whyword.words.scripts import character_kinds

SCRIPTS = [
    "aBéß ʼ.',;\"3-!·’:_\u00ad\u202e\u200b\ufeff½²Ⅻ",
    "日本語々〇ひらがなカタカナー゙ｶﾞ\u30fb\U00020000\U000e0100",
    "русский שלוםצ\u05f3\u05f4 مرحبا\u0651،\u066c\u0660ـ\u200c",
    "한글\u1100\u1161\u11a8 ինչո\u055eւ བོད\u0f0b",
    "नमस्ते\u200d\u0939 ক্ষ த்க",
    "สวัดีน้ำเ๑ ລາວຳ ကျွန်တော် ខ្មែរ",
    "👩🚀🇩🇪👍\U0001f3fd\ufe0f♀❤\u20e3\u200d🏴\U000e0067\U000e007f",
    "\u0301\n\r\t\x00\ud800\udc00\ue000\U0010ffff",
]
ALPHABET = sorted(set("".join(SCRIPTS)))
texts = st.one_of(
    *(st.text(st.sampled_from(sorted(set(script))), max_size=20) for script in SCRIPTS),
    st.text(st.sampled_from(ALPHABET), max_size=20),
)


def spans(text: str, rule: str = "unicode") -> list[tuple[int, int]]:
    scan = unicode_spans if rule == "unicode" else character_spans
    found = scan(code_points(text), character_kinds())
    assert found.dtype == np.int32
    assert found.shape[1:] == (2,)
    return list(map(tuple, found.tolist()))


def words(text: str, rule: str = "unicode") -> list[str]:
    return [text[start:end] for start, end in spans(text, rule)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("42 -- ! 1,000.5 Ⅻ 👍🏽 🇩🇪", ""),
        ("Don't l’été U.S. host.com.", "Don't l’été U.S host.com"),
        ("'quoted' (in) yes:no 3rd x=1", "quoted in yes no 3rd x"),
        ("state-of-the-art _foo_ a_b __", "state of the art foo a_b"),
        ("Straße und Äpfel, Übermut!", "Straße und Äpfel Übermut"),
        ("Привет, мир! Ёлка", "Привет мир Ёлка"),
        ("مرحبًا بالعالم، كيف حالك؟", "مرحبًا بالعالم كيف حالك"),
        ("\u200fשלום\u200f צה\"ל 'אני'", 'שלום צה"ל אני'),
        ("می\u200cخواهم نمی\u200cدانم", "می\u200cخواهم نمی\u200cدانم"),
        ("नमस्ते दुनिया।", "नमस्ते दुनिया"),
        ("한국어 문장입니다.", "한국어 문장입니다"),
        ("今天天气好，2026年。", "今 天 天 气 好 年"),
        ("東京タワーへ行く", "東 京 タワー へ 行 く"),
        ("GPTは凄い", "GPT は 凄 い"),
        ("葛\U000e0100城 か\u3099 𠀀", "葛\U000e0100 城 か\u3099 𠀀"),
        ("น้ำดี", "น้ำ ดี"),
        ("ខ្មែរ", "ខ្មែ រ"),
        ("བོད་སྐད", "བོད སྐད"),
        ("ինչո՞ւ գնաց՞", "ինչո՞ւ գնաց"),
        ("co\u00adop\u00ad e\u0301te\u0301 \u0301x", "co\u00adop e\u0301te\u0301 x"),
        ("lone \ud800surrogate\udfff", "lone surrogate"),
        ("l·l 1.5m a.\u03015", "l·l 1.5m a"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" a b\n", "a b"),
        ("e\u0301te\u0301!", "e\u0301 t e\u0301 !"),
        ("👩\u200d🚀🇩🇪🇫🇷👍🏽1️⃣", "👩\u200d🚀 🇩🇪 🇫🇷 👍🏽 1️⃣"),
        ("🇩🇪🇫", "🇩🇪 🇫"),
        ("a\u200d🚀", "a\u200d 🚀"),
        ("क्षत्रि", "क्ष त्रि"),
        ("क्\u200cष", "क्\u200c ष"),
        ("क\u09cdক", "क\u09cd ক"),  # the linker of another script
        ("한\u1112\u1161\u11ab", "한 \u1112\u1161\u11ab"),
        ("น้ำ天天", "น้ำ 天 天"),
        ("\ufeffa\x00b\u202ec\ud800 \u0301", "a b c"),
    ],
)
def test_characters(text: str, expected: str) -> None:
    assert words(text, "characters") == expected.split(" ")


@given(texts | st.text(max_size=20))
def test_words_are_those_of_the_literal_rules(text: str) -> None:
    assert spans(text) == segments.unicode_words(text)


@given(texts)
def test_characters_are_those_of_the_literal_rules(text: str) -> None:
    assert spans(text, "characters") == segments.characters(text)
