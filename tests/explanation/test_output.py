import io
import json
from pathlib import Path

import pytest
from networks import made_cnn
from rich.console import Console

from whyword import Explanations, InputError, explain
from whyword.explanation.formats.registry import FORMATS
from whyword.explanation.output import format_of, print_explanations, write_explanations


@pytest.mark.parametrize(
    ("out", "wanted", "expected"),
    [
        (None, None, "text"),
        ("why.html", None, "html"),
        ("why.HTM", None, "html"),
        ("why.jsonl", None, "json"),
        ("why.parquet", None, "parquet"),
        ("why.png", None, "png"),
        ("why", "json", "json"),
    ],
)
def test_the_format_follows_the_ending(out: str | None, wanted: str | None, expected: str) -> None:
    assert format_of(None if out is None else Path(out), wanted) == expected


def test_formats_that_cannot_be() -> None:
    with pytest.raises(InputError, match="the ending says nothing of the format"):
        format_of(Path("why.doc"), None)
    with pytest.raises(InputError, match="parquet is written to a file"):
        format_of(None, "parquet")


@pytest.mark.parametrize("wanted", FORMATS)
def test_files_are_whole_or_not_there(wanted: str, tmp_path: Path) -> None:
    path = tmp_path / f"why.{wanted}"
    path.write_text("old")
    explanations = explain(made_cnn(), ["wa wb"])

    def broken() -> object:
        yield explanations[0]
        raise InputError("the source broke")

    with pytest.raises(InputError, match="the source broke"):
        write_explanations(broken(), wanted, path)  # type: ignore[arg-type]
    assert path.read_text() == "old"
    write_explanations(explanations, wanted, path)
    assert path.read_bytes() != b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    explanations = explain(made_cnn(), ["wa wb", "wc"], target="all")
    write_explanations(explanations, "json", tmp_path / "why.jsonl")
    write_explanations(explanations, "parquet", tmp_path / "why.parquet")
    assert len(Explanations.from_json(tmp_path / "why.jsonl")) == 2
    assert len(Explanations.from_parquet(tmp_path / "why.parquet")) == 2


def test_a_picture_shows_one_document(tmp_path: Path) -> None:
    explanations = explain(made_cnn(), ["wa", "wb"])
    for wanted in ("svg", "png"):
        with pytest.raises(InputError, match="a picture shows one document"):
            write_explanations(explanations, wanted, tmp_path / "why")


def test_printing(capsys: pytest.CaptureFixture[str]) -> None:
    explanations = explain(made_cnn(), ["wa wb", "wc"])
    print_explanations(explanations, "json", Console())
    assert [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()] == [
        "wa wb",
        "wc",
    ]
    stream = io.StringIO()
    print_explanations(explanations, "text", Console(file=stream, width=20))
    assert stream.getvalue() == "".join(one.to_text() for one in explanations)
    coloured = io.StringIO()
    console = Console(file=coloured, force_terminal=True, color_system="truecolor", width=200)
    print_explanations(explanations, "text", console)
    assert "\x1b[" in coloured.getvalue()
