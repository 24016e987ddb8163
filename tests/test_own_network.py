"""The network that planted artefacts are looked for in does not learn what it does not read."""

import own_network
import pytest

import whyword as ww
from whyword.models.pytorch.encoding import VocabularyEncoder

TEXTS = ["zorvex orbit of the moon", "the goal of a team"] * 20
LABELS = ["space", "hockey"] * 20


@pytest.fixture(autouse=True)
def few_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_network, "EPOCHS", 3)


def words_of(model: ww.TorchClassifier) -> set[str]:
    assert isinstance(model.encoder, VocabularyEncoder)
    return set(model.encoder.vocabulary)


def test_it_learns() -> None:
    model = own_network.OwnNetwork(0).fit(TEXTS, LABELS)
    assert model.predict(TEXTS[:2]).tolist() == LABELS[:2]
    assert ww.explain(model, TEXTS[0]).residual == pytest.approx(0, abs=1e-5)


def test_words_that_are_ignored_are_not_learned() -> None:
    """Else training again without a word would say what `without` says, whatever was trained."""
    reader = ww.Reader(ignore=["zorvex"])
    again = own_network.OwnNetwork(0).set_params(reader=reader).fit(TEXTS, LABELS)
    whole = own_network.OwnNetwork(0).fit(TEXTS, LABELS)
    assert words_of(whole) - words_of(again) == {"zorvex"}
    texts = ["zorvex", "zorvex goal"]
    assert (
        again.decision_function(texts) != ww.without(whole, ["zorvex"]).decision_function(texts)
    ).all()
