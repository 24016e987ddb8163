from networks import made_cnn

from whyword import explain
from whyword.explanation.formats.text import FORMAT


def test_texts_stand_one_after_the_other() -> None:
    explanations = explain(made_cnn(), ["wa wb", "wc"], ids=["a", "b"])
    assert FORMAT.parts is not None
    assert list(FORMAT.parts(explanations)) == [str(one) for one in explanations]
