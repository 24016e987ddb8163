"""Runs over a corpus that are killed at random moments, damaged, resumed, beside one that is not.

`whyword explain MODEL SOURCE --out FOLDER` with CNN2 over resampled posts of 20 Newsgroups, on both
engines. The process is killed with SIGKILL at a random moment, mostly after it has written some
more parts; after half of the kills a part is damaged (bytes flipped, cut off, overwritten by
another part); then it is resumed with --resume at once, while what it left behind may still be at
work, and killed again. In the end each file is compared, byte by byte, with those of an
undisturbed run of the local engine, and no process may be left.

    python benchmarks/kills.py [--kills 40] [--documents 30000] [--model FOLDER] [--seed 0]
"""

import argparse
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from resampled import write_resampled
from trained import trained

from whyword import load_corpus
from whyword.batch.folder import MANIFEST

ENGINES = ("local", "ray")
KILLS_OF_A_RUN = 4
ANYWHERE = 0.2  # of the kills; the others come after some more parts
MORE_PARTS, MORE_SECONDS = 3, 0.4  # at most
ENDING = 60.0  # seconds for what a killed run left to end


def parts_of(folder: Path) -> list[Path]:
    """Return the parts there are."""
    return sorted(folder.glob("part-*"))


def new_parts(folder: Path, since: int) -> int:
    """Return how many parts were written since then."""
    return sum(part.stat().st_mtime_ns >= since for part in parts_of(folder))


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def damage(folder: Path, chance: random.Random) -> str | None:
    """Damage a part; return how, None if there is none."""
    parts = parts_of(folder)
    if not parts:
        return None
    part = chance.choice(parts)
    data = bytearray(part.read_bytes())
    others = [other for other in parts if other != part]
    kind = chance.choice(["flipped", "cut off", *(["overwritten"] if others else [])])
    if kind == "flipped":
        start = chance.randrange(len(data))
        for at in range(start, min(start + 2_000, len(data))):
            data[at] ^= 0x55
    elif kind == "cut off":
        del data[chance.randrange(len(data)) :]
    else:
        data = bytearray(chance.choice(others).read_bytes())
    part.write_bytes(data)
    return kind


@dataclass
class Runs:
    """Runs of one engine into one folder."""

    command: list[str]
    out: Path
    left: list[psutil.Process] = field(default_factory=list)

    def start(self) -> subprocess.Popen[bytes]:
        """Begin, or go on with what there is."""
        again = ["--resume"] if (self.out / MANIFEST).exists() else []
        return subprocess.Popen(
            [*self.command, "--out", str(self.out), *again], stderr=subprocess.PIPE
        )

    def finish(self) -> float:
        """Run to the end; return how long it took."""
        start = time.perf_counter()
        with self.start() as process:
            _, said = process.communicate()
        if process.returncode:
            raise SystemExit(f"a run ended with {process.returncode}: {said.decode()}")
        return time.perf_counter() - start

    def kill(self, seconds: float, more_parts: int) -> bool:
        """Run, and kill it so long after so many new parts; return whether it was still there."""
        start = time.time_ns()
        with self.start() as process:
            while process.poll() is None and more_parts > new_parts(self.out, start):
                time.sleep(0.005)
            try:
                process.wait(seconds)
                return False
            except subprocess.TimeoutExpired:
                self.left += psutil.Process(process.pid).children(recursive=True)
                process.send_signal(signal.SIGKILL)
            assert process.stderr is not None
            process.stderr.close()  # which what is left may still have
        return True


@dataclass
class Tally:
    """What happened to the runs of an engine."""

    kills: int = 0
    damaged: int = 0
    different: int = 0


def disturb(
    runs: Runs,
    count: int,
    seconds: float,
    whole: dict[str, bytes],
    chance: random.Random,
) -> Tally:
    """Kill so many runs, damage what half of them left, and compare what comes of them."""
    tally = Tally()
    while tally.kills < count:
        shutil.rmtree(runs.out, ignore_errors=True)
        done = []
        for _ in range(min(KILLS_OF_A_RUN, count - tally.kills)):
            moment = chance.uniform(0, MORE_SECONDS), chance.randint(1, MORE_PARTS)
            if chance.random() < ANYWHERE:
                moment = chance.uniform(0, seconds), 0
            if not runs.kill(*moment):
                break  # it had ended
            tally.kills += 1
            done.append(f"{len(parts_of(runs.out))} parts")
            if tally.damaged < tally.kills / 2 and (how := damage(runs.out, chance)):
                tally.damaged += 1
                done[-1] += f", one {how}"
        runs.finish()
        same = contents(runs.out) == whole
        tally.different += not same
        said = "; ".join(done) or "nothing"
        print(f"  killed with {said}: {'the same' if same else 'DIFFERENT'}", flush=True)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=40, help="half of them on each engine")
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--model", type=Path, help="a saved CNN2")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance, failed = random.Random(arguments.seed), False
    with TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        model = arguments.model
        if model is None:
            model = scratch / "cnn2"
            trained("cnn2", load_corpus("20newsgroups")).save(model)
        source = scratch / "posts.parquet"
        whole: dict[str, bytes] = {}
        write_resampled(source, arguments.documents, arguments.seed)
        for engine in ENGINES:
            start = time.perf_counter()
            command = [sys.executable, "-m", "whyword", "explain", str(model), str(source)]
            runs = Runs([*command, "--engine", engine], scratch / engine)
            seconds = runs.finish()
            whole = whole or contents(runs.out)
            same = contents(runs.out) == whole
            print(
                f"{engine}: {arguments.documents:,} documents, {len(parts_of(runs.out))} parts, "
                f"{seconds:.1f} s undisturbed",
                flush=True,
            )
            tally = disturb(runs, arguments.kills // len(ENGINES), seconds, whole, chance)
            _, alive = psutil.wait_procs(runs.left, ENDING)
            print(
                f"{engine}: {tally.kills} kills, {tally.damaged} parts damaged, "
                f"{tally.different} results differ (must be 0), {len(alive)} processes are left "
                f"(must be 0), {time.perf_counter() - start:.0f} s",
                flush=True,
            )
            failed = failed or not same or tally.different > 0 or bool(alive)
    if failed:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
