"""The moves from one table to another that may say a class better; `choose` tries them."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scaffold.adopt.as_spec.draft import default_of
from scaffold.adopt.as_spec.draws import named, optional
from scaffold.adopt.as_spec.tables import Change, Move, Raw, There, key, without
from scaffold.spec.expressions import free_names
from scaffold.spec.keys import REBUILDS
from scaffold.spec.rewriting import rewrite
from scaffold.spec.roles import OF_GIVEN
from scaffold.spec.signature import parse_argument

# -- moves -------------------------------------------------------------------------------------------------------------


def rebuilt(raw: Raw, there: There) -> Iterator[Change]:
    """The ways in which unflatten may rebuild a pytree class."""
    yield from (key("", "rebuild", one) for one in REBUILDS * (raw["kind"] == "pytree"))


def saved(raw: Raw, there: There) -> Iterator[Change]:
    """The class saves and loads itself."""
    yield from (key("", "save", True) for _ in {"save"} & there.methods)


def guarded(raw: Raw, there: There) -> Iterator[Change]:
    """A field that is read behind `stop_gradient` is a buffer."""
    arrays = [name for name, table in raw["fields"].items() if table.get("role") in OF_GIVEN]
    yield from (_as_buffer(name) for name in arrays)
    yield from (_roles(arrays, role) for role in ("param", "data"))
    for name in arrays:
        yield from (key(name, "role", role) for role in OF_GIVEN)


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


def preset(raw: Raw, there: There) -> Iterator[Change]:
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


def unannotated(raw: Raw, there: There) -> Iterator[Change]:
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
                yield key(name, "init", f"={ast.unparse(ast.ListComp(one, parts))}")
            case ast.Call(func=ast.Name(id="tuple"), args=[one]):
                yield key(name, "init", f"={ast.unparse(one)}")
            case _:
                pass


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
        yield from (key(name, "check", condition) for name in fields)


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
    yield without("", "arguments", "constructor")
    yield without("", "arguments")
    for name in raw["fields"]:
        yield from (without(name, key) for key in ("role", "default"))


MOVES: tuple[Move, ...] = (
    *(rebuilt, saved, typed, preset, given, listed, named, optional, set_up, unannotated),
    *(rebuilt, guarded, checked, typed, unsaid),
)
