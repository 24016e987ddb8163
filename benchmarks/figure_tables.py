"""Tables of single parts of the docs, made of what `make bench` left behind, as those of speed."""

from functools import partial
from typing import Any

from speed_table import figures_of, filled
from study_tables import table

SERVED = """\
| | 1 client | 16 clients |
|---|---|---|
| explaining all 20 classes | {serve.milliseconds:ms} | {serve.rate:n} /s |
| the same in one process (`--processes 1`) | {serve.single_milliseconds:ms} | \
{serve.single_rate:n} /s |
| the same server explaining one class by PyTorch's autograd (the best of two processes, two \
workers, two threads of torch) | {serve.autograd_milliseconds:ms} | {serve.autograd_rate:n} /s |
| predicting, explaining nothing | {serve.predict_milliseconds:ms} | {serve.predict_rate:n} /s |
| a sign of life | {serve.life_milliseconds:ms} | {serve.life_rate:n} /s |

So at 16 clients it answers {serve.ratio:times} as often as autograd does. \
Memory stood at {serve_memory.megabytes:mb}, both processes together, over the last quarter of \
{serve_memory.requests:n} more; 20 slow and 20 aborting clients beside four others made those wait \
{serve_disturbed.ratio:median} as long."""

STREAMED = """\
| | |
|---|---|
| documents a second | {stream.rate:n}, {stream.core_rate:n} per core |
| in memory, nothing read or written, as `explain` computes it | {stream.memory_rate:n} per core: \
the stream takes {stream.time_to_memory:median} the time |
| the same with frequent words' answers computed ahead, as the engine does | \
{stream.ahead_rate:n} per core: the stream takes {stream.time_to_ahead:median} the time |
| memory, all processes, at most | {stream.megabytes:mb} |
| bytes for a document | {stream.bytes_read:n} read, {stream.bytes_written:n} written |

Where the time of a document goes, in microseconds, in one process:

| reading | tokenising | look-up, rows of rare words | kernels | columns | writing | together |
|---|---|---|---|---|---|---|
| {stream_stages.reading:n} | {stream_stages.tokenising:n} | {stream_stages.look_up:n} | \
{stream_stages.kernels:n} | {stream_stages.columns:n} | {stream_stages.writing:n} | \
{stream_stages.together:n} |"""

SUSPECTS = """\
| | units looked at | suspects | time | memory |
|---|---|---|---|---|
| SVM of single words | {suspects.svm_units:n} | {suspects.svm_suspects:n} | \
{suspects.svm_seconds:s} | {suspects.svm_gigabytes:gb} |
| CNN2 | {suspects.cnn2_units:n} | {suspects.cnn2_suspects:n} | {suspects.cnn2_seconds:s} | \
{suspects.cnn2_gigabytes:gb} |"""

TRANSFORMER = """\
| | ours | the loop that many people write |
|---|---|---|
| an epoch of 11,314 posts, 2 layers | {train_transformer.minutes:n} minutes | \
{train_transformer.plain_minutes:n} minutes |
| memory | {train_transformer.megabytes:mb} | {train_transformer.plain_megabytes:mb} |

| explaining a post of 300 words for one class, over HTTP | |
|---|---|
| 2 layers | {transformer_page.layers_2_milliseconds:ms} |
| 6 layers | {transformer_page.layers_6_milliseconds:ms} |"""

LAKES = {"10 million": 1e7, "1 billion": 1e9}  # documents
CORES = 16

served_table, suspects_table, transformer_table = (
    partial(filled, template) for template in (SERVED, SUSPECTS, TRANSFORMER)
)


def streamed_table(measured: list[Any]) -> str:
    """Return how fast corpora are explained, where the time goes, and what more would cost."""
    rate = min(one["median"] for one in figures_of(measured, "stream", "core_rate"))
    written = max(one["median"] for one in figures_of(measured, "stream", "bytes_written"))
    rows = [
        [
            name,
            f"{count / rate / 3600:,.1f}",
            f"{60 * count / rate / 3600 / CORES:,.0f} minutes",
            f"{count * written / 1e9:,.0f} GB",
        ]
        for name, count in LAKES.items()
    ]
    cost = table(["documents", "core hours", f"{CORES} cores", "written"], rows)
    return f"{filled(STREAMED, measured)}\n\nWhat more would cost, at these figures:\n\n{cost}"
