"""HTML becomes the text that a reader would see, whatever the HTML."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whyword.words.html import has_markup, html_to_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("plain text\r\nas it is", "plain text\r\nas it is"),
        ("Bad.<br /><br />Really bad.", "Bad.\n\nReally bad."),
        ("<p>one</p><p>two\n  three</p>", "one\n\ntwo three"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("<td>a</td><td>b</td><br>", "a  b"),
        ("<b>bo</b>ld", "bold"),
        ("line\nline &amp; <i>line</i>", "line\nline & line"),
        ("Fish &amp; chips&nbsp;&pound;5 &#8364; &#x41; AT&T", "Fish & chips £5 € A AT&T"),
        ("x &lt;br&gt; y", "x <br> y"),
        ("<!-- a > b -->seen<!-- more", "seen<!-- more"),
        ("<!doctype html><?xml x?>seen", "seen"),
        ("<head><title>no</title><meta name=x></head><body>yes</body>", "yes"),
        ("<SCRIPT>if (a < b) '</p>'</SCRIPT >seen", "seen"),
        ("<style>p {}</style>seen<style>p {}", "seen"),
        ("<template>a<template>b</template>c</template>d", "d"),
        ("<a href='x>y' title=\"<p>\">link</a>", "link"),
        ("<a title=it's>it's</a> so", "it's so"),
        ("a < b and c > d <- e", "a < b and c > d <- e"),
        ("<someone@example.org> wrote<br>", "<someone@example.org> wrote"),
        ("<o:p>word</o:p><x-y z>word</x-y>", "wordword"),
        ("cut off <a href=", "cut off "),
        ("a <thing that is none", "a <thing that is none"),
        ('<a "b>c</a>', "c"),  # quotation marks that do not fit
        (f"&#{'9' * 5_000}; &#xD800;", "� �"),
        ("<p>\ud800 &foo; \0", "\ud800 &foo; \0"),
        ("<p>", ""),
    ],
)
def test_visible_text(page: str, text: str) -> None:
    assert html_to_text(page) == text


MARKUP = "a<br>b|<BR/>|<p>|</a>|x&nbsp;y|&#39;|<a href=\"x\">|<div class='y'>z|<b>bold</b>"
MARKUP += "|<!DOCTYPE html>|AT&amp;T|<img src=x>"
PLAIN = "|a < b and c > d|<baalke@jpl.nasa.gov>|vector<int> v; list<a> w; f<p>(x)|AT&T; x & y;"
PLAIN += (
    "|if (a <b && c> d)|<http://example.org>|i <3 you|<grin>|->a<-|#include <map>|<URL:ftp://x>"
)
PLAIN += "|a<b|cout << x >> y"


@pytest.mark.parametrize("text", [*MARKUP.split("|"), *PLAIN.split("|")])
def test_markup_is_recognized(text: str) -> None:
    assert has_markup(text) == (text in MARKUP.split("|"))


PIECES = st.sampled_from(
    "< > </ /> <!-- --> <! <? & ; &# &amp; &#x41; &nbsp &notit; <p> </p> <br> <td> <a <b> = \" ' "
    "<script> </script> <style> </STYLE> <title> </title> <template> </template> <head> word é \n "
    "\0 \ud800 \u2028 \t <a:b <1> </> <p/ <!doctype <![CDATA[ ]]> 月 &#55296; &#0;".split(" ")
)


@settings(max_examples=300)
@given(st.lists(PIECES | st.text(max_size=4), max_size=30).map("".join))
def test_any_page_is_read(page: str) -> None:
    has_markup(page)
    text = html_to_text(page)
    assert len(text) <= len(page) + 1
    if "&" not in page:  # only tags and spaces are removed, and the order stays
        letters = iter(re.sub(r"\s", "", page))
        assert all(letter in letters for letter in re.sub(r"\s", "", text))
        assert not re.search(r"</?(?:p|br|td|script)[\s/][^<>\"']*>", text)


@pytest.mark.slow(reason="long pages")
def test_time_is_linear_in_the_text() -> None:
    """Quadratic time would be hours, not tenths of seconds."""
    pieces = '<|<!--|<!|</|<a |<a "|<a \'>|<a ">" |<a ="\'>|<script>|&nbsp;|<template>|&#'
    for piece in (pieces + "|<p> \n&nbsp;|<title|</script|<a b=\" ' |\t<br>|x'|&").split("|"):
        page = f"<p>{piece * 50_000}<a {piece * 50_000}>{piece * 50_000}"
        start = time.process_time()
        html_to_text(page)
        has_markup(page)
        assert time.process_time() - start < 60
