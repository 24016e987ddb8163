"""Words that options name, one by one or in files."""

from pathlib import Path

import pytest
from commands import Write
from fuzzing import check_message

from whyword import InputError
from whyword.cli.word_lists import ignored_words, words_or_file


def test_words_and_lists(write: Write) -> None:
    path = write("list.txt", "pills\n\n gordon banks \n/c.*/\n")
    for read in (words_or_file, ignored_words):
        assert read(f"@{path}") == ["pills", "gordon banks", "/c.*/"]
        assert read("Pills") == ["Pills"]
        assert read("@") == ["@"]
    assert words_or_file("x.csv") == ["x.csv"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("word\nbaalke\ngordon banks\n/.*[.]edu/\n", ["baalke", "gordon banks", "/.*[.]edu/"]),
        ("score;Word \n3;baalke\n", ["baalke"]),
        ('word,words\na,"a; b c; d"\nx,\n', ["a", "b c", "d", "x"]),
        ("words,word\n  ,y\n", ["y"]),
        ("word,artefact\na,yes\nb,no\nc, X\nd,\ne,TRUE\nf,1\ng,0\n", ["a", "c", "e", "f"]),
        ("word\n'-x\n'@y\n's\n", ["-x", "@y", "'s"]),  # as a spreadsheet may open it
        ("\ufeffword\r\né€😀\r\n", ["é€😀"]),
    ],
)
def test_tables(write: Write, table: str, words: list[str]) -> None:
    path = write("suspects.CSV", table)
    assert ignored_words(str(path)) == ignored_words(f"@{path}") == words


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("term,score\na,1\n", "has no column 'word' or 'words'; it has term, score"),
        ("word,artefact\na,no\nb,\n", "no row says yes in the column 'artefact'"),
        ("word\n \n", "names no word to ignore"),
        ("word,words\na,b,c\n", "3 fields, but the header has 2"),
        ("", "is empty"),
        ('word\n"a\n', "quotation mark"),
    ],
)
def test_tables_that_name_nothing(write: Write, table: str, said: str) -> None:
    path = write("suspects.csv", table)
    with pytest.raises(InputError, match=said) as caught:
        ignored_words(str(path))
    check_message(str(caught.value))


NO_SUCH = "no such file or folder; a word that looks like"
NO_FOLDER = "is a folder without suspects"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *((name, ["ron", "baalke"]) for name in ("found", "found/", "./found", "@found")),
        *((name, NO_FOLDER) for name in ("other", "other/", "@other", "./other")),
        ("/other/", ["/other/"]),
        ("list.txt", r"list\.txt' is a file; @list.txt names what its lines say"),
        *((name, NO_SUCH) for name in ("nowhere.txt", "no where.JSON", "../nowhere/x", "~/x?")),
        *((name, NO_SUCH) for name in ("nowhere/", "./nowhere", "/no/where", "nowhere.csv")),
        *((name, "no such file") for name in ("@nowhere.csv", "a\x00.csv", "@~nobody/x.csv")),
        *((name, [name]) for name in ("a.b.edu", "tcp/ip", "/.*[.]txt/", "/tmp/", "/.*csv/")),
        *((name, [name]) for name in ("x" * 5_000, "...", "a\x00b", "")),
    ],
    ids=lambda part: ascii(part)[:40],
)
def test_paths_are_no_words(
    given: str, expected: str | list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("found", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "found" / "suspects.csv").write_text("words,artefact\nron; baalke,yes\nmoon,\n")
    (tmp_path / "list.txt").write_text("pills\n")
    if isinstance(expected, list):
        assert ignored_words(given) == expected
        return
    with pytest.raises(InputError, match=expected) as caught:
        ignored_words(given)
    check_message(str(caught.value))
