"""Make the tutorials' pictures: run the examples of each page, and draw what they call ``e``."""

import doctest
from pathlib import Path

DOCS = Path(__file__).parent


def run_examples(page: Path) -> dict[str, object]:
    """Run the examples of a page, and return the names that they leave behind."""
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(page.read_text()):
        exec(compile(example.source, page.name, "exec"), names)  # noqa: S102 - our own pages
    return names


if __name__ == "__main__":
    for name in ("first", "artefact"):
        picture = DOCS / "pictures" / f"{name}.svg"
        run_examples(DOCS / "tutorials" / f"{name}.md")["e"].to_svg(picture)  # type: ignore[attr-defined]
        print(picture.relative_to(DOCS))
