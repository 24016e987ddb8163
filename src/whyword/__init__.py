"""Which words made the classifier say that; how far to trust the answer.

The names for daily use are here; the rest is one step inside: ``whyword.analysis``,
``whyword.evaluation``, ``whyword.batch``, ``whyword.explanation``, ``whyword.words``,
``whyword.corpora``; ``whyword.models`` and ``whyword.methods`` for those who add their own.
"""

from whyword import analysis, batch, corpora, evaluation, explanation, methods, models, words
from whyword.analysis.class_words import class_words
from whyword.analysis.document_map import document_map
from whyword.analysis.search import SearchIndex
from whyword.analysis.summary import summarize
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
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.loading import load_model
from whyword.vectors.vectors import Vectors
from whyword.words.tokenizer import tokenize

__version__ = "0.1.0"
__all__ = [
    "CNNClassifier",
    "ConservationError",
    "Corpus",
    "Explanation",
    "Explanations",
    "InputError",
    "SVMClassifier",
    "SearchIndex",
    "Vectors",
    "WhywordError",
    "analysis",
    "batch",
    "class_words",
    "compare",
    "corpora",
    "deletion_curve",
    "document_map",
    "evaluate",
    "evaluation",
    "explain",
    "explain_corpus",
    "explanation",
    "explanatory_power",
    "iter_explanations",
    "load_corpus",
    "load_model",
    "methods",
    "models",
    "predict_corpus",
    "summarize",
    "tokenize",
    "words",
]
