"""The paper's models are trained once, and kept by what they were made of."""

from pathlib import Path

from networks import TINY, some_vectors, topical

from whyword.corpora.corpus import Part
from whyword.reports.stages import Stages
from whyword.reports.training import train_models

TEXTS, LABELS = topical(80, seed=2)
TRAIN = Part(TEXTS, LABELS, [str(n) for n in range(80)])
NETWORKS = {"CNN1": (1, 400), "CNN2": (2, 400)}


def stages(folder: Path, begun: list[tuple[str, bool]]) -> Stages:
    names = ("training SVM", "word vectors", "training CNN1", "training CNN2")
    return Stages(
        folder, dict.fromkeys(names, 1.0), lambda step: begun.append((step.stage, step.kept))
    )


def test_models_are_trained_once(tmp_path: Path) -> None:
    some_vectors().save(tmp_path / "v.safetensors")
    data = {"train": "a digest", "plan": TINY.as_inputs(), "vectors": "those"}
    trained = []
    for expected in (False, True):
        begun: list[tuple[str, bool]] = []
        models = train_models(
            stages(tmp_path / "kept", begun),
            TRAIN,
            data,
            TINY,
            tmp_path / "v.safetensors",
            NETWORKS,
        )
        assert [kept for _, kept in begun] == [expected] * 4
        trained.append({name: model.identity for name, model in models.items()})
    assert list(trained[0]) == ["SVM", "CNN1", "CNN2"]
    assert trained[0] == trained[1]
    assert models["CNN2"].load().width == 2
    assert models["SVM"].load().predict(["orbit moon rocket"]).tolist() == ["space"]
