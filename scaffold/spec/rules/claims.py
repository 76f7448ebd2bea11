"""Rules for `[test]` besides example values: unused fields, conditions, invariants and references."""

import ast
import re
from collections.abc import Iterable, Iterator

from scaffold.errors import Fault, unknown
from scaffold.kind import kind_of
from scaffold.source.definitions import returns_value
from scaffold.source.expressions import free_names
from scaffold.spec.construction.cases import claimed_arguments, flags, key_arguments, passed_names
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.fields.shared import shared_fields
from scaffold.spec.grammar.dtypes import CHOSEN_DTYPES
from scaffold.spec.grammar.types import arrays, is_array
from scaffold.spec.model import ModuleSpec
from scaffold.spec.states import is_stateful
from scaffold.spec.tables.keys import TEST_DTYPES

CLOSE = "close"
"""The function with which conditions compare."""
OF_OUTPUTS = ("mean 0", "variance 1", "sums to 1", "length 1", "not negative", "symmetric", "orthogonal")
_TRANSFORMATIONS = ("shift", "scale", "permutation")
UNDER = tuple(f"{how} under {what}" for how in ("invariant", "equivariant") for what in _TRANSFORMATIONS)
INVARIANTS = (*OF_OUTPUTS, *UNDER, "linear", "mean over keys kept")
"""The names in `pytree_laws.invariants`. Most may have `along AXIS` behind them."""
ALONG = (*OF_OUTPUTS[:4], *(name for name in UNDER if name.endswith("permutation")))
_ALONG = r"(.+) along -?\d+"
_WORD = r"(?a)[A-Za-z][\w ,'-]*"
_OF_A_LAW = r"p\d\d_"


def claim_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Find faults in the claims of the tests."""
    yield from _unused(spec)
    if kind_of(spec.kind).has_instances:
        yield from _name_faults("cases", [case.name for case in spec.test.cases])
        yield from _name_faults("holds", [condition.name for condition in spec.test.holds])
        yield from (*_holds(spec), *_reference(spec), *_dtypes(spec), *_positive(spec), *_invariants(spec))


def _unlisted(key: str, names: Iterable[str], legal: tuple[str, ...], description: str) -> Iterator[Fault]:
    """Find names that are not legal."""
    for name in names:
        if name not in legal:
            yield unknown(f"test.{key}", name, legal, f"`{name}` is no {description}")


def _unused(spec: ModuleSpec) -> Iterator[Fault]:
    keys = [argument.name for argument in key_arguments(spec.call)]
    passed = [name for name in passed_names(spec) if name not in keys]
    fields = (field for field in (*spec.dynamic, *shared_fields(spec)) if is_array(field.type))
    settings = (field.name for field in spec.stored if field.role == "static" and field.given)
    legal = (*(field.name for field in fields), *keys, *passed, *flags(spec), *settings)
    modules = {field.name for field in spec.dynamic if field.role == "module"}
    paths = {name for name in spec.test.unused if "." in name and name.partition(".")[0] in modules}
    said = (name for name in spec.test.unused if name not in paths)
    description = "field that holds an array or a setting, and no array, key or flag that the call takes"
    yield from _unlisted("unused", said, legal, description)


def _positive(spec: ModuleSpec) -> Iterator[Fault]:
    called = (argument for call in spec.calls for argument in call.args)
    taken = ((each.name, each.type) for each in (*parameters(spec), *spec.call_arguments, *called))
    legal = tuple(dict.fromkeys(name for name, kind in taken if kind and arrays(kind)))
    description = "array that the constructor or a method is given"
    yield from _unlisted("positive", spec.test.positive, legal, description)


def slug(name: str) -> str:
    """Turn words into part of a Python name, such as `the_inverse_undoes_the_call`."""
    return re.sub(r"\W+", "_", name.replace("'", ""), flags=re.ASCII).strip("_").lower()


def _name_faults(key: str, names: list[str]) -> Iterator[Fault]:
    """Check that names are words, distinct as names of tests."""
    slugs = [slug(name) for name in names]
    for index, (name, short) in enumerate(zip(names, slugs, strict=True)):
        place = f"test.{key}.{index}.name"
        if not re.fullmatch(_WORD, name) or not short:
            fix = "write a few words, such as `without a bias` or `the inverse undoes the call`"
            yield Fault(place, f"`{name}` is no name of a test", fix)
        elif re.match(_OF_A_LAW, short):
            yield Fault(place, f"`{name}` reads as the number of a law", "begin it with another word")
        elif short in slugs[:index]:
            yield Fault(place, f"`{name}` is there twice", "give each another name")


def _holds(spec: ModuleSpec) -> Iterator[Fault]:
    passed = tuple(claimed_arguments(spec))
    reads = [free_names(claim.that, expression=True) for claim in spec.test.holds]
    if CLOSE in passed and any(CLOSE in names for names in reads):
        message = f"`{CLOSE}` is an argument of the call, and the function that compares"
        yield Fault("test.holds", message, "rename the argument")
    for index, (condition, names) in enumerate(zip(spec.test.holds, reads, strict=True)):
        place = f"test.holds.{index}.that"
        yield from _not_passed(spec, names, place, {*passed})
        if condition.that != "None" and not {"self", *passed}.intersection(names):
            fix = "write it over `self` and the arguments of the call: `close(self(self(x)), x)`"
            yield Fault(place, "it says nothing of the class", fix)


def _not_passed(spec: ModuleSpec, names: Iterable[str], place: str, claimed: set[str]) -> Iterator[Fault]:
    """Find arguments that the example call leaves at their default."""
    passed = passed_names(spec)
    others = {argument.name for argument in spec.call_arguments if not argument.is_marker}
    for name in (name for name in names if name in others - {*passed} - claimed):
        fix = f"write its value in the place of `{name}`"
        yield Fault(place, f"`{name}` is no array that the example call is given", fix, passed)


def _reference(spec: ModuleSpec) -> Iterator[Fault]:
    source, place = spec.test.reference, "test.reference"
    if source and spec.call is None:
        yield Fault(place, "there is no call to compare it with", "remove it, or write `[call]`")
    elif source:
        yield from _not_passed(spec, free_names(source, expression=False), place, set())
        tree = ast.parse(source)
        if not (_is_expression(tree) or returns_value(tree.body)):
            yield Fault(place, "returns nothing", "end it with `return ...`, or write one expression")
        if is_stateful(spec) and any(field.role == "state" for field in spec.fields):
            fix = 'say what holds, in `[[test.holds]]` with `that = "..."`'
            yield Fault(place, "NumPy has no state to read and to set", fix)


def reference_body(source: str) -> str:
    """Return the statements of a reference, with `return` before a single expression."""
    return f"return {source}" if _is_expression(ast.parse(source)) else source


def _is_expression(tree: ast.Module) -> bool:
    return len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)


def _dtypes(spec: ModuleSpec) -> Iterator[Fault]:
    members = (*spec.fields, *spec.call_arguments)
    dtypes = {array.dtype for member in members if member.type for array in arrays(member.type)}
    for name in (name for name in spec.test.dtypes if name in TEST_DTYPES):
        if not dtypes & {*CHOSEN_DTYPES}:
            fix = "remove it, or write `f[...]` for arrays whose dtype is chosen"
            yield Fault("test.dtypes", f"no array has the dtype `{name}` when it is chosen", fix)
        elif name in ("c64", "c128") and "f" in dtypes:
            fix = "write `inexact[...]` for arrays that may be complex"
            yield Fault("test.dtypes", f"an array `f[...]` is never complex, so `{name}` is not tried", fix)
    declared = spec.test.tolerance
    names = dict(declared) if isinstance(declared, tuple) else ()
    yield from _unlisted("tolerance", names, TEST_DTYPES, "dtype of the tests")


def _invariants(spec: ModuleSpec) -> Iterator[Fault]:
    """Find unknown invariants, and axes of invariants that take none."""
    place = "test.invariants"
    for said in spec.test.invariants:
        along = re.fullmatch(_ALONG, said)
        name = along[1] if along else said
        if name not in INVARIANTS:
            fix = "say it in `[[test.holds]]`"
            yield unknown(place, name, INVARIANTS, f"`{said}` is no known invariant", fix)
        elif along and name not in ALONG:
            yield Fault(place, f"`{name}` is along no axis", f"write `{name}`", ALONG)
    if spec.test.invariants and spec.call is None:
        yield Fault(place, "there is no call that could have them", "remove it, or write `[call]`")
