import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from networks import small_cnn, topical
from served import Server, rest_of

from whyword import Explanations

Write = Callable[[str, "str | bytes"], Path]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "whyword", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def mails(write: Write) -> Path:
    rows = [f"[bold]Buy now {i}!\x1b[31m,spam" for i in range(5)]
    rows += [f"See you {i},ham" for i in range(5)]
    return write("mails.csv", "\n".join(["body,label", *rows]))


def test_corpus(mails: Path) -> None:
    done = run("corpus", mails)
    assert done.returncode == 0
    assert "spam" in done.stdout
    assert "[bold]Buy now 0!␛[31m" in done.stdout  # shown as it is, and unable to colour anything
    assert "\x1b" not in done.stdout + done.stderr
    assert "text column: 'body'" in done.stderr
    assert "text column" not in done.stdout


def test_corpus_as_json(mails: Path) -> None:
    figures = json.loads(run("corpus", mails, "--json", "--test", 0.4).stdout)
    assert figures["classes"][0] == {"name": "ham", "train": 3, "test": 2, "median_words": 2.0}
    assert figures["train"]["documents"] == 6


def test_vectors(write: Write) -> None:
    path = write("v.txt", "orbit 1 0\nmoon 0.9 0.1\npuck 0 1\n")
    corpus = write("c.csv", "text\nmoon moon pluto\n")
    done = run("vectors", path, "--near", "Orbit", "--top", 1, "--coverage", corpus)
    assert done.returncode == 0
    assert "3 words, 2 dimensions" in done.stdout
    assert "moon" in done.stdout
    assert "0.994" in done.stdout
    assert "66.7% of the words" in done.stdout
    assert "pluto (1)" in done.stdout
    result = json.loads(run("vectors", path, "--near", "orbit", "--json").stdout)
    assert result["near"]["orbit"][0]["word"] == "moon"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["corpus", "nowhere.csv"], 1, "error: nowhere.csv: no such file"),
        (["corpus", "nowhere"], 1, "error: nowhere: no such file or folder"),
        (["vectors", "nowhere"], 1, "error: nowhere: no such file, nor one of the packages"),
        (["corpus", "~nobody/x.csv"], 1, "error: ~nobody/x.csv: no such file"),
        (["corpus", "nowhere.csv", "--seed", "-1"], 1, "error: seed must be a whole number"),
        (["corpus", "new\nline\x1b[31m.csv"], 1, "error: new·line␛[31m.csv: no such file"),
        (["corpus"], 2, "Missing argument"),
        (["corpus", "x.csv", "--test", "much"], 2, "Invalid value"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], code: int, message: str) -> None:
    done = run(*arguments)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    if code == 1:
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["corpus", "vectors", "evaluate", "reproduce", "tour", "serve"])
def test_help_has_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"Example:  whyword {command} " in done.stdout


def test_a_closed_pipe_is_no_error(mails: Path) -> None:
    command = f"{sys.executable} -m whyword corpus {mails} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "error:" not in done.stderr


def test_markup_in_words_and_names_is_shown_as_it_is(write: Write) -> None:
    path = write("v.txt", "[/] 1 0\n[bold]x 0.9 0.1\n:smile: 0 1\n")
    corpus = write("[bold]c].csv", "text\nmoon\n")
    done = run("vectors", path, "--near", "[/]", "--near", ":smile:", "--coverage", corpus)
    assert done.returncode == 0
    for shown in ("near [/]", "[bold]x", "near :smile:", "[bold]c].csv"):
        assert shown in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminals_that_lack_characters(write: Write, encoding: str) -> None:
    path = write("a.csv", "text,label\nnaïve 月,x\n")
    command = [sys.executable, "-m", "whyword", "corpus", str(path)]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0
    assert b"\\u6708" in done.stdout


def test_few_documents_are_shown_once(write: Write) -> None:
    done = run("corpus", write("a.csv", "text,label\nalpha,x\nbeta,y\n"), "--samples", 3)
    assert done.stdout.count("alpha") == done.stdout.count("beta") == 1


def test_messages_name_options_not_arguments(write: Write) -> None:
    path = write("a.csv", "a,b,c\n1,2,3\n")
    assert "say which one it is: --text " in run("corpus", path).stderr
    latin = write("b.csv", b"text,label\n\xe9,x\n")
    assert "say --encoding 'latin-1'" in run("corpus", latin).stderr
    assert run("vectors", write("v.txt", "a 1 2\n"), "--coverage", latin, "--encoding", "cp1252")
    twice = write("w.txt", "a 1 2\na 1 2\n")
    assert "--duplicates first keeps one" in run("vectors", twice).stderr
    assert run("vectors", twice, "--duplicates", "first").returncode == 0


def test_unlabelled_texts(write: Write) -> None:
    path = write("a.csv", "text\nhello there\n")
    assert "or --unlabelled if there is none" in run("corpus", path).stderr
    assert "hello there" in run("corpus", path, "--unlabelled").stdout


def test_version() -> None:
    assert run("--version").stdout.startswith("whyword 0.")


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from networks import some_vectors, topical

    folder = tmp_path_factory.mktemp("topics")
    texts, labels = topical(90)
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    (folder / "topics.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    some_vectors().save(folder / "v.safetensors")
    return folder


@pytest.fixture(scope="module")
def trained(topics: Path) -> Path:
    out = topics / "cnn"
    done = run(
        *("train", topics / "topics.csv", "--vectors", topics / "v.safetensors", "--out", out),
        *("--filters", 30, "--epochs", 300, "--width", "1,2"),
    )
    assert done.returncode == 0, done.stderr
    assert "72 documents, 3 classes" in done.stdout
    assert "of 18 documents" in done.stdout
    assert "Traceback" not in done.stderr
    return out


def test_train_an_svm(topics: Path) -> None:
    done = run("train", topics / "topics.csv", "--model", "svm", "--out", topics / "svm")
    assert done.returncode == 0, done.stderr
    assert "C, by cross-validation" in done.stdout
    assert json.loads((topics / "svm" / "model.json").read_text())["kind"] == "svm"
    assert run("predict", topics / "svm", topics / "topics.csv:test").returncode == 0


def test_predict(trained: Path, topics: Path, write: Write) -> None:
    path = write("mail.txt", "The moon: orbit, rocket, shuttle launch [bold]")
    done = run("predict", trained, path)
    assert done.returncode == 0, done.stderr
    assert "mail.txt" in done.stdout
    assert "space" in done.stdout
    lines = run("predict", trained, topics / "topics.csv:test", "--format", "jsonl").stdout
    first = json.loads(lines.splitlines()[0])
    assert set(first["probabilities"]) == {"space", "hockey", "crypto"}
    assert first["label"] in first["probabilities"]
    table = run("predict", trained, topics / "topics.csv", "--format", "csv").stdout
    assert len(table.splitlines()) == 91
    assert table.startswith("id,predicted,probability,known_words")


def test_predict_from_stdin(trained: Path) -> None:
    command = [sys.executable, "-m", "whyword", "predict", str(trained), "-"]
    done = subprocess.run(command, input="zzz qqq", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "no known word" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "nowhere", "-"], "error: nowhere: no such model folder"),
        (["train", "x.csv", "--out", "m"], "error: x.csv: no such file"),
        (["train", "x.csv", "--out", "m", "--width", "two"], "error: x.csv: no such file"),
    ],
)
def test_mistakes_with_models(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_that_is_no_model_is_refused_before_training(topics: Path) -> None:
    done = run("train", topics / "topics.csv", "--out", topics)
    assert done.returncode == 1
    assert "exists and is no model; it will not be written over" in done.stderr
    done = run("train", topics / "topics.csv", "--out", topics / "new", "--width", "two")
    assert "--width takes numbers" in done.stderr
    assert not (topics / "new").exists()


def test_interrupted_training_leaves_no_model(topics: Path) -> None:
    command = [sys.executable, "-m", "whyword", "train", str(topics / "topics.csv")]
    command += ["--vectors", str(topics / "v.safetensors"), "--out", str(topics / "half")]
    process = subprocess.Popen(
        [*command, "--epochs", "100000"],
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in background
    )
    try:
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode != 0
    assert b"Traceback" not in errors
    assert not (topics / "half").exists()
    assert not list(topics.glob(".tmp-*"))


# ---- explain ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explained") / "model"
    small_cnn().save(path)
    return path


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
    found = json.loads(done.stdout)
    assert found["id"] == "-"
    assert (found["target"], found["method"]) == ("all", "gradient_input")
    assert len(found["relevance"]) == 2


@pytest.mark.parametrize("ending", ["html", "jsonl", "parquet", "txt"])
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
        (["--epsilon", "0"], "error: epsilon must be above 0"),
        (["--bias", "half"], "error: bias may be 'shared' or 'left out'"),
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
    for wanted in ("json", "html", "svg"):
        command = [sys.executable, "-m", "whyword", "explain", str(folder), str(path)]
        command += ["--format", wanted]
        done = subprocess.run(
            command,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert "café" in done.stdout.decode("utf-8")
        assert "😀" in done.stdout.decode("utf-8")


def test_explain_and_predict_a_corpus_into_a_folder(folder: Path, write: Write) -> None:
    rows = ["moon orbit", "", "goal puck", 5]
    corpus = write("c.jsonl", "".join(json.dumps({"text": row}) + "\n" for row in rows))
    out = corpus.parent / "deep" / "why"
    done = run("explain", folder, corpus, "--out", out, "--top", 1, "--target", "all")
    assert (done.returncode, done.stdout) == (0, "")
    assert re.search(r"written: .*why \(3 documents in 1 file, \d s\)", done.stderr)
    assert re.search(r"1 rows could not be read: .*_rejects.jsonl", done.stderr)
    found = pq.read_table(out).to_pylist()
    assert [len(row["words"]) for row in found] == [1, 0, 1]
    again = run("explain", folder, corpus, "--out", out, "--top", 1, "--target", "all")
    assert again.returncode == 1
    assert "has a run already, complete; name another folder" in again.stderr
    more = ("--top", 1, "--target", "all", "--resume")
    resumed = run("explain", folder, corpus, "--out", out, *more)
    assert resumed.returncode == 0
    assert "; 3 of them were there before)" in resumed.stderr
    predicted = run("predict", folder, corpus, "--out", corpus.parent / "said", "--workers", 1)
    assert predicted.returncode == 0
    assert pq.read_table(corpus.parent / "said")["id"].to_pylist() == ["1", "2", "3"]
    strict = run("predict", folder, corpus, "--out", corpus.parent / "strict", "--strict")
    assert strict.returncode == 1
    assert "line 4: 'text' is int 5, not text" in strict.stderr


def test_what_is_for_folders_only(folder: Path, write: Write) -> None:
    mail = write("mail.txt", "orbit")
    for arguments, said in (
        (("explain", folder, mail, "--resume"), "are for a folder: --out why"),
        (("explain", folder, mail, "--out", "why.html", "--top", 3), "are for a folder"),
        (("predict", folder, mail, "--engine", "ray"), "are for a folder: --out"),
        (("explain", folder, mail, "--out", mail.parent / "why"), "is no table and no corpus"),
        (("explain", folder, "-", "--out", mail.parent / "why"), "is no table and no corpus"),
        (("explain", folder, mail, "--out", "why", "--limit", 3), "--limit is for a file"),
    ):
        done = run(*arguments)
        assert done.returncode == 1
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_run_that_is_interrupted_says_how_to_go_on(folder: Path, write: Write) -> None:
    rows = (json.dumps({"text": f"moon orbit {n} " * 200}) for n in range(60_000))
    corpus = write("c.jsonl", "\n".join(rows))
    out = corpus.parent / "why"
    command = [sys.executable, "-m", "whyword", "explain", folder, corpus, "--out", out]
    process = subprocess.Popen(
        list(map(str, command)),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not list(out.glob("part-*")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; what is done is kept in" in errors
    assert "--resume goes on" in errors
    assert "Traceback" not in errors


def test_explain_does_not_write_over_what_it_reads(folder: Path, write: Write) -> None:
    path = write("mail.txt", "orbit")
    done = run("explain", folder, path, "--out", path)
    assert (done.returncode, path.read_text()) == (1, "orbit")
    assert "will not be written over" in done.stderr
    folder_out = run("explain", folder, path, "--out", path.parent, "--format", "html")
    assert folder_out.returncode == 1
    assert "is a folder, not a file" in folder_out.stderr


def test_explain_no_documents(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\n")
    for wanted in ("text", "json", "html"):
        done = run("explain", folder, corpus, "--format", wanted)
        assert (done.returncode, done.stdout) == (1, "")
        assert "has no documents" in done.stderr


def test_explain_with_closed_streams(folder: Path) -> None:
    for redirection in ("<&-", ">&-"):
        command = f"'{sys.executable}' -m whyword explain '{folder}' - {redirection} </dev/null"
        if redirection == "<&-":
            command = command.removesuffix("</dev/null")
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr


# ---- words ------------------------------------------------------------------------------------


def test_words(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    done = run("words", folder, corpus, "--target", "space", "--top", 9)
    assert done.returncode == 0
    assert "hockey" not in done.stdout
    assert "zebra (unseen)" in done.stdout
    assert "a, word 2" in done.stdout
    found = json.loads(run("words", folder, corpus, "--json", "--top", 2).stdout)
    assert list(found) == ["crypto", "hockey", "space"]
    assert [len(entries) for entries in found.values()] == [2, 2, 2]
    assert found["space"][0]["seen"] is True


def test_words_as_a_page(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit goal\nb,zebra moon\n")
    out = corpus.parent / "words.html"
    done = run("words", folder, corpus, "--html", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert 'class="w p20"' in out.read_text()
    piped = run("words", folder, "-", "--html", out)
    assert (piped.returncode, piped.stderr.count("\n")) == (1, 1)
    assert "stdin can be read once" in piped.stderr


def test_words_of_documents_with_one_name(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "id,text\na,moon orbit\na,goal puck\n")
    found = json.loads(run("words", folder, corpus, "--json").stdout)
    documents = {e["word"]: e["document"] for e in found["space"]}
    assert documents == {"moon": "a", "orbit": "a", "goal": "a (2)", "puck": "a (2)"}
    over = run("words", folder, corpus, "--html", corpus)
    assert (over.returncode, corpus.read_text()[:7]) == (1, "id,text")
    assert "will not be written over" in over.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "spce"], "error: there is no class 'spce'; did you mean space?"),
        (["--rank", "median"], "error: rank may be 'strongest', 'mean' or 'sum'"),
        (["--per", "letter"], "error: per may be 'word' or 'occurrence'"),
        (["--method", "lime"], "error: there is no method 'lime'"),
    ],
)
def test_words_says_what_is_wrong(
    folder: Path, write: Write, arguments: list[str], message: str
) -> None:
    done = run("words", folder, write("c.csv", "text\nmoon\n"), *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stdout == ""


# ---- search -----------------------------------------------------------------------------------


def test_search(folder: Path, write: Write) -> None:
    rows = ["a,moon orbit rocket", "b,puck and goal", "c,cipher key", "d,"]
    corpus = write("c.csv", "\n".join(["id,text", *rows]))
    done = run("search", folder, corpus, "moon orbit rocket", "--top", 9)
    assert done.returncode == 0
    assert done.stdout.index("  a\n") < done.stdout.index("  b\n")
    assert "orbit +" in done.stdout
    index = corpus.parent / "c.index"
    first = run("search", folder, corpus, "moon orbit rocket", "--index", index, "--json")
    assert "written: " in first.stderr
    again = run("search", folder, corpus, "moon orbit rocket", "--index", index, "--json")
    assert "searched: the 4 documents" in again.stderr
    assert again.stdout == first.stdout
    hits = json.loads(again.stdout)
    assert hits[0]["id"] == "a"
    total = sum(word["similarity"] for word in hits[0]["words"])
    assert total == pytest.approx(hits[0]["similarity"], abs=1e-4)


def test_search_says_what_is_wrong(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "text\nmoon\n")
    unknown = run("search", folder, corpus, "zebra")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "error: the model knows no word of this query" in unknown.stderr
    broken = run("search", folder, corpus, "moon", "--index", corpus)
    assert broken.returncode == 1
    assert "is damaged or no search index" in broken.stderr


# ---- map --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["html", "png", "svg"])
def test_map(folder: Path, write: Write, ending: str) -> None:
    rows = [f"{n},{text},{label}" for n, (text, label) in enumerate(zip(*topical(12), strict=True))]
    corpus = write("c.csv", "\n".join(["id,text,label", *rows]))
    out = corpus.parent / f"map.{ending}"
    done = run("map", folder, corpus, "--out", out, "--limit", 10)
    assert (done.returncode, done.stdout) == (0, "")
    assert "written: " in done.stderr
    assert out.stat().st_size > 5000


def test_map_says_what_is_wrong(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "text\nmoon\norbit\n")
    for arguments, message in (
        (["--out", "map.pdf"], "error: map.pdf: a map is written as one of .html"),
        (["--out", "map.html"], "error: a map needs at least 3 documents, not 2"),
        (["--out", "map.html", "--method", "lime"], "error: a map needs at least 3"),
    ):
        done = run("map", folder, corpus, *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr


# ---- evaluate ---------------------------------------------------------------------------------


def test_evaluate(trained: Path, topics: Path, tmp_path: Path) -> None:
    source = f"{topics / 'topics.csv'}:test"
    out = tmp_path / "report.html"
    done = run(
        *("evaluate", trained, source, "--methods", "lrp, random", "--out", out),
        *("--runs", 2, "--splits", 3, "--steps", 4),
    )
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout
    assert "of 18 documents" in done.stdout
    assert "word deletion 1: correct documents, most relevant first" in done.stdout
    assert "explanatory power" in done.stdout
    assert f"written: {out} and {out.with_suffix('.json')}" in done.stderr
    assert "is used; if the model was trained on it" not in done.stderr
    data = json.loads(out.with_suffix(".json").read_text())
    assert data["quality"]["documents"] == 18
    assert data["settings"]["methods"] == ["lrp", "random"]
    assert "cnn on " in out.read_text()


def test_evaluate_as_json_on_some(trained: Path, topics: Path) -> None:
    source = topics / "topics.csv"
    arguments = ("--methods", "lrp", "--splits", 2, "--limit", 20, "--json")
    done = run("evaluate", trained, source, *arguments)
    data = json.loads(done.stdout)
    assert data["quality"]["documents"] == 20
    assert data["settings"]["source"] == f"{source}, 20 of 90 by chance (seed 0)"
    assert (
        f"all of {source} is used; if the model was trained on it, say {source}:test" in done.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "lime"], "error: there is no method 'lime'; choose from lrp"),
        (["--methods", ","], "error: --methods names none; choose from lrp"),
        (["--out", "report.pdf"], "error: report.pdf: a report is a page; name it .html"),
        (["--label", "nothing"], "error: "),
    ],
)
def test_evaluate_says_what_is_wrong(
    folder: Path, write: Write, arguments: list[str], message: str
) -> None:
    path = write("texts.csv", "text,label\nmoon orbit,space\npuck goal,hockey\n")
    done = run("evaluate", folder, path, *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_evaluate_loses_nothing(folder: Path, write: Write) -> None:
    rows = "".join(f'{{"text": "moon {n}", "label": "space"}}\n' for n in range(6))
    path = write("texts.jsonl", rows + '{"text": "puck", "label": "hockey"}\n')
    source = path.rename(path.with_suffix(".json"))
    before = source.read_text()
    done = run("evaluate", folder, source, "--out", source.with_suffix(".html"))
    assert done.returncode == 1
    assert f"{source} is what is to be read; it will not be written over" in done.stderr
    assert source.read_text() == before
    inside = run("evaluate", folder, source, "--out", folder / "model.html")
    assert "would be in the model's own folder" in inside.stderr
    taken = source.with_name("taken.json")
    taken.mkdir()
    refused = run("evaluate", folder, source, "--out", taken.with_suffix(".html"))
    assert "is a folder" in refused.stderr
    assert not taken.with_suffix(".html").exists()


def test_evaluate_needs_labels_the_model_knows(folder: Path, write: Write) -> None:
    unlabelled = run("evaluate", folder, write("texts.csv", "text\nmoon\npuck\n"))
    assert unlabelled.returncode == 1
    assert "label" in unlabelled.stderr
    rows = "".join(f"moon {n},sport\n" for n in range(6))
    unknown = run("evaluate", folder, write("other.csv", f"text,label\n{rows}moon,space\n"))
    assert unknown.returncode == 1
    assert "there is no class 'sport'" in unknown.stderr


# ---- tour -------------------------------------------------------------------------------------


def test_tour(trained: Path, topics: Path, tmp_path: Path) -> None:
    source = f"{topics / 'topics.csv'}:test"
    out = tmp_path / "tour"
    done = run("tour", trained, source, "--out", out, "--limit", 15)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"written: {out / 'index.html'}" in done.stderr
    assert "cnn on " in (out / "index.html").read_text(encoding="utf-8")
    again = run("tour", trained, source, "--out", out, "--limit", 15)
    assert f"kept: {out / 'index.html'}" in again.stderr


def test_tour_says_what_is_wrong(folder: Path, write: Write) -> None:
    source = write("mails/texts.csv", "text,label\nmoon orbit,space\npuck goal,hockey\n")
    for out, message in (
        (source, "texts.csv is no folder"),
        (folder, "is what the tour is made of"),
        (source.parent / "tour", "needs at least 3 documents, not 2"),
    ):
        done = run("tour", folder, source, "--out", out)
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    unlabelled = run("tour", folder, write("t.csv", "text\nmoon\n"), "--out", source.parent / "o")
    assert unlabelled.returncode == 1
    assert "--label" in unlabelled.stderr
    assert "--unlabelled" not in unlabelled.stderr  # which a tour has not
    assert not (source.parent / "o").exists()


# ---- reproduce --------------------------------------------------------------------------------


def test_reproduce_says_what_is_wrong(write: Write) -> None:
    taken = run("reproduce", "--out", write("taken", "a file"))
    assert (taken.returncode, taken.stdout) == (1, "")
    assert "taken is no folder" in taken.stderr
    below = run("reproduce", "--out", write("taken", "a file") / "report")
    assert below.returncode == 1
    assert "cannot be written; name another folder" in below.stderr
    unknown = run("reproduce", "--out", taken_folder := write("x/y", "").parent, "--vectors", "no")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "no: no such file, nor one of the packages glove-6b-50d" in unknown.stderr
    assert [path.name for path in taken_folder.iterdir()] == ["y"]
    unnamed = run("reproduce")
    assert unnamed.returncode == 2


# ---- serve ------------------------------------------------------------------------------------


def serve(*arguments: object, **environment: str) -> Server:
    return Server("-m", "whyword", "serve", *arguments, "--no-open", "--port", 0, **environment)


def test_serve(folder: Path, topics: Path) -> None:
    """One life: it says where it is, answers, and lets a last answer out before it goes."""
    with serve(folder, topics / "topics.csv:test") as server:
        assert server.line == f"http://127.0.0.1:{server.port}/  (Ctrl-C ends it)\n"
        assert server.ask("/healthz").json["status"] == "ok"
        assert server.ask("/").headers["content-type"].startswith("text/html")
        assert server.ask("/api/about").json["corpus"]["documents"] == 18
        given = {"documents": ["a private rocket to the moon"]}
        (one,) = server.ask("/api/explain", given).json["explanations"]
        assert one["predicted"] == "space"
        assert server.ask("/api/explain", given | {"target": "private"}).status == 422
        assert server.ask("/private?private").status == 404
        assert server.ask("/healthz", host="evil.example").status == 403
        assert server.ask("/healthz", origin="https://evil.example").status == 403
        body = json.dumps(given).encode()
        with server.begin("/api/predict", len(body)) as begun:
            server.tell_to_go(signal.SIGTERM)
            begun.sendall(body)
            answer = rest_of(begun)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b'"predicted":"space"' in answer
        code, out, errors = server.last_words()
    assert (code, out) == (128 + signal.SIGTERM, "")
    said = [line for line in errors.splitlines() if "topics.csv: " not in line]  # while it read
    lines = [json.loads(line) for line in said]
    # processes write side by side: what was answered first need not be told first
    statuses = sorted(line["status"] for line in lines)
    assert statuses == [200, 200, 200, 200, 200, 403, 403, 404, 422]
    routes = [line["route"] for line in lines]
    assert routes.count("/api/explain") == 2
    assert "private" not in errors


def test_serve_others(folder: Path) -> None:
    options = ("--host", "0.0.0.0", "--log-texts", "--allow-origin", "https://words.example/")
    with serve(folder, *options, WHYWORD_TOKEN="word") as server:
        assert server.line.startswith("http://localhost:")
        given = {"documents": ["a private rocket"]}
        assert server.ask("/api/predict", given).status == 401
        named = {"authorization": "Bearer word", "host": "any.example"}
        answer = server.ask("/api/predict", given, origin="https://words.example", **named)
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == "https://words.example"
        server.tell_to_go(signal.SIGINT)
        code, out, errors = server.last_words()
    assert (code, out) == (128 + signal.SIGINT, "")
    bodies = [json.loads(line)["body"] for line in errors.splitlines()]
    assert bodies == ["", json.dumps(given)]


def test_serve_warns_of_a_door_that_is_open(folder: Path) -> None:
    with serve(folder, "--host", "0.0.0.0", "--memory", 0, "--max-words", 2) as server:
        assert server.ask("/api/explain", {"documents": ["moon moon moon"]}).status == 422
        server.tell_to_go(signal.SIGTERM)
        _, _, errors = server.last_words()
    warning, line = errors.splitlines()
    assert warning.startswith("everybody who reaches this machine may use the model; --token")
    assert json.loads(line)["status"] == 422


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--port", "0"], "error: nowhere: no such model folder"),
        (["nowhere", "--token", "né"], "error: a token is made of printable ASCII"),
        (["nowhere", "--token", ""], "error: a token is made of printable ASCII"),
        (["nowhere", "--allow-origin", "*"], "error: an origin is written https://example.org"),
        (["nowhere", "--host", "no where"], "error: 'no where' is no address of this machine"),
    ],
)
def test_serve_says_what_is_wrong(arguments: list[str], message: str) -> None:
    done = run("serve", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_serve_says_what_is_wrong_with_a_corpus(folder: Path, write: Write) -> None:
    few = run("serve", folder, write("few.csv", "text\nmoon\npuck\n"), "--port", 0)
    assert (few.returncode, few.stdout) == (1, "")
    assert few.stderr.endswith("error: few.csv: a corpus to look at needs 3 documents, not 2\n")
    assert "Traceback" not in few.stderr


def test_serve_at_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "nowhere", "--port", port)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"error: cannot listen on 127.0.0.1:{port} (Address already in use)" in done.stderr
    assert done.stderr.count("\n") == 1


def test_serve_without_its_packages() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from whyword.cli.main import main; main()"
    command = [sys.executable, "-c", code, "serve", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: uvicorn is not installed; run: pip install 'whyword[web]'\n"
