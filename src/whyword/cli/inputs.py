"""What comes into a command: the model, its documents, the classes that are asked for."""

import logging
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from whyword.base.printable import one_line, spelled_out
from whyword.cli.options import Encoding, LabelColumn, Remove, Seed, TestShare, TextColumn
from whyword.corpora.corpus import Corpus, Part, load_corpus, open_texts
from whyword.corpora.source import Record, name_and_part
from whyword.models.blackbox import as_classifier
from whyword.models.loading import load_model
from whyword.models.protocol import TextClassifier
from whyword.words.tokenizer import Tokenizer

log = logging.getLogger(__name__)


def open_model(model: Path) -> TextClassifier:
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

    def open(self, source: str) -> Iterator[Record]:
        """Yield the documents."""
        return open_texts(source, **asdict(self))


@dataclass(frozen=True)
class CorpusOptions:
    """How a labelled corpus is read; the fields are options."""

    text: TextColumn = None
    label: LabelColumn = None
    test: TestShare = 0.2
    seed: Seed = 0
    encoding: Encoding = None

    def load(self, source: str, labelled: bool = True) -> Corpus:
        """Return the corpus."""
        return load_corpus(source, labelled=labelled, **asdict(self))

    def load_with_training(self, source: str) -> tuple[Corpus, Part | None]:
        """Return the corpus as :meth:`load_unseen` does, and the training part beside ``:test``."""
        name, part = name_and_part(source)
        if part != "test":
            return self.load_unseen(source), None
        whole = self.load(name)
        none = Part([], None if whole.train.labels is None else [], [])
        return Corpus(spelled_out(source), none, whole.test, whole.notes), whole.train

    def load_unseen(self, source: str) -> Corpus:
        """Return the corpus; warn if all of it is used though one part was made for training."""
        corpus = self.load(source)
        if name_and_part(source)[1] is None and len(corpus.train) and len(corpus.test):
            name = one_line(source)
            log.warning(
                "all of %s is used; if the model was trained on it, say %s:test", name, name
            )
        return corpus


@dataclass(frozen=True)
class MailOptions(CorpusOptions):
    """How a corpus is read whose texts may be mails, of which parts are cut."""

    remove: Remove = None

    def load(self, source: str, labelled: bool = True) -> Corpus:
        """Return the corpus."""
        options = asdict(self) | {"remove": _parts_to_remove(self.remove)}
        return load_corpus(source, labelled=labelled, **options)


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


def _parts_to_remove(remove: str | None) -> list[str] | None:
    if remove is None:  # the corpus is to decide
        return None
    return [] if remove == "nothing" else [part.strip() for part in remove.split(",")]
