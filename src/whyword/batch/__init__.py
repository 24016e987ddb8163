"""Corpora larger than memory, on all cores or on Ray, resumed where they were killed."""

from whyword.batch.class_words import class_words_corpus
from whyword.batch.runs import Outcome, explain_corpus, predict_corpus, summarize_corpus

__all__ = [
    "Outcome",
    "class_words_corpus",
    "explain_corpus",
    "predict_corpus",
    "summarize_corpus",
]
