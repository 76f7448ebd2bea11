"""Docstrings of a skeleton, as text that says exactly what a spec says."""

import ast
import inspect

from scaffold.spec.source.text import block


def begins_with_text(body: str) -> bool:
    first = ast.parse(block(body, "")).body[:1]
    return any(
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
        for one in first
    )


def docstring(text: str, indent: str, *, loose: bool = False) -> str | None:
    """A docstring that says exactly this, or with `loose` all but the space around it; None where none can."""
    wanted = text.strip() if loose else text
    if not wanted:
        return "" if not text or loose else None
    body = "\n".join(
        f"{indent}{line}" if line and number else line for number, line in enumerate(wanted.split("\n"))
    )
    end = f"\n{indent}" if "\n" in wanted else ""
    escaped = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"') and not end:
        escaped = escaped[:-1] + '\\"'
    candidates = (f'"""{body}{end}"""', f'r"""{body}{end}"""', f'"""{escaped}{end}"""')
    return next((one for one in candidates if _says(one, wanted)), None)


def _says(literal: str, wanted: str) -> bool:
    try:
        found: object = ast.literal_eval(literal)
    except (SyntaxError, ValueError):
        return False
    return isinstance(found, str) and inspect.cleandoc(found) == wanted
