"""A call as it is written: of an instance itself, of one of its methods, or by an operator."""

from collections.abc import Sequence

MATMUL = "__matmul__"
ARITHMETIC = {"__mul__": "*", "__add__": "+"}
OPERATORS = {MATMUL: "@", **ARITHMETIC}
"""Special methods by which an instance is used like a matrix, a number or a vector, and what stands for them."""


def call_text(instance: str, method: str, arguments: Sequence[str]) -> str:
    """The expression; `method` is empty for the instance itself."""
    if method in OPERATORS:
        return f"{instance} {OPERATORS[method]} {', '.join(arguments)}"
    return f"{instance}{'.' if method and instance else ''}{method}({', '.join(arguments)})"


def argument_texts(arguments: Sequence[tuple[str, str, bool]]) -> list[str]:
    """Arguments as they are written: those by position, and then those by name."""
    by_name = [f"{name}={text}" for name, text, keyed in arguments if keyed]
    return [*(text for _, text, keyed in arguments if not keyed), *by_name]


def method_text(method: str) -> str:
    """A method by name, and an operator as it is written."""
    return OPERATORS.get(method, method)
