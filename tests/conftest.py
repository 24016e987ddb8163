import builtins
import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from networks import TINY

from whyword import CNNClassifier, Corpus, Vectors, load_corpus
from whyword.reports.reproduction import Reproduction, reproduce

settings.register_profile("whyword", deadline=None)  # the first call compiles
settings.load_profile("whyword")

Write = Callable[[str, "str | bytes"], Path]

os.environ["WHYWORD_PROGRESS"] = "0"  # what a command says of a slow machine is no test's matter

HERE = Path(__file__).parent
COMMANDS = HERE / "cli"
RUNS = [HERE / "batch" / f"test_{name}.py" for name in ("local", "resume", "runs", "class_words")]


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of commands, but those of one, and of runs as slow: they start processes."""
    slow = pytest.mark.slow(reason="starts processes")
    for item in items:
        of_command = item.path.is_relative_to(COMMANDS) and not item.name.startswith("test_corpus")
        if of_command or item.path in RUNS:
            item.add_marker(slow)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file below the test's folder; ``.gz`` names are compressed."""

    def writer(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return writer


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test an empty cache folder of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("WHYWORD_CACHE", str(folder))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit-learn"))
    folder.mkdir()
    return folder


@pytest.fixture
def uninstall(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make a package look as if it were not installed."""
    real = builtins.__import__

    def blocker(package: str) -> None:
        def blocked(name: str, *rest: object, **named: object) -> object:
            if name.partition(".")[0] == package:
                raise ImportError(name)
            return real(name, *rest, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(builtins, "__import__", blocked)

    return blocker


@pytest.fixture(scope="session")
def real_cnn(news: Corpus) -> Callable[[int], CNNClassifier]:
    """Networks of the real sizes, two epochs with GloVe: weights like those of a long training."""
    sizes = {1: 600, 2: 800, 3: 600}
    trained: dict[int, CNNClassifier] = {}

    def train(width: int) -> CNNClassifier:
        if width not in trained:
            trained[width] = CNNClassifier(
                vectors=Vectors.load("glove-6b-50d"),
                width=width,
                filters=sizes[width],
                epochs=2,
                max_words=400,
            ).fit(news.train.texts[::4], (news.train.labels or [])[::4])
        return trained[width]

    return train


@pytest.fixture(scope="session")
def tiny_stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the stages of the tiny study are kept."""
    return tmp_path_factory.mktemp("stages")


@pytest.fixture(scope="session")
def tiny(tiny_stages: Path) -> Reproduction:
    """The paper's whole study, on few posts."""
    return reproduce(TINY, folder=tiny_stages)


@pytest.fixture(scope="session")
def news() -> Corpus:
    """The real 20 Newsgroups, downloaded once."""
    return load_corpus("20newsgroups")
