"""Raw mails become the text that a reader would see."""

import random
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import SMTP, EmailPolicy, default
from typing import Any

import pytest
from fuzzing import Fuzzer, damage
from hypothesis import strategies as st

from whyword import InputError
from whyword.words.mail import decode_bytes, decode_mail, has_mime

BODY = "Grüße aus Köln, and a very long line that has to be folded by whoever writes it = one day"
QP = "Content-Transfer-Encoding: quoted-printable"
BASE64 = "Content-Transfer-Encoding: base64"


def mail(body: str = BODY, **how: Any) -> EmailMessage:  # noqa: ANN401
    message = EmailMessage()
    message["From"] = "Jürgen Müller <j@example.org>"
    message["Subject"] = "Überraschung für alle, die noch da sind"
    message.set_content(body, **how)
    return message


def said(raw: str | bytes) -> str:
    """Return what the mail says, and check that decoding it again changes nothing."""
    text = decode_mail(raw)
    assert decode_mail(text) == text
    head, _, body = text.partition("\n\n")
    assert not any(line.lower().startswith(("content-", "mime-")) for line in head.split("\n"))
    return body


@pytest.mark.parametrize("cte", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize(("charset", "policy"), [("utf-8", SMTP), ("iso-8859-1", default)])
def test_transfer_encodings_and_charsets(cte: str, charset: str, policy: EmailPolicy) -> None:
    raw = mail(charset=charset, cte=cte).as_bytes(policy=policy)
    assert said(raw).strip() == BODY
    head = decode_mail(raw).partition("\n\n")[0].split("\n")
    assert head == [
        "From: Jürgen Müller <j@example.org>",
        "Subject: Überraschung für alle, die noch da sind",
    ]
    # as in a table
    assert said(raw.decode(charset if cte == "8bit" else "ascii")).strip() == BODY


def test_plain_text_is_preferred() -> None:
    message = mail("Zwei Tees für uns\n", cte="quoted-printable")
    message.add_alternative("<div>Zwei&nbsp;Tees f&uuml;r <b>euch</b></div>", subtype="html")
    message.add_attachment(b"\x89PNG" * 30, maintype="image", subtype="png", filename="tee.png")
    message.add_attachment("and a note\n", filename="note.txt")
    for raw in (message.as_bytes(), message.as_string()):
        assert said(raw).strip() == "Zwei Tees für uns\n\nand a note"


def test_html_only() -> None:
    message = mail()
    page = "<html><head><style>div {}</style></head><body><p>Fünf=Tees<br>&amp; mehr</p></body>"
    message.set_content(page, subtype="html", cte="quoted-printable")
    assert said(message.as_bytes()) == "Fünf=Tees\n& mehr"
    empty = mail("  \n")
    empty.add_alternative("<p>only here", subtype="html")
    assert said(empty.as_bytes()) == "only here"


def test_mails_within_mails() -> None:
    outer = mail("see below\n")
    outer.add_attachment(mail("the inner one\n", cte="base64"))
    assert said(outer.as_bytes()).strip() == "see below\n\nthe inner one"
    parts = "--b\n\nSubject: a\n\none\n--b\n\nTo: b\n\ntwo\n"
    assert said(f"Subject: two\nContent-Type: multipart/digest; boundary=b\n\n{parts}") == (
        "one\n\ntwo"
    )


def test_headers() -> None:
    raw = (
        "From someone Thu Nov  5 12:00:00 1998\r\n"
        "SUBJECT: =?iso-8859-1?q?caf=E9?= =?utf-8?b?IPCfjbU=?= and\r\n\t=?utf-8*en?Q?more=0Ax?=\r\n"
        "X-Bad: =?nonsense?q?=E9?= =?utf-8?x?y?= =?utf-8?b?!!!?=\r\n"
        "X-Empty:\r\nMIME-Version: 1.0\r\ncontent-ID: <1>\r\n\r\nBody\r\n"
    )
    expected = "SUBJECT: café 🍵 and more x\nX-Bad: é =?utf-8?x?y?=\nX-Empty:\n\nBody\n"
    assert decode_mail(raw) == expected
    assert decode_mail(b"Subject: caf\xe9\nTo: \xc3\xa9\n\nx") == "Subject: café\nTo: é\n\nx"
    twice = "=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?="
    assert decode_mail(f"Subject: {twice}\n\nb") == "Subject: x\n\nb"
    odd = "=?utf-8?q?é?= =?utf-8?b?a!!!?= =?koi8-r*ru?q?=CD?= x"
    assert decode_mail(f"Subject: {odd}\n\nb") == "Subject: éм x\n\nb"


def test_other_texts_stay() -> None:
    texts = ["", "no header\n\nhere", "Note: buy milk\nand eggs\n", "a\r\nb", "\nSubject: x\n\ny"]
    texts += ["http://x", " Subject: x\n\ny", "See: this\n\nFrom: that", "\ud800\0"]
    for text in (*texts, "From here on it is text\nonly"):
        assert decode_mail(text) == text
        if "\ud800" not in text:
            assert decode_mail(text.encode()) == text
        assert not has_mime(text)


def part(content_type: str, body: str, *fields: str) -> str:
    return "\n".join([f"Content-Type: {content_type}", *fields, "", body])


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        # no closing boundary, none at all, another one than was said
        (part('multipart/mixed; boundary="b"', "--b\n" + part("text/plain", "one")), "one"),
        (part("multipart/mixed; boundary=b", "only text"), "only text"),
        (part("multipart/mixed", "x\n--c\n" + part("text/html", "<p>one") + "\n--c--\n"), "one"),
        (part("multipart/mixed; boundary=b", "--c\n" + part("text/plain", "one")), "one"),
        (part("multipart/mixed; boundary=b", "--b--"), ""),
        (part("multipart/alternative; boundary=b", "--b\n" + part("text/html", "<p>")), ""),
        # charsets that are unknown, wrong, or none
        (part("text/plain; charset=klingon", "caf=E9", QP), "café"),
        (part("text/plain; charset=us-ascii", "caf=C3=A9", QP.upper()), "café"),
        (part("text/plain; charset=punycode", "a=E9", QP), "aé"),
        (part("text/plain; charset=base64", "YQ==", BASE64), "a"),
        (part("text/plain; charset*=utf-8''utf%2D8", "=C3=A9", QP), "é"),
        (part("text/plain; charset=utf-8", "=C3=A9=FF", QP), "é�"),
        (part("text/plain; charset=iso-8859-1", "=93x=94", QP), "“x”"),
        # base64 that is cut off, and has the list's own words below
        (part("text/plain", "Y2Fmw6kgb3Blb\n", BASE64), "café ope"),
        (part("text/plain", "Y2Fmw6kK\n___\nlist", BASE64), "café\n___\nlist"),
        # half decoded already
        (part("text/plain; charset=utf-8", "é =C3=A9 =\nx", QP), "é é x"),
        (part("nonsense", "text"), "text"),
        (part("text/plain", "<p>x", "Content-Type: text/html"), "<p>x"),  # the first one counts
        (part("application/pdf", "%PDF"), ""),
        (part("text/calendar", "BEGIN:VCALENDAR"), ""),
        (part("application/xhtml+xml", "<p>x</p>"), "x"),
        # the blank line is missing
        ("Subject: x\nMIME-Version: 1.0\nThis is text", "This is text"),
    ],
)  # fmt: skip
def test_broken_mails(raw: str, text: str) -> None:
    assert said(raw) == text


def test_parts_within_parts_to_death() -> None:
    raw = "text"
    for depth in range(5_000):
        raw = part(f"multipart/mixed; boundary=b{depth}", f"--b{depth}\n{raw}")
    assert said("Subject: x\n" + raw) == ""
    shallow = "text"
    for depth in range(10):
        shallow = part(f"multipart/mixed; boundary=b{depth}", f"--b{depth}\n{shallow}")
    assert said("Subject: x\n" + shallow) == "text"
    many = part("multipart/mixed; boundary=b", "--b\n\nx\n" * 100_000)
    assert said(many).count("x") == 999
    hostile = part("text/plain; " + 'a=";' * 100_000, "text")
    assert said(hostile) == "text"
    assert said("Subject: " + "=?a?q?" * 50_000 + "\n\ntext") == "text"


def test_mails_with_mime_are_recognized() -> None:
    with pytest.raises(InputError, match="a mail is a str or bytes, not int"):
        decode_mail(3)  # type: ignore[arg-type]
    assert has_mime(mail().as_string())
    assert has_mime("From a Thu\r\nTo: b\r\nMIME-Version: 1.0\r\n\r\nx")
    assert not has_mime("From: a\nSubject: b\n\nMIME-Version: 1.0")
    assert not has_mime("MIME-Version is what\nContent-Type: text/plain")
    far = "X: y\n" * 13_200 + "Subject: a\n\n\tb"  # beyond the beginning that is searched
    assert decode_mail(far) == far


def test_bytes_are_always_read() -> None:
    assert decode_bytes(b"\x81\xff") == "\x81ÿ"
    assert decode_bytes("今天".encode("gb18030"), "gb2312") == "今天"
    assert decode_bytes(b"a", "x" * 10_000) == decode_bytes(b"a", "\0é") == "a"


# ---- any mail ---------------------------------------------------------------------------------

WORDS = st.text(st.sampled_from("ab é月=?<>&-\n\t.\r\0\ud800_"), max_size=20)
TYPES = 'text/html; charset=utf-7|text/plain; charset="|text/plain; charset*1=utf-16|x'
TYPES += "|multipart/alternative; boundary=b|multipart/digest;boundary*0=b|multipart/mixed"
OTHERS = "Subject: =?utf-8?q?=3D=3Fa?= =?b?b?w6k=?=|MIME-Version: 1.0|From a b|>From x|To:|x: y"
FIELDS = st.sampled_from(
    [
        *(f"Content-Type: {one}" for one in [*TYPES.split("|"), "message/rfc822"]),
        *(f"Content-Transfer-Encoding: {one}" for one in ("base64", "quoted-printable")),
        *(OTHERS + "|w6k=|<p>x</p>| x|--b|--b--||=E9=\n|\r|\r\n").split("|"),
    ]
)


def fuzzer() -> Fuzzer:
    """Fuzz mails put together by chance, and damaged."""
    seeds = st.lists(st.integers(0, 1 << 32), max_size=3)
    return Fuzzer("mails", st.tuples(st.lists(FIELDS | WORDS, max_size=20), seeds), check_mail)


def check_mail(case: tuple[list[str], list[int]]) -> None:
    data = "\n".join(case[0]).encode("utf-8", "surrogatepass")
    for seed in case[1]:
        data = damage(data, random.Random(seed))
    for raw in (data, data.decode("latin-1"), data.decode("utf-8", "surrogateescape")):
        text = decode_mail(raw)
        assert decode_mail(text) == text


@pytest.mark.parametrize(
    "count", [100, pytest.param(5_000, marks=pytest.mark.nightly(reason="long fuzzing"))]
)
def test_any_mail_is_read(count: int) -> None:
    found = fuzzer()
    found.check(count)
    assert found.accepted == found.done


def test_a_mail_of_the_library_is_read() -> None:
    whole = MIMEMultipart()
    whole["Subject"] = "x"
    whole.attach(MIMEText("eins", "plain", "utf-16"))
    whole.attach(MIMEText("<p>zwei", "html", "koi8-r"))
    assert said(whole.as_bytes()) == "eins\n\nzwei"


def test_a_mail_that_was_cut_off_within_a_boundary() -> None:
    head = 'Subject: x\nContent-Type: multipart/mixed; boundary="=====abc"\n\n'
    whole = head + "--=====abc\nContent-Type: text/plain\n\nwith service.\n--=====abc--\n"
    for end in range(len(whole) - 11, len(whole)):
        assert decode_mail(whole[:end]).split("\n\n")[1].strip() == "with service."


def test_halves_of_surrogate_pairs_are_not_decoded() -> None:
    text = decode_mail("Subject: =?utf-7?q?+2AA-?=\n\nb")
    assert text == "Subject: +2AA-\n\nb"
