"""The page of suspects: what it shows of each row, how many rows, and the data of its download."""

import json
import re
from dataclasses import replace
from typing import Any

import typer
from page_tables import plain
from planted import planted_suspects as planted
from planted import planted_svm
from suspected import one_suspect, some_suspects

from whyword.audit.suspicion.page import MOST, chosen_rows
from whyword.audit.suspicion.row import Suspect
from whyword.cli.main import command_line


def data_of(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    data: dict[str, Any] = json.loads(found)
    return data


def facts_of(row: Suspect, groups: str = "author") -> tuple[str, list[str]]:
    """Return the facts of a row, and how many predictions turn, as they are read."""
    suspects = some_suspects([row])
    page = replace(suspects, settings={"groups": groups}).to_html()
    (facts,) = re.findall(r"<dl>(.*?)</dl>", page, re.DOTALL)
    turns = re.findall(r"<tr><td>(.*?)</td></tr>", page.partition("predictions without it")[2])
    return plain(facts), [plain(one) for one in turns]


def test_a_row_has_its_words_evidence_and_documents() -> None:
    page, token = planted().to_html(), planted()[0]
    assert "<title>What it should not have learned: planted</title>" in page
    assert '<bdi class="chip">zorvex</bdi>' in page
    assert "it does not carry over: 12 of 12 of the training documents" in page
    for number in token.examples:
        part = "training" if number < 120 else "held-out"
        assert f'<h2 dir="auto">{part} document {planted().examples[number].id}</h2>' in page
    assert re.search(r'<span class="w p20 m" title="zorvex: \+[\d.]+">zorvex</span>', page)
    assert page.count("<article") == sum(len(row.examples) for row in planted())
    assert "http" not in page.replace("http-equiv", "")
    whole = str(planted_svm().identity)
    head = f'<p class="facts"><span title="{whole}">model {whole[:12]}</span>; source planted; '
    assert (head in page, page.count(whole)) == (True, 1)
    bars = [float(one) for one in re.findall(r'<rect width="([\d.]+)"', page)]
    assert bars == [100.0, round(100 * planted()[1].score / token.score, 1)]
    (tiles,) = re.findall(r'<ul class="tiles">(.*?)</ul>', page)
    assert plain(tiles) == (
        f"2 suspects 0 noise {planted().n_units} words, lines, pairs and patterns looked at 120 "
        f"training documents 120 held-out documents {planted().accuracy:.1%} held-out accuracy"
    )


def test_facts_of_a_row() -> None:
    row = one_suspect("x", relevance=1234.56, q_odds=0.0213, drift=0.123)
    assert facts_of(row) == (
        "in full x what word, host relevance 1,234.6 documents' worth, in 7 documents of the class "
        "5 of 6 training documents that have it, 1 of 3 held-out ones authors 2, usual 4: q = 0.01 "
        "odds whether lower when held out: q = 0.021 suspicion 1.50 (habit 0.40, drift 0.12, form "
        "0.50)",
        ["right to wrong – 2", "wrong to right – 1", "otherwise – 0"],
    )
    assert "texts, copies as one 2, usual" in facts_of(row, "near copies")[0]
    bare = replace(
        row, form="word", drift=0.0, groups=None, q_odds=None, train_turned=row.held_out_turned
    )
    facts, turns = facts_of(replace(bare, q_groups=None, held_out_turned=None))
    assert "in full x what word relevance" in facts
    assert "authors" not in facts
    assert "odds" not in facts
    assert turns == ["right to wrong 2 –", "wrong to right 1 –", "otherwise 0 –"]


def test_the_data_are_the_lines_of_the_csv_but_for_one_cell() -> None:
    hostile = replace(planted()[0], entries=('=SUM("A1")', "a,b\ud800\u202e</script>"), examples=())
    found = replace(planted(), rows=[hostile, *planted()])
    page = found.to_html()
    page.encode()
    data = data_of(page)
    lines = [f"{before},,{behind}" for before, behind, *_ in data["rows"]]
    assert "\r\n".join([data["columns"], *lines, ""]) == found.to_csv()
    assert data["rows"][0][0] == '"\'=SUM(""A1""); a,b\ud800\u202e</script>"'
    assert data["rows"][0][2:] == [list(hostile.entries), [0, 9, 0]]
    assert data["counted"] == "held-out"
    unheld = replace(found, rows=[replace(hostile, held_out_turned=None)], n_held_out=0)
    data = data_of(unheld.to_html())
    assert (data["counted"], data["rows"][0][3]) == ("training", [12, 0, 0])


def test_there_are_as_many_rows_as_a_person_goes_through() -> None:
    one = one_suspect("x")
    rows = [replace(one, verdict=name) for name in MOST for _ in range(310)]
    shown = [rows[at].verdict for at in chosen_rows(rows)]
    assert shown == ["suspect"] * 300 + ["noise"] * 50 + ["no evidence"] * 50
    page = some_suspects(rows[250:370] + rows[650:]).to_html(title="<b>many")
    assert "<title>&lt;b&gt;many</title>" in page
    assert "240 more are in the table of to_csv" in page
    assert "noise (50 of 60)" in page
    assert ">suspect (60)" in page
    assert len(data_of(page)["rows"]) == page.count('class="tick"') == 160


def test_long_units_are_cut_until_they_are_opened() -> None:
    entries = tuple(f"{'word ' * 20}{n}" for n in range(12))
    page = some_suspects([one_suspect(*entries)]).to_html()
    assert [len(one) for one in re.findall(r'<bdi class="chip">(.*?)</bdi>', page)] == [48] * 8
    assert "and 4 more" in page
    assert all(f"<bdi>{entry}</bdi>" in page for entry in entries)
    for length, shown in ((160, "x" * 160), (161, "x" * 159 + "…")):
        page = some_suspects([one_suspect("x" * length)]).to_html()
        assert f'<bdi class="chip">{shown}</bdi>' in page


def test_printed_commands_have_all_that_they_need() -> None:
    group: Any = typer.main.get_command(command_line())
    printed = re.findall(r"<pre>whyword (.*?)</pre>", planted().to_html())
    assert [line.split()[0] for line in printed] == ["serve", "train", "compare"]
    for called, *arguments in map(str.split, printed):
        options = [part for part in arguments if part.startswith("--")]
        plain_ones = len(arguments) - 2 * len(options)
        needed = [one for one in group.commands[called].params if one.required]
        assert plain_ones >= sum(one.param_type_name == "argument" for one in needed)
        for one in needed:
            assert one.param_type_name == "argument" or set(one.opts) & set(options)


def test_no_evidence_and_what_is_not_known() -> None:
    page = replace(planted(), rows=[], accuracy=None, remarks=["no labels"]).to_html()
    assert "No evidence" in page
    assert "<li>no labels</li>" in page
    assert "held-out accuracy" not in page
    assert 'id="data"' not in page
    zero = some_suspects([one_suspect("x", score=0.0)]).to_html()
    assert '<rect width="0.0"' in zero
