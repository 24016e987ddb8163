"""A live bar for training: epoch, loss, validation accuracy, time left."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from whyword.models.cnn.training import Epoch


@contextmanager
def training_progress(epochs: int, shown: bool | None) -> Iterator[Callable[[Epoch], None]]:
    """Yield a function to call after each epoch; by default the bar is for terminals only."""
    disable = not (sys.stderr.isatty() if shown is None else shown)
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("epochs  {task.fields[figures]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=disable, transient=True) as bar:
        task = bar.add_task("training", total=epochs, figures="")

        def tell(epoch: Epoch) -> None:
            accuracy = "" if epoch.accuracy is None else f"  validation {epoch.accuracy:.1%}"
            bar.update(task, completed=epoch.number, figures=f"loss {epoch.loss:.3f}{accuracy}")

        yield tell
