"""Claims in the author's own words: conditions, the call in NumPy, dtypes and tolerances."""

import ast
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from scaffold.emit.docs import METHOD
from scaffold.emit.members.members import without_gradients
from scaffold.emit.nesting import located
from scaffold.kind import kind_of
from scaffold.passes.compute import computes_in
from scaffold.passes.stacked.layers import stacked
from scaffold.passes.states import read_states
from scaffold.source.expressions import dedented, free_names
from scaffold.source.rewriting import read_as, rename
from scaffold.source.text import block
from scaffold.spec.construction.cases import claimed_arguments, given_names
from scaffold.spec.construction.constructor import makes_in_one_dtype, parameters, reads, uses_dtype
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.types import ClassType, walk
from scaffold.spec.model import Argument, ModuleSpec
from scaffold.spec.rules.claims import CLOSE, reference_body, slug
from scaffold.spec.states import is_stateful
from scaffold.suite.examples.subject import Subject

SIGNATURE = "self, instance: Any, *arguments: Any"


def local(argument: Argument) -> str:
    """Return the name of an argument in a method of the suite, which has an `instance` itself."""
    return local_name(argument.name)


def local_name(name: str) -> str:
    """Return `instance_` for the name `instance`, and any other name unchanged."""
    return "instance_" if name == "instance" else name


def targets(names: list[str]) -> str:
    """Return the assignment target to which the arguments of the call are unpacked."""
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)


def claims(subject: Subject) -> list[str]:
    """Return the methods of the suite for the conditions, the call in NumPy, and the author's loop."""
    return [
        block(method, METHOD) for method in (*_conditions(subject), *_reference(subject), *_loop(subject))
    ]


def precisions(subject: Subject) -> list[str]:
    """Return the attributes of the suite for dtypes, tolerance, invariants and allowed behaviour."""
    test = subject.spec.test
    narrowest = _full(test.narrowest) if test.narrowest else _narrowest_of_parts(subject)
    known = ", ".join(map(repr, test.invariants))
    attributes = [f"dtypes = {tuple(map(_full, test.dtypes))!r}"] if test.dtypes else []
    if isinstance(test.tolerance, tuple) and test.tolerance:
        rows = ", ".join(f'"{_full(name)}": {value!r}' for name, value in test.tolerance)
        attributes.append(f"tolerance: ClassVar = {{{rows}}}")
    elif isinstance(test.tolerance, float):
        attributes.append(f"tolerance = {test.tolerance!r}")
    attributes += [f"narrowest = {narrowest!r}"] if narrowest else []
    attributes += [f"{name} = True" for name in test.allows]
    return [*([f"invariants = ({known},)"] if known else []), *attributes]


def promises_one_dtype(subject: Subject) -> bool:
    """Whether the constructor takes no dtype, and makes floats, or a part that makes floats."""
    spec, known = subject.spec, subject.known
    if makes_in_one_dtype(spec) or any(parameter.name == "dtype" for parameter in parameters(spec)):
        return makes_in_one_dtype(spec)
    given = {field.name for field in spec.dynamic if field.given}
    made = tuple(f for f in spec.dynamic if not f.given and given.isdisjoint(reads(f.expression or "")))
    parts = _parts(replace(spec, fields=made), known, frozenset({spec.name}))
    return any(uses_dtype(part) or makes_in_one_dtype(part) for part in parts)


def _narrowest_of_parts(subject: Subject) -> str:
    """Return the narrowest dtype that a held class computes in, unless the class itself sets a dtype."""
    parts = () if computes_in(subject.spec) else _parts(subject.spec, subject.known, frozenset())
    # By name is by width, too.
    return min((dtype for part in parts if (dtype := computes_in(part))), default="")


def _parts(spec: ModuleSpec, known: Mapping[str, ModuleSpec], above: frozenset[str]) -> Iterator[ModuleSpec]:
    """Yield the generated classes in the fields of a class, at any depth."""
    kinds = (part for field in spec.stored for part in walk(field.type) if isinstance(part, ClassType))
    for kind in kinds:
        if kind.module is None and kind.name in known and kind.name not in above:
            yield known[kind.name]
            yield from _parts(known[kind.name], known, above | {kind.name})


def _full(name: str) -> str:
    """Return jax's name of a dtype: `bfloat16` for `bf16`."""
    return DTYPES[name][1]


def _conditions(subject: Subject) -> Iterator[str]:
    for condition in subject.spec.test.holds:
        shown = _in_suite(subject, condition.that, {CLOSE: f"self.{CLOSE}"})
        of, unpacked = _given_to(subject, condition.that)
        arguments = ", ".join([*of, *["at_start=True"] * condition.at_start])
        decorator = f"@holds({arguments})" if arguments else "@holds"
        head = f"{decorator}\ndef test_{slug(condition.name)}({SIGNATURE}) -> Any:"
        yield _method(head, "\n".join([*unpacked, f"return {shown}"]))


def _given_to(subject: Subject, that: str) -> tuple[list[str], list[str]]:
    """Return the arguments of `@holds`, and the statements that unpack the arguments of a condition.

    A condition takes the arguments of the call, of one method that has them all, or of several.
    """
    spec, claimed = subject.spec, claimed_arguments(subject.spec)
    read = {name for name in free_names(that, expression=True) if name in claimed}
    if read <= {argument.name for argument in subject.passed}:
        return [], _unpacked(subject, that)
    given_by_function = {method.name: given_names(spec, method.call) for method in spec.methods} | {
        "call": given_names(spec, spec.call)
    }
    several = tuple(
        function
        for function in dict.fromkeys(claimed.values())
        if read & {n for n in claimed if claimed[n] == function}
    )
    of = next(((function,) for function, names in given_by_function.items() if read <= {*names}), several)
    first = {name: next(function for function in of if name in given_by_function[function]) for name in read}
    names = [
        local_name(name) if first.get(name) == function else "_"
        for function in of
        for name in given_by_function[function]
    ]
    shown = repr(of[0]) if len(of) == 1 else repr(of)
    return [f"of={shown}"], [f"{targets(names)} = arguments"]


def _reference(subject: Subject) -> Iterator[str]:
    source = subject.spec.test.reference
    if source:
        body = [*_unpacked(subject, source), _in_suite(subject, reference_body(source), {})]
        yield _method(f"def reference({SIGNATURE}) -> Any:", "\n".join(body))


def _loop(subject: Subject) -> Iterator[str]:
    """Yield the author's loop, if the class has a scan in its place.

    A stateful class has no loop here, since each layer has a part of the state.
    """
    source = subject.spec.call.looped if subject.spec.call is not None else ""
    if source and not is_stateful(subject.spec):
        source = read_as(
            source, {field.name: f"unstacked(self.{field.name})" for field in stacked(subject.spec)}
        )
        # Its gradients are compared with those of the class, which cuts off what a buffer would have.
        source = without_gradients(subject.spec, source)
        body = [*_unpacked(subject, source), *_defaults_read(subject, source), _in_suite(subject, source, {})]
        yield _method(f"def loop({SIGNATURE}) -> Any:", "\n".join(body))


def _method(head: str, body: str) -> str:
    return f"{head}\n{block(body, METHOD)}"


def _unpacked(subject: Subject, source: str) -> list[str]:
    """Return the statement that names the arguments of the call, if `source` reads any."""
    read = {node.id for node in ast.walk(ast.parse(dedented(source))) if isinstance(node, ast.Name)}
    names = [local(argument) for argument in subject.passed]
    return (
        [f"{targets(names)} = arguments"] if any(argument.name in read for argument in subject.passed) else []
    )


def _defaults_read(subject: Subject, source: str) -> Iterator[str]:
    """Yield an assignment for each argument that the example leaves at its default and `source` reads."""
    read = {node.id for node in ast.walk(ast.parse(dedented(source))) if isinstance(node, ast.Name)}
    passed = {argument.name for argument in subject.passed}
    for argument in subject.arguments:
        if argument.name in read - passed and argument.default is not None:
            yield f"{local(argument)} = {argument.default}"


def _in_suite(subject: Subject, source: str, names: dict[str, str]) -> str:
    """Return `source` over an `instance`, with each field read as the class holds it."""
    spec = subject.spec
    # Nothing is differentiated here, so a buffer is read as data is.
    fields = (replace(field, role="data") if field.role == "buffer" else field for field in spec.fields)
    shown = kind_of(spec.kind).read(replace(spec, fields=tuple(fields)), source)
    shown = located(spec, read_states(spec, source)) if shown is None else shown
    arguments = {name: local_name(name) for name in claimed_arguments(spec) if local_name(name) != name}
    return rename(shown, {"self": "instance", **arguments, **names})
