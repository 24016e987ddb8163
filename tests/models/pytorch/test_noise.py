import logging
import warnings
from typing import Any

import pytest

from whyword.models.pytorch.noise import without_noise

pytestmark = pytest.mark.slow("imports transformers")


def noise() -> None:
    from transformers.utils import logging as theirs

    theirs.get_logger("transformers.modeling_utils").warning("a report")
    logging.getLogger("huggingface_hub.file_download").warning("a report")
    warnings.warn("a warning", stacklevel=1)
    for _ in theirs.tqdm(range(3), desc="a bar"):
        pass


def test_nothing_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    with without_noise(), without_noise():
        noise()
    assert capfd.readouterr() == ("", "")


def test_all_is_as_before(capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils import logging as theirs

    calls = []

    def hook(make: object, given: list[Any], named: object) -> Any:
        calls.append(make)
        return given[0]

    before = theirs.set_tqdm_hook(hook)
    level = logging.getLogger("transformers").level
    try:
        with pytest.raises(KeyError), without_noise():
            raise KeyError
        assert logging.getLogger("transformers").level == level
        with pytest.warns(UserWarning, match="a warning"):
            noise()
        assert len(calls) == 1  # somebody's own hook is there again
    finally:
        theirs.set_tqdm_hook(before)
