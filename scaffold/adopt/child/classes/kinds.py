"""Kind of pytree that a class is, or the reason to leave the class out."""

import dataclasses
import dis
import enum
import inspect
import re
import sys
import types
import warnings
from typing import Any

import jax

from .factories import is_transformation


@dataclasses.dataclass(frozen=True)
class Kind:
    """Kind of a class in a word, and the reason if the class gets no suite."""

    name: str
    why: str = ""


def kind_of(cls: Any) -> Kind:
    """Return the kind of a class, or `plain` for anything that is not a pytree."""
    if isinstance(cls, types.FunctionType):
        return kind_of_function(cls)
    if wrapped_class(cls) is not None:
        return Kind("plain", "it is a wrapper of a class, as `eqx.filter_jit` makes one, and no class itself")
    if not isinstance(cls, type) or issubclass(cls, enum.Enum | BaseException):
        return Kind("plain", "it is no class that jax flattens")
    if missing := abstract_members(cls):
        return Kind("abstract", f"it is abstract: {missing}")
    if is_module(cls) and not is_part(cls):
        return Kind("module")
    if is_nnx(cls):
        return Kind("nnx")
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return namedtuple_kind(cls)
    if is_part(cls):
        return Kind("part", "it is held by modules, whose suites look at it")
    if is_registered(cls) or registers_itself(cls):
        return Kind("registered")
    return Kind("plain", "it is no pytree: nothing registers it with jax")


def kind_of_function(function: Any) -> Kind:
    """Return `transformation` for a function that makes an optax transformation, or else `plain`."""
    if is_transformation(function):
        return Kind("transformation")
    return Kind(
        "plain",
        "it is a function, and nothing says that what it returns is an `optax.GradientTransformation`",
    )


def wrapped_class(value: Any) -> type | None:
    """Return the class inside a wrapper such as `eqx.filter_jit(Class)`, or None."""
    inner = None if isinstance(value, type) else getattr(value, "__wrapped__", None)
    return inner if isinstance(inner, type) else None


def is_module(cls: type) -> bool:
    equinox: Any = sys.modules.get("equinox")
    return equinox is not None and issubclass(cls, equinox.Module)


def is_part(cls: type) -> bool:
    """Whether a library keeps the contents of modules in this class, such as States, Variables and keys."""
    equinox: Any = sys.modules.get("equinox")
    flax: Any = sys.modules.get("flax.nnx")
    parts = [equinox.nn.State, equinox.nn.StateIndex] if equinox is not None else []
    parts += [flax.Variable, flax.State, flax.GraphDef, flax.RngStream, flax.Rngs] if flax is not None else []
    return issubclass(cls, tuple(parts))


def is_nnx(cls: type) -> bool:
    """Whether a class is an NNX class that holds Variables and changes, such as a module or a metric."""
    nnx: Any = sys.modules.get("flax.nnx")
    return nnx is not None and issubclass(cls, getattr(nnx, "Pytree", nnx.Module))


MOST_NAMED = 3
_REGISTERS = re.compile(r"register_(pytree\w*|dataclass)")


def abstract_members(cls: type) -> str:
    """Describe the members that a subclass has to add, or return an empty text for a concrete class."""
    if getattr(cls, "_is_protocol", False):
        return "a protocol"
    members = [*getattr(cls, "__abstractmethods__", ()), *getattr(cls, "__abstractvars__", ())]
    members += getattr(cls, "__abstractclassvars__", ())
    names = sorted(name if isinstance(name, str) else str(name) for name in members)
    if never_returns(cls.__init__) or never_returns(cls.__new__):
        return "its constructor raises, whatever it is given"
    if names:
        listed = ", ".join(f"`{name}`" for name in names[:MOST_NAMED])
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return f"{listed}{more} {'is' if len(names) == 1 else 'are'} missing"
    return "all that it has is for subclasses" if is_bare_base(cls) else ""


def never_returns(function: Any) -> bool:
    """Whether a constructor takes no arguments and always raises."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if not isinstance(code, types.CodeType) or code.co_argcount + code.co_kwonlyargcount > 1:
        return False
    return not any(step.opname.startswith("RETURN") for step in dis.get_instructions(code))


def is_bare_base(cls: type) -> bool:
    """Whether a class is a base, by its name `Abstract...` or by `inspect.isabstract`."""
    return cls.__name__.startswith(("Abstract", "_Abstract")) or inspect.isabstract(cls)


def namedtuple_kind(cls: Any) -> Kind:
    """Return the kind of a NamedTuple. With functions alone, or with a constant field, there is no suite."""
    types = [str(kind) for kind in getattr(cls, "__annotations__", {}).values()]
    functions = [text for text in types if "Fn" in text or "Callable" in text or "Protocol" in text]
    if types and len(functions) == len(types):
        return Kind("function", "it holds functions alone, and no arrays")
    # A descriptor returns the entry of the tuple. Any other value hides the entry in all instances.
    fixed = [name for name in cls._fields if not hasattr(inspect.getattr_static(cls, name, None), "__get__")]
    if fixed:
        return Kind("plain", f"its field `{fixed[0]}` is a constant of the class, whatever an instance holds")
    return Kind("namedtuple")


def is_registered(cls: type) -> bool:
    """Whether jax flattens the instances of a class, tried with a blank instance."""
    try:
        blank = object.__new__(cls)
    except TypeError:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return jax.tree_util.default_registry.flatten_one_level(blank) is not None  # type: ignore[attr-defined]
    except Exception:  # flatten ran, and the blank instance lacks an attribute
        return True


def registers_itself(cls: type) -> bool:
    """Whether the constructor or the metaclass of a class registers it at the first instance."""
    if issubclass(cls, type):
        return False
    made_by = [vars(owner).get(name) for owner in cls.__mro__ for name in ("__new__", "__init__")]
    made_by += [vars(owner).get("__call__") for owner in inspect.getmro(type(cls))]
    functions = [getattr(method, "__func__", method) for method in made_by]
    return any(_registers(function) for function in functions if isinstance(function, types.FunctionType))


def _registers(function: types.FunctionType, depth: int = 1) -> bool:
    """Whether a function, or a function of its module that it calls, registers a class with jax."""
    names = inspect.unwrap(function).__code__.co_names
    called = [
        global_value
        for name in names
        if isinstance(global_value := function.__globals__.get(name), types.FunctionType)
    ]
    return any(map(_REGISTERS.fullmatch, names)) or (
        depth > 0 and any(_registers(callee, depth - 1) for callee in called)
    )
