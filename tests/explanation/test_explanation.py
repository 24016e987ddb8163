"""The explanation of one document: lists, phrases, filters, passages, displays, sums."""

import dataclasses
import json
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, small_cnn, topical
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import (
    ConservationError,
    Explanation,
    Explanations,
    InputError,
    explain,
    from_pipeline,
    tokenize,
)
from whyword.explanation import passages
from whyword.explanation.filters import FilterShare
from whyword.explanation.passages import boundaries, ranges
from whyword.explanation.phrases import Phrases
from whyword.explanation.row import NAMES

MODEL = made_cnn()


def made(target: Any = "class 1", text: str = "wa wb", **options: Any) -> Explanation:  # noqa: ANN401
    explanation: Explanation = explain(MODEL, text, target, **options)
    return explanation


def changed(one: Explanation, **fields: Any) -> Explanation:  # noqa: ANN401
    return dataclasses.replace(one, **fields)


# ---- lists and sums -----------------------------------------------------------------------------


def test_words_with_their_sums() -> None:
    every = made("all", "wa wb Wa wc")
    sums = every.relevance[0] + every.relevance[2].astype(float)
    assert list(every.by_word()) == ["wa", "wb", "wc"]
    np.testing.assert_allclose(every.by_word()["wa"], sums, rtol=1e-6)
    one = made("class 2", "wa wb Wa wc").by_word()
    assert one["wa"] == pytest.approx(sums[2])
    assert list(one.values()) == sorted(one.values(), reverse=True)
    pairs = every.as_list("class 2")
    assert dict(pairs) == pytest.approx(one)
    assert [abs(value) for _, value in pairs] == sorted((abs(v) for _, v in pairs), reverse=True)
    assert every.as_list() == every.as_list(every.predicted)
    other = made([name for name in every.classes if name != every.predicted], "wa wb")
    assert other.as_list() == other.as_list(other.targets[0])
    assert every.as_list(np.str_("class 2")) == pairs
    for wrong in ("class 7", 5):
        with pytest.raises(InputError, match="was not explained, only class 0, class 1, class 2"):
            every.as_list(wrong)


@pytest.mark.parametrize("level", ["word", "element", "filter"])
def test_the_parts_of_a_score(level: str) -> None:
    one = made("class 1", level=level)
    assert (one.constant, one.against) == (0, None)
    assert one.residual == pytest.approx(0, abs=1e-5)
    apart = changed(one, constant=0.5)
    assert apart.residual == pytest.approx(one.residual - 0.5)
    every = made("all", level=level)
    np.testing.assert_array_equal(every.constant, [0, 0, 0])
    moved = changed(every, constant=np.array([1.0, 0, -2]))
    np.testing.assert_allclose(moved.residual, every.residual - [1, 0, -2])
    np.testing.assert_array_equal(changed(every, constant=0.5).constant, [0.5] * 3)
    np.testing.assert_array_equal(every.score, every.scores)
    contrast = made("class 1", against="class 0", level=level)
    assert contrast.score == contrast.scores[1] - contrast.scores[0]
    assert contrast.predicted == contrast.highest == f"class {contrast.scores.argmax()}"


def test_a_document_that_is_not_conserved_is_named() -> None:
    one = explain(MODEL, ["wa wb"], "all", ids=["mail 7"])[0]
    assert one.check() is one
    broken = changed(one, constant=np.array([0, 0.5, 0]))
    assert not broken.conserved
    with pytest.raises(ConservationError, match=r"^mail 7: .* residual is 0\.5, .*'lrp'"):
        broken.check()
    assert repr(broken) == "Explanation(all, 2 words, lrp, residual -0.5)"
    assert repr(made(against="class 0")) == "Explanation(class 1 against class 0, 2 words, lrp)"


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_the_fields_of_a_row(target: str) -> None:
    assert list(made(target).fields()) == list(NAMES)
    assert list(made(target, level="element").fields()) == [*NAMES, "elements"]
    phrases = ["phrases", "phrase_spans", "phrase_relevance"]
    assert list(made(target, level="phrase").fields()) == [*NAMES, *phrases]


# ---- displays -----------------------------------------------------------------------------------


def test_targets_and_scales_of_displays() -> None:
    one = made("all")
    assert one.to_svg(targets="class 1") == one.to_svg(targets=["class 1"])
    for targets, said in (([], "empty list"), ("nosuch", "was not explained"), (5, "was not")):
        with pytest.raises(InputError, match=said):
            one.to_svg(targets=targets)  # type: ignore[arg-type]
    for scale in (0, -1, "a", float("nan")):
        with pytest.raises(InputError, match="scale must be"):
            one.heatmap(scale=scale)  # type: ignore[arg-type]
    assert one.heatmap(scale=8).full == 8
    five = explain(made_cnn(classes=5), "wa wb", "all")
    panels = five.heatmap().panels
    best = np.argsort(-five.scores, kind="stable")[:4].tolist()
    titles = [f"class {n}{' (predicted)' if n == best[0] else ''}" for n in best]
    assert [one.title for one in panels] == titles
    assert five.heatmap().remarks == ("4 of 5 targets, those with the highest scores.",)
    assert len(five.heatmap(list(five.classes)).panels) == 5
    for path in (3, None, b"x", "a\0b", "."):
        with pytest.raises(InputError):
            one.to_png(path)  # type: ignore[arg-type]


def test_notes_say_what_is_in_biases_and_on_no_word() -> None:
    one = made()
    assert "in biases" not in one.to_text()
    total = one.padding + one.constant
    apart = changed(one, padding=total + 0.125, constant=-0.125)
    assert "; +0.125 on no word" in changed(one, padding=0.125, constant=total - 0.125).to_text()
    assert "; −0.125 in biases\n" in apart.to_text()
    placed = changed(apart, parameters={"positions": "apart"})
    assert "; −0.125 in biases and positions\n" in placed.to_text()
    assert "add up" not in apart.to_text()
    assert (
        "occurrences of a word share its value"
        in changed(one, parameters={"occurrences": "equal shares"}).to_text()
    )
    windows = changed(one, parameters={"windows": 1_200}).to_text()
    assert "Too long to be read at once: the mean of 1,200 windows that overlap." in windows
    assert "windows" not in changed(one, parameters={"windows": 1}).to_text()
    labels = changed(one, labels_predicted=("class 0", "class 2")).to_text()
    assert "Predicted: class 0, class 2." in labels


def test_sums_that_do_not_add_up() -> None:
    broken = changed(made(), constant=0.5, conserves=True)
    assert "residual -0.5" in repr(broken)
    assert "−0.5 unexplained" in broken.to_text()
    assert "NOT conserved here: residual 0.5" in broken.to_text()
    unpromised = changed(broken, conserves=False)
    assert "residual" not in repr(unpromised)
    assert "; need not add up" in unpromised.to_text()
    assert "NOT conserved" not in unpromised.to_text()
    lost = changed(unpromised, parameters={"residual": "lost by the rule"}).to_text()
    assert "; −0.5 lost by the rule" in lost
    assert "Relevance does not add up here: 0.5 of the score lost by the rule." in lost


def test_words_that_cancel_each_other_out() -> None:
    one = made()
    assert "cancel" not in one.to_text()
    shift = np.array([300, -300], np.float32) * max(1, abs(one.score))
    wild = changed(one, relevance=one.relevance + shift)
    assert wild.conserved
    assert "without their signs they are 600 times the score" in wild.to_text()
    assert "cancel" not in changed(wild, conserves=False).to_text()  # promised nothing
    calm = changed(one, relevance=one.relevance + shift / 15)
    assert "cancel" not in calm.to_text()
    several = made("all")
    shift = np.array([[900], [-900]], np.float32)
    assert "cancel" in changed(several, relevance=several.relevance + shift).to_html()


def test_a_word_for_the_target_here_and_against_it_there_is_listed_twice() -> None:
    one = changed(made(text="wa wb wa"), relevance=np.array([0.4, 0.1, -0.3], np.float32))
    (panel,) = one.heatmap().panels
    assert [word for word, _ in panel.strongest] == ["wa", "wa", "wb"]
    np.testing.assert_allclose([value for _, value in panel.strongest], [0.4, -0.3, 0.1])
    assert "for     wa +0.4  wb +0.1\nagainst wa −0.3\n" in one.to_text()
    shared = changed(one, parameters={"occurrences": "equal shares"})
    np.testing.assert_allclose(shared.word_values()[:, 0], [0.1, 0.1, 0.1], rtol=1e-6)
    np.testing.assert_array_equal(one.word_values()[:, 0], one.relevance.astype(float))


# ---- phrases ------------------------------------------------------------------------------------


def some_phrases() -> Phrases:
    spans = np.array([[0, 8], [4, 8], [13, 21]], np.int32)
    return Phrases(
        ["not good", "good", "not good"], spans, np.array([[1.0, -1], [3, 0], [0.5, -5]])
    )


def test_occurrences_of_phrases_are_pooled_the_strongest_first() -> None:
    first, second = some_phrases().pooled(0)
    assert first == ("good", 3.0, ((4, 8),))
    assert second == ("not good", 1.5, ((0, 8), (13, 21)))
    assert [one.text for one in some_phrases().pooled(1)] == ["not good", "good"]
    np.testing.assert_array_equal(some_phrases().against_last().relevance, [[2], [3], [5.5]])


def test_characters_share_the_relevance_of_their_phrases() -> None:
    characters = some_phrases().by_character(21)
    assert characters.shape == (21, 2)
    expected = [1 / 8] * 4 + [1 / 8 + 3 / 4] * 4 + [0] * 5 + [0.5 / 8] * 8
    np.testing.assert_allclose(characters[:, 0], expected, atol=1e-15)
    one = made(level="phrase", text="wa wb wc")
    np.testing.assert_allclose(one.by_character().sum(), one.relevance.sum(), atol=1e-6)


TEXTS = [
    *("a good film", "good and good again", "so good", "not bad at all", "it is not bad"),
    *("a bad film", "bad and bad again", "so bad", "not good at all", "it is not good"),
]
LABELS = ["good"] * 5 + ["bad"] * 5


@cache
def sentiment() -> Any:  # noqa: ANN401
    pipeline = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression(C=100))
    return from_pipeline(pipeline.fit(TEXTS, LABELS))


@pytest.mark.parametrize("text", ["The film is not good", "not bad", "good", "not good, not bad"])
def test_not_good_is_a_unit_of_its_own(text: str) -> None:
    explanation = explain(sentiment(), text, target="good", level="phrase", bias="apart")
    phrases = {one.text: one.relevance for one in explanation.phrases()}
    assert sum(phrases.values()) + explanation.constant == pytest.approx(
        explanation.score, abs=1e-6
    )
    assert ("not good" in phrases, "not bad" in phrases) == ("not good" in text, "not bad" in text)
    assert phrases.get("not good", -1) < 0 < phrases.get("not bad", 1)
    assert phrases.get("good", 1) > 0


def test_explanations_without_phrases() -> None:
    for method in ("sensitivity", "occlusion", "random"):
        with pytest.raises(InputError, match="no phrases; explain a CNN or a bag of words"):
            made(method=method).phrases()
        with pytest.raises(InputError, match="level='phrase' needs a model whose units"):
            made(method=method, level="phrase")
    with pytest.raises(InputError, match="no phrases"):
        pickle.loads(pickle.dumps(made())).phrases()
    assert made(text="", level="phrase").phrases() == []


@pytest.mark.parametrize("target", ["class 1", "all"])
def test_files_hold_phrases(tmp_path: Path, target: str) -> None:
    explained = explain(made_cnn((1, 3)), ["wa wb wc", "", "wd"], target, level="phrase")
    explained.to_parquet(tmp_path / "why.parquet")
    for read in (
        Explanations.from_parquet(tmp_path / "why.parquet"),
        Explanations.from_json(explained.to_json()),
    ):
        for one, expected in zip(read, explained, strict=True):
            assert one.phrases() == expected.phrases()
            assert one.units.relevance.shape == expected.units.relevance.shape  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"phrases": None}, "names, spans or relevance are missing"),
        ({"phrases": [1, 2]}, "no strings"),
        ({"phrases": ["wa"]}, "differ in number"),
        ({"phrase_spans": [[0, 2], [3, 9]]}, "leave the text"),
        ({"phrase_spans": [[-1, 2], [3, 5]]}, "leave the text"),
        ({"phrase_spans": [[2, 0], [3, 5]]}, "end before they begin"),
        ({"phrase_spans": [[0, 2, 3], [3, 5, 5]]}, "no pairs"),
        ({"phrase_spans": [[0.5, 2], [3, 5]]}, "no whole numbers"),
        ({"phrase_relevance": [1, "x"]}, "no numbers"),
        ({"phrase_relevance": [[1.0], [2.0]]}, "differ in number"),
    ],
)
def test_phrases_that_do_not_fit(changes: dict[str, Any], said: str) -> None:
    fields = json.loads(explain(made_cnn((1,)), "wa wb", "class 1").to_json())
    fields |= {
        "phrases": ["wa", "wb"],
        "phrase_spans": [[0, 2], [3, 5]],
        "phrase_relevance": [1, 2],
    }
    assert len(Explanation.from_json(json.dumps(fields)).phrases()) == 2
    with pytest.raises(InputError, match=f"this is no explanation: .*{said}"):
        Explanation.from_json(json.dumps(fields | changes))


def test_displays_list_phrases_where_they_are_more_than_words() -> None:
    model, (texts, _) = small_cnn((1, 3)), topical(3)
    explanation = explain(model, texts[0], level="phrase")
    strongest = explanation.phrases()[0].text
    assert f"phrases “{strongest}”" in explanation.to_text()
    assert f"<bdi>“{strongest}”</bdi>" in explanation.to_html()
    assert "phrases" not in explain(model, texts[0]).to_text()
    assert "phrases" not in explain(made_cnn((1,)), "wa wb", level="phrase").to_text()


# ---- filters ------------------------------------------------------------------------------------


def test_the_top_filters() -> None:
    one: Any = explain(MODEL, "wa wb wc wd", "all", level="filter")
    column = one.targets.index("class 1")
    top = one.top(3, "class 1")
    order = np.argsort(-np.abs(one.relevance[:, column]), kind="stable")[:3].tolist()
    assert [share.filter for share in top] == order
    first = order[0]
    activation, relevance = one.activations[first], one.relevance[first, column]
    assert top[0] == FilterShare(first, one.ngrams[first], float(activation), float(relevance))
    assert len(one.top(100)) == 6
    with pytest.raises(InputError, match="count must be a whole number"):
        one.top(0)
    with pytest.raises(InputError, match="'nobody' was not explained"):
        one.top(1, "nobody")
    fired = int((one.activations > 0).sum())
    assert 0 < fired < 6
    assert repr(one) == f"FilterExplanation(all, {fired} of 6 filters fired, lrp)"


# ---- passages -----------------------------------------------------------------------------------

PROSE = (
    'Dr. Who met Mr. X at 3.5 p.m. today. "Did he?" No!\n\nThe end… or (so.) Next\nline 。終わり 二'
)


def cut(text: str, by: str | int) -> list[str]:
    document = tokenize(text)
    return [" ".join(document.words[first:last]) for first, last in ranges(document, by)]


def test_texts_are_cut_into_passages() -> None:
    assert cut(PROSE, "sentence") == [
        *("Dr. Who met Mr. X at p.m. today", "Did he", "No", "The end", "or so", "Next line"),
        "終わり 二",
    ]
    assert cut("One.\nTwo.\r\n \r\nThree\n\n\n", "paragraph") == ["One Two", "Three"]
    assert cut("a b c", 2) == ["a b", "b c"]
    assert cut("a b c", 4) == []
    assert boundaries(tokenize(""), "sentence").tolist() == [0]


def test_passages_add_up_to_the_words() -> None:
    explanation = made(text="wa wb. Wc wd wa! We")
    parts = passages(explanation)
    assert [part.text for part in parts] == ["wa wb", "Wc wd wa", "We"]
    assert [(part.first, part.last) for part in parts] == [(0, 2), (2, 5), (5, 6)]
    assert all(explanation.text[slice(*part.span)] == part.text for part in parts)
    for part in parts:
        expected = explanation.relevance[part.first : part.last].sum(dtype=float)
        assert part.relevance == pytest.approx(expected, abs=1e-6)
        assert isinstance(part.relevance, float)
    every = made("all", text="wa wb. Wc wd")
    pairs = passages(every, by=2)
    np.testing.assert_allclose(pairs[1].relevance, every.relevance[1:3].sum(axis=0), atol=1e-6)
    assert pairs[1].relevance.dtype == np.float32
    assert passages(made(text="")) == []
    for by in ("word", 0, None, 1.5):
        for one in (explanation, made(text="")):
            with pytest.raises(InputError, match="by m"):
                passages(one, by)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="explanation must be an Explanation, not str"):
        passages("wa")  # type: ignore[arg-type]
