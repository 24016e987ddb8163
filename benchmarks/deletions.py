"""Which way to delete a word disturbs a transformer least: zero, mask, pad or cut.

A prediction should not move when words go that said nothing. Two checks, for each way:

- words that say little, as many as a quarter of a text's, are put in at random places and deleted
  again: the truth is what the model says of the text before. (They are the corpus's own, those with
  the least mean |relevance|.) Cut gives the text back as it was, so that it cannot but win here;
- the words of a text with the least |relevance| are deleted, a tenth, a quarter and half of them.

Printed are the mean change of the predicted class's probability and score, and how many predictions
change. The last line names the way with the least mean change of probabilities over all checks, and
the run fails if that is not the one that is the default.

By default the model is BERT-tiny (``tests/ready_models.py``) and the texts are film sentences.

    python benchmarks/deletions.py [--texts 300] [--toxic-spans FOLDER] [--out FILE]
    python benchmarks/deletions.py --model FOLDER --corpus NAME [--texts 300]
"""

import argparse
import copy
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from figures import write_results
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the model is the tests', too

from ready_models import bert_tiny, bert_tiny_tokenizer
from ready_texts import comments, sentences

import whyword as ww
from whyword.models.pytorch.encoding import DELETIONS, Deletion

SHARES = (0.1, 0.25, 0.5)  # of the words with the least relevance
SEVERAL, NEUTRAL = 5, 50  # texts that a word is in, at least; words that say little
Floats = NDArray[np.float64]


class Check(NamedTuple):
    """Texts, the words of each that are deleted, and what should be said without them."""

    name: str
    texts: Sequence[str]
    gone: Sequence[NDArray[np.intp]]
    scores: Floats
    chances: Floats


def said(
    model: ww.TorchClassifier, texts: Sequence[str], gone: Sequence[NDArray[np.intp]] | None = None
) -> tuple[Floats, Floats]:
    """Return scores and probabilities, (n, C) each, of texts without some words."""
    traces = list(model.trace(texts, deleted=None if gone is None else iter(gone)))
    scores = np.concatenate([trace.scores for trace in traces])
    return scores, np.concatenate([trace.probabilities for trace in traces])


def quiet_words(explained: ww.Explanations) -> list[str]:
    """Return words of several texts with the least mean |relevance|."""
    found = defaultdict(list)
    for one in explained:
        for word, relevance in zip(one.words, one.relevance.tolist(), strict=True):
            if word.isalpha():
                found[word.lower()].append(abs(relevance))
    common = {word: np.mean(values) for word, values in found.items() if len(values) >= SEVERAL}
    return sorted(common, key=lambda word: float(common[word]))[:NEUTRAL]


def inserted(model: ww.TorchClassifier, explained: ww.Explanations) -> Check:
    """Return texts with words put in that say little."""
    random, words = np.random.default_rng(0), quiet_words(explained)
    texts, gone = [], []
    for one in explained:
        apart = [n for n, (start, _) in enumerate(one.spans.tolist()) if _is_apart(one.text, start)]
        places = np.sort(random.choice(apart, max(1, len(one.words) // 4)))
        text, done, starts = "", 0, []
        for place in places.tolist():
            start = int(one.spans[place, 0])
            text += one.text[done:start]
            starts.append(len(text))
            text += f"{random.choice(words)} "
            done = start
        texts.append(text + one.text[done:])
        (document,) = model.documents(texts[-1:])
        gone.append(np.flatnonzero(np.isin(document.spans[:, 0], starts)))
    return Check("put in", texts, gone, *said(model, [one.text for one in explained]))


def _is_apart(text: str, start: int) -> bool:
    return start == 0 or text[start - 1].isspace()  # what is put in then joins nothing


def least_relevant(model: ww.TorchClassifier, explained: ww.Explanations, share: float) -> Check:
    """Return texts whose least relevant words go."""
    gone = []
    for one in explained:
        count = max(1, round(share * len(one.words)))
        gone.append(np.sort(np.argsort(np.abs(one.relevance), kind="stable")[:count]))
    texts = [one.text for one in explained]
    return Check(f"least {share:.0%}", texts, gone, *said(model, texts))


def with_deletion(model: ww.TorchClassifier, how: str) -> ww.TorchClassifier:
    """Return the model with another way to delete words."""
    other = copy.copy(model)
    other.deletion = Deletion.of(how, model.encoder, model.network.pad, None)
    return other


class Change(NamedTuple):
    """What a way to delete changes in a check: means, and the share of predictions."""

    probability: float
    score: float
    predictions: float


def compare(
    model: ww.TorchClassifier, texts: Sequence[str]
) -> tuple[int, dict[str, dict[str, Change]]]:
    """Print, and return, how many texts took part and what each way changes in each check."""
    explained = ww.explain(model, [text for text in texts if text.strip()])
    checks = [inserted(model, explained)]
    checks += [least_relevant(model, explained, share) for share in SHARES]
    print(f"{model!r}, {len(explained)} texts")
    print("change of probability / of score / predictions that change")
    print(f"{'':6}" + "".join(f"{check.name:>26}" for check in checks))
    found: dict[str, dict[str, Change]] = {}
    for how in DELETIONS:
        other, line = with_deletion(model, how), f"{how:6}"
        changes = found[how] = {}
        for check in checks:
            scores, chances = said(other, check.texts, check.gone)
            best = check.scores.argmax(1)
            rows = np.arange(len(best))
            chance = float(np.abs(chances - check.chances)[rows, best].mean())
            score = float(np.abs(scores - check.scores)[rows, best].mean())
            other_class = float((scores.argmax(1) != best).mean())
            line += f"{chance:12.4f} {score:6.3f} {other_class:5.1%} "
            changes[check.name] = Change(chance, score, other_class)
        print(f"{line}   mean {moved(changes):.4f}")
    return len(explained), found


def moved(changes: dict[str, Change]) -> float:
    """Return the mean change of probabilities over all checks."""
    return float(np.mean([change.probability for change in changes.values()]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--toxic-spans", type=Path, help="a folder with tsd_trial.csv")
    parser.add_argument("--model", help="a folder")
    parser.add_argument("--corpus", default="20newsgroups")
    parser.add_argument("--out", type=Path, help="a file for the figures")
    given = parser.parse_args()
    if given.model is not None:
        model = ww.load_model(given.model)
        corpus = ww.load_corpus(given.corpus)
        order = np.random.default_rng(0).permutation(len(corpus.test.texts))[: given.texts]
        texts, kind = [corpus.test.texts[number] for number in order], f"texts of {corpus.name}"
    else:
        ready = bert_tiny()
        model = ww.TorchClassifier(ready.module, bert_tiny_tokenizer(), ready.classes)
        if given.toxic_spans is None:
            texts, kind = sentences(given.texts).texts, "film sentences"
        else:
            texts, kind = comments(given.toxic_spans, given.texts).texts, "comments"
    if not isinstance(model, ww.TorchClassifier):
        raise SystemExit(f"{type(model).__name__} has no choice of ways to delete a word")
    count, found = compare(model, texts)
    if given.out:
        ways = {
            how: {name: change._asdict() for name, change in some.items()}
            for how, some in found.items()
        }
        write_results(given.out, {"texts": count, "kind": kind, "ways": ways})
    best = min(found, key=lambda how: moved(found[how]))
    print(f"{best} disturbs least; the default is {model.deletion.how}")
    if best != model.deletion.how:
        raise SystemExit("missed")


if __name__ == "__main__":
    main()
