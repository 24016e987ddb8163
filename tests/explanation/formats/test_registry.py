"""The formats there are."""

from whyword.explanation.formats.registry import ENDINGS, FORMATS


def test_names_and_endings() -> None:
    assert list(FORMATS) == ["text", "json", "html", "svg", "csv", "excel", "parquet", "png"]
    assert [name for name, made in FORMATS.items() if made.parts is None] == [
        "excel",
        "parquet",
        "png",
    ]
    assert all(name == made.name and made.endings for name, made in FORMATS.items())
    assert ENDINGS[".htm"] == ENDINGS[".html"] == "html"
    assert len(ENDINGS) == sum(len(made.endings) for made in FORMATS.values())
