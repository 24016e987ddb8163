"""N-grams of somebody's vectoriser, back on the words they cover."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import topical
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import explain, from_pipeline
from whyword.models.pipeline.classifier import PipelineClassifier
from whyword.models.pipeline.placement import locate_features

SETTINGS: list[dict[str, object]] = [
    {},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2), "stop_words": "english"},
    {"token_pattern": r"(?u)\b(\w)\w*\b"},
    {"lowercase": False},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii", "ngram_range": (1, 2)},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (1, 1), "strip_accents": "unicode"},
]
letters = st.text(st.sampled_from("abcAÉéİΣσςßﬁ e\u0301\n\t.,'-日本 ا"), max_size=40)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@given(text=letters)
def test_every_feature_is_placed_where_the_vectoriser_finds_it(
    settings: dict[str, object], text: str
) -> None:
    vectorizer = CountVectorizer(**settings)
    document, occurrences = locate_features(vectorizer, text)
    names = sorted(one.name for one in occurrences)
    assert names == sorted(vectorizer.build_analyzer()(text))
    assert all(0 <= word < len(document) for one in occurrences for word in one.words)
    assert all(0 <= one.span[0] <= one.span[1] <= len(text) for one in occurrences)
    assert (document.spans[:, 0] <= document.spans[:, 1]).all()


def test_words_and_their_places() -> None:
    text = "The Crème  brûlée, the END"
    document, occurrences = locate_features(
        CountVectorizer(strip_accents="unicode", ngram_range=(1, 2), stop_words=["the"]), text
    )
    assert document.words == ["The", "Crème", "brûlée", "the", "END"]
    assert {one.name: one.words for one in occurrences} == {
        "creme": [1],
        "brulee": [2],
        "end": [4],
        "creme brulee": [1, 2],
        "brulee end": [2, 4],
    }
    spans = {one.name: text[slice(*one.span)] for one in occurrences}
    assert spans["creme brulee"] == "Crème  brûlée"
    assert spans["brulee end"] == "brûlée, the END"  # a stop word stands in between


def test_characters_cover_the_words_they_touch() -> None:
    text = "ab  cd"
    document, occurrences = locate_features(
        CountVectorizer(analyzer="char", ngram_range=(3, 3)), text
    )
    assert document.words == ["ab", "cd"]
    assert occurrences == [("ab ", [0], (0, 3)), ("b c", [0, 1], (1, 5)), (" cd", [1], (2, 6))]
    single = CountVectorizer(analyzer="char", ngram_range=(1, 1))
    assert (" ", [], (2, 3)) in locate_features(single, text)[1]


def test_a_function_as_analyser_is_searched_for() -> None:
    def stems(text: str) -> list[str]:
        return [word[:4] for word in re.findall(r"\w+", text.lower())] + ["<long>"]

    document, occurrences = locate_features(CountVectorizer(analyzer=stems), "Running runs RUNNING")
    assert document.words == ["Running", "runs", "RUNNING"]
    assert [one[:2] for one in occurrences] == [
        ("runn", [0]),
        ("runn", [2]),
        ("runs", [1]),
        ("<long>", []),
    ]
    assert [one.span for one in occurrences] == [(0, 4), (13, 17), (8, 12), (0, 0)]


@pytest.mark.parametrize(
    ("settings", "text", "expected"),
    [
        ({"tokenizer": str.split, "token_pattern": None}, "catalog the cat", "cat"),
        ({"tokenizer": str.split, "token_pattern": None}, "Cat cat CAT", "Cat cat CAT"),
        ({"strip_accents": "unicode"}, "catalog, the cat ΑΣ", "cat"),
    ],
)
def test_relevance_goes_to_the_word_itself(
    settings: dict[str, object], text: str, expected: str
) -> None:
    document, occurrences = locate_features(CountVectorizer(**settings), text)
    results = [
        document.words[word] for one in occurrences for word in one.words if one.name == "cat"
    ]
    assert results == expected.split()


@pytest.mark.parametrize("pattern", [r"(?=(\w\w))\w", r"c(at)?\w*|\w+"])
def test_tokens_that_overlap_or_stand_nowhere(pattern: str) -> None:
    document, _ = locate_features(CountVectorizer(token_pattern=pattern), "the cat sat, dog")
    assert (np.diff(document.spans.ravel()) >= 0).all()


def made(settings: dict[str, object], tfidf: bool) -> PipelineClassifier:
    texts, labels = topical(60)
    vectorizer = (TfidfVectorizer if tfidf else CountVectorizer)(**settings)
    pipeline = make_pipeline(vectorizer, LogisticRegression())
    wrapping: PipelineClassifier = from_pipeline(pipeline.fit(texts, labels))
    return wrapping


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("tfidf", [True, False])
def test_explanations_of_a_pipeline_are_conserved(settings: dict[str, object], tfidf: bool) -> None:
    model = made(settings, tfidf)
    texts = ["moon orbit moon, the secret of it", "Puck!  goal  ice", "", "zzz", "moon\r\norbit"]
    explanations = explain(model, texts, target="all", strict=True)
    np.testing.assert_allclose([one.scores for one in explanations], model.class_scores(texts))
    assert explanations.conserved
    for method in ("sensitivity", "gradient_input", "occlusion", "random"):
        explain(model, texts, method=method)


def test_an_ngram_is_split_equally_over_its_words() -> None:
    texts, labels = ["red moon", "red sea"] * 20, ["a", "b"] * 20
    vectorizer = CountVectorizer(ngram_range=(2, 2))
    model = from_pipeline(make_pipeline(vectorizer, LogisticRegression()).fit(texts, labels))
    explanation = explain(model, "Red moon", target="a")
    assert explanation.words == ["Red", "moon"]
    assert explanation.relevance[0] == explanation.relevance[1]
    assert explanation.relevance.sum() == pytest.approx(explanation.score, rel=1e-5)


def test_a_callable_analyser_explains_and_what_has_no_place_is_padding() -> None:
    def words(text: str) -> list[str]:
        return [*text.lower().split(), f"<{len(text) % 2}>"]

    texts, labels = topical(60)
    pipeline = make_pipeline(CountVectorizer(analyzer=words), LogisticRegression())
    model = from_pipeline(pipeline.fit(texts, labels))
    explanation = explain(model, "moon orbit the", target="all", strict=True)
    assert explanation.words == ["moon", "orbit", "the"]
    assert explanation.model is None
    assert (np.abs(explanation.padding) > 0).any()


def test_pipeline_occlusion_cuts_the_word_out() -> None:
    model = made({"ngram_range": (1, 2)}, tfidf=True)
    text = "moon orbit, moon"
    explanation = explain(model, text, target="all", method="occlusion")
    whole = model.class_scores([text])[0]
    for number, (start, end) in enumerate(explanation.spans.tolist()):
        without = model.class_scores([text[:start] + text[end:]])[0]
        np.testing.assert_allclose(explanation.relevance[number], whole - without, atol=1e-6)


def looked_for(name: str, text: str, most: int) -> list[int]:
    """Return where a name stands, as it is said: whole, in another case, a beginning, anywhere."""
    exact, lowered = re.escape(name), re.escape(name.lower())
    patterns = [
        (rf"(?<!\w){exact}(?!\w)", text),
        (rf"(?<!\w){lowered}(?!\w)", text.lower()),
        (rf"(?<!\w){lowered}", text.lower()),
        (lowered, text.lower()),
    ]
    found = [match.start() for one, where in patterns for match in re.finditer(one, where)]
    return sorted(list(dict.fromkeys(found))[:most])


def test_names_are_found_as_if_the_text_were_read_for_each() -> None:
    random = np.random.default_rng(0)
    names = ["good", "Good", "goo", "oo", "n't", "don't", ".", "-", "3", "goods", "d."]
    for _ in range(100):
        text = "".join(random.choice([*names, " ", "\n", "x"], 30))
        for name in names:
            most = int(random.integers(1, 6))
            vectorizer = CountVectorizer(analyzer=lambda _, name=name, most=most: [name] * most)
            _, occurrences = locate_features(vectorizer, text)
            placed = [one.span[0] for one in occurrences if one.span != (0, 0)]
            assert placed == looked_for(name, text, most)


@pytest.mark.slow(reason="many cases")
def test_whole_words_are_found_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is not read again for each of them; what may stand anywhere has a limit."""
    monkeypatch.setattr("whyword.models.pipeline.placement._LOOKED", 500)
    text = " ".join(f"word{number}" for number in range(2_000))
    _, occurrences = locate_features(CountVectorizer(analyzer=str.split), text)
    assert [one.words for one in occurrences] == [[number] for number in range(2_000)]
    vectorizer = CountVectorizer(analyzer=lambda _: ["ord3", "ord1999", "ord4"])
    _, inside = locate_features(vectorizer, text)
    assert [list(one.words) for one in inside] == [[3], [1999], []]
