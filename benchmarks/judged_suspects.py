"""Suspects where nothing was planted, read one by one: is it what no model should learn.

The first call trains an SVM and a CNN2 on 20 Newsgroups without headers, quotes and footers, draws
25 suspects of each at random, and as a control 13 of the 300 heaviest units without evidence. It
writes a sheet of what each is, for which class, and places where it stands, in a random order that
does not tell which is which, and a key beside it. Readers give each row one of VERDICTS, as a JSON
of its number to the verdict; two that read by the same instructions are one reader. The second call
counts the verdicts, of suspects and of the control, and says how far they agree (Cohen's kappa).

    python benchmarks/judged_suspects.py --sheet sheet.json
    python benchmarks/judged_suspects.py --sheet sheet.json --read one.json two.json --out FILE
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from figures import write_results
from planted_artefacts import KINDS, posts

import whyword as ww
from whyword.audit import Suspect
from whyword.audit.suspicion.weighing import NO_EVIDENCE, SUSPECT

VERDICTS = ("artefact", "topic", "unclear")
DRAWN, CONTROL, HEAVIEST = {"svm": 25, "cnn": 25}, 13, 300
PLACES, AROUND = 4, 90  # excerpts of a row, characters on each side


def excerpts(row: Suspect, texts: Sequence[str]) -> Iterator[str]:
    """Yield places where a row stands, in documents in which it carries most."""
    for number in row.examples:
        for entry in row.entries:
            wanted = entry.strip("/").replace("(?:.+\\.)?", "")
            loose = wanted if entry.startswith("/") else r"\W*".join(re.findall(r"\w+", entry))
            place = re.search(loose, texts[number], re.IGNORECASE)
            if place:
                first = max(0, place.start() - AROUND)
                yield " ".join(texts[number][first : place.end() + AROUND].split())
                break


def drawn(kind: str, random: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Yield rows of a model, with what a reader must not know."""
    corpus = posts()
    texts = [*corpus.train.texts, *corpus.test.texts]
    model = KINDS[kind](0).fit(corpus.train.texts, corpus.train.labels)
    found = ww.suspects(model, corpus)
    honest = [row for row in found if row.verdict == NO_EVIDENCE]
    heaviest = sorted(honest, key=lambda row: -row.relevance)[:HEAVIEST]
    for some, count in ((found.suspects, DRAWN[kind]), (heaviest, CONTROL)):
        for place in random.choice(len(some), count, replace=False).tolist():
            row = some[place]
            yield {
                "kind": kind,
                "verdict": row.verdict,
                "place": place + 1,
                "what": row.name,
                "label": row.label,
                "excerpts": list(excerpts(row, texts))[:PLACES],
            }


def sheet() -> list[dict[str, Any]]:
    """Return the rows to be read, in a random order."""
    random = np.random.default_rng(0)
    rows = [row for kind in DRAWN for row in drawn(kind, random)]
    order = random.permutation(len(rows)).tolist()
    return [{"number": number, **rows[n]} for number, n in enumerate(order, start=1)]


def kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """Return Cohen's kappa: agreement above what chance would have, 1 if they always agree."""
    count = len(one)
    same = sum(a == b for a, b in zip(one, other, strict=True)) / count
    left, right = Counter(one), Counter(other)
    chance = sum(left[verdict] * right[verdict] for verdict in VERDICTS) / count**2
    return 1.0 if chance == 1 else (same - chance) / (1 - chance)


def judged(rows: Sequence[dict[str, Any]], readers: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Return, and print, what the readers said and how far they agree."""
    wrong = {verdict for reader in readers for verdict in reader.values()} - set(VERDICTS)
    if wrong:
        raise SystemExit(f"no verdicts: {', '.join(sorted(wrong))}; one of {', '.join(VERDICTS)}")
    found: dict[str, Any] = {}
    for name in (SUSPECT, NO_EVIDENCE):
        some = [row for row in rows if row["verdict"] == name]
        one, other = said = [[reader[str(row["number"])] for row in some] for reader in readers]
        found[name] = {
            "rows": len(some),
            "readers": [{verdict: each.count(verdict) for verdict in VERDICTS} for each in said],
            "agree": sum(a == b for a, b in zip(one, other, strict=True)),
            "kappa": kappa(one, other),
            "verdicts": [
                {key: row[key] for key in ("kind", "what", "label")} | {"said": list(both)}
                for row, *both in zip(some, one, other, strict=True)
            ],
        }
        for each in found[name]["readers"]:
            print(f"{name}: " + ", ".join(f"{count} {one}" for one, count in each.items()))
        print(f"  they agree on {found[name]['agree']} of {len(some)}", end="")
        print(f", kappa {found[name]['kappa']:.2f}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sheet", type=Path, required=True, help="written if it is not there")
    parser.add_argument("--read", type=Path, nargs=2, help="what two readers said")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    arguments = parser.parse_args()
    key = arguments.sheet.with_suffix(".key.json")
    if not key.exists():
        whole = sheet()
        shown = [
            {name: row[name] for name in ("number", "what", "label", "excerpts")} for row in whole
        ]
        write_results(arguments.sheet, shown)
        write_results(key, whole)
    if arguments.read:
        rows = json.loads(key.read_text())
        readers = [json.loads(path.read_text()) for path in arguments.read]
        figures = judged(rows, readers)
        if arguments.out:
            write_results(arguments.out, figures)


if __name__ == "__main__":
    main()
