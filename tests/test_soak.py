"""The benchmark that runs the fuzzers for longer finds them, runs them, and sees what fails."""

from pathlib import Path

import pytest
import soak

ROOT = Path(__file__).parent.parent
TOY = """
import os
from fuzzing import Fuzzer
from hypothesis import strategies as st
from whyword import InputError

def refuse(number):
    if number % 2:
        raise InputError("an odd number")

def fuzzer_of_numbers():
    return Fuzzer("numbers", st.integers(), refuse)

def fuzzer_of_crashes(folder):
    assert folder.is_dir()
    return Fuzzer("crashes", st.just(7), lambda _: os.abort())
"""


@pytest.mark.slow(reason="half a second and more")
def test_every_fuzzer_is_found() -> None:
    found = set(map(str, soak.find_fuzzers()))
    assert {"web/test_body_fuzz.py::fuzzer", "web/test_http_fuzz.py::fuzzer"} <= found
    contents = {path: path.read_text() for path in (ROOT / "tests").glob("*/**/test_*.py")}
    users = {
        path.relative_to(ROOT / "tests").as_posix()
        for path, content in contents.items()
        if "import Fuzzer" in content and ".check(" in content
    }
    assert users == {place.partition("::")[0] for place in found}


@pytest.mark.slow(reason="starts processes")
def test_a_turn_counts_and_a_crash_is_seen(tmp_path: Path) -> None:
    (tmp_path / "test_toy.py").write_text(TOY)
    file = tmp_path / "test_toy.py"  # a whole path stays what it is
    numbers = soak.run_turn(soak.Place(str(file), "fuzzer_of_numbers"), 1, 0, 60, tmp_path)
    assert not numbers.failure
    assert numbers.figures["accepted"] + numbers.figures["refused"] >= 50
    crash = soak.run_turn(soak.Place(str(file), "fuzzer_of_crashes"), 1, 0, 60, tmp_path)
    assert "ended with -6" in crash.failure
    assert crash.failure.endswith("7")
    assert crash.seed == 1
