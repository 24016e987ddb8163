from pathlib import Path

import pytest
from networks import small_cnn
from streams import shrink_runs, work_here, write_corpus

from whyword import explain_corpus


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables of 11 texts and a row without text each: three parts of each."""
    return write_corpus(tmp_path_factory.mktemp("corpus") / "tables", files=2, documents=12)


@pytest.fixture(scope="session")
def finished(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an undisturbed run in one process over the source, for all classes."""
    out = tmp_path_factory.mktemp("finished") / "why"
    with pytest.MonkeyPatch.context() as patch:
        shrink_runs(patch)
        work_here(patch)
        explain_corpus(small_cnn(), source, out, "all")
    return out


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs write parts of four documents."""
    shrink_runs(monkeypatch)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch, small_parts: None) -> None:
    """Let runs write parts of four documents and start no processes."""
    work_here(monkeypatch)
