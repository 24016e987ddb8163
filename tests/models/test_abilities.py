"""Which models are able to what, beyond the protocol."""

from networks import topical

from whyword import CNNClassifier, SVMClassifier
from whyword.models.abilities import Caching, Reading, Shiftable, Trained, removal_by_source
from whyword.models.blackbox import BlackBox
from whyword.words.reader import Reader


def test_abilities_of_the_models() -> None:
    assert issubclass(CNNClassifier, Trained)
    assert issubclass(CNNClassifier, Shiftable)
    assert issubclass(CNNClassifier, Caching)
    assert issubclass(SVMClassifier, Trained)
    for ability in (Shiftable, Caching):
        assert not issubclass(SVMClassifier, ability)
        assert not issubclass(BlackBox, ability)
    assert not issubclass(BlackBox, Trained)


def test_what_a_source_removes_for_a_model() -> None:
    assert issubclass(SVMClassifier, Reading)
    assert removal_by_source(object()) is None
    model = SVMClassifier(C=1.0).fit(*topical(30))
    assert removal_by_source(model) is None
    told = SVMClassifier(C=1.0, reader=Reader(remove=())).fit(*topical(30))
    assert removal_by_source(told) == ()
