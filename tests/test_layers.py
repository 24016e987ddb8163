"""A module imports only from what stands before it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import whyword

FLOW = """
errors checks printable storage heatmap picture export types alignment
characters compiled scan text
download posts tables newsgroups source split corpus overview
vocabulary vectorfile vectorstore pretrained cbow_kernels cbow induction vectors
kernels models.store models.estimator models.rowmemory models.wordmemory
models.inputs models.network models.forms models.lexicon models.training models.progress models.cnn
models.features models.placement models.pipeline models.svm models.loading
predictions
relevance_kernels methods.blocks methods.relevance methods.lrp methods.sensitivity
methods.gradient_input methods.occlusion methods.chance methods.registry
targets inquiry explaining formats passages summary_kernels summary classwords wordpage
search mappage documentmap senses
batch.chunks batch.word_kernels batch.columns batch.folder batch.tasks batch.local batch.onray
batch.corpora batch.corpuswords
evaluation.deletion_kernels evaluation.erasure evaluation.ranking evaluation.deletion
evaluation.neighbour_kernels evaluation.neighbours evaluation.power evaluation.significance
evaluation.quality evaluation.sanity evaluation.charts evaluation.findings
evaluation.layout evaluation.page evaluation.report
report.paper report.machine report.beside report.stages report.study report.claims
report.reproduction report.figures report.parts report.sheet report.files report.tour
progress views
web.limits web.gate web.guard web.engine web.library web.schema web.assets web.docspage web.app
web.processes web.serving
cli
""".split()

INITS = (
    "models.__init__",
    "methods.__init__",
    "evaluation.__init__",
    "report.__init__",
    "web.__init__",
    "batch.__init__",
)
PACKAGE = Path(whyword.__file__).parent


def imported(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = (PACKAGE.parent / node.module.replace(".", "/")).is_dir()
            names = [f"{node.module}.{alias.name}" for alias in node.names] if inside else []
            names = names if inside and node.module != "whyword" else [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        modules |= {name.removeprefix("whyword.") for name in names if name.startswith("whyword.")}
    return modules


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def test_every_module_has_its_place() -> None:
    names = {name_of(path) for path in PACKAGE.rglob("*.py")}
    assert names == {*FLOW, "__init__", "__main__", *INITS}


@pytest.mark.parametrize("module", FLOW)
def test_no_step_back(module: str) -> None:
    allowed = set(FLOW[: FLOW.index(module)])
    assert imported(PACKAGE / f"{module.replace('.', '/')}.py") <= allowed


def test_every_module_has_a_test_file() -> None:
    tested = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    without = {
        "errors",
        "scan",
        "types",
        "models.progress",
        "methods.relevance",
        "views",
    }  # tested by what is built on them
    assert {name.rpartition(".")[2] for name in set(FLOW) - without} <= tested


def test_optional_packages_are_not_imported() -> None:
    """The base install must do: whyword and its command line import none of the extras."""
    code = (
        "import sys, whyword, whyword.cli\n"
        "extras = 'torch sklearn gensim nltk pandas ray fastapi pyarrow matplotlib shap'.split()\n"
        "print([name for name in extras if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
