"""Tests that a class leaves out, by the choice of its author or of its kind."""

from scaffold.spec.model import ModuleSpec


def skips(spec: ModuleSpec, name: str, reason: str) -> list[str]:
    """Return the rows of `skips`: the author's rows, and the test `name`, which cannot hold, with the
    reason."""
    return [*map(repr, spec.test.skip), f'"{name}: {reason}"']
