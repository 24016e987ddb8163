"""Tables with figures say what benchmarks left behind, and nothing else."""

import pytest
from tables import ROOT, TABLES, Table, sources, with_table


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.page}-{table.name}")
def test_a_page_says_what_was_measured(table: Table) -> None:
    measured = sources(table)
    assert measured, "measure first"
    page = (ROOT / table.page).read_text()
    assert with_table(page, table.name, table.made(measured)) == page, "run benchmarks/tables.py"


def test_a_table_has_its_place() -> None:
    page = "a\n<!-- begin: b -->\nold | 1\n<!-- end: b -->\nc"
    found = with_table(page, "b", "| new \\1 |")
    assert found == "a\n<!-- begin: b -->\n\n| new \\1 |\n\n<!-- end: b -->\nc"
    with pytest.raises(ValueError, match="no place"):
        with_table(page, "d", "")
