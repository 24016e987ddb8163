"""What one request may ask for."""

from dataclasses import FrozenInstanceError, fields

import pytest

from whyword.web.limits import Limits


def test_every_limit_is_there_and_above_nothing() -> None:
    limits = Limits()
    for field in fields(limits):
        assert getattr(limits, field.name) > 0


def test_a_body_holds_what_its_documents_may() -> None:
    limits = Limits()
    assert limits.characters <= limits.body_bytes  # one plain text of the longest fits
    assert limits.waiting + limits.workers < limits.connections  # so the gate answers, with JSON


def test_limits_do_not_change_under_way() -> None:
    with pytest.raises(FrozenInstanceError):
        Limits().words = 10  # type: ignore[misc]
