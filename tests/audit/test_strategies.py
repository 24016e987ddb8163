from typing import Any

import numpy as np
import pytest
from networks import TOPICS, made_cnn, small_cnn, topical
from recognised import WAYS, box, found, sure, two_ways
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from toys import TopicsClassifier, several_topics

from whyword import BlackBox, InputError, SVMClassifier, TorchClassifier, explain, strategies
from whyword.base.progress import Progress
from whyword.evaluation.significance import share_interval


def pipeline(texts: list[str], labels: list[str]) -> Any:  # noqa: ANN401 - scikit-learn has no types
    return make_pipeline(CountVectorizer(), LogisticRegression(C=100)).fit(texts, labels)


def svm(texts: list[str], labels: list[str]) -> SVMClassifier:
    return SVMClassifier(C=1.0).fit(texts, labels)


def torch_model(*_: object) -> TorchClassifier:
    import torch
    from torch import nn

    class Means(nn.Module):
        """The mean of the words' vectors."""

        def __init__(self) -> None:
            super().__init__()
            self.vectors = nn.Embedding(3, 2, padding_idx=0)
            self.head = nn.Linear(2, 2)
            with torch.no_grad():
                self.vectors.weight.copy_(torch.tensor([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]))
                self.head.weight.copy_(torch.tensor([[9.0, 9.0], [-9.0, -9.0]]))
                self.head.bias.copy_(torch.tensor([-1.0, 1.0]))

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            scores: torch.Tensor = self.head(self.vectors(ids).mean(dim=1))
            return scores

    words = {"<pad>": 0, **{word: number for number, word in enumerate(WAYS, 1)}}
    return TorchClassifier(Means().eval(), words, ["space", "hockey"])


# ---- what is found ------------------------------------------------------------------------------


@pytest.mark.slow(reason="many clusterings")
@pytest.mark.parametrize("make", [svm, pipeline, torch_model, lambda *_: sure])
def test_planted_ways_are_found(make: Any) -> None:  # noqa: ANN401
    texts, labels = two_ways(200)
    model = make(texts, labels)
    if model is sure:
        model = BlackBox(sure, ["space", "hockey"])
    ways = strategies(model, texts, "space", labels, most=4)
    assert len(ways) == 2
    assert {one.words[0].word for one in ways} == {*WAYS}
    assert {one.distinct[0].word for one in ways} == {*WAYS}
    for one in ways:
        word = one.words[0].word
        own = ways.documents[ways.groups == one.number].tolist()
        assert np.mean([word in texts[number].split() for number in own]) > 0.95
        assert set(one.typical) <= set(own)


@pytest.mark.slow(reason="many clusterings")
@pytest.mark.parametrize("kind", ["svm", "network"])
def test_one_way_is_one(kind: str) -> None:
    """Words of a topic by chance: there are no ways."""
    texts, labels = topical(180, seed=3)
    model = small_cnn() if kind == "network" else svm(texts, labels)
    ways = strategies(model, texts, "space", labels, most=3)
    assert len(ways) == 1
    assert ways[0].share == 1
    assert ways[0].words[0].word in TOPICS["space"]
    assert ways[0].distinct == []


@pytest.mark.slow(reason="many clusterings")
def test_figures_of_a_strategy() -> None:
    texts, labels = two_ways()
    ways = found()
    explanations = explain(box(), [texts[n] for n in ways.documents], "space")
    for one in ways:
        members = np.flatnonzero(ways.groups == one.number)
        own = ways.documents[members].tolist()
        right = sum(labels[number] == "space" for number in own)
        assert one.n_documents == len(own)
        assert one.share == len(own) / 66
        assert one.accuracy == right / len(own)
        assert one.interval == share_interval(right, len(own), 0.05)
        assert one.score == pytest.approx(
            np.mean([explanations[n].score for n in members.tolist()])
        )
    assert [one.accuracy for one in ways] == [40 / 46, 1.0]
    assert [one.on_suspects for one in ways] == [1.0, 0.0]
    assert [one.lives_on_suspects for one in ways] == [True, False]


@pytest.mark.slow(reason="many clusterings")
@pytest.mark.parametrize("level", ["word", "element"])
def test_networks_have_two_levels(level: str) -> None:
    texts, _ = topical(120, seed=1)
    events: list[Progress] = []
    ways = strategies(
        small_cnn(), texts, "hockey", level=level, most=2, documents=35, on_progress=events.append
    )
    assert ways.n_documents == 35
    assert ways.remarks[0].startswith("35 of the ")
    assert [event.stage for event in events] == [
        *("predictions", "explanations", "vectors", "2 clusters"),
    ]
    again = strategies(small_cnn(), texts, "hockey", level=level, most=2, documents=35)
    assert again.documents.tolist() == ways.documents.tolist()
    assert again.to_dict() == ways.to_dict()
    other = strategies(small_cnn(), texts, "hockey", level=level, most=1, documents=35, seed=1)
    assert other.documents.tolist() != ways.documents.tolist()
    assert all(one.accuracy is None and one.on_suspects is None for one in ways)


@pytest.mark.slow(reason="many clusterings")
def test_several_labels() -> None:
    texts, labels = several_topics(120)
    model = TopicsClassifier().fit(texts, labels)
    ways = strategies(model, texts, "space", labels, most=2)
    said = [number for number, one in enumerate(model.predict(texts)) if "space" in one]
    assert ways.documents.tolist() == said
    right = sum("space" in labels[number] for number in said)
    assert sum((one.accuracy or 0) * one.n_documents for one in ways.strategies) == (
        pytest.approx(right)
    )


@pytest.mark.slow(reason="many clusterings")
def test_documents_without_relevance_are_left_out() -> None:
    texts, _ = two_ways()

    def lenient(given: list[str]) -> list[list[float]]:
        rows = zip(given, sure(given), strict=True)
        return [row if text.strip() else [0.9, 0.1] for text, row in rows]

    ways = strategies(BlackBox(lenient, ["space", "hockey"]), [*texts, "", "  "], "space", most=2)
    assert ways.n_documents == 66
    assert ways.remarks == ["2 documents without any relevance were left out."]


# ---- what is not --------------------------------------------------------------------------------


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
        ({"labels": ["moon"] * 60}, "there is no class 'moon'"),
        ({"suspects": "moon"}, "suspects must be a list of strings, not one"),
        ({"documents": 10}, "documents must be a whole number from 30"),
        ({"most": 0}, "most must be a whole number from 1"),
        ({"level": "phrase"}, "level may be 'word' or 'element'"),
        ({"method": "lpr"}, "lpr"),
        ({"epsilon": -1}, "epsilon"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"target": "class 1"}
    with pytest.raises(InputError, match=message):
        strategies(made_cnn(), ["wa wb"] * 60, **(good | arguments))


def test_a_black_box_has_no_elements() -> None:
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        strategies(box(), two_ways(60)[0], "space", level="element")
