"""What comes into a command: the model, its documents, the classes that are asked for."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from itertools import chain
from pathlib import PurePath
from typing import Any

from whyword.base.errors import InputError
from whyword.base.printable import one_line, shown, spelled_out
from whyword.cli.options import (
    Encoding,
    Format,
    Ignore,
    LabelColumns,
    LabelSeparator,
    Remove,
    Seed,
    TestShare,
    TextColumn,
    WordRule,
)
from whyword.cli.word_lists import ignored_words
from whyword.corpora.corpus import Corpus, Part, load_corpus, open_texts
from whyword.corpora.source import Record, name_and_part
from whyword.models.abilities import removal_by_source
from whyword.models.blackbox import as_classifier
from whyword.models.loading import load_model
from whyword.models.multilabel import is_multilabel
from whyword.models.protocol import TextClassifier
from whyword.models.store import fingerprint_of, training_fingerprint
from whyword.words.reader import Reader
from whyword.words.rules import WORDS, guess_rule
from whyword.words.tokenizer import Tokenizer

log = logging.getLogger(__name__)

_FORMATS = {".eml": "mail", ".htm": "html", ".html": "html"}  # by files' endings
_NAMED = 5  # words of a warning


def open_model(model: str) -> TextClassifier:
    """Load a model while the tokeniser that it needs gets ready."""
    with ThreadPoolExecutor(1) as pool:  # checksums run beside the loading of compiled code
        loading = pool.submit(load_model, model)
        Tokenizer()("")
        return as_classifier(loading.result())


@dataclass(frozen=True)
class TextOptions:
    """How the texts of a source are read, labels or not; the fields are options."""

    text: TextColumn = None
    test: TestShare = 0.2
    seed: Seed = 0
    encoding: Encoding = None
    label: LabelColumns = None
    label_separator: LabelSeparator = None

    def open(self, source: str, model: TextClassifier) -> Iterator[Record]:
        """Yield the documents for a model: what it removes itself is in them."""
        options = asdict(self) | {"label": label_column(self.label)}
        return open_texts(source, remove=removal_by_source(model), **options)


@dataclass(frozen=True)
class CorpusOptions:
    """How a labelled corpus is read; the fields are options."""

    text: TextColumn = None
    label: LabelColumns = None
    test: TestShare = 0.2
    seed: Seed = 0
    encoding: Encoding = None
    label_separator: LabelSeparator = None

    def load_with_training(self, source: str, model: TextClassifier) -> tuple[Corpus, Part | None]:
        """Return the corpus as :meth:`load_unseen` does, and the training part beside ``:test``."""
        name, part = name_and_part(source)
        if part != "test":
            return self.load_unseen(source, model), None
        whole = self._load(name, model)
        test = _test_part(source, whole)
        if _is_trained_on(model, whole.train):
            return test, whole.train
        log.warning(
            "the model was not trained on %s:train as it is here (another --seed or --test? other "
            "documents?), so it may have seen some of these",
            one_line(name),
        )
        return test, None

    def load_both(self, source: str, model: TextClassifier, groups: str | None) -> Corpus:
        """Return both parts of the corpus, with labels if it has them, for a model that it trained.

        Parameters
        ----------
        source : str
        model : TextClassifier
        groups : str, optional
            A column to keep beside the texts.
        """
        more = {"labelled": self.label is not None, "groups": None if groups is None else [groups]}
        corpus = self._load(source, model, **more)
        has_labels = len(corpus.train) and corpus.train.labels is not None
        if has_labels and not _is_trained_on(model, corpus.train):
            log.warning(
                "the model was not trained on %s's training part as it is here (another --seed or "
                "--test? other documents?)",
                one_line(corpus.name),
            )
        return corpus

    def _load(self, source: str, model: TextClassifier, **more: Any) -> Corpus:  # noqa: ANN401
        options = asdict(self) | {"label": label_column(self.label)}
        return load_corpus(source, remove=removal_by_source(model), **options, **more)

    def load_unseen(self, source: str, model: TextClassifier) -> Corpus:
        """Return the corpus for a model: what it removes itself is in the texts.

        Warn if all of it is used though one part was made for training.
        """
        corpus = self._load(source, model)
        if name_and_part(source)[1] == "train" and _is_trained_on(model, corpus.train):
            log.warning("the model was trained on these very documents")
        self._warn_of_parts(source, corpus)
        return corpus

    def _warn_of_parts(self, source: str, corpus: Corpus) -> None:
        if name_and_part(source)[1] is None and len(corpus.train) and len(corpus.test):
            name = one_line(source)
            log.warning(
                "all of %s is used; if the model was trained on it, say %s:test", name, name
            )

    def load_to_compare(self, source: str, models: Mapping[str, TextClassifier]) -> Corpus:
        """Return the corpus for several models, which read the same texts.

        Where some remove parts of a text themselves and others leave that to the corpus, the corpus
        does. Warn of models that may have seen the documents.
        """
        ways = {removal_by_source(model): model for model in models.values()}
        name, part = name_and_part(source)
        reader = ways.get(None, next(iter(models.values())))
        whole = self._load(name if part == "test" else source, reader)
        alike = len(ways) == 1 or not whole.rule
        if not alike:
            log.warning(
                "some of the models remove parts of texts themselves, others do not: all read them "
                "without %s",
                ", ".join(whole.rule),
            )
        for label, model in models.items() if part and alike else ():
            trained_on = _is_trained_on(model, whole.train)
            if part == "train" and trained_on:
                log.warning("%s was trained on these very documents", one_line(label))
            if part == "test" and not trained_on:
                log.warning(
                    "%s was not trained on %s:train as it is here (another --seed or --test? other "
                    "documents?), so it may have seen some of these",
                    one_line(label),
                    one_line(name),
                )
        if part == "test":
            return _test_part(source, whole)
        self._warn_of_parts(source, whole)
        return whole


def check_several_classes(corpus: Corpus, model: TextClassifier) -> None:
    """Raise if all documents are of one class, so that there is nothing to tell apart."""
    labels = corpus.labels
    if labels and not is_multilabel(model) and all(label == labels[0] for label in labels):
        raise InputError(
            f"all documents of {corpus.name} are of one class, {shown(labels[0])}: how well it is "
            "told from others cannot be judged; name a corpus that has others, too"
        )


def _test_part(source: str, whole: Corpus) -> Corpus:
    none = Part([], None if whole.train.labels is None else [], [])
    return Corpus(spelled_out(source), none, whole.test, whole.notes)


def _is_trained_on(model: TextClassifier, part: Part) -> bool:
    """Whether a model's training data are just these documents; True if it does not say."""
    data = training_fingerprint(model)
    return data is None or data == fingerprint_of(part.texts, part.labels or [])


@dataclass(frozen=True)
class MailOptions(CorpusOptions):
    """How a corpus is read whose texts may be mails, of which parts are cut."""

    remove: Remove = None

    def load(self, source: str, labelled: bool = True) -> Corpus:
        """Return the corpus."""
        options = asdict(self) | {"label": label_column(self.label)}
        options["remove"] = parts_to_remove(self.remove)
        return load_corpus(source, labelled=labelled, **options)


@dataclass(frozen=True)
class ReaderOptions(MailOptions):
    """How a corpus is read by a model that is trained on it, and ever after."""

    format: Format = None
    ignore: Ignore = None
    rule: WordRule = WORDS

    def load_whole(self, source: str) -> Corpus:
        """Return the corpus with all that its texts have, for the reader to remove."""
        options = {one.name: getattr(self, one.name) for one in fields(CorpusOptions)}
        options["label"] = label_column(self.label)
        return load_corpus(source, remove=(), **options)

    def reader(self, corpus: Corpus, max_words: int | None) -> Reader:
        """Return the reader of the model; what a corpus has as a rule it removes, too."""
        remove = parts_to_remove(self.remove)
        reader = Reader(
            self.format or _format_of_files(corpus),
            corpus.rule if remove is None else remove,
            list(chain.from_iterable(map(ignored_words, self.ignore or ()))),
            Tokenizer(max_words, rule=self.rule),
        )
        if reader.format != "text":
            log.info("texts are read as %s, in training and ever after", reader.format)
        if reader.format == "mail" and remove is None and not corpus.rule:
            log.info("mails are read with their headers; --remove headers leaves them out")
        fitting = guess_rule(map(reader.decode, corpus.train.texts))
        if self.rule == WORDS and fitting != WORDS:
            log.warning(
                "most of these texts are in a script without spaces, of which a run of letters is "
                "one word: --words %s cuts them",
                fitting,
            )
        if absent := reader.absent(corpus.train.texts):
            log.warning("--ignore: in no training document stands %s", _some(absent))
        return reader


def _some(words: list[str]) -> str:
    """Return a few words, and how many there are besides."""
    listed = ", ".join(map(shown, words[:_NAMED]))
    return listed if len(words) <= _NAMED else f"{listed} and {len(words) - _NAMED:,} more"


def _format_of_files(corpus: Corpus) -> str:
    """Return the format that the endings of a corpus's files stand for, if all of them do."""
    formats = {_format_of_file(name.lower()) for name in corpus.ids}
    return formats.pop() if len(formats) == 1 else "text"


def _format_of_file(name: str) -> str:
    _, colon, number = name.rpartition(":")
    if colon and number.isdecimal():  # of a box
        return "mail"
    return _FORMATS.get(PurePath(name.removesuffix(".gz")).suffix, "text")


def with_distinct_ids(records: Iterator[Record]) -> Iterator[Record]:
    """Yield the records, ids that were there before with a number behind them."""
    seen: Counter[str] = Counter()
    for record in records:
        seen[record.id] += 1
        count = seen[record.id]
        yield record if count == 1 else record._replace(id=f"{record.id} ({count})")


def chosen_target(names: list[str] | None) -> str | list[str]:
    """Return the target that ``--target``, none or several times, asks for."""
    if not names:
        return "predicted"
    return names[0] if len(names) == 1 else names


def label_column(names: list[str] | None) -> str | list[str] | None:
    """Return the column that ``--label`` names, or, several times, those that are a label each."""
    return names[0] if names is not None and len(names) == 1 else names or None


def parts_to_remove(remove: str | None) -> list[str] | None:
    """Return the parts that ``--remove`` names; None if the corpus is to decide."""
    if remove is None:
        return None
    return [] if remove == "nothing" else [part.strip() for part in remove.split(",")]
