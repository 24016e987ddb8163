"""The page of the reproduction as text; tests/browser looks at it in a browser."""

import pytest

from whyword.reports import paper
from whyword.reports.page import reproduction_page, words_of_all_classes
from whyword.reports.reproduction import Reproduction


@pytest.mark.real
def test_paper_and_here_stand_side_by_side(tiny: Reproduction) -> None:
    page = "".join(reproduction_page(tiny))
    for row in paper.POWERS:
        here = tiny.results["powers"][row.name]
        assert f"{row.epi:.4f} ± {row.deviation:.4f} ({row.k})" in page
        assert f"{here['epi']:.4f} ± {here['deviation']:.4f} ({here['k']})" in page
    for published in paper.ACCURACY.values():
        assert f"{published:.2f} %" in page
    assert page.count('<svg class="chart"') == 9 + 2 + 10  # lines, and planes
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.real
def test_all_classes_have_their_words(tiny: Reproduction) -> None:
    page = "".join(words_of_all_classes(tiny))
    assert page.count("<section>") == 60
