r"""Formulas as MathML, which browsers draw by themselves: LaTeX is converted when a page is built.

docutils has the converter; what it does not know is an error. ``\tag{6}`` is the equation's number,
at the margin, with the anchor ``#equation-6``.
"""

import html
import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
TAG = re.compile(r"\\tag\{(\d+)\}")
BAR = re.compile(r"<mo[^>]*>\|</mo>")  # of |x|, around which browsers leave room


def to_mathml(node: nodes.Node, latex: str, *, block: bool) -> str:
    """Return a formula as MathML, with its LaTeX for those who hear pages."""
    try:
        made = str(tex2mathml(latex, as_block=block))
    except MathError as error:
        LOGGER.warning("%s: %s", error, latex, location=node)
        return html.escape(latex)
    made = made.replace("&ApplyFunction;", "&#x2061;")  # HTML knows the name, XML does not
    made = BAR.sub('<mo lspace="0" rspace="0">|</mo>', made)
    return made.replace("<math ", f'<math alttext="{html.escape(latex.strip())}" ', 1)


def inline(page: Any, node: nodes.math) -> None:  # noqa: ANN401 - the translator of any builder
    """Write a formula in a line of text."""
    page.body.append(to_mathml(node, node.astext(), block=False))
    raise nodes.SkipNode


def block(page: Any, node: nodes.math_block) -> None:  # noqa: ANN401
    """Write a formula on lines of its own, its number at the margin; wide ones are scrolled."""
    latex = node.astext()
    found = TAG.search(latex)
    made = to_mathml(node, TAG.sub("", latex), block=True)
    name = f' id="equation-{found[1]}"' if found else ""
    number = f'<a href="#equation-{found[1]}">({found[1]})</a>' if found else ""
    page.body.append(f'<div class="equation"{name}><div tabindex="0">{made}</div>{number}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register it as the renderer of formulas."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("config-inited", lambda _, config: setattr(config, "html_math_renderer", "mathml"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
