"""Docstrings of a skeleton that evaluate exactly to the text in a spec."""

import ast
import inspect

from scaffold.source.text import block


def begins_with_text(body: str) -> bool:
    first = ast.parse(block(body, "")).body[:1]
    return any(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        for statement in first
    )


def docstring(text: str, indent: str, *, loose: bool = False) -> str | None:
    """Return a literal that `inspect.cleandoc` turns into `text`, or None if there is none.

    With `loose`, white space around the text may differ.
    """
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
    return next((candidate for candidate in candidates if _says(candidate, wanted)), None)


def _says(literal: str, wanted: str) -> bool:
    try:
        value: object = ast.literal_eval(literal)
    except (SyntaxError, ValueError):
        return False
    return isinstance(value, str) and inspect.cleandoc(value) == wanted
