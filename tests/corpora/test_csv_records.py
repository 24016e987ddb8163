"""Records are those of the module csv, but for damage, of which no more is lost than need be."""

import csv
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.corpora import csv_records as module
from whyword.corpora.csv_records import QuotationError, csv_records, cut_record

TEXTS = st.text(st.sampled_from('ab,";\r\n\0 é'), max_size=60)


def lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True) if text.isascii() else [*iterate(text)]


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
def test_every_record_of_a_good_file(table: list[list[str]], usual: int) -> None:
    out = Lines()
    csv.writer(out, lineterminator="\n").writerows(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_USUAL", usual)  # also what is longer than the module takes
        records = list(csv_records(iterate("".join(out)), ",", 2))
    assert [(fields, flaw) for _, fields, flaw in records] == [(row, None) for row in table]


class Lines(list[str]):
    """What a writer writes to."""

    def write(self, text: str) -> None:
        self.append(text)


def read(text: str, width: int = 2) -> list[tuple[int, list[str], str | None]]:
    return list(csv_records(iterate(text), ",", width))


def test_a_mark_that_is_never_closed_costs_its_own_row_only() -> None:
    records = read('a,b\n"c,d\ne,f\ng,h\n')
    assert [(line, fields) for line, fields, _ in records] == [
        (1, ["a", "b"]),
        (2, []),
        (3, ["e", "f"]),
        (4, ["g", "h"]),
    ]
    assert records[1][2] == (
        "unexpected end of data; is a quotation mark not closed or not doubled? "
        "(it would reach to line 4, but there are rows from line 3 on)"
    )


def test_it_may_seem_closed_by_the_next_that_opens() -> None:
    records = read('a,b\n"c,d\ne,f\n"g","h"\ni,j\n')
    assert [fields for _, fields, _ in records] == [
        ["a", "b"],
        [],
        ["e", "f"],
        ["g", "h"],
        ["i", "j"],
    ]
    assert [line for line, *_ in records] == [1, 2, 3, 4, 5]


def test_a_cut_off_text_is_no_rows() -> None:
    records = read('a,b\n"Dear all,\nthis is a text.\nIt ends\n')
    assert [fields for _, fields, _ in records] == [["a", "b"], []]
    assert str(records[1][2]).endswith("lines 2 to 4 are left out")
    assert read('"x\ny\n', 1)[0][2] is not None  # a column of texts: any line would be a row


def test_a_long_record_of_the_wrong_width_says_how_many_lines_it_has() -> None:
    ((line, _, flaw),) = read('"one\ntwo",b,c\n')
    assert (line, flaw) == (1, "3 fields, but the header has 2; lines 1 to 2 are left out")


def test_the_limit_of_the_process_is_neither_needed_nor_changed() -> None:
    before = csv.field_size_limit(10)
    try:
        assert read(f"{'a' * 200_000},b\n{'c' * 50},d\n")[1][1] == ["c" * 50, "d"]
        assert csv.field_size_limit() == 10
    finally:
        csv.field_size_limit(before)


def test_a_record_that_is_too_long_for_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 100)
    monkeypatch.setattr(module, "_USUAL", 10)
    records = read(f'a,b\n"{"x" * 40}\n{"x" * 40}\n{"x" * 40}\nc,d\n')
    assert [fields for _, fields, _ in records][-1] == ["c", "d"]
    assert "characters; lines 2 to 4 are left out" in str(records[1][2])


def test_a_record_of_too_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_LINES", 5)
    monkeypatch.setattr(module, "_USUAL", 10)
    records = read('a,b\n"c\n' + "d\n" * 20)
    assert str(records[1][2]) == "more than 5 lines; lines 2 to 7 are left out"
    assert [line for line, *_ in records] == [1, 2, *range(8, 23)]


def test_damage_is_not_read_again_for_ever() -> None:
    lines = 0

    def counted() -> Iterator[str]:
        nonlocal lines
        for number in range(20_000):  # each tenth opens a mark, whether one is open or not
            lines += 1
            yield 'x","\n' if number % 10 == 0 else "a,b\n"

    read_again = 0
    are_rows = module._are_rows

    def watched(swallowed: list[str], delimiter: str, width: int) -> bool:
        nonlocal read_again
        read_again += len(swallowed)
        return are_rows(swallowed, delimiter, width)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_are_rows", watched)
        records = list(csv_records(counted(), ",", 2))
    assert records
    assert read_again <= 2 * module._READ_AGAIN * lines
