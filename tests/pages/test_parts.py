"""What pages have in common."""

from whyword.pages.parts import picture, word_list


def test_words_are_text() -> None:
    made = word_list([["<b>", 1.25, True], ["new", 0.5, False]])
    assert "&lt;b&gt; <small>(1.25)" in made
    assert "<span class=unseen>new</span>" in made


def test_a_picture_is_part_of_the_page() -> None:
    made = picture(b"\x89PNG", 'a "map" <b>', "<i>")
    assert 'src="data:image/png;base64,iVBORw=="' in made
    assert 'alt="a &quot;map&quot; &lt;b&gt;"' in made
    assert "<figcaption>&lt;i&gt;</figcaption>" in made
    assert "figcaption" not in picture(b"", "nothing")
