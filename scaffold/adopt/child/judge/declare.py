"""Declarations of a class's suite, as the laws infer them."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytree_laws import PytreeLaws
from pytree_laws.declare.render import render, source_of
from pytree_laws.discover.inference import inferred_leaves, inferred_outputs, inferred_statics
from pytree_laws.sharding.dims import dims_of_leaves

from ..building.built import Built, StateOf, model_of
from ..calling.called import Called
from ..calling.invoke import invoke
from ..values.sources import Source, literal, refer
from .quiet_leaves import quiet_leaves

UNDECLARED: dict[str, Any] = {
    **{"leaves": [], "leaf_imports": [], "static": [], "outputs": [], "updates": [], "dims": []},
    **{"unsure": [], "presumed": []},
}
"""Empty declarations, for a class whose suite has to infer them itself."""


def declarations(description: Mapping[str, Any], built: Built, called: Called | None) -> dict[str, Any]:
    """Infer leaves, static values and outputs. The suite itself infers any declaration left empty."""
    suite: Any = suite_of(description, built, called)()
    leaves, imports, statics, outputs, updates = [], [], [], [], []
    quiet = (
        quiet_leaves(suite, called.method if called is not None else "")
        if description["kind"] != "nnx"
        else {}
    )
    with contextlib.suppress(Exception):
        leaves, imports = render_leaves(
            suite, description["kind"], [path for paths in quiet.values() for path in paths]
        )
    with contextlib.suppress(Exception):
        statics = [[path, literal(value)] for path, value in inferred_statics(suite).items()]
    with contextlib.suppress(Exception):
        outputs = [render(output) for output in inferred_outputs(suite)]
    with contextlib.suppress(Exception):
        updates = list(updates_of(suite, description["kind"]))
    dims = list[str]()
    with contextlib.suppress(Exception):
        dims = sorted({dim for named in dims_of_leaves(suite.cached_instance()).values() for dim in named})
    manifest = {"leaves": leaves, "leaf_imports": imports, "static": statics}
    return {
        **manifest,
        "outputs": outputs,
        "updates": updates,
        "dims": dims,
        **quiet,
    }


def render_leaves(suite: Any, kind: str, unused: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Render the leaves as declared, with imports of Variable types.

    Raises `LookupError` for a Variable type that no name refers to.
    """
    if kind != "nnx":
        leaves = [replace(leaf, unused=leaf.unused or leaf.path in unused) for leaf in inferred_leaves(suite)]
        return [render(leaf) for leaf in leaves], []
    from pytree_laws.kinds.nnx.inference import inferred_variables

    variables = [as_it_flows(suite, variable) for variable in inferred_variables(suite)]
    types = [variable_type(variable.type) for variable in variables]
    texts = [
        render(variable, source_of(variable.path), kind.text)
        for variable, kind in zip(variables, types, strict=True)
    ]
    return texts, [list(pair) for source in types for pair in source.imports]


def variable_type(kind: type) -> Source:
    """Return the source of a Variable type: `nnx.Param` for Flax's own, or a name with its import."""
    from pytree_laws.kinds.nnx.inference import name_of_type

    text = name_of_type(kind)
    return Source(text) if "." in text else refer(kind)


def as_it_flows(suite: Any, variable: Any) -> Any:
    """Note on running statistics whether a gradient flows through them."""
    from flax import nnx

    if issubclass(variable.type, nnx.BatchStat):
        with contextlib.suppress(Exception):
            return replace(variable, flows=suite.seems_to_flow(variable.path))
    return variable


def updates_of(suite: Any, kind: str) -> Sequence[str]:
    if kind != "nnx":
        return ()
    from pytree_laws.kinds.nnx.inference import inferred_updates

    return inferred_updates(suite)


def suite_of(description: Mapping[str, Any], built: Built, called: Called | None) -> type:
    """Return a suite that builds and calls the class, without declarations."""
    laws: Any = PytreeLaws
    if description["kind"] == "nnx":
        from pytree_laws.nnx import NnxLaws

        laws = NnxLaws
    body: dict[str, Any] = {"build": lambda self, seed: model_of(built, seed)}
    if called is not None:
        owner = StateOf(built)
        body["arguments"] = lambda self, seed: tuple(
            source.value(seed, owner)
            for name, source in called.arguments.items()
            if name not in called.static
        )
        body["call"] = lambda self, instance, *arguments: call_of(called, instance, arguments)
    return type("Adopted", (laws,), body)


def call_of(called: Called, instance: Any, arguments: Sequence[Any]) -> Any:
    pairs = {name: called.arguments[name].value(0) for name in called.static}
    pairs |= dict(zip([name for name in called.arguments if name not in pairs], arguments, strict=True))
    method = getattr(instance, called.method) if called.method else instance
    return invoke(method, {name: pairs[name] for name in called.arguments}, called.keywords, called.axis)
