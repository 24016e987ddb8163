"""Candidates for suspicion: words, lines, pairs and patterns that recur, and where they stand."""

import re
from collections.abc import Iterable

import numpy as np
import oracle
import pytest

from whyword import Reader
from whyword.audit.suspicion.candidates import Labelled, candidates
from whyword.audit.suspicion.forms import domain_of, form_of, shape_of
from whyword.audit.suspicion.occurrences import Occurrences, increasing
from whyword.audit.suspicion.recurring_lines import recurring_lines
from whyword.audit.suspicion.same_documents import overlap_above_chance, same_documents
from whyword.audit.suspicion.units import Places, Unit, UnitGroups
from whyword.words.ignored import Ignored
from whyword.words.tokenizer import Tokenizer


def occurrences(texts: Iterable[str], *ignored: str) -> Occurrences:
    return Occurrences.of(map(Reader(ignore=ignored), texts))


# ---- forms --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("address", ["ed@mail.acme.org", "a@b"]),
        ("host", ["athos.rutgers.edu", "nasa.gov", "www2.x.it"]),
        ("link", ["https://x.org/a", "www.acme.org/a"]),
        ("date", ["jun", "fri.", "12:30:45", "1993", "12-apr-93", "gmt"]),
        ("number", ["1,000.5", "+7%"]),
        ("code", ["x11r5", "a=b", "a." * 151, "a." * 100_000]),
        ("word", ["may", "sun", "shuttle", "e.g.", "end.the", "", "…"]),
        (
            "word",
            ["do.it", "read.me.com.pdf"],
        ),  # two words without a blank, more likely than Italy's
    ],
)
def test_what_a_word_looks_like(form: str, words: list[str]) -> None:
    assert {word[:20]: form_of(word) for word in words} == {word[:20]: form for word in words}


def test_domain_and_shape() -> None:
    hosts = ("athos.rutgers.edu", "www.cs.ox.ac.uk", "acme.org.", "ac.uk", "www.acme.uk")
    domains = ["rutgers.edu", "ox.ac.uk", "acme.org", "ac.uk", "acme.uk"]
    assert [domain_of(host) for host in hosts] == domains
    words = ("x11r5", "a.b1", "shuttle", "x²", "²x1")  # a small two is no digit for a pattern
    assert [shape_of(word) for word in words] == [
        *(r"x\d+r\d+", r"a\.b\d+", None, None, r"²x\d+"),
    ]


# ---- places -------------------------------------------------------------------------------------


def test_words_are_numbered_whatever_their_case_and_ignored_ones_are_none() -> None:
    found = occurrences(["The moon the", "", "THE orbit Moon"], "moon")
    assert found.words[:2] == ["the", "moon"]
    assert found.numbers.tolist() == [0, -1, 0, 0, 2, -1]
    assert found.offsets.tolist() == [0, 3, 3, 6]
    assert found.document_of.tolist() == [0, 0, 0, 2, 2, 2]
    assert [one.tolist() for one in found.pairs] == [[0, 2, 2], [0, 0, 2]]
    assert found.document_counts.tolist() == [2, 0, 1]
    nothing = Occurrences.of([])
    assert (len(nothing), nothing.pairs[0].size, nothing.document_counts.size) == (0, 0, 0)
    random = np.random.default_rng(0)
    for size in (0, 1, 2, 50):
        keys = random.integers(0, 20, size)
        np.testing.assert_array_equal(increasing(keys), np.unique(keys))


def test_recurring_lines_are_the_oracles() -> None:
    random = np.random.default_rng(0)
    some = ["Ed Green", "ed green", "the moon", "moon", "a b a", "b a a", "y " * 40, "x " * 41, ""]
    texts = ["\n".join(random.choice(some, 4)) for _ in range(12)]
    lines = [[line.split() for line in text.split("\n")] for text in texts]
    found = occurrences(texts)
    for least in (1, 3, 8, 13):
        result = recurring_lines(found, least)
        names = [tuple(result.text(n, found).split()) for n in range(len(result.starts))]
        expected = oracle.recurring(lines, least)
        assert set(names) == set(expected)
        for number, name in enumerate(names):
            places = result.places[result.place_lines == number]
            words = [found.words[n] for n in found.numbers[places].tolist()]
            assert words == list(name) * (len(words) // len(name))
            assert sorted(set(found.document_of[places].tolist())) == expected[name]
            assert result.documents[result.numbers == number].tolist() == expected[name]
    unread = occurrences(["ed green\nthe moon"] * 3, "green")
    result = recurring_lines(unread, 3)
    assert [result.text(n, unread) for n in range(len(result.starts))] == ["the moon"]
    for texts in ([], ["", "moon"]):
        assert len(recurring_lines(occurrences(texts), 1).starts) == 0


def leaders(sets: list[set[int]], total: int) -> list[int]:
    things = np.array([number for number, one in enumerate(sets) for _ in one], np.int64)
    documents = np.array([document for one in sets for document in sorted(one)], np.int64)
    found: list[int] = same_documents(things, documents, len(sets), total).tolist()
    return found


def test_equal_and_nearly_equal_sets_have_one_leader() -> None:
    many, other = set(range(40)), set(range(20, 60))
    nearly = (many - {3}) | {90}
    found = leaders([many, other, many, nearly, set(), {5}, {5}], 1000)
    assert found[0] == found[2] == found[3]
    assert (found[1], found[4], found[5]) == (1, 4, found[6])
    random = np.random.default_rng(0)
    for share in (0.05, 0.5, 0.9):  # also of what is frequent
        one, two = (set(random.choice(1000, int(1000 * share), replace=False)) for _ in range(2))
        assert leaders([one, two, set(one)], 1000) == [0, 1, 0]
    everywhere = set(range(100))
    assert leaders([everywhere, set(everywhere), set(range(97))], 100) == [0, 1, 2]
    assert leaders([], 0) == []


def test_overlap_by_chance_is_taken_off() -> None:
    half, quarter = np.arange(50), np.arange(25, 75)
    assert overlap_above_chance(half, half, 100) == 1
    assert overlap_above_chance(half, quarter, 100) == pytest.approx(0)  # as chance has it
    assert overlap_above_chance(half, half + 50, 100) == pytest.approx((0 - 1 / 3) / (2 / 3))
    assert overlap_above_chance(half[:9], half[:10], 10**6) == pytest.approx(0.9, abs=1e-4)


WORDS = [Unit((word,), "word", (word,)) for word in ("moon", "the", "nowhere")]


def test_places_are_grouped_by_document_and_unit() -> None:
    found = occurrences(["the moon the", "orbit", "moon moon"])
    places = Places(WORDS, np.array([1, 0, 1, 0, 0, 0], np.int32), np.array([2, 1, 0, 5, 4, 4]))
    pairs = UnitGroups.of(places, found)
    assert (pairs.documents.tolist(), pairs.numbers.tolist()) == ([0, 0, 2], [0, 1, 0])
    assert pairs.groups.offsets.tolist() == [0, 2, 2, 3]
    assert pairs.groups.starts.tolist() == [0, 1, 3, 5]
    assert pairs.groups.positions.tolist() == [1, 0, 2, 0, 1]
    assert pairs.sums(np.array([1.0, 2, 4, 8, 16, 32]), found).tolist() == [2, 5, 48]
    some = pairs.chosen(np.array([False, True, True]), found)
    assert [unit.name for unit in some.units] == ["the", "nowhere"]
    assert (some.numbers.tolist(), some.documents.tolist()) == ([0], [0])
    assert some.groups.positions.tolist() == [0, 2]
    assert (some.groups.offsets.tolist(), some.groups.starts.tolist()) == ([0, 1, 1, 1], [0, 2])
    none = pairs.chosen(np.zeros(3, np.bool_), found)
    assert (len(none), none.sums(np.zeros(6), found).size) == (0, 0)
    one = Places([WORDS[0]], np.array([0], np.int32), np.array([3]))
    assert Places.joined([one, one]).numbers.tolist() == [0, 1]
    assert Places.joined([]).units == []


def test_a_unit_looks_like_its_longest_word_and_a_pattern_like_most() -> None:
    assert Unit(("/\\d+/",), "pattern", ("3", "10", "1993")).form == "number"
    assert Unit(("1993", "3"), "words", ("3", "1993")).form == "date"


# ---- candidates ---------------------------------------------------------------------------------


def found_in(texts: list[str], classes: list[int]) -> tuple[Places, Occurrences]:
    found = occurrences(texts)
    return candidates(found, Labelled(np.array(classes, np.intp), 2)), found


def documents_of(places: Places, found: Occurrences, name: str) -> list[int]:
    (number,) = [n for n, unit in enumerate(places.units) if unit.name == name]
    return sorted(set(found.document_of[places.places[places.numbers == number]].tolist()))


def test_words_that_come_together_are_one_unit_and_rare_ones_none() -> None:
    texts = ["alpha\nomega\none"] * 3 + ["one\ntwo"] * 60 + ["seldom"] * 2
    places, found = found_in(texts, [0] * 65)
    names = {unit.name: unit.kind for unit in places.units}
    assert (names["alpha; omega"], names["one"]) == ("words", "word")
    assert "seldom" not in names
    assert documents_of(places, found, "alpha; omega") == [0, 1, 2]
    for texts in ([], ["", ""]):
        assert found_in(texts, [0] * len(texts))[0].units == []


def test_a_line_that_recurs_takes_its_words_along() -> None:
    texts = [f"the green moon is here {n}\nEd Green of acme" for n in range(4)]
    places, _ = found_in(texts + ["the green of it"] * 60, [0] * 64)
    (line,) = [unit for unit in places.units if unit.kind == "line" and "acme" in unit.name]
    assert "ed green of acme" in line.entries
    assert {"ed", "acme"} <= set(line.words)


def test_a_pair_tells_a_class_where_its_words_do_not() -> None:
    """In at least five documents, 80 % of one class, 20 % more than either word's."""
    texts = ["red or dragon", "dragon or red"] * 20 + ["the red dragon"] * 6
    places, found = found_in(texts, [0, 1] * 20 + [1] * 6)
    assert documents_of(places, found, "red dragon") == list(range(40, 46))

    def has_pair(classes: list[int]) -> bool:
        given = texts[: 34 + len(classes)]
        units = found_in(given, [0, 1] * 17 + classes)[0].units
        return any(unit.name == "red dragon" and unit.kind == "pair" for unit in units)

    texts = texts[:34] + ["the red dragon"] * 10
    assert has_pair([1] * 5)
    assert not has_pair([1] * 4)
    assert has_pair([1] * 4 + [0])
    assert not has_pair([1] * 7 + [0] * 2)
    assert not any(unit.kind == "pair" for unit in found_in(texts, [-1] * 44)[0].units)


def test_hosts_of_a_domain_are_a_pattern() -> None:
    texts = [f"at {host}.acme.org" for host in ("a", "b", "mail", "x.y")] + ["none.other.org"]
    places, found = found_in(texts, [0] * 5)
    name = r"/(?:.+\.)?acme\.org/"
    assert documents_of(places, found, name) == [0, 1, 2, 3]
    assert [len(Reader(ignore=[name])(text).ignored) for text in texts] == [1, 1, 1, 1, 0]
    two = found_in(["at a.acme.org", "at b.acme.org"] * 2, [0] * 4)[0]
    assert all(unit.kind != "pattern" for unit in two.units)


def test_entries_are_what_a_reader_ignores() -> None:
    texts = [f"the green moon is here {n}\nEd Green of mail.acme.org" for n in range(4)]
    texts += ["Green or ed of it"] * 50 + ["the red dragon"] * 6 + ["red or dragon"] * 10
    # a domain by itself, which may be a file's name, and words around it that are no hosts
    texts += ["a.netcom.com b.netcom.com c.netcom.com d.c.netcom.com", "NETCOM.com xnetcom.com"]
    texts += ["a.b.ac.uk c.b.ac.uk d.b.ac.uk", "ac.uk b.ac.uk"]
    places, found = found_in(texts, [0, 1] * 37)
    for number, unit in enumerate(places.units):
        reader = Reader(ignore=unit.entries)
        ignored = [
            int(found.offsets[n]) + place
            for n, text in enumerate(texts)
            for place in reader(text).ignored.tolist()
        ]
        at = places.places[places.numbers == number]
        assert ignored == sorted(set(at.tolist())), unit


def test_words_that_look_like_patterns_are_escaped() -> None:
    """Models that read symbols have words like these."""
    texts = ["say /i/ or\n/* set the flag */\nnow /usr/local/lib/python/packages/"] * 4
    texts += ["i am here /other/\nset the flag of it\nnow and /set the/"] * 3
    by_blanks = Tokenizer(rule=lambda text: [one.span() for one in re.finditer(r"\S+", text)])
    documents = [by_blanks(text) for text in texts]
    found = Occurrences.of(documents)
    places = candidates(found, Labelled(np.zeros(len(texts), np.intp), 2))
    assert {"/i/", "/usr/local/lib/python/packages/"} <= set(found.words)
    for number, unit in enumerate(places.units):
        at = np.unique(places.places[places.numbers == number])
        marked = np.concatenate([Ignored(unit.entries).among(one.words) for one in documents])
        assert np.flatnonzero(marked).tolist() == at.tolist(), unit.entries


def test_a_pattern_that_a_reader_refuses_is_its_words() -> None:
    domain = "verylongcompanyname-news.com"
    texts = [f"at {host}.{domain}" for host in "abcd"]
    (unit,) = [one for one in found_in(texts, [0] * 4)[0].units if one.kind == "pattern"]
    assert sorted(unit.entries) == [f"{host}.{domain}" for host in "abcd"]
    assert [len(Reader(ignore=unit.entries)(text).ignored) for text in texts] == [1] * 4
