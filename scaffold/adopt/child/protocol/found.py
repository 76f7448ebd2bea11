"""Description of how a class is built and called, as plain JSON."""

from typing import Any

from ..building.built import Built
from ..calling.called import Called


def build_to_json(built: Built) -> dict[str, Any]:
    by_name = built.positional == 0
    return {
        "maker": built.maker.text,
        "inputs": [[name, source.text] for name, source in built.arguments.items()] if by_name else [],
        "build": "" if by_name else built.source.text if built.positional > 0 else built.maker.text,
        "has_state": built.has_state,
        "imports": [list(pair) for pair in built.source.imports],
        "helpers": list(built.source.helpers),
        "guessed": list(built.guesses),
    }


def call_to_json(called: Called | None) -> dict[str, Any]:
    if called is None:
        return {"called": False}
    sources = list(called.arguments.values())
    return {
        "called": True,
        "method": called.method,
        "arguments": [
            [name, source.text, name in called.keywords] for name, source in called.arguments.items()
        ],
        "static_arguments": list(called.static),
        "call_imports": [list(pair) for source in sources for pair in source.imports],
        "call_helpers": list(dict.fromkeys(line for source in sources for line in source.helpers)),
        "call_guessed": list(called.guesses),
        "ignores_key": called.ignores_key,
        "axis": called.axis.to_json() if called.axis else None,
        "also": called.also,
        "idle": idle(called),
    }


def idle(called: Called) -> str:
    """Return a note if the outputs ignore all parameters or all arguments, or an empty text."""
    if not called.by_parameters:
        return "what it returns does not depend on its parameters"
    return "" if called.by_arguments else "what it returns does not depend on its arguments"


def methods_to_json(methods: list[Called]) -> dict[str, Any]:
    """Return further methods as plain JSON."""
    sources = [source for method in methods for source in method.arguments.values()]
    return {
        "extra": [
            [
                method.method,
                [[name, source.text, name in method.keywords] for name, source in method.arguments.items()],
            ]
            for method in methods
        ],
        "extra_imports": [list(pair) for source in sources for pair in source.imports],
        "extra_helpers": list(dict.fromkeys(line for source in sources for line in source.helpers)),
        "extra_guessed": [name for method in methods for name in method.guesses],
        "extra_unknown": [method.method for method in methods if method.is_unknown],
    }
