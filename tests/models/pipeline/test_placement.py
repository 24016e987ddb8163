"""Features of a scikit-learn vectorizer, and the words they cover."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import topical
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from wrapped import characters, fitted, words

from whyword import InputError, explain, from_pipeline
from whyword.models.linear.bag import FeatureRow, Occurrence
from whyword.models.pipeline import placement
from whyword.models.pipeline.features import PipelineFeatures
from whyword.models.pipeline.graph import Graph, Node, Union
from whyword.models.pipeline.placement import locate_features
from whyword.models.pipeline.vectorizer import Vectorizer
from whyword.words.reader import Reader

SETTINGS: list[dict[str, object]] = [
    {},
    {"ngram_range": (2, 2), "stop_words": "english"},
    {"token_pattern": r"(?u)\b(\w)\w*\b", "lowercase": False},
    {"strip_accents": "unicode", "ngram_range": (1, 3)},
    {"strip_accents": "ascii", "ngram_range": (1, 2)},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (1, 1), "strip_accents": "unicode"},
]
TEXTS = [
    *("", "a", "  ab  c ", "The Crème  brûlée, the END.", "ΑΣ σας ΣΟΦΟΣ", "İi ﬁn e\u0301te\u0301"),
    *("日本 ا\n\tab", "don't -- stop", "aa aaa a aa", "Éé\u0301 ß", ".,'-"),
]
letters = st.text(st.sampled_from("abcAÉéİΣσςßﬁ e\u0301\n\t.,'-日本 ا"), max_size=40)


def check_placed(settings: dict[str, object], text: str) -> None:
    vectorizer = CountVectorizer(**settings)
    document, occurrences = locate_features(vectorizer, text)
    names = sorted(one.name for one in occurrences)
    assert names == sorted(vectorizer.build_analyzer()(text))
    assert all(0 <= word < len(document) for one in occurrences for word in one.words)
    assert all(0 <= one.span[0] <= one.span[1] <= len(text) for one in occurrences)
    assert (document.spans[:, 0] <= document.spans[:, 1]).all()
    for one in occurrences:  # every word covered stands within the span, or the span within it
        for start, end in document.spans[list(one.words)].tolist():
            assert start < one.span[1]
            assert one.span[0] < end


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_feature_is_placed_where_the_vectorizer_finds_it(settings: dict[str, object]) -> None:
    for text in TEXTS:
        check_placed(settings, text)


@pytest.mark.nightly(reason="thousands of texts")
@pytest.mark.parametrize("settings_", SETTINGS, ids=str)
@settings(max_examples=1_000)
@given(text=letters)
def test_features_of_many_texts(settings_: dict[str, object], text: str) -> None:
    check_placed(settings_, text)
    check_apart(text)


def test_words_and_their_spans() -> None:
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
    _, known = locate_features(CountVectorizer(), text, known={"end"})
    assert [one[:2] for one in known] == [("end", [4])]


def test_characters_cover_the_words_they_touch() -> None:
    text = "ab  cd"
    document, occurrences = locate_features(
        CountVectorizer(analyzer="char", ngram_range=(3, 3)), text
    )
    assert document.words == ["ab", "cd"]
    assert occurrences == [("ab ", [0], (0, 3)), ("b c", [0, 1], (1, 5)), (" cd", [1], (2, 6))]
    single = CountVectorizer(analyzer="char", ngram_range=(1, 1))
    assert (" ", [], (2, 3)) in locate_features(single, text)[1]
    within = CountVectorizer(analyzer="char_wb", ngram_range=(3, 4))
    assert locate_features(within, "a bcd")[1] == [
        (" a ", [0], (0, 1)),
        *((" bc", [1], (2, 4)), ("bcd", [1], (2, 5)), ("cd ", [1], (3, 5))),
        *((" bcd", [1], (2, 5)), ("bcd ", [1], (2, 5))),
    ]


def test_a_functions_features_are_searched_for() -> None:
    def stems(text: str) -> list[str]:
        return [word[:4] for word in re.findall(r"\w+", text.lower())] + ["<long>"]

    document, occurrences = locate_features(CountVectorizer(analyzer=stems), "Running runs RUNNING")
    assert document.words == ["Running", "runs", "RUNNING"]
    assert occurrences == [
        ("runn", [0], (0, 4)),
        ("runn", [2], (13, 17)),
        ("runs", [1], (8, 12)),
        ("<long>", [], (0, 0)),
    ]
    _, known = locate_features(CountVectorizer(analyzer=stems), "Running runs", known={"runs"})
    assert known == [("runs", [1], (8, 12))]
    _, both = locate_features(CountVectorizer(analyzer=lambda _: ["b c"]), "a b c d")
    assert both == [("b c", [1, 2], (2, 5))]


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


def literal_places(name: str, text: str, most: int) -> list[int]:
    """Return where a name stands: whole, in another case, a beginning, anywhere."""
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
    for _ in range(30):
        text = "".join(random.choice([*names, " ", "\n", "x"], 30))
        for name in names:
            most = int(random.integers(1, 6))
            vectorizer = CountVectorizer(analyzer=lambda _, name=name, most=most: [name] * most)
            _, occurrences = locate_features(vectorizer, text)
            placed = [one.span[0] for one in occurrences if one.span != (0, 0)]
            assert placed == literal_places(name, text, most)


def test_whole_words_are_found_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is not read again for each of them; inside of words only so much is searched."""
    monkeypatch.setattr(placement, "_LOOKED", 500)
    text = " ".join(f"word{number}" for number in range(300))
    _, occurrences = locate_features(CountVectorizer(analyzer=str.split), text)
    assert [one.words for one in occurrences] == [[number] for number in range(300)]
    vectorizer = CountVectorizer(analyzer=lambda _: ["ord3", "ord299", "ord4"])
    _, inside = locate_features(vectorizer, text)
    assert [list(one.words) for one in inside] == [[3], [299], []]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_explanations_of_a_pipeline_are_conserved(settings: dict[str, object]) -> None:
    made = make_pipeline(TfidfVectorizer(**settings), LogisticRegression()).fit(*topical(60))
    model = from_pipeline(made)
    texts = ["moon orbit moon, the secret of it", "Puck!  goal  ice", "", "zzz", "moon\r\norbit"]
    explanations = explain(model, texts, target="all", strict=True)
    np.testing.assert_allclose([one.scores for one in explanations], model.class_scores(texts))
    assert explanations.conserved


def test_an_ngram_is_split_equally_over_its_words() -> None:
    texts, labels = ["red moon", "red sea"] * 20, ["a", "b"] * 20
    vectorizer = CountVectorizer(ngram_range=(2, 2))
    model = from_pipeline(make_pipeline(vectorizer, LogisticRegression()).fit(texts, labels))
    explanation = explain(model, "Red moon", target="a")
    assert explanation.words == ["Red", "moon"]
    assert explanation.relevance[0] == explanation.relevance[1]
    assert explanation.relevance.sum() == pytest.approx(explanation.score, rel=1e-5)


# ---- vectorizers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made",
    [CountVectorizer(), TfidfVectorizer(ngram_range=(1, 2)), HashingVectorizer(n_features=8)],
)
def test_a_vectorizers_rows(made: CountVectorizer) -> None:
    texts = ["the moon, the Moon", "", "zzz goal"]
    vectorizer = Vectorizer(made.fit(texts[:1]))
    rows = vectorizer.forward(texts)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows.toarray(), made.transform(texts).toarray())
    again = pickle.loads(pickle.dumps(vectorizer))
    np.testing.assert_array_equal(again.forward(texts).toarray(), rows.toarray())
    assert again.locate(texts[0])[1] == vectorizer.locate(texts[0])[1]


def test_places_of_features() -> None:
    vectorizer = Vectorizer(CountVectorizer().fit(["moon the"]))
    _, occurrences = vectorizer.locate("the moon shines")
    assert [one.name for one in occurrences] == ["the", "moon"]
    assert [part.tolist() for part in vectorizer.places(occurrences)] == [[1, 0], [1, 1]]
    assert vectorizer.reach() == 1
    weighing = Vectorizer(TfidfVectorizer().fit(["moon", "the", "the", "the"]))
    assert weighing.reach() == pytest.approx(np.log(5 / 2) + 1)


@pytest.mark.parametrize("alternate", [True, False])
def test_hashed_features_have_places_and_signs(alternate: bool) -> None:
    made = HashingVectorizer(n_features=64, norm=None, alternate_sign=alternate)
    vectorizer = Vectorizer(made)
    assert vectorizer.names is None
    _, occurrences = vectorizer.locate("the moon and a rocket in orbit")
    places, signs = vectorizer.places(occurrences)
    row = np.bincount(places, signs, 64)
    expected = made.transform(["the moon and a rocket in orbit"]).toarray()[0]
    np.testing.assert_array_equal(row, expected)
    assert set(signs.tolist()) == ({1.0, -1.0} if alternate else {1.0})
    assert [len(part) for part in vectorizer.places([])] == [0, 0]
    half, _ = vectorizer.places([Occurrence("\ud800", [0], (0, 1))])
    assert len(half) == 1  # which scikit-learn cannot encode


def test_a_vectorizer_must_be_fitted() -> None:
    with pytest.raises(InputError, match="CountVectorizer is not fitted yet"):
        Vectorizer(CountVectorizer())
    with pytest.raises(InputError, match="reads input='file'"):
        Vectorizer(CountVectorizer(input="file"))


# ---- several vectorizers ------------------------------------------------------------------------


def features(*vectorizers: CountVectorizer) -> PipelineFeatures:
    graph = Graph(
        [Node(Vectorizer(one.fit(["don't stop the moon! a b c"]))) for one in vectorizers]
    )
    if len(vectorizers) > 1:
        graph.add(Union(), tuple(range(len(vectorizers))))
    return PipelineFeatures(graph, Reader())


def test_words_of_one_and_of_several_vectorizers() -> None:
    (document,) = features(words()).read_documents(["don't stop!"])
    assert document.words == ["don", "stop"]
    (document,) = features(characters()).read_documents(["don't stop!"])
    assert document.words == ["don't", "stop!"]
    for order in ((words(), characters()), (characters(), words())):
        (document,) = features(*order).read_documents(["don't stop a moon!"])
        assert document.words == ["don", "'t", "stop", "a", "moon", "!"]
    assert features(CountVectorizer(vocabulary=["b", "a"])).words == ["b", "a"]
    assert from_pipeline(fitted("hashed", 3)).features_.words is None


def test_ngrams_of_several_vectorizers_cover_what_their_spans_touch() -> None:
    several = features(words(), characters())
    matrix = several.graph.outputs(["don't"], 2)[2]
    row = FeatureRow(matrix.indices.astype(np.intp), matrix.data)
    bag = several.bag_of(several.read("don't"), row)
    assert bag.document.words == ["don", "'t"]
    covered: dict[str, set[int]] = {}
    for word, occurrence in zip(bag.words.tolist(), bag.occurrences.tolist(), strict=True):
        covered.setdefault(bag.names[occurrence], set()).add(word)
    assert covered == {
        **{name: {0} for name in ("don", " d", "do", "on", " do")},
        **{name: {1} for name in ("'t", "t ", "'t ")},
        **{name: {0, 1} for name in ("n'", "on'", "n't")},
    }


def check_apart(text: str) -> None:
    """Hold that words are in order and apart, and cover all letters."""
    several = features(words(), characters(), CountVectorizer(token_pattern=r"\S\s\S"))
    (document,) = several.read_documents([text])
    starts, ends = document.spans.T
    assert (starts < ends).all()
    assert (ends[:-1] <= starts[1:]).all()
    covered = {place for start, end in document.spans.tolist() for place in range(start, end)}
    assert covered >= {place for place, letter in enumerate(text) if not letter.isspace()}


def test_words_of_several_vectorizers_are_apart() -> None:
    for text in TEXTS:
        check_apart(text)


def test_every_character_ngram_stands_on_a_word() -> None:
    model = from_pipeline(fitted("words and characters", 3))
    (trace,) = model.trace(["A moon! (moon)  goal..."])
    relevance = trace.lrp(np.array([[0, 1, 2]], np.int32), bias="apart")
    np.testing.assert_allclose(relevance.padding, 0, atol=1e-12)
    (bag,) = trace.bags
    assert set(np.unique(bag.occurrences)) == set(range(len(bag.shares)))


def test_hashed_words_that_collide_share_by_their_signs() -> None:
    model = from_pipeline(fitted("hashed, colliding", 3))
    text = "moon orbit rocket the goal ice puck key chip moon"
    (trace,) = model.trace([text])
    (bag,) = trace.bags
    sums = np.bincount(bag.features, bag.shares, len(bag.row.places))
    np.testing.assert_allclose(sums, 1)
    assert len(set(bag.features.tolist())) < len({*bag.names})
    vectorizer = model.features_.graph.vectorizers[0]
    _, occurrences = vectorizer.locate(text)
    columns, signs = (part.tolist() for part in vectorizer.places(occurrences))
    names = [one.name for one in occurrences]
    places = dict(zip(names, zip(columns, signs, strict=True), strict=True))
    for name, feature, share in zip(bag.names, bag.features.tolist(), bag.shares, strict=True):
        place, sign = places[name]
        assert bag.row.places[feature] == place
        assert np.sign(share) == np.sign(sign * bag.row.values[feature])


def test_words_that_are_ignored_or_deleted() -> None:
    reader = Reader(ignore=["moon"])
    model = from_pipeline(fitted("words and characters", 3), reader=reader)
    plain = from_pipeline(fitted("words and characters", 3))
    text = "rocket moon orbit!"
    without = plain.class_scores(["rocket      orbit!"])
    np.testing.assert_array_equal(model.class_scores([text]), without)
    ignoring = explain(model, text, "all", strict=True)
    deleting = explain(plain, text, "all", deleted=[1], strict=True)
    assert ignoring.words == ["rocket", "orbit", "!"]  # it sees blanks
    assert deleting.words == ["rocket", "moon", "orbit", "!"]
    assert deleting.known.tolist() == [True, False, True, False]
    assert (deleting.relevance[1] == 0).all()
    np.testing.assert_allclose(deleting.scores, without[0], atol=1e-9)
    np.testing.assert_allclose(ignoring.relevance, deleting.relevance[[0, 2, 3]], atol=1e-7)
