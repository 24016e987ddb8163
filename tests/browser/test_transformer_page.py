"""A transformer on the page: fetched, trained and served by three commands."""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from networks import topical
from playwright.sync_api import expect
from visits import TEXT, Served, Visit, opened, started

pytestmark = pytest.mark.nightly(reason="downloads and trains MiniLM")


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("transformer")
    with (folder / "posts.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "label"])
        writer.writerows(zip(*topical(90), strict=True))

    def run(*arguments: str) -> None:
        command = [sys.executable, "-m", "whyword", *arguments]
        ended = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},  # tests share the cores
        )
        assert ended.returncode == 0, ended.stderr

    run("base", "minilm-l6", "--out", "minilm")
    settings = "--layers 1 --length 32 --epochs 2".split()
    run("train", "posts.csv", "--model", "transformer", "--base", "minilm", "--out", "m", *settings)
    yield from started(folder, "m", "posts.csv")


def test_a_class_at_a_time(visit: Visit, transformer: Served) -> None:
    page = opened(visit, transformer)
    expect(page.locator(".verdict")).to_contain_text("Predicted space")
    expect(page.locator("#one-by-one")).to_be_visible()
    asked = visit.requests("/api/explain")
    page.locator("#target").select_option(label="hockey")
    expect(page.locator(".reading h2").first).to_have_text("hockey")
    assert visit.requests("/api/explain") == asked + 1
    page.locator("#target").select_option(label="space")  # it is there
    expect(page.locator(".reading h2").first).to_have_text("space")
    assert visit.requests("/api/explain") == asked + 1


def test_a_contrast_asks_for_the_other_class(visit: Visit, transformer: Served) -> None:
    page = opened(visit, transformer)
    page.locator("#against").select_option(label="crypto")
    expect(page.locator(".reading h2").first).to_have_text("space rather than crypto")
    page.get_by_label("side by side").check()
    expect(page.locator(".reading h2")).to_have_text(["space", "crypto"])


def test_a_word_is_deleted_and_comes_back(visit: Visit, transformer: Served) -> None:
    page = opened(visit, transformer)
    note = page.locator(".reading .note").first
    before = note.inner_text()
    assert "score" in before
    moon = page.locator(".text.live [data-n]", has_text="moon").first
    moon.click()
    expect(moon).to_have_class(re.compile(r"\bgone\b"))
    expect(note).not_to_have_text(before)
    page.locator("#back").click()
    expect(note).to_have_text(before)


def test_a_long_document_is_read_in_windows(visit: Visit, transformer: Served) -> None:
    page = opened(visit, transformer, " ".join([TEXT] * 20))
    expect(page.locator(".reading .note").first).to_contain_text("windows")
    assert page.locator(".text.live [data-n]").count() > 300
    expect(page.locator(".notice")).to_have_count(0)  # nothing was left out
