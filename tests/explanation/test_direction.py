import pytest

from whyword.explanation.direction import signs_apart, starts_right_to_left, visual_order


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("12 (!) 👍", None),
        ("(abc שלום", False),
        ("12 שלום abc", True),
        ("«مرحبا", True),
        ("漢字", False),
    ],
)
def test_the_first_letter_decides(text: str, expected: bool | None) -> None:
    assert starts_right_to_left(text) is expected


# Hebrew letters for what runs from the right; | between runs, as they stand from left to right.
@pytest.mark.parametrize(
    ("runs", "right_to_left", "expected"),
    [
        ("", False, ""),
        ("a| |b", False, "a| |b"),
        ("א| |ב", True, "ב| |א"),
        ("a| |א| |ב| |c", False, "a| |ב| |א| |c"),
        ("א| |a| |b| |ב", True, "ב| |a| |b| |א"),
        ("א| |12| |ב", True, "ב| |12| |א"),
        ("a| |א| |12| |ב", False, "a| |ב| |12| |א"),
        ("a| |12| |א", False, "a| |12| |א"),
        ("a|, |א", False, "a|, |א"),
        ("א|.", True, ".|א"),
        ("א|.", False, "א|."),
        ("a|!", True, "!|a"),
        ("(|א|)", True, "(|א|)"),
        ('א| |("|ב', True, 'ב|")| |א'),
        ("(|א|)|؟", True, "؟|(|א|)"),
        ("a| |(|b|)", False, "a| |(|b|)"),
        (" ", True, " "),
    ],
)
def test_runs_from_left_to_right(runs: str, right_to_left: bool, expected: str) -> None:
    parts = runs.split("|")
    found = visual_order(parts, right_to_left)
    assert "|".join(text for _, text in found) == expected
    assert sorted(number for number, _ in found) == list(range(len(parts)))


@pytest.mark.parametrize("run", ["", "a", "שלום", ")!", "…", "12؟"])
def test_most_runs_stay_whole(run: str) -> None:
    assert signs_apart(run) == [run]


def test_signs_of_scripts_from_the_right_stand_apart() -> None:
    assert signs_apart(")؟") == [")", "؟"]
