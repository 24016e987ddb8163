"""The site: it is built strictly, has every name, and asks for nothing from elsewhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import whyword as ww

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build as `make docs` does."""
    (line,) = re.findall(r"-m sphinx (.*) docs site", (ROOT / "Makefile").read_text())
    command = [sys.executable, "-m", "sphinx", *line.split(), str(source), str(target)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.slow(reason="builds the site")
def test_the_site(tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = build(DOCS, site)
    assert (done.returncode, done.stderr) == (0, "")
    pages = [page for page in DOCS.rglob("*") if page.suffix in {".md", ".rst"}]
    html = {page.relative_to(site): page.read_text() for page in site.rglob("*.html")}
    made = {page.with_suffix("") for page in html}
    assert {page.relative_to(DOCS).with_suffix("") for page in pages} <= made
    assert (site / "searchindex.js").exists()
    check_names("".join(text for page, text in html.items() if page.parts[0] == "reference"))
    loads = re.compile(r'<(?:script|img|iframe)[^>]* src="(?:https?:)?//|<link[^>]* href="https?:')
    assert [page for page, text in html.items() if loads.search(text)] == []
    method = html[Path("method.html")]
    count = (DOCS / "method.md").read_text().count("\\tag{")
    assert method.count('<div class="equation" id="equation-') == count
    assert not re.search(r"<script[^>]*(?:mathjax|katex)", method, re.IGNORECASE)


def check_names(reference: str) -> None:
    """Raise unless every public name is documented."""
    shown = set(re.findall(r'id="(whyword\.[\w.]+)"', reference))
    rooms = [ww.words, ww.corpora, ww.explanation, ww.analysis, ww.evaluation, ww.audit, ww.batch]
    inside = {(room.__name__, name) for room in rooms for name in room.__all__}
    inside |= {("whyword.pytorch", name) for name in ww.pytorch.__all__}
    modules = {"pytorch", "models", "methods", *(room.__name__.split(".")[1] for room in rooms)}
    top = {f"whyword.{name}" for name in ww.__all__ if name not in modules}
    assert top <= shown
    # what is at the top, too, is documented there
    assert {f"{room}.{name}" for room, name in inside if f"whyword.{name}" not in top} <= shown


WRONG = {
    "[page](gone.md)": "gone.md",
    "[anchor](good.md#gone)": "gone",
    "![picture](gone.png)": "gone.png",
    r"$\unknowncommand$": "unknowncommand",
    ":::{toctree}\ngone\n:::": "nonexisting document",
}


@pytest.mark.nightly(reason="a second site")
def test_what_is_wrong_fails(tmp_path: Path) -> None:
    source = tmp_path / "docs"
    shutil.copytree(DOCS / "_extensions", source / "_extensions")
    shutil.copytree(DOCS / "_static", source / "_static")
    shutil.copy(DOCS / "conf.py", source)
    (source / "good.md").write_text("# Good\n")
    (source / "alone.md").write_text("# A page that nobody leads to\n")
    lines = "\n\n".join(WRONG)
    (source / "index.md").write_text(f"# Index\n\n{lines}\n\n:::{{toctree}}\ngood\n:::\n")
    done = build(source, tmp_path / "site")
    assert done.returncode != 0
    for said in (*WRONG.values(), "alone.md"):
        assert said in done.stderr
