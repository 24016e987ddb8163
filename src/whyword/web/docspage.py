"""The API on one page, made from its OpenAPI schema; nothing in it comes from elsewhere."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any


def docs_page(schema: Mapping[str, Any]) -> str:
    """Return the page."""
    return "".join(_parts(schema))


def _parts(schema: Mapping[str, Any]) -> Iterator[str]:
    info = schema["info"]
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(info['title'])}</title>"
        '<link rel="stylesheet" href="/static/style.css"></head><body class="docs"><main>'
        f'<p><a href="/">← the page</a></p><h1>{escape(info["title"])}</h1>'
        f"<p>{escape(info['description'])}</p>"
        '<p>The schema for programs: <a href="/api/openapi.json">/api/openapi.json</a></p>'
    )
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield from _operation(path, method.upper(), operation)
    yield "<h2>What is sent and what comes back</h2>"
    for name, part in sorted(schema["components"]["schemas"].items()):
        yield from _schema(name, part)
    yield "</main></body></html>\n"


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method} {escape(path)}</code></h2>"
    yield f"<p>{escape(operation.get('description', operation.get('summary', '')))}</p>"
    parameters = operation.get("parameters", ())
    if parameters:
        yield "<ul>"
        for one in parameters:
            kind = escape(_kind(one["schema"]))
            yield f"<li><code>{escape(one['name'])}</code> {kind}"
            yield " (needed)</li>" if one.get("required") else "</li>"
        yield "</ul>"
    body = operation.get("requestBody")
    if body:
        content = body["content"]["application/json"]
        yield f"<p>Takes {_link(content['schema'])}, for example</p><pre tabindex='0'>"
        example = next(iter(content.get("examples", {"": {"value": {}}}).values()))["value"]
        yield escape(
            f"curl -s localhost:PORT{path} -H 'content-type: application/json' \\\n"
            f"  -d '{json.dumps(example, ensure_ascii=False)}'"
        )
        yield "</pre>"
    answers = []
    for status, answer in operation["responses"].items():
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        answers.append(f"{status} {_link(schema)}".strip())
    yield f"<p>Answers {', '.join(answers)}.</p>"


def _schema(name: str, part: Mapping[str, Any]) -> Iterator[str]:
    yield f'<h3 id="{escape(name)}"><code>{escape(name)}</code></h3>'
    yield f"<p>{escape(part.get('description', ''))}</p><ul>"
    needed = part.get("required", ())
    for field, kind in part.get("properties", {}).items():
        rest = "" if field in needed else f", by default {json.dumps(kind.get('default'))}"
        yield f"<li><code>{escape(field)}</code> {escape(_kind(kind))}{escape(rest)}</li>"
    yield "</ul>"


def _link(schema: Mapping[str, Any]) -> str:
    name = schema.get("$ref", "").rpartition("/")[2]
    return f'<a href="#{escape(name)}">{escape(name)}</a>' if name else ""


def _kind(schema: Mapping[str, Any]) -> str:
    """Return a type in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
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
