"""Inference of Variables and updates that a suite of NNX modules leaves undeclared."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from ...declare.render import block, is_kept, render, source_of
from ...discover.inference import name_of
from ...inspect.arrays import is_inexact
from ...inspect.trees import changed
from ...session import once_per_session
from .variables import Var, bits_of, is_variable, value_of, variables_of


@once_per_session
def inferred_variables(suite: Any) -> tuple[Var, ...]:
    """Infer the Variables of the example, each with its type."""
    first, second = (variables_of(suite.cached_instance(seed)) for seed in (0, 1))
    return tuple(inferred_variable(path, variable, second.get(path)) for path, variable in first.items())


def inferred_variable(path: str, variable: Any, other: Any) -> Var:
    """Infer a Variable from two modules, with the shape None if their shapes differ."""
    value = value_of(variable)
    if not jax.tree_util.all_leaves([value]):
        return Var(path, type(variable), below=True)
    shape = jnp.shape(value) if jnp.shape(value) == jnp.shape(value_of(other)) else None
    kind = type(variable) if is_variable(variable) else nnx.Variable
    # Whether what is no parameter is cut off as well is the author's to say.
    flows = is_inexact(value) and not issubclass(kind, nnx.Param)
    return Var(path, kind, shape, name_of(jnp.result_type(value)), flows=flows)


@once_per_session
def inferred_updates(suite: Any) -> tuple[str, ...]:
    """Return the Variables that an example call updates, without parameters."""
    paths: dict[str, None] = {}
    for seed in (0, 1) if suite.called() else ():
        module = suite.make(seed)
        before = bits_of(module)
        suite.call(module, *suite.arguments(seed))
        here = variables_of(module)
        for path in changed(before, bits_of(module)):
            if path in here and not isinstance(here[path], nnx.Param):
                paths[path] = None
    return tuple(paths)


def render_variables(variables: Sequence[Var], declared: Sequence[Var], updates: Sequence[str]) -> str:
    """Render the Variables and updates as source, and keep the declarations that still fit."""
    types = {variable.path: variable.type for variable in variables}
    same_type = (variable for variable in declared if types.get(variable.path) is variable.type)
    kept = {variable.path: variable for variable in same_type if is_kept(variable, variables)}
    chosen = [kept.get(variable.path, variable) for variable in variables]
    lines = [render(leaf, source_of(leaf.path), name_of_type(leaf.type)) for leaf in chosen]
    of_updates = block("updates", [source_of(path) for path in updates])
    return "\n".join(filter(None, [block("variables", lines), of_updates]))


def name_of_type(kind: type) -> str:
    """Return the type of a Variable as source: `nnx.Param` for Flax's own, else the bare name."""
    is_flax = getattr(nnx, kind.__name__, None) is kind
    return f"nnx.{kind.__name__}" if is_flax else kind.__name__
