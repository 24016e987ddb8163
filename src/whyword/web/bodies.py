"""How much the body of a request may hold, seen before it is parsed and before it is validated.

Pydantic reports everything that is wrong, a million times if a million items are, and does so on
the server's loop; no setting bounds that for the keys of an object. So a body is measured twice
before pydantic sees it: how many values it has while it is bytes, since a parser would make an
object of each; then, against the API's own OpenAPI schema, how many items its lists have, and how
many keys its objects. What is left to pydantic has a bounded number of things to complain about.

Starlette would parse UTF-16 and UTF-32, too, in which the bytes that are counted mean nothing, and
integers of any length that Python reads, in the square of their digits; so the parsing is our own.
"""

import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from whyword.base.errors import Argument, InputError


def count_values(body: bytes, enough: int) -> int:
    """Return how many values and keys there are in JSON, at most a few more than there are.

    Parameters
    ----------
    body : bytes
        What is no JSON has a count, too: that of its beginning, or more.
    enough : int
        Where there are more of them it may return any number above it.
    """
    if len(body) <= enough:
        return len(body)  # each takes a byte at least
    with_texts = _marks(body)
    if with_texts <= enough:
        return with_texts
    plain = body.replace(rb"\\", b"__").replace(rb"\"", b"__")  # as long: no bytes are moved
    quotes = plain.count(b'"')
    if quotes > 2 * enough:
        return (quotes + 1) // 2  # the last may be without its other
    outside = b"".join(plain.split(b'"')[::2])
    return _marks(outside)


def _marks(body: bytes) -> int:
    """Return how often a value or a key can begin."""
    return 1 + sum(map(body.count, (b",", b":", b"[", b"{")))


@dataclass(frozen=True)
class Sizes:
    """How many items and keys a part of a body may have.

    Attributes
    ----------
    least, most : int
        Items, if it is a list.
    items : Sizes or None
        Of each, if that may be a list or an object itself.
    keys : dict from str to Sizes or None
        Of an object.
    """

    least: int = 0
    most: int | None = None
    items: "Sizes | None" = None
    keys: Mapping[str, "Sizes | None"] = field(default_factory=dict)

    def check(self, content: object, name: str = "") -> None:
        """Raise if there is more in it; it may still be of another kind than it should.

        Parameters
        ----------
        content : object
            Parsed JSON.
        name : str
            Of the field that it is in.
        """
        if isinstance(content, list) and self.most is not None:
            self._check_list(content, self.most, name)
        elif isinstance(content, dict) and self.keys:
            self._check_object(content)

    def _check_list(self, content: list[object], most: int, name: str) -> None:
        if not self.least <= len(content) <= most:
            asked = f"from {self.least} to" if self.least else "at most"
            raise InputError(
                Argument(name), f" must have {asked} {most:,} items, not {len(content):,}"
            )
        if self.items is not None:
            for one in content:
                self.items.check(one, name)

    def _check_object(self, content: dict[str, object]) -> None:
        if len(content) > len(self.keys):
            known = ", ".join(self.keys)
            raise InputError(f"there are {len(content):,} fields where there can be {known}")
        for name, sizes in self.keys.items():
            if sizes is not None and name in content:
                sizes.check(content[name], name)


def body_sizes(schema: Mapping[str, Any]) -> dict[str, Sizes]:
    """Return what the bodies of each path may have, from an OpenAPI schema.

    Raises KeyError if a list in them has no bound.
    """
    kinds = schema["components"]["schemas"]
    found = {}
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            sizes = content and _sizes(content["schema"], kinds)
            if sizes:
                found[path] = sizes
    return found


def _sizes(schema: Mapping[str, Any], kinds: Mapping[str, Any]) -> Sizes | None:
    """Return the bounds of a part of the schema; None if it is no list and no object."""
    least, most, items, keys = 0, None, None, {}
    for form in schema.get("anyOf", [schema]):
        meant = kinds[form["$ref"].rpartition("/")[2]] if "$ref" in form else form
        if meant.get("type") == "array":
            least, most = meant.get("minItems", 0), meant["maxItems"]
            items = _sizes(meant["items"], kinds)
        elif meant.get("type") == "object":
            keys = {name: _sizes(part, kinds) for name, part in meant["properties"].items()}
    return Sizes(least, most, items, keys) if keys or most is not None else None


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits")
    return int(digits)


_DIGITS = 100  # of an integer: none of the API has more than a few
_DECODER = json.JSONDecoder(parse_int=_integer)


class BoundedRequest(Request):
    """A request whose JSON is UTF-8, without byte order mark, and has no endless integers."""

    async def json(self) -> Any:  # noqa: ANN401 - whatever it says
        """Return what the body says, parsed once."""
        if not hasattr(self, "_content"):
            self._content = _DECODER.decode((await self.body()).decode("utf-8"))
        return self._content


class BoundedRoute(APIRoute):
    """A route that looks at the size of a body first; the application's state has the bounds."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        path = self.path

        async def measured(received: Request) -> Response:
            request = BoundedRequest(received.scope, received.receive)
            of = request.app.state.served
            most = of.engine.limits.values
            if count_values(await request.body(), most) > most:
                raise InputError(f"the body has more than {most:,} values; send less")
            try:
                content = await request.json()  # parsed once: the request keeps it
            except (ValueError, RecursionError):
                return await handle(request)  # where it is said what is wrong with it
            of.sizes[path].check(content)
            return await handle(request)

        return measured
