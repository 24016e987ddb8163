"""Files that are not UTF-8 are detected; a single bad byte loses nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.corpora import encoding as module
from whyword.corpora.encoding import DetectingDecoder, Encodings, decode_whole

TEXTS = {
    "It costs £5 or so, said the minister when he was asked about it.": "cp1252",
    "The café was open.": "cp1252",
    "It’s “fine” – really, he said. Nothing else is known of the matter.": "cp1252",
    "Grüße aus München: über den Wolken muß die Freiheit wohl grenzenlos sein.": "cp1252",
    "L'été dernier, nous avons été à la plage où les élèves étaient déjà.": "cp1252",
    "El niño comió mañana con los años. ¿Cómo estás? ¡Qué bien!": "cp1252",
    "Não há razão para preocupações, disse o irmão à irmã.": "cp1252",
    "Zażółć gęślą jaźń. Dzień dobry, wszyscy są zadowoleni.": "cp1250",
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Dobrý den všem lidem.": "cp1250",
    "Привет, как дела? Сегодня хорошая погода, и мы идём гулять.": "cp1251",
    "Всем привет, сегодня хорошая погода, и мы идём гулять в парк.": "koi8-r",
    "Καλημέρα κόσμε, τι κάνεις σήμερα; Ο καιρός είναι καλός.": "cp1253",
    "Bugün hava çok güzel, şimdi dışarı çıkıyoruz ve ağaçların altında oturacağız.": "cp1254",
    "שלום עולם, מה שלומך היום? מזג האוויר יפה מאוד.": "cp1255",
    "مرحبا بالعالم، كيف حالك اليوم؟ الطقس جميل جدا.": "cp1256",
    "今天天气很好,我们去公园散步。中华人民共和国万岁。": "gb18030",
    "今天天氣很好,我們去公園散步。這是一個測試。": "big5hkscs",
    "今日は天気がいいので、公園に散歩に行きます。テスト。": "cp932",
    "오늘은 날씨가 좋아서 공원에 산책하러 갑니다.": "cp949",
}


@pytest.mark.parametrize(("text", "encoding"), TEXTS.items(), ids=range(len(TEXTS)))
def test_detected_encodings(text: str, encoding: str) -> None:
    around = "id,text\n" + "1,a line of plain English\n" * 200
    for whole in (text, text * 20, around + text + "\n" + around):
        said, decoder = decode_whole(whole.encode(encoding))
        assert (said, decoder.encoding, decoder.replaced) == (whole, encoding, 0)


def test_far_into_a_file() -> None:
    """The bytes around the first one that is not UTF-8 decide, wherever it is."""
    plain = b"a line of plain English\n" * 50_000
    decoder = DetectingDecoder(plain)
    text = decoder.decode(plain) + decoder.decode("déjà vu à la façade\n".encode("cp1252"))
    assert decoder.encoding == "utf-8"  # it waits for more
    text += decoder.decode(plain) + decoder.decode(b"", final=True)
    assert decoder.encoding == "cp1252"
    assert text == plain.decode() + "déjà vu à la façade\n" + plain.decode()


@pytest.mark.parametrize(
    ("data", "text", "encoding", "replaced"),
    [
        (b"", "", "utf-8", 0),
        (b"caf\xc3\xa9 \xff and \xe9", "café � and �", "utf-8", 2),  # UTF-8 but for two bytes
        (b"a \xff b " + "é".encode() * 9, "a � b " + "é" * 9, "utf-8", 1),
        (b"\xef\xbb\xbfcaf\xe9", "caf�", "utf-8", 1),  # its mark decides
        (b"\xef\xbb\xbfa", "a", "utf-8", 0),
        ("é月".encode("utf-16"), "é月", "utf-16-le", 0),
        (b"\xfe\xff\x00a\x00", "a�", "utf-16-be", 1),  # cut off
        ("é月".encode("utf-32"), "é月", "utf-32-le", 0),
        (b"\x00\x00\xfe\xff\x00\x00\x00a", "a", "utf-32-be", 0),
        (b"\xe9", "é", "cp1252", 0),
        (b"<meta charset=windows-1251>\n\xe2\xea", "<meta charset=windows-1251>\nвк", "cp1251", 0),
        (b"charset = 'gb2312'\n\xbd\xf1", "charset = 'gb2312'\n今", "gb18030", 0),
        (b'encoding="iso-8859-1"\n\x93x\x94', 'encoding="iso-8859-1"\n“x”', "cp1252", 0),
        (b"charset=cp037\n\xe9", "charset=cp037\né", "cp1252", 0),  # not one of those detected
        (b"charset=gb18030\n\xe9", "charset=gb18030\né", "cp1252", 0),  # does not fit
        (b"charset=klingon\n\xe9", "charset=klingon\né", "cp1252", 0),
    ],
)
def test_short_files(data: bytes, text: str, encoding: str, replaced: int) -> None:
    said, decoder = decode_whole(data)
    assert (said, decoder.encoding, decoder.replaced) == (text, encoding, replaced)


LETTERS = st.sampled_from([b"a", b" ", b"\n", "é".encode(), b"\xe9", b"\xff", b"\x81", b"\xff\xfe"])


@given(
    data=st.lists(LETTERS | st.binary(max_size=8), max_size=30).map(b"".join),
    block=st.integers(1, 9),
)
def test_blocks_do_not_matter(data: bytes, block: int) -> None:
    text, whole = decode_whole(data)
    decoder = DetectingDecoder(data[:4])
    pieces = [data[at : at + block] for at in range(0, len(data), block)]
    said = "".join(decoder.decode(piece) for piece in pieces) + decoder.decode(b"", final=True)
    assert (said, decoder.encoding, decoder.replaced) == (text, whole.encoding, whole.replaced)
    said.encode()  # no half of a surrogate pair


def test_a_long_sample_is_cut_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SAMPLE", 101)
    text = "今天天气很好 我们去公园散步 " * 40
    assert decode_whole(text.encode("gb18030"))[0] == text


def test_notes() -> None:
    seen = Encodings()
    assert seen.notes() == []
    seen.add("a.txt", decode_whole(b"plain")[1])
    assert seen.notes() == []
    seen.add("b.txt", decode_whole("Grüße".encode("cp1252"))[1])
    said = "1 of 2 files is not UTF-8 and was read as cp1252 (1): b.txt"
    assert seen.notes() == [said]
    for name in "cde":
        seen.add(f"{name}.txt", decode_whole("é".encode("utf-16"))[1])
    seen.add("f.txt", decode_whole(b"\xc3\xa9\xff")[1])
    assert seen.notes() == [
        "4 of 6 files are not UTF-8 and were read as utf-16-le (3), cp1252 (1): "
        "b.txt, c.txt, d.txt, …",
        "1 byte was no letter of its encoding and replaced by U+FFFD in f.txt",
    ]
    seen.clear()
    seen.add("a.csv", decode_whole(b"caf\xe9\n")[1])
    assert seen.notes() == ["not UTF-8: read as cp1252"]
