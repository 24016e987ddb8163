"""The page of an evaluation as text; tests/browser looks at it in a browser."""

import numpy as np
from networks import made_cnn, made_text

from whyword import evaluate


def page(names: list[str]) -> str:
    model = made_cnn(classes=len(names))
    model.classes_ = np.array(names)
    random = np.random.default_rng(0)
    texts = [made_text(random.integers(0, 7, 12)) for _ in range(40)]
    labels = random.choice(names, 40)
    evaluation = evaluate(model, texts, labels, ["lrp", "sensitivity", "random"], runs=2, splits=2)
    return evaluation.to_html(title="<script>alert(1)</script>")


def test_hostile_names_are_text() -> None:
    made = page(["<img src=x onerror=alert(1)>", "a\u202eb\x00", '"quoted" & so'])
    assert "<script" not in made
    assert "<img" not in made
    assert "&lt;img src=x onerror=alert(1)&gt;" in made
    assert "\u202e" not in made
    assert "\x00" not in made


def test_everything_is_there() -> None:
    made = page(["one", "two", "three"])
    for part in ("The model", "Word deletion", "Explanatory power", "Sanity", "How this was"):
        assert f"<h2>{part}" in made
    assert "macro-F1" in made
    assert "Confusions" in made
    assert "is better than" in made or "cannot be told apart" in made


def test_too_many_classes_for_a_matrix() -> None:
    made = page([f"class {n}" for n in range(45)])
    assert "Confusions" not in made
    assert "most frequent mistakes" in made
