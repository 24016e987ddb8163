"""The site: it is built strictly, has every name, and asks for nothing from elsewhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import whyword as ww

pytest.importorskip("sphinx")

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

pytestmark = pytest.mark.slow(reason="builds the site")


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build as `make docs` does."""
    (line,) = re.findall(r"-m sphinx (.*) docs site", (ROOT / "Makefile").read_text())
    command = [sys.executable, "-m", "sphinx", *line.split(), str(source), str(target)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    done = build(DOCS, target)
    assert (done.returncode, done.stderr) == (0, "")
    return target


def test_every_page_is_there(site: Path) -> None:
    pages = [page for page in DOCS.rglob("*") if page.suffix in {".md", ".rst"}]
    assert len(pages) > 40
    made = {page.relative_to(site).with_suffix("") for page in site.rglob("*.html")}
    assert {page.relative_to(DOCS).with_suffix("") for page in pages} <= made
    assert (site / "searchindex.js").exists()


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    text = "".join(page.read_text() for page in (site / "reference").glob("*.html"))
    shown = set(re.findall(r'id="(whyword\.[\w.]+)"', text))
    rooms = [ww.words, ww.corpora, ww.explanation, ww.analysis, ww.evaluation, ww.audit, ww.batch]
    inside = {(room.__name__, name) for room in rooms for name in room.__all__}
    inside |= {("whyword.pytorch", name) for name in ww.pytorch.__all__}
    modules = {"pytorch", "models", "methods", *(room.__name__.split(".")[1] for room in rooms)}
    top = {f"whyword.{name}" for name in ww.__all__ if name not in modules}
    assert top <= shown
    # what is at the top, too, is documented there
    assert {f"{room}.{name}" for room, name in inside if f"whyword.{name}" not in top} <= shown


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    loads = re.compile(r'<(?:script|img|iframe)[^>]* src="(?:https?:)?//|<link[^>]* href="https?:')
    assert [page.name for page in site.rglob("*.html") if loads.search(page.read_text())] == []


def test_equations_are_mathml_with_their_numbers(site: Path) -> None:
    page = (site / "method.html").read_text()
    assert page.count('<div class="equation" id="equation-') == 46
    assert page.count("<math ") > 200
    assert not re.search(r"<script[^>]*(?:mathjax|katex)", page, re.IGNORECASE)
    assert re.search(r'id="equation-46">.*?<math .*?href="#equation-46">\(46\)', page, re.DOTALL)


WRONG = {
    "[page](gone.md)": "gone.md",
    "[anchor](good.md#gone)": "gone",
    "![picture](gone.png)": "gone.png",
    r"$\unknowncommand$": "unknowncommand",
    ":::{toctree}\ngone\n:::": "nonexisting document",
}


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
    for said in WRONG.values():
        assert said in done.stderr
    assert "alone.md" in done.stderr
