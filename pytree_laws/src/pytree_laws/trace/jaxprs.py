"""Traces: properties of a function read off its jaxpr."""

import re
import traceback
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jax
import jax.extend.core
import jax.numpy as jnp
from jax.interpreters import partial_eval

from ..errors import is_of_promotion
from ..inspect.arrays import kind_of
from ..inspect.raised_at import line_of_class

NEEDS_VALUES = (
    *(jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError),
    *(jax.errors.TracerIntegerConversionError, jax.errors.NonConcreteBooleanIndexError),
)
"""Errors that jax raises if a program needs concrete values, or a shape that depends on them."""


INSTALLED = re.compile(r"[\\/](site|dist)-packages[\\/]|^<")


def inner_jaxprs(equation: Any) -> list[Any]:
    """List the jaxprs among the parameters of an equation."""
    values: list[Any] = []
    for value in equation.params.values():
        values += value if isinstance(value, list | tuple) else [value]
    return [getattr(jaxpr, "jaxpr", jaxpr) for jaxpr in values if hasattr(jaxpr, "eqns")]


def equations(jaxpr: Any) -> Iterator[Any]:
    """Yield every equation, including equations of inner jaxprs."""
    yield from with_inner(jaxpr.eqns)


def with_inner(outer: Iterable[Any]) -> Iterator[Any]:
    """Yield some equations, each followed by the equations of its inner jaxprs."""
    for equation in outer:
        yield equation
        for inner in inner_jaxprs(equation):
            yield from with_inner(inner.eqns)


def is_variable(atom: Any) -> bool:
    return not hasattr(atom, "val")  # a literal has a value


def is_key_type(aval: Any) -> bool:
    return jnp.issubdtype(aval.dtype, jax.dtypes.prng_key)


DRAWS = "random_bits", "threefry2x32"


def draws_of(jaxpr: Any) -> list[Any]:
    """List the random draws, including draws in inner jaxprs."""
    return [equation for equation in equations(jaxpr) if equation.primitive.name in DRAWS]


def constant_draws(jaxpr: Any, variables: set[Any]) -> Iterator[Any]:
    """Yield the random draws whose key does not depend on these variables."""
    for equation in jaxpr.eqns:
        inputs = [is_variable(v) and v in variables for v in equation.invars]
        draws = equation.primitive.name in DRAWS
        if draws and not any(inputs[:2]):
            yield equation
        for inner in inner_jaxprs(equation):
            marks = inputs[len(inputs) - len(inner.invars) :]
            if len(marks) != len(inner.invars):
                marks = [any(inputs)] * len(inner.invars)
            yield from constant_draws(inner, {v for v, mark in zip(inner.invars, marks) if mark})
        if any(inputs):
            variables = variables | set(equation.outvars)


def dead_equations(jaxpr: Any) -> Iterator[Any]:
    """Yield the equations whose results are unused, which jax drops when it compiles."""
    used = {v for v in jaxpr.outvars if is_variable(v)}
    for equation in reversed(jaxpr.eqns):
        if equation.effects or used.intersection(equation.outvars):
            used |= {v for v in equation.invars if is_variable(v)}
            for inner in inner_jaxprs(equation):
                yield from dead_equations(inner)
        else:
            yield equation


def without_dead(jaxpr: Any) -> Any:
    """Return the jaxpr without dead equations at its top. Inner jaxprs may be shared, so they stay."""
    dead = {id(equation) for equation in dead_equations(jaxpr)}
    return jaxpr.replace(eqns=[equation for equation in jaxpr.eqns if id(equation) not in dead])


def lost_updates(jaxpr: Any) -> list[str]:
    """Name the updates and checks that no equation reads.

    A value computed further and then dropped is no mistake.
    """
    names = (equation.primitive.name for equation in unread_updates(jaxpr))
    return [name if name.startswith("scatter") else "a check, as `eqx.error_if`" for name in names]


def unread_updates(jaxpr: Any) -> list[Any]:
    read = {v for e in equations(jaxpr) for v in e.invars if is_variable(v)}
    dead = (equation for equation in dead_equations(jaxpr) if is_update_or_check(equation))
    return [equation for equation in dead if read.isdisjoint(equation.outvars)]


def update_lines(jaxpr: Any) -> tuple[set[str], set[str]]:
    """Return the lines of the class with unread updates or checks, and the lines with needed updates."""
    dead = {id(equation) for equation in dead_equations(jaxpr)}
    needed = (e for e in equations(jaxpr) if id(e) not in dead and is_update_or_check(e))
    return {*map(line_of, unread_updates(jaxpr))}, {*map(line_of, needed)}


def line_of(equation: Any) -> str:
    """Return the line of the class under test that made an equation, or an empty string."""
    frames = equation.source_info.traceback.frames
    return line_of_class((frame.file_name, frame.line_num) for frame in reversed(frames))


def is_update_or_check(equation: Any) -> bool:
    """Whether an equation is `x.at[i].set(y)`, or holds the callback of a check such as `eqx.error_if`."""
    names = [each.primitive.name for each in with_inner([equation])]
    return names[0].startswith("scatter") or "pure_callback" in names


def live_part(closed: Any) -> Any:
    """Return a closed jaxpr without the equations that no output needs."""
    live, _ = partial_eval.dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    return jax.extend.core.ClosedJaxpr(live, closed.consts)


def repeated_draws(jaxpr: Any) -> Iterator[Any]:
    """Yield the random draws whose key is computed exactly as the key of an earlier draw."""
    return Numbering().repeated(jaxpr)


def mixed_draws(jaxpr: Any) -> Iterator[str]:
    """Describe the keys that serve two different draws.

    The same draw may repeat, as for a random path that is evaluated twice. Two shapes or distributions from
    one key share bits that should be independent.
    """
    for uses in numbered(jaxpr).uses.values():
        if len(uses) > 1:
            yield " and ".join(sorted(uses))


def shares_keys_of_loops(jaxpr: Any) -> bool:
    """Whether a key passed to a loop is also passed to another loop, drawn from or split."""
    numbering = numbered(jaxpr)
    return any(numbering.looped.count(key) > 1 or key in numbering.uses for key in numbering.looped)


def has_repeated_parts(jaxpr: Any) -> bool:
    """Whether a complex number has an imaginary part computed exactly as its real part."""
    return bool(numbered(jaxpr).doubled)


def numbered(jaxpr: Any) -> "Numbering":
    """Return the numbering of a whole jaxpr."""
    numbering = Numbering()
    deque(numbering.repeated(jaxpr), maxlen=0)
    return numbering


class Numbering:
    """Value numbering: variables that are computed alike have the same number."""

    def __init__(self) -> None:
        self.of_values: dict[Any, int] = {}
        self.of_variables: dict[Any, int] = {}
        self.drawn: set[int] = set()
        self.doubled: list[Any] = []  # complex numbers whose two parts are one
        self.uses: dict[int, set[str]] = {}  # by the number of a key, what it serves
        self.used: list[int] = []  # the numbers of the keys, in the order of draws and splits
        self.looped: list[int] = []  # the numbers of the keys that go into loops
        self.within: list[str] = []  # the functions of jax.random around an equation

    def note(self, equation: Any, key: int) -> None:
        """Record the use of a key: a draw by a function of `jax.random` with its shape, or a split."""
        name, shape = equation.primitive.name, equation.outvars[0].aval.shape
        drawn = next(iter(self.within), "bits").strip("_")
        use = "`split`" if name == "random_split" else f"`{drawn}`"
        self.uses.setdefault(key, set()).add(f"{use} of shape {shape}")
        self.used.append(key)

    def number(self, atom: Any) -> int:
        if not is_variable(atom):
            return self.intern("literal", str(atom.aval), repr(atom.val))
        return self.of_variables.setdefault(atom, self.intern("new", id(atom)))

    def intern(self, *value: Any) -> int:
        return self.of_values.setdefault(value, len(self.of_values))

    def repeated(self, jaxpr: Any) -> Iterator[Any]:
        for equation in jaxpr.eqns:
            numbers = tuple(map(self.number, equation.invars))
            inner = inner_jaxprs(equation)
            if equation.primitive.name in ("random_bits", "random_split"):
                self.note(equation, numbers[0])
            if equation.primitive.name == "complex" and len(set(numbers)) == 1:
                self.doubled += filter(is_variable, equation.invars[:1])
            if equation.primitive.name == "random_bits":
                if numbers[0] in self.drawn:
                    yield equation
                self.drawn.add(numbers[0])
            if len(inner) == 1 and equation.primitive.name in ("jit", "pjit"):
                self.of_variables.update(zip(inner[0].invars, numbers))
                name = str(equation.params.get("name", ""))
                outside = self.within
                self.within = [*outside, name] if name.startswith("_") else []
                yield from self.repeated(inner[0])
                self.within = outside
                results = [self.number(atom) for atom in inner[0].outvars]
            else:
                # A loop or a branch is not looked into: it is like itself alone.
                self.looped += (n for v, n in zip(equation.invars, numbers) if inner and is_key_type(v.aval))
                identity = id(equation) if inner else str(equation.params)
                signature = equation.primitive.name, identity, numbers
                results = [self.intern(*signature, i) for i in range(len(equation.outvars))]
            self.of_variables.update(zip(equation.outvars, results))


def jit_equations(jaxpr: Any) -> Iterator[Any]:
    """Yield the calls of jitted functions, also in inner jaxprs, but not inside jitted functions."""
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("jit", "pjit"):
            yield equation
        else:
            for inner in inner_jaxprs(equation):
                yield from jit_equations(inner)


def compiled_anew(jaxpr: Any, other: Any) -> list[str]:
    """List the jitted functions that two traces of a call do not share, by name.

    jax keeps the jaxpr of a traced function. If the next trace holds another jaxpr, the function is new, and
    is compiled again.
    """
    pairs = zip(jit_equations(jaxpr), jit_equations(other))
    params = ((first.params, second.params) for first, second in pairs)
    return [str(first.get("name")) for first, second in params if first["jaxpr"] is not second["jaxpr"]]


def narrowing_casts(jaxpr: Any, narrowest: Mapping[str, int]) -> Iterator[Any]:
    """Yield the casts to fewer bits than any input or output of the same kind has."""
    for equation in equations(jaxpr):
        if equation.primitive.name != "convert_element_type":
            continue
        before, after = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
        kind = kind_of(after)
        narrower = after.itemsize < min(before.itemsize, narrowest.get(kind, 4))
        if kind and kind == kind_of(before) and narrower:
            yield equation


def own_rules(jaxpr: Any, others: re.Pattern[str] = INSTALLED) -> list[str]:
    """List the functions with a custom_jvp or custom_vjp whose file does not match `others`.

    The list is empty if one of them returns its inputs, since its rule replaces the gradient on purpose.
    """
    result = []
    for equation in equations(jaxpr):
        if equation.primitive.name.startswith(("custom_jvp_call", "custom_vjp_call")):
            inner: Any = next(iter(inner_jaxprs(equation)), None)
            source = getattr(getattr(inner, "debug_info", None), "func_src_info", "")
            name, _, file = str(source).partition(" at ")
            if file and not others.search(file):
                if all(any(given is taken for taken in inner.invars) for given in inner.outvars):
                    return []
                result.append(name)
    return result


def draws_by_rejection(jaxpr: Any) -> bool:
    """Whether a program draws from a gamma distribution, where a small step leads to another draw.

    The gradient does not follow such a step.
    """
    names = (equation.primitive.name for equation in equations(jaxpr))
    return any(name.startswith("random_gamma") for name in names)


def loops_by_values(jaxpr: Any) -> bool:
    """Whether a program has a `while` loop, whose length may depend on values."""
    return any(equation.primitive.name == "while" for equation in equations(jaxpr))


_LINALG = vars(jax.lax.linalg).items()
DECOMPOSITIONS = tuple(sorted(primitive.name for name, primitive in _LINALG if name.endswith("_p")))
"""Primitives that jax provides for few dtypes only, on most platforms for 32 and 64 bits."""


def decompositions(jaxpr: Any) -> Iterator[Any]:
    """Yield the equations that decompose a matrix, or solve with one."""
    return (equation for equation in equations(jaxpr) if equation.primitive.name in DECOMPOSITIONS)


def is_of_set_state(error: Exception) -> bool:
    """Whether Equinox's `State.set` complains that a new value has another structure, shape or dtype."""
    return "Old and new values have different structures/shapes/dtypes" in str(error)


def lacks_dtype(error: Exception) -> bool:
    """Whether jax itself says that it has no such operation for a dtype."""
    if is_of_promotion(error):
        return False
    words = (*("not supported", "unsupported", "must be float"), *("does not accept dtype", "not inexact"))
    text = str(error).lower()
    if "accepted dtypes at position" in text:  # which jax alone says, and may leave its own frames out
        return True
    frames = traceback.extract_tb(error.__traceback__)
    folders = [{*frame.filename.replace("\\", "/").split("/")} for frame in frames]
    while folders and "numpy" in folders[-1] and "jax" not in folders[-1]:
        folders.pop()  # which jax asks, as for the eps of a dtype
    inside = bool(folders) and "jax" in folders[-1]
    return inside and (isinstance(error, NotImplementedError) or any(word in text for word in words))


def is_of_flax_layer(error: Exception) -> bool:
    """Whether a layer of Flax raised an error, which chooses dtypes by itself."""
    frames = traceback.extract_tb(error.__traceback__)
    return any("flax/nnx/nn/" in frame.filename.replace("\\", "/") for frame in frames)
