import io
import pickle
import tarfile
import zlib
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from whyword import load_corpus, tokenize
from whyword.base.download import Package
from whyword.base.errors import DownloadError
from whyword.corpora import newsgroups
from whyword.corpora.corpus import Corpus
from whyword.corpora.newsgroups import posts_of_archive, posts_of_pickle
from whyword.words.mail_parts import clean_post


@pytest.mark.real
def test_the_figures_of_the_paper(news: Corpus) -> None:
    assert (len(news.train), len(news.test), len(news.classes)) == (11_314, 7_532, 20)
    lengths = [len(tokenize(text)) for text in news.test.texts]
    assert abs(sum(length <= 1 for length in lengths) - 25) <= 1
    assert abs(sum(length >= 100 for length in lengths) - 4_963) <= 15
    vocabulary = {word.lower() for text in news.train.texts for word in tokenize(text, 400).words}
    assert abs(len(vocabulary) / 70_631 - 1) <= 0.025


@pytest.mark.real
def test_the_papers_example(news: Corpus) -> None:
    text = news.test.texts[news.test.ids.index("sci.space/61393")]
    assert "weightlessness" in text
    assert not text.startswith("From:")


@pytest.mark.real
def test_parts_and_removal(news: Corpus) -> None:
    test = load_corpus("20newsgroups:test", remove=[])
    assert len(test.train) == 0
    assert test.ids == news.test.ids
    assert [clean_post(text) for text in test.texts] == news.test.texts


@pytest.mark.real
def test_cleaning_equals_scikit_learns() -> None:
    from sklearn.datasets import _twenty_newsgroups as theirs

    for text in load_corpus("20newsgroups:test", remove=[]).texts[::20]:
        assert clean_post(text) == theirs.strip_newsgroup_header(text)
        assert clean_post(text, ["footers"]) == theirs.strip_newsgroup_footer(text)
        assert clean_post(text, ["quotes"]) == theirs.strip_newsgroup_quoting(text)


SIZES = {"train": 2, "test": 1}
POSTS = [
    ("From: x\n\nb\xe9", "sci.space", "sci.space/1", "train"),
    ("From: y\n\nz", "sci.med", "sci.med/2", "train"),
    ("From: z\n\nw", "sci.med", "sci.med/3", "test"),
]


@pytest.fixture
def small(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of three posts, no network, no mirror."""
    monkeypatch.setattr(newsgroups, "SIZES", SIZES)
    monkeypatch.setattr(newsgroups, "_ARCHIVE_URL", "http://127.0.0.1:9/")
    monkeypatch.setattr(newsgroups, "_MIRROR", Package("no-such-package-here", "0"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return cache


def write_pickle(path: Path) -> str:
    from whyword.base.files import sha256_of

    bunches: dict[str, dict[str, list[str]]] = {}
    for text, _, name, split in POSTS:
        bunch = bunches.setdefault(split, {"data": [], "filenames": []})
        bunch["data"].append(text)
        bunch["filenames"].append(f"/home/x/20news-bydate-{split}/{name}")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(pickle.dumps(bunches)))
    return sha256_of(path)


def test_a_pickle_put_into_the_cache(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = write_pickle(small / "20news-bydate_py3.pkz")
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", sha256)
    corpus = load_corpus("20newsgroups")
    assert corpus.train.ids == ["sci.med/2", "sci.space/1"]
    assert corpus.train.texts == ["z", "b\xe9"]
    (small / "20news-bydate_py3.pkz").unlink()
    assert load_corpus("20newsgroups:test").texts == ["w"]  # from the table in the cache


@pytest.mark.slow(reason="half a second and more")
def test_scikit_learns_cache(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "scikit-learn" / "20news-bydate_py3.pkz"
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", write_pickle(theirs))
    assert len(load_corpus("20newsgroups")) == 3
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", "0" * 64)
    (small / "20newsgroups.parquet").unlink()
    with pytest.raises(DownloadError, match="scikit-learn's cache does not have it"):
        load_corpus("20newsgroups")
    assert theirs.exists()  # not ours to delete


@pytest.mark.slow(reason="half a second and more")
def test_a_pickle_with_a_wrong_checksum_is_deleted_unopened(small: Path) -> None:
    bad = small / "20news-bydate_py3.pkz"
    bad.write_bytes(zlib.compress(pickle.dumps({"train": 1})))
    with pytest.raises(DownloadError, match="wrong checksum and was deleted"):
        load_corpus("20newsgroups")
    assert not bad.exists()
    assert not (small / "20newsgroups.parquet").exists()


@pytest.mark.slow(reason="half a second and more")
def test_no_source_at_all_says_what_to_put_where(small: Path) -> None:
    with pytest.raises(DownloadError) as caught:
        load_corpus("20newsgroups")
    message = str(caught.value)
    assert "Put 20news-bydate_py3.pkz into" in message
    assert str(small) in message
    assert "\n" not in message


def test_a_damaged_table_in_the_cache_is_made_again(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = write_pickle(small / "20news-bydate_py3.pkz")
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", sha256)
    load_corpus("20newsgroups")
    table = small / "20newsgroups.parquet"
    table.write_bytes(table.read_bytes()[:40])
    assert len(load_corpus("20newsgroups")) == 3


def test_the_official_archive(tmp_path: Path) -> None:
    path = tmp_path / "20news-bydate.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for text, _, name, split in POSTS:
            data = text.encode("latin-1")
            member = tarfile.TarInfo(f"20news-bydate-{split}/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    assert posts_of_archive(path) == POSTS


def test_a_pickle_cannot_run_code(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (print, ("ran",))

    path = tmp_path / "evil.pkz"
    path.write_bytes(zlib.compress(pickle.dumps({"train": Evil()})))
    with pytest.raises(DownloadError, match=r"asks for builtins\.print"):
        posts_of_pickle(path)


@pytest.mark.slow(reason="half a second and more")
def test_too_few_posts(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha256 = write_pickle(small / "20news-bydate_py3.pkz")
    monkeypatch.setattr(newsgroups, "_PICKLE_SHA256", sha256)
    monkeypatch.setattr(newsgroups, "SIZES", {"train": 2, "test": 7})
    with pytest.raises(DownloadError, match="the test part has 1 posts instead of 7"):
        load_corpus("20newsgroups")


@pytest.mark.real
def test_agreement_with_nltk_on_a_sample(news: Corpus) -> None:
    """The whole test split is compared by benchmarks/tokenizer.py; this is a twentieth of it."""
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer
    from oracle import is_word

    trainer = PunktTrainer()
    trainer.train("\n\n".join(news.train.texts[::20]), finalize=False)
    trainer.finalize_training()
    sentences = PunktSentenceTokenizer(trainer.get_params())
    same = total = 0
    for text in news.test.texts[::20]:
        theirs = [
            token
            for sentence in sentences.tokenize(text)
            for token in NLTKWordTokenizer().tokenize(sentence)
            if is_word(token)
        ]
        ours = tokenize(text).words
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        same += sum(block.size for block in matcher.get_matching_blocks())
        total += len(ours) + len(theirs)
    assert 2 * same / total >= 0.995
