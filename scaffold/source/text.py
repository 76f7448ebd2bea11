"""Source from text: quoted and wrapped docstrings, and blocks indented outside of strings."""

import textwrap
from collections.abc import Iterable

from scaffold.source.expressions import dedented, string_lines

WIDTH = 88


def docstring(text: str, indent: str) -> str:
    """Return a docstring to paste after `indent`, or nothing for an empty text."""
    if not text.strip():
        return ""
    body = _wrapped(text.strip(), len(indent))
    raw = "\\" in body and '"""' not in body and not body.endswith(("\\", '"'))
    quoted = body if raw else body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if (len(body) - len(body.rstrip('"'))) % 3:  # each third one is escaped already
        quoted = quoted[:-1] + '\\"'
    prefix = 'r"""' if raw else '"""'
    lines = quoted.split("\n")
    first = prefix + lines[0]
    if len(lines) == 1 and len(indent) + len(first) + 3 <= WIDTH:
        return f'{first}"""'
    rest = [f"{indent}{line}" if line.strip() else "" for line in lines[1:]]
    return "\n".join([first, *rest, f'{indent}"""'])


def _wrapped(text: str, indent: int) -> str:
    """Break long lines, and refill paragraphs of prose that have any."""
    width = WIDTH - indent
    if "\n" not in text and len(text) <= width - 3:  # most docstrings are one short line
        return text
    paragraphs = textwrap.dedent(_first_dedented(text)).split("\n\n")
    filled = [_paragraph(paragraph, width, first=index == 0) for index, paragraph in enumerate(paragraphs)]
    return "\n\n".join(filled)


def _paragraph(text: str, width: int, *, first: bool) -> str:
    lines = text.split("\n")
    room = width - 3 if first else width  # the opening quotes take three
    is_prose = not any(line.startswith((" ", "-", "*", "```", "|", "#", ">", "$")) for line in lines)
    if is_prose and any(len(line) > room for line in lines):
        lead = "..." if first else ""
        words = textwrap.wrap(lead + " ".join(lines), width, break_long_words=False, break_on_hyphens=False)
        return "\n".join(words)[len(lead) :]
    return "\n".join(part for line in lines for part in _wrap(line, width))


def _first_dedented(text: str) -> str:
    first, newline, rest = text.partition("\n")
    return first + newline + textwrap.dedent(rest)


def _wrap(line: str, width: int) -> list[str]:
    line = line.rstrip()
    if len(line) <= width:
        return [line]
    lead = line[: len(line) - len(line.lstrip())]
    hang = lead + ("    " if line.lstrip().startswith("- ") else "")
    return textwrap.wrap(line, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)


def block(source: str, indent: str) -> str:
    """Indent statements, except for lines inside a string."""
    text = dedented(source)
    inside = string_lines(text)
    lines = text.split("\n")
    return "\n".join(
        line if number in inside or not line.strip() else indent + line
        for number, line in enumerate(lines, 1)
    )


def listed(parts: Iterable[str]) -> str:
    """Join the parts as a phrase: `a, b and c`."""
    every = [*parts]
    return " and ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))
