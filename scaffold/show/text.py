"""Text for terminals, drawn by rich, that is readable without colour and at 80 columns."""

from collections.abc import Iterable
from io import StringIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from scaffold.show.compare import Difference
from scaffold.show.table import ASCII, Guides, Row, meanings, rows, sentences, title, total
from scaffold.show.tree import Tree

WIDTH = 80
GAP = 2
STYLES = {
    "param": "bold green",
    "undecayed": "green",
    "frozen": "green",
    "data": "cyan",
    "buffer": "blue",
    "key": "blue",
    "state": "magenta",
    "static": "yellow",
    "hidden": "bold red",
    "callable": "yellow",
    "python": "yellow",
}
"""Styles from the 16 colours of every terminal, which its user has made readable."""


def text_of(trees: Iterable[Tree], *, width: int = WIDTH, colour: bool = False, plain: bool = False) -> str:
    """Return the pictures below each other, in ASCII with `plain`."""
    guides = ASCII if plain else Guides()
    return drawn(
        (picture(tree, guides, width=width, plain=plain) for tree in trees), width=width, colour=colour
    )


def drawn(parts: Iterable[RenderableType], *, width: int, colour: bool) -> str:
    """Return rich's output without trailing spaces."""
    screen = console(width=width, colour=colour)
    with screen.capture() as capture:
        for index, part in enumerate(parts):
            screen.print(*([Text()] if index else []), part, sep="\n")
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def console(*, width: int, colour: bool) -> Console:
    """Return a console that only captures, and interprets no markup in texts."""
    return Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def picture(tree: Tree, guides: Guides, *, width: int, plain: bool = False) -> Group:
    """Return the picture of a class: its parts, its roles, and causes of recompilation."""
    listed = [*rows(tree.parts, guides)]
    legend = [Text(), _legend(tree, plain=plain)] if tree.roles else []
    said = [
        part for head, lines in sentences(tree) for part in (Text(), Text(head, style="bold"), _list(lines))
    ]
    return Group(Text(title(tree), style="bold"), Text(), _parts(listed, tree, width), *legend, *said)


def _list(lines: Iterable[str]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        table.add_row("-", Text(line))
    return table


def _parts(listed: list[Row], tree: Tree, width: int) -> Table:
    table, room = _table(), _room_of_types(listed, width)
    for name, justify in (
        ("part", "left"),
        ("type", "left"),
        ("role", "left"),
        ("count", "right"),
        ("bytes", "right"),
    ):
        table.add_column(name, justify=justify, overflow="fold", no_wrap=name != "type")  # type: ignore[arg-type]
    for row in listed:
        lines = Text(row.type).wrap(console(width=width, colour=False), room, overflow="fold")
        past = f"\n{row.below}" * (len(lines) - 1)
        name = Text.assemble((row.guide, "dim"), row.name, (past, "dim"))
        table.add_row(name, Text(row.type), _role(row.role), Text(row.count), Text(row.nbytes))
    table.add_row("", Text(total(tree), style="bold"), "", "", "")
    return table


def _room_of_types(listed: list[Row], width: int) -> int:
    """Return the width that the other columns leave to the types."""
    heads = ("part", "role", "count", "bytes")
    cells = [heads, *((row.guide + row.name, row.role, row.count, row.nbytes) for row in listed)]
    others = sum(max(map(cell_len, column)) + GAP for column in zip(*cells, strict=True))
    return max(1, width - others)


def _legend(tree: Tree, *, plain: bool) -> Table:
    heads, *lines = meanings(tree)
    table = _table(box.ASCII2 if plain else box.SIMPLE_HEAD)
    for head in heads:
        table.add_column(head)
    for role, *cells in lines:
        table.add_row(_role(role), *map(Text, cells))
    return table


def _table(form: box.Box | None = None) -> Table:
    return Table(box=form, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")


def _role(role: str) -> Text:
    return Text(role, style=STYLES.get(role, ""))


def text_of_difference(difference: Difference, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return two classes side by side, in rows of a mark, a path and either part."""
    table = _table(box.SIMPLE_HEAD)
    for head in ("", "part", difference.left, difference.right):
        table.add_column(head, overflow="fold")
    marks = {"+": "green", "-": "red", "~": "yellow"}
    for pair in difference.rows:
        style = marks.get(pair.mark, "")
        table.add_row(Text(pair.mark, style=style), Text(pair.path), Text(pair.left), Text(pair.right))
    texts = [Text(sentence) for sentence in difference.sentences]
    return drawn([Group(table, *texts)], width=width, colour=colour)
