"""What pages of figures have in common: their style, and tables."""

from collections.abc import Sequence

from whyword.pages.charts import STYLE as CHART_STYLE

STYLE = (
    """
body{font:16px/1.55 system-ui,sans-serif}h1{font-size:1.6rem;overflow-wrap:anywhere}
main.ww h2{font-size:1.25rem;margin:2.2rem 0 .4rem}
main.ww h3{font-size:1.05rem;margin:1.6rem 0 .3rem}
p,li{max-width:48rem}.facts{opacity:.8;font-size:.9rem;overflow-wrap:anywhere}
.tiles{display:flex;flex-wrap:wrap;gap:.8rem;margin:1rem 0;padding:0;list-style:none}
.tiles li{border:1px solid rgb(128 128 128/.35);border-radius:.5rem;padding:.6rem .9rem;
min-width:6rem}
.tiles b{display:block;font-size:1.5rem;line-height:1.2;font-variant-numeric:tabular-nums}
.tiles span{font-size:.85rem;opacity:.8}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;
font-variant-numeric:tabular-nums}
th,td{padding:.22rem .7rem .22rem 0;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}th:last-child,td:last-child{padding-right:0}
thead th{border-bottom:1px solid rgb(128 128 128/.5);font-weight:600;white-space:normal;
vertical-align:bottom}
tbody tr.best td{font-weight:600}
.matrix td,.matrix th{padding:.15rem .3rem;text-align:center;font-size:.78rem;min-width:1.7rem}
.matrix th:first-child{text-align:right;font-weight:400}
.grid2{display:grid;gap:1rem 2rem;
grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
.verdicts{font-size:.92rem;padding-left:1.2rem}details summary{cursor:pointer;margin:.4rem 0}
@media(max-width:600px){th,td{padding-right:.4rem}table{font-size:.82rem}}
@media print{details{display:block}.grid2{break-inside:avoid}}
"""
    + CHART_STYLE
)


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], best: Sequence[bool] | None = None
) -> str:
    """Return a table of cells that are HTML already, the best row marked."""
    marks = best or [False] * len(rows)
    names = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = "".join(
        ('<tr class="best">' if marked else "<tr>") + "".join(f"<td>{cell}</td>" for cell in row)
        for row, marked in zip(rows, marks, strict=True)
    )
    whole = f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll">{whole}</div>'
