"""Labelled texts in: files, folders, tables, newsgroups."""

from whyword.corpora.corpus import Corpus, load_corpus
from whyword.corpora.source import open_source

__all__ = [
    "Corpus",
    "load_corpus",
    "open_source",
]
