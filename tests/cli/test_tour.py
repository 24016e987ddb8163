from pathlib import Path

from commands import Write, run


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
