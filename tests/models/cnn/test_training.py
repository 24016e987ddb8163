import builtins

import numpy as np
import pytest
from networks import some_vectors, topical

from whyword.base.errors import InputError, MissingExtraError
from whyword.base.progress import Progress
from whyword.models.cnn.inputs import Inputs
from whyword.models.cnn.training import LabelledBatch, Settings, train_network
from whyword.words import Reader

SETTINGS = Settings(
    widths=(2,),
    filters=10,
    dropout=0.2,
    word_dropout=0.1,
    l2=1e-4,
    epochs=6,
    batch_size=8,
    learning_rate=0.02,
    seed=0,
)


def data(count: int, seed: int) -> LabelledBatch:
    texts, labels = topical(count, seed=seed)
    numbers = np.unique(labels, return_inverse=True)[1]
    return LabelledBatch(Inputs(Reader(), some_vectors(), shortest=2).batch(texts), numbers)


def test_the_best_epoch_is_kept() -> None:
    events: list[Progress] = []
    validation = data(30, 1)
    network, best = train_network(
        data(60, 0), validation, np.ones(3, np.float32), SETTINGS, events.append
    )
    assert [(event.number, event.total) for event in events] == [(n, 6) for n in range(1, 7)]
    assert events[2].share == 0.5
    assert best.accuracy == max(event.metrics["validation accuracy"] for event in events)
    predicted = network.forward(validation.inputs).argmax(axis=1)
    assert np.mean(predicted == validation.classes) == best.accuracy
    assert events[-1].metrics["loss"] < events[0].metrics["loss"]


def test_without_validation_the_last_epoch_is_kept() -> None:
    _, best = train_network(data(30, 0), None, np.ones(3, np.float32), SETTINGS, lambda epoch: None)
    assert best.number == 6
    assert best.accuracy is None


def test_divergence_is_said() -> None:
    wild = Settings(**{**SETTINGS.__dict__, "learning_rate": 1e30})
    with pytest.raises(InputError, match=r"training diverged in epoch .*; lower learning_rate"):
        train_network(data(30, 0), None, np.ones(3, np.float32), wild, lambda epoch: None)


def test_without_torch_the_pip_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: object) -> object:
        if name == "torch":
            raise ImportError(name)
        return real(name, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'whyword\[train\]'"):
        train_network(data(9, 0), None, np.ones(3, np.float32), SETTINGS, lambda epoch: None)
