"""The tests that a class leaves out: those that its author names, and those that its kind does, with the reason."""

from scaffold.spec.model import ModuleSpec


def skips(spec: ModuleSpec, name: str, reason: str) -> list[str]:
    """The rows of `skips`: what `[test]` says, and with its reason the test `name`, which cannot hold for the class."""
    return [*map(repr, spec.test.skip), f'"{name}: {reason}"']
