"""What is asked about words, as the OpenAPI schema says it."""

import pytest
from pydantic import TypeAdapter, ValidationError
from served import app, ask

from whyword.web.audit_schema import TableRequest, WhatIfRequest
from whyword.web.limits import MOST_ARTEFACTS, MOST_WORDS, WORD_CHARACTERS


def test_the_schema_says_what_is_taken() -> None:
    parts = ask(app("svm"), "/api/openapi.json").json["components"]["schemas"]
    words = parts["WhatIfRequest"]["properties"]["words"]
    assert (words["minItems"], words["maxItems"]) == (1, MOST_WORDS)
    assert words["items"]["maxLength"] == WORD_CHARACTERS
    artefacts = parts["TableRequest"]["properties"]["artefacts"]
    assert (artefacts["maxItems"], artefacts["items"]["minimum"]) == (MOST_ARTEFACTS, 0)


@pytest.mark.parametrize("kind", [WhatIfRequest, TableRequest])
@pytest.mark.parametrize("given", [{}, {"words": 1, "artefacts": 1}, {"words": [], "x": 1}, []])
def test_what_is_no_such_request(kind: type, given: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(given)
