"""What builds a class: an expression, what it gives, and why there is none."""

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
    """An expression that builds a class, by what is called with which arguments."""

    maker: Source
    arguments: Mapping[str, Source]
    positional: int = 0
    """How many of them are given by position; below 0 where the maker is the whole expression."""
    has_state: bool = False
    """Whether it gives the state of an Equinox Module too."""

    @property
    def guesses(self) -> list[str]:
        """The arguments whose shape, or whose kind, is one that worked."""
        return [name for name, source in self.arguments.items() if source.told]

    @property
    def unknown(self) -> list[str]:
        """The arguments of which nothing says what they are."""
        return [name for name, source in self.arguments.items() if KIND in source.told]

    @property
    def source(self) -> Source:
        """The expression."""
        if self.positional < 0:
            return self.maker
        return called(self.maker, self.arguments, self.positional)


@dataclass
class Failure:
    """Why nothing built or called a class: what the first try said, or the first refusal, and the arguments that nothing is known of."""

    first: str = ""
    messages: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    of_part: str = ""
    """What a class raised that is the type of an argument."""
    parts: list[str] = field(default_factory=list[str])
    """The methods that only give what an instance holds, or what they are given."""
    is_of_subclasses: bool = False
    """Whether what raised first does nothing else."""
    is_refusal: bool = False
    """Whether code says itself, in what is told, that it is not allowed: nearer to the reason than a shape that does not fit."""

    @property
    def why(self) -> str:
        """Why nothing was built, in words."""
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
    """Whether an expression gives an instance of the class, one that jax can flatten; of a subclass, one that jax knows as well."""
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
    """What an expression gives, with zeros for values, so that nothing is compiled; with its values where it needs them."""
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
    """Whether an instance keeps a tracer where jax sees no leaf: made under a trace, it is of no use."""
    if isinstance(value, Tracer):
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    attributes = vars(value).values() if hasattr(value, "__dict__") and not isinstance(value, type) else ()
    return depth > 0 and any(holds_tracers(part, depth - 1) for part in (*inner, *attributes))


def raised_in(error: BaseException) -> str:
    """The package whose code raised an error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = str(trace.tb_frame.f_globals.get("__name__", "")) if trace is not None else ""
    return module.partition(".")[0]


def with_state(built: Built) -> Built:
    """The same through `make_with_state`, for what holds a place in a state."""
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
    """What stands for the suite where an argument is its state."""

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
    """Whether what is built has leaves."""
    return bool(arrays_of(instance_of(built.source)))


def once(cls: type, source: Source) -> Source:
    """What equals itself alone, and is no pytree, is made once, at the top of the test file."""
    if cls.__eq__ is not object.__eq__ or "seed" in source.text or source.helpers:
        return source
    if is_node(source.value(0)):
        return source
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).upper()
    return Source(name, source.imports, (f"{name} = {source.text}",), source.told)
