"""Further configurations from `[[test.cases]]`: the spec with other sizes and values in its tests."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from scaffold.spec.construction.sizes import all_fit, sizes
from scaffold.spec.grammar.types import LiteralType, ScalarType, Type, arrays, is_traced, walk
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import Argument, Call, ModuleSpec
from scaffold.spec.test_plan import Case, TestPlan

_CHANGED = ("sizes", "shapes", "values")
"""The attributes of the test plan that a case overrides."""
MADE_BY_INSTANCE = "instance."
"""The prefix of example values that the instance makes, and that no argument passes in."""


def case_specs(spec: ModuleSpec) -> Iterator[tuple[Case, ModuleSpec]]:
    """Yield each case, with the spec whose example it is."""
    for case in spec.test.cases:
        yield case, replace(spec, test=_changed(spec, case))


def _changed(spec: ModuleSpec, case: Case) -> TestPlan:
    """Return the test plan of a case. Sizes of the example stay, as long as all arrays fit."""
    test = spec.test
    pairs = {key: {**dict(getattr(test, key)), **dict(getattr(case, key))} for key in _CHANGED}
    plain = replace(test, cases=(), **{key: tuple(table.items()) for key, table in pairs.items()})
    said = pairs["values"].keys()
    example_sizes = {name: size for name, size in sizes(spec).items() if name not in said}
    kept = replace(plain, sizes=tuple({**example_sizes, **dict(plain.sizes)}.items()))
    changed = replace(spec, test=kept)
    return kept if all_fit(changed, sizes(changed)) else plain


def is_passed(spec: ModuleSpec, argument: Argument) -> bool:
    """Whether the example call passes an argument as arrays.

    Other arguments keep their default, or are constants. An optional array is passed, and the tests also
    leave it out.
    """
    value = dict(spec.test.values).get(argument.name)
    if value is not None and (
        value.startswith(MADE_BY_INSTANCE) or re.split(r"\W", value)[0] in spec.settings
    ):
        return False
    if argument.type is None:  # what is no literal is passed as arrays are
        return value is not None and value != "None" and literal_or_none(value) is None
    if value is not None or argument.default is None:
        return is_traced(argument.type) and value != "None"
    return argument.default == "None" and bool(arrays(argument.type))


def claimed_arguments(spec: ModuleSpec) -> dict[str, str]:
    """Return the arguments that a condition may read beside fields, each with its method.

    The example passes these arguments as arrays to the call or to a public method.
    """
    methods_by_argument: dict[str, str] = {}
    for key, function in sorted(spec.functions, key=lambda pair: pair[0] != "call"):
        if key == "call" or not function.name.startswith("_"):
            for name in given_names(spec, function.call):
                methods_by_argument.setdefault(name, "call" if key == "call" else function.name)
    return methods_by_argument


def given_names(spec: ModuleSpec, call: Call | None) -> tuple[str, ...]:
    """Return the names of the arguments that the example passes as arrays to a call or method."""
    return tuple(argument.name for argument in (call.args if call else ()) if is_passed(spec, argument))


def passed_names(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the names of the arguments that the example call passes as arrays."""
    return given_names(spec, spec.call)


def key_arguments(call: Call | None) -> tuple[Argument, ...]:
    """Return the arguments of a call that are or contain PRNG keys."""
    typed = ((argument, argument.type) for argument in (call.args if call else ()))
    return tuple(argument for argument, kind in typed if kind and any(a.dtype == "key" for a in arrays(kind)))


def flags(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the names of the flags and options that the call and the methods take."""
    taken = ((argument.name, argument.type) for call in spec.calls for argument in call.args)
    plain = (name for name, kind in taken if kind is not None and any(map(_is_flag, walk(kind))))
    return tuple(dict.fromkeys(plain))


def _is_flag(part: Type) -> bool:
    return isinstance(part, LiteralType) or (
        isinstance(part, ScalarType) and part.name in ("bool", "int", "str")
    )
