"""Models of the Hugging Face hub by their names, ``hf:owner/name``."""

import logging
import re
import sys
from pathlib import Path

from whyword.base.checks import check_installed
from whyword.base.errors import DownloadError, InputError
from whyword.base.printable import reason, shown
from whyword.models.imported import HUB
from whyword.models.pytorch.noise import without_noise

_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}", re.ASCII)
# what is read of a folder, and nothing else
_FILES = (
    *("config.json", "adapter_config.json"),
    *("model.safetensors", "model.safetensors.index.json", "model-*.safetensors"),
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
)

log = logging.getLogger(__name__)


def hub_folder(source: str) -> Path:
    """Return where a model of the hub is kept, in the cache of Hugging Face's own packages.

    Parameters
    ----------
    source : str
        ``hf:owner/name``. What is not there yet is downloaded.
    """
    name = source.removeprefix(HUB)
    if not _NAME.fullmatch(name):
        raise InputError(f"{shown(source)} names no model of the hub; say {HUB}owner/name")
    check_installed("transformers", "transformers", "huggingface_hub")
    from huggingface_hub import snapshot_download
    from tqdm.auto import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        """A bar for a terminal only."""

        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named | {"disable": not sys.stderr.isatty()})

    log.info("looking for %s on the hub", name)
    try:
        with without_noise():
            found = snapshot_download(name, allow_patterns=list(_FILES), tqdm_class=Bar)
    except Exception as error:
        raise DownloadError(
            f"{source} cannot be fetched ({reason(error)}); download its folder where the hub can "
            "be reached (config.json, model.safetensors, tokenizer.json) and name the path"
        ) from error
    return Path(found)
