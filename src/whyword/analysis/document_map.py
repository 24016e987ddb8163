"""Documents as points: the two directions in which their summary vectors differ most.

PNG and PDF of a map are the SVG's places, names and colours on matplotlib's canvas: Python has no
part of its own that turns an SVG into them.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whyword.analysis.document_map_page import MapDocument, map_page
from whyword.analysis.rows import unit_vectors
from whyword.analysis.summary import summarize
from whyword.base.checks import expand_path, file_name, items, one_each, one_of, strings
from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.files import atomic_write
from whyword.base.labels import label_text
from whyword.base.printable import one_line
from whyword.explanation.explanation import Explanation
from whyword.explanation.fonts import DrawnFont
from whyword.methods.explain import explain
from whyword.methods.registry import METHODS, method_for
from whyword.models.blackbox import as_classifier
from whyword.pages.charts import PLANE, Figure, Look, ScatterChart, figure, scatter_chart, svg

_PICTURES = ("png", "svg", "pdf")
_MARKERS = "os^"  # matplotlib's names of the shapes
PROJECTIONS = ("pca", "umap")
_DENSE = 1_000  # columns of a sparse matrix that are few enough to fill in
_TOP_WORDS = 8  # shown when a point is pointed at
_COLUMNS, _WIDTH = 3, 330  # of several maps in one picture, and pixels of one


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

    @property
    def caption(self) -> str:
        """The title, and how much of the variance is to be seen."""
        share = "" if self.share is None else f" ({self.share:.0%} of the variance)"
        return f"{self.title}{share}"

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
                label_text(one.predicted),
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
        What the points are coloured by; the predicted classes (of several labels, the highest) by
        default. Documents of several labels have one colour.
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
    named = range(len(several)) if ids is None else one_each("ids", ids, len(several))
    names = list(map(str, named))
    given = None if labels is None else one_each("labels", labels, len(several))
    if groups is not None and not isinstance(groups, Mapping):
        kind = type(groups).__name__
        raise InputError(Argument("groups"), f" must be a dict from labels to names, not {kind}")
    check_projection(projection)
    best = method_for(as_classifier(model).trace_kind, None).name
    method = best if method is None else method
    points, share = project(summarize(model, several, method, level), projection)
    shown = method if method in METHODS and METHODS[method].of_features else best
    explanations = explain(model, several, method=shown, ids=names)
    colours = [one.highest for one in explanations] if given is None else given
    grouped = [str(_group(map_group(label), groups)) for label in colours]
    title = f"{method}, {level} level" if level == "element" else method
    return DocumentMap(points, names, grouped, share, title, explanations)


def map_group(label: Any) -> Any:  # noqa: ANN401 - a label, or several
    """Return what a document's point is coloured by: its label, or that it has several or none."""
    if not isinstance(label, tuple | list | set | frozenset):
        return label
    return next(iter(label)) if len(label) == 1 else "several labels" if label else "no label"


def _group(label: object, groups: Mapping[Any, str] | None) -> object:
    """Return the larger group of a label, itself if it has none."""
    return groups.get(label, label) if groups and isinstance(label, Hashable) else label


def check_projection(projection: object) -> None:
    """Raise unless there is such a projection, and what it needs is installed."""
    if one_of("projection", projection, PROJECTIONS) == "umap":
        try:
            import umap  # noqa: F401
        except ImportError:
            raise MissingExtraError("umap-learn", "umap") from None
    else:
        try:
            import sklearn.decomposition  # noqa: F401
        except ImportError:
            raise MissingExtraError("scikit-learn", "search") from None


def project(
    vectors: Any,  # noqa: ANN401 - an array or a sparse matrix
    projection: str = "pca",
) -> tuple[NDArray[np.float64], float | None]:
    """Return vectors on a plane, (n, 2), and the share of their variance that it shows."""
    check_projection(projection)
    unit = unit_vectors(vectors)
    if projection == "umap":
        from umap import UMAP

        return np.asarray(
            UMAP(metric="cosine", random_state=0, n_jobs=1).fit_transform(unit), float
        ), None
    from sklearn.decomposition import PCA

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


def map_chart(shown: DocumentMap, names: Sequence[str]) -> ScatterChart:
    """Return the map as a chart; the place of its groups among the names says how they look."""
    said = f"{len(shown):,} documents as points, by {shown.title}"
    return scatter_chart(shown.points, shown.groups, names, said)


def draw_maps(maps: Sequence[DocumentMap], path: str | Path, kind: str | None = None) -> None:
    """Draw one map, or several weightings in a grid, into a PNG, SVG or PDF file.

    The kind is that of the file's ending, unless it is given.
    """
    file = expand_path(path)
    kind = file.suffix.lstrip(".").lower() if kind is None else kind
    if not isinstance(kind, str) or kind not in _PICTURES:
        raise InputError(f"{file_name(file)}: a map is drawn as one of {', '.join(_PICTURES)}")
    maps = list(items("maps", maps, "a list of maps"))
    if not maps:
        raise InputError("there are no maps to draw")
    for one in maps:
        if not isinstance(one, DocumentMap):
            raise InputError(
                Argument("maps"), f" takes a list of maps, not of {type(one).__name__}"
            )
    groups = sorted({group for one in maps for group in one.groups})
    charts = [(one.caption, map_chart(one, groups)) for one in maps]
    drawn = figure(charts, min(_COLUMNS, len(maps)), _WIDTH, groups)
    with atomic_write(file) as draft:
        if kind == "svg":
            draft.write_text(svg(drawn), encoding="utf-8", newline="")
        else:
            _copy_with_matplotlib(drawn, draft, kind)


def _copy_with_matplotlib(drawn: Figure, path: Path, kind: str) -> None:
    """Write the figure as PNG or PDF: the places, names and colours are those of the SVG."""
    try:
        from matplotlib.figure import Figure as Canvas
        from matplotlib.patches import Rectangle
    except ImportError:
        raise MissingExtraError("matplotlib", "figures") from None
    canvas = Canvas(figsize=(drawn.width / 72, drawn.height / 72))  # a point of it is our pixel
    axes = canvas.add_axes((0, 0, 1, 1), xlim=(0, drawn.width), ylim=(drawn.height, 0))
    axes.set_axis_off()
    font = DrawnFont(None, 13)

    def put(places: ArrayLike, look: Look, size: float, opacity: float = 1) -> None:
        x, y = np.asarray(places, float).T
        marker = _MARKERS[look.shape]
        axes.scatter(x, y, size, look.colour, marker=marker, linewidths=0, alpha=opacity)

    def write(text: str, x: float, y: float, **style: Any) -> None:  # noqa: ANN401 - matplotlib's
        shown = font.drawable(one_line(text))
        axes.text(x, y, shown, fontproperties=font.properties, parse_math=False, **style)

    for panel in drawn.panels:
        write(panel.title, panel.x + panel.width / 2, panel.y - 8, ha="center")
        corner = (panel.x, panel.y)
        axes.add_patch(Rectangle(corner, panel.width, panel.height, fill=False, ec="#666666"))
        for some in panel.chart.points if isinstance(panel.chart, ScatterChart) else ():
            put(np.array(some.places) * panel.width / PLANE + corner, some.look, 11, 0.6)
    for entry in drawn.legend:
        put([(entry.x + 5, entry.y - 4)], entry.look, 60)
        write(entry.name, entry.x + 16, entry.y)
    canvas.savefig(path, dpi=160, format=kind)
