"""Templates filled in: every value is text in them, whatever it contains.

jinja2 is imported when the first page is made. What a value prints is escaped (autoescape) and
stands on one line with nothing in it that hides or steers (`finalize`), but for the few places
that show several lines (the filter `lines`). Style and scripts are part of a page, and its policy
allows those and nothing else.
"""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from whyword.base.printable import one_line, visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render(template: str, **values: object) -> Iterator[str]:
    """Yield the parts of a page or picture, as its template comes to them.

    Parameters
    ----------
    template : str
        A file of ``pages/templates``.
    **values
        What it shows. Iterators are read as the page grows, so that a long page needs little
        memory.
    """
    return environment().get_template(template).generate(values)


@cache
def environment() -> "Environment":
    """Return what all templates are read by."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    static = PrefixLoader({"static": PackageLoader("whyword.pages", "static")})
    made = Environment(
        loader=ChoiceLoader([PackageLoader("whyword.pages"), static]),
        autoescape=True,
        undefined=StrictUndefined,  # a name that is not there is a mistake, not nothing
        finalize=_on_one_line,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,  # or the digests below were of other texts
        auto_reload=False,
    )
    made.filters |= {
        "lines": _on_its_lines,
        "ascii_json": _ascii_json,
        "count": count,
        "fixed": fixed,
        "percent": percent,
        "significant": significant,
        "place": place,
    }
    made.globals["digest"] = digest
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return made


def static_file(name: str) -> bytes:
    """Return a style or script that pages share."""
    return files("whyword.pages").joinpath("static", name).read_bytes()


@cache
def digest(*names: str) -> str:
    """Return by what a page's policy knows these files, one behind the other."""
    content = b"".join(map(static_file, names))
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


def _on_one_line(value: object) -> object:
    """Return what is printed of a value; what a template made is left as it is."""
    return value if hasattr(value, "__html__") else one_line(str(value))


def _on_its_lines(value: object) -> "Markup":
    """Return a text that keeps its lines, tabs and joiners."""
    from markupsafe import escape

    return escape(visible(str(value)))


def _ascii_json(value: object) -> "Markup":
    """Return data for a script in which every character of a text is kept, all written in ASCII."""
    from jinja2.utils import htmlsafe_json_dumps

    return htmlsafe_json_dumps(value, separators=(",", ":"))


# ---- numbers ----------------------------------------------------------------------------------


def count(number: int) -> str:
    """Return a number with its thousands apart."""
    return f"{number:,}"


def fixed(number: float | None, digits: int, sign: str = "") -> str:
    """Return a number with so many digits behind the point; a dash for none."""
    return "–" if number is None else f"{number:{sign},.{digits}f}".replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """Return a share of one."""
    return f"{share:.{digits}%}"


def significant(number: float, digits: int = 3) -> str:
    """Return a number with so many digits that count."""
    return f"{number:.{digits}g}"


def place(pixels: float, digits: int = 1) -> str:
    """Return a coordinate of a picture."""
    return f"{pixels:.{digits}f}"
