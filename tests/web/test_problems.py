"""What is told when something is wrong: one line, and the fields that it is about."""

import asyncio
import json
from typing import Any

import pytest
from networks import made_cnn
from served import app, ask

from whyword.base.errors import Advice, Argument, InputError
from whyword.web.app import create_app
from whyword.web.engine import Engine


def test_what_is_wrong_with_the_server_is_not_told_to_its_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Engine(made_cnn())
    monkeypatch.setattr(engine, "predict", lambda *_: 1 // 0)
    sent: list[Any] = []
    inner = create_app(engine)

    async def talk() -> None:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b'{"documents": ["secret"]}'}

        async def send(message: Any) -> None:  # noqa: ANN401
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/api/predict",
            "scheme": "http",
            "query_string": b"",
            "headers": headers,
        }
        with pytest.raises(ZeroDivisionError):  # for the server's log
            await inner(scope, receive, send)

    asyncio.run(talk())
    assert sent[0]["status"] == 500
    detail = json.loads(sent[1]["body"])["detail"]
    assert detail == "something is wrong with this server; its log says what"


def test_a_model_that_fails_is_no_fault_of_the_request(caplog: pytest.LogCaptureFixture) -> None:
    class Down:
        classes_ = ("a", "b")

        def predict_proba(self, texts: list[str]) -> list[list[float]]:
            raise ValueError("the password of the service is wrong")

    answer = ask(create_app(Engine(Down())), "/api/explain", {"documents": ["the moon"]})
    assert answer.status == 500
    assert "password" not in answer.problem
    assert "the password of the service is wrong" in caplog.text


@pytest.mark.parametrize(
    ("path", "given", "fields"),
    [
        ("/api/explain", {}, ["documents"]),
        ("/api/explain", {"documents": []}, ["documents"]),
        ("/api/explain", {"documents": [5]}, ["documents"]),
        ("/api/explain", {"documents": [{"text": 5}]}, ["text"]),
        ("/api/explain", {"documents": [{"text": "a", "deleted": "0"}]}, ["deleted"]),
        ("/api/explain", {"documents": ["a"], "target": 5, "method": 5}, ["target", "method"]),
        ("/api/explain", {"documents": ["a"], "targt": "all"}, []),
        ("/api/explain", {"documents": ["a"], "target": "nobody"}, ["target"]),
        ("/api/explain", {"documents": ["a"], "against": "nobody"}, ["against"]),
        ("/api/explain", {"documents": ["a"], "method": "nothing"}, ["method"]),
        ("/api/explain", {"documents": [{"text": "a", "deleted": [7]}]}, ["deleted"]),
        ("/api/explain", {"documents": ["s" * 1_000_001]}, ["text"]),
        ("/api/explain", {"documents": ["s " * 20_001]}, ["documents"]),
        ("/api/explain", [], []),
        ("/api/search", {"query": "moon", "top": 51}, ["top"]),
        ("/api/search", {"query": "moon " * 2001}, ["query"]),
        ("/api/words?top=0", None, ["top"]),
        ("/api/documents/x", None, ["number"]),
        ("/api/documents/40", None, []),
        ("/nowhere", None, []),
    ],
)
def test_a_problem_names_the_fields_it_is_about(
    path: str, given: object, fields: list[str]
) -> None:
    answer = ask(app(), path, given)
    assert answer.problem
    assert answer.json["fields"] == fields


def test_arguments_are_told_as_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the request has; advice about others is left out."""
    engine = Engine(made_cnn())
    error = InputError(
        *(Argument("target"), " is odd, say ", Argument("target", ["a"]), " or "),
        *(Argument("method", ...), "; ", Argument("seed", 1)),
        Advice(", or ", Argument("resume", True)),
    )

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(engine, "explain", refuse)
    answer = ask(create_app(engine), "/api/explain", {"documents": ["wa"]})
    assert answer.problem == 'target is odd, say "target": ["a"] or "method": …; seed'
    assert answer.json["fields"] == ["target", "method"]
