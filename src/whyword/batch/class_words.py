"""The words of classes over a corpus of any size, gathered on all cores."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whyword.analysis.class_words import ClassWords, Gathered, Wanted
from whyword.base.checks import whole_number
from whyword.base.progress import Progress
from whyword.base.threads import usable_cores
from whyword.batch import local
from whyword.batch.chunks import Chunk, Place, Reading
from whyword.batch.runs import prepared
from whyword.methods.request import Inquiry
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.linear.classifier import SVMClassifier


def class_words_corpus(
    model: CNNClassifier | SVMClassifier,
    source: str | Path,
    target: object = "all",
    top: int = 30,
    per: str = "word",
    *,
    rank: str = "strongest",
    least: int = 1,
    method: str = "lrp",
    workers: int | None = None,
    strict: bool = False,
    text: str | None = None,
    encoding: str | None = None,
    told: Callable[[Progress], None] | None = None,
    **parameters: float | str,
) -> ClassWords:
    """Return the words that speak most for each class, over a corpus of any size, on all cores.

    Memory grows with the words there are, and by eight bytes for a document. The source is read
    again at last, for the names of the documents that the words stand in.

    Parameters
    ----------
    model, target, top, per, rank, least, method, **parameters
        As for :func:`~whyword.class_words`.
    source, workers, text, encoding, told
        As for :func:`~whyword.explain_corpus`.
    strict : bool
        Stop at a row that cannot be read, instead of leaving it out.
    """
    wanted = Wanted.of(target, top, per, rank, least, method, parameters)
    others: dict[str, Any] = dict(parameters)
    Inquiry.of(model, wanted.target, method, **others)  # raises if it makes no sense
    processes = usable_cores() if workers is None else whole_number("workers", workers)
    reading = Reading.of(source, text, encoding)
    whole = wanted.gathered(model, [])
    order: deque[Place] = deque()  # of chunks that are read and not merged yet
    early: dict[Place, Gathered] = {}
    work, share = _Gathering(prepared(model, reading), wanted), 0.0
    for chunk, gathered in local.run(work, _chunks(reading, strict, order), processes):
        early[chunk.place] = gathered
        while order and order[0] in early:
            whole.merge(early.pop(order.popleft()))
        share = max(share, (chunk.place.shard + chunk.read) / len(reading.shards))
        if told is not None:
            told(Progress(len(whole), share))
    return _with_names(wanted.words(model, whole), reading)


@dataclass(frozen=True)
class _Gathering:
    """The work on a chunk."""

    model: Any
    wanted: Wanted

    def __call__(self, chunk: Chunk) -> tuple[Chunk, Gathered]:
        gathered = self.wanted.gathered(self.model, [record.text for record in chunk.records])
        return replace(chunk, records=[], unfit=[]), gathered


def _chunks(reading: Reading, strict: bool, order: deque[Place]) -> Iterator[Chunk]:
    """Read everything, and say in which order."""
    for shard in range(len(reading.shards)):
        for chunk in reading.chunks(shard, strict):
            if chunk.records:
                order.append(chunk.place)
                yield chunk


def _with_names(found: ClassWords, reading: Reading) -> ClassWords:
    """Return the words with the names of documents instead of their numbers."""
    wanted = {entry.document for entries in found.values() for entry in entries}
    names: dict[str | int, str] = {}
    number = 0
    for chunk in _chunks(reading, False, deque()):
        for record in chunk.records:
            if number in wanted:
                names[number] = record.id
            number += 1
    words = {
        label: [entry._replace(document=names[entry.document]) for entry in entries]
        for label, entries in found.items()
    }
    return replace(found, words=words)
