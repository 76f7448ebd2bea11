"""The filter spec `trainable()`: which leaves are trained, and which stay whatever the optimiser does."""

from scaffold.spec.frozen import ALWAYS, always_frozen, thawed_by
from scaffold.spec.model import ModuleSpec


def trainable_body(spec: ModuleSpec, stays: tuple[str, ...], tests: tuple[str, ...]) -> str:
    """The body of `trainable`. `stays` names fields that are no sub-modules and not trained; the others' leaves pass `tests`."""
    if all(one.name in stays or one.frozen == ALWAYS for one in spec.dynamic):
        return "return jax.tree.map(lambda _: False, self)"
    modules = {one.name for one in spec.dynamic if one.role == "module"}
    always = tuple(name for name in always_frozen(spec) if name not in modules)
    if not modules:
        names = tuple(one.name for one in spec.dynamic if one.name in (*stays, *always))
        return _flat(spec, _outside(spec, names), tests)
    inner = tuple(name for name in always_frozen(spec) if name in modules)
    names = tuple(one.name for one in spec.dynamic if one.name in (*stays, *always))
    return _nested(spec, names, inner, tests)


def _flat(spec: ModuleSpec, outside: tuple[str, ...], tests: tuple[str, ...]) -> str:
    leaf = "leaf" if any("leaf" in test for test in tests) else "_"
    trained = " and ".join((*outside, *tests))
    return f"return jax.tree_util.tree_map_with_path(lambda path, {leaf}: {trained}, self)"


def _nested(spec: ModuleSpec, names: tuple[str, ...], inner: tuple[str, ...], tests: tuple[str, ...]) -> str:
    """The same where sub-modules decide for themselves, unless they are frozen."""
    flags = thawed_by(spec)
    below = tuple(
        one for one in spec.dynamic if one.role == "module" and (one.name in inner or one.frozen in flags)
    )
    trained = " and ".join((*_outside(spec, names, but=tuple(one.name for one in below)), *tests)) or "True"
    frozen = _within(spec, inner, tuple(one.name for one in below))
    stop = f"    if {frozen}:\n        return jax.tree.map(lambda _: False, leaf)\n" if frozen else ""
    return f"""
def trained(path: Any, leaf: Any) -> Any:
{stop}    return leaf.trainable() if hasattr(leaf, "trainable") else {trained}

def is_inner(node: Any) -> bool:
    return node is not self and hasattr(node, "trainable")

return jax.tree_util.tree_map_with_path(trained, self, is_leaf=is_inner)
"""


def _outside(spec: ModuleSpec, names: tuple[str, ...], but: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Conditions that hold for what lies under none of the names, nor under what a flag freezes."""
    found = [f"path[0].name not in {names!r}"] if names else []
    for flag, fields in thawed_by(spec).items():
        left = tuple(name for name in fields if name not in but)
        found += [f"not (self.{flag} and {_lies_in(left)})"] if left else []
    return tuple(found)


def _within(spec: ModuleSpec, always: tuple[str, ...], modules: tuple[str, ...]) -> str:
    """A condition that holds below a sub-module that is frozen."""
    found = [_lies_in(always)] if always else []
    for flag, fields in thawed_by(spec).items():
        held = tuple(name for name in fields if name in modules)
        found += [f"self.{flag} and {_lies_in(held)}"] if held else []
    return " or ".join(f"({one})" if len(found) > 1 and " and " in one else one for one in found)


def _lies_in(names: tuple[str, ...]) -> str:
    return f"path[0].name == {names[0]!r}" if len(names) == 1 else f"path[0].name in {names!r}"
