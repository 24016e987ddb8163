"""Runs over a corpus: the files that they write, in one process and in several."""

import json
import os
import signal
import subprocess
import sys
import time
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import pytest
from keywords import MODULE, Keywords
from networks import small_cnn
from opens import count_opens
from served import model
from streams import (
    Run,
    SlowTask,
    contents,
    read_corpus,
    shrink_runs,
    work_here,
    write_corpus,
    written_parts,
)

from whyword import (
    Explanations,
    InputError,
    class_words,
    explain,
    explain_corpus,
    predict_corpus,
    summarize,
)
from whyword.analysis import ClassWords
from whyword.base.progress import Progress
from whyword.base.versions import VERSION
from whyword.batch import Outcome, class_words_corpus, runs, summarize_corpus
from whyword.batch.folder import MANIFEST, REJECTS
from whyword.batch.parts import LEDGER

PARTS = {f"{shard:05}-{number:05}": 4 - (number == 2) for shard in range(2) for number in range(3)}


# ---- what a run writes --------------------------------------------------------------------------


@pytest.mark.usefixtures("in_process")
def test_each_document_and_each_part_is_written_once(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is asked once about each text; each part is synced once, then recorded."""
    synced, asked, fsync = list[str](), list[str](), os.fsync

    def record_fsync(descriptor: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        fsync(descriptor)

    class Asked(Keywords):
        def predict_proba(self, texts: list[str]) -> Any:  # noqa: ANN401 - an array
            asked.extend(text for text in texts if text != "text")  # asks how many classes
            return super().predict_proba(texts)

    monkeypatch.setattr(os, "fsync", record_fsync)
    events: list[Progress] = []
    out = tmp_path / "predicted"
    outcome = predict_corpus(Asked(), source, out, on_progress=events.append)
    texts = read_corpus(source)
    assert outcome == Outcome(out, 22, 2, 6, 0, outcome.seconds)
    assert 0 < outcome.seconds < 100
    assert asked == list(texts.values())
    drafts = [name for name in synced if "part-" in name]
    assert [name.rpartition("-")[0] for name in drafts] == [
        f".draft-part-{part}.parquet" for part in PARTS
    ]
    assert [name for name in synced if name not in drafts] == [
        f".draft-{name}" for name in ("manifest", "parts", "rejects", "manifest")
    ]
    assert {file.name for file in out.iterdir()} == {
        *(MANIFEST, LEDGER, REJECTS),
        *(f"part-{part}.parquet" for part in PARTS),
    }
    frame = pd.read_parquet(out)
    assert frame["id"].tolist() == list(texts)
    assert np.stack(frame["probabilities"].tolist()).tolist() == (
        Keywords().predict_proba(list(texts.values())).tolist()
    )
    assert {event.stage for event in events} == {"predicting"}
    assert [event.n_documents for event in events] == [4, 8, 11, 15, 19, 22]
    shares = [event.share or 0.0 for event in events]
    assert shares == sorted(shares)
    assert (shares[2], shares[-1]) == (0.5, 1.0)


def test_the_ledger_the_manifest_and_the_rejects(source: Path, finished: Path) -> None:
    texts = list(read_corpus(source).items())
    ledger = [json.loads(line) for line in (finished / LEDGER).read_text().splitlines()]
    assert {line["part"]: line["documents"] for line in ledger} == PARTS
    assert [line["part"] for line in ledger] == list(PARTS)
    for line in ledger:
        own, texts = texts[: line["documents"]], texts[line["documents"] :]
        fields = [part.encode() for name, text in own for part in (name, text, "")]
        lengths = [len(part) if at % 3 < 2 else -1 for at, part in enumerate(fields)]
        documents = np.array(lengths, "<i8").tobytes() + b"".join(fields)
        assert line["records"] == sha256(documents).hexdigest()
        part = finished / f"part-{line['part']}.parquet"
        assert line["sha256"] == sha256(part.read_bytes()).hexdigest()
    rejects = (finished / REJECTS).read_bytes()
    assert [json.loads(line) for line in rejects.splitlines()] == [
        {"place": f"{source}/{file}.jsonl, line {line}", "reason": "'text' is null, not text"}
        for file, line in ((0, 2), (1, 9))
    ]
    files = [source / f"{number}.jsonl" for number in range(2)]
    assert json.loads((finished / MANIFEST).read_text()) == {
        "whyword": VERSION,
        "task": "explain",
        "model": small_cnn().identity,
        "method": "lrp",
        "parameters": explain(small_cnn(), "moon").parameters,
        "target": "all",
        "top": None,
        "source": {
            "names": [],
            "files": [
                {"file": str(one), "bytes": one.stat().st_size, "changed": one.stat().st_mtime}
                for one in files
            ],
            "shards": [1, 1],
            "text": "text",
            "encoding": None,
        },
        "at_most": {"documents": 4, "characters": 8 << 20, "lexicon": 4_000},
        "state": "complete",
        "parts": 6,
        "documents": 22,
        "rejected": 2,
        "rejects_sha256": sha256(rejects).hexdigest(),
    }


def test_rows_are_those_of_explain(source: Path, finished: Path) -> None:
    texts = read_corpus(source)
    frame = pd.read_parquet(finished)
    assert dict(zip(frame["id"], frame["text"], strict=True)) == texts
    expected = explain(small_cnn(), list(texts.values()), "all")
    for one, (_, row) in zip(expected, frame.iterrows(), strict=True):
        np.testing.assert_allclose(np.stack(row["relevance"]), one.relevance, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(row["scores"], one.scores, rtol=1e-5, atol=1e-6)
        assert list(row["words"]) == one.words


def test_other_programs_can_read_it(finished: Path) -> None:
    import duckdb

    query = f"select count(*), sum(len(words)), avg(residual[1]) from '{finished}/*.parquet'"
    with duckdb.connect() as database:
        ((rows, words, residual),) = database.execute(query).fetchall()
    assert (rows, words) == (22, 22 * 16)
    assert abs(residual) < 1e-4


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", ["posts.csv", "posts.parquet"])
def test_every_row_is_read_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns, frequent words and documents: one look at the file for all of them."""
    texts = pd.DataFrame({"text": read_corpus(write_corpus(tmp_path / "a", 1, 30)).values()})
    path = tmp_path / name
    if name.endswith(".csv"):
        texts.to_csv(path, index=False)
    else:
        texts.to_parquet(path)
    opens = count_opens(monkeypatch)
    explain_corpus(small_cnn(), path, tmp_path / "why")
    class_words_corpus(small_cnn(), path)
    assert opens[name] == 1 + 2  # class words: again for the names of their documents
    explain_corpus(small_cnn(), path, tmp_path / "strictly", strict=True)
    assert opens[name] == 3 + 2  # a strict reader looks ahead, then begins anew
    assert contents(tmp_path / "why") == contents(tmp_path / "strictly")


# ---- other tasks and models ---------------------------------------------------------------------


@pytest.mark.usefixtures("in_process")
def test_each_documents_highest_classes(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "why"
    explain_corpus(small_cnn(), source, out, top_classes=2, top=3)
    frame = pd.read_parquet(out)
    expected = explain(small_cnn(), frame["text"].tolist(), top=2)
    assert len({one.target for one in expected}) > 1
    assert [tuple(target) for target in frame["target"]] == [one.target for one in expected]
    assert set(frame["words"].map(len)) == {3}
    read = Explanations.from_parquet(out / "part-00000-00000.parquet")
    for one, other in zip(read, expected, strict=False):
        assert one.parameters["top_classes"] == 2
        np.testing.assert_allclose(one.score, other.score, rtol=1e-5, atol=1e-5)
        assert one.conserved
    with pytest.raises(InputError, match="another one: parameters differs"):
        explain_corpus(small_cnn(), source, out, top_classes=3, top=3, resume=True)


@pytest.mark.usefixtures("in_process")
def test_summary_vectors_of_a_corpus(source: Path, tmp_path: Path) -> None:
    texts, out = read_corpus(source), tmp_path / "vectors"
    events: list[Progress] = []
    how: dict[str, Any] = {"level": "element", "target": "space", "on_progress": events.append}
    outcome = summarize_corpus(small_cnn(), source, out, **how)
    assert (outcome.n_documents, outcome.parts) == (22, 6)
    assert {event.stage for event in events} == {"summarising"}
    frame = pd.read_parquet(out)
    assert frame["id"].tolist() == list(texts)
    expected = summarize(small_cnn(), list(texts.values()), level="element", target="space")
    np.testing.assert_allclose(np.stack(frame["vector"].tolist()), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(InputError, match="was another one: level differs"):
        summarize_corpus(small_cnn(), source, out, target="space", resume=True)
    with pytest.raises(InputError, match="was another one: task differs"):
        predict_corpus(small_cnn(), source, out, resume=True)


@pytest.mark.usefixtures("in_process")
def test_the_words_of_classes(source: Path) -> None:
    texts = read_corpus(source)
    for used, options in (
        (small_cnn(), {}),
        (small_cnn(), {"per": "occurrence", "top": 7}),
        (small_cnn(), {"rank": "sum", "least": 2, "top": 4, "target": "space"}),
        (small_cnn(), {"units": "phrases", "top": 9, "method": "gradient_input"}),
        (model("svm"), {"rank": "mean"}),
    ):
        events: list[Progress] = []
        found = class_words_corpus(used, source, on_progress=events.append, **options)
        expected = class_words(used, texts.values(), ids=list(texts), **options)
        check_same_words(found, expected)
        assert {event.stage for event in events} == {"gathering class words"}
        assert [event.n_documents for event in events] == [4, 8, 11, 15, 19, 22]
        assert (events[2].share, events[-1].share) == (0.5, 1.0)


def test_words_of_classes_have_the_defaults_of_the_library() -> None:
    of_texts, of_corpus = (signature(one).parameters for one in (class_words, class_words_corpus))
    for name in set(of_texts) & set(of_corpus):
        assert of_corpus[name].default == of_texts[name].default, name


def check_same_words(found: ClassWords, expected: ClassWords) -> None:
    """Compare all fields; relevance but for the rounding of another order of additions."""
    assert (found.per, found.rank, found.units) == (expected.per, expected.rank, expected.units)
    assert found.n_documents == expected.n_documents
    assert list(found) == list(expected)
    for label in expected:
        ours, theirs = found[label], expected[label]
        assert [e._replace(relevance=0) for e in ours] == [e._replace(relevance=0) for e in theirs]
        np.testing.assert_allclose(
            [e.relevance for e in ours], [e.relevance for e in theirs], rtol=1e-4
        )


def test_words_of_classes_that_make_no_sense(source: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": None}))
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (source, {"target": "predicted"}, "say 'all'"),
        (source, {"target": "nothing"}, "there is no class 'nothing'"),
        (source, {"strict": True}, "line 2: 'text' is null"),
        (source, {"workers": 0}, "workers must be"),
        (tmp_path / "a.jsonl", {}, "there are no texts"),
    ]
    for given, options, message in cases:
        with pytest.raises(InputError, match=message):
            class_words_corpus(small_cnn(), given, **options)


@pytest.mark.usefixtures("in_process")
def test_labels_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("body,topic\nmoon,a;b\npuck,\n")
    predict_corpus(
        *(Keywords(), tmp_path / "a.csv", tmp_path / "out"),
        text="body",
        label="topic",
        label_separator=";",
    )
    assert pd.read_parquet(tmp_path / "out")["label"].tolist() == ["a, b", "no label"]


# ---- what may go wrong --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"engine": "spark"}, "engine may be 'local' or 'ray', not 'spark'"),
        ({"address": "auto"}, "an address is that of a Ray cluster: say engine='ray', too"),
        ({"workers": 0}, "workers must be"),
        ({"top": 0}, "top must be"),
        ({"target": "nothing"}, "there is no class"),
        ({"target": "all", "top_classes": 3}, "top_classes is for each text's highest classes"),
        ({"method": "guess"}, "guess"),
        ({"text": "body"}, "no column 'body'"),
        ({"encoding": "klingon"}, "klingon"),
        ({"strict": True}, r"0.jsonl, line 2: 'text' is null, not text"),
    ],
)
@pytest.mark.usefixtures("in_process")
def test_what_makes_no_sense(
    how: dict[str, Any], message: str, source: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        explain_corpus(small_cnn(), source, tmp_path / "why", **how)
    assert not list(tmp_path.glob("why/*"))


def test_a_source_and_a_folder_that_cannot_be_used(source: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the source is the path of files .*, not a list"):
        explain_corpus(small_cnn(), ["a text"], tmp_path / "why")  # type: ignore[arg-type]
    for out in (source / "why", source, source / "a" / ".." / "why"):
        with pytest.raises(InputError, match="is in the folder that is read; name another one"):
            explain_corpus(small_cnn(), source, out)
    assert len(list(source.iterdir())) == 2


def test_a_source_without_documents(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\n")
    outcome = explain_corpus(small_cnn(), tmp_path / "a.csv", tmp_path / "why")
    assert (outcome.n_documents, outcome.rejected, outcome.parts) == (0, 0, 0)
    manifest = json.loads((tmp_path / "why" / MANIFEST).read_text())
    assert manifest["state"] == "complete"
    sizes = {"documents": 2_048, "characters": 8 << 20, "lexicon": 384 << 20}
    assert manifest["at_most"] == sizes  # a run of other sizes is another run


# ---- several processes --------------------------------------------------------------------------


@pytest.mark.slow(reason="starts processes")
@pytest.mark.usefixtures("small_parts")
def test_processes_write_the_same_files(
    source: Path, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them is a copy of this one, whose other threads could make it hang."""

    def fork() -> int:
        raise AssertionError("beside threads this may hang")

    monkeypatch.setattr(os, "fork", fork)
    explain_corpus(small_cnn(), source, tmp_path / "why", "all", workers=3)
    assert contents(tmp_path / "why") == contents(finished)
    found = class_words_corpus(small_cnn(), source, workers=2)
    texts = read_corpus(source)
    check_same_words(found, class_words(small_cnn(), texts.values(), ids=list(texts)))


SCRIPT = f"""
import sys
import whyword as ww
from whyword.batch import chunks

{MODULE}
chunks.ROWS = 4
print("once")
print(ww.predict_corpus(model, sys.argv[1], sys.argv[2], workers=2).n_documents)
"""


@pytest.mark.slow(reason="starts a process")
def test_a_script_is_run_once_and_does_all_the_work_of_its_own_model(
    source: Path, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), str(source), str(tmp_path / "said")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout == "once\n22\n"
    assert "the model cannot be sent to other processes, so this one does all" in done.stderr
    assert len(pd.read_parquet(tmp_path / "said")) == 22


# ---- killed, interrupted ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "parts"),
    [
        (signal.SIGKILL, 3),
        (signal.SIGINT, 3),
        *(
            pytest.param(signal.SIGKILL, parts, marks=pytest.mark.nightly(reason="kills more runs"))
            for parts in (0, 1, 9, 17)
        ),
    ],
)
@pytest.mark.slow(reason="ends a run that was made slow")
def test_a_run_that_is_ended_is_resumed(
    number: signal.Signals, parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed run leaves processes for a moment; an interrupted one finishes what is begun."""
    source, out = write_corpus(tmp_path / "source", documents=28), tmp_path / "why"
    shrink_runs(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(runs, "ExplainTask", SlowTask)
        run = Run(explain_corpus, small_cnn(), source, out, "all", workers=2)
        run.wait_for_parts(out, parts)
        time.sleep(0.1 * (parts % 4))
        family = run.family()
        os.kill(run.pid, number)
        code = run.end()
    done = written_parts(out) if out.exists() else {}
    assert parts <= len(done) < 21
    outcome = explain_corpus(small_cnn(), source, out, "all", workers=2, resume=out.exists())
    if number == signal.SIGINT:
        assert code == 130
        assert outcome.resumed == 4 * len(done) - sum("-00006" in name for name in done)
        assert written_parts(out).items() >= done.items()
    work_here(monkeypatch)
    explain_corpus(small_cnn(), source, tmp_path / "whole", "all")
    assert contents(out) == contents(tmp_path / "whole")
    psutil.wait_procs(family, 10)
    assert not any(process.is_running() for process in family)
