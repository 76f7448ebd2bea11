"""Mermaid charts, which GitHub draws in its reader's colours."""

from collections.abc import Iterable, Iterator

from scaffold.show.table import title, total, type_of
from scaffold.show.tree import Part, Tree


def mermaid_of(trees: Iterable[Tree]) -> str:
    """Return a chart of all classes, from left to right."""
    lines = [line for index, tree in enumerate(trees) for line in _class(tree, f"c{index}")]
    return "\n".join(["flowchart LR", *(f"    {line}" for line in lines)]) + "\n"


def _class(tree: Tree, node: str) -> Iterator[str]:
    yield f'{node}["{_quoted(title(tree))}<br/>{_quoted(total(tree))}"]'
    yield from _below(tree.parts, node)


def _below(parts: tuple[Part, ...], above: str) -> Iterator[str]:
    for index, part in enumerate(parts):
        node = f"{above}_{index}"
        texts = type_of(part), "" if part.role in ("module", "items") else part.role
        label = "<br/>".join(_quoted(text) for text in (part.name, *texts) if text)
        left, right = ("[", "]") if part.parts else ("([", "])") if part.owns_array else ("{{", "}}")
        yield f'{above} --> {node}{left}"{label}"{right}'
        yield from _below(part.parts, node)


def _quoted(text: str) -> str:
    """Escape text for a quoted label, where `#` begins an entity."""
    for letter, entity in (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("`", "#96;")):
        text = text.replace(letter, entity)
    return text
