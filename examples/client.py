"""Ask a running `whyword serve` why: a client of the standard library only."""

import json
from typing import Any, TypedDict
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class Explained(TypedDict):
    """What programs ask for most; /api/openapi.json has all fields and their types."""

    text: str
    words: list[str]
    spans: list[list[int]]  # Python's offsets: code points
    target: str
    relevance: list[float]  # of each word; score = sum of relevance + padding + constant + residual
    predicted: str
    probabilities: list[float]


def ask(server: str, path: str, body: dict[str, Any], token: str = "") -> dict[str, Any]:
    """Return the server's answer; what it refuses is a ValueError with its one line."""
    headers = {"Content-Type": "application/json"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    request = Request(server.rstrip("/") + path, json.dumps(body).encode(), headers)
    try:
        with urlopen(request) as answer:
            return dict(json.load(answer))
    except HTTPError as refused:
        raise ValueError(json.load(refused)["detail"]) from None


def explain(
    server: str, texts: list[str], target: str = "predicted", token: str = ""
) -> list[Explained]:
    """Return which words of each text spoke for a class."""
    answer = ask(server, "/api/explain", {"documents": texts, "target": target}, token)
    return list(answer["explanations"])
