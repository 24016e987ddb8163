from pathlib import Path

from networks import made_cnn

from whyword import explain
from whyword.explanation.formats.png import FORMAT


def test_the_picture_is_that_of_the_explanation(tmp_path: Path) -> None:
    explanations = explain(made_cnn(), ["wa wb"])
    FORMAT.write(explanations, tmp_path / "why.png")
    explanations[0].to_png(tmp_path / "same.png")
    assert (tmp_path / "why.png").read_bytes() == (tmp_path / "same.png").read_bytes()
