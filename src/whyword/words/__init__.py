"""Text to words with their spans."""

from whyword.words.document import Document
from whyword.words.reader import Reader
from whyword.words.rules import guess_rule
from whyword.words.tokenizer import Tokenizer, tokenize

__all__ = [
    "Document",
    "Reader",
    "Tokenizer",
    "guess_rule",
    "tokenize",
]
