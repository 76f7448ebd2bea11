"""Methods and properties of a class besides its call, declared by a suite or found.

    methods = (
        Method("inverse", lambda seed: (sample(seed),), returns=(Output(()),)),
        Method("update", carry="self"),
        Method("scaled", lambda seed: (sample(seed),), call=lambda self, by: self.scaled(by=by)),
    )

Properties, and public methods that need no arguments, need no declaration.
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
"""Special methods that return a Python value, which a tracer cannot provide."""
_KNOWN = frozenset(
    (
        *("as_function", "combine", "create", "replace", "snapshot"),
        *("tree_flatten", "tree_unflatten", "tree_flatten_with_keys"),
    )
)
"""Methods that have laws of their own."""
_VIEWS = ("items", "keys", "values")
"""Methods of a mapping that return views, which jax takes for leaves."""
_ACTIONS = re.compile(
    r"(show|plot|print|write|close|open|run|fit|main|test|delete|remove|save|load|restore|summary|asdict|as_dict|serialize|"
    r"to_(dict|json|yaml|toml|numpy|pandas|dataframe|string|str|bytes|file|disk|torch))(_|$)"
)


@dataclasses.dataclass(frozen=True)
class Method:
    """A method, property, class method or static method that is tested as the call is.

    `arguments(seed)` returns the example arguments by position. `call` overrides how the method is called. If
    `returns` is empty, results are not checked. `carry="self"` means that the result, or its first part, is
    the next instance. A number is the position of the argument whose next value it is. Without `traced`, the
    method needs concrete values, and runs only outside `jax.jit`.

    `updates` are the paths of the Variables that the method updates in place. With `returns` or `updates`, it
    updates no others. `stopped` are the positions of arguments and paths of leaves behind `stop_gradient`, at
    least for some value of a flag. `closed` are arguments and leaves that the method reads only there, so
    that no gradient reaches them. `used` are the paths of leaves and static values on which the result
    depends. `keeps` are the paths of leaves and static values that the next instance takes over unchanged.
    """

    name: str
    arguments: Callable[[int], Sequence[Any]] = lambda seed: ()
    returns: Sequence[Output] = ()
    carry: int | str | None = None
    call: Callable[..., Any] | None = None
    traced: bool = True
    state_at: int | None = None
    """Position at which the state of the instance is inserted into the arguments."""
    updates: Sequence[str] = ()
    stopped: Sequence[int | str] = ()
    closed: Sequence[int | str] = ()
    used: Sequence[str] = ()
    keeps: Sequence[str] = ()
    found: bool = False
    """Whether the method was found without a declaration."""

    def __post_init__(self) -> None:
        is_position = type(self.carry) is int and self.carry >= 0
        if self.carry not in (None, SELF) and not is_position:
            message = f"Method {self.name}: carry is {self.carry!r}"
            raise ValueError(f'{message}; write "self", the position of an argument, or leave it out')

    def may_stop(self, path: str) -> bool:
        """Whether the declaration allows that no gradient reaches a leaf."""
        return under_any(path, [each for each in self.stopped if isinstance(each, str)])

    def closes(self, path: str) -> bool:
        """Whether the declaration demands that no gradient reaches a leaf."""
        return under_any(path, [each for each in self.closed if isinstance(each, str)])

    @property
    def needs_values(self) -> bool:
        return not self.traced or self.name in OF_VALUES

    def use(self, instance: Any, *arguments: Any) -> Any:
        """Call the method of an instance, or read the property."""
        if self.call is not None:
            return self.call(instance, *arguments)
        attribute = getattr(instance, self.name)
        return attribute if is_property(type(instance), self.name) else attribute(*arguments)


def is_property(cls: type, name: str) -> bool:
    """Whether an attribute of a class is computed on each read, or cached."""
    return isinstance(inspect.getattr_static(cls, name, None), property | functools.cached_property)


def is_of_class(cls: type, name: str) -> bool:
    """Whether a method takes no instance: a class method or a static method."""
    return isinstance(inspect.getattr_static(cls, name, None), classmethod | staticmethod)


def is_action(cls: type, name: str) -> bool:
    """Whether the name of a method suggests a side effect, so that laws call it only if declared."""
    return _ACTIONS.match(name) is not None and not is_property(cls, name)


def methods_of(suite: Any) -> tuple[Method, ...]:
    """Return the declared methods of a suite, and the methods found without a declaration."""
    return (*(with_state(suite, method) for method in suite.methods), *found_methods(suite))


def with_state(suite: Any, method: Method) -> Method:
    """Return a method whose example arguments include the state, of which each call uses up a copy."""
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
    """Return the undeclared properties of the example, and methods that need no arguments."""
    instance = suite.cached_instance()
    declared = {method.name for method in suite.methods}
    names = names_without_arguments(instance)
    return tuple(Method(name, found=True) for name in names if name not in declared)


def names_without_arguments(instance: Any) -> list[str]:
    """List the public properties of an instance, and its methods that need no arguments."""
    stored, names = attributes(instance), dict.fromkeys(_public_names(type(instance)))
    return [name for name in names if name not in stored and _can_be_used(instance, name)]


def has_members(cls: type) -> bool:
    """Whether a class defines a public property or method."""
    return any(is_property(cls, name) or callable(class_attribute(cls, name)) for name in _public_names(cls))


def has_method_beside(cls: type, called: str) -> bool:
    """Whether a class has `__call__`, or a public method other than `called`."""
    functions = (name for name in _public_names(cls) if inspect.isfunction(class_attribute(cls, name)))
    return "__call__" in _names_in(cls) or any(name != called for name in functions)


def is_read_beside(cls: type, called: str, attribute: str) -> bool:
    """Whether a public method other than `called` reads an attribute."""
    functions = (class_attribute(cls, name) for name in _public_names(cls) if name != called)
    codes = (getattr(inspect.unwrap(each), "__code__", None) for each in functions if callable(each))
    return any(code is not None and attribute in names_in_code(code) for code in codes)


def is_read_by_untried(cls: type, tried: Collection[str], attribute: str) -> bool:
    """Whether an untried public method, or a helper that it calls, reads an attribute."""
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
    """Yield the names that a class and its bases define, without library classes."""
    for owner in own_classes(cls):
        yield from vars(owner)


@or_else(None)
def class_attribute(cls: type, name: str) -> Any:
    """Return an attribute of a class, or None if it is missing or its descriptor raises."""
    return getattr(cls, name, None)


@or_else(False, TypeError, ValueError, AttributeError)
def _can_be_used(instance: Any, name: str) -> bool:
    """Whether a public name is a property, or a method that needs no arguments."""
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
