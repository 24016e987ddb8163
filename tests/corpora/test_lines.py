"""Lines are read once, though the file is looked at first."""

import encodings
import gc
import gzip
import io
import pkgutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opens import count_opens

from whyword import InputError
from whyword.base.progress import Progress
from whyword.corpora import lines as module
from whyword.corpora.lines import Flaw, TextFile, read_text

Write = Callable[[str, "str | bytes"], Path]

LINES = ["text\n", "é\n", "b\n", "c"]


@pytest.fixture(params=["a.txt", "a.txt.gz"])
def path(write: Write, request: pytest.FixtureRequest) -> Path:
    return write(request.param, "".join(LINES))


@pytest.fixture
def opens(path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often the file was opened."""
    counted = count_opens(monkeypatch)
    return lambda: counted[path.name]


@pytest.mark.parametrize("block", [1, 5, 1 << 20])
def test_a_look_is_not_read_again(
    path: Path, opens: Callable[[], int], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", block)
    monkeypatch.setattr(module, "_MOST_KEPT", 100)
    file = TextFile(path)
    assert next(file.look(lenient=True)) == "text\n"
    assert next(file.look()) == "text\n"
    assert list(file.lines()) == LINES
    assert opens() == 1
    assert list(file.lines()) == LINES  # again, from the beginning
    assert opens() == 2


def test_a_whole_look(path: Path, opens: Callable[[], int]) -> None:
    file = TextFile(path)
    assert list(file.look()) == LINES
    assert list(file.lines()) == LINES
    assert opens() == 1


def test_a_long_look_is_not_kept(
    path: Path, opens: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", 1)
    file = TextFile(path)
    assert list(file.look()) == LINES
    assert list(file.look()) == LINES
    assert list(file.lines()) == LINES
    assert opens() == 3


def test_progress_is_that_of_the_reader(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 3)
    monkeypatch.setattr(module, "_MOST_KEPT", 100)
    plain: list[Progress] = []
    list(TextFile(path).lines(on_progress=plain.append))
    looked: list[Progress] = []
    file = TextFile(path)
    next(file.look())
    list(file.lines(on_progress=looked.append))
    assert looked == plain
    assert looked[-1].share == 1.0


@pytest.mark.slow(reason="half a second and more")
def test_a_file_that_nobody_reads_is_closed(path: Path) -> None:
    file = TextFile(path)
    next(file.look())
    del file
    gc.collect()  # a file left open would be a ResourceWarning, which is an error here


def test_damage_is_found_by_whoever_comes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(gzip.compress("".join(LINES).encode())[:-4])
    file = TextFile(path)
    for read in (file.look, file.lines, file.lines):
        with pytest.raises(InputError, match="damaged or cut-off gzip file"):
            list(read())


def test_strict_after_a_lenient_look(write: Write) -> None:
    file = TextFile(write("a.txt", b"text\na\xff\n"), "utf-8")
    assert next(file.look(lenient=True)) == "text\n"
    with pytest.raises(InputError, match=r"byte 6 \(line 2\) is not valid utf-8: 0xff; say enc"):
        list(file.lines())
    assert list(file.lines(lenient=True)) == ["text\n", "a\udcff\n"]


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff")))
@pytest.mark.parametrize("block", [1, 2, 7])
def test_lines_do_not_depend_on_the_block_size(
    text: str, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(text.encode())
    with mock.patch("whyword.corpora.lines._BLOCK", block):
        lines = list(TextFile(path).lines())
    *ended, last = text.split("\n")
    assert lines == [line + "\n" for line in ended] + [last] * bool(last)


def test_a_file_that_was_written_since_is_read_anew(write: Write) -> None:
    path = write("a.csv", "old\nrows\n")
    file = TextFile(path)
    assert next(file.look()) == "old\n"
    path.write_text("new rows, and more of them\n")
    assert list(file.lines()) == ["new rows, and more of them\n"]


ENDS = st.lists(st.sampled_from(["a", "é", "\r", "\n", "\r\n", ","]), max_size=12).map("".join)


@given(text=ENDS)
@pytest.mark.parametrize("block", [1, 2, 1 << 20])
def test_a_look_takes_lines_that_end_anyhow(
    text: str, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(text.encode())
    with mock.patch("whyword.corpora.lines._BLOCK", block):
        assert list(TextFile(path).look()) == io.StringIO(text, newline="").readlines()
        *ended, last = text.split("\r")
        expected = [line + "\r" for line in ended] + [last] * bool(last)
        assert list(TextFile(path).lines(end="\r")) == expected


def test_places_of_errors_where_lines_end_with_returns(write: Write) -> None:
    path = write("a.txt", b"text\ra\xff\r")
    with pytest.raises(InputError, match=r"byte 6 \(line 2\) is not valid utf-8: 0xff"):
        list(TextFile(path, "utf-8").lines(end="\r"))
    path = write("b.txt", b"text\ra\r\0\r")
    with pytest.raises(InputError, match=r"NUL byte at byte 7 \(line 3\)"):
        list(TextFile(path).lines(end="\r"))


def test_a_line_without_end_takes_little_memory(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST", 1_000)
    monkeypatch.setattr(module, "_BLOCK", 100)
    path = write("a.txt.gz", "x" * 100_000 + "\nshort\n")
    long, short = TextFile(path).lines()
    assert 1_000 < len(long) <= 1_201
    assert long.endswith("\n")
    assert short == "short\n"
    assert len(next(TextFile(path).look())) <= 1_201
    with pytest.raises(InputError, match="more than 67,108,864 characters"):
        read_text(path)
    assert read_text(path, lenient=True) == Flaw(module.TOO_LONG)


@pytest.mark.parametrize(
    "encoding", ["idna", "punycode", "undefined", "unicode_escape", "raw-unicode-escape"]
)
def test_what_no_file_is_written_in(write: Write, encoding: str) -> None:
    path = write("a.txt", rb"a\d")
    with pytest.raises(InputError, match="is not what text files are written in; say enc") as said:
        read_text(path, encoding)
    assert "utf-16" not in str(said.value)


def test_every_other_encoding_reads_a_file_or_says_why(write: Write) -> None:
    path = write("a.txt", b"text,label\n\xe9\xff\x80+A\n~{\x1b$B")
    for name in sorted({found.name for found in pkgutil.iter_modules(encodings.__path__)}):
        for lenient in (False, True):
            with suppress(InputError):  # anything else fails the test
                read_text(path, name, lenient)
