"""Words that options name, one by one or in files."""

import csv
from pathlib import Path

import pytest
from conftest import Write
from fuzzing import check_message

from whyword import InputError
from whyword.cli.word_lists import ignored_words, words_or_file


def test_words_and_lists(write: Write) -> None:
    path = write("list.txt", "pills\n\n gordon banks \n/c.*/\n")
    for read in (words_or_file, ignored_words):
        assert read(f"@{path}") == ["pills", "gordon banks", "/c.*/"]
        assert read("Pills") == ["Pills"]
        assert read("@") == ["@"]
        assert read("/.*csv/") == ["/.*csv/"]
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
        ("word,artefact\n", "no row says yes in the column 'artefact'"),
        ("word\n", "names no word to ignore"),
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


@pytest.mark.parametrize("given", ["nowhere.csv", "@nowhere.csv", "a\x00.csv", "@~nobody/x.csv"])
def test_files_that_are_not_there(given: str) -> None:
    with pytest.raises(InputError) as caught:
        ignored_words(given)
    check_message(str(caught.value))


def test_a_folder_of_suspects_is_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "found"
    folder.mkdir()
    (folder / "suspects.csv").write_text("words,artefact\nron; baalke,yes\nmoon,\n")
    for given in ("found", "found/", "./found", "@found", f"{folder}", f"{folder}/"):
        assert ignored_words(given) == ["ron", "baalke"]


@pytest.mark.parametrize("given", ["other", "other/", "@other", "./other"])
def test_another_folder_is_no_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="is a folder without suspects") as caught:
        ignored_words(given)
    check_message(str(caught.value))
    assert ignored_words("/other/") == ["/other/"]


def test_a_file_is_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text("pills\n")
    with pytest.raises(
        InputError, match=r"list\.txt' is a file; @list.txt names what its lines say"
    ):
        ignored_words("list.txt")


@pytest.mark.parametrize(
    "given",
    [
        "nowhere.txt",
        "no where.JSON",
        "words.tsv",
        "../nowhere/found",
        "nowhere/",
        "./nowhere",
        "/no/where",
        "~/x?",
    ],
)
def test_a_path_that_is_not_there_is_no_word(given: str) -> None:
    with pytest.raises(InputError, match="no such file or folder; a word that looks like"):
        ignored_words(given)


@pytest.mark.parametrize(
    "given",
    ["a.b.edu", "tcp/ip", "/.*[.]txt/", "/tmp/", "jpl.nasa.gov", "x" * 5_000, "...", "a\x00b", ""],
)
def test_what_is_a_word_all_the_same(given: str) -> None:
    assert ignored_words(given) == [given]


def test_a_long_table(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([["word"], *([f"w{n} x"] for n in range(5_000))])
    assert len(ignored_words(str(path))) == 5_000
