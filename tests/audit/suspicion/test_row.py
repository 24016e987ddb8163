"""One suspect, in numbers and words."""

import json
from dataclasses import replace

from planted import planted_corpus, planted_svm
from suspected import one_suspect

from whyword.audit.suspicion.row import NEAR_COPIES, Suspect, Turned, grounds, reasons
from whyword.audit.suspicion.search import suspects


def first(name: str) -> Suspect:
    return next(one for one in suspects(planted_svm(), planted_corpus()) if name in one.name)


def test_evidence_is_said_in_words_the_strongest_first() -> None:
    said = reasons(first("zorvex"), "authors")
    assert said[0].startswith("it does not carry over: 12 of 12 of the training documents")
    assert "0 of 12" in said[0]
    assert any("held-out predictions turn" in one for one in said)
    line = reasons(first("drinking"), "authors")
    assert any("of 1 author," in one for one in line)
    assert "a line that recurs" in line


def test_copies_are_called_so() -> None:
    one = one_suspect("a b", unusual=0.0, grouped=77, groups=6.0, groups_expected=61.2)
    said = reasons(one, NEAR_COPIES)
    assert "77 training documents of space have it, copies of 6 texts, where 61 would" in said[0]
    (alone,) = [text for text in reasons(replace(one, groups=1.0), NEAR_COPIES) if "cop" in text]
    assert "copies of 1 text, where" in alone
    assert one.to_dict(NEAR_COPIES)["reasons"] == said


def test_nothing_to_say() -> None:
    one = replace(
        first("zorvex"), drift=0.0, habit=0.0, unusual=0.0, held_out_turned=Turned(0, 0, 0)
    )
    assert reasons(one) == []
    assert reasons(replace(one, held_out_turned=None)) == []
    one_turns = replace(one, held_out_turned=Turned(1, 0, 0))
    assert reasons(one_turns) == ["without it, 1 held-out prediction turns wrong, 0 right"]
    assert grounds(one_turns) == []
    assert grounds(replace(one, unusual=0.5, form="address")) == ["an address"]
    assert grounds(first("zorvex"))[0] == "nothing that carries over"
    assert "looks like a host" in reasons(replace(one, unusual=0.5, form="host"))[0]
    assert "looks like an address" in reasons(replace(one, unusual=0.5, form="address"))[0]


def test_plain_data() -> None:
    one = first("zorvex")
    data = json.loads(json.dumps(one.to_dict()))
    assert data["entries"] == ["zorvex"]
    assert data["held_out_turned"]["wrong_to_right"] == one.held_out_turned.wrong_to_right  # type: ignore[union-attr]
    assert data["reasons"]
