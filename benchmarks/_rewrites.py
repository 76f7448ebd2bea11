"""Rewriting the source of a module: each rewriter gives a tree for every place where it finds something to change."""

import ast
import copy
import pickle
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

Rewriter = Callable[[ast.Module], Iterator[tuple[int, ast.Module]]]


# --- Patterns: `X_`, `K_`, ... stand for any expression --------------------------------------


def match(pattern: ast.AST, node: ast.AST, bound: dict[str, ast.AST]) -> bool:
    """Whether `node` has the form of `pattern`; what its variables stand for goes into `bound`."""
    if isinstance(pattern, ast.Name) and pattern.id.endswith("_") and pattern.id.isupper():
        same = pattern.id not in bound or ast.dump(bound[pattern.id]) == ast.dump(node)
        bound.setdefault(pattern.id, node)
        return same
    if type(pattern) is not type(node):
        return False
    return all(
        _match_field(getattr(pattern, name), getattr(node, name), bound)
        for name in pattern._fields
        if name != "ctx"
    )


def _match_field(left: object, right: object, bound: dict[str, ast.AST]) -> bool:
    if isinstance(left, ast.AST) and isinstance(right, ast.AST):
        return match(left, right, bound)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(lambda a, b: _match_field(a, b, bound), left, right))
    return left == right


class _Fill(ast.NodeTransformer):
    def __init__(self, bound: dict[str, ast.AST]):
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self.bound.get(node.id, node))


def fill(template: str, bound: dict[str, ast.AST]) -> ast.expr:
    return _Fill(bound).visit(ast.parse(template, mode="eval").body)


def functions(tree: ast.Module, names: Sequence[str]) -> list[ast.FunctionDef]:
    """The functions with these names; all of them where there are none."""
    every = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [node for node in every if not names or node.name in names]


def replaced(
    tree: ast.Module,
    names: Sequence[str],
    change: Callable[[ast.AST], ast.AST | None],
) -> Iterator[tuple[int, ast.Module]]:
    """A tree for each node of these functions that `change` replaces."""
    order = {id(node): index for index, node in enumerate(ast.walk(tree))}
    text = pickle.dumps(tree)  # from which a copy is made in a quarter of the time of `deepcopy`
    places = functions(tree, names) if names else [tree]
    notes = {id(one) for place in places for note in _annotations(place) for one in ast.walk(note)}
    inside = [node for place in places for node in ast.walk(place) if id(node) not in notes]
    for node in inside:
        new = change(node)
        if new is not None:
            twin = pickle.loads(text)
            target = next(islice(ast.walk(twin), order[id(node)], None))
            yield getattr(node, "lineno", 0), _Swap(target, new).visit(twin)


def _annotations(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            note = getattr(node, name, None)
            if isinstance(note, ast.AST):
                yield note


class _Swap(ast.NodeTransformer):
    def __init__(self, target: ast.AST, new: ast.AST):
        self.target, self.new = target, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.target else self.generic_visit(node)


def nodes_changed(names: Sequence[str], change: Callable[[ast.AST], ast.AST | None]) -> Rewriter:
    return lambda tree: replaced(tree, names, change)


def rule(names: Sequence[str], pattern: str, *templates: str) -> Rewriter:
    """Replaces expressions of one form by another."""
    form = ast.parse(pattern, mode="eval").body

    def rewrite(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
        for template in templates:

            def change(node: ast.AST, template: str = template) -> ast.AST | None:
                bound: dict[str, ast.AST] = {}
                return fill(template, bound) if match(form, node, bound) else None

            yield from replaced(tree, names, change)

    return rewrite


def another(value: object) -> object:
    """Another value of the type of a default."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else "x"


def rules(names: Sequence[str], forms: Sequence[str], replacement: str) -> Rewriter:
    """A rule for each form; `IT_` in the replacement is the form itself."""
    return several(*(rule(names, form, replacement.replace("IT_", form)) for form in forms))


def several(*rewriters: Rewriter) -> Rewriter:
    return lambda tree: (one for rewriter in rewriters for one in rewriter(tree))


# --- Statements and members --------------------------------------------------------------------


def inserted(names: Sequence[str], statement: str, *, at_end: bool = False) -> Rewriter:
    """Puts a statement at the start of a function, or before what it returns.

    `ARG_` stands for the first argument, `FIELD_` for the first field.
    """

    def rewrite(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
        for index, function in enumerate(functions(tree, names)):
            arguments = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
            text = statement.replace("ARG_", arguments[0] if arguments else "None")
            twin = copy.deepcopy(tree)
            body = functions(twin, names)[index].body
            start = int(ast.get_docstring(function) is not None)
            place = len(body) - isinstance(body[-1], ast.Return) if at_end else start
            body[place:place] = ast.parse(text.replace("FIELD_", _fields(tree)[0])).body
            yield function.lineno, twin

    return rewrite


def main_class(tree: ast.Module) -> ast.ClassDef:
    """The class of the module: the last one that has fields."""
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and _annotated(node)]
    return found[-1]


def _annotated(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [one for one in node.body if isinstance(one, ast.AnnAssign)]


def _fields(tree: ast.Module) -> list[str]:
    return [one.target.id for one in _annotated(main_class(tree)) if isinstance(one.target, ast.Name)]


def member(source: str) -> Rewriter:
    """Adds a member to the class."""

    def rewrite(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
        twin = copy.deepcopy(tree)
        main_class(twin).body += ast.parse(source).body
        yield main_class(tree).lineno, twin

    return rewrite


def fields_changed(change: Callable[[ast.AnnAssign], ast.expr | bool | None]) -> Rewriter:
    """A tree for each field of a Module whose declaration gets another value; False leaves it as it is."""

    def rewrite(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
        is_module = any("Module" in ast.unparse(base) for base in main_class(tree).bases)
        for index, field in enumerate(_annotated(main_class(tree)) if is_module else ()):
            value = change(field)
            if value is not False:
                twin = copy.deepcopy(tree)
                _annotated(main_class(twin))[index].value = value if isinstance(value, ast.expr) else None
                yield field.lineno, twin

    return rewrite


def deleted(names: Sequence[str], is_dropped: Callable[[ast.stmt], bool]) -> Rewriter:
    """Leaves out each statement of these functions for which `is_dropped` holds."""
    return nodes_changed(names, lambda n: ast.Pass() if isinstance(n, ast.stmt) and is_dropped(n) else None)


def uses_changed(template: str, names: Sequence[str] = ()) -> Rewriter:
    """Every use in the call of one field is replaced, one field after the other: arrays, or those named."""

    def rewrite(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
        for name in names or _array_fields(tree):
            twin = copy.deepcopy(tree)
            for call in functions(twin, ("__call__",)):
                call.body = [_Uses(name, template).visit(one) for one in call.body]
            yield main_class(tree).lineno, twin

    return rewrite


def _array_fields(tree: ast.Module) -> list[str]:
    """The fields of floats that are trained: in the call, a buffer stands in stop_gradient."""
    fields = [one for one in _annotated(main_class(tree)) if isinstance(one.target, ast.Name)]
    floats = [one.target.id for one in fields if "Float[" in ast.unparse(one.annotation) and not one.value]
    source = ast.unparse(tree)
    return [name for name in floats if f"stop_gradient(self.{name})" not in source]


class _Uses(ast.NodeTransformer):
    def __init__(self, name: str, template: str):
        self.name, self.template = name, template

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return node  # `is None`

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        is_self = isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr == self.name
        return fill(self.template, {"F_": node}) if is_self else self.generic_visit(node)


def returned(template: str) -> Rewriter:
    """What the call returns is wrapped; `Y_` is it."""

    def change(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Return) or node.value is None or isinstance(node.value, ast.Tuple):
            return None
        return ast.Return(fill(template, {"Y_": node.value}))

    return nodes_changed(("__call__",), change)
