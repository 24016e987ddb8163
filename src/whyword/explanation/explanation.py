"""The values that travel through the package."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions
from rich.text import Text

from whyword.base.checks import existing_file, expanded, listed, real_number, whole_number
from whyword.base.errors import ConservationError, InputError
from whyword.base.files import delivered, written_whole
from whyword.base.labels import Label
from whyword.explanation import export, heatmap, picture
from whyword.explanation.heatmap import Heatmap, Panel
from whyword.words.document import Document

TOLERANCE = 1e-4  # of the residual, relative to max(1, |score|)
_PANELS = 4  # side by side unless more are asked for
_DOCUMENTS = 10  # in a notebook's cell


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Answer:
    """What all explanations have: whose score is decomposed, by what, and how well it adds up.

    Attributes
    ----------
    document : Document
    classes : tuple of C labels
    scores : (C,) float64
        The model's score of each class.
    target : label, tuple of K labels or "all"
        The class that is explained.
    relevance : (…,) or (…, K) float32
        Raw, never normalised.
    padding : float or (K,) float64
        What landed on no word of the text: on padding, or on features without a place.
    method : str
    parameters : dict
    model : str or None
        The model's identity.
    id : str or None
    """

    document: Document
    classes: tuple[Label, ...]
    scores: NDArray[np.float64]
    target: Label | tuple[Label, ...]
    relevance: NDArray[np.float32]
    padding: Any
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    id: str | None = None

    @property
    def text(self) -> str:
        """The text as passed."""
        return self.document.text

    @property
    def words(self) -> list[str]:
        """The T words."""
        return self.document.words

    @property
    def spans(self) -> NDArray[np.int32]:
        """Where they stand, (T, 2) in code points."""
        return self.document.spans

    @property
    def truncated(self) -> int:
        """How many words beyond the model's ``max_words`` were not read."""
        return self.document.truncated

    @property
    def targets(self) -> tuple[Label, ...]:
        """The classes explained, one per column of the relevance."""
        if isinstance(self.target, tuple):
            return self.target
        return self.classes if self.relevance.ndim == 2 else (self.target,)

    @property
    def against(self) -> Label | None:
        """The class of a contrast, None without one."""
        against: Label | None = self.parameters.get("against")
        return against

    @property
    def predicted(self) -> Label:
        """The class with the highest score."""
        return self.classes[int(self.scores.argmax())]

    @property
    def score(self) -> Any:  # noqa: ANN401 - one or several
        """The target's score (a contrast: the difference of two); (K,) for several targets."""
        at = {label: number for number, label in reversed(list(enumerate(self.classes)))}
        scores = self.scores[[at[target] for target in self.targets]]
        if self.against is not None:
            scores = scores - self.scores[at[self.against]]
        return scores if self.relevance.ndim == 2 else float(scores[0])

    @property
    def residual(self) -> Any:  # noqa: ANN401 - one or several
        """Score − Σ relevance − padding: what the explanation fails to account for."""
        residual = self.score - self.relevance.sum(axis=0, dtype=np.float64) - self.padding
        return residual if self.relevance.ndim == 2 else float(residual)

    @property
    def conserved(self) -> bool:
        """Whether |residual| ≤ 1e-4·max(1, |score|) for every target."""
        limit = TOLERANCE * np.maximum(1, np.abs(self.score))
        return bool(np.all(np.abs(self.residual) <= limit))

    def check(self) -> Self:
        """Return itself; raise a ConservationError if relevance is not conserved."""
        if not self.conserved:
            worst = float(np.abs(np.atleast_1d(self.residual)).max())
            name = "" if self.id is None else f"{self.id}: "
            raise ConservationError(
                f"{name}relevance is not conserved: the residual is {worst:.3g}, "
                f"allowed are {TOLERANCE:g}·max(1, |score|) (method {self.method!r})"
            )
        return self

    def _column(self, target: Label | None) -> int:
        """Return the column of a target; by default of the predicted class, else the first."""
        if target is None:
            predicted = self.predicted
            return self.targets.index(predicted) if predicted in self.targets else 0
        if target not in self.targets:
            explained = listed(map(str, self.targets))
            raise InputError(f"{target!r} was not explained, only {explained}")
        return self.targets.index(target)

    def _described(self) -> str:
        shown = self.target if isinstance(self.target, str) else repr(self.target)
        against = "" if self.against is None else f" against {self.against}"
        return f"{shown}{against}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Explanation(_Answer):
    """Which words spoke for the target, and which against it.

    Attributes
    ----------
    relevance : (T,) or (T, K) float32
        Of each word.
    known : (T,) bool
        Whether the model has a vector (a weight) for the word.
    elements : (T, D) or (T, D, K) float32, or None
        Relevance of each input dimension, if it was asked for.

    The rest is as every explanation has it: ``document, words, spans, classes, scores, target,
    score, padding, residual, method, parameters, model, id``.
    """

    known: NDArray[np.bool_]
    elements: NDArray[np.float32] | None = None

    def __repr__(self) -> str:
        worst = max(np.atleast_1d(self.residual).tolist(), key=abs)
        broken = f", residual {worst:+.2g}" if self._adds_up and not self.conserved else ""
        words = f"{len(self.spans):,} word{'' if len(self.spans) == 1 else 's'}"
        return f"Explanation({self._described()}, {words}, {self.method}{broken})"

    def __str__(self) -> str:
        return self.to_text()

    def by_word(self) -> dict[str, Any]:
        """Return each distinct word (lower-cased) with the sum over its occurrences.

        The values are floats, the highest first; with several targets they are (K,) arrays, in
        the order of the text.
        """
        words, numbers = _distinct(self.words)
        sums = np.zeros((len(words), *self.relevance.shape[1:]))
        np.add.at(sums, numbers, self.relevance)
        if self.relevance.ndim == 2:
            return dict(zip(words, sums, strict=True))
        return dict(sorted(zip(words, sums.tolist(), strict=True), key=lambda item: -item[1]))

    def as_list(self, target: Label | None = None) -> list[tuple[str, float]]:
        """Return (word, relevance) as LIME does, occurrences pooled, the strongest first.

        Parameters
        ----------
        target : label, optional
            Which of several targets; by default the predicted class, else the first of them.
        """
        return sorted(self._totals()[self._column(target)], key=lambda pair: -abs(pair[1]))

    # ---- to look at ---------------------------------------------------------------------------

    def heatmap(
        self, targets: Sequence[Label] | None = None, scale: float | None = None
    ) -> Heatmap:
        """Return the heatmap of some targets; by default of all, at most four by score.

        Parameters
        ----------
        targets : sequence of labels, optional
        scale : float, optional
            The |relevance| that gets the full colour; the largest shown by default.
        """
        columns = self._shown_columns() if targets is None else self._columns(targets)
        scale = None if scale is None else real_number("scale", scale, above=0)
        values, totals = self.word_values(), self._totals()
        scores = np.atleast_1d(self.score)
        padding, residual = np.atleast_1d(self.padding), np.atleast_1d(self.residual)
        panels = tuple(
            Panel(
                self._title(self.targets[column]),
                self._note(scores[column], padding[column], residual[column]),
                values[:, column],
                tuple(sorted(totals[column], key=lambda pair: -abs(pair[1]))),
            )
            for column in columns
        )
        return Heatmap(
            text=self.text,
            spans=self.spans,
            known=self.known,
            truncated=self.truncated,
            panels=panels,
            title=self.id or "",
            remarks=tuple(self._remarks(len(columns) if targets is None else None)),
            scale=scale,
        )

    def _columns(self, targets: Label | Sequence[Label]) -> list[int]:
        """Return the columns of the targets named."""
        one = isinstance(targets, str) or not isinstance(targets, Iterable)
        named = [targets] if one else list(targets)  # type: ignore[arg-type]
        if not named:
            raise InputError("targets is an empty list; name at least one class")
        return [self._column(target) for target in named]  # type: ignore[arg-type]

    def _shown_columns(self) -> list[int]:
        scores = np.atleast_1d(self.score)
        if len(scores) <= _PANELS:
            return list(range(len(scores)))
        return [int(column) for column in np.argsort(-scores, kind="stable")[:_PANELS]]

    def word_values(self) -> NDArray[np.float64]:
        """Return the value of each word, (T, K): what heatmaps and class words show.

        Where a word's occurrences carry equal shares of one value, as in a bag of words, that is
        the whole value; elsewhere it is the occurrence's own relevance.
        """
        values = self.relevance.astype(np.float64).reshape(len(self.words), len(self.targets))
        if self.parameters.get("occurrences") != "equal shares":
            return values
        words, numbers = _distinct(self.words)
        sums = np.zeros((len(words), values.shape[1]))
        np.add.at(sums, numbers, values)
        return sums[numbers]

    def _title(self, target: Label) -> str:
        if self.against is not None:
            return f"{target} rather than {self.against}"
        return f"{target} (predicted)" if target == self.predicted else str(target)

    def _totals(self) -> list[list[tuple[str, float]]]:
        """Return, for each target, the distinct words with the sums over their occurrences."""
        words, numbers = _distinct(self.words)
        sums = np.zeros((len(words), len(self.targets)))
        np.add.at(sums, numbers, self.relevance.reshape(len(self.words), len(self.targets)))
        return [list(zip(words, column, strict=True)) for column in sums.T.tolist()]

    @property
    def _adds_up(self) -> bool:
        """Whether the method promises that relevance adds up to the score."""
        return self.method == "lrp" and self.parameters.get("bias") == "shared"

    def _note(self, score: float, padding: float, residual: float) -> str:
        number, limit = heatmap.number, TOLERANCE * max(1, abs(score))
        note = f"score {number(score)}, by {self.method}"
        if abs(padding) > limit:
            note += f"; {number(padding)} on no word"
        if not abs(residual) <= limit:
            note += f"; {number(residual)} unexplained" if self._adds_up else "; need not add up"
        if self.parameters.get("occurrences") == "equal shares":
            note += "; occurrences of a word share its value"
        return note

    def _remarks(self, shown: int | None) -> Iterator[str]:
        if not self.words:
            yield "There is no word in this text."
        elif not self.known.any():
            yield "The model knows none of these words: the prediction says nothing of the text."
        if self.against is not None and self.targets == (self.against,):
            yield "The target is the class it is compared with: there is nothing to explain."
        if self._adds_up and not self.conserved:
            yield f"Relevance is NOT conserved here: residual {np.abs(self.residual).max():.3g}."
        if shown is not None and shown < len(self.targets):
            yield f"{shown} of {len(self.targets)} targets, those with the highest scores."

    def _repr_html_(self) -> str:
        return heatmap.styled_fragment([self.heatmap()])

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> Iterator[Text]:
        yield heatmap.terminal(self.heatmap(), console.color_system)

    def to_html(
        self, path: str | Path | None = None, targets: Sequence[Label] | None = None
    ) -> str:
        """Return a self-contained page with the heatmap; given a path, write it and return that."""
        title = f"{self.id or 'whyword'}: {self._described()}"
        return delivered("".join(heatmap.page([self.heatmap(targets)], title)), path)

    def to_svg(self, path: str | Path | None = None, targets: Sequence[Label] | None = None) -> str:
        """Return the heatmap as an SVG picture; given a path, write it and return that."""
        return delivered(picture.svg(self.heatmap(targets)), path)

    def to_png(self, path: str | Path, targets: Sequence[Label] | None = None) -> None:
        """Write the heatmap as a PNG picture."""
        with written_whole(expanded(path)) as draft:
            picture.write_png(self.heatmap(targets), draft)

    def to_text(self, targets: Sequence[Label] | None = None) -> str:
        """Return the heatmap without colours: the text and the strongest words."""
        return heatmap.terminal(self.heatmap(targets), None).plain

    # ---- to other tools, and back -------------------------------------------------------------

    def fields(self) -> export.Fields:
        """Return what the JSON form has, by name, arrays as they are."""
        fields = {
            "id": self.id,
            "text": self.text,
            "words": self.words,
            "spans": self.spans,
            "known": self.known,
            "truncated": self.truncated,
            "classes": list(self.classes),
            "scores": self.scores,
            "target": list(self.target) if isinstance(self.target, tuple) else self.target,
            "relevance": self.relevance,
            "residual": self.residual,
            "padding": self.padding,
            "method": self.method,
            "parameters": dict(self.parameters),
            "model": self.model,
        }
        return fields if self.elements is None else fields | {"elements": self.elements}

    @classmethod
    def from_fields(cls, fields: export.Fields) -> Self:
        """Return the explanation with these fields."""
        try:
            return cls._from_fields(fields)
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"this is no explanation: {error}") from None

    @classmethod
    def _from_fields(cls, fields: export.Fields) -> Self:
        text, parameters = str(fields["text"]), dict(fields["parameters"])
        spans = np.array([list(span) for span in fields["spans"]]).reshape(-1, 2)
        several = isinstance(fields["padding"], list | tuple | np.ndarray)
        listed_target = isinstance(fields["target"], list | tuple | np.ndarray)
        target = tuple(fields["target"]) if listed_target else fields["target"]
        classes = tuple(fields["classes"])
        relevance, scores = _numbers(fields["relevance"]), np.array(fields["scores"], np.float64)
        known, padding = (
            np.array(fields["known"], np.bool_),
            np.array(fields["padding"], np.float64),
        )
        if several:
            relevance = relevance.reshape(len(spans), len(padding))
        elements = None if fields.get("elements") is None else _numbers(fields["elements"])
        identity = fields["id"]
        if not isinstance(identity, str):
            identity = None if identity is None or identity != identity else str(identity)
        explained = target if listed_target else classes if several else (target,)
        against = [parameters["against"]] if parameters.get("against") is not None else []
        for fits, reason in (
            (not len(spans) or spans.dtype.kind in "iu", "its spans are no whole numbers"),
            ((np.diff(spans.ravel()) >= 0).all(), "its spans overlap or are out of order"),
            (spans.min(initial=0) >= 0, "its spans leave the text"),
            (spans.max(initial=0) <= len(text), "its spans leave the text"),
            (known.shape == relevance.shape[:1] == spans.shape[:1], "its words differ in number"),
            (relevance.ndim == 1 + several, "relevance and padding differ in shape"),
            (scores.shape == (len(classes),), "scores and classes differ in number"),
            (not several or len(padding) == len(explained), "targets and padding differ in number"),
            (set(explained) | set(against) <= set(classes), "its target is none of its classes"),
            (elements is None or len(elements) == len(spans), "its elements differ in number"),
        ):
            if not fits:
                raise ValueError(reason)
        document = Document(text, spans.astype(np.int32), int(fields["truncated"]))
        if list(fields["words"]) != document.words:
            raise ValueError("its words are not those at its spans")
        return cls(
            document=document,
            known=known,
            classes=classes,
            scores=scores,
            target=target,
            relevance=relevance,
            padding=padding if several else float(padding),
            method=str(fields["method"]),
            parameters=parameters,
            model=fields["model"],
            id=identity,
            elements=elements,
        )

    def to_json(self, path: str | Path | None = None, indent: int | None = None) -> str:
        """Return the explanation as JSON; given a path, write it and return that."""
        return delivered(export.as_json(self.fields(), indent), path)

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Return the explanation that :meth:`to_json` wrote: its text, or the file's path."""
        return cls.from_fields(export.from_json(_read(source)))

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file with this one row; :class:`Explanations` reads it."""
        Explanations([self]).to_parquet(path)

    def to_frame(self, by: str = "word") -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas DataFrame with a row for each word (or one for the "document")."""
        return export.frame([self.fields()], self.targets, by)

    def to_shap(self) -> Any:  # noqa: ANN401 - shap is optional
        """Return a ``shap.Explanation``, for shap's plots."""
        return export.as_shap(self.fields(), [str(target) for target in self.targets])

    @classmethod
    def from_shap(cls, explanation: Any) -> Self:  # noqa: ANN401 - shap is optional
        """Return shap's explanation of one text as one of ours."""
        return cls.from_fields(export.of_shap(explanation))


class FilterShare(NamedTuple):
    """A filter, the words that made it fire, how strongly, and its relevance."""

    filter: int
    ngram: str
    activation: float
    relevance: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FilterExplanation(_Answer):
    """Which filters of a network spoke for the target: relevance at the pooled layer.

    Attributes
    ----------
    relevance : (F,) or (F, K) float32
        Of each filter; filters of several widths one after the other.
    activations : (F,) float32
        The filter's maximum over the text, 0 if it did not fire.
    starts, widths : (F,) int32
        The words of the text that the filter answered to: ``words[start:start + width]``.
    """

    activations: NDArray[np.float32]
    starts: NDArray[np.int32]
    widths: NDArray[np.int32]

    def __repr__(self) -> str:
        fired = int((self.activations > 0).sum())
        return (
            f"FilterExplanation({self._described()}, {fired:,} of {len(self.activations):,} "
            f"filters fired, {self.method})"
        )

    @cached_property
    def ngrams(self) -> list[str]:
        """The words that made each filter fire; empty for a filter that did not."""
        words = self.words
        return [
            " ".join(words[start : start + width]) if fired else ""
            for start, width, fired in zip(
                self.starts.tolist(), self.widths.tolist(), self.activations > 0, strict=True
            )
        ]

    def top(self, count: int = 10, target: Label | None = None) -> list[FilterShare]:
        """Return the filters that matter most, the largest |relevance| first."""
        count = whole_number("count", count)
        values = self.relevance.reshape(len(self.activations), len(self.targets))[
            :, self._column(target)
        ]
        order = np.argsort(-np.abs(values), kind="stable")[:count].tolist()
        return [
            FilterShare(j, self.ngrams[j], float(self.activations[j]), float(values[j]))
            for j in order
        ]


class Explanations(Sequence[Explanation]):
    """Explanations of several documents."""

    def __init__(self, explanations: Iterable[Explanation]) -> None:
        self._all = tuple(explanations)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...
    def __getitem__(self, index: int | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            return Explanations(self._all[index])
        return self._all[index]

    def __repr__(self) -> str:
        methods = " ".join(sorted({explanation.method for explanation in self._all}))
        return f"Explanations({len(self):,} documents{', ' + methods if methods else ''})"

    def _check_alike(self) -> None:
        """Raise if they do not fit the same columns."""
        kinds = {
            (one.relevance.ndim, one.relevance.ndim == 2 and one.targets, one.elements is None)
            for one in self._all
        }
        if len(kinds) > 1:
            raise InputError(
                "these explanations differ in their targets or elements; write those of each "
                "kind by themselves"
            )

    @property
    def conserved(self) -> bool:
        """Whether relevance is conserved in every one of them."""
        return all(explanation.conserved for explanation in self._all)

    def _repr_html_(self) -> str:
        shown = heatmap.styled_fragment([one.heatmap() for one in self._all[:_DOCUMENTS]])
        more = len(self) - _DOCUMENTS
        return shown + (f"<p>… and {more:,} more documents</p>" if more > 0 else "")

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a page with all heatmaps; given a path, write it and return that."""
        title = f"whyword: {len(self):,} documents"
        return delivered("".join(heatmap.page((one.heatmap() for one in self), title)), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return JSON Lines, one explanation a line; given a path, write them and return that."""
        return delivered("".join(one.to_json() + "\n" for one in self), path)

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Return the explanations that :meth:`to_json` wrote: its text, or the file's path."""
        lines = _read(source).split("\n")  # only \n: texts may hold other line ends
        return cls(Explanation.from_json(line) for line in lines if line.strip())

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file with a row for each document."""
        self._check_alike()
        with written_whole(expanded(path)) as draft:
            export.write_parquet((one.fields() for one in self), draft)

    @classmethod
    def from_parquet(cls, path: str | Path) -> Self:
        """Return the explanations of a Parquet file."""
        found = export.read_parquet(existing_file(expanded(path)))
        return cls(map(Explanation.from_fields, found))

    def to_frame(self, by: str = "word") -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas DataFrame with a row for each word, or for each "document"."""
        self._check_alike()
        targets = self._all[0].targets if self._all else ()
        numbered = (
            one.fields() | ({"id": str(number)} if by == "word" and one.id is None else {})
            for number, one in enumerate(self)
        )
        return export.frame(list(numbered), targets, by)

    @classmethod
    def from_frame(cls, frame: Any) -> Self:  # noqa: ANN401 - pandas is optional
        """Return the explanations of a frame that has a row for each document."""
        return cls(map(Explanation.from_fields, export.of_frame(frame)))


def _distinct(words: Sequence[str]) -> tuple[list[str], NDArray[np.intp]]:
    """Return the distinct lower-cased words, and for each word which of them it is."""
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(word.lower(), len(numbers)) for word in words]
    return list(numbers), np.array(found, np.intp)


def _numbers(values: Any) -> NDArray[np.float32]:  # noqa: ANN401 - lists, perhaps of arrays
    """Return nested lists as an array; None becomes NaN."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values.astype(np.float32)
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in values]
    return np.array(rows, np.float32)


def _read(source: str | Path) -> str:
    """Return the text itself if it is JSON, else what stands in the file of that name."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", '"'):
        return source.lstrip("\ufeff")
    try:
        return existing_file(expanded(source)).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not UTF-8: {error}") from None
    except OSError as error:
        raise InputError(
            f"{str(source)[:60]!r} is neither JSON nor a file ({error.strerror})"
        ) from None
