"""Models from Python code: py:module:name."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from whyword import InputError, explain, load_model
from whyword.models.imported import import_model, names_import

CODE = """
class Loud:
    classes_ = ["loud", "quiet"]

    def predict_proba(self, texts):
        return [[float("A" in text), float("A" not in text)] for text in texts]


class Shelf:
    best = Loud()


model = Loud()
made = []


def function(texts):
    return [[float("A" in text), float("A" not in text)] for text in texts]


def make():
    made.append(1)
    return Loud()


def fail():
    raise ValueError("no weights\\nhere")


Shelf.make = staticmethod(make)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module and a package, left as it was found: nothing stays imported."""
    (tmp_path / "toy_models.py").write_text(CODE)
    (tmp_path / "toy_package").mkdir()
    (tmp_path / "toy_package" / "__init__.py").write_text("")
    (tmp_path / "toy_package" / "inner.py").write_text(CODE)
    (tmp_path / "toy_needy.py").write_text("import toy_that_is_not_there\n")
    (tmp_path / "toy_broken.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("toy_")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "source",
    ["py:toy_models:model", "py:toy_models:Shelf.best", "py:toy_package.inner:model"],
)
def test_it_is_found_and_explained(source: str) -> None:
    model = load_model(source)
    assert type(model).__name__ == "Loud"
    assert type(load_model(source.removeprefix("py:"))) is type(model)  # there is no such folder
    explanation = explain(model, "AA bb", "loud")
    assert explanation.method == "occlusion"
    assert explanation.relevance.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("py:toy_nowhere:model", "py:toy_nowhere:model: there is no module 'toy_nowhere' here"),
        ("py:toy_package.none:model", "there is no module 'toy_package.none' here"),
        ("py:toy_needy:model", "toy_needy needs 'toy_that_is_not_there', which is not installed"),
        ("py:toy_models:none", "toy_models has no 'none'"),
        ("py:toy_models:Shelf.worst", "toy_models has no 'Shelf.worst'"),
        ("py:toy_models", "'py:toy_models' names no model; say py:module:name"),
        ("py::model", "names no model; say py:module:name"),
        ("py:.toy_models:model", "names no model; say py:module:name"),
    ],
)
def test_sources_that_name_nothing(source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_model(source)


@pytest.mark.parametrize(
    ("code", "said"),
    [("1 / 0", "ZeroDivisionError: division by zero"), ("def (", "SyntaxError"), ("exit(3)", None)],
)
def test_errors_of_the_module_are_one_line(code: str, said: str | None, folder: Path) -> None:
    (folder / "toy_broken.py").write_text(code)
    if said is None:  # it ends the process, as it would by itself
        with pytest.raises(SystemExit):
            import_model("py:toy_broken:model")
        return
    with pytest.raises(InputError, match=f"toy_broken cannot be imported .{said}") as refusal:
        import_model("py:toy_broken:model")
    assert "\n" not in str(refusal.value)
    assert refusal.value.__cause__ is not None  # for those who look for it in Python


@pytest.mark.parametrize(
    "source", ["toy_models:make()", "py:toy_models:make()", "toy_models:Shelf.make()"]
)
def test_functions_that_make_models(source: str) -> None:
    model = load_model(source)
    assert type(model).__name__ == "Loud"
    assert sys.modules["toy_models"].made == [1]
    explanation = explain(load_model("toy_models:function"), "AA bb")
    assert (explanation.relevance.tolist(), explanation.target) == ([1, 0], 0)
    with pytest.raises(InputError, match=r"make takes no texts; if it makes a model, say toy_mo"):
        load_model("toy_models:make")
    with pytest.raises(InputError, match=r"fail\(\) failed .ValueError: no weights.$"):
        load_model("toy_models:fail()")


def test_a_folder_of_that_name_goes_first(folder: Path) -> None:
    (folder / "toy_models:model").mkdir()
    with pytest.raises(InputError, match="toy_models:model"):
        load_model("toy_models:model")
    assert "toy_models" not in sys.modules
    assert type(load_model("py:toy_models:model")).__name__ == "Loud"


@pytest.mark.parametrize(
    "source",
    ["models/cnn2", "a:b:c", "a b:c", "a:", ":b", "20newsgroups:test", "a:b()()", "./a:b", "a.:b"],
)
def test_names_of_no_module(source: str) -> None:
    assert not names_import(source)
    assert names_import(f"py:{source}")


def test_names_of_nothing_and_of_classes() -> None:
    with pytest.raises(
        InputError, match="toy_none:x: there is no such folder, and there is no mod"
    ):
        load_model("toy_none:x")
    with pytest.raises(InputError, match="Loud is no model"):
        explain(load_model("py:toy_models:Loud"), "text")
    here = str(Path.cwd())
    import_model("py:toy_models:model")
    assert sys.path.count(here) == 1
