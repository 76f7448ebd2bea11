"""The form of the instances that methods give: their leaves in shapes and dtypes, and their settings."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from ..inspect.arrays import is_array
from ..inspect.trees import arrays_of, avals, instances_in, named_arrays
from ..report import or_else
from .inference import same_value
from .invocation import on_arrays
from .method_uses import Use


@dataclasses.dataclass(frozen=True)
class Form:
    """The form of an instance."""

    leaves: Mapping[str, tuple[Any, ...]]
    """By path shape, dtype and weak type, or what is no array."""
    settings: Mapping[str, Any]
    """Its own static values, by name."""
    kept: frozenset[str] = frozenset()
    """The paths of what another instance has as well."""

    @classmethod
    def of(cls, suite: Any, instance: Any) -> "Form":
        names = [path for path in suite.statics() if "." not in path]
        return cls(avals(instance), {name: getattr(instance, name, None) for name in names})

    def beside(self, other: "Form") -> "Form":
        """The same, with what the other has as well."""
        pairs = ((self.leaves, other.leaves), (self.settings, other.settings))
        names = [n for own, others in pairs for n in own if n in others and same_value(own[n], others[n])]
        return dataclasses.replace(self, kept=frozenset(names))

    def without_given(self, instance: Any, given: Any) -> "Form":
        """The same without the leaves that are arrays which a method is given: who calls it decides their form."""
        arrays = {id(array) for array in arrays_of(given)}
        stored = {path for path, leaf in named_arrays(instance) if id(leaf) in arrays}
        leaves = {path: form for path, form in self.leaves.items() if path not in stored}
        return dataclasses.replace(self, leaves=leaves)


@or_else(None)
def form_of_use(suite: Any, use: Use) -> Form | None:
    """The form of the instance that a use of a method gives; None where it gives none, or raises."""
    forms = list[Form]()

    def use_again(instance: Any, given: Any) -> Any:
        result = use.run(instance, given)
        instances = instances_in(result, type(use.instance))
        held = (node for node in instances if _holds_numbers(node))
        forms[:] = [Form.of(suite, node).without_given(node, given) for node in held]
        return arrays_of(result)

    run, inputs = on_arrays(suite, use.instance, use.given, use_again)
    jax.eval_shape(run, *inputs)
    return next(iter(forms), None)


def _holds_numbers(node: Any) -> bool:
    """Whether it is no tree of marks, of shapes or of specs, of which a class has some in its own form."""
    leaves = jax.tree.leaves(node)
    return any(map(is_array, leaves)) or all(type(leaf) in (int, float, complex) for leaf in leaves)


def with_other_settings(suite: Any) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """By setting the instances with another number, function or names there, made without the constructor.

    Arrays may have the size that an integer is: the constructor makes those, with what the suite declares.
    """
    instance = suite.cached_instance()
    for path in suite.statics():
        value = getattr(instance, path, None) if path in (suite.other or {}) else None
        if type(value) is int and (built := _built_with(suite, path)) is not None:
            yield path, [(suite.other[path], built)]
        values = [] if "." in path else other_settings(getattr(instance, path, None))
        if values:
            yield path, [(value, suite.with_static(instance, path, value)) for value in values]


@or_else(None)
def _built_with(suite: Any, name: str) -> Any:
    """An instance that the constructor makes with another value of one input; None where it refuses, or stores something else."""
    instance = suite.build(**{**suite.inputs(0), name: suite.other[name]})
    return instance if same_value(getattr(instance, name, None), suite.other[name]) else None


def other_settings(value: Any) -> list[Any]:
    """Other values of a setting, the likeliest to be legal first."""
    if type(value) is float:
        others = [value / 2, (1 + value) / 2, value + 1]
        return [other for other in dict.fromkeys(others) if other != value]
    if type(value) is tuple and all(type(text) is str for text in value):
        return [(*value[:-1], "another")]  # as many as there are, each of which may have an array
    if callable(value) and not isinstance(value, type):
        return [function for function in (jnp.sin, jnp.cos) if function is not value]
    return []


def setting_text(value: Any) -> str:
    """A setting as a message names it: a function by its name."""
    return str(getattr(value, "__name__", repr(value)))
