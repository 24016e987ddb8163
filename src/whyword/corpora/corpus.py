"""Labelled texts in memory, in a training and a test part."""

import logging
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from whyword.base.checks import exists, expand_path, share, whole_number
from whyword.base.errors import Argument, InputError
from whyword.base.labels import Labels
from whyword.base.printable import shown, spelled_out
from whyword.corpora.encoding import Encodings, decode_whole
from whyword.corpora.format import format_note
from whyword.corpora.frames import is_in_memory
from whyword.corpora.groups import GroupColumns
from whyword.corpora.labels import rarest_labels, several_labels
from whyword.corpora.lines import LONGEST, TOO_LONG, text_decoder
from whyword.corpora.near_copies import NearCopies, near_copies
from whyword.corpora.source import Record, name_and_part, open_source
from whyword.corpora.split import hold_out
from whyword.corpora.tables import table_kind
from whyword.corpora.text_files import file_texts, holds_mails, other_kind

log = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class Part:
    """Documents side by side: texts, their labels (None if there are none), their ids.

    A label is a document's class; where documents have several labels, a tuple of them.
    `groups` maps the name of each column that is kept beside them (author, thread, …) to its
    values, "" where one is missing; of newsgroups there are "author" and "thread".
    """

    texts: list[str]
    labels: list[Any] | None
    ids: list[str]
    groups: Mapping[str, list[str]] = field(default_factory=GroupColumns)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"Part({len(self):,} documents)"


@dataclass(frozen=True, repr=False)
class Corpus:
    """A corpus in two parts; a part that was not asked for is empty.

    Attributes
    ----------
    name : str
    train, test : Part
    notes : tuple of str
        What was guessed or done on the way: columns chosen, split made.
    rule : tuple of str
        What such texts are read without where nobody says otherwise: posts, without headers.
    """

    name: str
    train: Part
    test: Part
    notes: tuple[str, ...] = ()
    rule: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        """All texts, the training part first."""
        return self.train.texts + self.test.texts

    @property
    def ids(self) -> list[str]:
        """All ids, the training part first."""
        return self.train.ids + self.test.ids

    @property
    def labels(self) -> list[Any] | None:
        """All labels, the training part first, tuples where documents have several; or None."""
        if self.train.labels is None or self.test.labels is None:
            return None
        return self.train.labels + self.test.labels

    def near_copies(self) -> NearCopies:
        """Return which test documents are copies, or nearly, of training documents; found once.

        As :func:`~whyword.corpora.near_copies.near_copies` finds them.
        """
        return self._near_copies

    @cached_property
    def _near_copies(self) -> NearCopies:
        if not len(self.train) or not len(self.test):
            raise InputError(
                f"{self.name} has no {'test' if len(self.train) else 'training'} part here: copies "
                "are looked for between the two; load it without ':train' or ':test'"
            )
        return near_copies(self.train.texts, self.test.texts)

    @property
    def classes(self) -> tuple[str, ...]:
        """The distinct labels, sorted."""
        each = ((one,) if isinstance(one, str) else one for one in self.labels or ())
        return tuple(sorted(set(chain.from_iterable(each))))

    @property
    def multilabel(self) -> bool:
        """Whether documents have several labels, or none, and not a class each."""
        return several_labels(self.labels)

    def __len__(self) -> int:
        return len(self.train) + len(self.test)

    def __repr__(self) -> str:
        sizes = f"{len(self.train):,} train, {len(self.test):,} test"
        kind = "labels, several each" if self.multilabel else "classes"
        return f"Corpus({self.name!r}, {sizes}, {len(self.classes)} {kind})"


def load_corpus(
    source: Any,  # noqa: ANN401 - or a frame, of packages without types
    *,
    text: str | None = None,
    label: str | Collection[str] | None = None,
    labelled: bool = True,
    test: float = 0.2,
    seed: int = 0,
    remove: Collection[str] | None = None,
    encoding: str | None = None,
    groups: Collection[str] | None = None,
    label_separator: str | None = None,
) -> Corpus:
    """Load labelled texts.

    Parameters
    ----------
    source : str or Path, or a frame
        As for :func:`~whyword.corpora.source.open_source`. With ``:train`` or ``:test``
        behind it, only that part is returned.
    text, label, labelled, remove, encoding, groups, label_separator
        As for :func:`~whyword.corpora.source.open_source`.
    test : float
        Share of each class that becomes the test part when the source has no split of its own
        (folders ``train`` and ``test``, a column ``split``); 0 keeps everything in `train`. Of
        documents with several labels, the rarest of each counts.
    seed : int
        Of that split.

    Examples
    --------
    ::

        news = load_corpus("20newsgroups")            # 11,314 and 7,532 posts
        mails = load_corpus("mails.csv", test=0.3)    # 70 % and 30 % of each class
        held_out = load_corpus("mails.csv:test", test=0.3)
        topics = load_corpus("news.csv", label="topics", label_separator=",")
        toxic = load_corpus("comments.csv", label=["insult", "threat"])  # columns of 0 and 1
        frame = load_corpus(pandas.read_excel("mails.xlsx"), groups=["author"])
    """
    test = share("test", test)
    seed = whole_number("seed", seed, least=0)
    opened = open_source(
        source,
        text=text,
        label=label,
        labelled=labelled,
        remove=remove,
        encoding=encoding,
        groups=groups,
        label_separator=label_separator,
    )
    records = list(opened.records())
    if not records:
        raise InputError(f"{opened.name} has no documents")
    notes = [*opened.notes, *opened.seen.notes()]
    if note := format_note(record.text for record in records):
        notes.append(note)
    if records[0].split is None:
        records = _with_split(records, test, seed)
        if test > 0:
            several = several_labels(record.label for record in records)
            by = "the rarest label of each" if several else "class"
            notes.append(f"no split of its own: {test:.0%} held out, by {by} (seed {seed})")
    for note in notes:
        log.info("%s: %s", spelled_out(opened.name), note)
    train, test_part = (
        _part([r for r in records if r.split == split and opened.part in (None, split)])
        for split in ("train", "test")
    )
    name = opened.name if is_in_memory(source) else str(source)
    return Corpus(spelled_out(name), train, test_part, tuple(notes), opened.rule)


def open_texts(
    source: str,
    *,
    text: str | None = None,
    test: float = 0.2,
    seed: int = 0,
    encoding: str | None = None,
    label: str | Collection[str] | None = None,
    label_separator: str | None = None,
    remove: Collection[str] | None = None,
) -> Iterator[Record]:
    """Yield the documents of what a command is given: ``-``, a text file, or a corpus.

    ``-`` is one text on stdin; a file whose ending is no table's is one text too, or the mails of
    an mbox. Labels are kept where there are any. ``:train`` and ``:test`` are the parts that
    :func:`load_corpus` makes.
    """
    _check_no_text(source)
    name, part = name_and_part(source)
    path = expand_path(name)
    if source == "-":
        yield Record("-", _read_stdin(encoding), None, None)
    elif path.is_file() and table_kind(path) is None and (part is None or not holds_mails(path)):
        seen = Encodings()
        for name, whole in file_texts(path, encoding, seen=seen):
            yield Record(name, str(whole), None, None)
        for note in seen.notes():
            log.info("%s: %s", spelled_out(path.name), note)
    elif part is None:
        opened = open_source(
            source,
            text=text,
            label=label,
            labelled=False,
            remove=remove,
            encoding=encoding,
            label_separator=label_separator,
        )
        for note in opened.notes:
            log.info("%s: %s", spelled_out(opened.name), note)
        yield from opened
    else:
        loaded = load_corpus(
            source,
            text=text,
            label=label,
            labelled=False,
            test=test,
            seed=seed,
            remove=remove,
            encoding=encoding,
            label_separator=label_separator,
        )
        labels: Sequence[Labels | None] = loaded.labels or [None] * len(loaded)
        for identity, content, known in zip(loaded.ids, loaded.texts, labels, strict=True):
            yield Record(identity, content, known, part)


def _check_no_text(source: str) -> None:
    """Raise if what is given is plainly a text, and no file of that name."""
    if not any(letter.isspace() for letter in source):
        return
    names = (source, source.removesuffix(":train").removesuffix(":test"))
    if not any(exists(expand_path(name)) for name in names):
        raise InputError(
            f"{shown(source)}: no such file or folder; a text itself goes to stdin, which '-' "
            "names: echo 'TEXT' | whyword explain MODEL -"
        )


def _read_stdin(encoding: str | None) -> str:
    if sys.stdin is None:
        raise InputError("stdin is closed")
    data = sys.stdin.buffer.read(4 * LONGEST + 4)
    if other := other_kind(Path("-"), data):
        raise InputError(f"stdin: {other}")
    if encoding is None:
        text, decoder = decode_whole(data)
        seen = Encodings()
        seen.add("stdin", decoder)
        for note in seen.notes():
            log.info("stdin: %s", note)
    else:
        try:
            text = text_decoder("stdin", encoding).decode(data, final=True)
        except UnicodeError as error:
            raise InputError(
                f"stdin: {error}; say ", Argument("encoding", "latin-1"), " or whatever it is"
            ) from None
    if len(text) > LONGEST:
        raise InputError(f"stdin: {TOO_LONG}")
    return text


def _part(records: Sequence[Record]) -> Part:
    labels = [record.label for record in records if record.label is not None]
    return Part(
        texts=[record.text for record in records],
        labels=labels if len(labels) == len(records) else None,
        ids=[record.id for record in records],
        groups=GroupColumns([record.groups for record in records]),
    )


def _with_split(records: Sequence[Record], test: float, seed: int) -> list[Record]:
    count = round(len(records) * test)
    chosen = hold_out(rarest_labels([record.label for record in records]), count, seed)
    return [
        record._replace(split="test" if is_chosen else "train")
        for record, is_chosen in zip(records, chosen, strict=True)
    ]
