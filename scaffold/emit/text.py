"""Text as source: docstrings quoted and wrapped, blocks indented without touching what is inside strings."""

import io
import textwrap
import tokenize

WIDTH = 88


def docstring(text: str, indent: str) -> str:
    """A docstring, ready to paste after `indent`."""
    body = _wrapped(text.strip(), len(indent))
    raw = "\\" in body and '"""' not in body and not body.endswith(("\\", '"'))
    quoted = body if raw else body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if quoted.endswith('"'):
        quoted = quoted[:-1] + '\\"'
    prefix = 'r"""' if raw else '"""'
    lines = quoted.split("\n")
    first = prefix + lines[0]
    if len(lines) == 1 and len(indent) + len(first) + 3 <= WIDTH:
        return f'{first}"""'
    rest = [f"{indent}{line}" if line.strip() else "" for line in lines[1:]]
    return "\n".join([first, *rest, f'{indent}"""'])


def _wrapped(text: str, indent: int) -> str:
    """`text` with the lines that are too long broken; the author's own breaks stay."""
    width = WIDTH - indent
    lines = textwrap.dedent(_first_dedented(text)).split("\n")
    out = [
        wrapped
        for index, line in enumerate(lines)
        for wrapped in _wrap(line, width - (3 if index == 0 else 0))
    ]
    return "\n".join(out)


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
    """Statements, each line indented but for those inside a string of several lines."""
    text = textwrap.dedent(source).strip("\n").rstrip()
    inside = _string_lines(text)
    lines = text.split("\n")
    return "\n".join(
        line if number in inside or not line.strip() else indent + line
        for number, line in enumerate(lines, 1)
    )


def _string_lines(text: str) -> frozenset[int]:
    """The numbers of the lines that begin inside a string."""
    inside: set[int] = set()
    start = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif tokenize.tok_name[token.type] == "FSTRING_START":
            start = token.start[0]
        elif tokenize.tok_name[token.type] == "FSTRING_END":
            inside.update(range(start + 1, token.end[0] + 1))
    return frozenset(inside)
