"""The moves from one table to another that may say a class better; `choose` tries them."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scaffold.adopt.as_spec.draft import default_of
from scaffold.spec.expressions import free_names
from scaffold.spec.initialisers import INITIALISERS
from scaffold.spec.keys import REBUILDS
from scaffold.spec.rewriting import rewrite
from scaffold.spec.roles import OF_GIVEN
from scaffold.spec.signature import parse_argument

Raw = dict[str, Any]
_SPLITS = tuple(f"jax.random.split(key{by})" for by in ("", *(f", {count}" for count in range(2, 10))))
Change = Callable[[Raw], None]
Move = Callable[[Raw, "There"], Iterator[Change]]


@dataclass(frozen=True)
class There:
    """What the class that is there has, and tables may have to say."""

    methods: frozenset[str]
    checks: tuple[str, ...]
    """What it checks once it is built, each as a condition over its fields."""


def _key(table: str, key: str, value: Any) -> Change:
    def change(raw: Raw) -> None:
        owner = raw["fields"][table] if table else raw
        owner[key] = value

    return change


def _without(table: str, *keys: str) -> Change:
    def change(raw: Raw) -> None:
        owner = raw["fields"][table] if table else raw
        for key in keys:
            owner.pop(key, None)

    return change


# -- moves -------------------------------------------------------------------------------------------------------------


def rebuilt(raw: Raw, there: There) -> Iterator[Change]:
    """The ways in which unflatten may rebuild a pytree class."""
    yield from (_key("", "rebuild", one) for one in REBUILDS * (raw["kind"] == "pytree"))


def saved(raw: Raw, there: There) -> Iterator[Change]:
    """The class saves and loads itself."""
    yield from (_key("", "save", True) for _ in {"save"} & there.methods)


def guarded(raw: Raw, there: There) -> Iterator[Change]:
    """A field that is read behind `stop_gradient` is a buffer."""
    arrays = [name for name, table in raw["fields"].items() if table.get("role") in OF_GIVEN]
    yield from (_as_buffer(name) for name in arrays)
    yield from (_roles(arrays, role) for role in ("param", "data"))
    for name in arrays:
        yield from (_key(name, "role", role) for role in OF_GIVEN)


def _roles(names: list[str], role: str) -> Change:
    def change(raw: Raw) -> None:
        for name in names:
            raw["fields"][name]["role"] = role

    return change


def _as_buffer(name: str) -> Change:
    def change(raw: Raw) -> None:
        raw["fields"][name]["role"] = "buffer"
        for table in (raw.get("call", {}), *raw.get("methods", {}).values()):
            if "body" in table:
                table["body"] = _unguarded(table["body"], name)

    return change


def _unguarded(body: str, name: str) -> str:
    def change(node: ast.AST, above: tuple[ast.AST, ...]) -> str | None:
        match node:
            case ast.Call(func=function, args=[ast.Attribute(value=ast.Name(id="self"), attr=attr)]) if (
                attr == name and ast.unparse(function).endswith("stop_gradient")
            ):
                return f"self.{name}"
            case _:
                return None

    return rewrite(body, change)


def given(raw: Raw, there: There) -> Iterator[Change]:
    """A field that is made of its argument is given: it is copied and converted by itself."""
    arguments = {re.split(r"[:= ]", one)[0] for one in raw.get("arguments", ())}
    for name, table in raw["fields"].items():
        if name in arguments and name in free_names(
            str(table.get("init", "")).removeprefix("=") or "None", expression=True
        ):
            yield _given(name)


def _given(name: str) -> Change:
    def change(raw: Raw) -> None:
        table = raw["fields"][name]
        table.pop("init")
        table |= default_of(raw, name)

    return change


def preset(raw: Raw, there: "There") -> Iterator[Change]:
    """A dict that is given, and gets entries of its own."""
    for name, table in raw["fields"].items():
        text = str(table.get("init", ""))
        match ast.parse(text[1:].strip(), mode="eval").body if text.startswith("=") else None:
            case ast.BinOp(op=ast.BitOr(), right=ast.Dict(keys=keys, values=values)):
                pairs = zip(keys, map(_entry, values), strict=True)
                yield _preset(
                    name, {one.value: value for one, value in pairs if isinstance(one, ast.Constant)}
                )
            case _:
                pass


def _entry(node: ast.expr) -> Any:
    """The value of an entry, without the array that is made of it."""
    value = node.args[0] if isinstance(node, ast.Call) and node.args else node
    return value.value if isinstance(value, ast.Constant) else f"={ast.unparse(value)}"


def _preset(name: str, entries: Mapping[Any, Any]) -> Change:
    def change(raw: Raw) -> None:
        _given(name)(raw)
        raw["fields"][name]["preset"] = dict(entries)

    return change


def unannotated(raw: Raw, there: "There") -> Iterator[Change]:
    """Arguments that are fields, whose types say what may be given for them."""
    given = [name for name, table in raw["fields"].items() if "init" not in table]
    for names in (given, *([one] for one in given)):
        yield _without_types(names)


def _without_types(names: list[str]) -> Change:
    def change(raw: Raw) -> None:
        for place, text in enumerate(raw.get("arguments", ())):
            name = re.split(r"[:= ]", text)[0]
            if name in names:
                default = parse_argument(text).default
                raw["arguments"][place] = f"{name} = {default}" if default else name

    return change


def listed(raw: Raw, there: There) -> Iterator[Change]:
    """What makes a list, which the class holds as a tuple by itself."""
    for name, table in raw["fields"].items():
        text = str(table.get("init", ""))
        match ast.parse(text[1:].strip(), mode="eval").body if text.startswith("=") else None:
            case ast.Call(func=ast.Name(id="tuple"), args=[ast.GeneratorExp(elt=one, generators=parts)]):
                yield _key(name, "init", f"={ast.unparse(ast.ListComp(one, parts))}")
            case ast.Call(func=ast.Name(id="tuple"), args=[one]):
                yield _key(name, "init", f"={ast.unparse(one)}")
            case _:
                pass


def named(raw: Raw, there: There) -> Iterator[Change]:
    """Fields that named initialisers draw: all at once without what is set up for them, and each by itself."""
    found = {name: [*_initialisers(table)] for name, table in raw["fields"].items()}

    def all_of(depth: int, setup: str) -> Change:
        def change(raw: Raw) -> None:
            for name, ways in found.items():
                raw["fields"][name] |= ways[min(depth, len(ways) - 1)] if ways else {}
            raw["setup"] = setup

        return change

    setups = dict.fromkeys(("", _without_draws(str(raw.get("setup", "")))))
    depths = range(max(map(len, found.values()), default=0))
    yield from (all_of(depth, setup) for depth in depths for setup in setups)
    for name, ways in found.items():
        yield from (_updated(name, way) for way in ways)


def _without_draws(setup: str) -> str:
    """What is set up without what the tool writes to draw: the splits of the key, and functions."""
    kept = [
        one
        for one in ast.parse(setup).body
        if not isinstance(one, ast.FunctionDef) and not ast.unparse(one).endswith(_SPLITS)
    ]
    lines = setup.split("\n")
    return "\n".join("\n".join(lines[one.lineno - 1 : one.end_lineno]) for one in kept)


def _updated(name: str, way: Mapping[str, Any]) -> Change:
    return lambda raw: raw["fields"][name].update(way)


def _initialisers(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The named initialisers whose name stands in what makes a field, with the measure that it is given."""
    text = str(table.get("init", ""))
    if not text.startswith("="):
        return
    node = ast.parse(text[1:].strip(), mode="eval").body
    optional: dict[str, Any] = {}
    if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Name) and ast.unparse(node.orelse) == "None":
        optional, node = {"optional": node.test.id, "type": _without_none(str(table["type"]))}, node.body
    node = node.body if isinstance(node, ast.IfExp) else node
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    words = [ast.unparse(one.func) for one in calls]
    for name in INITIALISERS:
        if any(name == word.rpartition(".")[2] or f".{name}(" in word for word in words):
            yield {"init": name, **optional}
            measured = _measures(node, calls) if INITIALISERS[name].measured else ()
            yield from ({"init": f"{name}({one})", **optional} for one in measured)


def _measures(node: ast.expr, calls: list[ast.Call]) -> list[str]:
    """What a named initialiser may be given: what multiplies the draw, and the last arguments of the calls."""
    factors = [node.left] if isinstance(node, ast.BinOp) else []
    given = [one for call in calls for one in (*call.args, *(each.value for each in call.keywords))]
    return list(dict.fromkeys(ast.unparse(one) for one in (*factors, *given[::-1][:4])))


def _without_none(text: str) -> str:
    return text.removesuffix("| None").strip()


def optional(raw: Raw, there: There) -> Iterator[Change]:
    """A field that a flag leaves out."""
    for name, table in raw["fields"].items():
        text = str(table.get("init", ""))
        node = ast.parse(text[1:].strip(), mode="eval").body if text.startswith("=") else None
        if (
            isinstance(node, ast.IfExp)
            and isinstance(node.test, ast.Name)
            and ast.unparse(node.orelse) == "None"
        ):
            way = {"init": f"={ast.unparse(node.body)}", "optional": node.test.id}
            yield _updated(name, {**way, "type": _without_none(str(table["type"]))})


def set_up(raw: Raw, there: There) -> Iterator[Change]:
    """What is set up without one of its statements: the tool writes it by itself."""
    text = str(raw.get("setup", ""))
    for place in range(len(ast.parse(text).body)):
        yield _without_statement(place)


def _without_statement(place: int) -> Change:
    def change(raw: Raw) -> None:
        body = ast.parse(raw.get("setup", "")).body
        if len(body) > 0:
            lines = raw["setup"].split("\n")
            at = min(place, len(body) - 1)
            one = body[len(body) - 1 - at]
            raw["setup"] = "\n".join([*lines[: one.lineno - 1], *lines[one.end_lineno :]]).strip("\n")

    return change


def checked(raw: Raw, there: There) -> Iterator[Change]:
    """What the class checks, by the first field that it is about."""
    for condition in there.checks:
        fields = [name for name in free_names(condition, expression=True) if name in raw["fields"]]
        yield from (_key(name, "check", condition) for name in fields)


def typed(raw: Raw, there: There) -> Iterator[Change]:
    """Arrays of the dtype that jax takes by default, or of 32 bits, where the constructor takes none."""
    if not any(one.partition(" ")[0] == "dtype" for one in raw.get("arguments", ())):

        def default(raw: Raw) -> None:
            raw["dtype"] = "default"
            for table in raw["fields"].values():
                table["type"] = str(table["type"]).replace("f32[", "f[")

        def exact(raw: Raw) -> None:
            raw.pop("dtype", None)
            for table in raw["fields"].values():
                table["type"] = str(table["type"]).replace("f[", "f32[")

        yield exact
        yield default


def unsaid(raw: Raw, there: There) -> Iterator[Change]:
    """What is so by itself: roles, the list of arguments, the form of the constructor."""
    yield _without("", "arguments", "constructor")
    yield _without("", "arguments")
    for name in raw["fields"]:
        yield from (_without(name, key) for key in ("role", "default"))


MOVES: tuple[Move, ...] = (
    *(rebuilt, saved, typed, preset, given, listed, named, optional, set_up, unannotated),
    *(rebuilt, guarded, checked, typed, unsaid),
)


def conditions(node: ast.ClassDef) -> tuple[str, ...]:
    """What `__check_init__` demands, as conditions over the names of fields."""
    functions = (
        one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__check_init__"
    )
    found: list[str] = []
    for one in (statement for function in functions for statement in function.body):
        if (
            isinstance(one, ast.If)
            and not one.orelse
            and any(isinstance(part, ast.Raise) for part in one.body)
        ):
            found.append(_without_self(_opposite(one.test)))
    return tuple(found)


def _opposite(test: ast.expr) -> str:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _OPPOSITES:
            return ast.unparse(ast.Compare(left, [_OPPOSITES[type(operator)]()], [right]))
        case _:
            return f"not ({ast.unparse(test)})"


_OPPOSITES: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def _without_self(text: str) -> str:
    def change(node: ast.AST, above: tuple[ast.AST, ...]) -> str | None:
        is_own = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"
        return node.attr if is_own and isinstance(node, ast.Attribute) else None

    return rewrite(text, change)
