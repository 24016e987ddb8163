"""The tables, facts and charts of a page as plain data."""

import html
import re


def tables(page: str) -> list[list[list[str]]]:
    """Return the cells of each table, row by row; the best row's first cell begins with a star."""
    return [
        [
            _cells(row, "*" if "best" in kind else "")
            for kind, row in re.findall(r"<tr([^>]*)>(.*?)</tr>", one, re.DOTALL)
        ]
        for one in re.findall(r"<table.*?</table>", page, re.DOTALL)
    ]


def _cells(row: str, mark: str) -> list[str]:
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
    first, *others = (plain(cell) for cell in cells)
    return [mark + first, *others]


def plain(markup: str) -> str:
    """Return what is read of markup, a blank in the place of each element."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def items(page: str) -> list[str]:
    """Return what is read of each item of the page's lists."""
    return [plain(one) for one in re.findall(r"<li(?: [^>]*)?>(.*?)</li>", page, re.DOTALL)]


def lines(page: str) -> list[list[float]]:
    """Return for each line of the charts how far along the axis its points stand, from 0 to 1."""
    found = []
    for points in re.findall(r'<polyline[^>]* points="([^"]+)"', page):
        places = [float(point.split(",")[0]) for point in points.split()]
        found.append([(one - places[0]) / (places[-1] - places[0]) for one in places])
    return found
