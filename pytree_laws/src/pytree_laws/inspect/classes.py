"""Classes: their library, their docstrings, and other classes with the same fields."""

import ast
import contextlib
import dataclasses
import functools
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import pytest

from ..report import ANY_ERROR, or_else
from .trees import clone_as, one_level, parts_of_aux

TWIN = "__twin"
"""Suffix of the name under which a module is run a second time."""
LIBRARIES = ("builtins", "equinox", "jax", "jaxlib", "flax", "optax", "numpy", "penzai")
FOR_64_BITS = "jax_enable_x64"
"""Name of jax's setting of 64 bits, which source code contains to set it or to ask for it."""
_NAN = re.compile(r"\bnans?\b", re.IGNORECASE)
_FLOAT32 = re.compile(
    r"\b(in|to|as)\s+`*(jnp\.|jax\.numpy\.)?(float32|fp32|f32)\b|\bsingle precision\b", re.IGNORECASE
)
REGISTER = "a class that is not registered: in __init_subclass__, or mark it @final"
OF_PYTHON = "its class is Python's own, as that of a state which is a tuple"

_UNTRACED = re.compile(
    r"\b(?:not|cannot|can't) (?:be )?(?:(?:used|usable|compatible|work|meant) (?:in|under|inside|with|for) )?`*(?:jax\.)?(?:jit|traceable|traced\b)",
    re.IGNORECASE,
)
"""Pattern by which a docstring says that a function is not for compiled programs."""


def is_of_python(cls: type) -> bool:
    """Whether a class is in the standard library, such as `OrderedDict`."""
    return cls.__module__.partition(".")[0] in sys.stdlib_module_names


def is_of_library(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in LIBRARIES


def is_equinox(cls: type) -> bool:
    """Whether a class is an `equinox.Module`."""
    equinox: Any = sys.modules.get("equinox")
    return equinox is not None and issubclass(cls, equinox.Module)


def is_state(value: Any) -> bool:
    """Whether a value is an `equinox.nn.State`."""
    return type(value).__name__ == "State" and type(value).__module__.startswith("equinox")


def own_classes(cls: type) -> list[type]:
    """List a class and its bases, without classes of libraries and of Python."""
    return [owner for owner in cls.__mro__ if not (is_of_python(owner) or is_of_library(owner))]


def documents_nan(cls: type) -> bool:
    """Whether a docstring of a class or of one of its methods mentions NaN."""
    members = (value for owner in own_classes(cls) for value in (owner, *vars(owner).values()))
    texts = (getattr(value, "__doc__", None) for value in members)
    return any(_NAN.search(text) for text in texts if isinstance(text, str))


def documents_untraced(function: Any) -> bool:
    """Whether a docstring says that a function is not for `jax.jit`, so failures there are intended."""
    return _UNTRACED.search(inspect.getdoc(function) or "") is not None


def documents_float32(cls: type) -> bool:
    """Whether a docstring says that a class computes in float32.

    Docstrings are read of the class, its methods, and functions of its module that these name.
    """
    members = [value for owner in own_classes(cls) for value in (owner, *vars(owner).values())]
    codes = [getattr(inspect.unwrap(each), "__code__", None) for each in members if inspect.isroutine(each)]
    named = {name for code in codes if code is not None for name in code.co_names}
    module = vars(sys.modules.get(cls.__module__, object))
    used = (module[name] for name in named & module.keys() if inspect.isfunction(module[name]))
    texts = (getattr(value, "__doc__", None) for value in (*members, *used))
    return any(_FLOAT32.search(text) for text in texts if isinstance(text, str))


def compares_by_equinox(instance: Any) -> bool:
    """Whether `==` is Equinox's, which takes the data of a key for a key."""
    equinox: Any = sys.modules.get("equinox")
    return equinox is not None and type(instance).__eq__ is equinox.Module.__eq__


def is_for_64_bits(cls: type) -> bool:
    """Whether the library of a class mentions `jax_enable_x64` in code, so that it expects 64 bits."""
    return not is_of_library(cls) and any(map(_names_64_bits, _loaded_with(cls)))


def names_narrow_dtypes(cls: type) -> bool:
    """Whether the library of a class mentions `float16` or `bfloat16`, or is one of `LIBRARIES`.

    Any other library promises nothing for these dtypes.
    """
    return is_of_library(cls) or any(map(_names_16_bits, _loaded_with(cls)))


def _loaded_with(cls: type) -> list[Any]:
    """List the imported modules of a class's top-level package."""
    root = cls.__module__.partition(".")[0]
    return [module for name, module in [*sys.modules.items()] if name.partition(".")[0] == root]


@or_else(False, OSError, TypeError)  # it has no source
def _names_16_bits(module: Any) -> bool:
    return "float16" in inspect.getsource(module)


@or_else(False, OSError, TypeError)  # it has no source
def _names_64_bits(module: Any) -> bool:
    source = inspect.getsource(module)
    if FOR_64_BITS not in source:
        return False
    nodes = [*ast.walk(ast.parse(source))]
    # What is no code, as a docstring.
    texts = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in texts)
    return any(isinstance(node.value, str) and FOR_64_BITS in node.value for node in strings)


def twins(instance: Any) -> Iterator[Any]:
    """Yield instances of other classes with the same fields."""
    cls = type(instance)
    children, aux = one_level(instance) or ((), ())
    yield dataclass_twin(children, parts_of_aux(aux))
    with contextlib.suppress(Exception, pytest.skip.Exception):  # a module that cannot be run twice
        yield clone_as(twin_class(cls), instance)


def dataclass_twin(children: Sequence[Any], aux: tuple[Any, ...]) -> Any:
    """Return an instance of a dataclass registered with jax, whose treedef does not name its class."""
    data = [f"child{i}" for i in range(len(children))]
    meta = [f"static{i}" for i in range(len(aux))]
    twin = dataclasses.make_dataclass("Twin", data + meta, eq=False)
    jax.tree_util.register_dataclass(twin, data, meta)
    return twin(*children, *aux)


def second_class(cls: type, source: str) -> type:
    """Run the module of a class a second time, and return the class that it defines.

    Raise `LookupError` for a script, for a module that is itself a second run, and for a class defined
    elsewhere.
    """
    if cls.__module__ == "__main__" or cls.__module__.endswith(TWIN):
        raise LookupError(f"{cls.__module__} is not run a second time")
    name = f"{cls.__module__}{TWIN}"
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__package__ = sys.modules[cls.__module__].__package__
    # It stays there: who reads the annotations of the class later looks for it.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    result: Any = functools.reduce(getattr, cls.__qualname__.split("."), module)
    if result is cls:  # the module hands it on from another one
        raise LookupError(f"{cls.__qualname__} is not defined in {source}")
    return result


def twin_class(cls: type) -> type:
    """Return the class from a second run of its module, or skip the test if there is none."""
    source = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if not source or "<locals>" in cls.__qualname__:
        pytest.skip("the class is not at the top of a module")
    try:
        return second_class(cls, source)
    except ANY_ERROR:
        pytest.skip("the module cannot be run twice")


def own_properties(cls: type) -> list[str]:
    """List the properties that a class and its bases outside libraries define."""
    kinds = (property, functools.cached_property)
    owners = [owner for owner in cls.__mro__ if not is_of_library(owner)]
    return [n for owner in owners for n, v in vars(owner).items() if isinstance(v, kinds)]


def own_functions(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield constructors, class methods and `__call__` of a class and its bases outside libraries."""
    for owner in cls.__mro__:
        if is_of_library(owner):
            continue
        for name, value in vars(owner).items():
            builds = isinstance(value, classmethod) or name in ("__init__", "__new__")
            function = getattr(value, "__func__", value)
            if (builds or name == "__call__") and callable(function):
                yield f"{owner.__name__}.{name}", inspect.unwrap(function)


@or_else((), TypeError, ValueError)
def defaults_of(function: Any) -> Sequence[tuple[str, Any]]:
    parameters = inspect.signature(function).parameters.values()
    return [(parameter.name, parameter.default) for parameter in parameters]


@or_else(False, TypeError, ValueError)
def needs_nothing(method: Any) -> bool:
    """Whether a method of a class can be called on the instance alone."""
    _, *rest = inspect.signature(method).parameters.values()
    star = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return all(parameter.default is not parameter.empty or parameter.kind in star for parameter in rest)


def has_helper(cls: type, name: str) -> bool:
    """Whether a class has a method of this name that needs no arguments, such as `trainable`.

    An author's method of the same name is another. A `__getattr__` of the instance does not count.
    """
    method = getattr(cls, name, None)
    return callable(method) and needs_nothing(method)
