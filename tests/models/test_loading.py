from pathlib import Path

from networks import small_cnn, topical

from whyword import CNNClassifier, SVMClassifier, load_model


def test_the_kind_decides_the_class(tmp_path: Path) -> None:
    small_cnn().save(tmp_path / "cnn")
    SVMClassifier(C=1.0).fit(*topical(30)).save(tmp_path / "svm")
    assert isinstance(load_model(tmp_path / "cnn"), CNNClassifier)
    assert isinstance(load_model(str(tmp_path / "svm")), SVMClassifier)
