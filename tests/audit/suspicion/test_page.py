"""The page of suspects: what it shows, and how much of it."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
import typer
from planted import planted_suspects as planted
from planted import planted_svm

from whyword.audit.suspicion.page import MOST, chosen_rows
from whyword.cli.main import command_line


def data_of(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    data: dict[str, Any] = json.loads(found)
    return data


def test_a_row_has_its_words_evidence_numbers_and_documents() -> None:
    page = planted().to_html()
    assert "<title>What it should not have learned: planted</title>" in page
    assert '<bdi class="chip">zorvex</bdi>' in page
    assert "it does not carry over: 12 of 12 of the training documents" in page
    assert "<td>wrong to right</td><td>0</td><td>9</td>" in page
    assert f"held-out document {planted().examples[planted()[0].examples[0]].id}" in page
    assert re.search(r'<span class="w p20 m" title="zorvex: \+[\d.]+">zorvex</span>', page)
    assert page.count("<article") == sum(len(row.examples) for row in planted())
    assert "<b>2</b><span>suspects</span>" in page
    assert "held-out accuracy" in page
    assert "more are in the table" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_identity_is_short_and_whole_in_its_title() -> None:
    whole = planted_svm().identity
    page = planted().to_html()
    (head,) = re.findall(r'<p class="facts">(.*?)\.</p>', page)[:1]
    assert whole is not None
    assert head.startswith(f'<span title="{whole}">model {whole[:12]}</span>; source planted; ')
    assert page.count(whole) == 1
    nameless = replace(planted(), settings=planted().settings | {"model": None})
    assert '<p class="facts">source planted; method lrp' in nameless.to_html()
    assert planted().to_dict()["settings"]["model"] == whole


def test_its_data_are_the_lines_of_the_csv_but_for_one_cell() -> None:
    hostile = replace(planted()[0], entries=('=SUM("A1")', "a,b\ud800\u202e</script>"), examples=())
    found = replace(planted(), rows=[hostile, *planted()])
    page = found.to_html()
    page.encode()
    data = data_of(page)
    lines = [f"{before},,{behind}" for before, behind, *_ in data["rows"]]
    assert "\r\n".join([data["columns"], *lines, ""]) == found.to_csv()
    assert data["rows"][0][0] == '"\'=SUM(""A1""); a,b\ud800\u202e</script>"'
    assert data["rows"][0][2] == list(hostile.entries)
    assert data["rows"][0][3] == [0, 9, 0]


@pytest.mark.slow(reason="a long page")
def test_there_are_as_many_rows_as_a_person_goes_through() -> None:
    one = replace(planted()[0], examples=())
    few = {name: replace(one, verdict=name) for name in MOST}
    rows = [few[name] for name in MOST for _ in range(310)]
    chosen = chosen_rows(rows)
    assert [rows[at].verdict for at in chosen] == [
        name for name, most in MOST.items() for _ in range(most)
    ]
    page = replace(planted(), rows=rows).to_html(title="<b>many")
    assert "<title>&lt;b&gt;many</title>" in page
    assert "530 more are in the table of to_csv" in page
    assert "noise (50 of 310)" in page
    assert len(data_of(page)["rows"]) == page.count('class="tick"') == 400
    assert "<article" not in page


def test_long_units_are_short_until_they_are_opened() -> None:
    entries = tuple(f"{'word ' * 20}{n}" for n in range(12))
    long = replace(planted()[0], entries=entries, examples=())
    page = replace(planted(), rows=[long]).to_html()
    assert page.count('<bdi class="chip">') == 8
    assert "and 4 more" in page
    assert all(f"<bdi>{entry}</bdi>" in page for entry in entries)


def test_a_single_long_name_has_the_room_that_is_there() -> None:
    line = "skepticism is the chastity of the intellect and it is shameful to surrender it"
    alone = replace(planted()[0], entries=(line,), examples=())
    assert f'<bdi class="chip">{line}</bdi>' in replace(planted(), rows=[alone]).to_html()
    endless = replace(alone, entries=("word " * 200,))
    page = replace(planted(), rows=[endless]).to_html()
    (chip,) = re.findall(r'<bdi class="chip">(.*?)</bdi>', page)
    assert len(chip) < 200
    assert chip.endswith("…")


def test_commands_that_it_prints_have_all_that_they_need() -> None:
    group: Any = typer.main.get_command(command_line())
    printed = re.findall(r"<pre>whyword (.*?)</pre>", planted().to_html())
    assert [line.split()[0] for line in printed] == ["serve", "train", "compare"]
    for called, *arguments in map(str.split, printed):
        options = [part for part in arguments if part.startswith("--")]
        plain = len(arguments) - 2 * len(options)
        needed = [one for one in group.commands[called].params if one.required]
        assert plain >= sum(one.param_type_name == "argument" for one in needed)
        for one in needed:
            assert one.param_type_name == "argument" or set(one.opts) & set(options)
    assert "serve MODEL CORPUS --suspects FOLDER" in printed


def test_no_evidence_and_what_is_not_known() -> None:
    page = replace(planted(), rows=[], accuracy=None, remarks=["no labels"]).to_html()
    assert "No evidence" in page
    assert "<li>no labels</li>" in page
    assert "held-out accuracy" not in page
    assert 'id="data"' not in page
    bare = replace(
        planted()[0],
        groups=None,
        q_groups=None,
        q_odds=None,
        drift=0.0,
        held_out_turned=None,
        score=0.0,
    )
    page = replace(planted(), rows=[bare], n_held_out=0).to_html()
    assert "<td>wrong to right</td><td>0</td><td>–</td>" in page
    assert data_of(page)["counted"] == "training"
    assert data_of(page)["rows"][0][3] == [12, 0, 0]
    assert "<dt>authors</dt>" not in page
