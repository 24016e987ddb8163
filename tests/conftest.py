import builtins
import fcntl
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from networks import TINY

from whyword import CNNClassifier, Corpus, Vectors, load_corpus
from whyword.reports.reproduction import Reproduction, reproduce

settings.register_profile("whyword", deadline=None)  # the first call compiles
settings.load_profile("whyword")

Write = Callable[[str, "str | bytes"], Path]

os.environ["WHYWORD_PROGRESS"] = "0"  # what a command says of a slow machine is no test's matter


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--shuffle SEED``."""
    parser.addoption(
        "--shuffle",
        metavar="SEED",
        help="run test files, and the tests of each file, in a random order",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run slow tests first, so that no worker ends with a long one; or all in a random order."""
    seed = config.getoption("--shuffle")
    if seed is None:
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)
        return
    random = Random(seed)  # the same in each worker: xdist requires one order
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    groups = list(files.values())
    random.shuffle(groups)
    for group in groups:
        random.shuffle(group)
    items[:] = [item for group in groups for item in group]


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
    """Where the stages of the tiny study are kept; all workers of a test run share them."""
    root = tmp_path_factory.getbasetemp()
    return (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "stages"


@pytest.fixture(scope="session")
def tiny(tiny_stages: Path) -> Reproduction:
    """The paper's whole study on few posts, computed by the first worker that asks for it."""
    with tiny_stages.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return reproduce(TINY, folder=tiny_stages)


@pytest.fixture(scope="session")
def news() -> Corpus:
    """The real 20 Newsgroups, downloaded once."""
    return load_corpus("20newsgroups")
