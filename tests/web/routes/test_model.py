"""The model by the API: its answers, and mistakes in what is asked of it."""

import json

import numpy as np
import pytest
from networks import made_cnn
from served import KINDS, TEXT, TEXTS, app, ask, check_refused, library, model

import whyword as ww
from whyword.methods.registry import METHODS
from whyword.web.app import create_app
from whyword.web.engine import Engine
from whyword.web.limits import Limits


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_explanations_are_the_librarys(kind: str, method: str) -> None:
    used = model(kind)
    first, *_, last = map(str, used.classes_)
    for target, against in (
        ("predicted", None),
        ("all", None),
        ([last, first], None),
        (last, first),
    ):
        given = {"documents": [TEXT, *TEXTS[:2]], "target": target, "method": method}
        answer = ask(app(kind), "/api/explain", given | {"against": against})
        expected = ww.explain(used, [TEXT, *TEXTS[:2]], target, against=against, method=method)
        assert len(answer.json["explanations"]) == 3
        for sent, other in zip(answer.json["explanations"], expected, strict=True):
            read = ww.Explanation.from_json(json.dumps(sent))
            np.testing.assert_allclose(read.relevance, other.relevance, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(read.scores, other.scores, rtol=1e-5, atol=1e-6)
            assert (read.target, read.classes, read.words) == (
                other.target,
                other.classes,
                other.words,
            )
            assert (read.model, read.method) == (used.identity, method)
            np.testing.assert_allclose(
                sent["probabilities"], used.predict_proba([other.text])[0], rtol=1e-5
            )


def test_each_texts_highest_classes() -> None:
    given = {"documents": [TEXT, *TEXTS[:2]], "top_classes": 2}
    answer = ask(app(), "/api/explain", given)
    expected = ww.explain(model("cnn"), [TEXT, *TEXTS[:2]], top=2)
    for sent, other in zip(answer.json["explanations"], expected, strict=True):
        assert tuple(sent["target"]) == other.target
        np.testing.assert_allclose(sent["relevance"], other.relevance, rtol=1e-5, atol=1e-6)
    refused = ask(app(), "/api/explain", given | {"target": "all"})
    assert refused.status == 422
    assert "top_classes is for each text's highest classes: leave target out" in refused.problem
    for unfit in (0, -1, 1.5, "many", 10**30):
        assert ask(app(), "/api/explain", given | {"top_classes": unfit}).status == 422


def test_ids_deleted_words_and_the_order_of_documents() -> None:
    documents = [
        {"text": "moon goal", "id": "a", "deleted": [1]},
        "puck moon",
        {"text": "moon", "id": "a"},
        {"text": "", "id": "\x00\n🌙", "deleted": []},
    ]
    explanations = ask(app(), "/api/explain", {"documents": documents}).json["explanations"]
    assert [one["id"] for one in explanations] == ["a", None, "a", "\x00\n🌙"]
    assert [one["text"] for one in explanations] == ["moon goal", "puck moon", "moon", ""]
    assert [one["parameters"].get("deleted") for one in explanations] == [[1], None, None, None]
    without = ww.explain(model("cnn"), "moon goal", deleted=[1])
    np.testing.assert_allclose(explanations[0]["scores"], without.scores, atol=1e-6)
    plain = documents[1:3]
    predicted = ask(app(), "/api/predict", {"documents": plain}).json["predictions"]
    assert [one["id"] for one in predicted] == [None, "a"]


def test_spans_count_code_points() -> None:
    text = "🌙🌙 moon — é moon\r\nmoon"
    (one,) = ask(app(), "/api/explain", {"documents": [text]}).json["explanations"]
    assert one["text"] == text
    assert [text[start:end] for start, end in one["spans"]] == one["words"]
    assert one["words"].count("moon") == 3


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    """JSON can write them, no answer can: each becomes one U+FFFD, so that places stay."""
    body = rb'{"documents": [{"text": "moon \ud83d moon \udc00 \ud83c\udf19", "id": "\udfff"}]}'
    for path in ("/api/predict", "/api/explain"):
        ((one,),) = (
            answer for name, answer in ask(app(), path, body=body).json.items() if name != "model"
        )
        assert one["id"] == "\ufffd"
    assert one["text"] == "moon \ufffd moon \ufffd 🌙"
    hits = ask(app(), "/api/search", body=rb'{"query": "moon \ud83d"}').json["hits"]
    assert hits[0]["query"]["text"] == "moon \ufffd"


def test_about_and_health() -> None:
    about = ask(app(), "/api/about").json
    assert about["model"]["classes"] == ["crypto", "hockey", "space"]
    assert about["corpus"] == library().about()
    assert about["limits"] == {
        name: getattr(Limits(), name)
        for name in ("body_bytes", "values", "documents", "characters", "words")
    }
    assert ask(app(corpus=False), "/api/about").json["corpus"] is None
    assert about["answering"] == 0
    assert ask(app(), "/healthz").json == {"status": "ok"}  # no token is asked for there


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "documents: is missing"),
        ([], "no JSON object"),
        ("secret", "no JSON object"),
        (5, "no JSON object"),
        ({"documents": "secret"}, "documents: Input should be a valid list"),
        ({"documents": []}, "documents must have from 1 to 64 items, not 0"),
        ({"documents": ["secret"] * 65}, "documents must have from 1 to 64 items, not 65"),
        ({"documents": [5]}, "documents.0"),
        ({"documents": ["moon", None]}, "documents.1"),
        ({"documents": [{"text": 5}]}, "text: Input should be a valid string"),
        ({"documents": [{"txt": "secret"}]}, "text: is missing"),
        ({"documents": [{"text": "secret", "deleted": "0"}]}, "deleted: Input should be a"),
        ({"documents": [{"text": "secret", "deleted": [1.5]}]}, "deleted.0"),
        ({"documents": [{"text": "secret", "deleted": [1]}]}, "word 1 is to be deleted"),
        ({"documents": [{"text": "", "deleted": [0]}]}, "there is no word in the text"),
        ({"documents": [{"text": "secret", "deleted": [-1]}]}, "deleted must be a whole number"),
        ({"documents": [{"text": "secret", "deleted": [2**40]}]}, "deleted must be a whole"),
        ({"documents": [{"text": "secret", "deleted": [10**4000]}]}, "numbered beyond reason"),
        ({"documents": ["secret"], "targt": "all"}, "targt: is no field of this request"),
        ({"documents": ["secret"], "a\n\u2028b": 1}, "a··b: is no field of this request"),
        ({"documents": ["secret"], "x" * 5000: 1}, "xxx: is no field of this request"),
        ({"documents": ["secret"], "\ud800": 1}, "no JSON object"),
        ({"documents": ["secret"], "target": "spac"}, "no class 'spac'; did you mean space?"),
        ({"documents": ["secret"], "target": "x\ny\ud800"}, r"no class 'x\ny\ud800'; there are"),
        ({"documents": ["secret"], "target": "x" * 9000}, "there is no class 'xxx"),
        ({"documents": ["secret"], "target": []}, "target must have from 1 to 3 items, not 0"),
        ({"documents": ["secret"], "target": ["space", "space"]}, "names a class twice"),
        ({"documents": ["secret"], "target": ["all", "space"]}, "say it alone"),
        ({"documents": ["secret"], "target": 5}, "target"),
        ({"documents": ["secret"], "target": "space", "against": "space"}, "the same class"),
        ({"documents": ["secret"], "against": "nowhere"}, "there is no class 'nowhere'"),
        ({"documents": ["secret"], "method": "magic"}, "no method 'magic'; choose from lrp, "),
        ({"documents": ["secret " * 20_001]}, "20,001 words together"),
        ({"documents": ["s" * 1_000_001]}, "1,000,001 characters"),
    ],
)
def test_mistakes_are_one_line_that_does_not_repeat_the_text(given: object, said: str) -> None:
    answer = ask(app(), "/api/explain", given)
    assert "secret" not in check_refused(answer, 422, said)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"secret",
        b'{"documents": ["secret"',
        b'{"documents": ["secret\n"]}',
        b'{"documents": ["secret \xff"]}',
        b"\xff\xfe\x00",
        b"\x00",
        b"[" * 100_000,
        b'{"documents":' * 50_000,
        b'{"documents": ["secret"], "top": ' + b"9" * 10_000 + b"}",
        b'{"documents": [{"text": "secret", "deleted": [NaN]}]}',
        b'{"documents": [{"text": "secret", "deleted": [Infinity]}]}',
        b'{"documents": [{"text": "secret", "deleted": [1e999]}]}',
        b'{"documents": [NaN]}',
        b"documents=secret",
    ],
)
@pytest.mark.parametrize("path", ["/api/predict", "/api/explain", "/api/search"])
def test_bodies_that_are_no_request(path: str, body: bytes) -> None:
    answer = ask(app(), path, body=body, method="POST")
    assert "secret" not in check_refused(answer, 422)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "x", "\xff"]
)
def test_a_page_elsewhere_cannot_pass_a_form_off_as_json(kind: str) -> None:
    headers = {"content-type": kind}
    check_refused(ask(app(), "/api/explain", {"documents": ["secret"]}, headers=headers), 422)


def test_predictions_do_not_pass_over_deleted_words_in_silence() -> None:
    given = {"documents": [{"text": "secret", "deleted": [0]}]}
    check_refused(ask(app(), "/api/predict", given), 422, "deleted: is no field of this request")


def test_too_much_for_one_request() -> None:
    small = create_app(Engine(made_cnn(), Limits(body_bytes=200, documents=2)))
    given = {"documents": ["wa"]}
    assert ask(small, "/api/predict", given).status == 200
    check_refused(
        ask(small, "/api/predict", given, headers={"content-length": "201"}), 413, "200 bytes"
    )
    parts = [b'{"documents": ["', b"wa " * 80, b'"]}']
    check_refused(ask(small, "/api/predict", body=parts), 413, "200 bytes")
    check_refused(ask(small, "/api/predict", {"documents": ["wa"] * 3}), 422, "from 1 to 2 items")
