"""Values of TOML as Python in a skeleton. Expressions become lambdas of the names that they read."""

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from scaffold.source.expressions import free_names
from scaffold.source.text import block
from scaffold.spec.grammar.values import one_value, scalar_source
from scaffold.spec.raw import as_list, as_table

_PLACE = r"(?m)^( *)__text_(\d+)__$|__text_(\d+)__"


class Texts(Struct):
    """Pieces of the author's Python behind placeholder names, so that the formatter leaves them alone."""

    pieces: list[str] = field(default_factory=list[str])

    def hide(self, text: str) -> str:
        """Return a placeholder for `text`. Statements need a line of their own."""
        self.pieces.append(text)
        return f"__text_{len(self.pieces) - 1}__"

    def shown(self, text: str) -> str:
        """Replace each placeholder in `text` by its piece."""
        return re.sub(_PLACE, self._piece, text)

    def _piece(self, match: re.Match[str]) -> str:
        if match[2] is None:
            return self.pieces[int(match[3])]
        return block(self.pieces[int(match[2])], match[1])

    def function(self, source: str, local: Iterable[str]) -> str:
        """Return a lambda such as `lambda size: 2 * size`, with the `local` names that it reads."""
        text = expression(source)
        names = free_names(text, expression=True)
        arguments = ", ".join(name for name in names if name in set(local))
        return f"lambda{' ' * bool(arguments)}{arguments}: {self.hide(text)}"

    def value(self, raw: Any, local: Iterable[str], *, code: bool = False) -> str:
        """Return a value as Python. With `code`, a text is an expression even without `=`."""
        match raw:
            case str() if raw.startswith("=") or code:
                return self._of_expression(raw.removeprefix("=").strip(), local, code)
            case list():
                return f"[{', '.join(self.value(item, local) for item in as_list(raw))}]"
            case Mapping():
                pairs = (f"{name!r}: {self.value(item, local)}" for name, item in as_table(raw).items())
                return f"{{{', '.join(pairs)}}}"
            case _:
                return scalar_source(raw)

    def _of_expression(self, source: str, local: Iterable[str], code: bool) -> str:
        """Keep None, and code without local names, as plain source. Turn other expressions into lambdas."""
        text = expression(source)
        reads_local = set(local) & set(free_names(text, expression=True))
        is_plain = not reads_local and (code or text == "None") and not text.startswith("lambda")
        return self.hide(text) if is_plain else self.function(source, local)


def expression(source: str) -> str:
    """Put parentheses around an expression that has commas, spans lines, or is illegal without them."""
    text = one_value(source.strip())
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return f"({text})"
    return f"({text})" if isinstance(node, ast.NamedExpr | ast.Yield | ast.Starred) or "\n" in text else text
