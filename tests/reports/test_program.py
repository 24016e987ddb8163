"""What is kept is made anew when what made it has changed."""

import shutil
import sys
from pathlib import Path
from types import FrameType

import pytest
from networks import some_vectors, topical

from whyword import CNNClassifier, SVMClassifier, Vectors, load_model
from whyword.reports import program
from whyword.reports.program import digest_of_program, program_digest, training_files

pytestmark = pytest.mark.slow(reason="copies the package")

PACKAGE = Path(program.__file__).parent.parent
USED = sorted(path.relative_to(PACKAGE).as_posix() for path in training_files(PACKAGE))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy that may be changed."""
    copy = tmp_path_factory.mktemp("program") / "whyword"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def test_digests() -> None:
    assert len(program_digest()) == len(program_digest(training=True)) == 64
    assert program_digest() != program_digest(training=True)
    assert program_digest(training=True) == digest_of_program(PACKAGE, training=True)


def digests_with_and_without_a_change(file: Path) -> list[list[str]]:
    package = file.parents[len(file.parts) - file.parts.index("whyword") - 2]
    digests, before = [], file.read_bytes()
    for content in (before, before + b"\n# changed\n"):
        file.write_bytes(content)
        digests.append([digest_of_program(package, training) for training in (False, True)])
    file.write_bytes(before)
    return digests


@pytest.mark.slow(reason="changes seventy files, one after the other")
def test_every_module_of_training_counts(package: Path) -> None:
    assert len(USED) > 50
    whole = digest_of_program(package, training=True)
    for name in USED:
        before = (package / name).read_bytes()
        (package / name).write_bytes(before + b"\n# changed\n")
        assert digest_of_program(package, training=True) != whole, name
        (package / name).write_bytes(before)


@pytest.mark.parametrize("name", ["pages/templates/tour.html", "web/app.py", "reports/claims.py"])
def test_what_training_does_not_use_trains_nothing_anew(name: str, package: Path) -> None:
    (whole, training), (other_whole, other_training) = digests_with_and_without_a_change(
        package / name
    )
    assert whole != other_whole
    assert training == other_training


def test_a_module_that_was_moved_is_missed(package: Path) -> None:
    """A list of patterns would be empty, and nothing would ever be trained anew."""
    (package / "reports" / "training.py").rename(package / "reports" / "moved.py")
    with pytest.raises(FileNotFoundError):
        digest_of_program(package, training=True)
    (package / "reports" / "moved.py").rename(package / "reports" / "training.py")


def test_what_training_runs_is_in_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The modules whose functions are called while models are trained, saved and loaded."""
    run: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        run.add(frame.f_code.co_filename)

    texts, labels = topical(60)
    sys.setprofile(note)
    try:
        own = Vectors.train_cbow(texts, dimensions=4, epochs=1, cache=False, on_progress=False)
        vectors = Vectors.stack(some_vectors(), own)
        network = CNNClassifier(vectors=vectors, filters=4, epochs=1, on_progress=False)
        network.fit(texts, labels).save(tmp_path / "cnn")
        SVMClassifier(folds=2).fit(texts, labels).save(tmp_path / "svm")
        models = [load_model(tmp_path / name) for name in ("cnn", "svm")]
    finally:
        sys.setprofile(None)
    assert [model.kind for model in models] == ["cnn", "svm"]
    ours = {
        Path(name).relative_to(PACKAGE).as_posix()
        for name in run
        if Path(name).is_relative_to(PACKAGE)
    }
    assert len(ours) > 10
    assert ours <= set(USED)
