"""Recorder of the method that an example calls, and of its arguments."""

import contextlib
import dataclasses
import dis
import inspect
import sys
import typing
from collections.abc import Callable, Container, Generator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any

import jax
from jax.core import Tracer

from ..report import ANY_ERROR, result_or_error
from .trees import remade

_PLUMBING = "__getattribute__", "__getattr__", "__setattr__", "__hash__", "__eq__", "__repr__", "__str__"
EMPTY = inspect.Parameter.empty
_NAMELESS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


@dataclasses.dataclass(frozen=True)
class Invocation:
    """A function of a class as written, and the arguments that an example passes, by parameter."""

    name: str
    function: Callable[..., Any]
    given: Mapping[str, Any]
    """Arguments without `self` and `cls`. An argument that the example leaves out has its default."""
    within: Callable[..., Any] | None = None
    """Function of an instance and arguments that makes the call inside `jax.vmap`, if the example maps it."""

    def call(self, instance: Any, values: Mapping[str, Any]) -> Any:
        """Call the method on an instance with some arguments changed."""
        positional, named = self.bound(values)
        if self.within is not None:
            return self.within(instance, *positional, **named)
        return getattr(instance, self.name)(*positional, **named)

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        parameters = inspect.signature(self.function).parameters
        return {name: parameters[name] for name in self.given}

    def annotations(self) -> dict[str, Any]:
        """Return the annotation of each parameter, as text if it cannot be evaluated."""
        function = inspect.unwrap(self.function)
        with contextlib.suppress(Exception):  # a name that is known to type checkers alone
            return typing.get_type_hints(function)
        return dict(getattr(function, "__annotations__", {}))

    def bound(self, changes: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return positional and keyword arguments, some of them changed, in new containers."""
        positional, named = list[Any](), dict[str, Any]()
        for name, parameter in self.parameters.items():
            value = changes[name] if name in changes else remade(self.given[name])
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                named.update(value)
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                named[name] = value
            else:
                positional.append(value)
        return tuple(positional), named

    def varied(self) -> dict[str, inspect.Parameter]:
        """Return the parameters that can be passed by name."""
        pairs = self.parameters.items()
        return {name: parameter for name, parameter in pairs if parameter.kind not in _NAMELESS}


def functions_of(cls: type) -> dict[CodeType, tuple[str, Any]]:
    """Map the code of each function of a class and its bases to its name and attribute."""
    result: dict[CodeType, tuple[str, Any]] = {}
    for owner in cls.__mro__[:-1]:
        for name, attribute in vars(owner).items():
            function = getattr(attribute, "__func__", attribute)
            with contextlib.suppress(*ANY_ERROR):  # raised by what answers every attribute
                function = inspect.unwrap(function)
            code = getattr(function, "__code__", None)
            if code is not None and name not in _PLUMBING:
                result.setdefault(code, (name, attribute))
    return result


def record_constructors(cls: type, use: Callable[[], Any]) -> list[Invocation]:
    """Record the constructors and factories of a class that `use` calls, in order of the calls."""
    makers = {
        code: (name, attribute)
        for code, (name, attribute) in functions_of(cls).items()
        if name in ("__init__", "__new__") or isinstance(attribute, classmethod)
    }
    invocations: list[Invocation] = []

    def note(frame: FrameType) -> None:
        name, attribute = makers[frame.f_code]
        first, arguments = _given(frame)
        if (type(first) if name == "__init__" else first) is cls:
            made = name in ("__init__", "__new__")
            function: Any = getattr(attribute, "__func__", attribute)
            invocations.append(Invocation(cls.__name__ if made else name, function, arguments))

    with recording_calls(makers, note), contextlib.suppress(*ANY_ERROR):
        use()
    # `__new__` of Equinox takes whatever it is given.
    return [call for call in invocations if not _has_tracers(call) and (call.varied() or not call.given)]


class _Reached(BaseException):
    """Raised to end a call once its arguments are recorded."""


def record_call(instance: Any, use: Callable[[], Any], method: str = "") -> Invocation | None:
    """Record the first method of an instance that `use` calls, and end the call before it runs.

    A `method` restricts the record to this name, and includes calls on the class. If jit passes tracers, the
    call is recorded again with jit disabled.
    """
    for eagerly in (contextlib.nullcontext(), jax.disable_jit()):
        with eagerly:
            result = _called(instance, use, method)
        if result is not None and not _has_tracers(result):
            return result
    return None


ARGUMENTS = "_arguments"


class _WithOptions:
    """A stand-in for an instance that adds options to every call."""

    def __init__(self, instance: Any, options: Mapping[str, Any]):
        self._instance, self._options = instance, options

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instance, name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._instance(*arguments, **{**named, **self._options})


def record_mapped_call(
    instance: Any, call: Callable[..., Any], arguments: Sequence[Any]
) -> Invocation | None:
    """Record a call that an example maps over a batch, with the options that it leaves at their defaults.

    Return None if there are no such options, or if a stand-in for the instance cannot be called.
    """
    made = _called(instance, lambda: call(instance, *arguments), "__call__")
    if made is None:
        return None
    options = {
        name: part
        for name, part in made.varied().items()
        if part.default is not EMPTY and part.default is made.given[name]
    }
    if not options:
        return None

    def within(instance: Any, arguments: Sequence[Any], **options: Any) -> Any:
        return call(_WithOptions(instance, options), *arguments)

    defaults = {name: part.default for name, part in options.items()}
    # A class may look at what it is given, or give an option by position.
    if isinstance(result_or_error(lambda: within(instance, arguments, **defaults)), Exception):
        return None
    first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", ARGUMENTS)]
    by_name = [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in options.values()]

    def function(*_: Any) -> None:
        """Carry the signature of the varied arguments and the annotations of the call."""

    vars(function).update(__signature__=inspect.Signature([*first, *by_name]), __wrapped__=made.function)
    return Invocation(made.name, function, {ARGUMENTS: tuple(arguments), **defaults}, within)


def _called(instance: Any, use: Callable[[], Any], method: str) -> Invocation | None:
    cls, result = type(instance), list[Invocation]()
    methods = {code: held for code, held in functions_of(cls).items() if method in ("", held[0])}

    def note(frame: FrameType) -> None:
        name, attribute = methods[frame.f_code]
        first, arguments = _given(frame)
        function = getattr(attribute, "__func__", attribute)
        is_its = type(first) is cls or (bool(method) and first is cls)
        if is_its and callable(function) and name != "__init__":
            result.append(Invocation(name, function, arguments))
            raise _Reached

    with recording_calls(methods, note), contextlib.suppress(*ANY_ERROR, _Reached):
        use()
    return result[0] if result else None


def _given(frame: FrameType) -> tuple[Any, dict[str, Any]]:
    """Return the first argument of a call, and the others by name."""
    code = frame.f_code
    stars = sum(bool(code.co_flags & flag) for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS))
    count = code.co_argcount + code.co_kwonlyargcount + stars
    values = {name: frame.f_locals.get(name) for name in code.co_varnames[:count]}
    if not code.co_argcount:
        return None, values
    return values.pop(code.co_varnames[0]), values


def _has_tracers(invocation: Invocation) -> bool:
    return any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(dict(invocation.given)))


@contextlib.contextmanager
def recording_calls(codes: Container[CodeType | None], note: Callable[[FrameType], None]) -> Generator[None]:
    """Pass the frame of each call of one of these functions to `note`."""

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in codes and not _goes_on(frame):
            note(frame)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        is_function = before is None or callable(before)
        sys.setprofile(before if is_function else None)
        if not is_function:  # a profiler in C, as cProfile, is enabled
            getattr(before, "enable", bool)()


def _goes_on(frame: FrameType) -> bool:
    """Whether the frame resumes or closes a generator, where an exception would reach no caller."""
    code, at = frame.f_code, frame.f_lasti
    begins = bytes((dis.opmap["RESUME"], 0))
    return bool(code.co_flags & inspect.CO_GENERATOR) and code.co_code[at : at + 2] != begins
