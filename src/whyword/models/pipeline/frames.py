"""Pipelines that read frames: which column is the text, and frames of texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from whyword.base.errors import Argument, InputError, MissingExtraError
from whyword.base.printable import shown


@dataclass(frozen=True)
class Frames:
    """Frames in which texts are one column, and the others are empty.

    Attributes
    ----------
    column : str or int
    names : tuple of str, or None
        Of all columns; None if it reads arrays without names.
    width : int
        How many columns it was fitted on.
    """

    column: str | int
    names: tuple[str, ...] | None
    width: int

    def __call__(self, texts: list[str]) -> Any:  # noqa: ANN401 - a DataFrame or an array
        """Return the texts as the pipeline reads them."""
        if self.names is None:
            array = np.full((len(texts), self.width), "", object)
            array[:, int(self.column)] = texts
            return array
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingExtraError("pandas", "frames") from None
        name = self.names[self.column] if isinstance(self.column, int) else self.column
        empty = [""] * len(texts)
        # as objects: a column of strings takes no half of a surrogate pair
        table = {one: texts if one == name else empty for one in self.names}
        return DataFrame(table, dtype=object)

    @property
    def text_column(self) -> str | int:
        """The text's column by name, where columns have names."""
        by_number = isinstance(self.column, int) and self.names is not None
        return self.names[self.column] if by_number else self.column  # type: ignore[index]


def frames_of(estimator: Any, column: str | int | None) -> Frames | None:  # noqa: ANN401 - scikit-learn has no types
    """Return how a pipeline reads frames; None if it reads texts.

    Parameters
    ----------
    estimator : object
        Fitted.
    column : str or int, optional
        The text's column, as the user says; else it is the one that all parts read.

    Raises
    ------
    InputError
        If the pipeline reads other columns than the text's.
    """
    if isinstance(column, bool) or not isinstance(column, str | int | None):
        raise InputError(Argument("column"), f" must name a column, not {shown(column)}")
    found = [one for one in beginnings(estimator) if hasattr(one, "transformers_")]
    if not found:
        if column is not None:
            raise InputError("this pipeline reads texts, no frames: leave out ", Argument("column"))
        return None
    read: dict[str | int, Frames | None] = {}
    for transformer in found:
        for name, part, columns in transformer.transformers_:
            if isinstance(part, str) and part == "drop":
                continue
            if isinstance(columns, str | int | np.integer) and not isinstance(columns, bool):
                frames = _frames(transformer, columns)
                read[frames.text_column] = frames
            elif np.size(np.asarray(columns, object)):
                read[f"{shown(columns)} ({name})"] = None
    texts = [frames for name, frames in read.items() if column is None or name == column]
    if len(read) != 1 or texts[:1] in ([], [None]):
        wanted = "" if column is None else f", not just {shown(column)}"
        raise InputError(
            f"the pipeline reads the columns {', '.join(map(str, read)) or 'none'}{wanted}; "
            "only one that reads a text and no other column can be explained by its words"
        )
    return texts[0]


def _frames(transformer: Any, column: Any) -> Frames:  # noqa: ANN401
    names = getattr(transformer, "feature_names_in_", None)
    plain = column if isinstance(column, str) else int(column)
    every = None if names is None else tuple(map(str, names))
    return Frames(plain, every, int(transformer.n_features_in_))


def beginnings(estimator: Any) -> Iterator[Any]:  # noqa: ANN401 - scikit-learn has no types
    """Yield what a pipeline begins with: vectorisers, and what hands columns to them."""
    waiting = [estimator]
    while waiting:
        one = waiting.pop()
        if hasattr(one, "best_estimator_"):
            waiting.append(one.best_estimator_)
        elif getattr(one, "steps", None):
            waiting.append(one.steps[0][1])
        elif hasattr(one, "transformer_list"):
            waiting += [part for _, part in reversed(one.transformer_list)]
        elif hasattr(one, "calibrated_classifiers_"):
            waiting += [member.estimator for member in one.calibrated_classifiers_]
        elif hasattr(one, "estimators_") and not hasattr(one, "transformers_"):
            waiting += list(np.ravel(np.asarray(one.estimators_, object)))
        elif type(one).__name__ == "FrozenEstimator":
            waiting.append(one.estimator)
        else:
            yield one
            waiting += [part for _, part, _ in getattr(one, "transformers_", ())]
