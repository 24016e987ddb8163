"""``whyword base``: a transformer without a head, as a folder of one's own to train from."""

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from whyword.base.checks import expand_path, file_name
from whyword.base.errors import InputError
from whyword.base.files import temporary_folder
from whyword.models.bases import BASES, base_folder

log = logging.getLogger(__name__)


def base(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(BASES)}.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")],
) -> None:
    """Fetch a transformer that others have trained, without a head: a Hugging Face folder."""
    target = expand_path(out)
    with _writing(target):
        taken = any(target.iterdir()) if target.is_dir() else target.exists()
        if taken or target.is_symlink():
            raise InputError(f"{file_name(target)} exists and will not be written over")
        target.parent.mkdir(parents=True, exist_ok=True)
    found = base_folder(name)
    with _writing(target), temporary_folder(target.parent) as beside:  # whole, or not there
        shutil.copytree(found, beside / "base")
        (beside / "base").replace(target)
    log.info("written: %s, %s", file_name(target), BASES[name].about)


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    """Let what the system says be one line about the folder."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{file_name(target)} cannot be written ({error.strerror or error})"
        ) from None
