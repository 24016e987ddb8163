"""The words of classes over a corpus of any size, gathered on all cores."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whyword.analysis.class_words import ClassWords, ClassWordsRequest
from whyword.analysis.word_statistics import WordStatistics
from whyword.base.checks import whole_number
from whyword.base.progress import OnProgress, Progress, ignore
from whyword.base.threads import usable_cores
from whyword.batch.chunks import Chunk, Place, SourceReader
from whyword.batch.local import Workers
from whyword.batch.runs import cache_frequent_words
from whyword.methods.request import Request
from whyword.models.abilities import removal_by_source
from whyword.models.blackbox import as_classifier


def class_words_corpus(
    model: object,
    source: str | Path,
    target: object = "all",
    top: int = 30,
    per: str = "word",
    *,
    rank: str | None = None,
    least: int = 1,
    units: str = "words",
    symbols: bool = False,
    method: str | None = None,
    workers: int | None = None,
    strict: bool = False,
    text: str | None = None,
    encoding: str | None = None,
    on_progress: OnProgress | None = None,
    **parameters: float | str,
) -> ClassWords:
    """Return the words that speak most for each class, over a corpus of any size, on all cores.

    Memory grows with the words there are, and by eight bytes for a document. The source is read
    again at last, for the names of the documents that the words stand in.

    Parameters
    ----------
    model, target, top, per, rank, least, units, symbols, method, **parameters
        As for :func:`~whyword.class_words`.
    source, workers, text, encoding, on_progress
        As for :func:`~whyword.explain_corpus`.
    strict : bool
        Stop at a row that cannot be read, instead of leaving it out.
    """
    request = ClassWordsRequest.of(
        target, top, per, rank, least, units, method, parameters, symbols
    )
    model = as_classifier(model)  # asked once, not by each process for each chunk
    # raises if it makes no sense
    Request.of(model, request.target, method, level=request.level, parameters=parameters)
    processes = usable_cores() if workers is None else whole_number("workers", workers)
    reader = SourceReader.of(source, text, encoding, removal_by_source(model))
    whole = request.collect(model, [])
    order: deque[Place] = deque()  # of chunks that are read and not merged yet
    early: dict[Place, WordStatistics] = {}
    report, share = on_progress or ignore, 0.0
    with Workers(processes) as pool:
        ready, chunks = cache_frequent_words(
            model, reader, strict, lambda ahead: pool.warm_up(len(ahead))
        )
        work = _CollectStatistics(ready, request)
        for chunk, statistics in pool.run(work, _in_order(chunks, order)):
            early[chunk.place] = statistics
            while order and order[0] in early:
                whole.merge(early.pop(order.popleft()))
            share = max(share, (chunk.place.shard + chunk.read) / len(reader.shards))
            report(Progress("gathering class words", n_documents=len(whole), share=share))
    return _with_names(request.words(model, whole), reader)


@dataclass(frozen=True)
class _CollectStatistics:
    """The work on a chunk."""

    model: Any
    request: ClassWordsRequest

    def __call__(self, chunk: Chunk) -> tuple[Chunk, WordStatistics]:
        statistics = self.request.collect(self.model, [record.text for record in chunk.records])
        return replace(chunk, records=[], bad_rows=[]), statistics


def _in_order(chunks: Iterator[Chunk], order: deque[Place]) -> Iterator[Chunk]:
    """Yield the chunks that have documents, and say in which order."""
    for chunk in chunks:
        if chunk.records:
            order.append(chunk.place)
            yield chunk


def _with_names(numbered: ClassWords, reader: SourceReader) -> ClassWords:
    """Return the words with the names of documents instead of their numbers."""
    numbers = {entry.document for entries in numbered.values() for entry in entries}
    names: dict[str | int, str] = {}
    number = 0
    for chunk in reader.all_chunks():
        for record in chunk.records:
            if number in numbers:
                names[number] = record.id
            number += 1
    words = {
        label: [entry._replace(document=names[entry.document]) for entry in entries]
        for label, entries in numbered.items()
    }
    return replace(numbered, words=words)
