"""What a word looks like: an address, a host, a number, a date; or it is just a word."""

import re

ADDRESS, HOST, LINK, DATE, NUMBER, CODE, WORD = FORMS = (
    "address",
    "host",
    "link",
    "date",
    "number",
    "code",
    "word",
)

_LONGEST = 300  # characters of a word that is looked at
_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec"
_DAY = "mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun"
_ALSO_WORDS = frozenset({"may", "mar", "sat", "sun", "wed"})  # by themselves they are no dates
_LABEL = r"[a-z0-9](?:[a-z0-9_-]{0,62})"
_PATTERNS: dict[str, "re.Pattern[str]"] = {
    ADDRESS: re.compile(rf"[^\s@]{{1,64}}@{_LABEL}(?:\.{_LABEL}){{0,9}}\.?"),
    LINK: re.compile(r"(?:https?|ftp|news|mailto|www)(?:[:.]|://).+"),
    HOST: re.compile(rf"{_LABEL}(?:\.{_LABEL}){{0,8}}\.[a-z]{{2,12}}"),
    DATE: re.compile(
        rf"(?:{_MONTH}|{_DAY})\.?|\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|\d{{1,2}}:\d\d(?::\d\d)?"
        rf"|\d{{1,2}}-?(?:{_MONTH})-?\d{{0,4}}|(?:19|20)\d\d|[a-z]{{3}}dt|gmt|utc"
    ),
    NUMBER: re.compile(r"[-+]?[\d.,]*\d[\d.,]*%?"),
    CODE: re.compile(r"(?=.*\d)(?=.*[a-z]).+|.*[_=<>{}|\\/].*"),
}
_HOST_ENDS = frozenset(
    "edu com org net gov mil int arpa uucp bitnet info biz io co ac us uk de fr ca au nl se no dk "
    "fi ch at be it es pl cz ru jp kr cn tw sg in br mx za nz ie il gr pt hu eu localdomain".split()
)
_FILE_ENDS = frozenset("txt exe gif jpg zip tar doc pdf bat com c h py html htm faq".split())


def form_of(word: str) -> str:
    """Return what a lower-cased word looks like, one of :data:`FORMS`.

    Parameters
    ----------
    word : str
        "jun" is a date, "may" a word.
    """
    if len(word) > _LONGEST:
        return CODE
    if word in _ALSO_WORDS:
        return WORD
    for form, pattern in _PATTERNS.items():
        if pattern.fullmatch(word) and (form != HOST or _is_host(word)):
            return form
    return WORD


def _is_host(word: str) -> bool:
    """Return whether dotted letters are a host, not two words with a full stop between them."""
    labels = word.split(".")
    if labels[-1] not in _HOST_ENDS:
        return False
    return len(labels) > 2 or (labels[-1] not in _FILE_ENDS and len(labels[-1]) > 2)


def domain_of(host: str) -> str:
    """Return the last two parts of a host's name, three where the last is a country's ("ac.uk")."""
    labels = host.rstrip(".").split(".")
    short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if short else labels[-2:])


def shape_of(word: str) -> str | None:
    """Return the pattern of words that differ from this one in digits only; None without digits."""
    if not any(map(str.isdecimal, word)):  # what \d fits
        return None
    return "".join(
        r"\d+" if run[0].isdecimal() else re.escape(run) for run in re.findall(r"\d+|\D+", word)
    )
