"""Lines of text files, plain or gzip: read once, with the places of errors."""

import encodings
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


@pytest.mark.parametrize("block", [1, 5, 1 << 20])
def test_the_first_look_is_not_read_again(
    path: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens = count_opens(monkeypatch)
    monkeypatch.setattr(module, "_BLOCK", block)
    monkeypatch.setattr(module, "_MOST_KEPT", 100)
    file = TextFile(path)
    assert next(file.look(lenient=True)) == "text\n"
    assert next(file.look()) == "text\n"
    looked, plain = list[Progress](), list[Progress]()
    assert list(file.lines(on_progress=looked.append)) == LINES
    assert opens[path.name] == 1
    assert list(file.lines(on_progress=plain.append)) == LINES  # again, from the beginning
    assert opens[path.name] == 2
    assert looked == plain
    assert looked[-1].share == 1.0
    if block == 1 and path.suffix == ".txt":
        size = path.stat().st_size
        assert [event.share for event in plain] == [n / size for n in range(1, size + 1)]


def test_a_long_look_is_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opens = count_opens(monkeypatch)
    file = TextFile(path)
    assert list(file.look()) == LINES
    assert list(file.lines()) == LINES
    assert opens[path.name] == 1
    monkeypatch.setattr(module, "_BLOCK", 1)
    file = TextFile(path)
    assert list(file.look()) == LINES
    assert list(file.look()) == LINES
    assert list(file.lines()) == LINES
    assert opens[path.name] == 4


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
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
    with pytest.raises(InputError, match=r"byte 6 \(line 2\) is not valid utf-8"):
        list(file.look())
    assert list(file.lines(lenient=True)) == ["text\n", "a\udcff\n"]


def test_a_file_that_was_written_since_is_read_anew(write: Write) -> None:
    path = write("a.csv", "old\nrows\n")
    file = TextFile(path)
    assert next(file.look()) == "old\n"
    path.write_text("new rows, and more of them\n")
    assert list(file.lines()) == ["new rows, and more of them\n"]


ENDS = st.lists(st.sampled_from(["a", "é", "\r", "\n", "\r\n", ",", "🚀"]), max_size=12).map(
    "".join
)


@given(text=ENDS)
@pytest.mark.parametrize("block", [1, 2, 1 << 20])
def test_lines_do_not_depend_on_the_block_size(
    text: str, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    path.write_bytes(text.encode())
    with mock.patch("whyword.corpora.lines._BLOCK", block):
        assert list(TextFile(path).look()) == io.StringIO(text, newline="").readlines()
        for end in "\r\n":
            *ended, last = text.split(end)
            expected = [line + end for line in ended] + [last] * bool(last)
            assert list(TextFile(path).lines(end=end)) == expected
            assert list(TextFile(path).look(end=end)) == expected


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
    monkeypatch.setattr(module, "LONGEST", 10)
    monkeypatch.setattr(module, "_BLOCK", 1)
    path = write("a.txt.gz", "x" * 100 + "\n" + "y" * 11 + "\nshort\n" + "z" * 100)
    expected = ["x" * 11 + "\n", "y" * 11 + "\n", "short\n", "z" * 11]
    assert list(TextFile(path).lines()) == list(TextFile(path).look()) == expected
    with pytest.raises(InputError, match="more than 67,108,864 characters"):
        read_text(path)
    assert read_text(path, lenient=True) == Flaw(module.TOO_LONG)
    assert read_text(write("b.txt", "x" * 10), lenient=True) == "x" * 10


def test_encodings_that_are_not_for_files(write: Write) -> None:
    path = write("a.txt", rb"a\d")
    for encoding in ("idna", "punycode", "undefined", "unicode_escape", "raw-unicode-escape"):
        with pytest.raises(InputError, match="is not what text files are written in; say encoding"):
            read_text(path, encoding)
    for encoding in ("klingon", "base64", "rot13", "a\0b"):
        with pytest.raises(InputError, match="unknown encoding '"):
            read_text(path, encoding)
    path = write("b.txt", "text".encode("utf-16-le"))
    with pytest.raises(InputError, match="say encoding='utf-16-le' or …-be"):
        read_text(path, "utf-16")


def test_all_other_encodings_read_a_file_or_refuse_it(write: Write) -> None:
    path = write("a.txt", b"text,label\n\xe9\xff\x80+A\n~{\x1b$B")
    for name in sorted({found.name for found in pkgutil.iter_modules(encodings.__path__)}):
        for lenient in (False, True):
            with suppress(InputError):  # anything else fails the test
                read_text(path, name, lenient)
