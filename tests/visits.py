"""A served page, and a visit to it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import BrowserContext, Page, Request, expect

from whyword import CNNClassifier, SVMClassifier

TEXT = "The moon and the rocket: a goal, the moon, and a secret key in the launch."


class Served(NamedTuple):
    """A server that runs, and where its log is written."""

    address: str
    log: Path
    model: Path


def started(
    folder: Path, model: CNNClassifier | SVMClassifier | str, *arguments: str
) -> Iterator[Served]:
    """Start ``whyword serve`` in the folder, yield it, end it."""
    place, log = folder / "model", folder / "log"
    if isinstance(model, str):
        place = Path(model)
    else:
        model.save(place)
    command = [sys.executable, "-m", "whyword", "serve", str(place), *arguments]
    with log.open("w") as stream:
        process = subprocess.Popen(
            [*command, "--no-open", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line.startswith("http://127.0.0.1:"), log.read_text()
            yield Served(line.split()[0], log, place)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) in (0, 143)
            process.stdout.close()


class Visit:
    """A page, what went wrong on it, and what it asked for."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.problems: list[str] = []
        self.asked: list[Request] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda request: self.asked.append(request))

    def requests(self, part: str) -> int:
        return sum(part in request.url for request in self.asked)


def opened(visit: Visit, served: Served, text: str = TEXT) -> Page:
    """Return the page with a text explained."""
    page = visit.page
    page.goto(served.address)
    page.get_by_label("Text", exact=True).fill(text)
    expect(page.locator(".verdict")).to_be_visible()
    return page
