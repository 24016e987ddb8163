"""What comes into a command: the model, its documents, the classes that are asked for."""

import logging
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from whyword.base.printable import one_line
from whyword.corpora.corpus import Corpus
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


def with_distinct_ids(records: Iterator[Record]) -> Iterator[Record]:
    """Yield the records, ids that were there before with a number behind them."""
    seen: Counter[str] = Counter()
    for record in records:
        seen[record.id] += 1
        count = seen[record.id]
        yield record if count == 1 else record._replace(id=f"{record.id} ({count})")


def warn_of_training_texts(source: str, corpus: Corpus) -> None:
    """Warn if a corpus is used whole though one part of it was made for training."""
    if name_and_part(source)[1] is None and len(corpus.train) and len(corpus.test):
        name = one_line(source)
        log.warning("all of %s is used; if the model was trained on it, say %s:test", name, name)


def chosen_target(names: list[str] | None) -> str | list[str]:
    """Return the target that ``--target``, none or several times, asks for."""
    if not names:
        return "predicted"
    return names[0] if len(names) == 1 else names


def parts_to_remove(remove: str | None) -> list[str] | None:
    """Return what ``--remove`` cuts from mails; none if the corpus is to decide."""
    if remove is None:
        return None
    return [] if remove == "nothing" else [part.strip() for part in remove.split(",")]
