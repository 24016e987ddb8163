"""What may be suspected."""

import re

import numpy as np

from whyword import Reader
from whyword.audit.suspicion.candidates import Labelled, candidates
from whyword.audit.suspicion.occurrences import Occurrences
from whyword.audit.suspicion.units import Places
from whyword.words.ignored import Ignored
from whyword.words.tokenizer import Tokenizer


def found_in(texts: list[str], classes: list[int]) -> tuple[Places, Occurrences]:
    found = Occurrences.of(map(Reader(), texts))
    return candidates(found, Labelled(np.array(classes, np.intp), 2)), found


def documents_of(places: Places, found: Occurrences, name: str) -> list[int]:
    (number,) = [n for n, unit in enumerate(places.units) if unit.name == name]
    return sorted(set(found.document_of[places.places[places.numbers == number]].tolist()))


def test_words_that_come_together_are_one_unit_and_rare_ones_none() -> None:
    texts = ["alpha omega one"] * 3 + ["one two"] * 60 + ["seldom"] * 2
    places, found = found_in([text.replace(" ", "\n") for text in texts], [0] * 65)
    names = {unit.name: unit.kind for unit in places.units}
    assert names["alpha; omega"] == "words"
    assert names["one"] == "word"
    assert "seldom" not in names
    assert documents_of(places, found, "alpha; omega") == [0, 1, 2]


def test_a_line_that_recurs_takes_its_words_along() -> None:
    texts = [f"the green moon is here {n}\nEd Green of acme" for n in range(4)]
    places, _ = found_in(texts + ["the green of it"] * 60, [0] * 64)
    (line,) = [unit for unit in places.units if unit.kind == "line" and "acme" in unit.name]
    assert "ed green of acme" in line.entries
    assert {"ed", "acme"} <= set(line.words)


def test_a_pair_tells_a_class_where_its_words_do_not() -> None:
    texts = ["red or dragon", "dragon or red"] * 20 + ["the red dragon"] * 6
    places, found = found_in(texts, [0, 1] * 20 + [1] * 6)
    assert documents_of(places, found, "red dragon") == list(range(40, 46))
    unlabelled, _ = found_in(texts, [-1] * 46)
    assert all(unit.kind != "pair" for unit in unlabelled.units)


def test_hosts_of_a_domain_are_a_pattern() -> None:
    texts = [f"at {host}.acme.org" for host in ("a", "b", "mail", "x.y")] + ["none.other.org"]
    places, found = found_in(texts, [0] * 5)
    name = r"/(?:.+\.)?acme\.org/"
    assert documents_of(places, found, name) == [0, 1, 2, 3]
    reader = Reader(ignore=[name])
    assert [len(reader(text).ignored) for text in texts] == [1, 1, 1, 1, 0]


def test_entries_are_what_a_reader_ignores() -> None:
    texts = [f"the green moon is here {n}\nEd Green of mail.acme.org" for n in range(4)]
    texts += ["Green or ed of it"] * 50 + ["the red dragon"] * 6 + ["red or dragon"] * 10
    # a domain by itself, which may be a file's name, and words around it that are no hosts
    texts += ["a.netcom.com b.netcom.com c.netcom.com d.c.netcom.com", "NETCOM.com xnetcom.com"]
    texts += ["a.b.ac.uk c.b.ac.uk d.b.ac.uk", "ac.uk b.ac.uk"]
    places, found = found_in(texts, [0, 1] * 37)
    for number, unit in enumerate(places.units):
        reader = Reader(ignore=unit.entries)
        at = places.places[places.numbers == number]
        ignored = [
            int(found.offsets[n]) + place
            for n, text in enumerate(texts)
            for place in reader(text).ignored.tolist()
        ]
        assert ignored == sorted(set(at.tolist())), unit


def test_nothing_is_an_answer() -> None:
    assert found_in([], [])[0].units == []
    assert found_in(["", ""], [0, 1])[0].units == []


def test_what_looks_like_a_pattern_is_said_so_that_a_reader_reads_it_as_it_is() -> None:
    """Models that read symbols have words like these."""
    texts = ["say /i/ or\n/* set the flag */\nnow /usr/local/lib/python/packages/"] * 4
    texts += ["i am here /other/\nset the flag of it\nnow and /set the/"] * 3
    by_blanks = Tokenizer(rule=lambda text: [one.span() for one in re.finditer(r"\S+", text)])
    documents = [by_blanks(text) for text in texts]
    found = Occurrences.of(documents)
    places = candidates(found, Labelled(np.zeros(len(texts), np.intp), 2))
    assert {"/i/", "/usr/local/lib/python/packages/"} <= set(found.words)
    for number, unit in enumerate(places.units):
        ignored = Ignored(unit.entries)
        at = np.unique(places.places[places.numbers == number])
        marked = np.concatenate([ignored.among(one.words) for one in documents])
        assert np.flatnonzero(marked).tolist() == at.tolist(), unit.entries


def test_a_pattern_that_a_reader_refuses_is_its_words() -> None:
    domain = "verylongcompanyname-news.com"
    texts = [f"at {host}.{domain}" for host in "abcd"]
    places, _ = found_in(texts, [0] * 4)
    (unit,) = [one for one in places.units if one.kind == "pattern"]
    assert sorted(unit.entries) == [f"{host}.{domain}" for host in "abcd"]
    assert [len(Reader(ignore=unit.entries)(text).ignored) for text in texts] == [1] * 4
