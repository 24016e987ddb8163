"""A model that is asked for one class at a time, whatever those are called, and if it fails."""

from collections.abc import Iterator

import pytest
from networks import topical
from playwright.sync_api import expect
from torch_trained import untrained
from visits import Served, Visit, opened, started

LABELS = (1.0, 2.0, 3.5)  # for JavaScript, 1 and 2


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A network of characters whose classes are numbers."""
    texts, labels = topical(30)
    names = dict(zip(sorted(set(labels)), LABELS, strict=True))
    folder = tmp_path_factory.mktemp("served")
    model = untrained("characters").fit(texts, [names[label] for label in labels])
    yield from started(folder, model)


@pytest.mark.slow("starts servers and a browser")
def test_every_class_is_shown_when_it_is_chosen(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    options = page.locator("#target option")
    for number, label in enumerate(options.all_inner_texts()):
        page.locator("#target").select_option(index=number)
        expect(page.locator(".reading h2").first).to_have_text(label)
    page.locator("#against").select_option(index=1)
    expect(page.locator(".reading h2").first).to_contain_text("rather than")
    page.locator(".text.live .w").first.click()
    expect(page.locator(".text.live .w").first).to_contain_class("gone")


@pytest.mark.slow("starts servers and a browser")
def test_a_class_that_cannot_be_had_is_told(visit: Visit, served: Served) -> None:
    page = opened(visit, served)
    before = page.locator(".reading h2").first.inner_text()
    page.route("**/api/explain", lambda route: route.abort())
    pressed = page.locator('[data-class][aria-pressed="false"]').first
    label = pressed.get_attribute("data-class")
    pressed.click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(page.locator(".reading h2").first).to_have_text(before)
    page.unroute("**/api/explain")
    page.locator(f'[data-class="{label}"]').click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".reading h2").first).not_to_have_text(before)
    visit.problems.clear()
