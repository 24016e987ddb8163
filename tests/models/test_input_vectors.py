from pathlib import Path

import numpy as np
import pytest

from whyword import InputError, Vectors
from whyword.models.input_vectors import input_vectors, vectors_record
from whyword.words.reader import Reader


def test_vectors_that_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Vectors(["moon"], np.ones((1, 2), np.float32))
    own.save(tmp_path / "v.safetensors")
    documents = [Reader()("the moon")]
    assert input_vectors(own, documents, 0, False) is own
    for path in (tmp_path / "v.safetensors", str(tmp_path / "v.safetensors")):
        assert input_vectors(path, documents, 0, False).words == ["moon"]
    asked: dict[str, object] = {}

    def for_texts(texts: object, **options: object) -> Vectors:
        asked.update(options, texts=texts)
        return own

    monkeypatch.setattr(Vectors, "for_texts", for_texts)
    assert input_vectors(None, documents, 7, False) is own
    assert asked == {"texts": documents, "seed": 7, "on_progress": False}
    with pytest.raises(InputError, match="vectors takes Vectors or a path, not int"):
        input_vectors(3, documents, 0, False)


def test_what_is_recorded() -> None:
    assert vectors_record(None) == "GloVe 50d + CBOW"
    assert vectors_record("glove-6b-50d") == "glove-6b-50d"
