"""What an installation is for, tried in a line or two: each extra, and the base without any.

Run by the interpreter of that installation, in the folder that ``test_package.py`` prepares::

    python -P tests/smoke.py EXTRA
"""

import csv
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import whyword as ww

TEXT = "the moon and the rocket in orbit"
# what the extras bring along, as it is imported
FOREIGN = (
    *("torch", "sklearn", "scipy", "pandas", "matplotlib", "openpyxl", "faiss", "fastapi"),
    *("starlette", "uvicorn", "gunicorn", "orjson", "transformers", "ray", "umap", "shap"),
)


def labelled() -> tuple[list[str], list[str]]:
    """Return the texts of the table, and their labels."""
    with Path("texts.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def command(*arguments: str) -> list[str]:
    """Return the command line that runs ``whyword ARGUMENTS`` here."""
    return [sys.executable, "-P", "-m", "whyword", *arguments]


def base() -> None:
    assert [name for name in FOREIGN if find_spec(name)] == []
    for folder in ("cnn", "svm"):
        model = ww.load_model(folder)
        assert model.predict([TEXT]).tolist() == ["space"]
        assert ww.explain(model, TEXT, "all").conserved
        assert "moon" in str(ww.explain(model, TEXT).to_html())


def vectors() -> None:
    assert ww.Vectors.load("glove-6b-50d").nearest("orbit", top=3)


def train() -> None:
    assert ww.SVMClassifier(C=1.0).fit(*labelled()).score(*labelled()) > 0.9
    ww.CNNClassifier(vectors="v.safetensors", filters=4, epochs=1).fit(*labelled())


def torch() -> None:
    assert ww.explain(ww.load_model("lstm"), TEXT).conserved


def transformers() -> None:
    assert ww.explain(ww.load_model("hub"), TEXT).conserved


def figures() -> None:
    ww.explain(ww.load_model("cnn"), TEXT).to_png("why.png")


def frames() -> None:
    assert len(ww.explain(ww.load_model("cnn"), TEXT).to_frame()) == len(TEXT.split())


def excel() -> None:
    ww.explain(ww.load_model("cnn"), [TEXT, TEXT]).to_excel("why.xlsx")


def search() -> None:
    model, (texts, labels) = ww.load_model("cnn"), labelled()
    assert len(ww.SearchIndex(model, texts, approximate=True).search(TEXT, top=3)) == 3
    ww.document_map(model, texts, labels).to_html("map.html")


def umap() -> None:
    ww.document_map(ww.load_model("cnn"), *labelled(), projection="umap").to_html("map.html")


def evaluate() -> None:
    assert "<html" in ww.evaluate(ww.load_model("svm"), *labelled(), steps=3, runs=1).to_html()


def report() -> None:
    subprocess.run(command("tour", "cnn", "texts.csv", "--out", "tour"), check=True)
    assert Path("tour/index.html").exists()


def web() -> None:
    arguments = command("serve", "cnn", "texts.csv", "--port", "0", "--no-open")
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().split()[0]
            with urllib.request.urlopen(f"{address}healthz", timeout=30) as answer:
                assert answer.status == 200
        finally:
            server.terminate()


def ray() -> None:
    done = ww.explain_corpus(ww.load_model("cnn"), "texts.csv", "why", engine="ray", workers=1)
    assert done.n_documents == len(labelled()[0])


def shap() -> None:
    assert ww.explain(ww.load_model("cnn"), TEXT).to_shap().values.shape == (len(TEXT.split()),)


SMOKES: dict[str, Callable[[], None]] = {
    one.__name__: one
    for one in (
        *(base, vectors, train, torch, transformers, figures, frames, excel, search, umap),
        *(evaluate, report, web, ray, shap),
    )
}

if __name__ == "__main__":
    SMOKES[sys.argv[1]]()
