from pathlib import Path

import numpy as np
import pytest

from whyword import InputError, Vectors
from whyword.base.progress import Progress
from whyword.vectors import cbow
from whyword.vectors.cbow import CBOW


def topical_texts(count: int = 400) -> list[str]:
    """Two topics whose words keep to themselves, and a word that is everywhere."""
    random = np.random.default_rng(0)
    topics = ["orbit moon rocket shuttle launch".split(), "puck goal ice skate team".split()]
    return [" ".join(["The", *random.choice(topics[i % 2], 30)]) for i in range(count)]


def test_words_of_a_topic_come_together(cache: Path) -> None:
    vectors = Vectors.train_cbow(topical_texts(), dimensions=20, epochs=10)
    for word, others in {"moon": "orbit rocket shuttle launch", "ice": "puck goal skate"}.items():
        nearest = {near.word for near in vectors.nearest(word, 4)}
        assert set(others.split()) <= nearest


def test_the_same_seed_gives_the_same_vectors(cache: Path) -> None:
    texts = topical_texts(100)

    def train(seed: int = 0) -> Vectors:
        return Vectors.train_cbow(texts, dimensions=9, epochs=3, seed=seed, cache=False)

    first, again, other = train(), train(), train(seed=1)
    np.testing.assert_array_equal(first.rows(first.words), again.rows(again.words))
    assert (first.rows(first.words) != other.rows(first.words)).any()
    assert list(cache.iterdir()) == []


def test_results_are_kept_by_content(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = topical_texts(20)
    first = Vectors.train_cbow(texts, dimensions=5, epochs=2)
    assert len(list(cache.iterdir())) == 1

    def no_training(*_: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(cbow, "train_batches", no_training)
    again = Vectors.train_cbow(list(texts), dimensions=5, epochs=2)
    np.testing.assert_array_equal(first.rows(first.words), again.rows(again.words))
    for changed, seed, window in ((texts, 1, 10), (texts, 0, 2), ([*texts, "moon"], 0, 10)):
        with pytest.raises(AssertionError, match="trained again"):
            Vectors.train_cbow(changed, dimensions=5, epochs=2, seed=seed, window=window)


def test_a_damaged_result_is_trained_again(cache: Path) -> None:
    texts = topical_texts(20)
    first = Vectors.train_cbow(texts, dimensions=5, epochs=2)
    (path,) = cache.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    again = Vectors.train_cbow(texts, dimensions=5, epochs=2)
    np.testing.assert_array_equal(first["moon"], again["moon"])


def test_a_cache_that_cannot_be_written_loses_nothing(
    cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cbow, "write_table", full)
    vectors = Vectors.train_cbow(topical_texts(20), dimensions=5, epochs=2)
    assert "moon" in vectors
    assert "could not be kept in the cache" in caplog.text


def test_a_cache_without_rights_loses_nothing(
    cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cbow, "cache_folder", lambda: Path("/proc"))  # not even root may write
    assert "moon" in Vectors.train_cbow(topical_texts(20), dimensions=5, epochs=2)
    assert "could not be kept in the cache" in caplog.text


def test_without_a_cache_no_folder_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYWORD_CACHE", "/proc/nowhere")
    assert "moon" in Vectors.train_cbow(topical_texts(20), dimensions=5, epochs=1, cache=False)


def test_who_listens_hears_of_every_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    events: list[Progress] = []
    CBOW(dimensions=3, epochs=4).fit([["a", "b"]] * 9, cache=False, on_progress=events.append)
    assert [(event.number, event.total) for event in events] == [(n, 4) for n in range(1, 5)]
    assert [event.share for event in events] == [0.25, 0.5, 0.75, 1]
    assert {event.stage for event in events} == {"training word vectors"}
    assert capsys.readouterr().err == ""


def test_case_and_rare_words() -> None:
    documents = [["Moon", "moon", "MOON", "once"]]
    assert CBOW(dimensions=4, epochs=1).fit(documents, cache=False)[0] == ["moon"]
    kept = CBOW(dimensions=4, epochs=1, lowercase=False, min_count=1).fit(documents, cache=False)
    assert kept[0] == ["MOON", "Moon", "moon", "once"]


@pytest.mark.parametrize("text", ["a a a a a a a a " * 500, "x", "b b"])
def test_degenerate_texts_stay_finite(text: str) -> None:
    words, matrix = CBOW(dimensions=8, epochs=20, min_count=1).fit([text.split()], cache=False)
    assert len(words) == 1
    assert np.isfinite(matrix).all()
    assert np.abs(matrix).max() < 100


def test_bad_settings() -> None:
    with pytest.raises(InputError, match="epochs must be a whole number"):
        CBOW(epochs=0)
    for settings in ({"window": 2**62}, {"dimensions": 8.5}, {"seed": -1}, {"negative": True}):
        with pytest.raises(InputError, match="must be a whole number"):
            CBOW(**settings)
    assert CBOW(dimensions=np.int64(8)).dimensions == 8  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no word occurs 2 times"):
        CBOW().fit([["a", "b"], []])
    with pytest.raises(InputError, match="no word occurs"):
        CBOW().fit([])


def test_blocks_cover_all_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cbow, "_BLOCK_TOKENS", 5)
    offsets = np.array([0, 3, 3, 9, 10, 30], np.int64)
    blocks = [block.tolist() for block in cbow._blocks(offsets)]
    assert blocks == [[0, 3, 3, 9], [9, 10, 30]]
