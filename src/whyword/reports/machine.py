"""What a study runs on."""

import os
import platform
import sys
from contextlib import suppress
from pathlib import Path


def machine() -> str:
    """Return processor, cores and memory in words, as far as the system tells."""
    processor = platform.processor() or platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        processor = named[0] if named else processor
    description = f"{processor}, {os.cpu_count()} cores"
    if hasattr(os, "sysconf"):
        description += (
            f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"
        )
    return description


def peak_memory() -> int | None:
    """Return the most bytes this process has held so far, if the system tells."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
