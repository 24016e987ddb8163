import json
import os
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest
from commands import Write, run

from whyword import Explanations


def test_explain_a_file(folder: Path, write: Write) -> None:
    path = write("mail.txt", "The orbit\x1b[31m of the moon,\r\nand a goal")
    done = run("explain", folder, path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mail.txt\nspace (predicted)  score" in done.stdout
    assert "The orbit␛[31m of the moon,\nand a goal\nfor     " in done.stdout
    assert "\x1b" not in done.stdout


def test_explain_stdin_as_json(folder: Path) -> None:
    command = [sys.executable, "-m", "whyword", "explain", str(folder), "-", "--format", "json"]
    command += ["--target", "all", "--method", "gradient_input"]
    done = subprocess.run(command, input="orbit goal", capture_output=True, text=True, check=True)
    explanation = json.loads(done.stdout)
    assert explanation["id"] == "-"
    assert (explanation["target"], explanation["method"]) == ("all", "gradient_input")
    assert len(explanation["relevance"]) == 2


@pytest.mark.parametrize("ending", ["html", "jsonl", "parquet", "txt", "csv"])
def test_explain_a_corpus_into_a_file(folder: Path, write: Write, ending: str) -> None:
    corpus = write("c.csv", "id,text\n" + "\n".join(f"{i},moon orbit {i}" for i in range(7)))
    out = corpus.parent / f"deep/why.{ending}"
    done = run("explain", folder, corpus, "--out", out, "--limit", 5)
    assert (done.returncode, done.stdout) == (0, "")
    assert "written: " in done.stderr
    if ending == "parquet":
        assert [one.id for one in Explanations.from_parquet(out)] == list("01234")
    else:
        assert out.read_text().count("orbit") >= 5


def test_each_documents_highest_classes(folder: Path, write: Write) -> None:
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
    for to in ((), ("--out", corpus.parent / "other")):
        done = run("explain", folder, corpus, *to, "--top-classes", 2, "--target", "all")
        assert done.returncode == 1
        said = "error: --top-classes is for each text's highest classes: leave --target out"
        assert done.stderr.startswith(said)


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
    (corpus.parent / "why.csv").mkdir()  # what ends in .csv is a file
    refused = run("explain", folder, corpus, "--out", corpus.parent / "why.csv")
    assert refused.stderr.splitlines()[-1].endswith("why.csv is a folder, not a file")


def test_phrases_where_people_read_and_where_programs_ask(folder: Path, write: Write) -> None:
    path = write("mail.txt", "the orbit of the moon and the goal")
    assert "\nphrases “" in run("explain", folder, path).stdout
    assert '<p class="phrases">' in run("explain", folder, path, "--format", "html").stdout
    assert "phrases" not in run("explain", folder, path, "--level", "word").stdout
    assert "phrases" not in run("explain", folder, path, "--method", "occlusion").stdout
    assert "phrases" not in json.loads(run("explain", folder, path, "--format", "json").stdout)
    asked = run("explain", folder, path, "--format", "json", "--level", "phrase").stdout
    fields = json.loads(asked)
    total = sum(fields["phrase_relevance"])
    assert total == pytest.approx(sum(fields["relevance"]), abs=1e-4)


def test_explain_a_contrast(folder: Path, write: Write) -> None:
    path = write("mail.txt", "orbit goal")
    done = run("explain", folder, path, "--target", "space", "--against", "hockey")
    assert "space rather than hockey" in done.stdout
    several = run("explain", folder, path, "--target", "space", "--target", "hockey")
    assert several.stdout.count("score") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "spce"], "error: there is no class 'spce'; did you mean space?"),
        (["--against", "x"], "error: there is no class 'x'; there are crypto, hockey, space"),
        (["--method", "lime"], "error: there is no method 'lime'; choose from lrp, sensitivity"),
        (["--format", "doc"], "error: --format may be text, json, html"),
        (["--format", "png"], "error: png is written to a file: say --out why.png"),
        (["--out", "why.doc"], "error: why.doc: the ending says nothing of the format"),
        (["--epsilon", "0"], "error: --epsilon must be above 0"),
        (["--level", "letter"], "error: --level may be 'word' or 'phrase'"),
        (["--level", "phrase", "--method", "occlusion"], "error: --level phrase needs a model"),
        (["--level", "phrase", "--format", "csv"], "error: --level phrase is for text, json, html"),
        (["--bias", "half"], "error: --bias may be 'shared' or 'apart'"),
        (["--method", "random", "--strict"], "error: mail.txt: relevance is not conserved"),
        (["--out", "/proc/why.html"], "error: "),
    ],
)
def test_explain_says_what_is_wrong(
    folder: Path, write: Write, arguments: list[str], message: str
) -> None:
    done = run("explain", folder, write("mail.txt", "orbit goal"), *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_explain_nothing(folder: Path, write: Write) -> None:
    empty = run("explain", folder, write("empty.txt", ""))
    assert empty.returncode == 0
    assert "There is no word in this text." in empty.stdout
    missing = run("explain", folder, "nowhere.txt")
    assert (missing.returncode, missing.stdout) == (1, "")


def test_explain_data_is_utf8_whatever_the_terminal_is(folder: Path, write: Write) -> None:
    path = write("mail.txt", "café 😀 orbit")
    for file_format in ("json", "html", "svg"):
        command = [sys.executable, "-m", "whyword", "explain", str(folder), str(path)]
        command += ["--format", file_format]
        done = subprocess.run(
            command,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert "café" in done.stdout.decode("utf-8")
        assert "😀" in done.stdout.decode("utf-8")


def test_explain_no_documents(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\n")
    for file_format in ("text", "json", "html"):
        done = run("explain", folder, corpus, "--format", file_format)
        assert (done.returncode, done.stdout) == (1, "")
        assert "has no documents" in done.stderr


def test_explain_with_closed_streams(folder: Path) -> None:
    for redirection in ("<&-", ">&-"):
        command = f"'{sys.executable}' -m whyword explain '{folder}' - {redirection} </dev/null"
        if redirection == "<&-":
            command = command.removesuffix("</dev/null")
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
