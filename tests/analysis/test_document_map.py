"""Document maps: principal components, pictures, and a page whose data cannot be markup."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import HOSTILE
from keywords import Keywords
from networks import made_cnn, made_text, topical

from whyword import InputError, SVMClassifier, document_map, summarize
from whyword.analysis import draw_maps
from whyword.analysis.document_map import project
from whyword.base.errors import MissingExtraError
from whyword.base.printable import visible

RANDOM = np.random.default_rng(0)
TEXTS, LABELS = topical(60)
WORDS = [made_text(RANDOM.integers(0, 7, 9)) for _ in range(60)]
CNN = made_cnn()
SVM = SVMClassifier(C=1.0).fit(TEXTS, LABELS)


@pytest.mark.parametrize(("model", "texts"), [(CNN, WORDS), (SVM, TEXTS)])
def test_points_are_the_principal_components(model: Any, texts: list[str]) -> None:  # noqa: ANN401
    drawing = document_map(model, texts, LABELS)
    vectors: Any = summarize(model, texts)
    dense = np.asarray(vectors if isinstance(vectors, np.ndarray) else vectors.toarray(), float)
    unit = dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-12)
    centred = unit - unit.mean(axis=0)
    _, lengths, directions = np.linalg.svd(centred, full_matrices=False)
    expected = centred @ directions[:2].T
    np.testing.assert_allclose(np.abs(drawing.points), np.abs(expected), atol=1e-4)
    share = (lengths[:2] ** 2).sum() / (lengths**2).sum()
    assert drawing.share == pytest.approx(share, abs=1e-4)
    assert drawing.groups == LABELS
    assert "60 documents" in repr(drawing)
    assert document_map(model, texts).groups == list(model.predict(texts))
    grouped = document_map(model, texts, LABELS, groups={"space": "sky", "hockey": "sport"})
    assert set(grouped.groups) == {"sky", "sport", "crypto"}


def test_documents_without_words_have_their_place() -> None:
    drawing = document_map(CNN, ["", " ", "wa wb", "wc"])
    assert np.isfinite(drawing.points).all()
    np.testing.assert_allclose(drawing.points[0], drawing.points[1])
    assert not document_map(SVM, ["moon orbit"] * 4).points.any()
    points, share = project(np.ones((5, 1), np.float32))
    assert (bool(points.any()), share) == (False, 0)


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<svg")])
def test_pictures_of_one_map_and_of_several(ending: str, start: bytes, tmp_path: Path) -> None:
    one, several = tmp_path / f"one.{ending}", tmp_path / f"several.{ending}"
    shown = document_map(CNN, WORDS, LABELS)
    shown.to_png(one) if ending == "png" else shown.to_svg(one)
    draw_maps([shown, document_map(SVM, TEXTS, ["$x$"] * 60)], several)
    assert one.read_bytes().startswith(start)
    assert several.read_bytes().startswith(start)
    assert several.stat().st_size > one.stat().st_size


def test_invalid_arguments() -> None:
    with pytest.raises(InputError, match="at least 3 documents, not 2"):
        document_map(CNN, ["a", "b"])
    with pytest.raises(InputError, match="labels and texts differ in length: 1 ≠ 60"):
        document_map(CNN, WORDS, ["x"])
    with pytest.raises(InputError, match="projection may be 'pca' or 'umap', not 'tsne'"):
        document_map(CNN, WORDS, projection="tsne")
    with pytest.raises(InputError, match="drawn as one of png, svg, pdf"):
        draw_maps([document_map(CNN, WORDS)], "x.xyz")
    with pytest.raises(InputError, match="there are no maps"):
        draw_maps([], "x.png")
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        document_map(Keywords(), TEXTS)


def test_without_optional_packages(uninstall: Callable[[str], None], tmp_path: Path) -> None:
    drawing, vectors = document_map(CNN, WORDS), np.ones((4, 3), np.float32)
    calls: dict[str, Callable[[], object]] = {
        "matplotlib": lambda: drawing.to_png(tmp_path / "x.png"),
        "sklearn": lambda: project(vectors),
        "umap": lambda: project(vectors, "umap"),
    }
    for package, call in calls.items():
        uninstall(package)
        with pytest.raises(MissingExtraError, match="pip install 'whyword"):
            call()


def test_data_of_the_page_is_whole_and_cannot_be_markup() -> None:
    texts = [HOSTILE, "wa wb zebra", "wc wd", ""]
    page = document_map(CNN, texts, ["</script>", "b", "b", "c"], ids=list("abcd")).to_html()
    assert page.count("</script>") == 2  # those of the data and of the program
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    data = json.loads(match[1])
    assert len(data["points"]) == 8
    assert (min(data["points"]), max(data["points"])) == (0, 1)
    first, second = data["documents"][:2]
    assert first[:2] == ["a", "</script>"]
    assert first[5].replace("\x7f", "") == visible(HOSTILE)
    assert second[5].split("\x7f")[1::2] == ["wa", "wb", "zebra"]
    assert len(second[6]) == 3
    assert data["documents"][3][5:] == ["", ""]
    assert "default-src 'none'" in page
