"""``whyword evaluate``, ``compare``, ``suspects``, ``what-if``, ``strategies`` and ``tour``."""

import csv
import json
from pathlib import Path

import pytest
from commands import Write, run
from keywords import MODULE
from networks import topical
from planted import form_letters, planted_corpus, planted_svm

import whyword as ww
from whyword import BlackBox, Corpus, Reader, SVMClassifier
from whyword.audit.suspicion.row import NEAR_COPIES
from whyword.audit.suspicion.stored import read_suspects
from whyword.cli.compare import model_names
from whyword.cli.inputs import CorpusOptions
from whyword.cli.word_lists import ignored_words
from whyword.corpora.corpus import Part


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# ---- evaluate -----------------------------------------------------------------------------------


def test_evaluation_as_a_page_and_json(trained: Path, topics: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = run(
        *("evaluate", trained, f"{topics / 'topics.csv'}:test", "--methods", "lrp, random"),
        *("--out", out, "--runs", 2, "--splits", 3, "--steps", "1,4"),
    )
    assert done.returncode == 0, done.stderr
    for said in ("accuracy", "of 18 documents", "explanatory power"):
        assert said in done.stdout
    assert "word deletion 1: correct documents, most relevant first" in done.stdout
    assert f"written: {out} and {out.with_suffix('.json')}" in done.stderr
    assert "is used; if the model was trained on it" not in done.stderr
    data = json.loads(read(out.with_suffix(".json")))
    assert data["quality"]["documents"] == 18
    assert data["settings"]["methods"] == ["lrp", "random"]
    assert data["settings"]["steps"] == [0, 1, 4]
    assert "cnn on " in read(out)


def test_evaluation_on_some_documents(folder: Path, topics: Path) -> None:
    source = topics / "topics.csv"
    arguments = ("--methods", "lrp", "--splits", 2, "--limit", 20, "--json", "--runs", 1)
    done = run("evaluate", folder, source, *arguments)
    data = json.loads(done.stdout)
    assert data["quality"]["documents"] == 20
    assert data["settings"]["source"] == f"{source}, 20 of 90 by chance (seed 0)"
    assert f"if the model was trained on it, say {source}:test" in done.stderr


# ---- compare ------------------------------------------------------------------------------------


def test_models_side_by_side(
    trained: Path, topics: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keywords_here.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    SVMClassifier(C=1.0).fit(*topical(60)).save(tmp_path / "svm")
    source = f"{topics / 'topics.csv'}:test"
    done = run(
        *("compare", trained, "svm", "keywords_here:model", "--corpus", source),
        *("--out", "c.html", "--runs", 1, "--splits", 2, "--steps", "1,4"),
    )
    assert done.returncode == 0, done.stderr
    assert "written: c.html and c.json" in done.stderr
    assert "cnn was not trained" not in done.stderr
    assert f"svm was not trained on {topics / 'topics.csv'}:train as it is here" in done.stderr
    head = done.stdout.splitlines()[0].split()
    assert head == ["cnn", "svm", "keywords_here:model"]
    assert "accuracy (higher is better)" in done.stdout
    assert "keywords_here:model, explanatory power: documents of kind 'Keywords'" in done.stdout
    data = json.loads(read(Path("c.json")))
    assert [row["name"] for row in data["models"]] == head
    assert data["documents"] == 18
    assert data["settings"]["steps"] == [0, 1, 4]
    assert f"cnn, svm, keywords_here:model on {source}" in read(Path("c.html"))


def test_names_of_models_are_told_apart() -> None:
    assert model_names(["models/cnn", "models/svm"]) == ["cnn", "svm"]
    assert model_names(["a/cnn", "b/cnn/"]) == ["a/cnn", "b/cnn"]
    assert model_names(["cnn", "cnn", "/"]) == ["cnn", "cnn (2)", "/"]
    assert model_names(["a\udc80", "my.spam:model()"]) == ["a\\x80", "my.spam:model()"]


def test_warnings_of_a_corpus_for_several_models(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[object] = []

    def load(source: str, remove: object = None, **_: object) -> Corpus:
        asked.append((source, remove))
        part = Part(["orbit"], ["space"], ["1"])
        return Corpus(source, part, part, rule=("headers",))

    monkeypatch.setattr("whyword.cli.inputs.load_corpus", load)
    told = SVMClassifier(C=1.0, reader=Reader(remove=["headers"])).fit(*topical(30))
    other = BlackBox(lambda texts: [[1.0, 0.0]] * len(texts), ["a", "b"])
    CorpusOptions().load_to_compare("posts:test", {"svm": told, "box": other})
    assert asked.pop() == ("posts", None)
    assert caplog.messages == [
        "some of the models remove parts of texts themselves, others do not: all read them without "
        "headers"
    ]
    caplog.clear()
    CorpusOptions().load_to_compare("posts:test", {"svm": told, "again": told})
    assert asked.pop() == ("posts", ())
    assert [message.partition(" on ")[0] for message in caplog.messages] == [
        *("svm was not trained", "again was not trained"),
    ]
    caplog.clear()
    CorpusOptions().load_to_compare("posts:train", {"box": other})
    assert caplog.messages == ["box was trained on these very documents"]


# ---- suspects -----------------------------------------------------------------------------------


def write_parts(path: Path, corpus: Corpus) -> None:
    """Write a table with a column for the part, and one for the author if there is any."""
    names = list(corpus.train.groups)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("text", "label", *names, "split"))
        for name, part in (("train", corpus.train), ("test", corpus.test)):
            groups = [part.groups[one] for one in names]
            for row in zip(part.texts, part.labels or [], *groups, strict=True):
                writer.writerow((*row, name))


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with a table of texts, labels and authors, and a model."""
    folder = tmp_path_factory.mktemp("planted")
    write_parts(folder / "mails.csv", planted_corpus())
    planted_svm().save(folder / "svm")
    return folder


def test_suspects_and_their_marks(planted: Path, tmp_path: Path) -> None:
    out = tmp_path / "found"
    call = ("suspects", planted / "svm", planted / "mails.csv", "--groups", "author", "--out", out)
    done = run(*call, "--top", 1)
    assert done.returncode == 0, done.stderr
    assert "zorvex" in done.stdout or "a habit of few" in done.stdout
    assert "more: --top, or --out for all of them" in done.stdout
    assert "was not trained on" not in done.stderr
    assert f"written: {out / 'index.html'}, suspects.csv and suspects.json" in done.stderr
    data = json.loads(read(out / "suspects.json"))
    assert data["settings"]["groups"] == "author"
    assert read(out / "index.html").count('class="tick"') == len(data["rows"])
    table = read(out / "suspects.csv")
    ticked = table.replace("zorvex,,", "zorvex,yes,", 1) + "gone; for ever,no" + "," * 20 + "\n"
    (out / "suspects.csv").write_text(ticked, encoding="utf-8")
    done = run(*call)
    assert done.returncode == 1
    assert "filled in the column 'artefact' of 2 rows; name another folder" in done.stderr
    assert "--force" in done.stderr
    assert read(out / "suspects.csv") == ticked
    done = run(*call, "--force")
    assert done.returncode == 0, done.stderr
    assert "marks kept in the column 'artefact': 1 of 2" in done.stderr
    assert "marked before, and not found any more: for ever; gone" in done.stderr
    assert ignored_words(str(out)) == ["zorvex"]


def test_suspects_where_nobody_says_who_wrote_what(tmp_path: Path) -> None:
    letters = form_letters()
    model = SVMClassifier(C=1.0, ngrams=(1, 1)).fit(letters.train.texts, letters.train.labels or [])
    model.save(tmp_path / "svm")
    write_parts(tmp_path / "letters.csv", letters)
    done = run("suspects", tmp_path / "svm", tmp_path / "letters.csv", "--out", tmp_path / "found")
    assert done.returncode == 0, done.stderr
    assert "copies of 1" in " ".join(done.stdout.split())
    found = read_suspects(tmp_path / "found")
    assert found.groups == NEAR_COPIES
    assert any("15 training documents are copies of 1 text" in said for said in found.remarks)


def test_suspects_without_labels(planted: Path, write: Write) -> None:
    texts = write("texts.csv", "text\n" + "\n".join(f"moon{n} orbit the" for n in range(9)))
    done = run("suspects", planted / "svm", texts, "--json", "--test", 0)
    assert done.returncode == 0, done.stderr
    assert "have no labels" in " ".join(json.loads(done.stdout)["remarks"])


# ---- what-if ------------------------------------------------------------------------------------


def test_what_if_words_were_not_read(folder: Path, corpus: Path) -> None:
    done = run("what-if", folder, corpus, "--without", "orbit", "--without", "/mo+n/")
    assert done.returncode == 0, done.stderr
    expected = ww.what_if(ww.load_model(folder), ["orbit", "/mo+n/"], *topical(99))
    assert len(expected.documents) > 10
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"{len(expected.documents)} of 99 documents have some of it; ")
    assert f"{len(expected.changed)} predictions change" in first
    assert "without them" in done.stdout
    assert "McNemar" in done.stdout
    nothing = run("what-if", folder, corpus, "--without", "xylophone").stdout
    assert nothing.startswith("none of 99 documents has any of it: nothing changes")


def test_changes_are_listed_what_turns_wrong_first(
    folder: Path, corpus: Path, write: Write
) -> None:
    words = sorted({word for text in topical(99)[0] for word in text.split()})
    listed = write("words.txt", "\n".join(words))
    done = run("what-if", folder, corpus, "--without", f"@{listed}")
    assert done.returncode == 0, done.stderr
    assert "right to wrong" in done.stdout.splitlines()[0]
    assert "more: --json has all of them" in done.stdout
    plain = json.loads(run("what-if", folder, corpus, "--without", f"@{listed}", "--json").stdout)
    assert len(plain["changes"]) == plain["changed"] > 10


def test_what_if_without_labels_and_with_marked_suspects(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "\n".join(["text", *topical(30)[0]]))
    done = run("what-if", folder, corpus, "--without", "orbit")
    assert done.returncode == 0, done.stderr
    assert "accuracy" not in done.stdout
    assert "predictions change" in done.stdout
    table = write("suspects.csv", "word,artefact\norbit,yes\ngoal,\n")
    done = run("what-if", folder, corpus, "--without", table, "--json")
    assert json.loads(done.stdout)["words"] == ["orbit"]


# ---- strategies ---------------------------------------------------------------------------------


def test_strategies(folder: Path, corpus: Path, write: Write) -> None:
    out, suspects = corpus.parent / "ways.html", write("suspects.txt", "orbit\n moon \n\n")
    done = run(
        *("strategies", folder, corpus, "--target", "space", "--out", out, "--most", 2),
        *("--suspects", "rocket", "--suspects", f"@{suspects}"),
    )
    assert done.returncode == 0, done.stderr
    assert f"written: {out} and {out.with_suffix('.json')}" in done.stderr
    assert "documents are given space: no evidence of several ways to recognise it" in done.stdout
    assert "accuracy" in done.stdout
    assert "lives on them" in done.stdout
    assert read(out).startswith("<!DOCTYPE html>")
    kept = json.loads(read(out.with_suffix(".json")))
    assert kept["target"] == "space"
    assert kept["strategies"][0]["on_suspects"] > 0.5


def test_strategies_without_labels(folder: Path, write: Write) -> None:
    corpus = write("c.csv", "\n".join(["text", *topical(99)[0]]))
    done = run("strategies", folder, corpus, "--target", "space", "--most", 1, "--json")
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert plain["strategies"][0]["accuracy"] is None
    assert plain["strategies"][0]["n_documents"] == len(plain["documents"]) >= 30


# ---- tour ---------------------------------------------------------------------------------------


def test_a_tour_is_kept_if_nothing_changed(trained: Path, topics: Path, tmp_path: Path) -> None:
    out = tmp_path / "tour"
    call = ("tour", trained, f"{topics / 'topics.csv'}:test", "--out", out, "--limit", 15)
    done = run(*call)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"written: {out / 'index.html'}" in done.stderr
    assert "cnn on " in read(out / "index.html")
    assert f"kept: {out / 'index.html'}" in run(*call).stderr
