"""The notebooks run from top to bottom, and show heatmaps."""

import os
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

NOTEBOOKS = Path(__file__).parent.parent / "examples" / "notebooks"
QUICKEST = "your_own_pipeline"
REAL = {  # posts of 20 Newsgroups, or MiniLM, which are downloaded before
    "first_explanation",
    "which_explainer_is_better",
    "your_own_transformer",
}


def marks(name: str) -> list[pytest.MarkDecorator]:
    nightly = pytest.mark.nightly(reason="one notebook runs every time")
    return [nightly] * (name != QUICKEST) + [pytest.mark.real] * (name in REAL)


@pytest.mark.slow(reason="starts a kernel and trains models")
@pytest.mark.parametrize(
    "name",
    [pytest.param(path.stem, marks=marks(path.stem)) for path in sorted(NOTEBOOKS.glob("*.ipynb"))],
)
def test_it_runs(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute(env=os.environ | {"PYTHONWARNINGS": "error", "PIP_NO_INDEX": "1"})
    cells = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cells[1:])  # each shows something
    shown: list[dict[str, Any]] = [one.get("data", {}) for outputs in cells for one in outputs]
    heatmaps = [data for data in shown if "ww" in data.get("text/html", "")]
    assert heatmaps or name == "which_explainer_is_better"
