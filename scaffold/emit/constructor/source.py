"""Adaptation of expressions to their places, as an operand, a tuple or a dict."""

import ast


def parsed(source: str) -> ast.expr:
    """Parse an expression."""
    return ast.parse(source, mode="eval").body


def operand(source: str) -> str:
    """Put parentheses around the expression unless it binds like a name or a call."""
    close = (
        ast.Name
        | ast.Call
        | ast.Attribute
        | ast.Subscript
        | ast.Constant
        | ast.Dict
        | ast.DictComp
        | ast.ListComp
        | ast.List
        | ast.GeneratorExp
    )
    return source if isinstance(parsed(source), close) or _is_in_parentheses(source) else f"({source})"


def _is_in_parentheses(source: str) -> bool:
    return parsed(source).col_offset > 0 or (isinstance(parsed(source), ast.Tuple) and source.startswith("("))


def as_tuple(source: str) -> str:
    """Return the sequence in `source` as a tuple."""
    match parsed(source):
        case ast.Tuple() | ast.Call(func=ast.Name(id="tuple")):
            return source
        case ast.List(elts=[]):
            return "()"
        case ast.List() as shown:
            inner = (ast.get_source_segment(source, shown) or "").strip()[1:-1].strip().removesuffix(",")
            return f"({inner},)"
        case ast.ListComp() as shown:
            return f"tuple({(ast.get_source_segment(source, shown) or '')[1:-1]})"
        case _:
            return f"tuple({source})"


def as_dict(source: str) -> str:
    """Return the mapping in `source` as a new dict."""
    return source if isinstance(parsed(source), ast.Dict | ast.DictComp) else f"dict({source})"
