"""The further configurations of `[[test.cases]]`: each is the spec with other sizes and values in its tests."""

from collections.abc import Iterator
from dataclasses import replace

from scaffold.spec.model import Argument, Call, Case, ModuleSpec, TestPlan
from scaffold.spec.sizes import all_fit, sizes
from scaffold.spec.types import ArrayType, ClassType, TreeType, walk


def case_specs(spec: ModuleSpec) -> Iterator[tuple[Case, ModuleSpec]]:
    """Each case, with the spec whose example it is."""
    for case in spec.test.cases:
        yield case, replace(spec, test=_changed(spec, case))


def _changed(spec: ModuleSpec, case: Case) -> TestPlan:
    """The tests of a case: as in the example, but for what it says; sizes stay where they can."""
    test = spec.test
    plain = replace(
        test,
        sizes=tuple({**dict(test.sizes), **dict(case.sizes)}.items()),
        shapes=tuple({**dict(test.shapes), **dict(case.shapes)}.items()),
        values=tuple({**dict(test.values), **dict(case.values)}.items()),
        cases=(),
    )
    said = {*dict(case.values), *dict(test.values)}
    held = {name: size for name, size in sizes(spec).items() if name not in said}
    kept = replace(plain, sizes=tuple({**held, **dict(plain.sizes)}.items()))
    changed = replace(spec, test=kept)
    return kept if all_fit(changed, sizes(changed)) else plain


def is_passed(spec: ModuleSpec, argument: Argument) -> bool:
    """Whether the example call passes an argument as arrays; others keep their default, or are constants."""
    if argument.type is None:
        return False
    parts = tuple(walk(argument.type))
    has_array = any(isinstance(part, ArrayType | TreeType | ClassType) for part in parts)
    is_key = any(isinstance(part, ArrayType) and part.dtype == "key" for part in parts)
    value = dict(spec.test.values).get(argument.name)
    wanted = value != "None" if value is not None else argument.default is None or is_key
    return has_array and wanted


def claimed_arguments(spec: ModuleSpec) -> dict[str, tuple[Call, Argument]]:
    """What a condition may read besides fields: the arrays that the call is given, and then those of methods, by name."""
    found: dict[str, tuple[Call, Argument]] = {}
    methods = (one.call for one in spec.methods if not one.name.startswith("_"))
    for call in (*([spec.call] if spec.call else []), *methods):
        for argument in call.args:
            if not argument.is_marker and is_passed(spec, argument):
                found.setdefault(argument.name, (call, argument))
    return found


def passed_names(spec: ModuleSpec) -> tuple[str, ...]:
    """The names of the arguments that the example call passes as arrays."""
    return tuple(one.name for one in (spec.call.args if spec.call else ()) if is_passed(spec, one))
