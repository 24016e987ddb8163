"""Model folders: written whole, read checked, never a pickle; damaged ones refused in one line."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import made_cnn, small_svm
from numpy.typing import NDArray
from served import Server

from whyword import InputError, load_model
from whyword.models import store
from whyword.models.store import check_replaceable, pack_words, read_model, write_model

TENSORS: dict[str, NDArray[Any]] = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "empty": np.empty((0, 4), np.int32),
    "words": pack_words(["naïve", "b"]),
}
CONFIGURATION = {"kind": "test", "classes": ["x", "y"], "provenance": {"seconds": 3}}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_model(tmp_path / "m", TENSORS, CONFIGURATION)
    return tmp_path / "m"


def edit(folder: Path, **changes: object) -> None:
    content = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(content | changes))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    identity = write_model(tmp_path / "deep" / "m", TENSORS, CONFIGURATION)
    tensors, configuration = read_model(tmp_path / "deep" / "m")
    for name, array in TENSORS.items():
        np.testing.assert_array_equal(tensors[name], array)
    assert json.loads(tensors["words"].tobytes()) == ["naïve", "b"]
    assert configuration["identity"] == identity
    assert configuration["format"] == 1
    names = sorted(path.name for path in (tmp_path / "deep" / "m").iterdir())
    assert names == ["model.json", "model.safetensors"]
    with pytest.raises(ValueError, match="read-only"):
        tensors["a"][0] = 1
    write_model(tmp_path / "n", TENSORS, {"n": np.int64(3), "x": np.float32(0.5)})
    assert read_model(tmp_path / "n")[1]["n"] == 3


def test_the_identity_is_that_of_weights_and_configuration(tmp_path: Path) -> None:
    first = write_model(tmp_path / "a", TENSORS, CONFIGURATION)
    later = {**CONFIGURATION, "provenance": {"seconds": 4}}
    assert write_model(tmp_path / "b", TENSORS, later) == first
    assert write_model(tmp_path / "c", TENSORS, {**CONFIGURATION, "classes": ["x"]}) != first
    changed = {**TENSORS, "a": TENSORS["a"] + 1}
    assert write_model(tmp_path / "d", changed, CONFIGURATION) != first


def test_damaged_weights_are_refused(model: Path) -> None:
    weights = model / "model.safetensors"
    whole = weights.read_bytes()
    for content in (whole[:-1], b"", whole[:-1] + b"\1", whole + b"x"):
        weights.write_bytes(content)
        with pytest.raises(InputError, match="is damaged: its sha256"):
            read_model(model)
    weights.unlink()
    with pytest.raises(InputError, match="incomplete"):
        read_model(model)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((one, "model.json") for one in ("", "{", "[1]", "{}", '{"format": "1"}')),
        ('{"format": true}', "is not the configuration of a whyword model"),
        ('{"format": 1.0}', "is not the configuration of a whyword model"),
        ('{"format": 2}', "format 2, this version reads up to 1; update whyword"),
        ('{"format": 1, "format": 1}', "it has 'format' more than once"),
        ('{"format": 1, "a": {"b": 1, "b": 2}}', "it has 'b' more than once"),
        ('{"format": 1, "a": 1e999}', "inf is no number to keep"),
        ('{"format": 1, "a": "\\ud800"}', "half a surrogate pair"),
        ('{"format": 1, "\\ud800": 1}', "half a surrogate pair"),
        ('{"format": 1, "a": 1%s}' % ("0" * 30), "a whole number beyond 64 bits"),
        ('{"format": 1, "a": 1%s}' % ("0" * 9_999), "Exceeds the limit"),
        ('{"format": 1, "a": %s}' % ("[" * 40 + "]" * 40), "nested beyond reason"),
        ('{"format": 1, "a": %s}' % ("[" * 90_000), "nested beyond reason"),
        ('{"format": 1, "weights_sha256": "\\n\\u001b[31m"}', "is damaged: its sha256"),
        ('{"format": 1, "weights_sha256": [[]]}', "is damaged: its sha256"),
        ('{"format": 1, "a": "%s"}' % ("x" * (1 << 26)), "it is too long"),
    ],
    ids=lambda value: value[:30],
)
def test_hostile_configurations_are_refused_in_one_line(
    model: Path, content: str, said: str
) -> None:
    (model / "model.json").write_text(content)
    with pytest.raises(InputError) as error:
        read_model(model)
    assert said in str(error.value)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300


def test_folders_that_are_no_whole_model(model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="kind 'test'; known: cnn, svm"):
        load_model(model)
    with pytest.raises(InputError, match="no such model folder"):
        load_model(tmp_path / "none")
    with pytest.raises(InputError, match=r"it has no model\.json"):
        load_model(tmp_path)
    made_cnn().save(tmp_path / "cnn")
    edit(tmp_path / "cnn", classes=["class 1", "class 0", "class 2"])
    with pytest.raises(InputError, match="was changed: it does not fit its identity"):
        load_model(tmp_path / "cnn")
    (model / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"m has no model\.safetensors; the model is incomplete"):
        read_model(model)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_crash_leaves_the_old_model_or_the_new_one(
    model: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Saving renames three times; die at each."""
    new = {**TENSORS, "a": TENSORS["a"] + 1}
    renamed = 0
    replace = os.replace

    def dying(*arguments: object, **options: object) -> None:
        nonlocal renamed
        renamed += 1
        if renamed == step:
            raise KeyboardInterrupt
        replace(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", dying)
    with pytest.raises(KeyboardInterrupt):
        write_model(model, new, CONFIGURATION)
    monkeypatch.undo()
    tensors, _ = read_model(model)
    expected = TENSORS["a"] if step < 3 else new["a"]
    np.testing.assert_array_equal(tensors["a"], expected)
    write_model(model, new, CONFIGURATION)
    np.testing.assert_array_equal(read_model(model)[0]["a"], new["a"])


def test_a_folder_that_changes_while_it_is_read(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights that are cut, or written over, half-way: what was read is not what was promised."""
    weights = model / "model.safetensors"
    whole = weights.read_bytes()
    for change in (whole[:70], whole[:70] + bytes(len(whole) - 70), b""):
        weights.write_bytes(whole)
        real = hashlib.sha256

        def meddling(change: bytes = change, real: Any = real) -> Any:  # noqa: ANN401 - a hash
            weights.write_bytes(change)
            return real()

        with monkeypatch.context() as patched:
            patched.setattr(hashlib, "sha256", meddling)
            with pytest.raises(InputError, match="is damaged: its sha256"):
                read_model(model)
    weights.write_bytes(whole)
    read_model(model)


def test_objects_that_cannot_be_kept_leave_nothing(tmp_path: Path) -> None:
    for wrong in ({"a": object()}, {"a": float("nan")}, {"a": {1, 2}}):
        with pytest.raises(InputError, match="a model cannot keep"):
            write_model(tmp_path / "m", TENSORS, wrong)
    assert not (tmp_path / "m").exists()


def test_a_model_is_replaced_by_force_only(model: Path, tmp_path: Path) -> None:
    assert check_replaceable(tmp_path / "new", force=False) is None
    (tmp_path / "empty").mkdir()
    assert check_replaceable(tmp_path / "empty", force=True) is None
    write_model(tmp_path / "empty", TENSORS, CONFIGURATION)
    with pytest.raises(InputError, match=r"m holds a model already \(test, .*force=True"):
        check_replaceable(model, force=False)
    assert str(check_replaceable(model, force=True)).startswith("test, ")
    for name, file, content in (
        ("other", "thesis.tex", "years of work"),
        ("damaged", "model.json", "{"),
        ("foreign", "model.json", '{"somebody": "else"}'),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(content)
        with pytest.raises(InputError, match="exists and is no model; it will not be written over"):
            check_replaceable(tmp_path / name, force=True)
        with pytest.raises(InputError, match="exists and is no model"):
            write_model(tmp_path / name, TENSORS, CONFIGURATION)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (
            {"documents": 11_314, "corpus": "20newsgroups", "trained": "2026-11-17 09:07 UTC"},
            "cnn, trained on 11,314 documents of 20newsgroups, 2026-11-17 09:07 UTC, identity ",
        ),
        ({"documents": 3}, "cnn, trained on 3 documents, "),
        ({"documents": "many", "corpus": 5, "trained": []}, "cnn, 20"),
        (
            {"documents": 3, "corpus": "a\n\x1b[31m" + "b" * 999},
            "cnn, trained on 3 documents of a·␛",
        ),
        (["nothing"], "cnn, 20"),
    ],
)
def test_the_model_that_is_replaced_in_one_line(facts: object, said: str, tmp_path: Path) -> None:
    identity = write_model(tmp_path / "m", TENSORS, {"kind": "cnn", "provenance": facts})
    line = str(check_replaceable(tmp_path / "m", force=True))
    assert line.startswith(said)
    assert line.endswith(f", identity {identity[:12]}")
    assert line.isprintable()
    assert len(line) < 250


def test_provenance_has_the_versions() -> None:
    assert {"python", "whyword", "numpy", "numba"} <= set(store.provenance())
    model = small_svm()
    assert model.provenance_["documents"] == 60
    assert len(str(model.provenance_["data"])) == 64
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", model.provenance_["trained"])


# ---- models that outlive their files ------------------------------------------------------------

# explains with a loaded model, waits until its files were written over, and explains again
KEEPS = """
import sys
import numpy as np
from whyword import explain, load_model
model = load_model(sys.argv[1])
texts = sys.argv[2:]
before = [one.relevance for one in explain(model, texts[:1], "all")]
print("loaded", flush=True)
sys.stdin.readline()
after = [one.relevance for one in explain(model, texts[:1], "all")]
assert all(map(np.array_equal, before, after))
print(model.class_scores(texts).tolist(), model.identity)
"""


@pytest.mark.slow(reason="starts a process")
def test_a_loaded_model_outlives_its_files(tmp_path: Path) -> None:
    """In a process of its own: a file that is mapped and truncated would kill it by SIGBUS."""
    model, folder = made_cnn(), tmp_path / "m"
    identity = model.save(folder)
    texts = ["wa wb", "wc wd", "we wf"]  # the last two never seen before
    expected = model.class_scores(texts)
    command = [sys.executable, "-c", KEEPS, str(folder), *texts]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "loaded\n"
    for path in folder.iterdir():
        path.write_bytes(b"")  # in place, as cp does
    said, _ = process.communicate("go\n")
    assert process.returncode == 0
    assert said.split("]] ")[1].strip() == identity
    np.testing.assert_allclose(json.loads(said.split("]] ")[0] + "]]"), expected, rtol=1e-6)


@pytest.mark.slow(reason="starts a server")
def test_a_served_model_outlives_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    made_cnn().save(folder)
    options = ("--no-open", "--port", "0", "--workers", "2")
    with Server("-m", "whyword", "serve", folder, *options) as server:
        asked = {"documents": ["wa wb", "wc wd"], "target": "all"}
        first = [server.ask("/api/explain", asked) for _ in range(4)]
        for path in folder.iterdir():
            path.write_bytes(b"")
        again = [server.ask("/api/explain", asked) for _ in range(8)]
        other = server.ask("/api/explain", {"documents": ["we wf we"]})
    assert {answer.status for answer in [*first, *again, other]} == {200}
    assert len({answer.body for answer in [*first, *again]}) == 1


@pytest.mark.slow(reason="processes that wait for one another")
def test_readers_and_writers_do_not_meet(tmp_path: Path) -> None:
    """Two processes save different models in turn while we load: each load is one of them."""
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from whyword.models.store import write_model\n"
        "value = float(sys.argv[2])\n"
        "for _ in range(30):\n"
        "    tensors = {'a': np.full(50_000, value), 'b': np.full(7, value)}\n"
        "    write_model(Path(sys.argv[1]), tensors, {'value': value})"
    )
    folder = tmp_path / "m"
    write_model(folder, {"a": np.zeros(50_000), "b": np.zeros(7)}, {"value": 0.0})
    command = [sys.executable, "-c", code, str(folder)]
    writers = [subprocess.Popen([*command, value]) for value in ("1", "2")]
    loads = 0
    while any(writer.poll() is None for writer in writers):
        tensors, configuration = read_model(folder)
        for name in ("a", "b"):
            assert (tensors[name] == configuration["value"]).all()
        loads += 1
    assert [writer.wait() for writer in writers] == [0, 0]
    assert loads > 0
