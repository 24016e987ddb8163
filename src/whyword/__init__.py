"""Which words made the classifier say that; how far to trust the answer."""

from whyword.analysis.class_words import ClassWord, ClassWords, class_words
from whyword.analysis.document_map import DocumentMap, document_map, draw_maps
from whyword.analysis.search import Hit, SearchIndex
from whyword.analysis.senses import Sense, senses
from whyword.analysis.summary import iter_summaries, summarize
from whyword.base.errors import (
    ConservationError,
    DownloadError,
    InputError,
    MissingExtraError,
    NoDocumentsError,
    WhywordError,
)
from whyword.base.progress import Progress
from whyword.batch.class_words import class_words_corpus
from whyword.batch.runs import Outcome, explain_corpus, predict_corpus, summarize_corpus
from whyword.corpora.corpus import Corpus, load_corpus
from whyword.corpora.source import open_source
from whyword.evaluation.deletion import EXPERIMENTS, DeletionCurve, deletion_curve, deletion_curves
from whyword.evaluation.evaluate import Evaluation, evaluate
from whyword.evaluation.power import ExplanatoryPower, explanatory_power
from whyword.evaluation.quality import ModelQuality, model_quality
from whyword.evaluation.sanity import (
    Agreement,
    SanityCheck,
    agreement,
    input_invariance,
    model_randomisation,
    seed_stability,
)
from whyword.evaluation.significance import Comparison, compare, compare_all
from whyword.explanation.explanation import Explanation, Explanations, FilterExplanation
from whyword.explanation.passages import Passage, passages
from whyword.methods.explain import explain, iter_explanations
from whyword.models.cnn.classifier import CNNClassifier
from whyword.models.linear.classifier import SVMClassifier
from whyword.models.loading import load_model
from whyword.vectors.vectors import Vectors
from whyword.words.document import Document
from whyword.words.tokenizer import Tokenizer, tokenize

__version__ = "0.1.0"
__all__ = [
    "EXPERIMENTS",
    "Agreement",
    "CNNClassifier",
    "ClassWord",
    "ClassWords",
    "Comparison",
    "ConservationError",
    "Corpus",
    "DeletionCurve",
    "Document",
    "DocumentMap",
    "DownloadError",
    "Evaluation",
    "Explanation",
    "Explanations",
    "ExplanatoryPower",
    "FilterExplanation",
    "Hit",
    "InputError",
    "MissingExtraError",
    "ModelQuality",
    "NoDocumentsError",
    "Outcome",
    "Passage",
    "Progress",
    "SVMClassifier",
    "SanityCheck",
    "SearchIndex",
    "Sense",
    "Tokenizer",
    "Vectors",
    "WhywordError",
    "agreement",
    "class_words",
    "class_words_corpus",
    "compare",
    "compare_all",
    "deletion_curve",
    "deletion_curves",
    "document_map",
    "draw_maps",
    "evaluate",
    "explain",
    "explain_corpus",
    "explanatory_power",
    "input_invariance",
    "iter_explanations",
    "iter_summaries",
    "load_corpus",
    "load_model",
    "model_quality",
    "model_randomisation",
    "open_source",
    "passages",
    "predict_corpus",
    "seed_stability",
    "senses",
    "summarize",
    "summarize_corpus",
    "tokenize",
]
