"""The emitted code of several classes to that of one module."""

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
    """What the names of functions begin with that belong to one class of a module: they say which, where there are several."""
    return "_" if spec.unit is None else f"_{stem(spec.name).lstrip('_')}_"


def merged_code(specs: Sequence[ModuleSpec], codes: Sequence[str]) -> list[str]:
    """The code of each class of a module: what classes of a kind share stands once, and names that come below are quoted."""
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
    """The code of each class, in which functions that copy take a `dtype` only where a class of the module passes one."""
    shared = [pair for pair in COPIERS.values() if any(pair[1] in code for code in codes)]
    used = {name for code in codes for name in _called_with_dtype(code)} if shared else set[str]()
    simple = [pair for name, pair in COPIERS.items() if pair in shared and name not in used]
    return [reduce(lambda text, pair: text.replace(pair[1], pair[0]), simple, code) for code in codes]


def _called_with_dtype(code: str) -> Iterator[str]:
    """The names of the functions that code calls with a second argument."""
    calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    return (call.func.id for call in calls if isinstance(call.func, ast.Name) and call.args[1:])


def _new(code: str, seen: set[str], by_author: set[str]) -> str:
    """The code without what the classes above have brought, word for word: helper functions, type variables."""
    kept = [
        helper
        for helper in helpers_in(code)
        if not helper.names or by_author.intersection(helper.names) or helper.text.strip() not in seen
    ]
    seen |= {helper.text.strip() for helper in kept}
    return joined(kept)


def quoted(code: str, later: Collection[str]) -> str:
    """The code with annotations in quotes where they name classes that are not bound yet when they are evaluated."""
    expressions = _early(ast.parse(code), later) if later else ()
    return spliced(code, (in_place_of(node, _text(node)) for node in expressions))


def _text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return repr(text) if '"' in text or "'" in text else f'"{text}"'


def _early(tree: ast.Module, later: Collection[str]) -> Iterator[ast.expr]:
    """The expressions in annotations that are evaluated where they stand, and name one of these classes."""
    return (part for annotation in annotations_in(tree) for part in _naming(annotation, later))


def _naming(annotation: ast.expr, later: Collection[str]) -> Iterator[ast.expr]:
    """The smallest parts of an annotation that may stand in quotes, each around such a name: of `A | B`, the whole."""
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
    """Suites of one name: that of a class, and that of a case of another."""
    fix = "give a case of `@test(...)`, or a class, another name"
    for name in (name for name, times in _bound_in(tests).items() if times > 1):
        yield Fault(unit.path, f"two suites are called `{name}`", fix)


def _bound_in(code: str) -> Counter[str]:
    """How often a module binds each name."""
    return Counter(name for statement in ast.parse(code).body for name in bound_by(statement))


def emitted_names_faults(specs: Sequence[ModuleSpec], code: str) -> Iterator[Fault]:
    """Names that the emitted code of a module binds for two of its parts: helpers, and each of its classes."""
    counts = _bound_in(code)
    helpers = {spec: Counter(helper_names(spec)) for spec in specs}
    by_author = sum(helpers.values(), Counter[str]())
    for name in (name for name, times in counts.items() if times > max(1, by_author[name])):
        spec = next((spec for spec, names in helpers.items() if name in names), specs[-1])
        message = f"`{name}` is a name that the module uses itself"
        yield Fault(f"{spec.where}: helpers", message, f"rename it, to `{name}_` for example")
