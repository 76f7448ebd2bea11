"""P2: the leaves are the declared ones."""

import contextlib
import warnings
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...discover.invocation import build_with, example_construction
from ...discover.suggest import check_declared
from ...engine.applicability import (
    ARRAYS_DECLARED,
    TAKES_DTYPE,
    Condition,
    applies_where,
    not_applicable,
    of_class,
)
from ...engine.runner import guard
from ...inspect.arrays import has_dtype, is_array, is_floating, is_inexact, real_dtype
from ...inspect.references import class_attributes, reachable
from ...inspect.trees import arrays_of, is_node, named_leaves, structure
from ...report import ANY_ERROR, Fault, Law, check
from ...suites.base import Suite
from ...suites.pytree import PytreeSuite
from ...values.dtypes import built_in

LAW = Law(
    number="P2",
    name="manifest",
    statement="The array leaves are exactly the declared ones, with their initial values and of the dtype that is asked for, below sub-modules too, and no array hides elsewhere.",
    protects='An array that jax does not see. As static metadata it is a constant of the compiled program, with no gradient and no update: Equinox warns that "a JAX array is being set as static".',
    mistake="An array is stored as static, in a closure, a partial or a class attribute, or a field is never assigned; a setting is left among the leaves.",
    fix="Store every array in an annotated, assigned field that is flattened, and every setting as static.",
)


REGISTER = "a class that is not registered: in __init_subclass__, or mark it @final"


VALUES = Condition(
    "no values are declared",
    lambda suite: bool(suite.fixed_values()),
    "value",
    lambda suite: suite.declares_arrays(),
)


def is_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


@guard
class Manifest(Suite):
    """P2 for classes of every kind."""

    @applies_where(VALUES)
    def test_p02_leaves_hold_the_declared_values(self) -> None:
        declared = self.fixed_values()
        found = self.named(self.cached_instance())
        for path, value in declared.items():
            if path in found:
                wanted = np.asarray(value).astype(found[path].dtype)
                message = f"it holds {found[path]}, declared is {value}"
                same = bool(np.all(np.asarray(found[path]) == wanted))
                check(same, path, message, "another initial or preset value")

    @applies_where(ARRAYS_DECLARED)
    def test_p02_holds_the_same_arrays_at_a_size_of_one(self) -> None:
        maker, usual = None, self.named(self.cached_instance())
        with contextlib.suppress(*ANY_ERROR):  # P5 fails on it
            maker = example_construction(self)
        sizes = {} if maker is None else maker.given
        sizes = {name: n for name, n in sizes.items() if type(n) is int and n > 1}
        if not sizes or not self.declares_arrays():
            not_applicable("no size is known, or no array declared")
        hint = "a case for a size of one: a flag says what is there"
        for name, size in sizes.items():
            one = self._shapes_with(name, 1)
            gone = [path for path in usual if path not in one] if one else []
            if gone:  # or it is no size, but a number of layers
                more = self._shapes_with(name, size + 1)
                is_size = more.keys() == usual.keys() and more != shapes_of(usual)
                message = f"with {name}=1 it is not there"
                check(not is_size, ", ".join(gone), message, hint)

    def _shapes_with(self, name: str, size: int) -> dict[str, Any]:
        """The shapes of the arrays of another size, by path; none where that cannot be built."""
        with contextlib.suppress(*ANY_ERROR), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return shapes_of(self.named(build_with(self, {name: size})))
        return {}


@guard
class PytreeManifest(PytreeSuite):
    """P2 for pytrees."""

    def test_p02_leaves_are_the_declared_ones(self) -> None:
        instance = self.cached_instance()
        name = type(instance).__name__
        check(is_node(instance), name, "it is no pytree: jax takes it for a leaf", REGISTER)
        found = dict(named_leaves(instance))
        for leaf in self.manifest():
            message = f"declared as {leaf.role}, but no leaf; the leaves are {list(found)}"
            there = any(self.declared(n) == leaf for n in found)
            check_declared(self, there, leaf.path, message)
        for name, value in found.items():
            message = f"a leaf that is not declared: {type(value).__name__} {value!r:.200}"
            there = self.declared(name) is not None
            check_declared(self, there, name, message)

    @applies_where(of_class("nothing is declared that is found by position", is_tuple), ARRAYS_DECLARED)
    def test_p02_fields_of_a_tuple_have_their_declared_positions(self) -> None:
        instance = self.cached_instance()
        fields = getattr(instance, "_fields", None)
        if not isinstance(instance, tuple) or fields is None or self.leaves is None:
            not_applicable("nothing is declared that is found by position")
        declared = list(dict.fromkeys(leaf.path.split(".")[0] for leaf in self.leaves))
        held = [name for name in fields if name in declared]
        message = f"its fields with leaves are {held}, declared in the order {declared}"
        hint = "what unpacks it, or indexes it, finds another field: keep the order"
        check(held == declared, type(instance).__name__, message, hint)

    def test_p02_leaves_are_as_declared(self) -> None:
        for name, value in named_leaves(self.cached_instance()):
            leaf = self.declared(name)
            if leaf is None or leaf.is_tree:
                continue
            wanted = "no array" if leaf.role == "python" else "a jax.Array"
            message = f"declared as {leaf.role}, it must be {wanted} and is {value!r:.200}"
            if leaf.role == "python":
                check_declared(self, not is_array(value), name, message)
                same = leaf.value is None or _holds(value, leaf.value)
                message = f"it holds {value!r:.200}, declared is {leaf.value!r}"
                check(same, name, message, "another default")
                continue
            check(isinstance(value, jax.Array), name, message)
            shape = value.shape if leaf.shape is None else tuple(leaf.shape)
            message = f"the shape is {value.shape}, declared is {shape}"
            check_declared(self, value.shape == shape, name, message)
            dtype = "key" if leaf.role == "key" else leaf.dtype
            message = f"the dtype is {value.dtype}, declared is {dtype}"
            check_declared(self, has_dtype(value, dtype), name, message)

    @applies_where(TAKES_DTYPE)
    def test_p02_the_dtype_reaches_every_float_leaf(self) -> None:
        given = {**self.inputs(0), "dtype": jnp.bfloat16}
        hint = "an array that is made without `dtype`, or a sub-module that is not given it"
        for name, value in named_leaves(self.built_abstractly(given)):
            leaf = self.declared(name)
            follows = leaf is not None and leaf.dtype == "float" and not leaf.is_tree
            if follows and is_inexact(value):
                message = f"built with dtype bfloat16, it is {value.dtype}"
                check(value.dtype == jnp.bfloat16, name, message, hint)
        for name, value in self.leaves_below():
            message = f"built with dtype bfloat16, it is {value.dtype}"
            check(value.dtype == jnp.bfloat16, name, message, hint)

    def leaves_below(self) -> list[tuple[str, Any]]:
        """The leaves of sub-trees that the constructor makes in the default dtype, as it makes them in bfloat16.

        What it is given has that dtype already.
        """
        usual, before = real_dtype("float"), dict(named_leaves(self.cached_instance()))
        after = named_leaves(built_in(self, "bfloat16", 0))
        return [
            (name, value)
            for name, value in after
            if (leaf := self.declared(name)) is not None
            and leaf.is_tree
            and leaf.dtype == "float"
            and is_floating(value)
            and getattr(before.get(name), "dtype", None) == usual
        ]

    def test_p02_no_array_hides_elsewhere(self) -> None:
        instance = self.cached_instance()
        name, treedef = type(instance).__name__, structure(instance)
        hollow = None  # the same without its leaves, which may be held twice
        with contextlib.suppress(Exception):  # P3 fails on it
            hollow = treedef.unflatten([object() if is_array(v) else v for v in jax.tree.leaves(instance)])
        found = [*reachable(instance, name, arrays_of(instance)), *reachable(hollow, name)]
        for place, value in [*found, *class_attributes(instance)]:
            if is_array(value):  # `shape` may be a property that refuses
                message = f"an array of shape {value.shape} that is not a leaf"
                raise Fault(place, message, "")


def _holds(value: Any, declared: Any) -> bool:
    """Whether a leaf that is no array is this number or flag; to Python a flag is a number."""
    return type(value) in (bool, int, float, complex) and (
        (isinstance(value, bool), value) == (isinstance(declared, bool), declared)
    )


def shapes_of(held: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.shape for name, value in held.items()}
