"""SVG of rich's layout, with colours for light and dark mode, without external files."""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from rich.segment import Segment

from scaffold.show.table import Guides
from scaffold.show.text import WIDTH, console, picture
from scaffold.show.tree import Tree

CELL, LINE, MARGIN = 8.4, 19, 16
STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
.paper { fill: #ffffff; stroke: #d1d9e0 }
.bold { font-weight: 700 } .dim { fill: #6e7781 }
.green { fill: #116329 } .yellow { fill: #7d4e00 } .blue { fill: #0550ae } .cyan { fill: #0b6a74 } .magenta { fill: #8250df } .red { fill: #b42318 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .paper { fill: #0d1117; stroke: #3d444d } .dim { fill: #8b949e }
.green { fill: #7ee787 } .yellow { fill: #f2cc60 } .blue { fill: #79c0ff } .cyan { fill: #56d4dd } .magenta { fill: #d2a8ff } .red { fill: #ff7b72 }
}
"""


def svg_of(trees: Iterable[Tree], *, width: int = WIDTH) -> str:
    """Return a drawing of all classes, below each other."""
    screen = console(width=width, colour=True)
    listed = list(trees)
    lines: list[list[Segment]] = []
    for class_tree in listed:
        lines += [[Segment("")]] if lines else []
        lines += screen.render_lines(picture(class_tree, Guides(), width=width), pad=False)
    high, wide = len(lines) * LINE + 2 * MARGIN, width * CELL + 2 * MARGIN
    names = escape(", ".join(tree.name for tree in listed))
    body = "\n".join(text for index, line in enumerate(lines) for text in _line(line, index))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high}" width="{wide:.0f}" role="img"'
        f' aria-label="The parts of {names}">\n<style>{STYLE}</style>\n'
        f'<rect class="paper" x="0.5" y="0.5" width="{wide - 1:.0f}" height="{high - 1}" rx="6"/>\n{body}\n</svg>\n'
    )


def _line(line: list[Segment], index: int) -> Iterator[str]:
    cells = 0
    for segment in line:
        length = segment.cell_length
        if text := segment.text.rstrip("\n"):
            inner = text.strip(" ")
            start = cells + len(text) - len(text.lstrip(" "))
            if inner:
                yield _text(inner, segment, MARGIN + start * CELL, MARGIN + index * LINE + 14)
        cells += length


def _text(text: str, segment: Segment, x: float, y: float) -> str:
    style = segment.style
    names = [style.color.name] if style and style.color else []
    names += ["bold"] if style and style.bold else []
    names += ["dim"] if style and style.dim else []
    said = f' class="{" ".join(names)}"' if names else ""
    # A reader without these fonts gets another: the length keeps the columns.
    return f'<text{said} x="{x:.1f}" y="{y:.0f}" textLength="{len(text) * CELL:.1f}">{escape(text)}</text>'
