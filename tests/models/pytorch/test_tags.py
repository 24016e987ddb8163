"""What is known of a tensor."""

from whyword.models.pytorch.tags import Role, Tag


def test_nothing_is_known_but_what_is_said() -> None:
    tag = Tag(Role.SIGNAL)
    known = (tag.rows, tag.name, tag.signal, tag.source, tag.tokens)
    assert known == (None,) * 5
    assert not tag.is_gate
    assert not tag.is_scale


def test_two_tags_are_two() -> None:
    """They are told apart by what they are, not by what they say."""
    assert Tag(Role.FROZEN) != Tag(Role.FROZEN)
    assert len(Role) == 4
