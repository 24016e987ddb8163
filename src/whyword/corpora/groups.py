"""What documents belong to beside their class: an author, a thread, a source.

Of newsgroup posts it stands in the header, which is looked at when somebody asks: most who load the
posts never do, and to look at all of them takes half as long as to load them.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from whyword.base.checks import join_names
from whyword.base.errors import Argument, InputError

POST_GROUPS = ("author", "thread")  # what the header of a post says it belongs to

_FIELDS = re.compile(r"^(From|Subject):[ \t]*(.*)", re.MULTILINE | re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s<>()\"',;:@]+@[^\s<>()\"',;:@]+")
_ANSWER = re.compile(r"(?:\s*(?:re|fwd?)(?:\^\d+|\[\d+\])?\s*:)+", re.IGNORECASE)
_LONGEST_HEADER = 1 << 14  # characters that are looked at


class PostGroups(Mapping[str, str]):
    """The author and the thread of a post, by its header; "" where that does not say.

    The author is the address in ``From``, in lower case (what is there if it is none); the thread
    is ``Subject`` without ``Re:``, in lower case, runs of spaces as one.

    Parameters
    ----------
    text : str
        The post with its header, of which nothing else is kept.
    names : collection of {"author", "thread"}
        Those that are wanted.
    """

    __slots__ = ("_header", "_names")

    def __init__(self, text: str, names: Collection[str] = POST_GROUPS) -> None:
        end = text.find("\n\n", 0, _LONGEST_HEADER)
        self._header, self._names = text[: end if end >= 0 else _LONGEST_HEADER], names

    def __getitem__(self, name: str) -> str:
        if name not in self._names:
            raise KeyError(name)
        wanted = "from" if name == "author" else "subject"
        fields = _FIELDS.findall(self._header)
        said = next((value for field, value in fields if field.lower() == wanted), "")
        return _author(said) if name == "author" else _thread(said)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"PostGroups({dict(self)})"


def _author(sender: str) -> str:
    address = _ADDRESS.search(sender)
    return (address[0] if address else " ".join(sender.split())).lower()


def _thread(subject: str) -> str:
    answered = _ANSWER.match(subject)
    return " ".join((subject[answered.end() :] if answered else subject).split()).lower()


class GroupColumns(Mapping[str, list[str]]):
    """The groups of many documents, by name, aligned with them; read when they are asked for.

    Parameters
    ----------
    groups : sequence of n mappings, or None
        Of each document; the first says which names there are.
    """

    def __init__(self, groups: Sequence[Mapping[str, str] | None] = ()) -> None:
        self._names = tuple(groups[0] or ()) if groups else ()
        self._groups = groups if self._names else ()
        self._columns: dict[str, list[str]] = {}

    def __getitem__(self, name: str) -> list[str]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._columns:
            self._columns[name] = [(one or {}).get(name, "") for one in self._groups]
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"GroupColumns({join_names(self._names)})"


def check_groups(source: str, wanted: Collection[str], there: Collection[str]) -> None:
    """Raise unless a source that is no table has the groups that are wanted."""
    unknown = [name for name in wanted if name not in there]
    if unknown:
        known = f"it has {join_names(there)}" if there else "they are columns of a table"
        raise InputError(Argument("groups"), f": {source} has no {unknown[0]!r}; {known}")
