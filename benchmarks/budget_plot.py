"""`python -m benchmarks.budget_plot`: the budgets of docs/performance.md as bars, from the table there."""

import re
from pathlib import Path
from xml.sax.saxutils import escape

PAGE = Path(__file__).resolve().parent.parent / "docs/performance.md"
PLOT = PAGE.parent / "pictures/budgets.svg"
ROW = re.compile(r"^\| ([^|]*) \| ([\d.]+)[^|]* \| at (most|least) ([\d.]+) \| (\w+) \|$", re.MULTILINE)
WIDE, LINE, BAR, LEFT, SCALE = 704, 46, 14, 16, 420
STYLE = """
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2328 } .paper { fill: #ffffff; stroke: #d1d9e0 }
.met { fill: #1a7f37 } .missed { fill: #b42318 } .limit { stroke: #1f2328; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .paper { fill: #0d1117; stroke: #3d444d } .met { fill: #3fb950 } .missed { fill: #ff7b72 } .limit { stroke: #e6edf3 }
}
"""


def plot(page: str) -> str:
    """The drawing: each bar as a part of its limit, which is the dashed line."""
    found = ROW.findall(page)
    high = len(found) * LINE + 40
    bars = [part for index, row in enumerate(found) for part in _bar(index, *row)]
    line = LEFT + SCALE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}" role="img" aria-label="Budgets">',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" x="0.5" y="0.5" width="{WIDE - 1}" height="{high - 1}" rx="6"/>',
            *bars,
            f'<line class="limit" x1="{line}" x2="{line}" y1="12" y2="{high - 26}"/>',
            f'<text x="{line}" y="{high - 10}" text-anchor="middle">limit</text>',
            "</svg>\n",
        ]
    )


def _bar(index: int, name: str, ratio: str, bound: str, limit: str, met: str) -> list[str]:
    share = float(ratio) / float(limit)
    top, length = 14 + index * LINE, share * SCALE
    said = f"{ratio}, at {bound} {limit}: {met}"
    return [
        f'<text x="{LEFT}" y="{top + 12}">{escape(name.replace("`", ""))}</text>',
        f'<rect class="{met}" x="{LEFT}" y="{top + 18}" width="{length:.1f}" height="{BAR}" rx="2"/>',
        f'<text x="{LEFT + max(length, SCALE) + 10:.1f}" y="{top + 30}">{said}</text>',
    ]


if __name__ == "__main__":
    PLOT.write_text(plot(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
