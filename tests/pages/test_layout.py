"""What pages of figures have in common."""

import pytest

from whyword.pages.layout import table
from whyword.pages.render import environment


def test_a_table_marks_its_best_row_and_names_its_columns() -> None:
    shown = table(["by", "E\u00adPI"], [["LRP", "<b>"], ["SA", ".7"]], [True, False])
    macros = environment().get_template("parts.html").module
    made = str(macros.table(shown))  # type: ignore[attr-defined]
    assert made.count('<th scope="col">') == 2
    assert "E\u00adPI" in made
    best = made.index('<tr class="best"><td>LRP</td><td>&lt;b&gt;</td>')
    assert best < made.index("<tr><td>SA</td>")


def test_a_row_without_a_mark_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="shorter"):
        table(["by"], [["LRP"], ["SA"]], [True])


def test_words_of_a_class_are_text_and_unseen_ones_marked() -> None:
    macros = environment().get_template("parts.html").module
    made = str(macros.word_list([["<b>", 1.25, True], ["new", 0.5, False]]))  # type: ignore[attr-defined]
    assert "<li><bdi>&lt;b&gt;</bdi> <small>(1.25)</small>" in made
    assert '<bdi class="unseen">new</bdi>' in made
