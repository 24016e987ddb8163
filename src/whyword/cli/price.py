"""What a command says of its price before it is paid: how often a model is asked, and how long."""

import logging
from collections.abc import Iterator
from itertools import tee

from whyword.batch.chunks import SourceReader
from whyword.batch.runs import RunOptions
from whyword.corpora.source import Record
from whyword.methods.price import Price, price
from whyword.methods.registry import Settings, method_for
from whyword.methods.request import Request
from whyword.methods.targets import PREDICTED
from whyword.models.abilities import removal_by_source
from whyword.models.protocol import TextClassifier

log = logging.getLogger(__name__)
NOTICEABLE = 5.0  # seconds


def is_costly(
    model: TextClassifier, method: str | None = None, parameters: Settings | None = None
) -> bool:
    """Whether explanations ask a model again and again, so that a price is worth a look."""
    request = Request.of(model, PREDICTED, method, parameters=parameters)
    return request.predictions(1) > 1 and not model.trace_kind.is_quick


def asks_anew(model: TextClassifier) -> bool:
    """Whether every text without some of its words is a prediction that takes its time."""
    return model.trace_kind.predicts_anew and not model.trace_kind.is_quick


def say_price(what: str, cost: Price, by: str = "") -> None:
    """Say what something costs, if anybody would notice.

    Parameters
    ----------
    what : str
        That which asks the model.
    cost : Price
    by : str
        Who needs the time.
    """
    if cost.seconds >= NOTICEABLE:
        most = "up to " if cost.at_most else ""
        times = f"{most}{cost.predictions:,} times"
        log.info("%s asks the model %s; %s%s", what, times, cost.duration, by)


def say_price_of_corpus(
    model: TextClassifier,
    source: str,
    how: RunOptions,
    method: str | None,
    parameters: Settings | None = None,
) -> None:
    """Say what explanations of a corpus of any size cost, which is read for that."""
    if is_costly(model, method, parameters):
        reader = SourceReader.of(
            source, how.get("text"), how.get("encoding"), removal_by_source(model)
        )
        texts = (record.text for chunk in reader.all_chunks() for record in chunk.records)
        name = method_for(model.trace_kind, method).name
        say_price(name, price(model, texts, method, **(parameters or {})), " of one process")


def with_price(
    records: Iterator[Record],
    model: TextClassifier,
    method: str | None,
    parameters: Settings | None = None,
    twice: bool = False,
) -> Iterator[Record]:
    """Return the records, once it is said what their explanations cost.

    Parameters
    ----------
    records : iterator of Record
        Held in memory if their explanations are costly.
    model : TextClassifier
    method : str or None
    parameters : dict, optional
        Of the method.
    twice : bool
        Whether they may be explained again.
    """
    if not is_costly(model, method, parameters):
        return records
    counted, kept = tee(records)
    cost = price(model, (record.text for record in counted), method, **(parameters or {}))
    again = Price(cost.predictions, cost.seconds, at_most=True)
    name = method_for(model.trace_kind, method).name
    say_price(name, cost + again if twice else cost)
    return kept
