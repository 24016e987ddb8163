"""What Hugging Face's packages say by themselves, on stderr and by warnings, kept quiet."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

_PACKAGES = ("transformers", "huggingface_hub")
_ALONE = RLock()  # what is put back is what was there before


@contextmanager
def without_noise() -> Iterator[None]:
    """Let transformers print nothing in the block; all is as it was after it."""
    from transformers.utils import logging as theirs

    loggers = [logging.getLogger(name) for name in _PACKAGES]
    with _ALONE, warnings.catch_warnings():
        levels = [one.level for one in loggers]
        bars = theirs.set_tqdm_hook(lambda _, given, named: theirs.EmptyTqdm(*given, **named))
        try:
            warnings.simplefilter("ignore")
            for one in loggers:
                one.setLevel(logging.CRITICAL)
            yield
        finally:
            theirs.set_tqdm_hook(bars)
            for one, level in zip(loggers, levels, strict=True):
                one.setLevel(level)
