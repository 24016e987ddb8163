import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from networks import small_cnn
from numpy.typing import NDArray

from whyword import CNNClassifier, InputError, load_model
from whyword.models import store
from whyword.models.store import map_tensors, pack_words, read_model, unpack_words, write_model

TENSORS: dict[str, NDArray[Any]] = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "empty": np.empty((0, 4), np.int32),
    "words": pack_words(["naïve", "b"]),
}
CONFIGURATION = {"kind": "test", "classes": ["x", "y"], "provenance": {"seconds": 3}}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    identity = write_model(tmp_path / "deep" / "m", TENSORS, CONFIGURATION)
    tensors, configuration = read_model(tmp_path / "deep" / "m")
    for name, array in TENSORS.items():
        np.testing.assert_array_equal(tensors[name], array)
    assert unpack_words(tensors["words"]) == ["naïve", "b"]
    assert configuration["identity"] == identity
    assert configuration["format"] == 1
    names = sorted(path.name for path in (tmp_path / "deep" / "m").iterdir())
    assert names == ["model.json", "model.safetensors"]
    with pytest.raises(ValueError, match="read-only"):
        tensors["a"][0] = 1  # mapped, not loaded


def test_the_identity_is_that_of_weights_and_configuration(tmp_path: Path) -> None:
    first = write_model(tmp_path / "a", TENSORS, CONFIGURATION)
    later = {**CONFIGURATION, "provenance": {"seconds": 4}}
    assert write_model(tmp_path / "b", TENSORS, later) == first
    assert write_model(tmp_path / "c", TENSORS, {**CONFIGURATION, "classes": ["x"]}) != first
    changed = {**TENSORS, "a": TENSORS["a"] + 1}
    assert write_model(tmp_path / "d", changed, CONFIGURATION) != first


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_model(tmp_path / "m", TENSORS, CONFIGURATION)
    return tmp_path / "m"


def edit(folder: Path, **changes: object) -> None:
    content = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(content | changes))


def sign(folder: Path) -> None:
    """Give an edited configuration the identity that fits it."""
    content = json.loads((folder / "model.json").read_text())
    added = ("format", "identity", "weights_sha256")
    kept = {name: value for name, value in content.items() if name not in added}
    edit(folder, identity=store.identity_of(content["weights_sha256"], kept))


def test_damaged_models_are_refused(model: Path) -> None:
    weights = model / "model.safetensors"
    whole = weights.read_bytes()
    for content in (whole[:-1], b"", whole[:-1] + b"\1", whole + b"x"):
        weights.write_bytes(content)
        with pytest.raises(InputError, match="is damaged: its sha256"):
            read_model(model)
    weights.unlink()
    with pytest.raises(InputError, match="incomplete"):
        read_model(model)


@pytest.mark.parametrize("content", ["", "{", "[1]", "{}", '{"format": "1"}', "\ud800"])
def test_foreign_configurations_are_refused(model: Path, content: str) -> None:
    (model / "model.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError, match=r"model\.json"):
        read_model(model)


def test_newer_and_unknown_models_are_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="kind 'test'; known: cnn, svm"):
        load_model(model)
    edit(model, format=2)
    with pytest.raises(InputError, match="format 2, this version reads up to 1; update whyword"):
        load_model(model)
    with pytest.raises(InputError, match="no such model folder"):
        load_model(tmp_path / "none")
    with pytest.raises(InputError, match=r"it has no model\.json"):
        load_model(tmp_path)


def test_a_model_with_parts_missing_is_refused(tmp_path: Path) -> None:
    small_cnn().save(tmp_path / "m")
    wrongs: list[dict[str, Any]] = [{"normalisation": {}}, {"parameters": {"colour": 1}}]
    for wrong in [*wrongs, {"tokenizer": None}]:
        small_cnn().save(tmp_path / "m")
        edit(tmp_path / "m", **wrong)
        sign(tmp_path / "m")
        with pytest.raises(InputError, match="is not a whole model"):
            load_model(tmp_path / "m")


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


def test_folders_that_are_no_model_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="exists and is no model"):
        write_model(tmp_path, TENSORS, CONFIGURATION)
    (tmp_path / "empty").mkdir()
    write_model(tmp_path / "empty", TENSORS, CONFIGURATION)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        b"\x02\0\0\0\0\0\0\0{}",
        b'\x10\0\0\0\0\0\0\0{"a": "not this"}',
    ],
)
def test_foreign_tensors(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with path.open("rb") as stream:
        if content.endswith(b"{}"):
            assert map_tensors(stream) == {}
            return
        with pytest.raises(InputError, match="damaged or not a safetensors file"):
            map_tensors(stream)


@pytest.mark.parametrize(
    ("shape", "offsets"), [([1], [-12, -8]), ([10**30], [0, 4]), ([2], [0, 4]), ([9], [0, 36])]
)
def test_tensors_that_do_not_fit_their_file(
    tmp_path: Path, shape: list[int], offsets: list[int]
) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": offsets}}).encode()
    path = tmp_path / "x"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    with path.open("rb") as stream, pytest.raises(InputError, match="do not fit bytes"):
        map_tensors(stream)


def test_an_edited_configuration_is_refused(tmp_path: Path) -> None:
    small_cnn().save(tmp_path / "m")
    edit(tmp_path / "m", classes=["space", "hockey", "crypto"])
    with pytest.raises(InputError, match="was changed: it does not fit its identity"):
        load_model(tmp_path / "m")


def test_what_cannot_be_kept_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    for wrong in ({"a": object()}, {"a": float("nan")}, {"a": {1, 2}}):
        with pytest.raises(InputError, match="a model cannot keep"):
            write_model(tmp_path / "m", TENSORS, wrong)
    assert not (tmp_path / "m").exists()
    write_model(tmp_path / "m", TENSORS, {"n": np.int64(3), "x": np.float32(0.5)})
    assert read_model(tmp_path / "m")[1]["n"] == 3


def test_a_foreign_model_json_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text('{"somebody": "else"}')
    with pytest.raises(InputError, match="exists and is no model"):
        write_model(tmp_path, TENSORS, CONFIGURATION)


@pytest.mark.slow(reason="processes that wait for one another")
def test_readers_and_writers_do_not_meet(tmp_path: Path) -> None:
    """Two processes save different models in turn while we load: each load is one of them."""
    code = (
        "import sys, numpy as np; from pathlib import Path\n"
        "from whyword.models.store import write_model\n"
        "value = float(sys.argv[2])\n"
        "for _ in range(60):\n"
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


def test_provenance_has_the_versions() -> None:
    versions = store.provenance()
    assert {"python", "whyword", "numpy", "numba"} <= set(versions)
    model = small_cnn()
    assert isinstance(model, CNNClassifier)
    assert model.provenance_["documents"] == 120
    assert len(str(model.provenance_["data"])) == 64
