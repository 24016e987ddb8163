"""``whyword explain``: printed, in a file, in a folder."""

import json
import re
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq
import pytest
from commands import Write, run

from whyword import Explanations


def test_a_text_is_shown_without_control_characters(folder: Path, write: Write) -> None:
    path = write("mail.txt", "The orbit\x1b[31m of the moon,\r\nand a goal")
    done = run("explain", folder, path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mail.txt\nspace (predicted)  score" in done.stdout
    assert "The orbit␛[31m of the moon,\nand a goal\nfor     " in done.stdout
    assert "\x1b" not in done.stdout
    empty = run("explain", folder, write("empty.txt", ""))
    assert empty.returncode == 0
    assert "There is no word in this text." in empty.stdout


def test_json_of_a_text_from_stdin(folder: Path) -> None:
    how = ("--format", "json", "--target", "all", "--method", "gradient_input")
    done = run("explain", folder, "-", *how, stdin="orbit goal")
    explanation = json.loads(done.stdout)
    assert explanation["id"] == "-"
    assert (explanation["target"], explanation["method"]) == ("all", "gradient_input")
    assert len(explanation["relevance"]) == 2


@pytest.mark.parametrize("ending", ["html", "jsonl", "parquet", "txt", "csv"])
def test_a_corpus_into_a_file(folder: Path, write: Write, ending: str) -> None:
    corpus = write("c.csv", "id,text\n" + "\n".join(f"{i},moon orbit {i}" for i in range(7)))
    out = corpus.parent / f"deep/why.{ending}"
    done = run("explain", folder, corpus, "--out", out, "--limit", 5)
    assert (done.returncode, done.stdout) == (0, "")
    assert "written: " in done.stderr
    if ending == "parquet":
        assert [one.id for one in Explanations.from_parquet(out)] == list("01234")
    else:
        assert out.read_text().count("orbit") >= 5


def test_the_highest_classes_of_each_document(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit\nb,goal puck\n")
    out = corpus.parent / "why.csv"
    assert run("explain", folder, corpus, "--out", out, "--top-classes", 2).returncode == 0
    headings, first, *_, last = out.read_text().splitlines()
    assert headings.endswith("known,target 1,relevance 1,target 2,relevance 2")
    assert first.split(",")[6] == "space"
    assert last.split(",")[6] == "hockey"
    why = corpus.parent / "why"
    assert run("explain", folder, corpus, "--out", why, "--top-classes", 2).returncode == 0
    assert Explanations.from_parquet(next(why.glob("part-*")))[1].targets[0] == "hockey"


def test_a_row_for_each_word(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\n=1+1,moon orbit\nb,\nc,goal\n")
    out = corpus.parent / "why.xlsx"
    done = run("explain", folder, corpus, "--out", out, "--target", "all")
    assert (done.returncode, done.stdout) == (0, "")
    headings, *rows = openpyxl.load_workbook(out).active.values
    assert headings[:6] == ("id", "position", "word", "start", "end", "known")
    assert headings[6:] == ("crypto", "hockey", "space")
    assert [row[:5] for row in rows] == [
        ("=1+1", 0, "moon", 0, 4),
        ("=1+1", 1, "orbit", 5, 10),
        ("c", 0, "goal", 0, 4),
    ]
    printed = run("explain", folder, corpus, "--format", "csv").stdout.splitlines()
    assert printed[0] == "id,position,word,start,end,known,target,relevance"
    assert printed[1].startswith("'=1+1,0,moon,0,4,True,space,")


def test_phrases_where_people_read_and_where_programs_ask(folder: Path, write: Write) -> None:
    path = write("mail.txt", "the orbit of the moon and the goal")

    def said(*how: str) -> str:
        return run("explain", folder, path, *how).stdout

    assert "\nphrases “" in said()
    assert '<p class="phrases">' in said("--format", "html")
    assert "phrases" not in said("--level", "word")
    assert "phrases" not in said("--method", "occlusion")
    assert "phrases" not in json.loads(said("--format", "json"))
    fields = json.loads(said("--format", "json", "--level", "phrase"))
    total = sum(fields["phrase_relevance"])
    assert total == pytest.approx(sum(fields["relevance"]), abs=1e-4)


def test_a_contrast_and_several_classes(folder: Path, write: Write) -> None:
    path = write("mail.txt", "orbit goal")
    done = run("explain", folder, path, "--target", "space", "--against", "hockey")
    assert "space rather than hockey" in done.stdout
    several = run("explain", folder, path, "--target", "space", "--target", "hockey")
    assert several.stdout.count("score") == 2


def test_parameters_of_methods_are_options(folder: Path, write: Write) -> None:
    path = write("mail.txt", "orbit goal")
    for options, parameters in (
        (("--epsilon", 0.5, "--bias", "apart"), {"epsilon": 0.5, "bias": "apart"}),
        (("--method", "random", "--random-seed", 7), {"seed": 7}),
    ):
        given = json.loads(run("explain", folder, path, "--format", "json", *options).stdout)
        assert given["parameters"] == parameters
    shown = " ".join(run("explain", "--help").stdout.replace("│", " ").split())
    assert "(default: shared, or the model's own)" in shown


def test_a_corpus_into_a_folder(folder: Path, write: Write) -> None:
    rows = ["moon orbit", "", "goal puck", 5]
    corpus = write("c.jsonl", "".join(json.dumps({"text": row}) + "\n" for row in rows))
    out = corpus.parent / "deep" / "why"
    call = ("explain", folder, corpus, "--out", out, "--top", 1, "--target", "all")
    done = run(*call)
    assert (done.returncode, done.stdout) == (0, "")
    assert re.search(r"written: .*why \(3 documents in 1 file, [\d,]+ s\)", done.stderr)
    assert re.search(r"1 rows could not be read: .*_rejects.jsonl", done.stderr)
    assert [len(row["words"]) for row in pq.read_table(out).to_pylist()] == [1, 0, 1]
    again = run(*call)
    assert again.returncode == 1
    assert "has a run already, complete; name another folder" in again.stderr
    resumed = run(*call, "--resume")
    assert resumed.returncode == 0
    assert "; 3 of them were there before)" in resumed.stderr
