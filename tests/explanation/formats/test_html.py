from networks import made_cnn

from whyword import explain
from whyword.explanation.formats.html import FORMAT


def test_all_documents_are_on_one_page() -> None:
    explanations = explain(made_cnn(), ["wa wb", "wc"], ids=["a", "b"])
    assert FORMAT.parts is not None
    page = "".join(FORMAT.parts(explanations))
    assert page.count("<html") == page.count("</html>") == 1
    assert page.count("<article") == 2
    assert page == explanations.to_html().replace("whyword: 2 documents", "whyword")
