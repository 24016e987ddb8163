"""The notebooks run from top to bottom, and show what they speak of."""

import os
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

NOTEBOOKS = Path(__file__).parent.parent / "examples" / "notebooks"
REAL = {  # posts of 20 Newsgroups, or MiniLM: downloaded once
    "first_explanation",
    "which_explainer_is_better",
    "your_own_transformer",
}


def executed(name: str, folder: Path) -> list[list[Any]]:
    """Return the outputs of each code cell of a notebook, executed in a folder."""
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=os.environ | {"PYTHONWARNINGS": "error"})
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def shown(outputs: list[Any], kind: str) -> list[str]:
    """Return what cells show of one kind: "text/html", say."""
    return [output.data[kind] for output in outputs if kind in output.get("data", {})]


@pytest.mark.slow(reason="starts kernels and trains models")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.stem, marks=[pytest.mark.real] if path.stem in REAL else [])
        for path in sorted(NOTEBOOKS.glob("*.ipynb"))
    ],
)
def test_it_runs(name: str, tmp_path: Path) -> None:
    cells = executed(name, tmp_path)
    heatmaps = [one for outputs in cells for one in shown(outputs, "text/html") if "ww" in one]
    assert heatmaps or name == "which_explainer_is_better"
    assert all(outputs for outputs in cells[1:])  # a cell that shows nothing is none to read


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_it_is_small_enough_to_read(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[0].source.startswith("# ")
    assert len(notebook.cells) <= 20
    lines = [len(cell.source.splitlines()) for cell in notebook.cells if cell.cell_type == "code"]
    assert sum(lines) <= 80
    assert path.stat().st_size < 1_000_000
