"""scikit-learn's transformers as nodes of a graph."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyword.base.checks import scipy_sparse
from whyword.base.errors import InputError
from whyword.models.pipeline.graph import Graph, Union
from whyword.models.pipeline.probes import (
    Estimator,
    NotLinearError,
    asked,
    probe_rows,
)
from whyword.models.pipeline.steps import (
    Binarising,
    Centring,
    Normalising,
    Projecting,
    Scaling,
    Selecting,
    Step,
    Sublinear,
)
from whyword.models.pipeline.vectorizer import Vectorizer

_CLOSE = 1e-6  # of numbers that may be of single precision


def transformed(transformer: Estimator, below: int | None, graph: Graph) -> int:
    """Add what a fitted transformer does to a graph, and return the number of its last node.

    Parameters
    ----------
    transformer : object
        Of scikit-learn.
    below : int or None
        The node that it is given; None if it reads texts.
    graph : Graph

    Raises
    ------
    NotLinearError
        If it is none that a linear model could have before it.
    """
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return _features(below, "a part that passes texts on")
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
    from sklearn.pipeline import FeatureUnion, Pipeline

    if isinstance(transformer, Pipeline):
        for _, step in transformer.steps:
            below = transformed(step, below, graph)
        return _features(below, "a pipeline without steps")
    if isinstance(transformer, FeatureUnion):
        weights = transformer.transformer_weights or {}
        named = [(name, one) for name, one in transformer.transformer_list if one != "drop"]
        parts = [
            _weighted(transformed(one, below, graph), weights.get(name), graph)
            for name, one in named
        ]
        return _side_by_side(parts, graph)
    if below is None:
        if isinstance(transformer, ColumnTransformer):
            return _columns(transformer, graph)
        if not isinstance(transformer, CountVectorizer | HashingVectorizer):
            raise NotLinearError(f"it begins with {type(transformer).__name__}")
        return graph.add(Vectorizer(transformer))
    last = below
    for step in _steps(transformer, graph.widths[below]):
        last = _over(step, last, graph)
    _check(transformer, below, last, graph)
    return last


def _check(transformer: Estimator, below: int, last: int, graph: Graph) -> None:
    """Raise unless a transformer does what its steps do."""
    rows = probe_rows(graph.widths[below])
    # a RobustScaler does not centre what is sparse
    given = rows.toarray() if graph.is_mixed(below) else rows.copy()
    own = scipy_sparse().csr_matrix(_table(asked(transformer, "transform", given)))
    ours = graph.outputs((), last, {below: rows})[last]
    if own.shape == ours.shape:
        apart = np.abs((ours - own).data)  # NaN where both are infinite: what no text had
        most = max(1.0, np.abs(own.data).max(initial=0.0, where=np.isfinite(own.data)))
        if not (apart > _CLOSE * most).any():
            return
    raise NotLinearError(f"its {type(transformer).__name__} does something of its own")


def _table(values: Any) -> Any:  # noqa: ANN401 - sparse as it is, else an array: frames, too
    return values if hasattr(values, "tocsr") else np.asarray(values, np.float64)


def _features(node: int | None, what: str) -> int:
    if node is None:
        raise NotLinearError(f"it has {what}")
    return node


def _over(step: Step, below: int, graph: Graph) -> int:
    try:
        return graph.add(step, (below,))
    except InputError as error:
        raise NotLinearError(str(error)) from None


def _weighted(node: int, weight: float | None, graph: Graph) -> int:
    if weight is None:
        return node
    return _over(Scaling(np.full(graph.widths[node], float(weight))), node, graph)


def _side_by_side(parts: list[int], graph: Graph) -> int:
    if not parts:
        raise NotLinearError("it has a union of nothing")
    return parts[0] if len(parts) == 1 else graph.add(Union(), tuple(parts))


def _columns(transformer: Estimator, graph: Graph) -> int:
    """Add the parts of a ColumnTransformer, all of which read the one text column."""
    weights = transformer.transformer_weights or {}
    parts = [
        _weighted(transformed(part, None, graph), weights.get(name), graph)
        for name, part, columns in transformer.transformers_
        if not (isinstance(part, str) and part == "drop") and np.size(np.asarray(columns, object))
    ]
    return _side_by_side(parts, graph)


# ---- one transformer ----------------------------------------------------------------------------


def _steps(transformer: Estimator, width: int) -> Iterator[Step]:
    """Yield the steps that a transformer is, over so many features."""
    from sklearn import decomposition, feature_extraction, feature_selection, preprocessing
    from sklearn.random_projection import BaseRandomProjection

    known: list[tuple[type, Callable[[Estimator], Iterator[Step]]]] = [
        (feature_extraction.text.TfidfTransformer, _tfidf),
        (preprocessing.MaxAbsScaler, _maximum),
        (preprocessing.StandardScaler, _standard),
        (preprocessing.RobustScaler, _robust),
        (preprocessing.MinMaxScaler, _range),
        (preprocessing.Normalizer, lambda one: iter([Normalising(one.norm)])),
        (preprocessing.Binarizer, _binary),
        (preprocessing.FunctionTransformer, _function),
        (decomposition.TruncatedSVD, lambda one: iter([Projecting(_numbers(one.components_))])),
        (decomposition.PCA, _principal),
        (BaseRandomProjection, lambda one: iter([Projecting(_numbers(one.components_))])),
    ]
    for kind, steps in known:
        if isinstance(transformer, kind):
            yield from steps(transformer)
            return
    if isinstance(transformer, feature_selection.SelectorMixin):
        chosen = np.asarray(transformer.get_support(indices=True), np.intp)
        if not len(chosen):
            raise NotLinearError(f"its {type(transformer).__name__} selects no feature")
        yield Selecting(chosen, width)
        return
    raise NotLinearError(f"its {type(transformer).__name__} is not known to be linear")


def _numbers(values: Any) -> NDArray[np.float64]:  # noqa: ANN401 - an array, or a sparse matrix
    dense = values.toarray() if hasattr(values, "toarray") else values
    return np.asarray(dense, np.float64)


def _tfidf(one: Estimator) -> Iterator[Step]:
    if one.sublinear_tf:
        yield Sublinear()
    if one.use_idf:
        yield Scaling(_numbers(one.idf_))
    if one.norm is not None:
        yield Normalising(one.norm)


def _unclipped(one: Estimator) -> None:
    if getattr(one, "clip", False):
        raise NotLinearError(f"its {type(one).__name__} clips")


def _maximum(one: Estimator) -> Iterator[Step]:
    _unclipped(one)
    yield Scaling(1 / _numbers(one.scale_))


def _standard(one: Estimator) -> Iterator[Step]:
    if one.with_mean:
        yield Centring(_numbers(one.mean_))
    if one.with_std:
        yield Scaling(1 / _numbers(one.scale_))


def _robust(one: Estimator) -> Iterator[Step]:
    if one.with_centering:
        yield Centring(_numbers(one.center_))
    if one.with_scaling:
        yield Scaling(1 / _numbers(one.scale_))


def _range(one: Estimator) -> Iterator[Step]:
    _unclipped(one)
    yield Scaling(_numbers(one.scale_))
    yield Centring(-_numbers(one.min_))


def _binary(one: Estimator) -> Iterator[Step]:
    if one.threshold < 0:
        raise NotLinearError("its Binarizer makes something of nothing")
    yield Binarising(float(one.threshold))


def _function(one: Estimator) -> Iterator[Step]:
    if one.func is not None:
        raise NotLinearError("its FunctionTransformer has a function")
    return iter(())


def _principal(one: Estimator) -> Iterator[Step]:
    components = _numbers(one.components_)
    yield Projecting(components)
    yield Centring(components @ _numbers(one.mean_))
    if one.whiten:
        yield Scaling(1 / np.sqrt(_numbers(one.explained_variance_)))
