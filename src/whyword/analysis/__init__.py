"""What many explanations say together: class words, summaries, maps, search."""

from whyword.analysis.class_words import ClassWord, ClassWords, class_words
from whyword.analysis.document_map import DocumentMap, document_map, draw_maps
from whyword.analysis.search import Hit, SearchIndex
from whyword.analysis.senses import Sense, senses
from whyword.analysis.summary import iter_summaries, summarize

__all__ = [
    "ClassWord",
    "ClassWords",
    "DocumentMap",
    "Hit",
    "SearchIndex",
    "Sense",
    "class_words",
    "document_map",
    "draw_maps",
    "iter_summaries",
    "senses",
    "summarize",
]
