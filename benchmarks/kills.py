"""Runs over a corpus that are killed at random moments and resumed, beside one that is not.

`whyword explain MODEL SOURCE --out FOLDER` with CNN2 over resampled posts of 20 Newsgroups is
killed with SIGKILL after a random share of the time that it takes undisturbed, resumed with
--resume, and each file compared, byte by byte, with those of the undisturbed run. Most runs
are killed twice.

    python benchmarks/kills.py [--kills 20] [--documents 30000] [--model FOLDER] [--seed 0]
"""

import argparse
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from resampled import write_resampled
from trained import trained

from whyword import load_corpus
from whyword.batch.folder import MANIFEST


def run(command: list[str], seconds: float | None = None) -> float:
    """Run, killed after so many seconds; return how long it took."""
    start = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    if seconds is None and process.returncode:
        raise SystemExit(f"a run ended with {process.returncode}")
    return time.perf_counter() - start


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        model = arguments.model
        if model is None:
            model = scratch / "cnn2"
            trained("cnn2", load_corpus("20newsgroups")).save(model)
        source, out = scratch / "posts.parquet", scratch / "why"
        write_resampled(source, arguments.documents, arguments.seed)
        command = [sys.executable, "-m", "whyword", "explain", str(model), str(source), "--out"]
        seconds = run([*command, str(scratch / "whole")])
        whole = contents(scratch / "whole")
        print(f"{arguments.documents:,} documents, {len(whole) - 1} parts, {seconds:.1f} s whole")
        different = kills = 0
        while kills < arguments.kills:
            rmtree(out, ignore_errors=True)
            times = 1 + kills % 2
            done = []
            for _ in range(times):
                again = ["--resume"] if (out / MANIFEST).exists() else []
                run([*command, str(out), *again], chance.uniform(0, seconds))
                done.append(len(list(out.glob("part-*"))))
            kills += times
            run([*command, str(out), *(["--resume"] if (out / MANIFEST).exists() else [])])
            same = contents(out) == whole
            different += not same
            parts = " and ".join(map(str, done))
            print(f"killed with {parts} parts: {'the same' if same else 'DIFFERENT'}", flush=True)
    print(f"{kills} kills, {different} results differ (must be 0)")
    if different:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
