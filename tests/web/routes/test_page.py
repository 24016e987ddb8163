"""The page's files, and what is none of them."""

import pytest
from served import app, ask, check_refused


def test_files_and_their_tags() -> None:
    for path in ("/", "/static/scatter.js", "/static/heatmap.css", "/api/docs"):
        answer = ask(app(), path)
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-cache"
        tag = {"if-none-match": answer.headers["etag"]}
        again = ask(app(), path, headers=tag)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == answer.headers["etag"]
        assert ask(app(), path, headers={"if-none-match": '"other"'}).status == 200
    assert ask(app(), "/").headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    "path",
    [
        *("/static/nothing.js", "/static/", "/static", "/static/..%2fapp.py", "/static/%00"),
        *("/static/../assets.py", "/api/nothing", "/api", "/docs", "/openapi.json", "/redoc"),
        *("/nothing", "//", "/%2e%2e/etc/passwd", "/api/documents/1/text", "/\ud7ff🌙"),
    ],
)
def test_unknown_paths(path: str) -> None:
    check_refused(ask(app(), path), 404)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/"),
        ("DELETE", "/api/documents/1"),
        ("GET", "/api/explain"),
        ("PUT", "/api/predict"),
        ("POST", "/healthz"),
        ("OPTIONS", "/api/explain"),
        ("TRACE", "/api/map"),
    ],
)
def test_other_methods(method: str, path: str) -> None:
    answer = ask(app(), path, method=method)
    check_refused(answer, 405)
    assert answer.headers["allow"] in ("GET", "POST")
