"""Which words made the classifier say that; how far to trust the answer."""

from whyword.corpus import Corpus, load_corpus
from whyword.errors import (
    ConservationError,
    DownloadError,
    InputError,
    MissingExtraError,
    WhywordError,
)
from whyword.explaining import explain, iter_explanations
from whyword.models.cnn import CNNClassifier
from whyword.models.loading import load_model
from whyword.models.svm import SVMClassifier
from whyword.source import open_source
from whyword.text import Tokenizer, tokenize
from whyword.types import Document, Explanation, Explanations, FilterExplanation
from whyword.vectors import Vectors

__version__ = "0.1.0"
__all__ = [
    "CNNClassifier",
    "ConservationError",
    "Corpus",
    "Document",
    "DownloadError",
    "Explanation",
    "Explanations",
    "FilterExplanation",
    "InputError",
    "MissingExtraError",
    "SVMClassifier",
    "Tokenizer",
    "Vectors",
    "WhywordError",
    "explain",
    "iter_explanations",
    "load_corpus",
    "load_model",
    "open_source",
    "tokenize",
]
