"""Tables with figures in README and docs are those that were measured."""

import pytest
from tables import ROOT, TABLES, Table, sources, with_table


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.page}-{table.name}")
def test_a_page_says_what_was_measured(table: Table) -> None:
    measured = sources(table)
    assert measured, "measure first"
    page = (ROOT / table.page).read_text()
    assert with_table(page, table.name, table.made(measured)) == page, "run benchmarks/tables.py"
