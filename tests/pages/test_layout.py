"""What pages of figures have in common."""

import pytest

from whyword.pages.layout import table


def test_a_table_marks_its_best_row_and_names_its_columns() -> None:
    made = table(["by", "EPI"], [["LRP", ".8"], ["SA", ".7"]], [True, False])
    assert made.count('<th scope="col">') == 2
    assert made.index('<tr class="best"><td>LRP</td>') < made.index("<tr><td>SA</td>")


def test_a_row_without_a_mark_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="shorter"):
        table(["by"], [["LRP"], ["SA"]], [True])
