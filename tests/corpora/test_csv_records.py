"""CSV records are those of the module csv; of a damaged file, few lines are lost."""

import csv
import io
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.corpora import csv_records as module
from whyword.corpora.csv_records import QuotationError, csv_records, cut_record
from whyword.corpora.lines import TOO_LONG

TEXTS = st.text(st.sampled_from('ab,";\r\n\0 é'), max_size=60)


def iterate(text: str) -> Iterator[str]:
    *whole, last = text.split("\n")
    yield from (line + "\n" for line in whole)
    if last:
        yield last


def by_csv(lines: list[str], delimiter: str = ",") -> list[str] | None:
    """Return what the module csv says of the first record; None if it raises."""
    try:
        return next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except csv.Error:
        return None


@given(text=TEXTS)
def test_a_record_is_cut_as_csv_cuts_it(text: str) -> None:
    lines = [*iterate(text)]
    try:
        cut: list[str] | None = cut_record(lines, ",") if lines else []
    except QuotationError:
        cut = None
    assert cut == by_csv(lines)


@given(table=st.lists(st.lists(st.text(st.sampled_from('ab,"\n é')), min_size=2, max_size=2)))
@pytest.mark.parametrize("usual", [1, 10, 1 << 17])
def test_all_records_of_a_good_file(table: list[list[str]], usual: int) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_USUAL", usual)  # also what is longer than the module takes
        records = list(csv_records(iterate(out.getvalue()), ",", 2))
    assert [(fields, flaw) for _, fields, flaw in records] == [(row, None) for row in table]


@given(text=TEXTS)
def test_all_lines_are_in_a_record_or_reported(text: str) -> None:
    lines = [*iterate(text)]
    at = 1
    for first, fields, flaw in csv_records(lines, ",", 2):
        assert first >= at
        assert not "".join(lines[at - 1 : first - 1]).strip("\r\n")
        lost = re.search(r"lines (\d+) to (\d+) are left out$", flaw or "")
        assert lost is None or int(lost[1]) == first
        more = sum(field.count("\n") for field in fields)
        at = (int(lost[2]) if lost else first + more) + 1
    assert not "".join(lines[at - 1 :]).strip("\r\n")


def read(text: str, width: int = 2) -> list[tuple[int, list[str], str | None]]:
    return list(csv_records(iterate(text), ",", width))


UNEXPECTED = "unexpected end of data; is a quotation mark not closed or not doubled?"


@pytest.mark.parametrize(
    ("text", "rows", "flaw"),
    [
        (  # a mark that is never closed
            'a,b\n"c,d\ne,f\ng,h\n',
            "1ab|2|3ef|4gh",
            f"{UNEXPECTED} (it would reach to line 4, but there are rows from line 3 on)",
        ),
        (  # it seems closed by the next one that opens
            'a,b\n"c,d\ne,f\n"g","h"\ni,j\n',
            "1ab|2|3ef|4gh|5ij",
            "',' expected after a closing quotation mark; is one not closed or not doubled? "
            "(it would reach to line 4, but there are rows from line 3 on)",
        ),
        ('a,b\n"c\nd\ne\n', "1ab|2", f"{UNEXPECTED}; lines 2 to 4 are left out"),
        ('"c\nd",e,f\n', "1", "3 fields, but the header has 2; lines 1 to 2 are left out"),
    ],
)
def test_a_damaged_record_costs_few_rows(text: str, rows: str, flaw: str) -> None:
    records = read(text)
    assert "|".join(f"{line}{''.join(fields)}" for line, fields, _ in records) == rows
    assert [said for *_, said in records if said] == [flaw]
    assert read('"x\ny\n', 1)[0][2] is not None  # a column of texts: any line would be a row


def test_records_that_are_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_USUAL", 10)
    flaw = "3 fields, but the header has 2; lines 1 to 2 are left out"
    assert read('"xxxxxx\nxxxxxx",b,c\n')[0][2] == flaw
    record = '"xxxxxx\nxxxxxx"\n'
    monkeypatch.setattr(module, "LONGEST", len(record))
    assert read(f"a\n{record}c\n", 1)[1:] == [(2, ["xxxxxx\nxxxxxx"], None), (4, ["c"], None)]
    monkeypatch.setattr(module, "LONGEST", len(record) - 1)
    flaw = f"{TOO_LONG}; lines 2 to 3 are left out"
    assert read(f"a\n{record}c\n", 1)[1:] == [(2, [], flaw), (4, ["c"], None)]


def test_a_record_of_too_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_LINES", 5)
    monkeypatch.setattr(module, "_USUAL", 10)
    records = read('a,b\n"c\n' + "d\n" * 20)
    assert str(records[1][2]) == "more than 5 lines; lines 2 to 7 are left out"
    assert [line for line, *_ in records] == [1, 2, *range(8, 23)]


def test_damage_is_not_read_again_and_again() -> None:
    taken = 0

    class Line(str):
        """Counts how often lines are read."""

        def __len__(self) -> int:
            nonlocal taken
            taken += 1
            return super().__len__()

    # each tenth opens a mark, whether one is open or not
    lines = [Line('x","\n' if number % 10 == 0 else "a,b\n") for number in range(5_000)]
    assert list(csv_records(lines, ",", 2))
    assert taken <= 30 * len(lines)
