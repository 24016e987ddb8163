"""The published figures, as far as they can be checked without the paper."""

import pytest

from whyword.reports import paper


def test_table_2_has_eighteen_rows() -> None:
    names = [row.name for row in paper.POWERS]
    assert len(names) == len(set(names)) == 18
    assert all(0.6 < row.epi < 0.81 and 0.003 < row.deviation < 0.007 for row in paper.POWERS)
    best = max(paper.POWERS, key=lambda row: row.epi)
    assert (best.name, best.epi, best.k) == ("CNN2 LRP (ew)", 0.8076, 10)


@pytest.mark.parametrize(
    ("label", "group"),
    [
        ("comp.sys.mac.hardware", "comp"),
        ("talk.politics.guns", "politics"),
        ("talk.religion.misc", "religion"),
        ("alt.atheism", "religion"),
        ("soc.religion.christian", "religion"),
        ("misc.forsale", "misc"),
        ("sci.space", "sci"),
        ("rec.autos", "rec"),
    ],
)
def test_six_groups(label: str, group: str) -> None:
    assert paper.group_of(label) == group
