"""Form of the instances that methods return: shapes and dtypes of leaves, and settings."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from ..inspect.arrays import is_array
from ..inspect.trees import arrays_of, avals, instances_in, named_arrays
from ..report import or_else
from ..trace.wide_results import widened_in
from .inference import same_value
from .invocation import on_arrays
from .method_uses import Use


@dataclasses.dataclass(frozen=True)
class Form:
    """Form of an instance."""

    leaves: Mapping[str, tuple[Any, ...]]
    """Shape, dtype and weak type of each leaf by path, or the leaf itself if it is not an array."""
    settings: Mapping[str, Any]
    """Static values of the instance itself, by name."""
    kept: frozenset[str] = frozenset()
    """Paths and names whose entries another instance shares."""

    @classmethod
    def of(cls, suite: Any, instance: Any) -> "Form":
        names = [path for path in suite.statics() if "." not in path]
        return cls(avals(instance), {name: getattr(instance, name, None) for name in names})

    def beside(self, other: "Form") -> "Form":
        """Return the form, with the paths that another form shares in `kept`."""
        pairs = ((self.leaves, other.leaves), (self.settings, other.settings))
        names = [n for own, others in pairs for n in own if n in others and same_value(own[n], others[n])]
        return dataclasses.replace(self, kept=frozenset(names))

    def without_given(self, instance: Any, given: Any) -> "Form":
        """Return the form without leaves that are arguments of the method, whose form the caller decides."""
        arrays = {id(array) for array in arrays_of(given)}
        stored = {path for path, leaf in named_arrays(instance) if id(leaf) in arrays}
        leaves = {path: form for path, form in self.leaves.items() if path not in stored}
        return dataclasses.replace(self, leaves=leaves)


@or_else(None)
def form_of_use(suite: Any, use: Use) -> Form | None:
    """Return the form of the instance that a use of a method returns, or None."""
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


def line_that_widens(suite: Any, use: Use, path: str) -> str:
    """Return the end of a hint with the line that widens a leaf of the instance that a use returns."""

    def leaf_of(instance: Any, given: Any) -> Any:
        following = instances_in(use.run(instance, given), type(use.instance))[0]
        return dict(named_arrays(following))[path]

    return widened_in(*on_arrays(suite, use.instance, use.given, leaf_of), 0)


def _holds_numbers(node: Any) -> bool:
    """Whether a node contains arrays or numbers, unlike a tree of marks, shapes or specs."""
    leaves = jax.tree.leaves(node)
    return any(map(is_array, leaves)) or all(type(leaf) in (int, float, complex) for leaf in leaves)


def with_other_settings(suite: Any) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """Yield each setting with instances that have another number, function or names in it.

    A declared integer may be the size of an array, so the constructor builds the instance. The others are
    made without it.
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
    """Build an instance with the declared other value of an input, or return None if it stores another."""
    instance = suite.build(**{**suite.inputs(0), name: suite.other[name]})
    return instance if same_value(getattr(instance, name, None), suite.other[name]) else None


def other_settings(value: Any) -> list[Any]:
    """List other values of a setting, the most likely legal value first."""
    if type(value) is float:
        others = [value / 2, (1 + value) / 2, value + 1]
        return [other for other in dict.fromkeys(others) if other != value]
    if type(value) is tuple and all(type(text) is str for text in value):
        return [(*value[:-1], "another")]  # as many as there are, each of which may have an array
    if callable(value) and not isinstance(value, type):
        return [function for function in (jnp.sin, jnp.cos) if function is not value]
    return []


def setting_text(value: Any) -> str:
    """Return the text of a setting in messages, which is its name for a function."""
    return str(getattr(value, "__name__", repr(value)))
