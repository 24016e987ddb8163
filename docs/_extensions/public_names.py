"""What docstrings name is linked to where it is documented: under its public name.

A docstring says ``whyword.explanation.explanation.Explanation``, or ``Explanation`` beside it; the
reference has ``whyword.Explanation``. What is not public stays unlinked; what is not there at all
is a warning, and so an error.
"""

import importlib
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

BESIDES = ("numpy", "torch", "re", "csv", "multiprocessing")  # other people's packages


@cache
def find(name: str) -> Any:  # noqa: ANN401 - anything that has a name
    """Return what is called so, or None."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            fields = getattr(found, "__dataclass_fields__", {})
            found = getattr(found, part, fields.get(part))
        return found
    return None


def own_modules(node: pending_xref) -> list[str]:
    """Return in which modules, and classes of them, a name without a module may be meant."""
    module, scope = node.get("py:module"), node.get("py:class")
    if not module:
        return []
    holder = find(f"{module}.{scope}") if scope else None
    defined = [kind.__module__ for kind in getattr(holder, "__mro__", ()) if kind is not object]
    inside = [f"{kind.__module__}.{kind.__qualname__}" for kind in getattr(holder, "__mro__", ())]
    return [*inside, *defined, module]


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.Node | None:
    """Return the link, the name without one, or None for what is not there."""
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"]
    if name.split(".")[0] in BESIDES:
        return content
    domain = env.get_domain("py")
    assert isinstance(domain, PythonDomain)  # noqa: S101 - what is called py is that
    source = node.source or ""  # "…/explain.py:docstring of whyword.methods.explain.explain"
    documented = source.rpartition("docstring of ")[2]
    around = [documented.rsplit(".", cut)[0] for cut in range(1, documented.count(".") + 1)]
    places = [name, *(f"{module}.{name}" for module in [*own_modules(node), *around])]
    meant = next((found for found in map(find, places) if found is not None), None)
    if meant is None:
        return None
    for public, entry in sorted(domain.objects.items(), key=lambda pair: len(pair[0])):
        if find(public) is meant and public.split(".")[-1] == name.split(".")[-1]:
            assert env.app.builder is not None  # noqa: S101
            return make_refnode(
                env.app.builder, node["refdoc"], entry.docname, entry.node_id, content, public
            )
    return content


def link_overview(app: Sphinx, document: nodes.document, page: str) -> None:
    """Make the names in the tables of the overview links to where they are documented."""
    if page != "reference":
        return
    domain = app.env.get_domain("py")
    assert isinstance(domain, PythonDomain)  # noqa: S101
    room = ""
    for node in list(document.findall(nodes.literal)):
        name = node.astext()
        if isinstance(node.parent, nodes.strong):  # a room begins
            room = f"{name}."
        for full in (f"whyword.{room}{name}", f"whyword.{name}"):
            if entry := domain.objects.get(full):
                content = node.deepcopy()
                link = make_refnode(app.builder, page, entry.docname, entry.node_id, content, full)
                node.replace_self(link)
                break


def setup(app: Sphinx) -> dict[str, bool]:
    """Ask here for what is not documented under the name that was used."""
    app.connect("missing-reference", resolve)
    app.connect("doctree-resolved", link_overview)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
