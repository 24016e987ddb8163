import re
from dataclasses import replace
from pathlib import Path

import pytest
from recognised import found

pytestmark = pytest.mark.slow(reason="many clusterings")


def test_it_shows_all_there_is(tmp_path: Path) -> None:
    path = tmp_path / "ways.html"
    assert found().to_html(path) == str(path)
    page = path.read_text()
    assert "<title>How space is recognised</title>" in page
    assert found().verdict in page
    assert page.count('class="ww"') == 1 + 4  # two typical documents of each
    assert page.count('<section id="way') == 2
    assert re.search(r'<tr class="marked"><th scope="row"><a href="#way1">', page)
    assert page.count("lives on suspects</small>") == 1
    assert "accuracy" in page
    assert "text " in page
    assert "http" not in page.replace("http-equiv", "")


def test_what_is_not_known_is_not_shown() -> None:
    bare = [
        replace(one, accuracy=None, interval=None, on_suspects=None, distinct=[]) for one in found()
    ]
    page = replace(found(), strategies=bare[:1], groups=found().groups * 0 + 1).to_html(title="<b>")
    assert "<title>&lt;b&gt;</title>" in page
    assert "on suspects" not in page
    assert "accuracy" not in page
    assert "no evidence of several ways" in page
    assert "its words" in page
