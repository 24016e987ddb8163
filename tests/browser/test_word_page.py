"""The page of class words in a real browser."""

from pathlib import Path

import pytest
from networks import made_cnn
from playwright.sync_api import Browser, expect

from whyword import class_words
from whyword.analysis.class_words import ClassWordsRequest, class_words_choices
from whyword.analysis.class_words_page import explain_documents, word_page


def test_a_click_on_a_word_leads_to_its_document(chromium: Browser, tmp_path: Path) -> None:
    texts = {
        f"document {n}": f"{'wa wb wc '[: 3 * (n % 3 + 1)]} {'filler ' * 300}" for n in range(9)
    }
    model = made_cnn()
    words = class_words(model, texts.values(), top=3, rank="strongest", ids=list(texts))
    path = tmp_path / "words.html"
    path.write_text("".join(word_page([words], explain_documents(model, texts.items(), words))))
    page = chromium.new_page(viewport={"width": 390, "height": 700})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    link = page.locator("#c1 li a").first
    anchor = (link.get_attribute("href") or "")[1:]
    link.click()
    page.wait_for_function(
        f"Math.abs(document.getElementById('{anchor}').getBoundingClientRect().top) < 5"
    )
    title = page.locator(f"#{anchor} h2").inner_text()
    assert title == words["class 1"][0].document
    assert problems == []
    page.close()


@pytest.mark.parametrize("width", [390, 1200])
def test_ranks_and_units_are_chosen_without_a_script(
    chromium: Browser, tmp_path: Path, width: int
) -> None:
    texts = {f"document {n}": "wa wb wc wd wa we"[: 3 * (n % 6 + 1)] for n in range(9)}
    model = made_cnn(seed=3)
    lists = class_words_choices(model, ClassWordsRequest(top=3), texts.values(), list(texts))
    path = tmp_path / "words.html"
    path.write_text("".join(word_page(lists, explain_documents(model, texts.items(), lists[0]))))
    page = chromium.new_page(viewport={"width": width, "height": 700})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.goto(path.as_uri())
    for words in lists:
        page.get_by_label(words.units, exact=True).check()
        page.get_by_label(words.rank, exact=True).check()
        expect(page.locator(".said:visible")).to_have_count(1)
        expect(page.locator(".list:visible")).to_have_count(3)
        for number, entries in enumerate(words.values()):
            shown = page.locator(f"#c{number} li a:visible").all_inner_texts()
            assert shown == [entry.word for entry in entries]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert problems == []
    page.close()
