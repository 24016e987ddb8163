import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from recognised import found


@pytest.mark.slow(reason="many clusterings")
def test_a_list_of_strategies() -> None:
    ways = found()
    assert len(ways) == len(list(ways)) == 2
    assert ways[-1] is ways.strategies[1]
    assert repr(ways) == "Strategies(space, 66 documents: 1: moon (70%); 2: rocket (30%))"
    assert ways.verdict == (
        "66 documents are given space, in 2 ways (found again in other documents: 1.00)"
    )
    alone = replace(ways, strategies=ways.strategies[:1])
    assert alone.verdict == (
        "66 documents are given space: no evidence of several ways to recognise it"
    )


@pytest.mark.slow(reason="many clusterings")
def test_plain_data(tmp_path: Path) -> None:
    path = tmp_path / "ways.json"
    assert found().to_json(path) == str(path)
    plain = json.loads(path.read_text())
    assert plain == json.loads(found().to_json())
    assert plain["target"] == "space"
    assert [one["words"][0]["word"] for one in plain["strategies"]] == ["moon", "rocket"]
    assert plain["strengths"]["1"] == 1
    assert len(plain["documents"]) == len(plain["groups"]) == len(plain["points"]) == 66
    assert plain["ids"][0] == f"text {plain['documents'][0]}"


@pytest.mark.slow(reason="many clusterings")
def test_frame() -> None:
    frame = found().to_frame()
    assert frame.index.tolist() == [1, 2]
    assert frame["words"].tolist() == [["moon"], ["rocket"]]
    assert frame["n_documents"].sum() == 66


@pytest.mark.slow(reason="many clusterings")
def test_the_map_is_coloured_by_strategy() -> None:
    ways = found()
    drawn = ways.to_map()
    assert len(drawn) == 66
    assert sorted(set(drawn.groups)) == ["1: moon", "2: rocket"]
    assert drawn.ids[0].startswith("text ")
    assert drawn.groups.count("1: moon") == ways[0].n_documents
    means = [ways.points[ways.groups == number].mean(axis=0) for number in (1, 2)]
    spread = [ways.points[ways.groups == number].std(axis=0).max() for number in (1, 2)]
    assert np.linalg.norm(means[0] - means[1]) > 3 * max(spread)
    assert "<!DOCTYPE html>" in drawn.to_html()
