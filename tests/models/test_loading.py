from pathlib import Path

import pytest
from networks import small_cnn, topical

from whyword import CNNClassifier, InputError, SVMClassifier, load_model
from whyword.models.loading import KINDS, Lazy, register_kind
from whyword.models.pipeline.classifier import PipelineClassifier


def test_the_kind_decides_the_class(tmp_path: Path) -> None:
    small_cnn().save(tmp_path / "cnn")
    SVMClassifier(C=1.0).fit(*topical(30)).save(tmp_path / "svm")
    assert isinstance(load_model(tmp_path / "cnn"), CNNClassifier)
    assert isinstance(load_model(str(tmp_path / "svm")), SVMClassifier)


def test_a_registered_kind_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(SVMClassifier):
        kind = "mine"

    Mine(C=1.0).fit(*topical(30)).save(tmp_path / "mine")
    with pytest.raises(InputError, match="kind 'mine'; known: cnn, svm, pipeline"):
        load_model(tmp_path / "mine")
    monkeypatch.setitem(KINDS, "mine", SVMClassifier)  # taken away again after the test
    assert register_kind(Mine) is Mine
    assert isinstance(load_model(tmp_path / "mine"), Mine)


def test_the_kinds_by_name() -> None:
    assert list(KINDS.items()) == [
        ("cnn", CNNClassifier),
        ("svm", SVMClassifier),
        ("pipeline", PipelineClassifier),
        *((name, one) for name, one in KINDS.items() if isinstance(one, Lazy)),
    ]
    lazy = {name: one.load() for name, one in KINDS.items() if isinstance(one, Lazy)}
    assert {name: one.kind for name, one in lazy.items()} == {name: name for name in lazy}
    assert lazy.keys() == {"torch", "transformer", "recurrent", "characters"}
