"""Words of classes against the literal reading of docs/classes.md."""

import sys
from collections import defaultdict

import numpy as np
import pytest
from keywords import Keywords
from networks import TOPICS, made_cnn, small_cnn, topical

from whyword import InputError, SVMClassifier, class_words, explain
from whyword.base.labels import Label

TEXTS = ["wa wb Wa", "", "wc wb", "wd WD wd we", "unheard wa"]


def literal(
    model: object, texts: list[str]
) -> dict[Label, dict[str, list[tuple[float, int, int]]]]:
    """All occurrences of each word for each class: value, document, position."""
    occurrences: dict[Label, dict[str, list[tuple[float, int, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for number, text in enumerate(texts):
        for label in explain(model, text).classes:
            one = explain(model, text, label)
            pooled = one.by_word()
            for position, word in enumerate(one.words):
                value = float(one.relevance[position])
                if isinstance(model, SVMClassifier):
                    value = pooled[word.lower()]
                occurrences[label][word.lower()].append((value, number, position))
    return occurrences


@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_each_word_once_by_its_strongest_occurrence(kind: str) -> None:
    if kind == "cnn":
        model, texts = made_cnn((2,), seed=3), TEXTS
    else:
        texts, labels = topical(30)
        model = SVMClassifier(C=1.0).fit(texts, labels)  # type: ignore[assignment]
    by_class = class_words(model, texts, top=1000)
    assert by_class.n_documents == len(texts)
    for label, words in literal(model, texts).items():
        assert {entry.word for entry in by_class[label]} == set(words)
        values = [entry.relevance for entry in by_class[label]]
        assert values == sorted(values, reverse=True)
        for entry in by_class[label]:
            best = max(value for value, _, _ in words[entry.word])
            assert entry.relevance == pytest.approx(best, abs=1e-5)
            places = {
                (document, position): value for value, document, position in words[entry.word]
            }
            assert isinstance(entry.document, int)
            at = places[entry.document, entry.position]
            assert at == pytest.approx(best, abs=1e-5)
            assert entry.occurrences == len(words[entry.word])


def test_mean_sum_and_least() -> None:
    model = made_cnn((1,), seed=3)
    words = literal(model, TEXTS)["class 1"]
    for rank, pool in (("mean", np.mean), ("sum", np.sum)):
        entries = class_words(model, TEXTS, "class 1", rank=rank)["class 1"]
        for entry in entries:
            expected = pool([value for value, _, _ in words[entry.word]])
            assert entry.relevance == pytest.approx(float(expected), abs=1e-5)
    often = class_words(model, TEXTS, "class 1", least=3)["class 1"]
    assert {entry.word for entry in often} == {"wa", "wd"}


def test_occurrences_and_ids() -> None:
    model = made_cnn((1,), seed=3)
    by_class = class_words(model, TEXTS, ["class 0"], top=4, per="occurrence", ids=list("abcde"))
    values = sorted(
        (v for words in literal(model, TEXTS)["class 0"].values() for v, _, _ in words),
        reverse=True,
    )
    assert [entry.relevance for entry in by_class["class 0"]] == pytest.approx(values[:4], abs=1e-5)
    assert all(entry.document in "abcde" for entry in by_class["class 0"])  # type: ignore[operator]


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = made_cnn(), TEXTS * 5
    whole = class_words(model, texts)
    monkeypatch.setattr(sys.modules["whyword.analysis.class_words"], "_BLOCK", 2)
    parts = class_words(model, iter(texts))
    assert list(whole) == list(parts) == ["class 0", "class 1", "class 2"]
    for label in whole:
        assert len(whole[label]) > 3
        for a, b in zip(whole[label], parts[label], strict=True):
            assert a[:1] + a[2:] == b[:1] + b[2:]
            assert a.relevance == pytest.approx(b.relevance, abs=1e-6)


def test_unseen_words_are_those_of_no_training_text() -> None:
    model = small_cnn()
    entries = class_words(model, ["orbit chip zebra", "Orbit of"], "space", top=100)["space"]
    assert {entry.word: entry.seen for entry in entries} == {
        "orbit": True,
        "chip": True,
        "zebra": False,
        "of": True,
    }
    svm = SVMClassifier(C=1.0).fit(*topical(30))
    known = class_words(svm, ["orbit zebra"], "space", top=1)["space"]
    assert known[0].seen


def test_as_a_mapping_and_a_frame() -> None:
    by_class = class_words(made_cnn(), TEXTS, top=2)
    assert list(by_class) == ["class 0", "class 1", "class 2"]
    assert len(by_class) == 3
    assert "3 classes, 5 documents" in repr(by_class)
    frame = by_class.to_frame()
    assert list(frame.columns[:4]) == ["class", "place", "word", "relevance"]
    assert len(frame) == 6
    with pytest.raises(InputError, match="there is no class 'class 9'"):
        by_class["class 9"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"top": 0}, "top must be a whole number"),
        ({"per": "letter"}, "per may be 'word' or 'occurrence'"),
        ({"rank": "median"}, "rank may be 'strongest', 'mean' or 'sum'"),
        ({"per": "occurrence", "rank": "sum"}, "say per='word'"),
        ({"per": "occurrence", "least": 2}, "say per='word'"),
        ({"target": "predicted"}, "name them, or say 'all'"),
        ({"target": "class 9"}, "did you mean class"),
        ({"least": 0}, "least must be"),
    ],
)
def test_unfit_arguments(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        class_words(made_cnn(), TEXTS, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("target", [{"class 1"}, np.array(["class 1"]), ("class 1",), "class 1"])
def test_targets_of_any_kind(target: object) -> None:
    assert list(class_words(made_cnn(), TEXTS, target)) == ["class 1"]


def test_nothing_to_look_in() -> None:
    with pytest.raises(InputError, match="there are no texts"):
        class_words(made_cnn(), [])
    assert class_words(made_cnn(), ["", " "])["class 1"] == []
    assert len(class_words(made_cnn(), ["wa wb"], top=30)["class 1"]) == 2


def test_somebodys_model() -> None:
    texts, labels = topical(30, seed=5)
    by_class = class_words(Keywords(), texts, top=6, ids=map(str, range(30)))
    assert list(by_class) == list(TOPICS)
    for label, entries in by_class.items():
        assert {entry.word for entry in entries} <= set(TOPICS[str(label)])
        for entry in entries:
            assert entry.seen is None  # nobody knows what it was trained on
            document = int(entry.document)
            assert labels[document] == label
            one = explain(Keywords(), texts[document], label)
            assert one.method == "occlusion"
            assert one.words[entry.position].lower() == entry.word
            assert entry.relevance == pytest.approx(float(one.relevance[entry.position]))
    assert "seen" in by_class.to_frame().columns
