"""Documents as points: the two directions in which their summary vectors differ most."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.analysis.document_map_page import MapDocument, map_page
from whyword.analysis.rows import unit_vectors
from whyword.analysis.summary import summarize
from whyword.base.checks import expand_path, strings
from whyword.base.errors import InputError, MissingExtraError
from whyword.base.files import atomic_write
from whyword.base.printable import one_line
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import explain
from whyword.methods.registry import METHODS, method_for
from whyword.models.blackbox import as_classifier

_PICTURES = ("png", "svg", "pdf")
PROJECTIONS = ("pca", "umap")
_DENSE = 1_000  # columns of a sparse matrix that are few enough to fill in
_TOP_WORDS = 8  # shown when a point is pointed at
# twelve colours that differ for most eyes (Okabe and Ito's, darker forms of some); shapes go on
PALETTE = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
    *("#7f3c8d", "#5b5b5b", "#a5aa00", "#8c510a", "#e7298a", "#01665e"),
)
SHAPES = "os^D"


@dataclass(frozen=True, eq=False, repr=False)
class DocumentMap:
    """Documents on a plane.

    Attributes
    ----------
    points : (documents, 2) float64
    ids : list of str
    groups : list of str
        What they are coloured by.
    share : float or None
        Of the vectors' variance that the plane shows (PCA only).
    title : str
    explanations : list of Explanation
        Of the predicted class, for the page.
    """

    points: NDArray[np.float64]
    ids: list[str]
    groups: list[str]
    share: float | None
    title: str
    explanations: Sequence[Explanation]

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"DocumentMap({len(self):,} documents, {self.title})"

    def to_png(self, path: str | Path) -> None:
        """Draw the map into a PNG file."""
        draw_maps([self], path, "png")

    def to_svg(self, path: str | Path) -> None:
        """Draw the map into an SVG file."""
        draw_maps([self], path, "svg")

    def to_html(self, path: str | Path | None = None) -> str:
        """Return an interactive page; given a path, write it and return that.

        Pointing at a document shows its title and strongest words, a click its heatmap.
        """
        documents = [
            MapDocument(
                one.id or name,
                group,
                str(one.predicted),
                " ".join(word for word, value in one.as_list()[:_TOP_WORDS] if value > 0),
                one.heatmap(),
            )
            for one, name, group in zip(self.explanations, self.ids, self.groups, strict=True)
        ]
        content = "".join(map_page(self.points, documents, self.title))
        if path is None:
            return content
        with atomic_write(expand_path(path)) as draft:
            draft.write_text(content, encoding="utf-8", newline="")
        return str(path)


def document_map(
    model: object,
    texts: Iterable[str],
    labels: Iterable[object] | None = None,
    *,
    ids: Iterable[str] | None = None,
    groups: Mapping[Any, str] | None = None,
    method: str | None = None,
    level: str = "word",
    projection: str = "pca",
) -> DocumentMap:
    """Return the documents on a plane, near to each other if what serves their class is alike.

    Parameters
    ----------
    model : TextClassifier
    texts : iterable of str
    labels : iterable of labels, optional
        What the points are coloured by; the predicted classes by default.
    ids : iterable of str, optional
    groups : dict from label to str, optional
        Colour by these larger groups instead.
    method, level
        Of :func:`~whyword.summarize`.
    projection : {"pca", "umap"}
        Of the vectors, scaled to length 1. "umap" needs the package ``umap-learn``.
    """
    several = strings("texts", texts)
    if len(several) < 3:
        raise InputError(f"a map needs at least 3 documents, not {len(several)}")
    names = [str(number) for number in range(len(several))] if ids is None else list(map(str, ids))
    best = method_for(as_classifier(model).trace_kind, None).name
    method = method or best
    points, share = project(summarize(model, several, method, level), projection)
    shown = method if method in METHODS and METHODS[method].of_features else best
    explanations = explain(model, several, method=shown, ids=names)
    colours = [one.predicted for one in explanations] if labels is None else list(labels)
    if len(colours) != len(several):
        raise InputError(f"labels and texts differ in length: {len(colours)} ≠ {len(several)}")
    grouped = [str(label if groups is None else groups.get(label, label)) for label in colours]
    title = f"{method}, {level} level" if level == "element" else method
    return DocumentMap(points, names, grouped, share, title, explanations)


def project(
    vectors: Any,  # noqa: ANN401 - an array or a sparse matrix
    projection: str = "pca",
) -> tuple[NDArray[np.float64], float | None]:
    """Return vectors on a plane, (n, 2), and the share of their variance that it shows."""
    if projection not in PROJECTIONS:
        raise InputError(f"projection may be 'pca' or 'umap', not {projection!r}")
    unit = unit_vectors(vectors)
    if projection == "umap":
        try:
            from umap import UMAP
        except ImportError:
            raise MissingExtraError("umap-learn", "umap") from None
        return np.asarray(
            UMAP(metric="cosine", random_state=0, n_jobs=1).fit_transform(unit), float
        ), None
    try:
        from sklearn.decomposition import PCA
    except ImportError:
        raise MissingExtraError("scikit-learn", "search") from None
    if not isinstance(unit, np.ndarray) and unit.shape[1] <= _DENSE:
        unit = unit.toarray()
    if not abs(unit).sum() or unit.shape[1] < 2:  # a line has no second direction
        return np.zeros((unit.shape[0], 2)), 0.0
    solver = "covariance_eigh" if isinstance(unit, np.ndarray) else "arpack"
    pca = PCA(2, svd_solver=solver, random_state=0)
    try:
        with np.errstate(invalid="ignore"):  # all documents may be alike
            points = np.asarray(pca.fit_transform(unit.astype(np.float64)), float)
    except RuntimeError:  # so does the sparse solver say that they are
        return np.zeros((unit.shape[0], 2)), 0.0
    return points, float(np.nan_to_num(pca.explained_variance_ratio_).sum())


def draw_maps(maps: Sequence[DocumentMap], path: str | Path, kind: str | None = None) -> None:
    """Draw one map, or several weightings in a grid, into a PNG, SVG or PDF file.

    The kind is that of the file's ending, unless it is given.
    """
    kind = kind or expand_path(path).suffix.lstrip(".").lower()
    if kind not in _PICTURES:
        raise InputError(f"{path}: a map is drawn as one of {', '.join(_PICTURES)}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "figures") from None
    if not maps:
        raise InputError("there are no maps to draw")
    columns = min(3, len(maps))
    rows = -(-len(maps) // columns)
    groups = sorted({group for one in maps for group in one.groups})
    height = max(4.2 * rows, 0.22 * len(groups) + 0.3)  # all names of a long legend must fit
    figure = Figure(figsize=(4.6 * columns + 2.2, height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, one in zip(grid, maps, strict=False):
        colours = np.array(one.groups)
        for number, group in enumerate(groups):
            points = one.points[colours == group]
            axes.scatter(
                *points.T,
                s=7,
                alpha=0.6,
                linewidths=0,
                color=PALETTE[number % len(PALETTE)],
                marker=SHAPES[number // len(PALETTE) % len(SHAPES)],
                label=one_line(group).replace("$", r"\$"),
            )
        share = "" if one.share is None else f" ({one.share:.0%} of the variance)"
        axes.set_title(f"{one.title}{share}", fontsize=10)
        axes.set_xticks([])
        axes.set_yticks([])
    for axes in grid[len(maps) :]:
        axes.set_axis_off()
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", frameon=False, markerscale=2.5)
    with atomic_write(expand_path(path)) as draft:
        figure.savefig(draft, dpi=160, format=kind)
