"""What a run is resumed with is what it began with, and what it left is looked at, to the byte."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from keywords import MODULE, Keywords
from networks import small_cnn
from served import model
from streams import contents, write_corpus

from whyword import BlackBox, CNNClassifier, InputError, explain_corpus, predict_corpus
from whyword.batch import chunks
from whyword.batch import runs as corpora
from whyword.batch.folder import MANIFEST, REJECTS
from whyword.batch.parts import LEDGER


@pytest.fixture(scope="module")
def cnn() -> CNNClassifier:
    return small_cnn()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "tables")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 50)
    monkeypatch.setattr(chunks, "_SHARD_BYTES", 12_000)
    monkeypatch.setattr(corpora, "LEXICON_BYTES", 4_000)


@pytest.fixture(scope="module")
def whole(cnn: CNNClassifier, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run writes that nothing disturbs."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        small_parts.__wrapped__(monkeypatch)  # type: ignore[attr-defined]
        out = tmp_path_factory.mktemp("whole") / "why"
        explain_corpus(cnn, source, out)
    return out


@pytest.fixture
def out(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(whole, tmp_path / "why")


# ---- case 9: two runs at a time -----------------------------------------------------------------


def test_two_runs_in_two_threads_keep_to_their_work(source: Path, tmp_path: Path) -> None:
    models = [Keywords(), Keywords()]
    models[1].classes_ = ["one", "two", "three"]

    def predict(number: int) -> set[str]:
        out = tmp_path / str(number)
        predict_corpus(models[number], source, out, workers=2)
        return {label for labels in pd.read_parquet(out)["classes"] for label in labels}

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(predict, range(2)))
    assert said == [set(one.classes_) for one in models]


# ---- case 10: models that cannot be told apart ---------------------------------------------------


def test_a_model_without_identity_is_not_resumed(source: Path, tmp_path: Path) -> None:
    other = Keywords()
    other.classes_ = ["one", "two", "three"]
    out = tmp_path / "why"
    predict_corpus(Keywords(), source, out, workers=1)
    for resumed in (other, Keywords()):
        with pytest.raises(InputError, match=r"cannot be resumed: its model has no identity"):
            predict_corpus(resumed, source, out, resume=True)
    (out / "part-00000-00000.parquet").unlink()
    with pytest.raises(InputError, match=r"cannot be resumed: its model has no identity"):
        predict_corpus(other, source, out, resume=True)
    with pytest.raises(InputError, match=r"a BlackBox, .* is made with name=…"):
        predict_corpus(other, source, out, resume=True)


def test_a_name_lets_somebodys_model_be_resumed(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "why"
    predict_corpus(BlackBox(Keywords(), name="keywords 1"), source, out, workers=1)
    (out / "part-00000-00000.parquet").unlink()
    again = predict_corpus(BlackBox(Keywords(), name="keywords 1"), source, out, resume=True)
    assert again.parts >= 1
    with pytest.raises(InputError, match="was another one: model differs"):
        predict_corpus(BlackBox(Keywords(), name="keywords 2"), source, out, resume=True)


# ---- case 11: parts that are damaged, a source that is another -----------------------------------


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // 3
    data[middle : middle + 2_000] = bytes(byte ^ 0x55 for byte in data[middle : middle + 2_000])
    path.write_bytes(data)


def overwrite_by_another(path: Path) -> None:
    shutil.copy(path.with_name("part-00000-00000.parquet"), path)


def overwrite_by_nothing(path: Path) -> None:
    path.write_bytes(b"")


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize("damage", [flip, overwrite_by_another, overwrite_by_nothing, cut_off])
@pytest.mark.parametrize("state", ["complete", "begun"])
def test_a_damaged_part_is_made_again(
    state: str,
    damage: Callable[[Path], None],
    cnn: CNNClassifier,
    source: Path,
    whole: Path,
    out: Path,
) -> None:
    if state == "begun":
        manifest = json.loads((out / MANIFEST).read_text())
        (out / MANIFEST).write_text(json.dumps(manifest | {"state": state}))
        (out / "part-00001-00001.parquet").unlink()
    damage(out / "part-00001-00000.parquet")
    explain_corpus(cnn, source, out, resume=True, workers=1)
    assert contents(out) == contents(whole)


def test_parts_that_are_exchanged(
    cnn: CNNClassifier, source: Path, whole: Path, out: Path, tmp_path: Path
) -> None:
    one, other = (out / f"part-00000-0000{number}.parquet" for number in range(2))
    one.rename(tmp_path / "aside")
    other.rename(one)
    (tmp_path / "aside").rename(other)
    explain_corpus(cnn, source, out, resume=True, workers=1)
    assert contents(out) == contents(whole)


def test_rejects_that_are_damaged(cnn: CNNClassifier, source: Path, whole: Path, out: Path) -> None:
    (out / REJECTS).write_text((out / REJECTS).read_text().replace("null", "void"))
    explain_corpus(cnn, source, out, resume=True, workers=1)
    assert contents(out) == contents(whole)
    (out / REJECTS).unlink()
    explain_corpus(cnn, source, out, resume=True, workers=1)
    assert contents(out) == contents(whole)


def name_another(line: bytes) -> bytes:
    return line.replace(b"00001-00001", b"00001-00000")


def name_none(line: bytes) -> bytes:
    return line.replace(b"00001-00001", b"00001-00017")


def change_digest(line: bytes) -> bytes:
    place = line.index(b'"records": "') + len(b'"records": "')
    return line[:place] + (b"1" if line[place] == ord("0") else b"0") + line[place + 1 :]


@pytest.mark.parametrize("damage", [name_another, name_none, change_digest])
def test_a_damaged_ledger_says_nothing_of_the_source(
    damage: Callable[[bytes], bytes], cnn: CNNClassifier, source: Path, whole: Path, out: Path
) -> None:
    lines = (out / LEDGER).read_bytes().splitlines(keepends=True)
    changed = [damage(line) if b"00001-00001" in line else line for line in lines]
    assert changed != lines
    (out / LEDGER).write_bytes(b"".join(changed))
    cut_off(out / "part-00001-00001.parquet")
    explain_corpus(cnn, source, out, resume=True, workers=1)
    assert contents(out) == contents(whole)


def replace_silently(path: Path, old: bytes, new: bytes) -> None:
    """Change a file, but neither its size nor its time."""
    before = path.stat()
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


@pytest.mark.parametrize(
    "engine", ["local", pytest.param("ray", marks=pytest.mark.slow(reason="starts Ray"))]
)
@pytest.mark.filterwarnings("ignore:::ray")
def test_a_source_that_changed_and_does_not_look_it(
    engine: str, cnn: CNNClassifier, source: Path, tmp_path: Path
) -> None:
    mine, out = shutil.copytree(source, tmp_path / "mine"), tmp_path / "why"
    explain_corpus(cnn, mine, out, workers=1)
    (out / "part-00000-00001.parquet").unlink()
    replace_silently(mine / "1.jsonl", b"r7x", b"r8x")
    with pytest.raises(InputError, match="the source has changed since the run in"):
        explain_corpus(cnn, mine, out, resume=True, engine=engine)
    replace_silently(mine / "1.jsonl", b"r8x", b"r7x")


def test_a_source_that_changed_where_a_part_is_damaged(
    cnn: CNNClassifier, source: Path, tmp_path: Path
) -> None:
    mine, out = shutil.copytree(source, tmp_path / "mine"), tmp_path / "why"
    explain_corpus(cnn, mine, out, workers=1)
    flip(out / "part-00001-00000.parquet")
    replace_silently(mine / "1.jsonl", b"r7x", b"r9x")
    with pytest.raises(InputError, match="the source has changed since the run in"):
        explain_corpus(cnn, mine, out, resume=True)


# ---- case 12: names and labels, files and manifests of others ------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "part-00000-00001 copy.parquet",
        "part-x.parquet",
        "part-00000-00001.parquet.bak",
        "part-0-1.parquet",
        "part-00007-00000.parquet",
        "others.parquet",
        os.fsdecode(b"part-\xff.parquet"),
    ],
)
def test_files_of_others_are_neither_taken_nor_deleted(
    name: str, cnn: CNNClassifier, source: Path, whole: Path, out: Path
) -> None:
    (out / name).write_bytes(b"somebody's")
    (out / "part-00000-00001.parquet").unlink()
    with pytest.raises(InputError, match=r"has a file that this run did not write, .*part|others"):
        explain_corpus(cnn, source, out, resume=True, workers=1)
    assert (out / name).read_bytes() == b"somebody's"
    (out / name).unlink()
    explain_corpus(cnn, source, out, resume=True, workers=1)
    assert contents(out) == contents(whole)


@pytest.mark.parametrize(
    "manifest",
    [
        b"[" * 200_000,
        b'{"state": "complete"}',
        b'{"state": "complete", "parts": "7", "documents": 3, "rejected": 0}',
        b'{"state": ["begun"]}',
        b'{"state": NaN}',
        b"9" * 10_000,
        b"\xff\xfe",
        b"",
        b"null",
    ],
    ids=lambda content: content[:12].decode("latin-1"),
)
def test_manifests_that_no_run_wrote(
    manifest: bytes, cnn: CNNClassifier, source: Path, out: Path
) -> None:
    (out / MANIFEST).write_bytes(manifest)
    for resume in (True, False):
        with pytest.raises(InputError, match=MANIFEST) as caught:
            explain_corpus(cnn, source, out, resume=resume)
        assert len(str(caught.value)) < 1_000


def test_manifest_without_parts(cnn: CNNClassifier, source: Path, out: Path) -> None:
    manifest = json.loads((out / MANIFEST).read_text())
    del manifest["parts"]
    (out / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="is not what a run writes; name another folder"):
        explain_corpus(cnn, source, out, resume=True, workers=1)


def test_names_that_are_not_utf8(source: Path, tmp_path: Path) -> None:
    svm = model("svm")
    mine = tmp_path / os.fsdecode(b"t\xe4glich")
    shutil.copytree(source, mine)
    (mine / "0.jsonl").rename(mine / os.fsdecode(b"\xff.jsonl"))
    out = tmp_path / os.fsdecode(b"erkl\xe4rt")
    outcome = predict_corpus(svm, mine, out, workers=1)
    assert (outcome.n_documents, outcome.rejected) == (357, 3)
    found = contents(out)
    assert predict_corpus(svm, mine, out, resume=True).resumed == 357
    (out / "part-00000-00000.parquet").unlink()
    predict_corpus(svm, mine, out, resume=True)
    assert contents(out) == found
    places = [json.loads(line)["place"] for line in found[REJECTS].splitlines()]
    assert any("\udcff" in place for place in places)  # it can be found by this name
    last = max(out.glob("part-*"))
    with last.open("rb") as stream:  # pyarrow opens no such names
        assert "\ufffd" in pq.read_table(stream)["id"][0].as_py()


def test_labels_with_half_a_surrogate_pair(tmp_path: Path) -> None:
    rows = [{"text": f"moon {n}", "label": "a\ud83d"} for n in range(60)]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ours = Keywords()
    ours.classes_ = ["b\ude00", "c", "ü"]
    predict_corpus(ours, path, tmp_path / "said")
    frame = pd.read_parquet(tmp_path / "said")
    assert set(frame["label"]) == {"a\ufffd"}
    assert list(frame["classes"][0]) == ["b\ufffd", "c", "ü"]
    for target in ("predicted", "all", ["b\ude00", "c"], "b\ude00"):
        out = tmp_path / f"{target!r}"
        against = "c" if target == "b\ude00" else None
        explain_corpus(ours, path, out, target, against=against, workers=1)
        assert list(pd.read_parquet(out)["classes"][0]) == ["b\ufffd", "c", "ü"]
    explain_corpus(ours, path, tmp_path / "against", "c", against="b\ude00", workers=1)


# ---- case 13: processes --------------------------------------------------------------------------


def test_no_process_is_a_copy_of_this_one(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fork() -> int:
        raise AssertionError("beside threads this may hang")

    monkeypatch.setattr(os, "fork", fork)
    assert predict_corpus(model("svm"), source, tmp_path / "said", workers=2).n_documents == 357


SCRIPT = """
import sys
import whyword as ww
from whyword.batch import chunks

{define}
chunks.ROWS = 50
print("once")
outcome = ww.predict_corpus(model, sys.argv[1], sys.argv[2], workers=2)
print(outcome.n_documents)
"""


@pytest.mark.parametrize(
    ("define", "said"),
    [
        ("from somebodys import model", ""),
        (MODULE, "the model cannot be sent to other processes, so this one does all the work"),
        (f"{MODULE}\nmodel.key = lambda text: text", "the model cannot be sent"),
    ],
    ids=["of a module", "of the script", "with a lambda"],
)
def test_a_script_is_run_once_whatever_its_model(
    define: str, said: str, source: Path, tmp_path: Path
) -> None:
    (tmp_path / "somebodys.py").write_text(MODULE)
    (tmp_path / "script.py").write_text(SCRIPT.format(define=define))
    command = [sys.executable, str(tmp_path / "script.py"), str(source), str(tmp_path / "said")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout == "once\n357\n"
    assert (said in done.stderr) if said else (done.stderr == "")
    assert pq.read_table(tmp_path / "said").num_rows == 357


def test_a_single_chunk_needs_no_process(
    cnn: CNNClassifier, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers are those of another process, to the last bit."""
    explain_corpus(cnn, source, tmp_path / "several", "all")
    texts = tmp_path / "a.jsonl"
    lines = (source / "0.jsonl").read_text().splitlines(keepends=True)[:51]  # one is no document
    texts.write_text("".join(lines))
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(corpora, "_SAMPLE", 1)
    explain_corpus(cnn, texts, tmp_path / "one", "all", workers=3)
    one, several = (
        pd.read_parquet(tmp_path / name / "part-00000-00000.parquet") for name in ("one", "several")
    )
    assert len(one) == 50
    for ours, theirs in zip(one["relevance"], several["relevance"], strict=True):
        assert np.array_equal(np.stack(ours), np.stack(theirs))
