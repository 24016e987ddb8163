import pytest

from whyword import InputError
from whyword.corpora.columns import Columns, choose_columns
from whyword.corpora.frames import open_frame
from whyword.corpora.tables import Table


def table(*names: str) -> Table:
    return open_frame([dict.fromkeys(names, "a")])[0]


def test_each_column_is_read_once() -> None:
    assert Columns("a", None, "id", None, ("b", "a")).names == ["a", "id", "b"]


def test_what_is_guessed_is_said() -> None:
    columns = choose_columns(table("body", "class", "id", "split"), None, None, labelled=True)
    assert columns == Columns("body", "class", "id", "split")
    assert list(columns.choices(None, "class")) == [
        "text column: 'body'",
        "train and test as column 'split' says",
    ]
    assert next(iter(columns.choices("body", None))) == "label column: 'class'"


def test_what_is_left_is_taken() -> None:
    assert choose_columns(table("a", "label"), None, None, labelled=True).text == "a"
    assert choose_columns(table("text", "b"), None, None, labelled=True).label == "b"
    assert choose_columns(table("text", "b"), None, None, labelled=False).label is None
    groups = choose_columns(table("text", "b", "c"), None, None, labelled=True, groups=("c",))
    assert (groups.label, groups.groups) == ("b", ("c",))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["text", "body", "label"], "both 'text' and 'body' could be the text; say which: text=…"),
        (["a", "b", "c"], "no text column among a, b, c; say which one it is: text=…"),
        (["text", "b", "c"], "no label column .*: label=…, or labelled=False if there is none"),
    ],
)
def test_what_cannot_be_guessed(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose_columns(table(*names), None, None, labelled=True)


def test_groups_must_be_there() -> None:
    with pytest.raises(InputError, match="list: no column 'c'; there are text, label"):
        choose_columns(table("text", "label"), None, None, labelled=True, groups=("c",))
