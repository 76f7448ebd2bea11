"""Rules for the example values of `[test]`: sizes, and values of arguments."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from scaffold.errors import Fault, unknown
from scaffold.source.definitions import arguments_of, dims_written, function_of
from scaffold.source.expressions import Function, assigned_names, loop_names
from scaffold.spec.construction.cases import case_specs, passed_names
from scaffold.spec.construction.constructor import dims_of, parameters, variadic_dims
from scaffold.spec.construction.given_shapes import sizes_read
from scaffold.spec.construction.local_sizes import dims_of_calls
from scaffold.spec.construction.made_dims import dims_of_arguments
from scaffold.spec.construction.sizes import size_faults
from scaffold.spec.grammar.types import ArrayType, dims_in
from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.fields import value_faults
from scaffold.spec.unit import siblings


def example_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults in the example, and in each further configuration."""
    yield from _with_cases(spec, _example)
    for index, (_, changed) in enumerate(case_specs(spec)):
        if passed_names(changed) != passed_names(spec):
            message = "the call is given other arguments than in the example"
            fix = "leave them arrays, or None, as in the example"
            yield Fault(f"test.cases.{index}.values", message, fix)


def _with_cases(spec: ModuleSpec, faults_of: Callable[[ModuleSpec], Iterable[Fault]]) -> Iterator[Fault]:
    """Yield the faults of the example, then further faults of each case at the place of the case."""
    base = frozenset(faults_of(spec))
    yield from base
    for index, (_, changed) in enumerate(case_specs(spec)):
        for fault in (fault for fault in faults_of(changed) if fault not in base):
            yield replace(fault, where=fault.where.replace("test.", f"test.cases.{index}.", 1))


def _example(spec: ModuleSpec) -> Iterator[Fault]:
    yield from (*unknown_faults(spec), *_sizes(spec))
    kinds = {parameter.name: parameter.type for parameter in (*spec.call_arguments, *parameters(spec))}
    changes = {"values": spec.test.values, "other": spec.test.other}
    for key, name, source in ((key, *pair) for key, pairs in changes.items() for pair in pairs):
        if (kind := kinds.get(name)) is not None and source != "None":
            yield from value_faults(kind, source, f"test.{key}.{name}")
    if not all(spec.test.rejected):
        yield Fault("test.rejected", "a row changes nothing", "write `{ depth = 0 }`")


def arguments_known(spec: ModuleSpec) -> set[str]:
    """Return the arguments for which `[test]` may have values: by name, and as `METHOD.NAME`."""
    taken = ((function.name, each) for _, function in spec.functions for each in function.call.args)
    of_methods = [(each.name, f"{name}.{each.name}") for name, each in taken if not each.is_marker]
    return {parameter.name for parameter in parameters(spec)}.union(*of_methods)


def unknown_faults(
    spec: ModuleSpec, every: Sequence[ModuleSpec] = (), beside: Sequence[ModuleSpec] | None = None
) -> Iterator[Fault]:
    """Find names in `[test]` that neither the class nor a base has.

    `every` has the known specs of bases. `beside` has the known classes of the file that the class holds or
    takes, whose dims count as well.
    """
    whole, test = (spec, *every), spec.test
    is_later = (spec.bases and not every) or (siblings(spec) and beside is None)
    if is_later or any(base.module for owner in whole for base in owner.bases):
        return
    known = {name for owner in whole for name in arguments_known(owner)} | spec.unread
    known |= {name for owner in whole for name in _arguments_kept(owner)}
    dims = {name for owner in (*whole, *(beside or ())) for name in dims_of(owner)}
    strange = [name for name, _ in (*test.sizes, *test.shapes) if name not in dims | known]
    # Dims may also stand in annotations that are carried as they are.
    functions = [function_of(call.source) for call in spec.calls] if strange else []
    written = {dim for function in functions if function is not None for dim in dims_written(function)}
    for name in (name for name in strange if name not in written):
        yield unknown("test.sizes", name, sorted(dims or known), f"`{name}` is no dim")
    rejected = [pair for row in test.rejected for pair in row]
    rows = {"values": test.values, "other": test.other, "rejected": rejected}
    for key, name in ((key, name) for key, pairs in rows.items() for name, _ in pairs if name not in known):
        yield unknown(f"test.{key}.{name}", name, sorted(known), f"`{name}` is no argument")


def values_of_no_argument(spec: ModuleSpec) -> Iterator[Fault]:
    """Find example values that neither the author's `__init__` nor a method takes.

    If the `__init__` takes any keyword, nothing is known.
    """
    constructor = _kept_constructor(spec)
    if constructor is None or constructor.args.kwarg is not None:
        return
    known = sorted({*_arguments_kept(spec), *arguments_known(spec)})
    for name in (name for name, _ in spec.test.values if "." not in name and name not in known):
        yield unknown(f"test.values.{name}", name, known, f"`{name}` is no argument")


def _kept_constructor(spec: ModuleSpec) -> Function | None:
    """Return the `__init__` that is kept word for word, if any."""
    return function_of(next((each.call.source for each in spec.methods if each.name == "__init__"), ""))


def _arguments_kept(spec: ModuleSpec) -> list[str]:
    """Return the arguments of a kept `__init__`, even if the spec does not know their types."""
    constructor = _kept_constructor(spec)
    return [argument.arg for argument in arguments_of(constructor)] if constructor is not None else []


def unknown_beside(
    spec: ModuleSpec, every: Sequence[ModuleSpec], beside: Sequence[ModuleSpec]
) -> Iterator[Fault]:
    """Find unknown names in the example and the cases, once the classes beside this one are known."""
    return _with_cases(spec, lambda changed: unknown_faults(changed, every, beside))


def _sizes(spec: ModuleSpec) -> Iterator[Fault]:
    place, several, known = "test.sizes", variadic_dims(spec), arguments_known(spec)
    dims = set(dims_of(spec)) | known
    for name, size in spec.test.sizes:
        if name in several:
            yield Fault(place, f"`*{name}` stands for several dims", f"write `{name} = [{size}]`")
    for name, shape in spec.test.shapes:
        if name in dims - several:
            yield Fault(place, f"`{name}` is one dim", f"write `{name} = {shape[0] if shape else 3}`")
    shown = {*dims_in(p.type for p in parameters(spec) if isinstance(p.type, ArrayType))}
    # The dims of what is made may stay open; those of what calls are given need a size.
    needed = dims_of_calls(spec, results=False)
    bound = {*assigned_names(spec.setup)} - loop_names(spec.setup) - dict(sizes_read(spec.setup)).keys()
    bound &= needed - several - known - shown
    for name in sorted(bound - dict(spec.test.sizes).keys() - dims_of_arguments(spec).keys()):
        fix = f"write `[test]` and `sizes = {{ {name} = 3 }}`"
        yield Fault(place, f"`{name}` is computed in setup, so its size is not known", fix)


def example_size_faults(spec: ModuleSpec) -> list[Fault]:
    """Find dims without a size, and arrays that would be empty or too large.

    Cases are checked only if the example has no such fault.
    """
    cases = enumerate(changed for _, changed in case_specs(spec))
    of_cases = ((f"test.cases.{index}.sizes", case) for index, case in cases)
    return [*size_faults(spec, "test.sizes")] or [
        replace(fault, where=place) for place, case in of_cases for fault in size_faults(case, place)
    ]
