"""What requests and answers look like; the OpenAPI schema is made from these."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import Annotated, Any

from pydantic import FailFast, Strict

from whyword.base.labels import Label
from whyword.explanation.row import FIELDS, PHRASES
from whyword.methods.targets import ALL, PREDICTED
from whyword.web.limits import MOST_ARTEFACTS, MOST_WORDS, WORD_CHARACTERS, Limits

MOST_HITS = 50
QUERY_CHARACTERS = 10_000
STRICT = {"extra": "forbid"}  # a misspelt name is an error, not silence

Number = float | None  # None for what is no number


@dataclass(frozen=True)
class TextIn:
    """A text, and what to call it."""

    text: str
    id: str | None = None

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class DocumentIn(TextIn):
    """A text, what to call it, and which of its words (by position) to delete first."""

    # the first that is no position says enough: there may be thousands
    deleted: Annotated[list[int], FailFast()] = field(default_factory=list)

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class PredictRequest:
    """Texts to classify: plain strings, or objects with an id."""

    documents: list[TextIn | str]

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class ExplainRequest:
    """Texts to explain, and whose scores: one class, several, "all", or the "predicted" one.

    `top_classes` are each text's so many classes with the highest scores, instead of a target. With
    `phrases` what the model used as units has a relevance, too.
    """

    documents: list[DocumentIn | str]
    target: str | list[str] = PREDICTED
    against: str | None = None
    top_classes: Annotated[int, Strict()] | None = None
    method: str = ""  # the best for the model, which the schema names
    phrases: Annotated[bool, Strict()] = False

    __pydantic_config__ = STRICT


@dataclass(frozen=True)
class SearchRequest:
    """What to look for: any text."""

    query: str
    top: int = 10

    __pydantic_config__ = STRICT


# ---- answers ----------------------------------------------------------------------------------

Class = Label


@dataclass(frozen=True)
class PredictionOut:
    """What the model says of one text; with no known word that says nothing of the text.

    `predicted` is a list, perhaps empty, of a model with several labels; their probabilities need
    not sum to 1.
    """

    id: str | None
    predicted: Class | list[Class]
    classes: list[Class]
    scores: list[Number]
    probabilities: list[Number]
    known_words: int


@dataclass(frozen=True)
class PredictAnswer:
    """The predictions, in the order of the texts."""

    model: str | None
    predictions: list[PredictionOut]


_Row = make_dataclass("_Row", [(row.name, row.json_type) for row in FIELDS], frozen=True)
_Phrases = make_dataclass(
    "_Phrases", [(row.name, row.json_type | None, None) for row in PHRASES], frozen=True
)


@dataclass(frozen=True, kw_only=True)
class ExplanationOut(_Phrases, _Row):  # type: ignore[misc, valid-type]  # classes made of data
    """Which words spoke for the target: score = sum of relevance + padding + constant + residual.

    `spans` count Unicode code points of the text; `relevance` is a number for each word, or, for
    several targets, a list of numbers. Phrases are there if they were asked for.
    """

    predicted: Class | list[Class]
    probabilities: list[Number]
    conserved: bool


@dataclass(frozen=True)
class ExplainAnswer:
    """The explanations, in the order of the texts."""

    explanations: list[ExplanationOut]


@dataclass(frozen=True)
class EntryOut:
    """A document of the corpus, in short."""

    number: int
    id: str
    label: str | list[str] | None
    predicted: Class | list[Class]
    probability: float
    beginning: str


@dataclass(frozen=True)
class TextOut(EntryOut):
    """A document of the corpus, whole."""

    text: str


@dataclass(frozen=True)
class DocumentOut(TextOut):
    """A document of the corpus, and [word, relevance] of the strongest for its class predicted."""

    strongest: list[list[str | float]]


@dataclass(frozen=True)
class DocumentsAnswer:
    """How many were found, and some of them, the surest predictions first."""

    found: int
    documents: list[TextOut]


@dataclass(frozen=True)
class WordOut:
    """A word that speaks for a class, and where it does so most."""

    word: str
    relevance: Number
    document: int
    position: int
    occurrences: int
    documents: int
    seen: bool | None


@dataclass(frozen=True)
class ClassWordsOut:
    """A class and its words."""

    target: Class
    words: list[WordOut]


@dataclass(frozen=True)
class WordsAnswer:
    """The words of classes, over so many documents; `choices` are the units there are.

    `symbols` says whether there are any without a letter or digit, which are listed on demand.
    """

    documents: int
    rank: str
    units: str
    choices: list[str]
    symbols: bool
    classes: list[ClassWordsOut]


@dataclass(frozen=True)
class WordDocumentOut(EntryOut):
    """A document, the word's relevance in it, and the text around it."""

    relevance: Number
    before: str
    said: str
    after: str


@dataclass(frozen=True)
class WordDocumentsAnswer:
    """In how many documents the word occurs, and where it speaks most for the class."""

    found: int
    compared: int
    documents: list[WordDocumentOut]


@dataclass(frozen=True)
class CarriedOut:
    """A text and what each of its words carries of a similarity."""

    text: str
    words: list[str]
    spans: list[list[int]]
    carried: list[Number]


@dataclass(frozen=True)
class HitOut(EntryOut):
    """A document that was found, and why."""

    similarity: float
    query: CarriedOut
    text: CarriedOut


@dataclass(frozen=True)
class SearchAnswer:
    """The nearest documents, the nearest first."""

    hits: list[HitOut]


@dataclass(frozen=True)
class MapAnswer:
    """Documents as points, x and y between 0 and 1.

    Labels and what is predicted by their numbers among `label_names`, −1 for none; `right` is null
    where there is no label.
    """

    documents: int
    numbers: list[int]
    points: list[list[Number]]
    ids: list[str]
    classes: list[Class]
    predicted: list[int]
    label_names: list[str]
    labels: list[int]
    right: list[bool | None]
    share: float


@dataclass(frozen=True)
class ConfusionAnswer:
    """How often each label was predicted as each class, (labels, classes)."""

    labels: list[str]
    classes: list[Class]
    counts: list[list[int]]


@dataclass(frozen=True)
class Problem:
    """What went wrong, in one line, and the fields of the request that it is about."""

    detail: str
    fields: list[str]


def with_limits(
    schema: dict[str, Any], limits: Limits, classes: Sequence[str], methods: Sequence[str]
) -> dict[str, Any]:
    """Return the OpenAPI schema with what this server takes written into it."""
    parts = schema["components"]["schemas"]
    for name in ("TextIn", "DocumentIn"):
        _update(parts[name], "text", maxLength=limits.characters)
    deleted = parts["DocumentIn"]["properties"]["deleted"]
    deleted |= {"default": [], "maxItems": limits.words}
    deleted["items"]["minimum"] = 0
    for name in ("PredictRequest", "ExplainRequest"):
        documents = parts[name]["properties"]["documents"]
        documents |= {"minItems": 1, "maxItems": limits.documents}
        for form in documents["items"]["anyOf"]:
            if form.get("type") == "string":
                form["maxLength"] = limits.characters
    explain = parts["ExplainRequest"]["properties"]
    names = list(dict.fromkeys(classes))
    for parameter in _parameters(schema):
        if parameter["name"] in ("target", "predicted"):
            kind = parameter["schema"]
            kind.get("anyOf", [kind])[0]["enum"] = names
    explain["target"]["anyOf"] = [
        {"type": "string", "enum": [*dict.fromkeys([PREDICTED, ALL, *names])]},
        {
            "type": "array",
            "items": {"type": "string", "enum": names},
            "minItems": 1,
            "maxItems": len(names),
            "uniqueItems": True,
        },
    ]
    explain["against"]["anyOf"][0]["enum"] = names
    explain["top_classes"]["anyOf"][0] |= {"minimum": 1, "maximum": 2**31 - 1}
    explain["method"] |= {"enum": list(methods), "default": methods[0]}
    if "SearchRequest" in parts:
        _update(parts["SearchRequest"], "query", maxLength=QUERY_CHARACTERS)
        _update(parts["SearchRequest"], "top", minimum=1, maximum=MOST_HITS)
    if "WhatIfRequest" in parts:
        _update(parts["WhatIfRequest"], "words", minItems=1, maxItems=MOST_WORDS)
        parts["WhatIfRequest"]["properties"]["words"]["items"]["maxLength"] = WORD_CHARACTERS
    if "TableRequest" in parts:
        artefacts = parts["TableRequest"]["properties"]["artefacts"]
        artefacts["maxItems"] = MOST_ARTEFACTS
        artefacts["items"]["minimum"] = 0
    return schema


def _parameters(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in schema["paths"].values():
        for operation in methods.values():
            yield from operation.get("parameters", ())


def _update(part: Mapping[str, Any], name: str, **rules: int) -> None:
    part["properties"][name].update(rules)
