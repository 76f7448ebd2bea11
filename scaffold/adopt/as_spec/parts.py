"""A class taken apart, in the words of no file, so that two of them can be compared."""

import ast
from collections import Counter
from collections.abc import Callable

from msgspec import Struct

Whole = Callable[[ast.expr], str]
"""The whole name that a name stands for, by the imports of its file."""
_WORDS = {
    "jax.Array": "Array",
    "jaxtyping.Array": "Array",
    "typing.Any": "Any",
    "jaxtyping.PRNGKeyArray": "PRNGKeyArray",
}


class Parts(Struct, frozen=True):
    """A class taken apart: its head, its fields, its other statements and its methods, in the words of no file."""

    head: dict[str, str]
    fields: dict[str, tuple[str, str]]
    others: tuple[str, ...]
    methods: dict[str, ast.FunctionDef]

    @property
    def lines(self) -> Counter[str]:
        """All that it says, line by line, to count what differs."""
        found = [f"{name}: {text}" for name, text in self.head.items()]
        found += [f"{name}: {said} = {value}" for name, (said, value) in self.fields.items()]
        found += self.others
        for name, method in self.methods.items():
            found += [
                f"{name} takes {place} {one} {said}"
                for place, (one, said) in enumerate(signature(method).items())
            ]
            found += [
                f"{name}: {line}"
                for line in ast.unparse(ast.Module(behind_signature(method), [])).split("\n")
            ]
        return Counter(found)


def distance(one: Parts, other: Parts) -> int:
    """How many lines are only in one of the two."""
    mine, theirs = one.lines, other.lines
    return (mine - theirs).total() + (theirs - mine).total()


def parts_of(node: ast.ClassDef, whole: Whole) -> Parts:
    """The parts of a class, without docstrings."""
    node = _Plain(whole).visit(ast.parse(ast.unparse(node)).body[0])
    assert isinstance(node, ast.ClassDef)
    fields: dict[str, tuple[str, str]] = {}
    methods: dict[str, ast.FunctionDef] = {}
    others: list[str] = []
    for one in node.body:
        match one:
            case ast.AnnAssign(target=ast.Name(id=name)):
                fields[name] = ast.unparse(one.annotation), ast.unparse(one.value) if one.value else ""
            case ast.FunctionDef(name=name):
                methods[name] = one
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                others.append(ast.unparse(one))
    return Parts(_head(node), fields, tuple(others), methods)


def _head(node: ast.ClassDef) -> dict[str, str]:
    return {
        **{f"@{ast.unparse(one)}": "" for one in node.decorator_list},
        **{f"base {ast.unparse(one)}": "" for one in node.bases},
        **{f"keyword {one.arg}": ast.unparse(one.value) for one in node.keywords},
    }


class _Plain(ast.NodeTransformer):
    """What says the same in one form: whole names, annotations without quotes, `X | None`, no docstrings."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._named(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        found = self._named(node)
        if found is not node:
            return found
        node.value = self.visit(node.value)
        return node

    def _named(self, node: ast.Name | ast.Attribute) -> ast.expr:
        text = self.whole(node)
        text = _WORDS.get(text, text)
        return ast.Name(text, node.ctx) if text and text != ast.unparse(node) else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if node.name == "__init__":
            node.returns = None
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            one.annotation = self._annotation(one.annotation)
        node.returns = self._annotation(node.returns)
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.annotation = self._annotation(node.annotation) or node.annotation
        self.generic_visit(node)
        return node

    def _annotation(self, node: ast.expr | None) -> ast.expr | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return ast.parse(node.value.strip(), mode="eval").body
            except SyntaxError:
                return node
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        head = ast.unparse(node.value).rpartition(".")[2]
        if head == "Optional":
            return ast.BinOp(node.slice, ast.BitOr(), ast.Constant(None))
        if head == "Union" and isinstance(node.slice, ast.Tuple):
            union = node.slice.elts[0]
            for one in node.slice.elts[1:]:
                union = ast.BinOp(union, ast.BitOr(), one)
            return union
        if isinstance(node.slice, ast.Tuple) and isinstance(node.slice.elts[-1], ast.Constant):
            last = node.slice.elts[-1]
            if isinstance(last.value, str):
                last.value = " ".join(last.value.split()).replace("=_", "")
        return node


def behind_signature(node: ast.FunctionDef) -> list[ast.stmt]:
    """The decorators, the result and the statements, as statements."""
    head = [ast.Expr(one) for one in (*node.decorator_list, *([node.returns] if node.returns else []))]
    return [*head, *(ast.parse("\n".join(statements(node))).body)]


class Argument(Struct, frozen=True):
    annotation: str
    default: str
    by_name: bool


def signature(node: ast.FunctionDef) -> dict[str, Argument]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    pairs = [(one, default, False) for one, default in zip(positional, defaults, strict=True)]
    pairs += [
        (one, default, True) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    found = {
        one.arg: Argument(_text(one.annotation), _text(default), by_name) for one, default, by_name in pairs
    }
    for star, one in (("*", arguments.vararg), ("**", arguments.kwarg)):
        found |= {star + one.arg: Argument(_text(one.annotation), "", False)} if one is not None else {}
    return found


def _text(node: ast.AST | None) -> str:
    return ast.unparse(node) if node is not None else ""


def statements(node: ast.FunctionDef) -> list[str]:
    """The statements, the arguments of `return cls(...)` each by itself."""
    found: list[str] = []
    for one in node.body:
        match one:
            case ast.Return(value=ast.Call(func=ast.Name(id="cls"), args=[], keywords=[_, *_] as keywords)):
                found += [f"self.{each.arg} = {ast.unparse(each.value)}" for each in keywords]
            case ast.Pass():
                pass
            case _:
                found.append(ast.unparse(one))
    return found


def target_of(statement: str) -> tuple[str, str]:
    match ast.parse(statement).body:
        case [ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value)]:
            return name, ast.unparse(value)
        case _:
            return "", ""
