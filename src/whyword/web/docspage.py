"""The API on one page, made from its OpenAPI schema; nothing in it comes from elsewhere.

What ``pages/templates/api.html`` shows. FastAPI's own pages of the API load scripts from a content
network, which this server's policy forbids.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from whyword.pages.render import render


class Field(NamedTuple):
    """A parameter of a request, or a field of what is sent."""

    name: str
    said: str


class Operation(NamedTuple):
    """A way to ask the server: what it takes and what it answers."""

    path: str
    method: str
    description: str
    parameters: list[Field]
    body: str
    example: str
    answers: list[tuple[str, str]]


class Kind(NamedTuple):
    """A kind of thing that is sent."""

    name: str
    description: str
    fields: list[Field]


def docs_page(schema: Mapping[str, Any]) -> str:
    """Return the page."""
    kinds = sorted(schema["components"]["schemas"].items())
    return "".join(
        render(
            "api.html",
            info=schema["info"],
            operations=list(_operations(schema["paths"])),
            kinds=[_described(name, part) for name, part in kinds],
        )
    )


def _operations(paths: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in paths.items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            yield Operation(
                path,
                method.upper(),
                operation.get("description", operation.get("summary", "")),
                [
                    Field(one["name"], _kind(one["schema"]) + _needed(one))
                    for one in operation.get("parameters", ())
                ],
                _name(content["schema"]) if content else "",
                _example(path, content) if content else "",
                [(status, _answer(answer)) for status, answer in operation["responses"].items()],
            )


def _needed(parameter: Mapping[str, Any]) -> str:
    return " (needed)" if parameter.get("required") else ""


def _example(path: str, content: Mapping[str, Any]) -> str:
    example = next(iter(content.get("examples", {"": {"value": {}}}).values()))["value"]
    return (
        f"curl -s localhost:PORT{path} -H 'content-type: application/json' \\\n"
        f"  -d '{json.dumps(example, ensure_ascii=False)}'"
    )


def _answer(answer: Mapping[str, Any]) -> str:
    return _name(answer.get("content", {}).get("application/json", {}).get("schema", {}))


def _described(name: str, part: Mapping[str, Any]) -> Kind:
    needed = part.get("required", ())
    fields = [
        Field(
            field,
            _kind(kind)
            + ("" if field in needed else f", by default {json.dumps(kind.get('default'))}"),
        )
        for field, kind in part.get("properties", {}).items()
    ]
    return Kind(name, part.get("description", ""), fields)


def _name(schema: Mapping[str, Any]) -> str:
    """Return the name of the kind that a schema refers to, if it does."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _kind(schema: Mapping[str, Any]) -> str:
    """Return a type in words."""
    if "$ref" in schema:
        return _name(schema)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if "enum" in schema:
        values = schema["enum"]
        shown = ", ".join(map(json.dumps, values[:12]))
        return f"one of {shown}" + (f", … ({len(values)} in all)" if len(values) > 12 else "")
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}" + _range(schema, "Items")
    return str(schema.get("type", "anything")) + _range(schema, "Length") + _range(schema, "imum")


def _range(schema: Mapping[str, Any], name: str) -> str:
    low, high = schema.get(f"min{name}"), schema.get(f"max{name}")
    if low is None and high is None:
        return ""
    if high is None:
        return f" (at least {low:,})"
    return f" ({low:,} to {high:,})" if low is not None else f" (at most {high:,})"
