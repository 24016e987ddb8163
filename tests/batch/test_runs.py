"""Runs over a corpus: killed, interrupted, out of room, they end as if nothing had been."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import psutil
import pytest
from keywords import Keywords
from networks import small_cnn, topical
from opens import count_opens
from served import model
from streams import Run, SlowTask, VerySlowTask, contents, write_corpus

from whyword import (
    CNNClassifier,
    Explanations,
    InputError,
    WhywordError,
    explain,
    explain_corpus,
    predict_corpus,
)
from whyword.base.progress import Progress
from whyword.batch import Outcome, chunks, class_words_corpus, folder, summarize_corpus
from whyword.batch import runs as corpora
from whyword.batch.folder import MANIFEST, REJECTS
from whyword.corpora.source import open_source


@pytest.fixture(scope="module")
def cnn() -> CNNClassifier:
    return small_cnn()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "tables")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 16)
    monkeypatch.setattr(chunks, "_SHARD_BYTES", 12_000)
    monkeypatch.setattr(corpora, "LEXICON_BYTES", 4_000)  # so that there are rare words


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each part take a while, and the run half a second."""
    monkeypatch.setattr(corpora, "ExplainTask", SlowTask)


@pytest.fixture
def very_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the run take so long that it is there however slow the machine is."""
    monkeypatch.setattr(corpora, "ExplainTask", VerySlowTask)


@pytest.fixture(scope="module")
def whole(cnn: CNNClassifier, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run writes that nothing disturbs."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        small_parts.__wrapped__(monkeypatch)  # type: ignore[attr-defined]
        out = tmp_path_factory.mktemp("whole") / "why"
        explain_corpus(cnn, source, out, "all")
    return out


@pytest.mark.parametrize("name", ["posts.csv", "posts.jsonl.gz", "posts.parquet"])
def test_every_row_is_read_once(
    cnn: CNNClassifier, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns, frequent words and documents: one look at the file for all of them."""
    texts = pd.DataFrame({"text": topical(100)[0]})
    path = tmp_path / name
    if name.endswith(".csv"):
        texts.to_csv(path, index=False)
    elif name.endswith(".gz"):
        texts.to_json(path, orient="records", lines=True)
    else:
        texts.to_parquet(path)
    opens = count_opens(monkeypatch)
    explain_corpus(cnn, path, tmp_path / "why", workers=1)
    class_words_corpus(cnn, path, workers=1)
    assert opens[name] == 1 + 2  # class words are read again for the names of their documents
    explain_corpus(cnn, path, tmp_path / "strictly", strict=True, workers=1)
    assert opens[name] == 3 + 2  # a strict reader sees no further than to the first bad row
    assert contents(tmp_path / "why") == contents(tmp_path / "strictly")


def test_rows_are_those_of_explain(cnn: CNNClassifier, source: Path, whole: Path) -> None:
    records = [
        (f"{file.name}:{record.id}", record.text)
        for file in sorted(source.iterdir())
        for record in open_source(file, labelled=False).read(lambda _: None)
    ]
    expected = explain(cnn, [text for _, text in records], "all")
    parts = sorted(whole.glob("part-*.parquet"))
    frame = pd.concat([pd.read_parquet(part) for part in parts])
    assert frame["id"].tolist() == [name for name, _ in records]
    assert frame["text"].tolist() == [text for _, text in records]
    for one, relevance, words in zip(expected, frame["relevance"], frame["words"], strict=True):
        np.testing.assert_allclose(np.stack(relevance), one.relevance, rtol=1e-4, atol=1e-5)
        assert list(words) == one.words
    rejected = [json.loads(line) for line in (whole / REJECTS).read_text().splitlines()]
    assert [Path(row["place"].partition(",")[0]).name for row in rejected] == [
        *("0.jsonl", "1.jsonl", "2.jsonl")
    ]
    assert "line 2" in rejected[0]["place"]
    assert "'text' is null, not text" in rejected[0]["reason"]


def test_each_documents_highest_classes(cnn: CNNClassifier, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "why"
    explain_corpus(cnn, source, out, top_classes=2, top=3, workers=1)
    frame = pd.read_parquet(out)
    expected = explain(cnn, frame["text"].tolist(), top=2)
    assert len({one.target for one in expected}) > 1
    assert [tuple(target) for target in frame["target"]] == [one.target for one in expected]
    read = Explanations.from_parquet(next(iter(sorted(out.glob("part-*.parquet")))))
    for one, other in zip(read, expected, strict=False):
        assert one.parameters["top_classes"] == 2
        np.testing.assert_allclose(one.score, other.score, rtol=1e-5, atol=1e-5)
        assert one.conserved
    with pytest.raises(InputError, match="another one: parameters differs"):
        explain_corpus(cnn, source, out, top_classes=3, top=3, workers=1, resume=True)
    with pytest.raises(InputError, match="top_classes is for each text's highest classes"):
        explain_corpus(cnn, source, tmp_path / "x", "all", top_classes=3)


def test_others_can_read_it(whole: Path) -> None:
    count = sum(len(pd.read_parquet(part)) for part in whole.glob("part-*.parquet"))
    assert len(pd.read_parquet(whole)) == count == 357
    query = f"select count(*), sum(len(words)), avg(residual[1]) from '{whole}/*.parquet'"
    with duckdb.connect() as database:
        ((rows, words, residual),) = database.execute(query).fetchall()
    assert rows == 357
    assert words > 1000
    assert abs(residual) < 1e-4


def test_what_a_run_returns(cnn: CNNClassifier, source: Path, tmp_path: Path) -> None:
    events: list[Progress] = []
    outcome = explain_corpus(
        cnn, source, tmp_path / "why", top=2, on_progress=events.append, workers=1
    )
    assert outcome == Outcome(tmp_path / "why", 357, 3, len(events), 0, outcome.seconds)
    assert events[-1] == Progress("explaining", n_documents=357, share=1.0)
    shares = [event.share or 0 for event in events]
    assert shares == sorted(shares)
    again = explain_corpus(cnn, source, tmp_path / "why", top=2, resume=True)
    assert (again.n_documents, again.resumed, again.rejected) == (357, 357, 3)


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_processes_writes_the_same(
    workers: int, cnn: CNNClassifier, source: Path, whole: Path, tmp_path: Path
) -> None:
    explain_corpus(cnn, source, tmp_path / "why", "all", workers=workers)
    assert contents(tmp_path / "why") == contents(whole)


# ---- killed, interrupted, full --------------------------------------------------------------


@pytest.mark.usefixtures("slowly")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.slow(reason="kills runs that were made slow")
def test_a_run_that_is_killed(
    seed: int, cnn: CNNClassifier, source: Path, whole: Path, tmp_path: Path
) -> None:
    run = Run(explain_corpus, cnn, source, tmp_path / "why", "all")
    run.wait_for_parts(tmp_path / "why", 5 * seed)
    time.sleep(np.random.default_rng(seed).uniform(0, 0.5))
    family = run.family()
    os.kill(run.pid, signal.SIGKILL)
    run.end()
    # at once, while its processes are still there
    explain_corpus(cnn, source, tmp_path / "why", "all", resume=(tmp_path / "why").exists())
    assert contents(tmp_path / "why") == contents(whole)
    psutil.wait_procs(family, 10)
    assert not any(process.is_running() for process in family)


@pytest.mark.usefixtures("very_slowly")
@pytest.mark.slow(reason="kills runs that were made slow")
def test_a_run_that_is_interrupted(
    cnn: CNNClassifier, source: Path, whole: Path, tmp_path: Path
) -> None:
    run = Run(explain_corpus, cnn, source, tmp_path / "why", "all")
    run.wait_for_parts(tmp_path / "why", 3)
    os.kill(run.pid, signal.SIGINT)
    assert run.end() == 130
    done = len(list((tmp_path / "why").glob("part-*")))
    assert 3 <= done < len(list(whole.glob("part-*")))
    with pytest.raises(InputError, match="has the beginning of a run; say resume=True"):
        explain_corpus(cnn, source, tmp_path / "why", "all")
    outcome = explain_corpus(cnn, source, tmp_path / "why", "all", resume=True)
    assert outcome.resumed == 16 * done
    assert contents(tmp_path / "why") == contents(whole)


@pytest.mark.usefixtures("very_slowly")
@pytest.mark.slow(reason="kills runs that were made slow")
def test_two_runs_do_not_mix(
    cnn: CNNClassifier,
    source: Path,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Run(explain_corpus, cnn, source, tmp_path / "why", "all")
    run.wait_for_parts(tmp_path / "why", 1)
    monkeypatch.setattr(folder, "_PATIENCE", 0.1)
    for resume in (True, False):
        with pytest.raises(InputError, match="another run is at work"):
            explain_corpus(cnn, source, tmp_path / "why", "all", resume=resume)
    assert run.end() == 0
    assert contents(tmp_path / "why") == contents(whole)


@pytest.mark.usefixtures("slowly")
@pytest.mark.slow(reason="kills runs that were made slow")
def test_a_process_that_dies(cnn: CNNClassifier, source: Path, whole: Path, tmp_path: Path) -> None:
    before = set(psutil.Process().children())  # others than the run's

    def kill_one(_: Progress) -> None:
        for child in set(psutil.Process().children()) - before:
            child.kill()

    with pytest.raises(WhywordError, match=r"a process ended .* what is done is kept"):
        explain_corpus(cnn, source, tmp_path / "why", "all", on_progress=kill_one)
    explain_corpus(cnn, source, tmp_path / "why", "all", resume=True)
    assert contents(tmp_path / "why") == contents(whole)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A file system of so many KB, which can be made larger."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(kilobytes: int) -> Path:
        again = "remount," if place.is_mount() else ""
        options = f"{again}size={kilobytes}k"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
        return place

    yield mount
    if place.is_mount():
        subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk(
    cnn: CNNClassifier,
    source: Path,
    whole: Path,
    small_disk: Callable[[int], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = small_disk(100) / "why"
    with pytest.raises(InputError, match=r"cannot be written \(no space left\).*resume=True"):
        explain_corpus(cnn, source, out, "all")
    assert list(out.glob("part-*"))
    assert not list(out.glob(".*"))
    small_disk(4_000)
    explain_corpus(cnn, source, out, "all", resume=True)
    assert contents(out) == contents(whole)


# ---- what may go wrong ------------------------------------------------------------------------


def test_strict(cnn: CNNClassifier, source: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"0.jsonl, line 2: 'text' is null, not text"):
        explain_corpus(cnn, source, tmp_path / "why", strict=True)


def test_a_source_that_changed(cnn: CNNClassifier, source: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(source, mine)
    explain_corpus(cnn, mine, tmp_path / "why")
    with (mine / "0.jsonl").open("a") as stream:
        stream.write('{"text": "one more"}\n')
    with pytest.raises(InputError, match="was another one: the source differs"):
        explain_corpus(cnn, mine, tmp_path / "why", resume=True)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"engine": "spark"}, "engine may be 'local' or 'ray'"),
        ({"address": "auto"}, "an address is that of a Ray cluster"),
        ({"workers": 0}, "workers must be"),
        ({"top": 0}, "top must be"),
        ({"target": "nothing"}, "there is no class"),
        ({"method": "guess"}, "guess"),
        ({"text": "body"}, "no column 'body'"),
        ({"encoding": "klingon"}, "klingon"),
    ],
)
def test_what_makes_no_sense(
    how: dict[str, Any], said: str, cnn: CNNClassifier, source: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        explain_corpus(cnn, source, tmp_path / "why", **how)
    assert not (tmp_path / "why").exists()


def test_texts_instead_of_a_source(cnn: CNNClassifier, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the source is the path of files .*, not a list"):
        explain_corpus(cnn, ["a text"], tmp_path / "why")  # type: ignore[arg-type]


def test_a_folder_in_the_source(cnn: CNNClassifier, source: Path) -> None:
    for out in (source / "why", source, source / "a" / ".." / "why"):
        with pytest.raises(InputError, match="is in the folder that is read"):
            explain_corpus(cnn, source, out)
    assert len(list(source.iterdir())) == 3


def test_nothing_to_do(cnn: CNNClassifier, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\n")
    outcome = explain_corpus(cnn, tmp_path / "a.csv", tmp_path / "why")
    assert (outcome.n_documents, outcome.parts) == (0, 0)
    assert json.loads((tmp_path / "why" / MANIFEST).read_text())["state"] == "complete"


# ---- other models and tasks --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["svm", "pipeline"])
def test_other_models(kind: str, source: Path, tmp_path: Path) -> None:
    outcome = explain_corpus(model(kind), source, tmp_path / "why", top=5)
    assert outcome.n_documents == 357
    frame = pd.read_parquet(tmp_path / "why")
    assert frame["words"].map(len).max() == 5
    assert (frame["residual"].abs() < 1e-4).all()


def test_predictions_and_summaries(cnn: CNNClassifier, source: Path, tmp_path: Path) -> None:
    predict_corpus(cnn, source, tmp_path / "said")
    frame = pd.read_parquet(tmp_path / "said")
    texts = [
        record.text
        for file in sorted(source.iterdir())
        for record in open_source(file, labelled=False).read(lambda _: None)
    ]
    assert frame["predicted"].tolist() == cnn.predict(texts).tolist()
    summarize_corpus(cnn, source, tmp_path / "vectors", target="predicted")
    vectors = pd.read_parquet(tmp_path / "vectors")
    assert len(vectors) == len(texts)
    assert vectors["id"].tolist() == frame["id"].tolist()
    with pytest.raises(InputError, match="was another one"):
        summarize_corpus(cnn, source, tmp_path / "said", resume=True)


@pytest.mark.slow(reason="a run of many documents")
def test_memory_stays_the_same(cnn: CNNClassifier, tmp_path: Path) -> None:
    """A small version of benchmarks/stream.py."""
    source = write_corpus(tmp_path / "tables", files=12, documents=1_500)
    run = Run(explain_corpus, cnn, source, tmp_path / "why")
    sizes = []
    while run.process.is_alive():
        time.sleep(0.05)
        sizes.append(sum(_memory(process) for process in run.family()))
    assert run.end() == 0
    third = len(sizes) // 3
    assert third > 3
    assert max(sizes[2 * third :]) < max(sizes[third : 2 * third]) + 20e6


def _memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def test_somebodys_model(tmp_path: Path) -> None:
    texts = {f"post {number}": text for number, text in enumerate(topical(60)[0])}
    source = tmp_path / "posts.csv"
    pd.DataFrame({"id": list(texts), "text": list(texts.values())}).to_csv(source, index=False)
    outcome = predict_corpus(Keywords(), source, tmp_path / "predicted", workers=2)
    assert outcome.n_documents == 60
    frame = pd.read_parquet(tmp_path / "predicted")
    expected = Keywords().predict_proba([texts[name] for name in frame["id"]])
    np.testing.assert_array_equal(np.stack(frame["probabilities"].tolist()), expected)
    explain_corpus(Keywords(), source, tmp_path / "explained", workers=2, top=3)
    rows = pd.read_parquet(tmp_path / "explained")
    assert len(rows) == 60
    assert set(rows["method"]) == {"occlusion"}
    one = rows[rows["words"].str.len() == 3].iloc[0]
    whole = explain(Keywords(), texts[one["id"]])
    assert one["relevance"].sum() + one["left_out"] == pytest.approx(
        float(whole.relevance.sum()), abs=1e-6
    )
    assert one["target"] == whole.target
    with pytest.raises(InputError, match="need a model whose documents have vectors"):
        summarize_corpus(Keywords(), source, tmp_path / "vectors")
