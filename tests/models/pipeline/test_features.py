"""Several vectorisers, one text: the words that all of their features stand on."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from wrapped import characters, fitted, words

from whyword import explain, from_pipeline
from whyword.models.pipeline.features import PipelineFeatures
from whyword.models.pipeline.graph import Graph, Node, Union
from whyword.models.pipeline.vectorizer import Vectorizer
from whyword.words.reader import Reader


def features(*vectorizers: CountVectorizer) -> PipelineFeatures:
    graph = Graph(
        [Node(Vectorizer(one.fit(["don't stop the moon! a b c"]))) for one in vectorizers]
    )
    if len(vectorizers) > 1:
        graph.add(Union(), tuple(range(len(vectorizers))))
    return PipelineFeatures(graph, Reader())


def test_one_vectoriser_has_its_own_words() -> None:
    (document,) = features(words()).read_documents(["don't stop!"])
    assert document.words == ["don", "stop"]
    (document,) = features(characters()).read_documents(["don't stop!"])
    assert document.words == ["don't", "stop!"]


def test_several_have_words_and_what_is_beyond_them() -> None:
    for order in ((words(), characters()), (characters(), words())):
        (document,) = features(*order).read_documents(["don't stop a moon!"])
        assert document.words == ["don", "'t", "stop", "a", "moon", "!"]


def test_every_character_n_gram_stands_on_a_word() -> None:
    model = from_pipeline(fitted("words and characters", 3))
    (trace,) = model.trace(["A moon! (moon)  goal..."])
    relevance = trace.lrp(np.array([[0, 1, 2]], np.int32), bias="apart")
    np.testing.assert_allclose(relevance.padding, 0, atol=1e-12)
    (bag,) = trace.bags
    assert set(np.unique(bag.occurrences)) == set(range(len(bag.shares)))


letters = st.text(st.sampled_from("ab cAÉİσ.,'!-\n 日"), max_size=30)


@given(text=letters)
def test_words_are_apart_and_in_order(text: str) -> None:
    (document,) = features(
        words(), characters(), CountVectorizer(token_pattern=r"\S\s\S")
    ).read_documents([text])
    starts, ends = document.spans.T
    assert (starts < ends).all()
    assert (ends[:-1] <= starts[1:]).all()
    covered = {place for start, end in document.spans.tolist() for place in range(start, end)}
    assert covered >= {place for place, letter in enumerate(text) if not letter.isspace()}


def test_hashed_words_that_collide_share_by_their_signs() -> None:
    model = from_pipeline(fitted("hashed, colliding", 3))
    text = " ".join(
        ["moon", "orbit", "rocket", "the", "goal", "ice", "puck", "key", "chip", "moon"]
    )
    (trace,) = model.trace([text])
    (bag,) = trace.bags
    sums = np.bincount(bag.features, bag.shares, len(bag.row.places))
    np.testing.assert_allclose(sums, 1)
    assert len(set(bag.features.tolist())) < len({*bag.names})
    # what took from a feature's value has a share below 0
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
    np.testing.assert_array_equal(
        model.class_scores([text]), plain.class_scores(["rocket      orbit!"])
    )
    explanation = explain(plain, text, "all", deleted=[1], strict=True)
    assert explanation.words == ["rocket", "moon", "orbit", "!"]
    assert (explanation.relevance[1] == 0).all()
    np.testing.assert_allclose(
        explanation.scores, plain.class_scores(["rocket      orbit!"])[0], atol=1e-9
    )


def test_names_of_features() -> None:
    assert features(CountVectorizer(vocabulary=["b", "a"])).words == ["b", "a"]
    assert from_pipeline(fitted("hashed", 3)).features_.words is None
