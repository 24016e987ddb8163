"""Groups of documents: columns of a table; of newsgroup posts, their author and thread."""

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
    ("field", "name", "expected"),
    [
        ("From: keith@cco.caltech.edu (Keith Schneider)", "author", "keith@cco.caltech.edu"),
        ('From:"K., S." <Keith@CCO.Caltech.edu>', "author", "keith@cco.caltech.edu"),
        ("FROM:   nobody   here ", "author", "nobody here"),
        ("From: a@b@c <d@e>", "author", "a@b"),
        ("From:", "author", ""),
        ("subject: Once tapped", "thread", "once tapped"),
        ("Subject: RE:re: FWD: fw: Re^2: Re[3]: once\ttapped ", "thread", "once tapped"),
        ("Subject: Reading: a book", "thread", "reading: a book"),
        ("Subject: Re", "thread", "re"),
        ("Subject:", "thread", ""),
    ],
)
def test_headers_of_posts(field: str, name: str, expected: str) -> None:
    assert PostGroups(f"X: y\n{field}\n\nbody")[name] == expected


def test_only_the_header_is_read() -> None:
    groups = PostGroups(POST)
    assert dict(groups) == {"author": "keith@cco.caltech.edu", "thread": "<political atheists?"}
    assert dict(PostGroups("no header\n\nFrom: a@b")) == {"author": "", "thread": ""}
    assert len(groups) == 2
    assert pickle.loads(pickle.dumps(groups)) == groups
    with pytest.raises(KeyError):
        PostGroups(POST, ["author"])["thread"]
    for hostile in ("From:" * 10**6, "Subject: " + "re:" * 10**6, "From: " + "a@" * 10**6):
        assert len(str(dict(PostGroups(hostile)))) < 1 << 15


def test_newsgroups_have_authors_and_threads(write: Write, tmp_path: Path) -> None:
    write("folder/x/1.txt", "a")
    with pytest.raises(InputError, match="has no 'author'; they are columns of a table"):
        open_source(tmp_path / "folder", groups=["author"])
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
    assert dict(loaded.test.groups) == dict(load_corpus(path, test=0).train.groups) == {}
    split = load_corpus(path, groups=["author"], test=0.4)
    authors = [*split.train.groups["author"], *split.test.groups["author"]]
    together = dict(zip(split.texts, authors, strict=True))
    assert together == {"a": "eve", "b": "", "c": "bob"}
    assert load_corpus(path, groups=("label",), test=0).train.groups["label"] == ["x", "y", "x"]
    with pytest.raises(InputError, match="no column 'who'; there are text, label, author, n"):
        open_source(path, groups=["who"])
    with pytest.raises(InputError, match="groups must be a list of strings, not one string"):
        open_source(path, groups="author")


def test_columns_of_groups() -> None:
    columns = GroupColumns([{"a": "1"}, None, {"a": "3"}])
    assert columns["a"] is columns["a"]
    assert columns == {"a": ["1", "", "3"]}
    assert (len(columns), repr(columns)) == (1, "GroupColumns(a)")
    assert dict(GroupColumns()) == dict(GroupColumns([None])) == {}
    with pytest.raises(KeyError):
        columns["b"]
