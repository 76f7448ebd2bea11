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


def method_text(method: str) -> str:
    """A method by name, and an operator as it is written."""
    return OPERATORS.get(method, method)
