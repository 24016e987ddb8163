import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
from commands import Write, run


def test_explain_and_predict_a_corpus_into_a_folder(folder: Path, write: Write) -> None:
    rows = ["moon orbit", "", "goal puck", 5]
    corpus = write("c.jsonl", "".join(json.dumps({"text": row}) + "\n" for row in rows))
    out = corpus.parent / "deep" / "why"
    done = run("explain", folder, corpus, "--out", out, "--top", 1, "--target", "all")
    assert (done.returncode, done.stdout) == (0, "")
    assert re.search(r"written: .*why \(3 documents in 1 file, [\d,]+ s\)", done.stderr)
    assert re.search(r"1 rows could not be read: .*_rejects.jsonl", done.stderr)
    explained = pq.read_table(out).to_pylist()
    assert [len(row["words"]) for row in explained] == [1, 0, 1]
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
    for arguments, message in (
        (("explain", folder, mail, "--resume"), "are for a folder: --out why"),
        (("explain", folder, mail, "--out", "why.html", "--top", 3), "are for a folder"),
        (("predict", folder, mail, "--engine", "ray"), "are for a folder: --out"),
        (("explain", folder, mail, "--out", mail.parent / "why"), "is no table and no corpus"),
        (("explain", folder, "-", "--out", mail.parent / "why"), "is no table and no corpus"),
        (("explain", folder, mail, "--out", "why", "--limit", 3), "--limit is for a file"),
    ):
        done = run(*arguments)
        assert done.returncode == 1
        assert message in done.stderr
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
