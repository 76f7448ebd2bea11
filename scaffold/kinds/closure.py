"""Kind `closure`: a function with captured arrays, safe to pass to jax's loops and branches."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from scaffold.emit.docs import METHOD
from scaffold.emit.members.members import methods
from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.kinds.module import module_context
from scaffold.source.text import docstring
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.grammar.types import ClassType, TupleType
from scaffold.spec.model import Argument, ModuleSpec

EXAMPLE = Argument(
    "example",
    TupleType((ClassType("Any", "typing"),), variadic=True),
    doc="example arguments of the call, of which structure, shapes and dtypes are kept",
)


def _arguments(spec: ModuleSpec) -> tuple[Argument, ...]:
    """Return the constructor's arguments, with `example` after the last argument without a default."""
    named = {argument.name: argument for argument in spec.arguments}
    every = parameters(spec)
    positional = [parameter for parameter in every if not parameter.keyword_only]
    keyword = [
        named.get(parameter.name, Argument(parameter.name)) for parameter in every if parameter.keyword_only
    ]
    required = [
        named.get(parameter.name, Argument(parameter.name))
        for parameter in positional
        if parameter.default is None
    ]
    defaulted = [
        named.get(parameter.name, Argument(parameter.name))
        for parameter in positional
        if parameter.default is not None
    ]
    return (*required, EXAMPLE, *defaulted, *([Argument("*"), *keyword] if keyword else []))


def _values(spec: ModuleSpec) -> tuple[tuple[str, str], ...]:
    return tuple({"example": "self.arguments(seed)", **dict(spec.test.values)}.items())


class ClosureKind(Kind):
    """Kind `closure`."""

    summary = (
        "an equinox.Module that is a function with captured arrays: arguments checked, as_function() for lax"
    )
    imports: ClassVar[Mapping[str, str]] = {
        "PyTreeDef": "from jax.tree_util import PyTreeDef",
        "ClosureLaws": "from pytree_laws.closure import ClosureLaws",
    }
    members = ("structure", "as_function")
    reserved = ("example",)
    stores = False
    constructors = ("factory",)
    laws = ("closure",)

    def context(self, spec: ModuleSpec) -> dict[str, Any]:
        """Return the context of `templates/closure`."""
        names = [argument.name for argument in spec.call.args] if spec.call is not None else []
        arguments = ", ".join(names)
        usual = module_context(spec)
        return {
            **usual,
            "fields": [*usual["fields"], "structure: Structure = eqx.field(static=True)"],
            "values": [*usual["values"], ["structure", "_structure_of(example)"]],
            "methods": methods(replace(spec, call=None))[len(spec.constructors) :],
            "given": f"({arguments},)" if len(names) == 1 else f"({arguments})",
            "function_signature": usual["call_signature"].removeprefix("self").removeprefix(", "),
            "passed": arguments,
        }

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Find a missing call, and arguments that jax's loops could not pass by position."""
        if spec.call is None:
            fix = 'write `[call]` with `args = "x: f[size]"`, `returns` and `body`'
            yield Fault("call", "a closure is called", fix)
        for argument in spec.call_arguments:
            if argument.is_marker or argument.default is not None:
                message = (
                    "a closure takes its arguments by position, and all of them, as jax's loops pass them"
                )
                yield Fault("call.args", message, "remove `*` and the defaults")
                return

    def complete(self, spec: ModuleSpec) -> ModuleSpec:
        """Add the example arguments of the call to the constructor."""
        test = replace(spec.test, values=_values(spec), other=spec.test.other or (("example", "()"),))
        return replace(spec, arguments=_arguments(spec), test=test)

    def tests(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
        """Return the suite with the laws of closures."""
        doc = f"The pytree laws on `{spec.name}`, and the laws of closures."
        return {"suite": "ClosureLaws", "suite_doc": docstring(doc, METHOD)}


KIND = ClosureKind()
