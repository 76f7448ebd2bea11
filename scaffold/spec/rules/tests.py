"""The rules for what `[test]` says besides example values: what is not used, what holds, and what it is compared with."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from scaffold.errors import Fault, suggestion
from scaffold.kind import kind_of
from scaffold.spec.construction.cases import case_specs, claimed_arguments, flags, passed_names
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.construction.key_arguments import key_arguments
from scaffold.spec.construction.sizes import size_faults
from scaffold.spec.grammar.dtypes import CHOSEN_DTYPES
from scaffold.spec.grammar.types import arrays
from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.invariants import invariant_faults
from scaffold.spec.source.expressions import count_name, free_names, own_nodes
from scaffold.spec.states import is_stateful
from scaffold.spec.tables.keys import TEST_DTYPES

CLOSE = "close"
"""The function that conditions compare with."""
_OF_JAX = ("eqx", "jax", "jnp", "lax", "nnx")
_WORD = r"(?a)[A-Za-z][\w ,'-]*"
_OF_A_LAW = r"p\d\d_"

Rule = Callable[[ModuleSpec], Iterable[Fault]]


def claim_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What is wrong with the further configurations, conditions, dtypes and the reference."""
    yield from unused_faults(spec)
    names = [one.name for one in spec.test.cases]
    yield from _name_faults(spec, "cases", names)
    yield from _name_faults(spec, "holds", [one.name for one in spec.test.holds])
    yield from (*_holds(spec), *_reference(spec), *_dtypes(spec), *_tolerance(spec))
    yield from (*_positive(spec), *invariant_faults(spec))


def _place(spec: ModuleSpec, *parts: str) -> str:
    return f"{spec.where}: {'.'.join(('test', *parts))}"


def unused_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """What `unused` names that cannot be unused."""
    keys = [one.name for one in key_arguments(spec.call)]
    passed = [name for name in passed_names(spec) if name not in keys]
    legal = (*(one.name for one in spec.dynamic if one.array is not None), *keys, *passed, *flags(spec))
    modules = {one.name for one in spec.dynamic if one.role == "module"}
    for name in spec.test.unused:
        root, dot, _ = name.partition(".")
        if name not in legal and not (dot and root in modules):
            what = f"`{name}` is no field that holds an array, and no array, key or flag that the call takes"
            yield Fault(_place(spec, "unused"), what, suggestion(name, legal, "remove it"), legal)


def _positive(spec: ModuleSpec) -> Iterator[Fault]:
    taken = (*parameters(spec), *(spec.call.args if spec.call else ()))
    legal = tuple(dict.fromkeys(one.name for one in taken if one.type and arrays(one.type)))
    for name in spec.test.positive:
        if name not in legal:
            what = f"`{name}` is no array that the constructor or the call is given"
            yield Fault(_place(spec, "positive"), what, suggestion(name, legal, "remove it"), legal)


def never_reads(spec: ModuleSpec, name: str) -> bool:
    call = spec.call
    is_asked = not kind_of(spec.kind).has_instances and call is not None and call.body == "..."
    return call is not None and bool(call.body) and not is_asked and not count_name(call.body, name)


def _name_faults(spec: ModuleSpec, key: str, names: list[str]) -> Iterator[Fault]:
    """Names become those of tests: words, each another."""
    slugs = [slug(name) for name in names]
    for index, (name, short) in enumerate(zip(names, slugs, strict=True)):
        place = _place(spec, key, str(index), "name")
        if not re.fullmatch(_WORD, name) or not short:
            fix = "write a few words, such as `without a bias` or `the inverse undoes the call`"
            yield Fault(place, f"`{name}` is no name of a test", fix)
        elif re.match(_OF_A_LAW, short):
            yield Fault(place, f"`{name}` reads as the number of a law", "begin it with another word")
        elif short in slugs[:index]:
            yield Fault(place, f"`{name}` is there twice", "give each another name")


def slug(name: str) -> str:
    """A name in words as part of a Python name: `the_inverse_undoes_the_call`."""
    return re.sub(r"\W+", "_", name.replace("'", ""), flags=re.ASCII).strip("_").lower()


def _holds(spec: ModuleSpec) -> Iterator[Fault]:
    passed = tuple(claimed_arguments(spec))
    if CLOSE in passed and any(_reads(one.that, CLOSE) for one in spec.test.holds):
        what = f"`{CLOSE}` is an argument of the call, and the function that compares"
        yield Fault(_place(spec, "holds"), what, "rename the argument")
    for index, one in enumerate(spec.test.holds):
        place = _place(spec, "holds", str(index), "that")
        yield from _not_passed(spec, one.that, place, expression=True)
        if one.that != "None" and not any(_reads(one.that, name) for name in ("self", *passed)):
            fix = "write it over `self` and the arguments of the call: `close(self(self(x)), x)`"
            yield Fault(place, "it says nothing of the class", fix)


def _reads(source: str, name: str) -> bool:
    return name in free_names(source, expression=True)


def _not_passed(spec: ModuleSpec, source: str, place: str, *, expression: bool) -> Iterator[Fault]:
    """Arguments that the example call leaves at their default."""
    passed = passed_names(spec)
    others = {one.name for one in (spec.call.args if spec.call else ()) if not one.is_marker} - {*passed}
    others -= {*claimed_arguments(spec)} if expression else set[str]()
    for name in free_names(source, expression=expression):
        if name in others:
            what = f"`{name}` is no array that the example call is given"
            fix = f"write its value in the place of `{name}`"
            yield Fault(place, what, fix, passed)


def _reference(spec: ModuleSpec) -> Iterator[Fault]:
    source, place = spec.test.reference, _place(spec, "reference")
    if not source:
        return
    if spec.call is None:
        yield Fault(place, "there is no call to compare it with", "remove it, or write `[call]`")
        return
    yield from _not_passed(spec, source, place, expression=False)
    for name in free_names(source, expression=False):
        if name in _OF_JAX:
            yield Fault(place, f"reads `{name}`, and is to be in NumPy", "write it with `np`")
    tree = ast.parse(source)
    if _calls_itself(tree):
        yield Fault(place, "reads `self` as a whole", "read its fields: `self.weight`")
    if not (_is_expression(tree) or _returns(tree)):
        yield Fault(place, "returns nothing", "end it with `return ...`, or write one expression")
    if is_stateful(spec) and any(one.role == "state" for one in spec.fields):
        fix = 'say what holds, in `[[test.holds]]` with `that = "..."`'
        yield Fault(place, "NumPy has no state to read and to set", fix)


def reference_body(source: str) -> str:
    """The statements of a reference: an expression is what they return."""
    return f"return {source}" if _is_expression(ast.parse(source)) else source


def _is_expression(tree: ast.Module) -> bool:
    return len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)


def _returns(tree: ast.Module) -> bool:
    return any(isinstance(one, ast.Return) and one.value is not None for one in own_nodes(tree.body))


def _calls_itself(tree: ast.Module) -> bool:
    read = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
    names = (one for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == "self")
    return any(id(one) not in read for one in names)


def _dtypes(spec: ModuleSpec) -> Iterator[Fault]:
    place = _place(spec, "dtypes")
    taken = [one.type for one in (spec.call.args if spec.call else ()) if one.type is not None]
    held = {array.dtype for kind in (*(one.type for one in spec.fields), *taken) for array in arrays(kind)}
    for name in dict.fromkeys(spec.test.dtypes):
        if spec.test.dtypes.count(name) > 1:
            yield Fault(place, f"`{name}` is there twice", "remove one")
        if name in TEST_DTYPES and not held & {*CHOSEN_DTYPES}:
            fix = "remove it, or write `f[...]` for arrays whose dtype is chosen"
            yield Fault(place, f"no array has the dtype `{name}` when it is chosen", fix)
        elif name in ("c64", "c128") and "f" in held:
            fix = "write `inexact[...]` for arrays that may be complex"
            yield Fault(place, f"an array `f[...]` is never complex, so `{name}` is not tried", fix)


def _tolerance(spec: ModuleSpec) -> Iterator[Fault]:
    declared = spec.test.tolerance
    for name in dict(declared) if isinstance(declared, tuple) else ():
        if name not in TEST_DTYPES:
            fix = suggestion(name, TEST_DTYPES, "write one of the legal values")
            yield Fault(_place(spec, "tolerance"), f"`{name}` is not legal", fix, TEST_DTYPES)


def case_faults(spec: ModuleSpec, rule: Rule) -> Iterator[Fault]:
    """What `rule` finds in each case besides what it finds in the example; a case that is none."""
    base = frozenset(rule(spec))
    for index, (_, changed) in enumerate(case_specs(spec)):
        place = f"test.cases.{index}"
        for fault in rule(changed):
            if fault not in base:
                where = fault.where.replace(f"{spec.where}: test.", f"{spec.where}: {place}.", 1)
                yield Fault(where, fault.what, fault.fix, fault.legal)
        if passed_names(changed) != passed_names(spec):
            what = "the call is given other arguments than in the example"
            fix = "leave them arrays, or None, as in the example"
            yield Fault(f"{spec.where}: {place}.values", what, fix)


def case_size_faults(spec: ModuleSpec) -> Iterator[Fault]:
    """Dims of a case that cannot be sized, and arrays of it that would be empty or too large."""
    for index, (_, changed) in enumerate(case_specs(spec)):
        place = f"{spec.where}: test.cases.{index}.sizes"
        for fault in size_faults(changed, place):
            yield Fault(place, fault.what, fault.fix, fault.legal)
