from commands import Write, run


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
