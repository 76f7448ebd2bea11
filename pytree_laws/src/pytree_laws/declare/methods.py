"""What a class has beside its call: methods and properties, as a suite declares them or as they are found.

    methods = (
        Method("inverse", lambda seed: (sample(seed, (3,)),), returns=(Output((3,)),)),
        Method("update", lambda seed: (sample(seed, (3,)),), carry="self"),
        Method("scaled", lambda seed: (sample(seed),), call=lambda self, by: self.scaled(by=by)),
    )

Properties, and public methods that need no arguments, are found without being declared.
"""

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from ..inspect.classes import own_classes
from ..inspect.trees import attributes, remade, under_any
from ..report import or_else
from ..session import once_per_session
from ..values.randomize import randomize
from .leaf_spec import Output
from .unread import names_in_code

SELF = "self"
OF_VALUES = frozenset(
    f"__{name}__"
    for name in (
        *("bool", "complex", "float", "format", "index", "int", "repr", "str"),
        *("contains", "iter"),
    )
)
"""What Python gives a value of its own back from, which no tracer has."""
_KNOWN = frozenset(
    (
        *("as_function", "combine", "create", "replace", "snapshot"),
        *("tree_flatten", "tree_unflatten", "tree_flatten_with_keys"),
    )
)
"""Methods that laws of their own are about."""
_VIEWS = ("items", "keys", "values")
"""Methods of a mapping, which give views of it: jax takes these for leaves."""
_ACTIONS = re.compile(
    r"(show|plot|print|write|close|open|run|fit|main|test|delete|remove|save|load|restore|summary|asdict|as_dict|serialize|"
    r"to_(dict|json|yaml|toml|numpy|pandas|dataframe|string|str|bytes|file|disk|torch))(_|$)"
)


@dataclasses.dataclass(frozen=True)
class Method:
    """A method, a property, a class method or a static method that is held to what the call is.

    `arguments(seed)` are its example arguments, by position; `call` says how it is called
    where that is not enough. Of `returns` nothing is checked where it is empty. `carry` is
    `"self"` where the next instance is what it returns, or the first part of that; the position
    of an argument where its next value is. Without
    `traced` it needs values, and works outside of `jax.jit` alone. `updates` are the paths of the
    Variables that it updates in place; where it says what it returns, it updates no others.
    `stopped` are the positions of arguments, and the paths of leaves, that it keeps behind
    `stop_gradient`, at some value of a flag at least; `closed` are those that it reads there
    alone, so that no gradient reaches them. `used` are the
    paths of leaves and static values that its result follows, `keeps` of those that the next
    instance has of this one.
    """

    name: str
    arguments: Callable[[int], Sequence[Any]] = lambda seed: ()
    returns: Sequence[Output] = ()
    carry: int | str | None = None
    call: Callable[..., Any] | None = None
    traced: bool = True
    state_at: int | None = None
    """Where among its arguments it is given the state of the instance, which a suite of state knows."""
    updates: Sequence[str] = ()
    stopped: Sequence[int | str] = ()
    closed: Sequence[int | str] = ()
    used: Sequence[str] = ()
    keeps: Sequence[str] = ()
    found: bool = False
    """Whether nobody declared it."""

    def __post_init__(self) -> None:
        is_position = type(self.carry) is int and self.carry >= 0
        if self.carry not in (None, SELF) and not is_position:
            message = f"Method {self.name}: carry is {self.carry!r}"
            raise ValueError(f'{message}; write "self", the position of an argument, or leave it out')

    def may_stop(self, path: str) -> bool:
        """Whether it is said that no gradient need reach a leaf."""
        return under_any(path, [each for each in self.stopped if isinstance(each, str)])

    def closes(self, path: str) -> bool:
        """Whether it is said that no gradient reaches a leaf."""
        return under_any(path, [each for each in self.closed if isinstance(each, str)])

    @property
    def needs_values(self) -> bool:
        return not self.traced or self.name in OF_VALUES

    def use(self, instance: Any, *arguments: Any) -> Any:
        """What it gives for an instance: of a property its value."""
        if self.call is not None:
            return self.call(instance, *arguments)
        attribute = getattr(instance, self.name)
        return attribute if is_property(type(instance), self.name) else attribute(*arguments)


def is_property(cls: type, name: str) -> bool:
    """Whether an attribute of a class is computed when it is read."""
    return isinstance(inspect.getattr_static(cls, name, None), property | functools.cached_property)


def is_of_class(cls: type, name: str) -> bool:
    """Whether a method knows of no instance, as a further constructor."""
    return isinstance(inspect.getattr_static(cls, name, None), classmethod | staticmethod)


def is_action(cls: type, name: str) -> bool:
    """Whether a method does something to the world, by its name: nothing calls it that nobody asked to."""
    return _ACTIONS.match(name) is not None and not is_property(cls, name)


def methods_of(suite: Any) -> tuple[Method, ...]:
    """The methods that a suite declares, and those that are found besides."""
    return (*(with_state(suite, method) for method in suite.methods), *found_methods(suite))


def with_state(suite: Any, method: Method) -> Method:
    """A method whose example arguments have the state among them, and which uses up a copy of it."""
    if method.state_at is None:
        return method

    def arguments(seed: int) -> Sequence[Any]:
        call_arguments = [*method.arguments(seed)]
        # Of any values: what is put back to the start would show nowhere else.
        call_arguments.insert(method.state_at or 0, randomize(suite.state(seed), 2 * seed))
        return call_arguments

    def call(instance: Any, *arguments: Any) -> Any:
        return method.use(instance, *remade(arguments))

    carry = method.carry
    if isinstance(carry, int) and carry >= method.state_at:  # the state is counted from here on
        carry += 1
    return dataclasses.replace(method, arguments=arguments, call=call, carry=carry, state_at=None)


@once_per_session
def found_methods(suite: Any) -> tuple[Method, ...]:
    """The public properties of the example, and its methods that need no arguments."""
    instance = suite.cached_instance()
    declared = {method.name for method in suite.methods}
    names = names_without_arguments(instance)
    return tuple(Method(name, found=True) for name in names if name not in declared)


def names_without_arguments(instance: Any) -> list[str]:
    """The public properties of an instance, and its methods that need no arguments."""
    stored, names = attributes(instance), dict.fromkeys(_public_names(type(instance)))
    return [name for name in names if name not in stored and _can_be_used(instance, name)]


def has_members(cls: type) -> bool:
    """Whether a class defines a public property or method that may be found without being declared."""
    return any(is_property(cls, name) or callable(class_attribute(cls, name)) for name in _public_names(cls))


def has_method_beside(cls: type, called: str) -> bool:
    """Whether a class has `__call__`, or a public method of its own, besides the one that is called."""
    functions = (name for name in _public_names(cls) if inspect.isfunction(class_attribute(cls, name)))
    return "__call__" in _names_in(cls) or any(name != called for name in functions)


def is_read_beside(cls: type, called: str, attribute: str) -> bool:
    """Whether a public method of a class reads an attribute, besides the one that is called."""
    functions = (class_attribute(cls, name) for name in _public_names(cls) if name != called)
    codes = (getattr(inspect.unwrap(each), "__code__", None) for each in functions if callable(each))
    return any(code is not None and attribute in names_in_code(code) for code in codes)


def is_read_by_untried(cls: type, tried: Collection[str], attribute: str) -> bool:
    """Whether a method that is not among those which were tried reads an attribute, itself or in a helper that it calls."""
    functions = {name: class_attribute(cls, name) for name in _names_in(cls)}
    codes = {
        name: getattr(inspect.unwrap(each), "__code__", None)
        for name, each in functions.items()
        if callable(each)
    }
    names = {name: {*names_in_code(code)} for name, code in codes.items() if code is not None}
    untried = names.keys() - {*tried}
    reached = {name for name in untried - _KNOWN if name[0] != "_"}
    while more := {other for name in reached for other in names[name] & untried} - reached:
        reached |= more
    return any(attribute in names[name] for name in reached)


def _public_names(cls: type) -> Iterator[str]:
    for name in _names_in(cls):
        if not name.startswith("_") and name not in _KNOWN and not is_action(cls, name):
            yield name


def _names_in(cls: type) -> Iterator[str]:
    """What a class and its bases define, without those of libraries and of Python."""
    for owner in own_classes(cls):
        yield from vars(owner)


@or_else(None)
def class_attribute(cls: type, name: str) -> Any:
    """What a class has under a name; None where a descriptor of its own raises for a class."""
    return getattr(cls, name, None)


@or_else(False, TypeError, ValueError, AttributeError)
def _can_be_used(instance: Any, name: str) -> bool:
    """Whether a public name is one of a property, or of a method that needs no arguments."""
    cls = type(instance)
    if is_property(cls, name):
        return True
    if isinstance(instance, Mapping) and name in _VIEWS:
        return False
    attribute = inspect.getattr_static(cls, name)
    if isinstance(attribute, type) or not callable(class_attribute(cls, name)):
        return False
    if inspect.isgeneratorfunction(attribute) or inspect.iscoroutinefunction(attribute):
        return False
    signature = inspect.signature(getattr(instance, name))
    whole = list(inspect.signature(getattr(cls, name)).parameters)
    if not is_of_class(cls, name) and whole[:1] != [SELF]:
        return False
    if signature.return_annotation in (None, "None"):  # it acts, and gives nothing
        return False
    # What takes `*args` may hand them on to what needs some.
    return all(parameter.default is not parameter.empty for parameter in signature.parameters.values())
