"""What a search for suspects costs of black boxes: counted, and compared with what is asked."""

import numpy as np
import pytest
from counting import LETTERS, Counting
from planted import planted_corpus

from whyword import InputError
from whyword.audit.suspicion.price import suspects_price
from whyword.audit.suspicion.search import suspects
from whyword.corpora.corpus import Corpus, Part


def corpus(labelled: bool = True) -> Corpus:
    """Return texts of few words, of the classes that a counting model gives them."""
    random = np.random.default_rng(4)
    parts = []
    for count in (30, 20):
        sizes = random.integers(0, 8, count).tolist()
        texts = [" ".join(random.choice(["a", "b", "cab", "bead", "x"], size)) for size in sizes]
        best = Counting().box().scores(texts).argmax(axis=1).tolist()
        labels = [LETTERS[number] for number in best] if labelled else None
        parts.append(Part(texts, labels, list(map(str, range(count)))))
    train, test = parts
    return Corpus("letters", train, test)


def limit_units(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    for module in ("search", "price"):
        monkeypatch.setattr(f"whyword.audit.suspicion.{module}.MOST_ASKED", most)


@pytest.mark.parametrize("method", [None, "random"])
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("most", [200, 3])
def test_it_is_what_is_asked_at_most(
    most: int, labelled: bool, method: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_units(monkeypatch, most)
    texts, model = corpus(labelled), Counting()
    said = suspects_price(model.box(), texts, method=method, least_documents=2)
    measured = model.total
    suspects(model.box(), texts, method=method, least_documents=2)
    asked = model.total - measured
    assert said.at_most
    assert asked <= said.predictions <= 2 * asked


def test_fewer_units_cost_less(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, model = corpus(), Counting(0.25)
    many = suspects_price(model.box(), texts, clock=model.clock)
    assert many.seconds == pytest.approx(many.predictions * 0.25)
    limit_units(monkeypatch, 1)
    few = suspects_price(model.box(), texts)
    assert few.predictions < many.predictions
    assert suspects_price(model.box(), texts, least_documents=99).predictions < few.predictions


def test_what_makes_no_sense_is_the_line_of_the_search() -> None:
    for wrong, said in ((["a text"], "must be a Corpus"), (planted_corpus(), "no class")):
        with pytest.raises(InputError, match=said):
            suspects_price(Counting().box(), wrong)  # type: ignore[arg-type]
