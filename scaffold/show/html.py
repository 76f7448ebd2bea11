"""HTML to embed in a page: tables with colours for light and dark mode, without external files."""

from collections.abc import Iterable, Iterator
from html import escape

from scaffold.show.table import COLUMNS, Guides, meanings, rows, sentences, title, total
from scaffold.show.tree import Tree

STYLE = """
.scaffold-show { color-scheme: light dark; overflow-x: auto; font-size: 0.9rem }
.scaffold-show table { border-collapse: collapse; margin: 0 0 1rem; display: table }
.scaffold-show th { text-align: left } .scaffold-show td, .scaffold-show th { padding: 0.1rem 1rem 0.1rem 0; border: 0 }
.scaffold-show code { background: none; padding: 0; white-space: pre } .scaffold-show .number { text-align: right; white-space: nowrap }
.scaffold-show .param, .scaffold-show .undecayed, .scaffold-show .frozen { color: light-dark(#116329, #7ee787) }
.scaffold-show .static, .scaffold-show .callable, .scaffold-show .python { color: light-dark(#7d4e00, #f2cc60) }
.scaffold-show .buffer, .scaffold-show .key { color: light-dark(#0550ae, #79c0ff) } .scaffold-show .data { color: light-dark(#0b6a74, #56d4dd) }
.scaffold-show .hidden { color: light-dark(#b42318, #ff7b72) } .scaffold-show .state { color: light-dark(#8250df, #d2a8ff) }
"""


def html_of(trees: Iterable[Tree]) -> str:
    """Return a `<style>`, and a `<section>` for each class."""
    return "\n".join([f"<style>{STYLE}</style>", *(_section(tree) for tree in trees)]) + "\n"


def _section(tree: Tree) -> str:
    head, *legend = meanings(tree)
    return "\n".join(
        [
            f'<section class="scaffold-show">\n<p><strong>{escape(title(tree))}</strong>: {total(tree)}</p>',
            *_table(COLUMNS, _parts(tree)),
            *(_table(head, (_role_row(cells) for cells in legend)) if legend else ()),
            *(_list(head, lines) for head, lines in sentences(tree)),
            "</section>",
        ]
    )


def _table(heads: Iterable[str], lines: Iterable[str]) -> Iterator[str]:
    yield (
        "<table>\n<thead><tr>"
        + "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
        + "</tr></thead>"
    )
    yield from ("<tbody>", *lines, "</tbody>\n</table>")


def _parts(tree: Tree) -> Iterator[str]:
    for row in rows(tree.parts, Guides()):
        role = f'<td class="{row.role}">{row.role}</td>' if row.role else "<td></td>"
        yield (
            f"<tr><td><code>{escape(row.guide + row.name)}</code></td><td><code>{escape(row.type)}</code></td>{role}"
            f'<td class="number">{row.count}</td><td class="number">{row.nbytes}</td></tr>'
        )


def _list(head: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p>{escape(head)}</p>\n<ul>{items}</ul>"


def _role_row(cells: tuple[str, ...]) -> str:
    role, *rest = cells
    return (
        f'<tr><td class="{role}">{role}</td>' + "".join(f"<td>{escape(cell)}</td>" for cell in rest) + "</tr>"
    )
