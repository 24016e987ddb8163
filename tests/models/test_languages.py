"""German, Russian, Arabic and Chinese from the text to the explanation: words, spans, sums."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from whyword import InputError, SVMClassifier, explain, load_model
from whyword.words import Reader, Tokenizer, guess_rule
from whyword.words.rules import Rule

# two topics each, space and hockey, and the rule that fits
SPACE, HOCKEY = "space", "hockey"
LANGUAGES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "German": (
        "words",
        {
            SPACE: ["Die Rakete flog zum Mond.", "Die Raumfähre umkreist den Mond, größer als je."],
            HOCKEY: ["Der Torwart hielt den Puck.", "Das Tor fiel spät; die Süddeutschen jubeln!"],
        },
    ),
    "Russian": (
        "words",
        {
            SPACE: ["Ракета летит к Луне.", "Космический корабль облетел Луну, объём мал."],
            HOCKEY: ["Вратарь отбил шайбу.", "Гол! Команда выиграла матч на льду."],
        },
    ),
    "Arabic": (
        "words",
        {
            SPACE: ["وصل الصاروخ إلى القمر.", "تدور المركبة حول القمر، مُنذُ يوم."],
            HOCKEY: ["أمسك الحارس القرص.", "سجّل الفريق هدفًا في المباراة؟"],
        },
    ),
    "Chinese": (
        "unicode",
        {
            SPACE: ["火箭飞向月球。", "飞船绕月球飞行，火箭返回。"],
            HOCKEY: ["守门员挡住了冰球。", "冰球队在比赛中进球！"],
        },
    ),
}


def texts_of(language: str) -> tuple[list[str], list[str], str]:
    rule, topics = LANGUAGES[language]
    pairs = [(text, label) for label, texts in topics.items() for text in texts * 3]
    return [text for text, _ in pairs], [label for _, label in pairs], rule


def svm(texts: list[str], labels: list[str], rule: Rule) -> SVMClassifier:
    """Return an SVM over the words of a rule."""
    reader = Reader(tokenizer=Tokenizer(rule=rule))
    return SVMClassifier(C=1.0, reader=reader).fit(texts, labels)


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        (
            "Die Straßenbahn hält z.B. am U-Bahnhof, 3 Äpfel größer.",
            "words",
            "4 Die|Straßenbahn|hält|z.B.|am|U-Bahnhof|Äpfel|größer",
        ),
        ("Ёлка, объём и кто-то!", "words", "6 Ёлка|объём|и|кто-то"),
        ("مُنذُ يوم، (القمر)؟", "words", "6 مُنذُ|يوم|القمر"),
        ("火箭，月球。", "unicode", "1 火|箭|月|球"),
    ],
)
def test_words_and_where_the_second_one_begins(text: str, rule: str, expected: str) -> None:
    second, words = expected.split(" ", 1)
    document = Tokenizer(rule=rule)(text)
    assert document.words == words.split("|")
    assert document.spans[1, 0] == int(second)
    assert [text[start:end] for start, end in document.spans.tolist()] == document.words


@pytest.mark.parametrize("rule", ["fits", "unicode", "characters"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_svm_is_trained_stored_and_explained(language: str, rule: str, tmp_path: Path) -> None:
    texts, labels, fitting = texts_of(language)
    assert guess_rule(texts) == fitting
    model = svm(texts, labels, fitting if rule == "fits" else rule)
    assert model.predict(texts).tolist() == labels
    identity = model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert again.identity == model.identity == identity
    for mine, theirs in zip(explain(model, texts), explain(again, texts), strict=True):
        assert mine.words == [mine.text[start:end] for start, end in mine.spans.tolist()]
        assert mine.known.all()
        assert mine.conserved
        np.testing.assert_array_equal(mine.spans, theirs.spans)
        np.testing.assert_allclose(mine.relevance, theirs.relevance)


def test_the_words_of_the_topic_speak_for_it() -> None:
    texts, labels, rule = texts_of("Chinese")
    found = explain(svm(texts, labels, rule), "火箭和冰球", target=SPACE)
    relevance = dict(zip(found.words, np.ravel(found.relevance).tolist(), strict=True))
    assert min(relevance["火"], relevance["箭"]) > 0 > max(relevance["冰"], relevance["球"])
    assert found.known.tolist() == [True, True, False, True, True]


def bigrams(text: str) -> list[tuple[int, int]]:
    """Return pairs of characters: what a segmenter would find, roughly."""
    return [found.span() for found in re.finditer(r"\w{1,2}", text)]


def test_a_model_that_reads_by_a_function_works_and_is_not_saved(tmp_path: Path) -> None:
    texts, labels, _ = texts_of("Chinese")
    model = svm(texts, labels, bigrams)
    assert model.predict(texts).tolist() == labels
    found = explain(model, texts[0])
    assert found.words == ["火箭", "飞向", "月球"]
    assert found.conserved
    assert model.identity is None
    with pytest.raises(InputError, match="a saved model holds no code"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    sent = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(sent.decision_function(texts), model.decision_function(texts))
