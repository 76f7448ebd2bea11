"""What differs between a class that exists and the one that its spec gives: by their syntax trees, a line each."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scaffold.errors import shown

Whole = Callable[[ast.expr], str]
"""The whole name that a name stands for, by the imports of its file."""
_WORDS = {
    "jax.Array": "Array",
    "jaxtyping.Array": "Array",
    "typing.Any": "Any",
    "jaxtyping.PRNGKeyArray": "PRNGKeyArray",
}
_LONGEST = 90


@dataclass(frozen=True)
class Difference:
    """One thing that is otherwise in the class that would be written."""

    place: str
    what: str
    why: str = ""

    @property
    def text(self) -> str:
        """In one line."""
        return f"{self.place}: {self.what}" + (f": {self.why}" if self.why else "")


@dataclass(frozen=True)
class Parts:
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
                for place, (one, said) in enumerate(_signature(method).items())
            ]
            found += [
                f"{name}: {line}"
                for line in ast.unparse(ast.Module(_behind_signature(method), [])).split("\n")
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


# -- told --------------------------------------------------------------------------------------------------------------


@dataclass
class Compared:
    """A class that exists beside the one that would be written, with the reasons that are known."""

    there: Parts
    written: Parts
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    guessed: Mapping[str, str] = field(default_factory=dict[str, str])
    taken_over: str = ""

    def all(self) -> list[Difference]:
        """Every difference, in the order of the class."""
        found = [*self.head(), *self.fields(), *self.others(), *self.methods()]
        return list(dict.fromkeys(found))

    def head(self) -> Iterator[Difference]:
        there, written = self.there.head, self.written.head
        yield from (
            Difference("the class", f"`{_said(one, text)}` is left out")
            for one, text in there.items()
            if one not in written
        )
        yield from (
            Difference("the class", f"gets `{_said(one, text)}`")
            for one, text in written.items()
            if one not in there
        )
        for one in (one for one in there if one in written and there[one] != written[one]):
            yield Difference("the class", f"`{_said(one, there[one])}` becomes `{_said(one, written[one])}`")

    def fields(self) -> Iterator[Difference]:
        there, written = self.there.fields, self.written.fields
        yield from (self._lost(name) for name in there if name not in written)
        for name, (said, value) in written.items():
            if name not in there:
                yield Difference(name, "is a field as well")
                continue
            before, value_before = there[name]
            if said != before:
                yield Difference(name, f"{_becomes(before, said)} as its type", self.guessed.get(name, ""))
            if value != value_before:
                yield Difference(
                    name,
                    _becomes(value_before or "nothing", value or "nothing") + " as its value",
                    _why_value(value_before, value),
                )

    def _lost(self, name: str) -> Difference:
        is_class = "ClassVar" in self.there.fields[name][0]
        why = (
            "a spec has no place for what belongs to the class alone"
            if is_class
            else self.left_out.get(name, "")
        )
        return Difference(name, "is left out", why)

    def others(self) -> Iterator[Difference]:
        lost = (one for one in self.there.others if one not in self.written.others)
        yield from (
            Difference("the class", f"`{_short(one)}` is left out", "a spec has fields and methods alone")
            for one in lost
        )

    def methods(self) -> Iterator[Difference]:
        there, written = self.there.methods, self.written.methods
        for name, node in there.items():
            if name in written:
                yield from self._method(name, node, written[name])
            elif name not in self.written.fields:
                yield Difference(name, "is left out", self.left_out.get(name, _WHY_LOST.get(name, "")))
        for name in written:
            if name not in there:
                yield Difference(name, "is there as well", _WHY_ADDED.get(name, ""))

    def _method(self, name: str, there: ast.FunctionDef, written: ast.FunctionDef) -> Iterator[Difference]:
        before, after = _signature(there), _signature(written)
        for one in (one for one in before if one not in after):
            yield Difference(name, f"the argument `{one}` is left out", self.left_out.get(name, ""))
        for one, said in after.items():
            if one not in before:
                yield Difference(name, f"takes `{one}` as well", _WHY_ARGUMENT.get(one, ""))
            elif before[one] != said:
                yield from self._argument(name, one, before[one], said)
        if list(before) != list(after) and {*before} == {*after}:
            yield Difference(name, f"takes its arguments as `{', '.join(after)}`")
        yield from self._result(name, there, written)
        decorators = [[ast.unparse(one) for one in node.decorator_list] for node in (there, written)]
        if decorators[0] != decorators[1]:
            yield Difference(
                name, _becomes(", ".join(decorators[0]) or "no decorator", ", ".join(decorators[1]) or "none")
            )
        yield from _bodies(name, there, written)

    def _argument(self, name: str, one: str, before: "_Argument", after: "_Argument") -> Iterator[Difference]:
        if before.annotation != after.annotation:
            why = self.guessed.get(f"{name}.{one}", "")
            yield Difference(
                f"{name}, `{one}`",
                f"{_becomes(before.annotation or 'nothing', after.annotation or 'nothing')} as its type",
                why,
            )
        if before.default != after.default:
            yield Difference(
                f"{name}, `{one}`",
                f"{_becomes(before.default or 'nothing', after.default or 'nothing')} as its default",
            )
        if before.by_name != after.by_name:
            yield Difference(
                f"{name}, `{one}`", "is taken by name alone" if after.by_name else "is taken by position too"
            )

    def _result(self, name: str, there: ast.FunctionDef, written: ast.FunctionDef) -> Iterator[Difference]:
        before, after = (ast.unparse(one.returns) if one.returns else "nothing" for one in (there, written))
        if before != after and name != "__check_init__":
            yield Difference(
                name, f"{_becomes(before, after)} as its result", self.guessed.get(f"{name}: its result", "")
            )


def _behind_signature(node: ast.FunctionDef) -> list[ast.stmt]:
    """The decorators, the result and the statements, as statements."""
    head = [ast.Expr(one) for one in (*node.decorator_list, *([node.returns] if node.returns else []))]
    return [*head, *(ast.parse("\n".join(_statements(node))).body)]


@dataclass(frozen=True)
class _Argument:
    annotation: str
    default: str
    by_name: bool


def _signature(node: ast.FunctionDef) -> dict[str, _Argument]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    pairs = [(one, default, False) for one, default in zip(positional, defaults, strict=True)]
    pairs += [
        (one, default, True) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    found = {
        one.arg: _Argument(_text(one.annotation), _text(default), by_name) for one, default, by_name in pairs
    }
    for star, one in (("*", arguments.vararg), ("**", arguments.kwarg)):
        found |= {star + one.arg: _Argument(_text(one.annotation), "", False)} if one is not None else {}
    return found


def _text(node: ast.AST | None) -> str:
    return ast.unparse(node) if node is not None else ""


def _bodies(name: str, there: ast.FunctionDef, written: ast.FunctionDef) -> Iterator[Difference]:
    """What a method does otherwise: values of fields by their names, other statements as they are."""
    before, after = _statements(there), _statements(written)
    lost = [one for one in before if one not in after]
    new = [one for one in after if one not in before]
    by_field = {target: text for target, text in map(_target, lost) if target}
    for one in new:
        target, text = _target(one)
        if target and target in by_field:
            yield Difference(
                f"{name}, `{target}`", _becomes(by_field[target], text), _why_value(by_field[target], text)
            )
            lost.remove(next(each for each in lost if _target(each)[0] == target))
        else:
            yield Difference(name, f"does `{_short(one)}` as well", _why_value("", one))
    yield from (Difference(name, f"does `{_short(one)}` no more") for one in lost)


def _statements(node: ast.FunctionDef) -> list[str]:
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


def _target(statement: str) -> tuple[str, str]:
    match ast.parse(statement).body:
        case [ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value)]:
            return name, ast.unparse(value)
        case _:
            return "", ""


def _becomes(before: str, after: str) -> str:
    return f"`{_short(before)}` becomes `{_short(after)}`"


def _short(text: str) -> str:
    """The text in one line, with names as one writes them."""
    text = _WHOLE.sub(lambda found: _SHOWN[found[0]], " ".join(text.split()))
    return shown(text, _LONGEST)


_SHOWN = {
    **dict.fromkeys(("jaxtyping.", "collections.abc.", "typing.", "jax.typing."), ""),
    **{"jax.numpy.": "jnp.", "equinox.": "eqx.", "flax.nnx.": "nnx.", "numpy.": "np."},
}
_WHOLE = re.compile("|".join(rf"(?<![\w.]){re.escape(one)}" for one in _SHOWN))


def _said(one: str, text: str) -> str:
    kind, _, name = one.partition(" ")
    return f"{name}={text}" if kind == "keyword" else name or kind


_WHY_ADDED = {
    "create": "it builds the class, since the fields say no more than what they hold",
    "__check_init__": "what is static is checked, since an array or a list in the treedef would poison it",
    "trainable": "it leaves buffers out of what is trained, since weight decay moves what only gradients skip",
    "save": "the project saves its classes",
    "load": "the project saves its classes",
}
_WHY_LOST = {
    "__check_init__": "a spec says what has to hold by the `check` of a field",
    "trainable": "it is written where the class has buffers",
}
_WHY_ARGUMENT = {
    "dtype": "the dtype of the arrays is chosen by who builds it",
    "key": "what is drawn is drawn from it",
}
_WHYS: Iterable[tuple[str, str]] = (
    ("stop_gradient", "no gradient reaches a buffer"),
    ("jnp.array(", "what is given is copied"),
    ("jax.numpy.array(", "what is given is copied"),
    ("asarray(", "its dtype is explicit"),
    ("result_type", "its dtype is explicit"),
    ("tuple(", "a list in a field could be changed behind the treedef's back"),
    ("StateIndex", "the state is kept by `equinox.nn.State`"),
    ("static=True", "it belongs to the treedef"),
    ("float(", "an int is taken for the float that is declared"),
    ("raise", "what must hold is checked"),
)


def _why_value(before: str, after: str) -> str:
    """Why a value is another one, by what is in it now and was not before."""
    if "static=True" in before and "static=True" not in after:
        return "an array has no equality that the treedef could use"
    return next((why for part, why in _WHYS if part in after and part not in before), "")
