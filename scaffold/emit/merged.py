"""Code of several emitted classes in a single module."""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import reduce

from scaffold.emit.constructor.given import COPIERS
from scaffold.errors import Fault
from scaffold.source.rewriting import in_place_of, spliced
from scaffold.spec.grammar.annotated import annotations_in
from scaffold.spec.helpers import bound_by, helper_names, helpers_in, joined
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import stem
from scaffold.spec.unit import Unit


def private_prefix(spec: ModuleSpec) -> str:
    """Return the prefix for functions of a class, which names the class if the module has several."""
    return "_" if spec.unit is None else f"_{stem(spec.name).lstrip('_')}_"


def merged_code(specs: Sequence[ModuleSpec], codes: Sequence[str]) -> list[str]:
    """Return the code of each class, with shared code only once and names of later classes quoted."""
    if len(specs) == 1:
        return [*codes]
    by_author = {name for spec in specs for name in (spec.unit.bound if spec.unit else ())}
    is_late = any(line.startswith("from __future__ ") for spec in specs for line in spec.imports)
    seen: set[str] = set()
    parts: list[str] = []
    for spec, code in zip(specs, _without_unused_dtypes(codes), strict=True):
        later = spec.unit.below(spec.name) if spec.unit is not None and not is_late else ()
        parts.append(quoted(_new(code, seen, by_author), later))
    return parts


def _without_unused_dtypes(codes: Sequence[str]) -> list[str]:
    """Drop the parameter `dtype` from copying functions to which no class of the module passes it."""
    shared = [pair for pair in COPIERS.values() if any(pair[1] in code for code in codes)]
    used = {name for code in codes for name in _called_with_dtype(code)} if shared else set[str]()
    simple = [pair for name, pair in COPIERS.items() if pair in shared and name not in used]
    return [reduce(lambda text, pair: text.replace(pair[1], pair[0]), simple, code) for code in codes]


def _called_with_dtype(code: str) -> Iterator[str]:
    """Return the names of functions that the code calls with a second argument."""
    calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    return (call.func.id for call in calls if isinstance(call.func, ast.Name) and call.args[1:])


def _new(code: str, seen: set[str], by_author: set[str]) -> str:
    """Drop code that earlier classes define word for word, such as helper functions and type variables."""
    kept = [
        helper
        for helper in helpers_in(code)
        if not helper.names or by_author.intersection(helper.names) or helper.text.strip() not in seen
    ]
    seen |= {helper.text.strip() for helper in kept}
    return joined(kept)


def quoted(code: str, later: Collection[str]) -> str:
    """Quote annotations that name classes which are unbound when they are evaluated."""
    expressions = _early(ast.parse(code), later) if later else ()
    return spliced(code, (in_place_of(node, _text(node)) for node in expressions))


def _text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return repr(text) if '"' in text or "'" in text else f'"{text}"'


def _early(tree: ast.Module, later: Collection[str]) -> Iterator[ast.expr]:
    """Yield the parts of eagerly evaluated annotations that name a later class."""
    return (part for annotation in annotations_in(tree) for part in _naming(annotation, later))


def _naming(annotation: ast.expr, later: Collection[str]) -> Iterator[ast.expr]:
    """Yield the smallest parts of an annotation to quote around such a name. `A | B` is quoted as a whole."""
    match annotation:
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if name not in later:
            yield from _naming(inner, later)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _naming(part, later)
        case _:
            names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
            if not names.isdisjoint(later):
                yield annotation


def suite_names_faults(unit: Unit, tests: str) -> Iterator[Fault]:
    """Find two suites of the same name, such as of a class and of another class's case."""
    fix = "give a case of `@test(...)`, or a class, another name"
    for name in (name for name, times in _bound_in(tests).items() if times > 1):
        yield Fault(unit.path, f"two suites are called `{name}`", fix)


def _bound_in(code: str) -> Counter[str]:
    return Counter(name for statement in ast.parse(code).body for name in bound_by(statement))


def emitted_names_faults(specs: Sequence[ModuleSpec], code: str) -> Iterator[Fault]:
    """Find names that the emitted module binds twice, for helpers and for its classes."""
    counts = _bound_in(code)
    helpers = {spec: Counter(helper_names(spec)) for spec in specs}
    by_author = sum(helpers.values(), Counter[str]())
    for name in (name for name, times in counts.items() if times > max(1, by_author[name])):
        spec = next((spec for spec, names in helpers.items() if name in names), specs[-1])
        message = f"`{name}` is a name that the module uses itself"
        yield Fault(f"{spec.where}: helpers", message, f"rename it, to `{name}_` for example")
