"""A heatmap in JupyterLab, light and dark, in a notebook that somebody else ran."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from networks import made_cnn
from playwright.sync_api import Browser, Page

import whyword as ww

TEXT = "The shuttle reached orbit.\n\nIt was\n  a good day."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep a notebook with an output that Jupyter has no reason to trust."""
    made = tmp_path_factory.mktemp("notebooks")
    html = ww.explain(made_cnn(), TEXT)._repr_html_()
    cell = nbformat.v4.new_code_cell("e", execution_count=1)
    cell.outputs = [
        nbformat.v4.new_output("execute_result", {"text/html": html}, execution_count=1)
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), made / "heatmap.ipynb")
    return made


@contextmanager
def jupyter(folder: Path, theme: str) -> Iterator[str]:
    """Start JupyterLab on the loopback address; yield the notebook's."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = folder / theme
    settings = own / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    named = json.dumps({"theme": f"JupyterLab {theme.title()}"})
    (settings / "themes.jupyterlab-settings").write_text(named)
    places = {
        "JUPYTERLAB_SETTINGS_DIR": str(own / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(own / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
    }
    call = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
    call += [f"--port={port}", "--IdentityProvider.token=t", "--allow-root"]
    call += ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=NeverCheckForUpdate"]
    with (own / "log").open("wb") as log:
        server = subprocess.Popen(
            call, cwd=folder, env=os.environ | places, stdout=log, stderr=subprocess.STDOUT
        )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/api/status?token=t", timeout=5).close()
                break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                assert server.poll() is None, (own / "log").read_text()
                time.sleep(0.2)
        else:
            raise TimeoutError((own / "log").read_text())
        yield f"{address}/lab/tree/heatmap.ipynb?token=t&reset"
    finally:
        server.terminate()  # it asks its kernels to end first, which may take its time
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()  # kernels end by themselves when it is gone
            server.wait()


def colour(page: Page, element: str, what: str) -> list[float]:
    """Return a colour of an element as it is drawn: red, green, blue and perhaps opacity."""
    found = page.eval_on_selector(element, f"one => getComputedStyle(one).{what}")
    return [float(one) for one in re.findall(r"[\d.]+", found)]


def lightness(rgb: list[float]) -> float:
    """Return the relative luminance, as WCAG has it."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (one / 255 for one in rgb[:3])
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.nightly(reason="starts JupyterLab")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_can_be_read(chromium: Browser, folder: Path, theme: str) -> None:
    with jupyter(folder, theme) as address:
        page = chromium.new_page()
        try:
            page.goto(address)
            page.wait_for_selector("article.ww", timeout=120_000)
            light = str(theme == "light").lower()
            page.wait_for_selector(f"body[data-jp-theme-light={light}]", state="attached")
            coloured = "article.ww .text span[style*=background-color]"
            assert page.locator(coloured).count() >= 2
            assert page.locator("article.ww .text").inner_text() == TEXT  # its lines, too
            ground = colour(page, ".jp-Notebook", "backgroundColor")
            ink = colour(page, "article.ww .text", "color")
            *word, opacity = colour(page, coloured, "backgroundColor")
            drawn = [
                opacity * one + (1 - opacity) * other
                for one, other in zip(word, ground[:3], strict=True)
            ]
            for behind in (ground, drawn):
                low, high = sorted((lightness(ink), lightness(behind)))
                assert (high + 0.05) / (low + 0.05) >= 4.5
        finally:
            page.close()
