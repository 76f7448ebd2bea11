"""Filter specs `trainable()` and `decayed()`."""

from scaffold.spec.fields.training import ALWAYS, undecayed
from scaffold.spec.model import ModuleSpec


def trainable_body(spec: ModuleSpec, stays: tuple[str, ...], tests: tuple[str, ...]) -> str:
    """Return the body of `trainable`.

    `stays` names untrained fields that are no submodules. Leaves of other fields are trained if they pass
    `tests`.
    """
    left = tuple(field.name for field in spec.dynamic if field.name in (*stays, *_always_frozen(spec)))
    if len(left) == len(spec.dynamic):
        return "return jax.tree.map(lambda _: False, self)"
    if any(field.role == "module" for field in spec.dynamic):
        return f"return trained_fields(self{_but(spec, left)})"
    return _flat(spec, left, tests)


def decayed_body(spec: ModuleSpec, stays: tuple[str, ...], tests: tuple[str, ...]) -> str:
    """Return the body of `decayed`: `trainable` without the fields exempt from weight decay."""
    left = undecayed(spec)
    if any(field.role == "module" for field in spec.dynamic):
        return f"return decayed_fields(self, self.trainable(), but={left!r})"
    return trainable_body(spec, (*stays, *left), tests)


def _but(spec: ModuleSpec, left: tuple[str, ...]) -> str:
    """Return the argument that lists the fields to leave out, always or by a flag."""
    flagged = [f"{names!r} if self.{flag} else ()" for flag, names in _thawed_by(spec).items()]
    if not left and len(flagged) == 1:
        return f", but={flagged[0]}"
    parts = [*([repr(left)] if left else []), *(f"({part})" for part in flagged)]
    return f", but={' + '.join(parts)}" if parts else ""


def _flat(spec: ModuleSpec, left: tuple[str, ...], tests: tuple[str, ...]) -> str:
    outside = [f"path[0].name not in {left!r}"] if left else []
    for flag, names in _thawed_by(spec).items():
        lies_in = f"== {names[0]!r}" if len(names) == 1 else f"in {names!r}"
        outside.append(f"not (self.{flag} and path[0].name {lies_in})")
    leaf = "leaf" if any("leaf" in test for test in tests) else "_"
    trained = " and ".join((*outside, *tests))
    return f"return jax.tree_util.tree_map_with_path(lambda path, {leaf}: {trained}, self)"


def _always_frozen(spec: ModuleSpec) -> tuple[str, ...]:
    return tuple(field.name for field in spec.dynamic if field.frozen == ALWAYS)


def _thawed_by(spec: ModuleSpec) -> dict[str, tuple[str, ...]]:
    """Return the fields that a bool freezes, by its name."""
    flags = dict.fromkeys(field.frozen for field in spec.dynamic if field.frozen not in ("", ALWAYS))
    return {flag: tuple(field.name for field in spec.dynamic if field.frozen == flag) for flag in flags}
