"""Constructions: the expression, the instance that it gives, and the reason of a failure."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from pytree_laws.errors import leaves_to_subclasses, raises_deliberately
from pytree_laws.inspect.arrays import on_device
from pytree_laws.inspect.trees import arrays_of, combine, is_node, partition
from pytree_laws.trace.jaxprs import NEEDS_VALUES

from ..classes.messages import message_of
from ..values.sources import KIND, Source, called
from .cached_tracers import globals_of, without_tracers


@dataclass(frozen=True)
class Built:
    """Expression that builds a class: a maker and its arguments."""

    maker: Source
    arguments: Mapping[str, Source]
    positional: int = 0
    """Number of arguments given by position, or -1 if `maker` is the whole expression."""
    has_state: bool = False
    """Whether the expression also gives the `eqx.nn.State` of the module."""

    @property
    def guesses(self) -> list[str]:
        """Names of the arguments whose shape or kind was guessed."""
        return [name for name, source in self.arguments.items() if source.told]

    @property
    def unknown(self) -> list[str]:
        """Names of the arguments whose kind was guessed."""
        return [name for name, source in self.arguments.items() if KIND in source.told]

    @property
    def source(self) -> Source:
        """Source of the call, or of the whole expression if `positional` is negative."""
        if self.positional < 0:
            return self.maker
        return called(self.maker, self.arguments, self.positional)


@dataclass
class Failure:
    """Reason why a class was not built or called, gathered from the errors of all tries."""

    first: str = ""
    messages: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    of_part: str = ""
    """Error raised by the class of an argument."""
    parts: list[str] = field(default_factory=list[str])
    """Methods that only return what the instance holds or what the caller passes."""
    is_of_subclasses: bool = False
    """Whether `first` comes from a method that subclasses must write."""
    is_refusal: bool = False
    """Whether `first` is a deliberate `ValueError`, which explains more than a shape mismatch."""

    @property
    def why(self) -> str:
        """Reason in words, for the report."""
        return self.first or self.of_part or "nothing is known of its arguments"

    def note_unknown(self, names: list[str]) -> None:
        listed = " and ".join(f"`{name}`" for name in names)
        what = f"nothing says what {listed} {'is' if len(names) == 1 else 'are'}, and no leaf holds the arrays that were tried"
        self.first, self.unknown = what, names

    def note(self, error: BaseException) -> None:
        text = f"{type(error).__name__}: {message_of(error)}"
        is_refusal = isinstance(error, ValueError) and raises_deliberately(error, object)
        if not self.first or (is_refusal and not self.is_refusal):
            self.first, self.is_of_subclasses = text, leaves_to_subclasses(error)
            self.is_refusal = is_refusal
        self.messages.append(text[:400])


def builds(cls: type, built: Built, failure: Failure) -> bool:
    """Whether an expression gives an instance of the class that JAX can flatten.

    An instance of a subclass must also be a registered pytree.
    """
    try:
        made = instance_of(built.source)
        jax.tree.leaves(made)
        instance = made[0] if built.has_state else made
        return type(instance) is cls or (
            isinstance(instance, cls) and not jax.tree_util.all_leaves([instance])
        )
    except Exception as error:
        failure.note(error)
        return False


def instance_of(source: Source) -> Any:
    """Evaluate a source with zeros for leaves, so that nothing is compiled.

    Real values are used if the constructor needs them, or if the instance keeps a random key or a tracer.
    """
    kept: list[Any] = []

    def build() -> Any:
        static, arrays = partition(source.value(0))
        kept.append(static)
        return arrays

    before = globals_of(source)
    try:
        shapes = jax.eval_shape(build)
        if without_tracers(before) or any(
            jnp.issubdtype(struct.dtype, jax.dtypes.prng_key) for struct in shapes
        ):
            return source.value(0)
        made = combine(kept[-1], [on_device(np.zeros(struct.shape, struct.dtype)) for struct in shapes])
    except Exception as error:
        without_tracers(before)
        needs_values = isinstance(error, NEEDS_VALUES) or "racer" in f"{type(error).__name__} {error}"
        if kept or needs_values or raised_in(error) == "equinox":
            return source.value(
                0
            )  # unflatten refuses what is built, which laws tell; or Equinox asks tracers
        raise
    return source.value(0) if holds_tracers(made) else made


def holds_tracers(value: Any, depth: int = 4) -> bool:
    """Whether a value keeps a tracer outside its leaves, which is useless after the trace."""
    if isinstance(value, Tracer):
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    attributes = vars(value).values() if hasattr(value, "__dict__") and not isinstance(value, type) else ()
    return depth > 0 and any(holds_tracers(part, depth - 1) for part in (*inner, *attributes))


def raised_in(error: BaseException) -> str:
    """Return the top-level package whose code raised an error, or an empty string."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = str(trace.tb_frame.f_globals.get("__name__", "")) if trace is not None else ""
    return module.partition(".")[0]


def with_state(built: Built) -> Built:
    """Build through `eqx.nn.make_with_state` if the instance holds an `eqx.nn.StateIndex`."""
    equinox: Any = sys.modules.get("equinox")
    if equinox is None:
        return built
    leaves = jax.tree.leaves(
        instance_of(built.source), is_leaf=lambda node: isinstance(node, equinox.nn.StateIndex)
    )
    if not any(isinstance(leaf, equinox.nn.StateIndex) for leaf in leaves):
        return built
    maker = built.maker.but(f"eqx.nn.make_with_state({built.maker.text})")
    return replace(built, maker=maker, has_state=True)


class StateOf:
    """Stand-in for the suite, so that an argument may be written as `self.state(seed)`."""

    def __init__(self, built: Built) -> None:
        self.built = built
        self.made: dict[int, Any] = {}

    def state(self, seed: int) -> Any:
        return self.built.source.value(seed)[1]

    def make(self, seed: int) -> Any:
        if seed not in self.made:
            self.made[seed] = model_of(self.built, seed)
        return self.made[seed]


def model_of(built: Built, seed: int) -> Any:
    made = built.source.value(seed)
    return made[0] if built.has_state else made


def holds_arrays(built: Built) -> bool:
    """Whether the instance has array leaves."""
    return bool(arrays_of(instance_of(built.source)))


def once(cls: type, source: Source) -> Source:
    """Refer to a constant of the test file if the instance is no pytree and compares by identity."""
    if cls.__eq__ is not object.__eq__ or "seed" in source.text or source.helpers:
        return source
    if is_node(source.value(0)):
        return source
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).upper()
    return Source(name, source.imports, (f"{name} = {source.text}",), source.told)
