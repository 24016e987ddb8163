import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from whyword import InputError
from whyword.corpora import load_corpus, open_source
from whyword.corpora.groups import GroupColumns, PostGroups
from whyword.corpora.newsgroups import GROUPS

Write = Callable[[str, "str | bytes"], Path]
POST = (
    "From: Keith <keith@CCO.caltech.edu>\nSubject: Re: Re^2:  <Political   Atheists?\n\nSubject: no"
)


@pytest.mark.parametrize(
    ("sender", "author"),
    [
        ("keith@cco.caltech.edu (Keith Schneider)", "keith@cco.caltech.edu"),
        ('"K., S." <Keith@CCO.Caltech.edu>', "keith@cco.caltech.edu"),
        ("  nobody   here ", "nobody here"),
        ("a@b@c <d@e>", "a@b"),
        ("", ""),
    ],
)
def test_the_author_is_an_address(sender: str, author: str) -> None:
    assert PostGroups(f"Subject: x\nFrom: {sender}\n\nbody")["author"] == author


@pytest.mark.parametrize(
    ("subject", "thread"),
    [
        ("Once tapped", "once tapped"),
        ("Re: Once  tapped", "once tapped"),
        ("RE:re: FWD: Re^2: Re[3]: once\ttapped ", "once tapped"),
        ("Reading: a book", "reading: a book"),
        ("Re", "re"),
        ("", ""),
    ],
)
def test_answers_are_of_the_same_thread(subject: str, thread: str) -> None:
    assert PostGroups(f"From: x\nsubject: {subject}\n\nbody")["thread"] == thread


def test_only_the_header_is_looked_at() -> None:
    groups = PostGroups(POST)
    assert dict(groups) == {"author": "keith@cco.caltech.edu", "thread": "<political atheists?"}
    assert dict(PostGroups("no header\n\nFrom: a@b")) == {"author": "", "thread": ""}
    assert dict(PostGroups("")) == {"author": "", "thread": ""}
    assert len(groups) == 2
    assert pickle.loads(pickle.dumps(groups)) == groups
    with pytest.raises(KeyError):
        PostGroups(POST, ["author"])["thread"]


@pytest.mark.parametrize(
    "hostile", ["From:" * 10**6, "Subject: " + "re:" * 10**6, "From: " + "a@" * 10**6]
)
def test_hostile_headers_take_no_time(hostile: str) -> None:
    assert len(str(dict(PostGroups(hostile)))) < 1 << 15


def test_newsgroups_give_author_and_thread_though_headers_go(write: Write, tmp_path: Path) -> None:
    for group in GROUPS:
        write(f"news/{group}/1", POST)
    corpus = load_corpus(tmp_path / "news", test=0)
    assert corpus.train.texts[0] == "Subject: no"
    assert list(corpus.train.groups) == ["author", "thread"]
    assert corpus.train.groups["author"] == ["keith@cco.caltech.edu"] * len(GROUPS)
    only = load_corpus(tmp_path / "news", groups=["thread"], remove=[])
    assert only.train.texts[0] == POST
    assert dict(only.train.groups) == {"thread": ["<political atheists?"] * len(only.train)}
    with pytest.raises(InputError, match=r"groups: .*news has no 'source'; it has author, thread"):
        open_source(tmp_path / "news", groups=["source"])


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_columns_are_kept_with_the_documents(write: Write, name: str) -> None:
    content = {
        "a.csv": "text,label,author,n\na,x,eve,1\nb,y,,2\nc,x,bob,3\n",
        "a.jsonl": '{"text":"a","label":"x","author":"eve","n":1}\n'
        '{"text":"b","label":"y","author":null,"n":2}\n'
        '{"text":"c","label":"x","author":"bob","n":3}\n',
    }[name]
    path = write(name, content)
    loaded = load_corpus(path, groups=["author", "n", "author"], test=0)
    assert dict(loaded.train.groups) == {"author": ["eve", "", "bob"], "n": ["1", "2", "3"]}
    assert dict(loaded.test.groups) == {}
    assert dict(load_corpus(path, test=0).train.groups) == {}
    split = load_corpus(path, groups=["author"], test=0.4)
    together = dict(
        zip(split.texts, [*split.train.groups["author"], *split.test.groups["author"]], strict=True)
    )
    assert together == {"a": "eve", "b": "", "c": "bob"}
    assert load_corpus(path, groups=("label",), test=0).train.groups["label"] == ["x", "y", "x"]


def test_groups_that_are_not_there(write: Write, tmp_path: Path) -> None:
    path = write("a.csv", "text,label\na,x\n")
    with pytest.raises(InputError, match="no column 'author'; there are text, label"):
        open_source(path, groups=["author"])
    with pytest.raises(InputError, match="groups must be a list of strings, not one string"):
        open_source(path, groups="author")
    write("folder/x/1.txt", "a")
    with pytest.raises(InputError, match="has no 'author'; they are columns of a table"):
        open_source(tmp_path / "folder", groups=["author"])


def test_a_column_is_not_guessed_to_be_the_text_if_it_is_a_group(write: Write) -> None:
    path = write("a.csv", "words,label,who\na,x,eve\n")
    assert load_corpus(path, groups=["who"], test=0).texts == ["a"]


def test_columns_of_groups() -> None:
    columns = GroupColumns([{"a": "1"}, None, {"a": "3"}])
    assert columns["a"] is columns["a"]
    assert columns["a"] == ["1", "", "3"]
    assert columns == {"a": ["1", "", "3"]}
    assert (len(columns), repr(columns)) == (1, "GroupColumns(a)")
    assert dict(GroupColumns()) == dict(GroupColumns([None])) == {}
    with pytest.raises(KeyError):
        columns["b"]
