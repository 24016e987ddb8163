"""Counts how often files are opened."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet


def count_opens(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how often each file is opened from now on, by its name; tables only."""
    opens: Counter[str] = Counter()
    open_path, open_parquet = Path.open, parquet.ParquetFile

    def counted_path(path: Path, *how: Any, **more: Any) -> Any:  # noqa: ANN401
        opens[path.name] += 1
        return open_path(path, *how, **more)

    def counted_parquet(path: Any, **how: Any) -> Any:  # noqa: ANN401
        opens[Path(path).name] += 1
        return open_parquet(path, **how)

    monkeypatch.setattr(Path, "open", counted_path)
    monkeypatch.setattr(parquet, "ParquetFile", counted_parquet)
    return opens
