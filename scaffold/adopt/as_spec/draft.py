"""The tables of a spec for a class that exists: a first draft, and that without what no spec may hold."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.as_spec.built import BuiltBy, built_by
from scaffold.adopt.as_spec.emitted import spec_of, whole_module
from scaffold.adopt.as_spec.fields import Declared, assigned_fields, declared_fields, field_table
from scaffold.adopt.as_spec.methods import constructor_texts, method_table
from scaffold.adopt.as_spec.shapes import FREE
from scaffold.adopt.as_spec.source import ClassSource, NotSaidError
from scaffold.adopt.as_spec.types import Types
from scaffold.emit.imports import imported
from scaffold.errors import Fault, ScaffoldError
from scaffold.in_project.layout import Layout
from scaffold.kinds import kind_of
from scaffold.spec import ModuleSpec
from scaffold.spec.raw import as_list, as_table
from scaffold.spec.signature import parse_argument
from scaffold.spec.skeletons.notes import Notes
from scaffold.spec.skeletons.values import raw_value

KINDS = {
    "module": "module",
    "nnx": "nnx",
    "registered": "pytree",
    "namedtuple": "namedtuple",
    "abstract module": "abstract",
}
OWNED = (
    *("__init__", "create", "__check_init__", "trainable", "save", "load", "snapshot", "restore"),
    *("tree_flatten", "tree_unflatten", "tree_flatten_with_keys", "__post_init__", "_check", "_rebuild"),
)
"""What a class gets from the tool, where it gets it at all."""
OF_KINDS = (("closure", "structure", "as_function"), ("train state", "opt_state", "apply_gradients"))
"""Kinds whose classes are known by a field and a method."""
_MODULES = ("equinox.Module", "equinox._module.Module", "flax.nnx.Module", "typing.NamedTuple")
_REPAIRS = 12
_PROSE = ("doc", "comment", "type", "returns", "bases")


class Draft(Struct, frozen=True):
    """Tables that give a sound spec, and what had to be left out for that, each with the reason."""

    raw: dict[str, Any]
    spec: ModuleSpec
    left_out: dict[str, str] = field(default_factory=dict[str, str])


def first_draft(source: ClassSource, types: Types, layout: Layout) -> Draft:
    """All that the class says, as tables. Raises `NotSaidError` where no spec can say it."""
    if source.kind not in KINDS:
        raise NotSaidError("it is of no kind that a spec has")
    for name, base in source.inherited.items():
        raise NotSaidError(f"its field `{name}` is declared by `{base}`, and a class of a spec has its own")
    left_out: dict[str, str] = {}
    raw: dict[str, Any] = {"name": source.node.name, "kind": KINDS[source.kind]}
    declared = list(declared_fields(source))
    if not declared or source.kind == "nnx":
        names = [one.name for one in declared]
        declared += [one for one in assigned_fields(source) if one.name not in names]
    if not declared:
        raise NotSaidError("it holds nothing, and a spec has fields")
    check_kind(declared, source)
    check_arrays(declared, source)
    built = built_by(source, (one.name for one in declared))
    doc = ast.get_docstring(source.node)
    raw |= {"doc": doc} if doc else {}
    raw |= bases(source)
    raw["fields"] = {one.name: field_table(one, built.inits.get(one.name), source, types) for one in declared}
    raw |= constructed(built, source, types, raw["fields"])
    for name, table in raw["fields"].items():
        table |= default_of(raw, name) if "init" not in table else {}
    raw |= methods(source, types, built, left_out)
    raw |= {"helpers": source.helpers} if source.helpers else {}
    raw["imports"] = imports_of(source, raw, types)
    return sound({key: one for key, one in raw.items() if one not in ({}, [])}, left_out, types, layout)


def check_kind(declared: Iterable[Declared], source: ClassSource) -> None:
    """Refuses what a kind writes by itself, of which its spec says less than the class does."""
    names = {one.name for one in declared}
    for kind, attribute, method in OF_KINDS:
        if attribute in names and method in source.functions:
            what = f"`{attribute}` and `{method}` are what a spec of this kind has written by itself"
            raise NotSaidError(f"it is a {kind}, and {what}")
    if source.kind == "nnx" and "rngs" in names:
        raise NotSaidError("it keeps its `rngs`, and by a spec `__init__` draws, or the call from a key")


def check_arrays(declared: Iterable[Declared], source: ClassSource) -> None:
    """Refuses arrays in the treedef."""
    for one in declared:
        if one.is_static and source.names.of(one.annotation).rpartition(".")[2] in (
            "Array",
            "ArrayLike",
            "ndarray",
        ):
            raise NotSaidError(
                f"its static field `{one.name}` is an array, which has no equality that a treedef could use"
            )


def bases(source: ClassSource) -> dict[str, Any]:
    """The bases beside that of the kind."""
    whole = [
        source.names.of(one.value if isinstance(one, ast.Subscript) else one) for one in source.node.bases
    ]
    others = [one for one in whole if one not in _MODULES and "." in one and not one.endswith(".Generic")]
    if not others or source.kind not in ("module", "abstract module"):
        return {}
    texts = [":".join(one.rsplit(".", 1)) for one in others]
    return {"bases": [*texts, *(["equinox:Module"] if len(others) < len(whole) else [])]}


def constructed(
    built: BuiltBy, source: ClassSource, types: Types, fields: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The form of the constructor, its arguments and its statements."""
    if built.node is None:
        return {}
    known = {name: str(table["type"]) for name, table in fields.items()}
    arguments = constructor_texts(built.node, source, types, known)
    for name, table in fields.items():
        if table.get("init") == f"={name}" and name in [one.partition(":")[0] for one in arguments]:
            dict.pop(table, "init")  # type: ignore[arg-type]
    return {"constructor": built.form, "arguments": arguments, "setup": built.setup}


def default_of(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The default of the argument that a field is, as a key of that field."""
    arguments = {
        one.name: one.default for one in map(parse_argument, raw.get("arguments", ())) if one.default
    }
    text = arguments.get(name)
    if text is None:
        return {}
    return {"default": raw_value(ast.parse(text, mode="eval").body, Notes(text, ""))}


def methods(source: ClassSource, types: Types, built: BuiltBy, left_out: dict[str, str]) -> dict[str, Any]:
    """The call and the methods in their order; a class method that gives the class, above the others, is a constructor."""
    found: dict[str, dict[str, Any]] = {"constructors": {}, "methods": {}}
    call: dict[str, Any] = {}
    for name, node in source.functions.items():
        if node is built.node or (name in OWNED and name != "create"):
            continue
        is_first = not (call or found["methods"])
        within = "constructors" if is_first and builds(node, source) else "methods"
        within = "call" if name == "__call__" and not found["methods"] else within
        drafted = method_table(node, within, source, types)
        if drafted.why:
            left_out[name] = drafted.why
        elif within == "call":
            call = drafted.table
        else:
            found[within][name] = drafted.table
    return {**({"call": call} if call else {}), **found}


def builds(node: ast.FunctionDef, source: ClassSource) -> bool:
    """Whether it is a class method whose result is the class."""
    text = ast.unparse(node.returns).strip("'\"") if node.returns is not None else ""
    is_own = text.rpartition(".")[2] in (source.node.name, "Self")
    return is_own and [ast.unparse(one) for one in node.decorator_list] == ["classmethod"]


def imports_of(source: ClassSource, raw: Mapping[str, Any], types: Types) -> list[str]:
    """The imports that the spec has to say: not those that any class of the kind may count on."""
    known = kind_of(str(raw["kind"])).imports
    needed = source.names.imports(known, types.foreign)
    own = {kind.rpartition(".")[2] for kind in source.variables.values()}  # which the module defines
    found = [one for one in source.imports("\n".join(code_in(raw))) if not own & {*imported(one)}]
    return [line for line in found if line in needed or line.startswith(f"from {source.module} import")]


def code_in(raw: Any) -> Iterator[str]:
    """The Python that tables hold, all but prose and types."""
    if isinstance(raw, str):
        yield raw
    elif isinstance(raw, Mapping):
        table = as_table(raw)
        yield from (text for key, one in table.items() if key not in _PROSE for text in code_in(one))
    elif isinstance(raw, list):
        yield from (text for one in as_list(raw) for text in code_in(one))


# -- what is sound -----------------------------------------------------------------------------------------------------


def sound(raw: dict[str, Any], left_out: dict[str, str], types: Types, layout: Layout) -> Draft:
    """The draft without the methods, checks and converters that a spec may not hold. Raises `NotSaidError` for other faults."""
    faults: tuple[Fault, ...] = ()
    for _ in range(_REPAIRS):
        try:
            spec = spec_of(raw)
            whole_module(spec, layout)
            return Draft(raw, spec, left_out)
        except ScaffoldError as error:
            faults = tuple(error.faults)
        repaired = [fault for fault in faults if repair(raw, fault, left_out, types)]
        if not repaired:
            break
    raise NotSaidError("; ".join(told(fault) for fault in faults[:3]))


def told(fault: Fault) -> str:
    """A fault in a line, at its place in the spec."""
    place = fault.where.partition(": ")[2]
    return f"{place}: {fault.what}" if place else fault.what


def repair(raw: dict[str, Any], fault: Fault, left_out: dict[str, str], types: Types) -> bool:
    """Takes out of the tables what a fault is about, where the class can do without."""
    match fault.where.partition(": ")[2].split("."):
        case ["call" | "methods" | "constructors", *_] if fault.what.endswith(
            "is a dim of nothing that goes in"
        ):
            return resized(raw, fault, types)
        case ["call" | "methods" | "constructors", *_] if fault.what.endswith("that the body never reads"):
            raw.setdefault("test", {}).setdefault("unused", []).append(_quoted(fault))
        case ["test", "sizes", *_] if (size := types.size_of(raw["fields"], _quoted(fault))) is not None:
            raw.setdefault("test", {}).setdefault("sizes", {})[_quoted(fault)] = size
        case ["test", "values", *_] if value := types.seen.example(fault.what.split("`")[-2]):
            raw.setdefault("test", {}).setdefault("values", {})[fault.what.split("`")[-2]] = f"={value}"
            lines = types.seen.imports_for(value, [*types.foreign, source_name(raw)])
            raw["imports"] = list(dict.fromkeys([*raw.get("imports", ()), *lines]))
        case ["test", "unused", *_] if _quoted(fault) in raw.get("test", {}).get("unused", ()):
            raw["test"]["unused"].remove(_quoted(fault))
        case ["methods" | "constructors" as table, name, *_] if name in raw.get(table, {}):
            del raw[table][name]
            left_out[name] = fault.what
        case ["call", *_] if "call" in raw:
            del raw["call"]
            left_out["__call__"] = fault.what
        case ["fields", name, "check" | "converter" | "default" as key] if key in raw["fields"].get(name, {}):
            del raw["fields"][name][key]
            left_out[f"{name}: {key}"] = fault.what
        case ["imports", *_] if "`" in fault.what:
            line = fault.what.split("`")[1]
            before = len(raw.get("imports", ()))
            raw["imports"] = [one for one in raw.get("imports", ()) if one != line]
            return len(raw["imports"]) < before
        case _:
            return False
    return True


def resized(raw: dict[str, Any], fault: Fault, types: Types) -> bool:
    """Says the size of a dim that is in the results alone; or leaves the results unsaid."""
    parts = fault.where.partition(": ")[2].split(".")
    table = raw.get("call", {}) if parts[0] == "call" else raw.get(parts[0], {}).get(parts[1], {})
    dim = _quoted(fault)
    sizes = raw.setdefault("test", {}).setdefault("sizes", {})
    size = types.size_of_result(str(table.get("returns", "")), dim)
    if size is not None and dim not in sizes and dim not in FREE:
        sizes[dim] = size
        return True
    return table.pop("returns", None) is not None


def source_name(raw: Mapping[str, Any]) -> str:
    """The name of the class."""
    return str(raw["name"])


def _quoted(fault: Fault) -> str:
    """The first name that a fault is about."""
    return fault.what.split("`")[1]
