from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from keywords import Keywords
from matplotlib import rc_context
from networks import small_cnn, topical
from numpy.typing import NDArray

from whyword import CNNClassifier, InputError, SVMClassifier, document_map, summarize
from whyword.analysis import draw_maps
from whyword.analysis.document_map import project
from whyword.base.errors import MissingExtraError

TEXTS, LABELS = topical(60)
MODELS: dict[str, CNNClassifier | SVMClassifier] = {
    "cnn": small_cnn(),
    "svm": SVMClassifier(C=1.0).fit(TEXTS, LABELS),
}


def literal_pca(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The two directions of largest variance, by singular values."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    centred = unit - unit.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    points: NDArray[np.float64] = centred @ directions[:2].T
    return points


@pytest.mark.parametrize("kind", MODELS)
def test_points_are_the_principal_components(kind: str) -> None:
    drawing = document_map(MODELS[kind], TEXTS, LABELS)
    vectors = summarize(MODELS[kind], TEXTS)
    dense = vectors if kind == "cnn" else vectors.toarray()
    expected = literal_pca(dense.astype(float))
    np.testing.assert_allclose(np.abs(drawing.points), np.abs(expected), atol=1e-4)
    assert drawing.share is not None
    assert 0 < drawing.share <= 1
    assert drawing.groups == LABELS
    assert "60 documents" in repr(drawing)


def test_groups_and_predicted_classes() -> None:
    model = MODELS["cnn"]
    assert document_map(model, TEXTS).groups == list(model.predict(TEXTS))
    grouped = document_map(model, TEXTS, LABELS, groups={"space": "sky", "hockey": "sport"})
    assert set(grouped.groups) == {"sky", "sport", "crypto"}


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_pictures_of_one_map_and_of_several(ending: str, tmp_path: Path) -> None:
    maps = [document_map(MODELS["cnn"], TEXTS, LABELS, method=m) for m in ("lrp", "sensitivity")]
    one, several = tmp_path / f"one.{ending}", tmp_path / f"several.{ending}"
    maps[0].to_png(one) if ending == "png" else maps[0].to_svg(one)
    draw_maps([*maps, document_map(MODELS["svm"], TEXTS, ["$x$"] * 60), *maps], several)
    start = b"\x89PNG" if ending == "png" else b"<svg"
    assert one.read_bytes().startswith(start)
    assert several.read_bytes().startswith(start)
    assert several.stat().st_size > one.stat().st_size


def test_documents_without_words_have_their_place() -> None:
    drawing = document_map(MODELS["cnn"], ["", " ", "moon orbit", "goal"])
    assert np.isfinite(drawing.points).all()
    np.testing.assert_allclose(drawing.points[0], drawing.points[1])
    assert not document_map(MODELS["svm"], ["moon orbit"] * 4).points.any()
    nothing = document_map(MODELS["svm"], ["", "", ""])
    assert not nothing.points.any()


def test_unfit_arguments() -> None:
    model = MODELS["cnn"]
    with pytest.raises(InputError, match="at least 3 documents, not 2"):
        document_map(model, ["a", "b"])
    with pytest.raises(InputError, match="labels and texts differ in length: 1 ≠ 60"):
        document_map(model, TEXTS, ["x"])
    with pytest.raises(InputError, match="projection may be 'pca' or 'umap', not 'tsne'"):
        document_map(model, TEXTS, projection="tsne")
    with pytest.raises(InputError, match="drawn as one of png, svg, pdf"):
        draw_maps([document_map(model, TEXTS)], "x.xyz")
    assert not document_map(model, ["moon"] * 3).points.any()
    with pytest.raises(InputError, match="there are no maps"):
        draw_maps([], "x.png")


@pytest.mark.parametrize(
    ("package", "projection"), [("umap", "umap"), ("sklearn", "pca"), ("matplotlib", "pca")]
)
def test_without_the_package(
    package: str, projection: str, uninstall: Callable[[str], None], tmp_path: Path
) -> None:
    drawing = document_map(MODELS["cnn"], TEXTS)
    uninstall(package)
    if package == "matplotlib":
        with pytest.raises(MissingExtraError, match="pip install 'whyword"):
            drawing.to_png(tmp_path / "x.png")
    else:
        with pytest.raises(MissingExtraError, match="pip install 'whyword"):
            project(np.ones((4, 3), np.float32), projection)


def test_a_single_direction_makes_no_plane() -> None:
    points, share = project(np.ones((5, 1), np.float32))
    assert (points == 0).all()
    assert share == 0


def test_somebodys_documents_have_no_vectors() -> None:
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        document_map(Keywords(), ["moon orbit", "puck goal", "key chip"])


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_maps_are_drawn_in_the_users_fonts(ending: str, tmp_path: Path) -> None:
    shown = document_map(MODELS["cnn"], TEXTS)
    drawn = []
    for families in (["DejaVu Sans"], ["DejaVu Serif", "DejaVu Sans"]):
        with rc_context({"font.family": families}):
            draw_maps([shown], tmp_path / f"map.{ending}")
        drawn.append((tmp_path / f"map.{ending}").read_bytes())
    sans, serif = drawn
    if ending == "pdf":
        assert b"DejaVuSerif" in serif
        assert b"DejaVuSerif" not in sans
    else:
        assert sans != serif
