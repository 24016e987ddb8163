"""The command ``whyword``, also as ``python -m whyword``: what is done before the long imports.

From here on Ctrl-C ends the command in one line, however far its imports are; what Python itself
does before it comes here is its own affair.
"""

import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not under nohup
        signal.signal(signal.SIGINT, leave)
    open_streams()
    let_threads_sleep()
    if sys.argv[1:] == ["--version"] and say_versions():
        return
    from whyword.cli.main import main as run

    run()


def say_versions() -> bool:
    """Print the versions, and return whether stdout took them; if not, the command says why."""
    from whyword.base.versions import version_lines

    said = "".join(f"{line}\n" for line in version_lines())
    try:
        print(said, end="", flush=True)  # in one go: who reads may want the first line only
    except OSError:
        return False
    return True


def open_streams() -> None:
    """Give what the caller has closed of stdin, stdout and stderr to the null device.

    A file that the command opens would have their number otherwise, and get what is meant for them.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # has the lowest number that is free
            os.set_inheritable(descriptor, True)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115 - to the end
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115 - to the end


def let_threads_sleep() -> None:
    """Let OpenMP's threads soon sleep while they wait for one another, unless the caller chose.

    As a rule they spin long, and where another program runs they take the core from those they
    wait for: training a transformer takes about twice as long (``benchmarks/busy_cores.py``). It
    is read when torch is loaded.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "10000")


def leave(_: int, __: FrameType | None) -> None:
    """End the process at once: an exception would run into whatever is being imported."""
    try:
        os.write(2, b"interrupted\n")
    except OSError:
        pass
    finally:
        os._exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
