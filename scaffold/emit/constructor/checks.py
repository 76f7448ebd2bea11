"""Checks of a constructor: static values that would break the treedef, and the author's invariants."""

import ast
import textwrap

from scaffold.emit.nesting import located
from scaffold.passes.static_storage import as_given
from scaffold.source.rewriting import rename
from scaffold.spec.grammar.types import (
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    OpaqueType,
    ScalarType,
    SetType,
    TupleType,
    Type,
    UnionType,
)
from scaffold.spec.model import Field, ModuleSpec

# Stand for the shown name and value while a message is wrapped: one word, as wide as what replaces it.
_NAME, _VALUE = "\0", "\1"


def check_statements(spec: ModuleSpec) -> tuple[str, ...]:
    """Return statements on `self` that raise for an invalid instance."""
    by_type: dict[Type, list[Field]] = {}
    for field in (field for field in spec.static if is_checked(field)):
        by_type.setdefault(field.type, []).append(field)
    taken = {field.name for field in spec.fields}
    loop = next(name for name in ("name", "field_name", "static_name") if name not in taken)
    static = [_static_check(kind, fields, loop) for kind, fields in by_type.items()]
    return (*static, *own_checks(spec))


def own_checks(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the statements for the author's own invariants."""
    return tuple(_own_check(spec, field) for field in spec.fields if field.check)


def is_checked(field: Field) -> bool:
    """Whether a given static value is checked against its type, which opaque and function types rule out."""
    is_own = isinstance(field.type, OpaqueType) or (
        field.role == "static" and isinstance(field.type, CallableType)
    )
    return field.given and not is_own


def _static_check(kind: Type, fields: list[Field], loop: str) -> str:
    """Return a check for all static fields of a type, with a loop over `loop` if there are several."""
    message = f"is static and must be {describe(kind)}"
    if len(fields) == 1:
        name = fields[0].name
        return _raise_if(
            _refusal(kind, f"self.{name}"), "TypeError", f"`{name}` {message}", f"self.{name}", indent=""
        )
    names = ", ".join(f'"{field.name}"' for field in fields)
    inner = _raise_if(
        _refusal(kind, "value"), "TypeError", f"`{_NAME * 6}` {message}", "value", indent="    "
    )
    return f"for {loop} in ({names}):\n    value = getattr(self, {loop})\n{inner.replace('{name}', f'{{{loop}}}')}"


def _own_check(spec: ModuleSpec, field: Field) -> str:
    source = field.check or ""
    named = rename(source, {field.name: f"self.{field.name}" for field in spec.fields})
    condition = located(spec, as_given(spec, named))
    message = f"`{field.name}` must satisfy `{source}`"
    shown = located(spec, f"self.{field.name}")
    return _raise_if(_negated(condition), "ValueError", message, shown, indent="")


_OPPOSITE = {"==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}


def _negated(condition: str) -> str:
    """Return the opposite condition as people write it, except for `not (a > b)`, which covers NaN."""

    match ast.parse(condition, mode="eval").body:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.get_source_segment(condition, operand) or ""
        case ast.Compare(left=left, comparators=[right]) if condition.isascii() and "\n" not in condition:
            between = condition[left.end_col_offset : right.col_offset]
            operator = " ".join(between.strip("() ").split())
            if operator in _OPPOSITE:
                opposite = between.replace(between.strip("() "), _OPPOSITE[operator])
                return f"{condition[: left.end_col_offset]}{opposite}{condition[right.col_offset :]}"
        case _:
            pass
    return f"not ({condition})"


def _raise_if(condition: str, error: str, message: str, value: str, *, indent: str) -> str:
    """Return an `if` that raises, with a long message split into several literals."""
    shown = _VALUE * len(f"{{{value}!r}}")
    lines = textwrap.wrap(f"{message}, got {shown}", 62, break_long_words=False, break_on_hyphens=False)
    parts = [_literal(line + " " * (index < len(lines) - 1), value) for index, line in enumerate(lines)]
    raised = f"{indent}    raise {error}({' '.join(parts)})"
    return f"{indent}if {condition}:\n{raised}"


def _literal(text: str, value: str) -> str:
    """Return the text as a string literal, or as an f-string if it shows the name or value."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    if _NAME not in text and _VALUE not in text:
        return f'"{quoted}"'
    shown = f"{{{value}!r}}"
    braced = quoted.replace("{", "{{").replace("}", "}}")
    return f'f"{braced.replace(_NAME * 6, "{name}").replace(_VALUE * len(shown), shown)}"'


def describe(kind: Type) -> str:
    """Describe the type in words for a message."""
    match kind:
        case ScalarType(name="float"):
            return "a float other than NaN"
        case ScalarType(name="slice"):
            return "a slice (held as a tuple of its three parts)"
        case ScalarType(name=name):
            return f"an {name}" if name == "int" else f"a {name}"
        case LiteralType(values=values):
            return " or ".join(map(repr, values))
        case ClassType(name=name):
            return f"{'an' if name[0] in 'AEIOU' else 'a'} {name} with a hash, equal by value"
        case SetType(item=item):
            return f"a frozenset of {_plural(item)}"
        case CallableType():
            return "a function of a module, not a lambda, closure, partial or bound method"
        case UnionType(members=members, optional=optional):
            return " or ".join([*map(describe, members), *(["None"] if optional else [])])
        case TupleType(items=(item,), variadic=True) | ListType(item=item):
            return f"a tuple of {_plural(item)}"
        case DictType(item=item):
            return f"a sorted tuple of pairs of a str and {describe(item)}"
        case _:
            return "a tuple"


def _plural(item: Type) -> str:
    if isinstance(item, ScalarType):
        return _SLICES if item.name == "slice" else f"{item.name}s"
    return f"({describe(item)})"


_SLICES = "slices (each held as a tuple of its three parts)"


def _refusal(kind: Type, value: str) -> str:
    """Return the condition that `value` is no immutable hashable of this type with equality by value."""
    match kind:
        case ScalarType(name="float"):
            # An int is as good: equal numbers have equal hashes.
            return f"type({value}) not in (float, int) or math.isnan({value})"
        case ScalarType(name="dtype"):
            return f"not isinstance({value}, np.dtype)"
        case ScalarType(name="slice"):
            refused = f"part is not None and type(part) is not int for part in {value}"
            return f"type({value}) is not tuple or len({value}) != 3 or any({refused})"
        case ScalarType(name=name):
            return f"type({value}) is not {name}"
        case ClassType(name=name):
            # A set finds the copy again where the hash and `==` go by value; what has no hash is a TypeError.
            return f"not isinstance({value}, {name}) or {{deepcopy({value})}} != {{{value}}}"
        case SetType(item=item):
            return f"type({value}) is not frozenset or any({_refusal(item, 'item')} for item in {value})"
        case CallableType():
            # Functions, classes, ufuncs and jax's wrappers have a name; partials and Modules have none.
            name = f'getattr({value}, "__qualname__", getattr({value}, "__name__", "<"))'
            return f'"<" in {name} or isinstance({value}, MethodType)'
        case LiteralType(values=values):
            return " and ".join(
                f"{value} is not {v!r}" if type(v) is bool else f"{value} != {v!r}" for v in values
            )
        case UnionType(members=members, optional=optional):
            parts = [f"({_refusal(member, value)})" for member in members]
            return " and ".join([*parts, *([f"{value} is not None"] if optional else [])])
        case TupleType(items=(item,), variadic=True) | ListType(item=item):
            return f"type({value}) is not tuple or any({_refusal(item, 'item')} for item in {value})"
        case TupleType(items=items):
            members = [f"({_refusal(item, f'{value}[{index}]')})" for index, item in enumerate(items)]
            return " or ".join([f"type({value}) is not tuple", f"len({value}) != {len(items)}", *members])
        case DictType(item=item):
            inner = f"type(name) is not str or {_refusal(item, 'item')}"
            return f"type({value}) is not tuple or any({inner} for name, item in {value})"
        case _:
            return f"hash({value}) is None"
