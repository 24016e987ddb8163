"""What requests and answers look like, as the OpenAPI schema says it."""

from dataclasses import fields
from typing import Any

import pytest
from networks import made_cnn
from pydantic import TypeAdapter, ValidationError
from served import app, ask, model

from whyword import explain
from whyword.explanation.row import NAMES, PHRASES
from whyword.methods.registry import METHODS
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.limits import Limits
from whyword.web.schema import (
    MOST_HITS,
    QUERY_CHARACTERS,
    DocumentIn,
    ExplainRequest,
    ExplanationOut,
    PredictRequest,
    SearchRequest,
    TextIn,
)


def openapi_schema(limits: Limits | None = None, corpus: bool = True) -> Any:  # noqa: ANN401 - JSON
    """Return the schema of a small network's server."""
    if limits is None:
        return ask(app("cnn", corpus), "/api/openapi.json").json
    return ask(create_app(Engine(made_cnn(), limits)), "/api/openapi.json").json


def properties(schema: Any, name: str) -> Any:  # noqa: ANN401 - JSON
    return schema["components"]["schemas"][name]["properties"]


def test_the_schema_says_what_this_server_takes() -> None:
    schema = openapi_schema(Limits(documents=5, characters=99))
    for name in ("PredictRequest", "ExplainRequest"):
        documents = properties(schema, name)["documents"]
        assert (documents["minItems"], documents["maxItems"]) == (1, 5)
        lengths = [form.get("maxLength") for form in documents["items"]["anyOf"]]
        assert lengths == [None, 99]
    for name in ("TextIn", "DocumentIn"):
        assert properties(schema, name)["text"]["maxLength"] == 99
    deleted = properties(schema, "DocumentIn")["deleted"]
    assert (deleted["items"]["minimum"], deleted["default"]) == (0, [])
    asked = properties(schema, "ExplainRequest")
    one, several = asked["target"]["anyOf"]
    classes = ["class 0", "class 1", "class 2"]
    assert one["enum"] == ["predicted", "all", *classes]
    assert several["items"]["enum"] == classes
    assert asked["against"]["anyOf"][0]["enum"] == classes
    assert asked["top_classes"]["anyOf"][0] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 2**31 - 1,
    }
    assert (asked["method"]["enum"], asked["method"]["default"]) == (list(METHODS), "lrp")
    for path in ("/api/words", "/api/words/documents"):
        target = schema["paths"][path]["get"]["parameters"][0]
        assert (target["name"], str(classes) in str(target["schema"])) == ("target", True)
    search = properties(schema, "SearchRequest")
    assert search["query"]["maxLength"] == QUERY_CHARACTERS
    assert (search["top"]["minimum"], search["top"]["maximum"]) == (1, MOST_HITS)


def test_numbers_as_classes_are_asked_for_as_text() -> None:
    schema = ask(app("numbers"), "/api/openapi.json").json
    assert properties(schema, "ExplainRequest")["against"]["anyOf"][0]["enum"] == ["105", "106"]
    for name in ("105", ["106", "105"]):
        assert ask(app("numbers"), "/api/explain", {"documents": ["moon"], "target": name}).json
    answer = ask(app("numbers"), "/api/explain", {"documents": ["moon"], "target": "105"})
    assert answer.json["explanations"][0]["target"] == 105


def test_every_way_and_every_error_is_described() -> None:
    schema = openapi_schema()
    assert set(schema["paths"]) == {
        *("/healthz", "/api/about", "/api/predict", "/api/explain", "/api/words"),
        *("/api/words/documents", "/api/search", "/api/map", "/api/confusion", "/api/what-if"),
        *("/api/suspects", "/api/suspects/table"),
        *("/api/documents", "/api/documents/{number}"),
    }
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            assert operation["description"].endswith(".")
            assert {"200", "503"} <= set(operation["responses"])
            if path.startswith("/api/"):
                assert {"401", "403", "408", "413", "422", "504"} <= set(operation["responses"])
            for status, answer in operation["responses"].items():
                if status != "200":
                    content = answer["content"]["application/json"]["schema"]
                    assert content == {"$ref": "#/components/schemas/Problem"}
    for name in ("TextIn", "DocumentIn", "PredictRequest", "ExplainRequest", "SearchRequest"):
        assert schema["components"]["schemas"][name]["additionalProperties"] is False


def test_the_schema_is_the_same_without_a_corpus() -> None:
    assert openapi_schema(corpus=False) == openapi_schema()


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (DocumentIn, {"text": "a", "txt": "b"}),
        (DocumentIn, {"id": "a"}),
        (DocumentIn, {"text": None}),
        (DocumentIn, {"text": 5}),
        (DocumentIn, {"text": ["a"]}),
        (DocumentIn, {"text": "a", "deleted": None}),
        (DocumentIn, {"text": "a", "deleted": [0.5]}),
        (DocumentIn, {"text": "a", "id": 5}),
        (TextIn, {"text": "a", "deleted": []}),
        (PredictRequest, {"documents": "a"}),
        (PredictRequest, {"documents": [["a"]]}),
        (PredictRequest, {"documents": [None]}),
        (PredictRequest, {"documents": ["a"], "target": "all"}),
        (ExplainRequest, {"documents": ["a"], "target": None}),
        (ExplainRequest, {"documents": ["a"], "target": [["space"]]}),
        (ExplainRequest, {"documents": ["a"], "method": None}),
        (ExplainRequest, {"documents": ["a"], "epsilon": 0.1}),
        (SearchRequest, {"query": "a", "top": 1.5}),
        (SearchRequest, {"query": "a", "top": None}),
        (SearchRequest, {"top": 5}),
    ],
)
def test_what_does_not_fit_is_refused(kind: Any, wrong: dict[str, Any]) -> None:  # noqa: ANN401
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(wrong)


def test_plain_texts_and_documents_may_be_mixed() -> None:
    given = {"documents": ["a", {"text": "b", "id": "x", "deleted": [0]}, {"text": "c"}]}
    request = TypeAdapter(ExplainRequest).validate_python(given)
    assert request.documents == ["a", DocumentIn("b", "x", [0]), DocumentIn("c")]
    assert (request.target, request.against, request.method) == ("predicted", None, "")


def test_answers_have_an_explanations_own_fields() -> None:
    own = set(explain(model("cnn"), "moon").fields())
    described = [field.name for field in fields(ExplanationOut)]
    phrases = [field.name for field in PHRASES]
    assert described == [*NAMES, *phrases, "predicted", "probabilities", "conserved"]
    assert own == set(NAMES)
    assert set(explain(model("cnn"), "moon", level="phrase").fields()) == {*NAMES, *phrases}
    published_types = properties(openapi_schema(), "ExplanationOut")
    assert list(published_types) == described
    assert published_types["conserves"]["type"] == "boolean"
    assert published_types["constant"]["anyOf"] == published_types["padding"]["anyOf"]


def test_whether_phrases_are_wanted_is_true_or_false() -> None:
    read = TypeAdapter(ExplainRequest).validate_json
    assert read('{"documents": ["a"], "phrases": true}').phrases
    for wrong in ("0", "1", '"true"', "null"):
        with pytest.raises(ValidationError, match="valid boolean"):
            read(f'{{"documents": ["a"], "phrases": {wrong}}}')
