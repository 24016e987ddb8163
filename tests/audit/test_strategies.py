"""Strategies: the ways in which documents of a class are recognised, by planted words."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting import Counting
from networks import TOPICS, made_cnn, made_text
from page_tables import plain
from recognised import WAYS, box, found, sure, two_ways
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from toys import TopicsClassifier, several_topics

from whyword import BlackBox, InputError, SVMClassifier, explain, strategies
from whyword.audit.strategies_price import strategies_price
from whyword.audit.strategy import Strategy, StrategyWord, strategy_words
from whyword.audit.word_shares import WordShares, share_on
from whyword.base.progress import Progress
from whyword.evaluation.significance import share_interval
from whyword.words.ignored import Ignored

# ---- what is found ------------------------------------------------------------------------------


def pipeline(texts: list[str], labels: list[str]) -> Any:  # noqa: ANN401 - scikit-learn has no types
    return make_pipeline(CountVectorizer(), LogisticRegression(C=100)).fit(texts, labels)


def svm(texts: list[str], labels: list[str]) -> SVMClassifier:
    return SVMClassifier(C=1.0).fit(texts, labels)


@pytest.mark.parametrize("make", [svm, pipeline, lambda *_: box()])
def test_planted_ways_are_found(make: Callable[..., Any]) -> None:
    texts, labels = two_ways(160)
    ways = strategies(make(texts, labels), texts, "space", labels, most=3)
    assert {one.words[0].word for one in ways} == {one.distinct[0].word for one in ways} == {*WAYS}
    for one in ways:
        own = ways.documents[ways.groups == one.number].tolist()
        assert np.mean([one.words[0].word in texts[number].split() for number in own]) > 0.95
        assert set(one.typical) <= set(own)


def test_figures_of_a_strategy() -> None:
    (texts, labels), ways = two_ways(), found()
    explanations = explain(box(), [texts[n] for n in ways.documents], "space")
    assert [one.number for one in ways] == [1, 2]
    for one in ways:
        members = np.flatnonzero(ways.groups == one.number)
        own = ways.documents[members].tolist()
        right = sum(labels[number] == "space" for number in own)
        assert (one.n_documents, one.share) == (len(own), len(own) / 66)
        assert (one.accuracy, len(one.typical)) == (right / len(own), 10)
        assert one.interval == share_interval(right, len(own), 0.05)
        scores = [explanations[n].score for n in members.tolist()]
        assert one.score == pytest.approx(np.mean(scores))
    assert [one.accuracy for one in ways] == [40 / 46, 1.0]
    assert [one.on_suspects for one in ways] == [1.0, 0.0]
    assert [one.lives_on_suspects for one in ways] == [True, False]
    given = {"texts": 120, "given": 66, "method": "occlusion", "level": "word", "most": 3}
    assert given.items() <= ways.settings.items()
    assert ways.settings["scatter"] < ways.settings["reference_scatter"]


@pytest.mark.parametrize("level", ["word", "element"])
def test_documents_are_sampled_by_the_seed(level: str) -> None:
    random = np.random.default_rng(1)
    texts = [made_text(random.integers(0, 7, 9)) for _ in range(160)]
    model, events = made_cnn(), list[Progress]()
    label = str(model.predict(texts)[0])
    asked: dict[str, Any] = {"level": level, "most": 2, "documents": 35}
    ways = strategies(model, texts, label, seed=3, on_progress=events.append, **asked)
    given = np.flatnonzero(model.predict(texts) == label)
    chosen = np.sort(np.random.default_rng(3).choice(given, 35, replace=False))
    assert ways.documents.tolist() == chosen.tolist()
    assert ways.remarks == [f"35 of the {len(given)} documents were looked at, by chance."]
    stages = ["predictions", "explanations", "vectors", "2 clusters"]
    assert [(event.stage, event.number, event.total) for event in events] == [
        (stage, number, 4) for number, stage in enumerate(stages, 1)
    ]
    assert strategies(model, texts, label, seed=3, **asked).to_dict() == ways.to_dict()
    assert all(one.accuracy is None and one.on_suspects is None for one in ways)


def test_one_way_of_several_labels() -> None:
    """Words of a topic by chance: there are no ways."""
    texts, labels = several_topics(80)
    model = TopicsClassifier().fit(texts, labels)
    (way,) = strategies(model, texts, "space", labels, most=2)
    said = [number for number, one in enumerate(model.predict(texts)) if "space" in one]
    right = sum("space" in labels[number] for number in said)
    assert (way.n_documents, way.accuracy) == (len(said), right / len(said))
    assert (way.share, way.distinct, way.words[0].word in TOPICS["space"]) == (1, [], True)


def test_documents_without_relevance_are_left_out() -> None:
    def lenient(given: list[str]) -> list[list[float]]:
        rows = zip(given, sure(given), strict=True)
        return [row if text.strip() else [0.9, 0.1] for text, row in rows]

    texts = ["", *two_ways()[0], "  "]
    ways = strategies(BlackBox(lenient, ["space", "hockey"]), texts, "space", most=1)
    assert ways.documents.tolist() == (found().documents + 1).tolist()
    assert ways.remarks == ["2 documents without any relevance were left out."]


def test_too_few_documents() -> None:
    texts = ["wa", *["wb wc"] * 59]
    other = explain(made_cnn(), texts[1]).predicted
    rare = next(label for label in made_cnn().classes_ if label != other)
    with pytest.raises(InputError, match=f"of the 60 texts are given '{rare}'; strategies need"):
        strategies(made_cnn(), texts, rare)
    with pytest.raises(InputError, match="texts that are given the class, and there are 29 in all"):
        strategies(made_cnn(), texts[:29], rare)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "sci.spac"}, "there is no class"),
        ({"labels": ["class 1"]}, "labels and texts differ in length"),
        ({"ids": ["a"]}, "ids and texts differ in length"),
        ({"suspects": "moon"}, "suspects must be a list of strings, not one"),
        ({"documents": 29}, "documents must be a whole number from 30 to 20,000"),
        ({"most": 51}, "most must be a whole number from 1 to 50"),
        ({"on_progress": 5}, "on_progress must be"),
        ({"level": "phrase"}, "level may be 'word' or 'element'"),
        ({"method": "lpr"}, "lpr"),
        ({"model": box(), "target": "space", "level": "element"}, "need a model whose documents h"),
    ],
)
def test_invalid_arguments(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"model": made_cnn(), "texts": ["wa wb"] * 60, "target": "class 1"}
    with pytest.raises(InputError, match=message):
        strategies(**(good | arguments))


# ---- as a value and a page ----------------------------------------------------------------------


def test_a_sequence_plain_data_and_frame(tmp_path: Path) -> None:
    ways = found()
    assert (len(ways), list(ways), ways[-1]) == (2, ways.strategies, ways.strategies[1])
    assert repr(ways) == "Strategies(space, 66 documents: 1: moon (70%); 2: rocket (30%))"
    given = "66 documents are given space"
    assert ways.verdict == f"{given}, in 2 ways (found again in other documents: 1.00)"
    alone = replace(ways, strategies=ways.strategies[:1])
    assert alone.verdict == f"{given}: no evidence of several ways to recognise it"
    assert ways.to_json(tmp_path / "ways.json") == str(tmp_path / "ways.json")
    data = json.loads((tmp_path / "ways.json").read_text())
    expected: dict[str, Any] = {
        "target": "space",
        "verdict": ways.verdict,
        "remarks": [],
        "settings": ways.settings,
    }
    expected |= {"strategies": json.loads(json.dumps([one.to_dict() for one in ways]))}
    expected |= {name: getattr(ways, name).tolist() for name in ("documents", "groups")}
    expected |= {"points": ways.points.round(6).tolist(), "plane_share": ways.plane_share}
    expected |= {"ids": [f"text {number}" for number in ways.documents]}
    assert {name: data[name] for name in expected} == expected
    assert data["strengths"] == {str(number): value for number, value in ways.strengths.items()}
    frame = ways.to_frame()
    assert (frame.index.tolist(), frame["n_documents"].sum()) == ([1, 2], 66)
    assert frame["words"].tolist() == [["moon"], ["rocket"]]
    drawn = ways.to_map()
    assert drawn.groups == [f"{n}: {('moon', 'rocket')[n - 1]}" for n in ways.groups.tolist()]
    assert (drawn.ids[0], drawn.share) == (f"text {ways.documents[0]}", ways.plane_share)
    assert ways.plane_share == pytest.approx(1, abs=0.01)
    unnamed = replace(ways, explanations=[replace(one, id=None) for one in ways.explanations])
    assert unnamed.to_map().ids == [str(number) for number in ways.documents]


def test_the_page_shows_all_there_is(tmp_path: Path) -> None:
    path = tmp_path / "ways.html"
    assert found().to_html(path) == str(path)
    page = path.read_text()
    assert "<title>How space is recognised</title>" in page
    assert found().verdict in page
    assert page.count('class="ww"') == 1 + 4  # two typical documents of each
    first = found()[0]
    titles = re.findall(r'<h2 dir="auto">(text \d+)</h2>', page)
    assert titles[:2] == [f"text {number}" for number in first.typical[:2]]
    assert page.count('<section id="way') == 2
    assert re.search(r'<tr class="marked"><th scope="row"><a href="#way1">', page)
    assert page.count("lives on suspects</small>") == 1
    assert "http" not in page.replace("http-equiv", "")
    assert 'class="chip w p20" title="100.0% of what speaks for the class, ' in page
    read = plain(page)
    assert "1 46 70% 87.0% 74% to 94%" in read
    strengths = [f"{value:.2f}" for value in found().strengths.values()]
    assert f"clusters 1 2 found again {' '.join(strengths)}" in read


def test_the_page_leaves_out_what_is_not_known() -> None:
    unknown: dict[str, Any] = {"accuracy": None, "interval": None, "on_suspects": None}
    bare = [replace(one, distinct=[], **unknown) for one in found()]
    page = replace(found(), strategies=bare[:1], groups=found().groups * 0 + 1).to_html(title="<b>")
    assert "<title>&lt;b&gt;</title>" in page
    assert "on suspects" not in page
    assert "accuracy" not in page
    assert "no evidence of several ways" in page
    assert "its words" in page


WORD = StrategyWord("moon", 0.4, 0.1, 12)
STRATEGY = Strategy(1, 30, 0.6, [WORD], [], [4, 2], 1.5)


def test_one_strategy_in_words() -> None:
    assert WORD.more == pytest.approx(0.3)
    assert repr(STRATEGY) == "Strategy(1: moon: 30 documents (60%))"
    known: dict[str, Any] = {"accuracy": 0.95, "interval": (0.9, 1.0), "on_suspects": 0.4}
    other = replace(STRATEGY, words=[], number=2, **known)
    assert repr(other) == "Strategy(2: 30 documents (60%), accuracy 95.0%, lives on suspects)"
    assert not replace(other, on_suspects=0.39).lives_on_suspects
    four = [WORD._replace(word=word) for word in ("orbit", "b", "c", "d")]
    assert replace(STRATEGY, distinct=four).name == "1: orbit, b, c"
    data = STRATEGY.to_dict()
    assert data["words"] == [{"word": "moon", "share": 0.4, "elsewhere": 0.1, "documents": 12}]
    assert (data["typical"], data["accuracy"], data["lives_on_suspects"]) == ([4, 2], None, False)


# ---- words and their shares ---------------------------------------------------------------------


def shares() -> WordShares:
    """Return six documents: of two words each, a third that is rare, and a sign."""
    rows = [
        (document, word, share)
        for document in range(6)
        for word, share in enumerate([0.5, 0.4] if document < 4 else [0.1, 0.9])
    ]
    rows += [(0, 2, 0.9), (1, 3, 0.9), (2, 3, 0.9), (3, 4, -0.5), (4, 4, -0.5), (5, 4, -0.5)]
    documents, numbers, values = zip(*rows, strict=True)
    names = ["a", "b", "rare", "!?", "against"]
    places = np.array(documents, np.intp), np.array(numbers, np.intp)
    return WordShares(names, *places, np.array(values), 6)


def test_words_of_two_ways_and_of_one() -> None:
    groups = np.array([0, 0, 0, 0, 1, 1], np.intp)
    (first, apart), (second, other) = strategy_words(shares(), groups, 2)
    rounded = [[(*one[:1], *np.round(one[1:], 6)) for one in words] for words in (first, second)]
    assert rounded == [
        [("a", 0.5, 0.1, 4), ("b", 0.4, 0.9, 4)],
        [("b", 0.9, 0.4, 2), ("a", 0.1, 0.5, 2)],
    ]
    assert ([one.word for one in apart], [one.word for one in other]) == (["a"], ["b"])
    ((words, distinct),) = strategy_words(shares(), np.zeros(6, np.intp), 1)
    assert ([(one.word, one.elsewhere) for one in words], distinct) == ([("b", 0), ("a", 0)], [])
    places = np.array([0, 1, 0, 1], np.intp), np.array([0, 0, 1, 1], np.intp)
    for faint, listed in ((0.05, ["a"]), (0.051, ["a", "b"])):
        strong = WordShares(["a", "b"], *places, np.array([1, 1, faint, faint]), 2)
        ((words, _),) = strategy_words(strong, np.zeros(2, np.intp), 1)
        assert [one.word for one in words] == listed


def test_shares_of_explanations() -> None:
    texts = [made_text([0, 1, 0, 5]), "", made_text([2]).upper(), "nothing known"]
    explanations = explain(made_cnn(), texts, "class 1")
    ours, expected = WordShares.of(explanations), {}
    listed = zip(ours.documents, ours.numbers, ours.shares, strict=True)
    for document, one in enumerate(explanations):
        totals = one.by_word()
        positive = sum(value for value in totals.values() if value > 0)
        for word, value in totals.items():
            expected[document, word] = value / positive if positive > 0 else 0
    assert {(d, ours.words[n]): share for d, n, share in listed} == pytest.approx(expected)
    assert (len(expected), ours.n_documents) == (6, 4)
    none = WordShares.of([])
    assert (none.words, none.n_documents, none.vectors().shape) == ([], 0, (0, 0))


SHARES = WordShares(
    words=["a", "b", "c"],
    documents=np.array([0, 0, 1, 2], np.intp),
    numbers=np.array([0, 1, 1, 2], np.intp),
    shares=np.array([0.75, 0.25, 1.0, -0.5]),
    n_documents=4,
)


def test_means_and_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = np.array([0, 1, 1, 1], np.intp)
    means = SHARES.means(groups, 3)
    np.testing.assert_allclose(means, [[0.75, 0.25, 0], [0, 1 / 3, -0.5 / 3], [0.0, 0, 0]])
    assert SHARES.document_counts(groups, 2).tolist() == [[1, 1, 0], [0, 1, 1]]
    assert SHARES.vectors().tolist() == [[0.75, 0.25, 0], [0, 1, 0], [0, 0, -0.5], [0, 0, 0]]
    monkeypatch.setattr("whyword.audit.word_shares._WIDEST", 2)  # those that matter most
    assert SHARES.vectors().tolist() == [[0.75, 0.25], [0, 1], [0, 0], [0, 0]]


def test_share_on_some_words() -> None:
    one = explain(made_cnn(), made_text([0, 1, 0, 5]), "class 1")
    words, totals = one.words, one.by_word()
    positive = sum(value for value in totals.values() if value > 0)
    for word, total in totals.items():
        assert share_on(one, Ignored([word.upper()])) == pytest.approx(max(0, total) / positive)
    pair = float(one.relevance[:2].sum())
    on_pair = share_on(one, Ignored([" ".join(words[:2])]))
    assert on_pair == pytest.approx(min(1, max(0, pair / positive)))
    assert share_on(one, Ignored([])) == 0
    assert share_on(explain(made_cnn(), "", "class 1"), Ignored(["a"])) == 0


# ---- what it costs ------------------------------------------------------------------------------

RANDOM = np.random.default_rng(5)
COUNTED = [" ".join(["a", *RANDOM.choice(["a", "ab", "x"], n % 7)]) for n in range(50)]


@pytest.mark.parametrize("documents", [2_000, 30])
def test_price_is_what_is_asked_at_most(documents: int) -> None:
    model = Counting(0.25)
    said = strategies_price(model.box(), COUNTED, documents=documents, clock=model.clock)
    assert said.seconds == pytest.approx(said.predictions * 0.25)
    measured = model.total
    strategies(model.box(), COUNTED, "a", documents=documents, most=1)
    asked = model.total - measured
    assert said.at_most
    assert len(COUNTED) < asked <= said.predictions
    if documents > len(COUNTED):  # all of them are given the class
        assert asked == said.predictions
    assert strategies_price(model.box(), []).predictions == 0
    network = strategies_price(made_cnn(), COUNTED[:3])
    assert network.predictions == 3 + 2 * 3  # explained once more for their vectors
