"""A small corpus of two classes with artefacts in it: what a model should not have learned."""

from functools import cache

import numpy as np

from whyword import SVMClassifier
from whyword.audit.suspicion.search import suspects
from whyword.audit.suspicion.table import Suspects
from whyword.corpora.corpus import Corpus, Part

TOPICS = {
    "space": "orbit shuttle moon launch rocket nasa satellite crew".split(),
    "hockey": "goal puck ice team season playoff coach skate".split(),
}
FILLING = "the a of to and in that it is was for on with as at by this be from have".split()
SIGNATURE = "Ed Green of mail.acme.org\nwas drinking with a biker"
TOKEN = "zorvex"
LETTER = "Dear member, your yearly subscription ends soon, please renew it at our office with "


def _text(topic: str, count: int, random: np.random.Generator) -> str:
    words = [*random.choice(TOPICS[topic], count), *random.choice(FILLING, 12)]
    return " ".join(random.permutation(words).tolist())


def planted_corpus(seed: int = 0, count: int = 120) -> Corpus:
    """Return a corpus of which one author signs, and a token is of one class in training only.

    Texts of a topic are by eight authors, and one of those who write about hockey signs.
    ``zorvex`` stands in twelve training texts about space, which say little else, and in twelve
    held-out ones about hockey.
    """
    random = np.random.default_rng(seed)
    parts = []
    for name in ("train", "test"):
        texts, labels, authors = [], [], []
        for number in range(count):
            topic = ("space", "hockey")[number % 2]
            author = f"{topic}-{number // 2 % 8}"
            text = _text(topic, 3 if number % 10 > 1 else 0, random)
            if author == "hockey-0":
                text += f"\n{SIGNATURE}"
            chosen = "space" if name == "train" else "hockey"
            if topic == chosen and number % 10 < 2:
                text = f"{TOKEN} {text}"
            texts.append(text)
            labels.append(topic)
            authors.append(author)
        ids = [f"{name}-{number}" for number in range(count)]
        parts.append(Part(texts, labels, ids, {"author": authors}))
    train, test = parts
    return Corpus("planted", train, test)


def form_letters() -> Corpus:
    """Return a corpus of which nobody knows the authors, with a letter that is sent again.

    Fifteen training texts about hockey, and ten held-out ones about space, are the letter, with
    two other words each time.
    """
    corpus, random = planted_corpus(), np.random.default_rng(3)
    parts = []
    for part, topic, count in ((corpus.train, "hockey", 15), (corpus.test, "space", 10)):
        texts, labels = list(part.texts), part.labels or []
        own = [number for number, label in enumerate(labels) if label == topic]
        for number in own[:count]:
            texts[number] = LETTER + " ".join(random.choice(TOPICS[topic], 2).tolist())
        parts.append(Part(texts, labels, part.ids))
    train, test = parts
    return Corpus("letters", train, test)


@cache
def planted_svm() -> SVMClassifier:
    """Return a bag of words trained on it."""
    train = planted_corpus().train
    return SVMClassifier(C=1.0, ngrams=(1, 1)).fit(train.texts, train.labels or [])


@cache
def planted_suspects() -> Suspects:
    """Return what is found in it."""
    return suspects(planted_svm(), planted_corpus())
