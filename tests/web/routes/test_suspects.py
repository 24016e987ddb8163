"""The suspects by the API: those of the list, and mistakes in what is asked of it."""

import pytest
from pydantic import TypeAdapter
from served import app, arrived, ask, check_refused, library, model
from suspected import one_suspect, some_suspects

from whyword.web import audit_schema
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.suspects import SuspectList

HOSTILE = one_suspect("\x00<b>\u202e", "x" * 5_000, label="hockey")
LIST = SuspectList(some_suspects([one_suspect("moon"), HOSTILE], "another"), "abc")
APP = create_app(Engine(model("svm")), library("svm"), suspects=LIST)


def test_the_suspects_by_the_api_are_those_of_the_list() -> None:
    found = ask(APP, "/api/suspects")
    assert found.json == arrived(LIST.rows(None, None, 0, 30))
    read = TypeAdapter(audit_schema.SuspectsAnswer).validate_json(found.body, strict=True)
    assert TypeAdapter(audit_schema.SuspectsAnswer).dump_python(read, mode="json") == found.json
    some = ask(APP, "/api/suspects?label=hockey&verdict=suspect&offset=0&limit=1").json
    assert [row["number"] for row in some["rows"]] == [1]
    table = ask(APP, "/api/suspects/table", {"artefacts": [1]})
    assert table.json == LIST.table([1])
    assert ask(APP, "/api/about").json["suspects"] == arrived(LIST.about)


def test_without_any() -> None:
    said = "whyword serve MODEL CORPUS --suspects FOLDER"
    alone = app("svm", False)
    check_refused(ask(alone, "/api/suspects"), 404, said)
    check_refused(ask(alone, "/api/suspects/table", {"artefacts": []}), 404, said)
    assert ask(alone, "/api/about").json["suspects"] is None


@pytest.mark.parametrize(
    ("path", "given", "said"),
    [
        ("?label=spac", None, "did you mean space"),
        ("?verdict=guilty", None, "verdict may be 'suspect'"),
        ("?limit=101", None, "limit"),
        (f"?offset={2**31}", None, "offset"),
        ("/table", {"artefacts": [2]}, "artefacts are numbers of rows, from 0 to 1"),
        ("/table", {"artefacts": [-1]}, "artefacts are numbers of rows"),
        ("/table", {"artefacts": [2**70]}, "artefacts"),
        ("/table", {"artefacts": ["x"]}, "artefacts"),
        ("/table", {"artefacts": [0] * 10_001}, "artefacts must have at most 10,000 items"),
        ("/table", {}, "artefacts: is missing"),
    ],
)
def test_mistakes(path: str, given: object, said: str) -> None:
    check_refused(ask(APP, f"/api/suspects{path}", given), 422, said)
