"""P2, of configurations: the flags leave out the leaves that are declared so, and a number of layers is one of layers."""

import contextlib
import warnings
from collections.abc import Mapping
from typing import Any

import jax

from ...discover.configurations import traced_configurations
from ...discover.invocation import build_with, given_to_constructor
from ...engine.applicability import declares
from ...engine.registry import Checks
from ...inspect.trees import look_up, under_any
from ...kinds.suite import Suite
from ...report import check

CHECKS = Checks()


@CHECKS.register(declares("left_out", "no flag is declared to leave anything out"))
def test_p02_each_flag_leaves_out_what_is_declared(subject: Suite) -> None:
    flags = {path: name for name, paths in subject.left_out.items() for path in paths}
    usual = _paths(subject, subject.cached_instance(), flags)
    for traced in traced_configurations(subject)[1:]:
        inputs = traced.configuration.inputs
        if traced.instance is None or not inputs or not inputs.keys() <= subject.left_out.keys():
            continue
        wanted = {path for path in usual if flags.get(path) not in inputs}
        built = {name for name, value in inputs.items() if value is not None and value is not False}
        wanted |= {path for path, name in flags.items() if name in built}
        for path in sorted(wanted ^ _paths(subject, traced.instance, flags)):
            message = "it is not there" if path in wanted else "it is there"
            flag = f"`{flags[path]}`" if path in flags else "no flag"
            hint = f"`left_out` of the tests says that it depends on {flag}"
            check(False, traced.configuration.place(path), message, hint)


def _paths(subject: Suite, instance: Any, flags: Mapping[str, str]) -> set[str]:
    """The paths of the arrays of an instance; of what a flag leaves out its root."""
    held = subject.named(instance)
    roots = {path for path in flags if any(under_any(name, [path]) for name in held)}
    return roots | {path for path in held if not under_any(path, [*flags])}


@CHECKS.register(declares("layers", "no input is declared to count layers"))
def test_p02_as_many_layers_are_made_as_are_asked_for(subject: Suite) -> None:
    given = given_to_constructor(subject)
    for path, name in subject.layers.items():
        usual = given.get(name)
        for count in (usual + 1, usual - 1) if type(usual) is int else ():
            # It may refuse the number.
            with contextlib.suppress(ValueError, TypeError), warnings.catch_warnings(action="ignore"):
                built = build_with(subject, {name: count})
                made, hint = _count(look_up(built, path)), f"a number in the place of `{name}`"
                check(made == count, f"{path} with {name}={count}", f"{made} layers are made", hint)


def _count(layers: Any) -> int:
    """The number of layers: of a list its length, of stacked layers that of the first axis."""
    with contextlib.suppress(TypeError):
        return len(layers)
    return int(jax.tree.leaves(layers)[0].shape[0])
