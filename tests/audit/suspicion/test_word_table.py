"""Tables of words: ours, and those of somebody's own."""

import pytest
from conftest import Write

from whyword.audit.suspicion.word_table import WordRow, read_word_table


@pytest.mark.parametrize(
    ("table", "rows", "has_marks"),
    [
        ("words,artefact\na; b c,yes\nd,\n", [(("a", "b c"), "yes"), (("d",), "")], True),
        ("Word , n\na; b,3\n", [(("a; b",), "")], False),  # a column of single words
        ("words,word\n,x\ny; z,q\n", [(("x",), ""), (("y", "z"), "")], False),
        ("words\nx \\; y; z\n", [(("x ; y", "z"), "")], False),
        ("words\n'=cmd\n", [(("=cmd",), "")], False),  # as a spreadsheet must not compute it
        ("word,artefact\n", [], True),
    ],
)
def test_rows(
    write: Write, table: str, rows: list[tuple[tuple[str, ...], str]], has_marks: bool
) -> None:
    found = read_word_table(write("words.csv", table))
    assert found.rows == [WordRow(*row) for row in rows]
    assert found.has_marks == has_marks


def test_a_table_without_words(write: Write) -> None:
    found = read_word_table(write("words.csv", "phrase,artefact\na,yes\n"))
    assert found.rows is None
    assert list(found.columns) == ["phrase", "artefact"]
