from whyword.corpora.corpus import Corpus, Part
from whyword.corpora.overview import ClassFigures, GroupFigures, PartFigures, describe


def test_figures() -> None:
    train = Part(["One two two.", "", "word " * 100, "x " * 500 + "late"], ["a", "a", "b", "b"], [])
    test = Part(["Hello"], ["a"], [])
    figures = describe(Corpus("name", train, test))
    assert figures.train == PartFigures(
        documents=4, words=604, vocabulary=5, vocabulary_400=4, short=1, long=2
    )
    assert figures.test == PartFigures(1, 1, 1, 1, short=1, long=0)
    assert figures.classes == (ClassFigures("a", 2, 1, 1.0), ClassFigures("b", 2, 0, 300.5))


def test_without_labels() -> None:
    figures = describe(Corpus("name", Part(["a b"], None, ["1"]), Part([], [], [])))
    assert figures.classes == ()
    assert figures.train.words == 2


def test_as_many_classes_as_documents_with_a_long_name() -> None:
    labels = [str(number) for number in range(20_000)]
    labels[7] = "x" * 200_000
    part = Part(["a"] * 20_000, labels, labels)
    assert len(describe(Corpus("name", part, Part([], [], []))).classes) == 20_000


def test_groups_are_counted() -> None:
    train = Part(["a", "b", "c"], ["x"] * 3, [], {"author": ["eve", "", "bob"]})
    test = Part(["a", "b"], ["x"] * 2, [], {"author": ["eve", "eve"]})
    figures = describe(Corpus("name", train, test))
    assert figures.groups == (GroupFigures("author", train=2, test=1, both=1),)
    assert describe(Corpus("name", train, Part([], [], []))).groups[0].test == 0
