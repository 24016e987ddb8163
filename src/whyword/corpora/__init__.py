"""Labelled texts in: files, folders, tables, newsgroups."""

from whyword.corpora.corpus import Corpus, load_corpus
from whyword.corpora.near_copies import NearCopies, near_copies
from whyword.corpora.source import open_source

__all__ = [
    "Corpus",
    "NearCopies",
    "load_corpus",
    "near_copies",
    "open_source",
]
