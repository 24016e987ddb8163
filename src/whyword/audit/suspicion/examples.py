"""Explanations of the documents in which suspects carry most: what a person looks at."""

from collections.abc import Sequence

from whyword.audit.suspicion.documents import Documents
from whyword.audit.suspicion.row import Suspect
from whyword.audit.suspicion.weighing import SUSPECT
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import iter_answers
from whyword.methods.request import Request

EXPLAINED = 60  # rows whose documents are shown: as many as a person opens


def explain_examples(
    request: Request, rows: Sequence[Suspect], documents: Documents, most: int = EXPLAINED
) -> dict[int, Explanation]:
    """Return the examples of the first rows, suspects before others, by their numbers.

    An example is given the class that its row speaks for, so that the predicted class is the one
    to explain.
    """
    first = sorted(rows, key=lambda row: row.verdict != SUSPECT)[:most]
    numbers = sorted({number for row in first for number in row.examples})
    explained = iter_answers(
        request,
        [documents.texts[number] for number in numbers],
        ids=[documents.ids[number] for number in numbers],
    )
    return dict(zip(numbers, explained, strict=True))
