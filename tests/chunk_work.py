"""Work on chunks for worker processes: they import this module, so it imports little."""

import os
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

from whyword.base.threads import in_threads
from whyword.batch.chunks import Chunk


def threads() -> int:
    """Return how many threads a computation takes in this process."""
    parts: list[int] = []
    in_threads(lambda first, _: parts.append(first), 10)
    return len(parts)


def describe(chunk: Chunk) -> tuple[int, int, int]:
    """Return the chunk's number, this process, and how many threads a computation takes."""
    return chunk.place.number, os.getpid(), threads()


class Holding:
    """Work that holds an array."""

    def __init__(self, array: Any) -> None:  # noqa: ANN401 - any array
        self.array = array

    def __call__(self, chunk: Chunk) -> tuple[int, float, dict[str, object]]:
        """Print; return the chunk's number, the array's sum, and the state of this process."""
        print("printed by the model")
        os.write(1, b"written by the model\n")
        state = {"pid": os.getpid(), "threads": threads(), "stdin": sys.stdin.read()}
        state |= {"OMP_NUM_THREADS": os.environ["OMP_NUM_THREADS"], "memory": _own_memory()}
        return chunk.place.number, float(self.array.sum()), state


def _own_memory() -> int:
    """Return how many bytes of this process's memory belong to no file."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    (own,) = (line.split()[1] for line in lines if line.startswith("Anonymous"))
    return 1024 * int(own)


def fail(chunk: Chunk) -> float:
    """Divide by zero."""
    return 1 / chunk.place.number


def hang(chunk: Chunk) -> None:
    """Leave a file that shows that work has begun, then do nothing for minutes."""
    Path(f"{chunk.place.number}.begun").touch()
    time.sleep(600)


def never_end(chunk: Chunk) -> int:
    """Begin a thread that keeps the process from ending."""
    Thread(target=time.sleep, args=(600,)).start()
    return chunk.place.number
