"""Which words spoke for a class: the explanation of one document."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions
from rich.text import Text

from whyword.base.checks import expand_path, items, real_number, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.files import atomic_write, save_or_return
from whyword.base.labels import Label, label_text
from whyword.base.printable import shown
from whyword.explanation import heatmap, picture, row
from whyword.explanation.decomposition import Decomposition
from whyword.explanation.formats import frame, json, parquet, shap, text
from whyword.explanation.heatmap import Heatmap, Panel
from whyword.explanation.phrases import Phrase, Phrases
from whyword.explanation.reading import read_fields
from whyword.explanation.row import Row
from whyword.explanation.terminal import terminal

_WIDEST = 1_000  # spaces of an indent
_PANELS = 4  # side by side unless more are asked for
_CANCELS = 50  # times the score: CNNs, bags and transformers that were tried stay below 30


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Explanation(Decomposition):
    """Which words spoke for the target, and which against it.

    Beside what is listed here it has what every explanation has: ``document, words, spans, classes,
    scores, target, score, padding, constant, residual, conserves, method, parameters, model, id``.

    Attributes
    ----------
    relevance : (T,) or (T, K) float32
        Of each word.
    known : (T,) bool
        Whether the model has a vector (a weight) for the word, and reads it: a word that is deleted
        or ignored is not known.
    elements : (T, D) or (T, D, K) float32, or None
        Relevance of each input dimension, if it was asked for.
    units : Phrases or None
        What the model used as units, each occurrence by itself, if it was asked for.
    """

    known: NDArray[np.bool_]
    elements: NDArray[np.float32] | None = None
    units: Phrases | None = None
    # what asks the model for the units when somebody wants them after all
    ask_units: Callable[[], Phrases] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the model behind that would be asked again."""
        return super().__getstate__() | {"ask_units": None}

    def __repr__(self) -> str:
        worst = max(np.atleast_1d(self.residual).tolist(), key=abs)
        broken = f", residual {worst:+.2g}" if self.conserves and not self.conserved else ""
        words = f"{len(self.spans):,} word{'' if len(self.spans) == 1 else 's'}"
        return f"Explanation({self._target_name()}, {words}, {self.method}{broken})"

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

    def phrases(self, target: Label | None = None) -> list[Phrase]:
        """Return what the model used as units, occurrences pooled, the strongest first.

        A network's are its windows, of as many words as its filters are wide; those of a bag are
        its features: words, n-grams of words or of characters. They add up to what the words do.

        If they were not asked for (``level="phrase"``), the model is asked again.

        Parameters
        ----------
        target : label, optional
            Which of several targets; by default the predicted class, else the first of them.
        """
        column = self._column(target)
        return self._units().pooled(column)

    def by_character(self) -> NDArray[np.float64]:
        """Return the relevance of each character of the text, (letters,) or (letters, K).

        Every phrase's is shared equally among its characters: for models of character n-grams.
        """
        return self._units().by_character(len(self.text))

    def _units(self) -> Phrases:
        if self.units is not None:
            return self.units
        if self.ask_units is None:
            raise InputError(
                "this explanation has no phrases; explain a CNN or a bag of words, by a method "
                "that adds up, with ",
                Argument("level", "phrase"),
            )
        return self.ask_units()

    # ---- to look at ---------------------------------------------------------------------------

    def heatmap(
        self, targets: Sequence[Label] | None = None, scale: float | None = None
    ) -> Heatmap:
        """Return the heatmap of some targets; by default of all, at most four by score.

        Parameters
        ----------
        targets : sequence of labels, optional
        scale : float, optional
            The ``|relevance|`` that gets the full colour; the largest shown by default.
        """
        columns = self._shown_columns() if targets is None else self._columns(targets)
        scale = None if scale is None else real_number("scale", scale, above=0)
        values = self.word_values()
        scores = np.atleast_1d(self.score)
        padding, constant = np.atleast_1d(self.padding), np.atleast_1d(self.constant)
        residual = np.atleast_1d(self.residual)
        panels = tuple(
            Panel(
                self._title(self.targets[column]),
                self._note(scores[column], padding[column], constant[column], residual[column]),
                values[:, column],
                tuple(self._strongest(column)),
                self._shown_phrases(column),
                padding[column] * bool(abs(padding[column]) > row.largest_residual(scores[column])),
            )
            for column in columns
        )
        return Heatmap(
            text=self.text,
            spans=self.spans,
            known=self.known,
            truncated=self.truncated,
            unread=self.document.unread,
            panels=panels,
            title=self.id or "",
            remarks=tuple(self._remarks(len(columns) if targets is None else None)),
            scale=scale,
        )

    def _shown_phrases(self, column: int) -> tuple[tuple[str, float], ...]:
        """Return the phrases that were asked for, unless they are the words."""
        if self.units is None or set(self.units.names) <= {word.lower() for word in self.words}:
            return ()
        return tuple((one.text, one.relevance) for one in self.units.pooled(column))

    def _columns(self, targets: Label | Sequence[Label]) -> list[int]:
        """Return the columns of the targets named."""
        one = isinstance(targets, Label) or not isinstance(targets, Iterable)
        named: list[Any] = [targets] if one else list(items("targets", targets))
        if not named:
            raise InputError(Argument("targets"), " is an empty list; name at least one class")
        return [self._column(target) for target in named]

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
        said = (self.highest,) if self.labels_predicted is None else self.labels_predicted
        return f"{target} (predicted)" if target in said else str(target)

    def _totals(self) -> list[list[tuple[str, float]]]:
        """Return, for each target, the distinct words with the sums over their occurrences."""
        words, numbers = _distinct(self.words)
        sums = np.zeros((len(words), len(self.targets)))
        np.add.at(sums, numbers, self.relevance.reshape(len(self.words), len(self.targets)))
        return [list(zip(words, column, strict=True)) for column in sums.T.tolist()]

    def _strongest(self, column: int) -> list[tuple[str, float]]:
        """Return the distinct words, occurrences for and against by themselves, strongest first.

        A word that speaks for the target here and against it there would else be nothing.
        """
        words, numbers = _distinct(self.words)
        relevance = self.relevance.reshape(len(self.words), len(self.targets))[:, column]
        both = []
        for part in (relevance > 0, relevance < 0):
            sums = np.bincount(numbers[part], relevance[part], len(words)).tolist()
            both += [(word, value) for word, value in zip(words, sums, strict=True) if value]
        return sorted(both, key=lambda pair: -abs(pair[1]))

    def _note(self, score: float, padding: float, constant: float, residual: float) -> str:
        number, limit = heatmap.number, row.largest_residual(score)
        what = self.parameters.get("output", "score")  # of a black box, its probability
        note = f"{what} {number(score)}, by {self.method}"
        if abs(padding) > limit:
            note += f"; {number(padding)} on no word"
        if abs(constant) > limit:
            apart = self.parameters.get("positions") == "apart"
            note += f"; {number(constant)} in biases{' and positions' if apart else ''}"
        if not abs(residual) <= limit:
            what = "unexplained" if self.conserves else self._lost
            note += f"; {number(residual)} {what}" if what else "; need not add up"
        if self.parameters.get("occurrences") == "equal shares":
            note += "; occurrences of a word share its value"
        return note

    @property
    def _lost(self) -> str:
        """What a residual is, where relevance is meant to add up but is not sure to."""
        what = self.parameters.get("residual")
        return what if isinstance(what, str) else ""

    def _remarks(self, shown: int | None) -> Iterator[str]:
        if self.labels_predicted is not None:
            yield f"Predicted: {label_text(self.labels_predicted)}."
        if not self.words:
            yield "There is no word in this text."
        elif not self.known.any():
            yield "The model knows none of these words: the prediction says nothing of the text."
        windows = self.parameters.get("windows")
        if isinstance(windows, int) and windows > 1:
            yield f"Too long to be read at once: the mean of {windows:,} windows that overlap."
        if self.against is not None and self.targets == (self.against,):
            yield "The target is the class it is compared with: there is nothing to explain."
        if self.conserves and not self.conserved:
            yield f"Relevance is NOT conserved here: residual {np.abs(self.residual).max():.3g}."
        elif self._lost and not self.conserved:
            most = np.abs(self.residual).max()
            yield f"Relevance does not add up here: {most:.3g} of the score {self._lost}."
        elif self.conserves and (times := self._cancelled()) >= _CANCELS:
            yield (
                f"Words cancel each other out here: without their signs they are {times:,.0f} "
                "times the score, so that a single one says little."
            )
        if shown is not None and shown < len(self.targets):
            yield f"{shown} of {len(self.targets)} targets, those with the highest scores."

    def _cancelled(self) -> float:
        """Return Σ |relevance| / max(1, |score|) of the target where it is largest."""
        sizes = np.abs(self.relevance).sum(axis=0, dtype=np.float64)
        return float(np.max(sizes / np.maximum(1, np.abs(self.score)), initial=0))

    def _repr_html_(self) -> str:
        return heatmap.styled_fragment([self.heatmap()])

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> Iterator[Text]:
        yield terminal(self.heatmap(), console.color_system)

    def to_html(
        self, path: str | Path | None = None, targets: Sequence[Label] | None = None
    ) -> str:
        """Return a self-contained page with the heatmap; given a path, write it and return that."""
        title = f"{self.id or 'whyword'}: {self._target_name()}"
        return save_or_return("".join(heatmap.page([self.heatmap(targets)], title)), path)

    def to_svg(self, path: str | Path | None = None, targets: Sequence[Label] | None = None) -> str:
        """Return the heatmap as an SVG picture; given a path, write it and return that."""
        return save_or_return(picture.svg(self.heatmap(targets)), path)

    def to_png(self, path: str | Path, targets: Sequence[Label] | None = None) -> None:
        """Write the heatmap as a PNG picture."""
        with atomic_write(expand_path(path)) as draft:
            picture.write_png(self.heatmap(targets), draft)

    def to_text(self, targets: Sequence[Label] | None = None) -> str:
        """Return the heatmap without colours: the text and the strongest words."""
        return text.encode(self.heatmap(targets))

    # ---- to other tools, and back -------------------------------------------------------------

    def fields(self) -> Row:
        """Return the row: what the JSON form has, by name, arrays as they are."""
        fields = {  # as row.NAMES has them; written out, for that is the fastest
            "id": self.id,
            "text": self.text,
            "words": self.words,
            "spans": self.spans,
            "known": self.known,
            "truncated": self.truncated,
            "unread": self.document.unread,
            "classes": list(self.classes),
            "scores": self.scores,
            "target": list(self.target) if isinstance(self.target, tuple) else self.target,
            "relevance": self.relevance,
            "residual": self.residual,
            "padding": self.padding,
            "constant": self.constant,
            "conserves": self.conserves,
            "method": self.method,
            "parameters": dict(self.parameters),
            "model": self.model,
        }
        if self.labels_predicted is not None:
            fields[row.PREDICTED.name] = list(self.labels_predicted)
        if self.elements is not None:
            fields[row.ELEMENTS.name] = self.elements
        if self.units is not None:
            parts = (list(self.units.names), self.units.spans, self.units.relevance)
            fields |= {field.name: part for field, part in zip(row.PHRASES, parts, strict=True)}
        return fields

    @classmethod
    def from_fields(cls, fields: Row) -> Self:
        """Return the explanation with these fields, as :meth:`fields` or a file has them."""
        return cls(**read_fields(fields))

    def to_json(self, path: str | Path | None = None, indent: int | str | None = None) -> str:
        """Return the explanation as JSON; given a path, write it and return that."""
        if isinstance(indent, str):  # what each level begins with
            if indent.strip(" \t\r\n") or len(indent) > _WIDEST:
                raise InputError(Argument("indent"), f" may be spaces or tabs, not {shown(indent)}")
        elif indent is not None:
            indent = whole_number("indent", indent, least=0, most=_WIDEST)
        return save_or_return(json.encode(self.fields(), indent), path)

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Return the explanation that :meth:`to_json` wrote: its text, or the file's path."""
        return cls.from_fields(json.decode(json.read_source(source)))

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file with this one row; :class:`Explanations` reads it."""
        with atomic_write(expand_path(path)) as draft:
            parquet.write([self.fields()], draft)

    def to_frame(self, by: str = "word") -> Any:  # noqa: ANN401 - pandas is optional
        """Return a pandas DataFrame with a row for each word (or one for the "document")."""
        return frame.encode([self.fields()], self.targets, by)

    def to_shap(self) -> Any:  # noqa: ANN401 - shap is optional
        """Return a ``shap.Explanation``, for shap's plots."""
        return shap.encode(self.fields(), [str(target) for target in self.targets])

    @classmethod
    def from_shap(cls, explanation: Any) -> Self:  # noqa: ANN401 - shap is optional
        """Return shap's explanation of one text as one of ours."""
        return cls.from_fields(shap.decode(explanation))


def _distinct(words: Sequence[str]) -> tuple[list[str], NDArray[np.intp]]:
    """Return the distinct lower-cased words, and for each word which of them it is."""
    numbers: dict[str, int] = {}
    word_numbers = [numbers.setdefault(word.lower(), len(numbers)) for word in words]
    return list(numbers), np.array(word_numbers, np.intp)
