"""Calls of a method as the docstrings of its package show them.

A docstring may call the method on this class, or on another class that inherits the same method.
"""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..building.as_shown import called_by, examples_for, family_of
from ..classes.examples import Example
from ..classes.methods import parameters_of_method
from ..values.annotations import EMPTY
from ..values.domains import apart
from ..values.sources import Source

MOST = 6
"""Maximum number of shown calls of a method to try."""
FILLED = re.compile(r"jnp\.(?:ones|zeros)\((?:(\d+)|(\([\d, ]*\)))\)")
"""Matches arrays of ones or zeros, with which a call says little."""
Shown = tuple[Sequence[inspect.Parameter], Mapping[str, Source]]


def calls_shown(cls: type, method: str) -> Iterator[Shown]:
    """Yield the parameters and arguments of shown calls, first with samples in place of ones and zeros."""
    ranked = [(rank, call) for example in examples_for(cls) for rank, call in uses(cls, method, example)]
    ordered = [call for _, call in sorted(ranked, key=lambda pair: pair[0])]
    calls = list({(call.by_position, *call.by_name.items()): call for call in ordered}.values())
    for call in calls[:MOST]:
        shown = bound(cls, method, call)
        if shown is not None:
            parameters, arguments = shown
            every = apart({name: drawn(source) for name, source in arguments.items()})
            yield from (
                (parameters, form) for form in ([every, arguments] if every != arguments else [every])
            )


def uses(cls: type, method: str, example: Example) -> Iterator[tuple[int, Example]]:
    """Yield the calls of the method in an example, with 0 for this class and more for any other.

    The method may also be called as a function, with the instance as its first argument.
    """
    is_own_text = example.owner in (method or "__call__", cls.__name__)
    if not method and example.receiver == example.function:
        other = class_made(example, example.function)
        if other is not None and shares(cls, other, "__call__"):
            yield (other is not cls), example
    elif method and example.method == method:
        other = class_made(example, example.receiver)
        if other is not None and shares(cls, other, method):
            yield (other is not cls), example
        elif is_own_text and example.by_position + tuple(example.by_name.values()) and other is None:
            yield 2, example
    if method and example.function.rpartition(".")[2] == method and example.by_position:
        first, *rest = example.by_position
        other = class_made(replace(example, imports=first.imports), first.text)
        if other is not None and shares(cls, other, method):
            yield (other is not cls), replace(example, by_position=tuple(rest))


def class_made(example: Example, text: str) -> type | None:
    """Return the class that an expression instantiates, by name or by a class method, or None."""
    try:
        made = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(made, ast.Call):
        return None
    called = called_by(Source(ast.unparse(made.func), example.imports))
    owner = called if isinstance(called, type) else getattr(called, "__self__", None)
    return owner if isinstance(owner, type) else None


def shares(cls: type, other: type, method: str) -> bool:
    """Whether `other` is the class, or inherits the method from a common base of the same package."""
    if other is cls:
        return True
    owners = [next((base for base in each.__mro__ if method in vars(base)), None) for each in (cls, other)]
    return owners[0] is not None and owners[0] is owners[1] and owners[0] in family_of(cls)


def bound(cls: type, method: str, call: Example) -> Shown | None:
    """Match a shown call with the parameters of the method. Return None if they do not fit."""
    parameters = parameters_of_method(cls, method or "__call__")
    if parameters is None:
        return None
    by_position = [part for part in parameters if part.kind in BY_POSITION]
    several = [part.name for part in parameters if part.kind is inspect.Parameter.VAR_POSITIONAL]
    names = [part.name for part in by_position[: len(call.by_position)]]
    if len(names) < len(call.by_position):
        if not several:
            return None
        names += [
            f"{several[0].removesuffix('s')}_{place}" for place in range(len(call.by_position) - len(names))
        ]
    given = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    given += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in call.by_name]
    annotations = {part.name: part.annotation for part in parameters}
    given = [part.replace(annotation=annotations.get(part.name, EMPTY)) for part in given]
    return given, {**dict(zip(names, call.by_position, strict=True)), **call.by_name}


BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def drawn(source: Source) -> Source:
    """Replace arrays of ones and zeros by samples."""
    return source.but(FILLED.sub(lambda found: f"sample(seed, {found[2] or f'({found[1]},)'})", source.text))
