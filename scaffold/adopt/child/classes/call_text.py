"""Text of a call: of an instance itself, of a method, or by an operator."""

from collections.abc import Sequence

MATMUL = "__matmul__"
ARITHMETIC = {"__mul__": "*", "__add__": "+"}
OPERATORS = {MATMUL: "@", **ARITHMETIC}
"""Operator of each special method by which an instance acts like a matrix, a number or a vector."""


def call_text(instance: str, method: str, arguments: Sequence[str]) -> str:
    """Return the expression of a call. An empty `method` calls the instance itself."""
    if method in OPERATORS:
        return f"{instance} {OPERATORS[method]} {', '.join(arguments)}"
    return f"{instance}{'.' if method and instance else ''}{method}({', '.join(arguments)})"


def argument_texts(arguments: Sequence[tuple[str, str, bool]]) -> list[str]:
    """Return the text of each argument, first by position and then by name."""
    by_name = [f"{name}={text}" for name, text, keyed in arguments if keyed]
    return [*(text for _, text, keyed in arguments if not keyed), *by_name]


def method_text(method: str) -> str:
    """Return the name of a method, or its operator."""
    return OPERATORS.get(method, method)
