"""The words of all classes on one page, each leading to the heatmap it comes from."""

from collections.abc import Iterable, Iterator, Mapping

from whyword.analysis.class_words import ClassWord, ClassWords
from whyword.base.labels import Label
from whyword.base.printable import html_line
from whyword.explanation import heatmap
from whyword.explanation.explanation import Explanation
from whyword.methods.explain import iter_explanations

_STYLE = """
body{font-family:system-ui,sans-serif}h1{font-size:1.5rem;overflow-wrap:anywhere}
nav{margin:0 0 1.5rem;display:flex;flex-wrap:wrap;gap:.3rem .9rem}
a{color:inherit}
.classes{display:grid;gap:1.5rem 2rem;
grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr))}
.classes section{break-inside:avoid}
.classes h2{font-size:1.05rem;margin:.3rem 0;overflow-wrap:anywhere}
.classes ol{margin:.3rem 0 0;padding-left:2.2rem}
.classes li a{text-decoration:none;padding:.05em .3em}.classes li a:hover{text-decoration:underline}
.classes small{opacity:.75;float:right}
.classes li a.unseen,.unseen{text-decoration:underline dashed 2px;text-underline-offset:.2em}
article{content-visibility:auto;contain-intrinsic-size:auto 30rem;
border-top:1px solid rgb(128 128 128/.4);padding-top:1rem}
.back,.count{font-size:.85rem;margin:0}
"""


def needed_documents(words: ClassWords) -> dict[str | int, list[Label]]:
    """Return the documents that the words come from, and the classes they come from them for."""
    needed: dict[str | int, list[Label]] = {}
    for label, entries in words.items():
        for entry in entries:
            classes = needed.setdefault(entry.document, [])
            if label not in classes:
                classes.append(label)
    return needed


def explain_documents(
    model: object,
    documents: Iterable[tuple[str | int, str]],
    words: ClassWords,
    method: str | None = None,
) -> dict[str | int, Explanation]:
    """Return the explanations, for all classes, of those documents that words come from.

    Parameters
    ----------
    documents : iterable of (id or number, text)
        All of them, read once more; only the needed ones are kept.
    """
    needed = needed_documents(words)
    texts = {name: text for name, text in documents if name in needed}
    explanations = iter_explanations(model, texts.values(), "all", method=method)
    return dict(zip(texts, explanations, strict=True))


def word_page(
    words: ClassWords, explanations: Mapping[str | int, Explanation], title: str = "Class words"
) -> Iterator[str]:
    """Yield the parts of a self-contained page.

    Parameters
    ----------
    words : ClassWords
    explanations : mapping from document to its explanation for all classes
        See :func:`explain_documents`.
    """
    anchors = {name: f"d{number}" for number, name in enumerate(explanations)}
    yield heatmap.page_head(title, _STYLE)
    yield f"<h1>{html_line(title)}</h1>"
    kind = {"strongest": "its strongest occurrence", "mean": "its mean", "sum": "its sum"}
    yield (
        f"<p>What speaks for each class, over {words.n_documents:,} documents whatever their own "
        f"class: each {words.per} by {kind[words.rank]}. "
        '<span class="unseen">Underlined</span>: '
        "not in the training texts. A word leads to the document it comes from.</p><nav>"
    )
    for number, label in enumerate(words):
        yield f'<a href="#c{number}">{html_line(str(label))}</a>'
    yield '</nav><div class="ww classes">'
    for number, (label, entries) in enumerate(words.items()):
        yield f'<section id="c{number}"><h2>{html_line(str(label))}</h2>'
        unseen = sum(entry.seen is False for entry in entries)
        yield f'<p class="count">{len(entries)} words, {unseen} of them unseen in training</p><ol>'
        full = max((abs(entry.relevance) for entry in entries), default=0) or 1.0
        yield from (_entry(entry, full, anchors) for entry in entries)
        yield "</ol></section>"
    yield "</div>"
    for name, classes in needed_documents(words).items():
        if name in explanations:
            shown = explanations[name].heatmap(classes)
            titled = heatmap.Heatmap(**{**vars(shown), "title": str(name)})
            back = '<p class="back"><a href="#c0">back to the words</a></p>'
            yield f'<div id="{anchors[name]}">{back}'
            yield heatmap.fragment(titled) + "</div>"
    yield heatmap.PAGE_END


def _entry(entry: ClassWord, full: float, anchors: Mapping[str | int, str]) -> str:
    hint = (
        f"{entry.occurrences:,} occurrences; document {entry.document}, word {entry.position + 1}"
    )
    link = f' href="#{anchors[entry.document]}"' if entry.document in anchors else ""
    level = round(max(0.0, entry.relevance / full) * heatmap.LEVELS)
    unseen = "unseen" if entry.seen is False else ""
    names = " ".join(["w", f"p{level}" if level else "", unseen]).strip()
    return (
        f'<li><a class="{names}"{link} title="{html_line(hint)}">{html_line(entry.word)}</a>'
        f"<small>{heatmap.number(entry.relevance)}</small></li>"
    )
