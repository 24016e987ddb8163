"""Which words made the classifier say that; how far to trust the answer."""

from whyword.corpus import Corpus, load_corpus
from whyword.errors import DownloadError, InputError, MissingExtraError, WhywordError
from whyword.models.cnn import CNNClassifier
from whyword.models.loading import load_model
from whyword.models.svm import SVMClassifier
from whyword.source import open_source
from whyword.text import Tokenizer, tokenize
from whyword.types import Document
from whyword.vectors import Vectors

__version__ = "0.1.0"
__all__ = [
    "CNNClassifier",
    "Corpus",
    "Document",
    "DownloadError",
    "InputError",
    "MissingExtraError",
    "SVMClassifier",
    "Tokenizer",
    "Vectors",
    "WhywordError",
    "load_corpus",
    "load_model",
    "open_source",
    "tokenize",
]
