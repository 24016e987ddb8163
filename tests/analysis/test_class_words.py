"""Words of classes against the literal reading of docs/classes.md."""

import sys
from collections import defaultdict

import numpy as np
import pytest
from keywords import Keywords
from networks import TOPICS, made_cnn, small_cnn, topical
from oracle import class_word_value
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from whyword import InputError, SVMClassifier, class_words, explain, from_pipeline
from whyword.analysis.class_words import (
    RANKS,
    UNITS,
    ClassWords,
    ClassWordsRequest,
    class_words_choices,
)
from whyword.base.labels import Label
from whyword.explanation.explanation import Explanation

TEXTS = ["wa wb Wa", "", "wc wb", "wd WD wd we", "unheard wa"]
Occurrences = dict[str, list[tuple[int, int, float, float, bool]]]


def literal(model: object, texts: list[str], units: str = "words") -> dict[Label, Occurrences]:
    """All occurrences of each word for each class: document, position, relevance, value, given."""
    found: dict[Label, Occurrences] = defaultdict(lambda: defaultdict(list))
    shared = isinstance(model, SVMClassifier)  # of a bag, an occurrence shows the word's whole
    for number, text in enumerate(texts):
        for label in explain(model, text).classes:
            one = explain(model, text, label, level="phrase" if units == "phrases" else "word")
            given = one.predicted == label
            for place, (name, start, relevance) in enumerate(_said(one, units)):
                same = [r for other, _, r in _said(one, units) if other == name]
                position = max([n for n, (at, _) in enumerate(one.spans) if at <= start])
                assert units == "phrases" or position == place
                value = sum(same) if shared else relevance
                found[label][name].append((number, position, relevance, value, given))
    return found


def _said(one: Explanation, units: str) -> list[tuple[str, int, float]]:
    """Return each occurrence's name, where it begins, its relevance."""
    if units == "phrases":
        assert one.units is not None
        names, spans, values = one.units.names, one.units.spans, one.units.relevance
    else:
        names, spans, values = one.words, one.spans, one.relevance
    starts = [start for start, _ in spans.tolist()]
    lowered = [name.lower() for name in names]
    return list(zip(lowered, starts, values.tolist(), strict=True))


def check(by_class: ClassWords, expected: dict[Label, Occurrences], rank: str, least: int) -> None:
    """Compare all words of all classes with the literal reading."""
    for label, words in expected.items():
        values = {
            word: class_word_value(rank, [(d, r, v, g) for d, _, r, v, g in those])
            for word, those in words.items()
            if len(those) >= least
        }
        near = {word for word, value in values.items() if abs(value) < 1e-6}
        listed = [entry.word for entry in by_class[label]]
        assert set(listed) - near == {w for w, value in values.items() if value > 0} - near
        given = [entry.relevance for entry in by_class[label]]
        assert given == sorted(given, reverse=True)
        assert all(value > 0 for value in given)
        for entry in by_class[label]:
            those = words[entry.word]
            assert entry.relevance == pytest.approx(values[entry.word], rel=1e-4, abs=1e-5)
            assert entry.occurrences == len(those)
            assert entry.documents == len({document for document, *_ in those})
            places = {(d, p): value for d, p, _, value, _ in those}
            assert isinstance(entry.document, int)
            best = max(value for *_, value, _ in those)
            assert places[entry.document, entry.position] == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("kind", ["cnn", "svm"])
def test_each_word_once_by_every_rank(kind: str, rank: str) -> None:
    if kind == "cnn":
        model, texts = made_cnn((2,), seed=3), TEXTS
    else:
        texts, labels = topical(30)
        model = SVMClassifier(C=1.0).fit(texts, labels)  # type: ignore[assignment]
    for least in (1, 3):
        by_class = class_words(model, texts, top=1000, rank=rank, least=least)
        assert by_class.n_documents == len(texts)
        check(by_class, literal(model, texts), rank, least)


@pytest.mark.parametrize("rank", RANKS)
def test_phrases_are_units(rank: str) -> None:
    """Windows of two widths side by side; n-grams of a bag."""
    cnn = made_cnn((1, 2), seed=3)
    texts, labels = topical(20)
    bag = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression())
    wrapped = from_pipeline(bag.fit(texts, labels))
    for model, some in ((cnn, TEXTS[:1] + TEXTS[2:]), (wrapped, texts[:6])):
        by_class = class_words(model, some, top=10_000, rank=rank, units="phrases")
        assert by_class.units == "phrases"
        expected = literal_of_shares(model, some)
        check(by_class, expected, rank, 1)
        widths = {len(entry.word.split()) for each in by_class.values() for entry in each}
        assert widths == {1, 2}


def literal_of_shares(model: object, texts: list[str]) -> dict[Label, Occurrences]:
    """Return the phrases; in a pipeline's words, occurrences show their own shares."""
    found = literal(model, texts, "phrases")
    return {
        label: {name: [(d, p, r, r, g) for d, p, r, _, g in those] for name, those in words.items()}
        for label, words in found.items()
    }


def test_a_phrase_is_seen_if_all_its_words_are() -> None:
    model = small_cnn()
    texts = ["orbit chip zebra moon rocket", "moon rocket"]
    entries = class_words(model, texts, "space", top=100, units="phrases")["space"]
    assert {"moon rocket", "zebra moon"} & {entry.word for entry in entries}
    for entry in entries:
        assert entry.seen == ("zebra" not in entry.word)
        words = texts[int(entry.document)].split()
        said = entry.word.split()
        assert words[entry.position : entry.position + len(said)] == said


def test_models_without_phrases_say_so() -> None:
    with pytest.raises(InputError, match="units='phrases' needs a model whose units"):
        class_words(Keywords(), ["the moon"], units="phrases")


def test_everything_to_choose_from_is_read_once() -> None:
    """All ranks, and phrases where they are not the words; what was asked for comes first."""
    model, texts = made_cnn((2,), seed=3), TEXTS * 2
    lists = class_words_choices(model, ClassWordsRequest(top=4), iter(texts))
    assert [(one.units, one.rank) for one in lists] == [
        (units, rank) for units in UNITS for rank in RANKS
    ]
    for one in lists:
        alone = class_words(model, texts, top=4, rank=one.rank, units=one.units)
        assert dict(one) == dict(alone)
    asked = ClassWordsRequest.of("class 1", 3, "word", "sum", 1, "phrases", None, {})
    other = class_words_choices(model, asked, texts)
    assert [(one.units, one.rank) for one in other[:2]] == [
        ("phrases", "sum"),
        ("phrases", "typical"),
    ]
    assert len(other) == 8
    for same in (made_cnn((1,), seed=3), Keywords()):  # their phrases are words; it has none
        some = ["the moon", "a puck wa"]
        assert {o.units for o in class_words_choices(same, ClassWordsRequest(), some)} == {"words"}
    single = ClassWordsRequest.of("all", 3, "occurrence", None, 1, "words", None, {})
    assert {one.rank for one in class_words_choices(model, single, texts)} == {"strongest"}


def test_occurrences_and_ids() -> None:
    model = made_cnn((1,), seed=3)
    by_class = class_words(model, TEXTS, ["class 0"], top=4, per="occurrence", ids=list("abcde"))
    values = sorted(
        (v for words in literal(model, TEXTS)["class 0"].values() for *_, v, _ in words if v > 0),
        reverse=True,
    )
    assert len(values) >= 4
    assert [entry.relevance for entry in by_class["class 0"]] == pytest.approx(values[:4], abs=1e-5)
    assert all(entry.document in "abcde" for entry in by_class["class 0"])  # type: ignore[operator]


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = made_cnn(), TEXTS * 5
    whole = class_words(model, texts, rank="strongest")
    monkeypatch.setattr(sys.modules["whyword.analysis.class_words"], "_BLOCK", 2)
    parts = class_words(model, iter(texts), rank="strongest")
    assert list(whole) == list(parts) == ["class 0", "class 1", "class 2"]
    for label in whole:
        assert len(whole[label]) >= 2
        for a, b in zip(whole[label], parts[label], strict=True):
            assert a[:1] + a[2:] == b[:1] + b[2:]
            assert a.relevance == pytest.approx(b.relevance, abs=1e-6)


def test_unseen_words_are_those_of_no_training_text() -> None:
    model = small_cnn()
    by_class = class_words(model, ["orbit chip zebra", "Orbit of"], rank="strongest")
    seen = {entry.word: entry.seen for entries in by_class.values() for entry in entries}
    assert {"orbit", "chip"} < set(seen) <= {"orbit", "chip", "zebra", "of"}
    assert seen == {word: word != "zebra" for word in seen}
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
    assert len(frame) == sum(map(len, by_class.values()))
    with pytest.raises(InputError, match="there is no class 'class 9'"):
        by_class["class 9"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"top": 0}, "top must be a whole number"),
        ({"per": "letter"}, "per may be 'word' or 'occurrence'"),
        ({"rank": "median"}, "rank may be 'typical' or 'strongest' or 'mean' or 'sum'"),
        ({"units": "letters"}, "units may be 'words' or 'phrases'"),
        ({"per": "occurrence", "rank": "typical"}, "say per='word'"),
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
    few = class_words(made_cnn(), ["wa wb"], top=30)
    assert 1 <= max(map(len, few.values())) <= 2


def test_somebodys_model() -> None:
    texts, labels = topical(30, seed=5)
    by_class = class_words(Keywords(), texts, top=6, rank="strongest", ids=map(str, range(30)))
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


def test_a_pipeline_that_is_passed_as_it_is_tells_which_words_it_has_seen() -> None:
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    pipeline.fit(["wa wb", "wc wd"], ["first", "second"])
    (word, *_) = class_words(pipeline, ["wa wa wx"], "first")["first"]
    assert (word.word, word.seen) == ("wa", True)
