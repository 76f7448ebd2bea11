"""What the author says of a class in words of his own: conditions that hold, the call in NumPy, dtypes and tolerances."""

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from scaffold.emit.members import METHOD
from scaffold.emit.nesting import located
from scaffold.kind import kind_of
from scaffold.passes.stacked.layers import stacked
from scaffold.passes.states import read_states
from scaffold.spec.construction.cases import claimed_arguments, given_names
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.model import Argument, ModuleSpec
from scaffold.spec.rules.claims import CLOSE, reference_body, slug
from scaffold.spec.source.expressions import dedented, free_names
from scaffold.spec.source.rewriting import read_as, rename
from scaffold.spec.source.text import block
from scaffold.spec.states import is_stateful
from scaffold.suite.subject import Subject

SIGNATURE = "self, instance: Any, *arguments: Any"


def local(argument: Argument) -> str:
    """The name of an argument of the call in a method of the suite, which has an `instance`."""
    return local_name(argument.name)


def local_name(name: str) -> str:
    """The same of a name."""
    return "instance_" if name == "instance" else name


def targets(names: list[str]) -> str:
    """What the arguments of the call are unpacked into."""
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)


def claims(subject: Subject) -> list[str]:
    """The methods of the suite that say what holds, and what the call is in NumPy."""
    return [block(one, METHOD) for one in (*_conditions(subject), *_reference(subject), *_loop(subject))]


def precisions(spec: ModuleSpec) -> list[str]:
    """The attributes of the suite that say in which dtypes it works, and how exactly."""
    test = spec.test
    known = ", ".join(map(repr, test.invariants))
    found = [f"dtypes = {tuple(map(_full, test.dtypes))!r}"] if test.dtypes else []
    if isinstance(test.tolerance, tuple) and test.tolerance:
        rows = ", ".join(f'"{_full(name)}": {value!r}' for name, value in test.tolerance)
        found.append(f"tolerance: ClassVar = {{{rows}}}")
    elif isinstance(test.tolerance, float):
        found.append(f"tolerance = {test.tolerance!r}")
    found += [f"narrowest = {_full(test.narrowest)!r}"] if test.narrowest else []
    found += [f"{name} = True" for name in test.allows]
    return [*([f"invariants = ({known},)"] if known else []), *found]


def _full(name: str) -> str:
    """The name of a dtype as jax has it: `bfloat16` for `bf16`."""
    return DTYPES[name][1]


def _conditions(subject: Subject) -> Iterator[str]:
    for one in subject.spec.test.holds:
        shown = _in_suite(subject, one.that, {CLOSE: f"self.{CLOSE}"})
        of, unpacked = _given_to(subject, one.that)
        given = ", ".join([*of, *["at_start=True"] * one.at_start])
        decorator = f"@holds({given})" if given else "@holds"
        head = f"{decorator}\ndef test_{slug(one.name)}({SIGNATURE}) -> Any:"
        yield _method(head, "\n".join([*unpacked, f"return {shown}"]))


def _given_to(subject: Subject, that: str) -> tuple[list[str], list[str]]:
    """How `@holds` says what a condition is given: the arguments of the call, of a method that has all that it reads, or of several."""
    spec, claimed = subject.spec, claimed_arguments(subject.spec)
    read = {name for name in free_names(that, expression=True) if name in claimed}
    if read <= {one.name for one in subject.passed}:
        return [], _unpacked(subject, that)
    given = {one.name: given_names(spec, one.call) for one in spec.methods} | {
        "call": given_names(spec, spec.call)
    }
    several = tuple(
        one for one in dict.fromkeys(claimed.values()) if read & {n for n in claimed if claimed[n] == one}
    )
    of = next(((one,) for one, names in given.items() if read <= {*names}), several)
    first = {name: next(one for one in of if name in given[one]) for name in read}
    names = [local_name(name) if first.get(name) == one else "_" for one in of for name in given[one]]
    shown = repr(of[0]) if len(of) == 1 else repr(of)
    return [f"of={shown}"], [f"{targets(names)} = arguments"]


def _reference(subject: Subject) -> Iterator[str]:
    source = subject.spec.test.reference
    if source:
        body = [*_unpacked(subject, source), _in_suite(subject, reference_body(source), {})]
        yield _method(f"def reference({SIGNATURE}) -> Any:", "\n".join(body))


def _loop(subject: Subject) -> Iterator[str]:
    """The author's loop, where the class has a scan. Of a state each layer has a part, which no loop has."""
    source = subject.spec.call.looped if subject.spec.call is not None else ""
    if source and not is_stateful(subject.spec):
        source = read_as(source, {one.name: f"unstacked(self.{one.name})" for one in stacked(subject.spec)})
        body = [*_unpacked(subject, source), _in_suite(subject, source, {})]
        yield _method(f"def loop({SIGNATURE}) -> Any:", "\n".join(body))


def _method(head: str, body: str) -> str:
    return f"{head}\n{block(body, METHOD)}"


def _unpacked(subject: Subject, source: str) -> list[str]:
    """The statement that names the arguments of the call, where one is read."""
    read = {node.id for node in ast.walk(ast.parse(dedented(source))) if isinstance(node, ast.Name)}
    names = [local(one) for one in subject.passed]
    return [f"{targets(names)} = arguments"] if any(one.name in read for one in subject.passed) else []


def _in_suite(subject: Subject, source: str, names: dict[str, str]) -> str:
    """`source` over an `instance`, with each field read as the class holds it."""
    spec = subject.spec
    # Nothing is differentiated here, so a buffer is read as data is.
    fields = (replace(one, role="data") if one.role == "buffer" else one for one in spec.fields)
    shown = kind_of(spec.kind).read(replace(spec, fields=tuple(fields)), source)
    shown = located(spec, read_states(spec, source)) if shown is None else shown
    arguments = {name: local_name(name) for name in claimed_arguments(spec) if local_name(name) != name}
    return rename(shown, {"self": "instance", **arguments, **names})
