"""The methods that a suite cannot try, and why: they are carried, and no example is known."""

import ast
from collections.abc import Iterable

from msgspec.structs import replace

from scaffold.spec.definitions import function_of, is_generator, returns_value
from scaffold.spec.model import Method, ModuleSpec


def without_untried(spec: ModuleSpec) -> ModuleSpec:
    """The spec as its tests know it: without a call that they cannot try."""
    return replace(spec, call=None) if "__call__" in untried(spec) else spec


def untried(spec: ModuleSpec) -> dict[str, str]:
    """The public methods, and the call, that are not tried, each with the reason."""
    public = (one for _, one in spec.functions if one.name == "__call__" or not one.name.startswith("_"))
    reasons = {one.name: why_untried(spec, one) for one in public}
    return {name: reason for name, reason in reasons.items() if reason}


def why_untried(spec: ModuleSpec, method: Method) -> str:
    """Why the tests cannot call a method; empty of one that they can."""
    function = function_of(method.call.source)
    if function is None:
        return ""
    values = dict(with_values_of(spec, method).test.values)
    arguments = (one for one in method.call.args if not one.is_marker and one.default is None)
    missing = [one.name for one in arguments if one.type is None and one.name not in values]
    if missing:
        return f"no example for {', '.join(missing)}"
    if isinstance(function, ast.AsyncFunctionDef) or is_generator(function):
        return "a coroutine" if isinstance(function, ast.AsyncFunctionDef) else "a generator"
    return "" if returns_value(function) else "returns nothing"


def with_values_of(spec: ModuleSpec, method: Method) -> ModuleSpec:
    """The spec whose example values are those of one method: `norm.x` goes before `x`."""
    prefix = f"{method.name}."
    own = {name.removeprefix(prefix): value for name, value in spec.test.values if name.startswith(prefix)}
    values = {**dict(spec.test.values), **own}
    return replace(spec, test=replace(spec.test, values=tuple(values.items())))


def untried_notes(specs: Iterable[ModuleSpec]) -> tuple[str, ...]:
    """What a user is told of the methods that no test tries: one line a class."""
    return tuple(note for spec in specs if (note := _note(spec)))


def _note(spec: ModuleSpec) -> str:
    names: dict[str, list[str]] = {}
    for name, reason in untried(spec).items():
        names.setdefault(reason, []).append(name)
    told = "; ".join(f"{', '.join(listed)} ({reason})" for reason, listed in names.items())
    return f"{spec.name}: not tried: {told}" if told else ""
