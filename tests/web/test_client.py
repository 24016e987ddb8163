"""The client that the docs show: its types are the schema's, and a real server answers it."""

import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import client
import numpy as np
import pytest
from networks import small_cnn
from visits import Served, started

import whyword as ww
from whyword.web.schema import ExplanationOut

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from started(tmp_path_factory.mktemp("served"), small_cnn())


def test_the_docs_show_it() -> None:
    assert (ROOT / "examples" / "client.py").read_text() in (
        ROOT / "docs" / "howto" / "serve.md"
    ).read_text()


def test_its_fields_are_those_of_the_schema() -> None:
    assert set(get_type_hints(client.Explained)) <= set(get_type_hints(ExplanationOut))


@pytest.mark.slow(reason="starts a server")
def test_a_server_answers(served: Served) -> None:
    texts = ["The rocket reached the moon.", "A goal, a puck, the moon!"]
    expected = ww.explain(ww.load_model(served.model), texts)
    for found, ours in zip(client.explain(served.address, texts), expected, strict=True):
        assert found["text"] == ours.text
        assert found["words"] == list(ours.words)
        assert found["spans"] == ours.spans.tolist()
        assert found["target"] == found["predicted"]
        np.testing.assert_allclose(found["relevance"], ours.relevance, rtol=1e-6)
        assert sum(found["probabilities"]) == pytest.approx(1)


@pytest.mark.slow(reason="starts a server")
def test_a_refusal_is_one_line(served: Served) -> None:
    with pytest.raises(ValueError, match="no class 'nowhere'") as refused:
        client.explain(served.address, ["The moon."], target="nowhere")
    assert "\n" not in str(refused.value)


def test_a_token_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[str | None]()

    def note(request: urllib.request.Request) -> None:
        seen.append(request.get_header("Authorization"))
        raise ConnectionError

    monkeypatch.setattr(client, "urlopen", note)
    for token in ("secret", ""):
        with pytest.raises(ConnectionError):
            client.ask("http://127.0.0.1:9", "/api/predict", {}, token)
    assert seen == ["Bearer secret", None]
