"""Labelled texts in: files, folders, tables, newsgroups."""

from whyword.corpora.copy_groups import copy_groups
from whyword.corpora.corpus import Corpus, load_corpus
from whyword.corpora.near_copies import NearCopies, near_copies
from whyword.corpora.source import open_source

__all__ = [
    "Corpus",
    "NearCopies",
    "copy_groups",
    "load_corpus",
    "near_copies",
    "open_source",
]
