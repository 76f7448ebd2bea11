"""The tests that a class leaves out: those that its author names, and those that its kind does, with the reason."""

from scaffold.spec.model import ModuleSpec

_INDENT = " " * 8


def skips(spec: ModuleSpec, name: str, reason: str) -> list[str]:
    """The rows of `skips`: what `[test]` says, and below its reason the test `name`, which cannot hold for the class."""
    return [*map(repr, spec.test.skip), f'# {reason}\n{_INDENT}"{name}"']
