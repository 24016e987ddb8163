"""The examples run, and say what they promise."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from whyword import CNNClassifier

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.real
@pytest.mark.nightly(reason="asks LIME and SHAP")
def test_compare_explainers(real_cnn: Callable[[int], CNNClassifier], tmp_path: Path) -> None:
    real_cnn(1).save(tmp_path / "model")
    script = str(EXAMPLES / "compare_explainers.py")
    command = [sys.executable, script, "--documents", "8", "--model", str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "8 documents, 50 words deleted" in done.stdout
    for name in ("LRP", "SA", "LIME", "SHAP", "random"):
        assert f"\n {name} " in done.stdout
    assert done.stdout.count("after Holm's correction for 6 comparisons") == 12
