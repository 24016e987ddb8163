from networks import made_cnn

from whyword import explain
from whyword.explanation.formats.svg import FORMAT


def test_the_picture_is_that_of_the_explanation() -> None:
    explanations = explain(made_cnn(), ["wa wb"])
    assert FORMAT.parts is not None
    assert list(FORMAT.parts(explanations)) == [explanations[0].to_svg()]
