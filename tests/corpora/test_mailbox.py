"""An mbox is cut into its mails, however large it is."""

import mailbox
import random
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st

from whyword import InputError
from whyword.corpora import mailbox as module
from whyword.corpora.corpus import open_texts
from whyword.corpora.lines import Flaw
from whyword.corpora.mailbox import is_mailbox, mailbox_mails

Write = Callable[[str, "str | bytes"], Path]

LINE = b"From someone@example.org Thu Nov  5 12:00:00 1998\n"


def mails(*blocks: bytes) -> list[bytes | Flaw]:
    return list(mailbox_mails(iter(blocks)))


def test_mails_are_cut() -> None:
    data = (
        LINE + b"Subject: a\n\none\n>From here\n>>From there\n\n" + LINE + b"To: b\n\ntwo\nFrom x\n"
    )
    expected = [b"Subject: a\n\none\nFrom here\n>From there\n\n", b"To: b\n\ntwo\nFrom x\n"]
    assert mails(data) == expected
    assert mails(*(data[at : at + 1] for at in range(len(data)))) == expected
    assert mails(data.replace(b"\n", b"\r\n")) == [one.replace(b"\n", b"\r\n") for one in expected]


def test_what_the_standard_library_writes_is_read(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "in.mbox")
    bodies = [
        "Grüße\n",
        "From the beginning\nto the end\n",
        "\n\nFrom me to you 12:00 1998\n\n",
        "x\n",
    ]
    for number, body in enumerate(bodies):
        message = EmailMessage()
        message["Subject"] = f"mail {number}"
        message.set_content(body, cte="8bit")
        box.add(message)
    box.close()
    records = list(open_texts(str(tmp_path / "in.mbox")))
    assert [record.id for record in records] == [f"in.mbox:{number}" for number in range(1, 5)]
    for number, (record, body) in enumerate(zip(records, bodies, strict=True)):
        head, _, said = record.text.partition("\n\n")
        assert (head, said.strip()) == (f"Subject: mail {number}", body.strip())


@pytest.mark.parametrize(
    ("name", "beginning", "is_one"),
    [
        ("a.mbox", LINE, True),
        ("a.MBOX.gz", LINE, True),
        ("Inbox", LINE + b"Subject: x\n", True),
        ("Inbox", LINE + b"Subject of the day\n", False),
        ("a.txt", b"From here on 12:00 it is\nonly text\n", False),
        ("a.txt", b"From: x\n\ny", False),
        ("a.mbox", b"no mail", False),
    ],
)
def test_what_is_an_mbox(name: str, beginning: bytes, is_one: bool) -> None:
    assert is_mailbox(Path(name), beginning) == is_one


def test_a_mail_that_is_too_long(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 1_000)
    data = LINE + b"To: a\n\n" + b"x" * 5_000 + b"\n\n" + LINE + b"To: b\n\ny\n"
    first, second = mails(*(data[at : at + 100] for at in range(0, len(data), 100)))
    assert isinstance(first, Flaw)
    assert second == b"To: b\n\ny\n"
    with pytest.raises(InputError, match=r"a\.mbox: more than .* characters"):
        list(open_texts(str(write("a.mbox", data))))


def test_memory_is_that_of_a_mail() -> None:
    def blocks() -> Any:  # noqa: ANN401
        for _ in range(100_000):
            yield LINE + b"Subject: x\n\nbody\n\n"

    found = mailbox_mails(blocks())
    assert sum(1 for _ in found) == 100_000


# ---- any box ------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        LINE,
        b"From x\n",
        b">From x\n",
        b"\n",
        b"\r\n",
        b"Subject: a\n",
        b"word\n",
        b"word",
        b"\xff\0",
    ]
)


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "lines": draw(st.lists(LINES, max_size=20)),
        "block": draw(st.integers(1, 40)),
        "damage": draw(st.lists(st.integers(0, 1 << 32), max_size=2)),
    }


def fuzzer(folder: Path) -> Fuzzer:
    """Fuzz boxes of mails, good and damaged."""
    return Fuzzer("mboxes", cases(), lambda case: check_box(case, folder))


def check_box(case: dict[str, Any], folder: Path) -> None:
    data = LINE + b"".join(case["lines"])
    for seed in case["damage"]:
        data = damage(data, random.Random(seed))
    whole = mails(data)
    assert whole == mails(
        *(data[at : at + case["block"]] for at in range(0, len(data), case["block"]))
    )
    kept = b"".join(one for one in whole if isinstance(one, bytes))
    assert other_lines(kept) == other_lines(data)
    path = folder / "a.mbox"
    path.write_bytes(data)
    for record in open_texts(str(path)):
        record.text.encode("utf-8", "surrogatepass")


def other_lines(data: bytes) -> list[bytes]:
    """Return the lines that no mail begins with, escaped or not."""
    lines = data.split(b"\n")
    return [line for line in lines if line and not line.startswith((b"From ", b">"))]


@pytest.mark.slow(reason="many cases")
def test_any_box_is_read(tmp_path: Path) -> None:
    found = fuzzer(tmp_path)
    found.check(500)
    assert found.accepted > found.done // 2
