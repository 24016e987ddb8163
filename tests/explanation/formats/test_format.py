"""What a format is."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from networks import made_cnn

from whyword import InputError, explain
from whyword.explanation.formats.format import ExplanationLike, Format, only


def names(explanations: Iterable[ExplanationLike]) -> Iterator[str]:
    return (f"{explanation.fields()['id']}é\r\n" for explanation in explanations)


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    made = Format.textual("names", (".names",), names)
    made.write(explain(made_cnn(), ["wa", "wb"], ids=["a", "b"]), tmp_path / "why.names")
    assert (tmp_path / "why.names").read_bytes() == "aé\r\nbé\r\n".encode()
    assert made.parts is names


def test_a_picture_is_of_one_document() -> None:
    explanations = explain(made_cnn(), ["wa", "wb"])
    assert only(explanations[:1]) is explanations[0]
    for wrong in (explanations[:0], explanations):
        with pytest.raises(InputError, match="a picture shows one document"):
            only(wrong)
