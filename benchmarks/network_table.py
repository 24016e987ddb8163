"""The table of networks of several kinds on one corpus (`network_kinds.py`), for a page."""

from typing import Any

from network_kinds import MODELS, STEPS, area

NAMES = {
    "svm": "SVM",
    "cnn2": "CNN2",
    "lstm": "LSTM",
    "characters": "characters",
    "transformer-2": "MiniLM, 2 layers",
    "transformer-6": "MiniLM, 6 layers",
}


def network_table(found: list[dict[str, Any]]) -> str:
    """Return two tables of Markdown: what each kind can do, and how deletion hurts it."""
    ordered = sorted(found, key=lambda one: list(MODELS).index(one["model"]))
    head = "| | test accuracy | EPI | area: LRP, random | an explanation | training | folder |"
    lines = [head, "|---|---|---|---|---|---|---|", *map(_abilities, ordered)]
    gone = " | ".join(f"{step}" for step in STEPS[1:])
    lines += ["", f"| right without the … most relevant words | {gone} |"]
    lines += ["|---" * len(STEPS) + "|"]
    for one in ordered:
        for title, key in (("", "lrp"), (", at random", "random")):
            shares = " | ".join(f"{value:.1%}" for value in one["deletion"][key][1:])
            lines.append(f"| {NAMES[one['model']]}{title} | {shares} |".replace("%", " %"))
    return "\n".join(lines)


def _abilities(one: dict[str, Any]) -> str:
    facts, deletion = one["provenance"], one["deletion"]
    (most, training), (bound, each) = _spent(facts, "train"), _spent(one, "explanation")
    cells = (
        NAMES[one["model"]],
        f"{one['accuracy']:.2%}".replace("%", " %"),
        f"{one['epi']:.3f}",
        f"{area(deletion['lrp']):.3f}, {area(deletion['random']):.3f}",
        f"{bound}{1000 * each:,.3g} ms",
        f"{most}{_shown(training)}, {facts['train_megabytes'] / 1000:.1f} GB",
        f"{one['megabytes']:,.0f} MB",
    )
    return f"| {' | '.join(cells)} |"


def _spent(facts: dict[str, Any], what: str) -> tuple[str, float]:
    """Return a processor time in seconds; where only the time is known, "≤ " and that."""
    known = f"{what}_processor_seconds"
    return ("", facts[known]) if known in facts else ("≤ ", facts[f"{what}_seconds"])


def _shown(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds > 55 else f"{seconds:.0f} s"
