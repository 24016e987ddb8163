"""What an evaluation found, as plain data."""

import json

from networks import small_cnn, topical

from whyword import evaluate


def test_plain_data_has_everything() -> None:
    texts, labels = topical(24, seed=2)
    evaluation = evaluate(small_cnn(), texts, [*labels[1:], labels[0]], ["lrp"], splits=2)
    data = json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))
    assert set(data) == {
        *("model", "kind", "classes", "quality", "deletion", "explanatory_power", "sanity"),
        *("near_copies", "remarks", "settings", "seconds", "whyword"),
    }
    assert data["kind"] == "cnn"
    assert data["sanity"]["lrp"][0]["passed"] is True
