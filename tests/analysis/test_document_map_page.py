"""The map's page: its data cannot leave the element it stands in."""

import json
import re

import numpy as np
from hostile import HOSTILE
from networks import small_cnn

from whyword import document_map
from whyword.base.printable import visible

TEXTS = [HOSTILE, "moon orbit zebra", "goal puck", ""]


def test_data_is_whole_and_cannot_be_markup() -> None:
    page = document_map(
        small_cnn(), TEXTS, ["</script>", "b", "b", "c"], ids=list("abcd")
    ).to_html()
    assert page.count("</script>") == 2  # those of the data and of the program
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    data = json.loads(match[1])
    assert len(data["points"]) == 8
    assert min(data["points"]) >= 0
    assert max(data["points"]) <= 1
    first, second = data["documents"][:2]
    assert first[:2] == ["a", "</script>"]
    assert first[5].replace("\x7f", "") == visible(HOSTILE)
    pieces = second[5].split("\x7f")
    assert pieces[1::2] == ["moon", "orbit", "zebra"]
    assert len(second[6]) == 3
    assert second[6][2] == "?" or second[6][2].isalpha()
    assert data["documents"][3][5:] == ["", ""]
    assert np.isfinite(data["points"]).all()
    assert "default-src 'none'" in page
