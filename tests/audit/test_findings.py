"""What a comparison says in sentences: of models whose numbers are set by hand."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from compared import compared

from whyword.audit.findings import findings_of
from whyword.audit.rows import Times
from whyword.audit.side_by_side import SideBySide
from whyword.evaluation import Comparison

pytestmark = pytest.mark.slow(reason="compares models")


def changed(
    accuracy: float = 1.0,
    power: float | None = 1.0,
    deletion: float | None = 1.0,
    gain: float = -0.1,
    **models: Sequence[object],
) -> SideBySide:
    """Return the comparison of cnn and svm with other p's, and other fields of both rows."""
    found = compared()
    pair = found.pair("cnn", "svm")
    assert pair.power is not None
    assert pair.deletion is not None

    def with_p(one: Comparison, p: float | None) -> Any:  # noqa: ANN401 - perhaps nothing
        return None if p is None else dataclasses.replace(one, p=p, adjusted=p, comparisons=1)

    pair = dataclasses.replace(
        pair,
        accuracy=with_p(dataclasses.replace(pair.accuracy, difference=0.1), accuracy),
        power=with_p(dataclasses.replace(pair.power, difference=-0.1), power),
        deletion=with_p(dataclasses.replace(pair.deletion, difference=gain), deletion),
    )
    rows = {
        name: dataclasses.replace(
            found.models[name],
            **{field: values[n] for field, values in models.items()},  # type: ignore[arg-type]
        )
        for n, name in enumerate(("cnn", "svm"))
    }
    return dataclasses.replace(found, models=rows, pairs=[pair])


def test_what_was_lost_is_not_called_open() -> None:
    """Best by all that each has right, and worse on what both have."""
    found = findings_of(changed(deletion=0.001, gain=-0.1))
    other = findings_of(changed(deletion=0.001, gain=0.1))
    for said in (*found, *other):
        assert not ("not told apart" in said and "decide most" in said)
    whole = " ".join((*found, *other))
    assert "is better where both are right" in whole
    assert "beyond chance" in whole


def test_accuracy_comes_first() -> None:
    row = compared().models["cnn"].quality.accuracy, compared().models["svm"].quality.accuracy
    better = findings_of(changed(accuracy=0.001))
    assert better[0] == (
        f"cnn ({row[0]:.1%}) is more accurate than svm ({row[1]:.1%}): p = 0.0010."
    )
    assert not any(said.startswith("Equally accurate") for said in better)
    open_one = findings_of(changed())
    assert open_one[0].endswith(
        "cannot be told apart in accuracy here, which does not prove them equal: p = 1.0000."
    )


def test_the_papers_question() -> None:
    assert (
        "Equally accurate, more explainable? Nobody's explanations are better, as far as can be "
        "told here."
    ) in findings_of(changed())
    (both,) = question(changed(power=0.001, deletion=0.002))
    assert "svm's explanations hold more than cnn's by EPI (" in both
    assert "p = 0.0010) and by deletion's gain over chance (" in both
    (one,) = question(changed(deletion=0.002))
    assert "svm's explanations hold more than cnn's by deletion's gain over chance (" in one
    (parted,) = question(changed(power=0.001, deletion=0.002, gain=0.1))
    assert "Of cnn and svm it depends on the measure: by EPI" in parted
    assert question(changed(power=None, deletion=None)) == []


def question(found: SideBySide) -> list[str]:
    return [said for said in findings_of(found) if said.startswith("Equally accurate")]


def test_who_is_best_at_what() -> None:
    said = "\n".join(findings_of(changed()))
    rows = compared().models
    powers = {name: rows[name].power.epi for name in ("cnn", "svm")}  # type: ignore[union-attr]
    best = max(powers, key=lambda name: powers[name])
    assert f"By the summary vectors of {best} documents are told apart best, EPI" in said
    assert "The words that explain " in said
    alone = dataclasses.replace(rows["svm"], power=None)
    found = dataclasses.replace(changed(), models={"cnn": rows["cnn"], "svm": alone})
    assert "told apart best" not in "\n".join(findings_of(found))


def test_agreement_mistakes_and_price() -> None:
    pair = compared().pair("cnn", "svm")
    assert pair.words is not None
    times = [Times(0.001, None, 3), Times(0.03, None, 3)]
    said = "\n".join(findings_of(changed(times=times, n_bytes=[300, 100])))
    assert f"cnn and svm predict the same of {pair.share:.1%} of the documents; where both" in said
    assert f"{pair.words.overlap:.0%} of the 10 most relevant words are the same" in said
    assert "are wrong by all models." in said
    assert "cnn predicts fastest; svm takes 30 times as long." in said
    assert "svm is smallest; cnn is 3.0 times as large." in said
    alike = "\n".join(findings_of(changed(times=[times[0]] * 2, n_bytes=[None, 5])))
    assert "fastest" not in alike
    assert "smallest" not in alike


def test_of_many_pairs_the_most_and_the_least_alike_are_named() -> None:
    said = [one for one in findings_of(compared()) if "predict the same of" in one]
    shares = sorted(pair.share for pair in compared().pairs)
    assert len(set(shares)) > 1
    assert [f"{shares[-1]:.1%}" in said[0], f"{shares[0]:.1%}" in said[1]] == [True, True]
    assert len(said) == 2


def test_deletions_of_few_documents_are_told() -> None:
    found = compared()
    few = {
        name: {
            1: {
                method: dataclasses.replace(curve, chosen=curve.chosen[:many])
                for method, curve in row.curves[1].items()
            }
        }
        for (name, row), many in zip(found.models.items(), (3, 30), strict=False)
    }
    said = findings_of(changed(curves=[few["cnn"], few["svm"]]))
    assert any("Deletion 1 rests on few documents" in one and "cnn 3" in one for one in said)
