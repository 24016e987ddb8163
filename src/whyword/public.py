"""The names for daily use, gathered; ``whyword`` itself fetches them from here when one is used.

A module of its own, since these imports take a second: a command must be able to answer Ctrl-C
before them (``whyword/__main__.py``).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from whyword import analysis, audit, batch, corpora, evaluation, explanation, methods, models, words
from whyword.analysis.class_words import class_words
from whyword.analysis.document_map import document_map
from whyword.analysis.search import SearchIndex
from whyword.analysis.summary import summarize
from whyword.audit.compare import compare_models
from whyword.audit.strategies import strategies
from whyword.audit.suspicion.search import suspects
from whyword.audit.what_if import what_if, without
from whyword.base.checks import check_installed
from whyword.base.errors import ConservationError, InputError, WhywordError
from whyword.batch.runs import explain_corpus, predict_corpus
from whyword.corpora.corpus import Corpus, load_corpus
from whyword.evaluation.comparison import compare
from whyword.evaluation.deletion import deletion_curve
from whyword.evaluation.evaluate import evaluate
from whyword.evaluation.power import explanatory_power
from whyword.explanation.explanation import Explanation
from whyword.explanation.explanations import Explanations
from whyword.methods.explain import explain, iter_explanations
from whyword.methods.price import Price, price
from whyword.models.blackbox import BlackBox
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.loading import load_model
from whyword.models.pipeline.wrapping import from_pipeline
from whyword.vectors.vectors import Vectors
from whyword.words.reader import Reader
from whyword.words.tokenizer import tokenize

if TYPE_CHECKING:
    from whyword.models import pytorch
    from whyword.models.pytorch.characters import CharacterClassifier
    from whyword.models.pytorch.classifier import TorchClassifier
    from whyword.models.pytorch.recurrent import RecurrentClassifier
    from whyword.models.pytorch.transformer import TransformerClassifier

_OF_TORCH = {
    "CharacterClassifier": "whyword.models.pytorch.characters",
    "RecurrentClassifier": "whyword.models.pytorch.recurrent",
    "TorchClassifier": "whyword.models.pytorch.classifier",
    "TransformerClassifier": "whyword.models.pytorch.transformer",
    "pytorch": "whyword.models.pytorch",
}


def __getattr__(name: str) -> object:
    """Return what needs torch, which nobody else must wait for, or have."""
    if name not in _OF_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    check_installed("torch", "torch")
    module = import_module(_OF_TORCH[name])
    return getattr(module, name, module)


__all__ = [
    "BlackBox",
    "CNNClassifier",
    "CharacterClassifier",
    "ConservationError",
    "Corpus",
    "Explanation",
    "Explanations",
    "InputError",
    "Price",
    "Reader",
    "RecurrentClassifier",
    "SVMClassifier",
    "SearchIndex",
    "TorchClassifier",
    "TransformerClassifier",
    "Vectors",
    "WhywordError",
    "analysis",
    "audit",
    "batch",
    "class_words",
    "compare",
    "compare_models",
    "corpora",
    "deletion_curve",
    "document_map",
    "evaluate",
    "evaluation",
    "explain",
    "explain_corpus",
    "explanation",
    "explanatory_power",
    "from_pipeline",
    "iter_explanations",
    "load_corpus",
    "load_model",
    "methods",
    "models",
    "predict_corpus",
    "price",
    "pytorch",
    "strategies",
    "summarize",
    "suspects",
    "tokenize",
    "what_if",
    "without",
    "words",
]
