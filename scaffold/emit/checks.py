"""What a constructor refuses: static values that would poison the treedef, and the author's own invariants."""

from scaffold.spec.expressions import rename
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.types import (
    CallableType,
    DictType,
    ListType,
    LiteralType,
    ScalarType,
    TupleType,
    Type,
    UnionType,
)


def check_statements(spec: ModuleSpec) -> tuple[str, ...]:
    """Statements over `self` that raise where an instance must not exist."""
    static = [_static_check(field) for field in spec.static]
    own = [_own_check(spec, field) for field in spec.fields if field.check]
    return (*static, *own)


def _static_check(field: Field) -> str:
    value = f"self.{field.name}"
    refusal = _refusal(field.type, value)
    message = f"`{field.name}` is static, so it must be {describe(field.type)}, got "
    return f'if {refusal}:\n    raise TypeError(f"{_quoted(message)}{{{value}!r}}")'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def describe(kind: Type) -> str:
    """The type in words, for a message."""
    match kind:
        case ScalarType(name="float"):
            return "a float other than NaN"
        case ScalarType(name=name):
            return {"int": "an int", "bool": "a bool", "str": "a str"}[name]
        case LiteralType(values=values):
            return "one of " + ", ".join(map(repr, values))
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
    return f"{item.name}s" if isinstance(item, ScalarType) else f"({describe(item)})"


def _refusal(kind: Type, value: str) -> str:
    """A condition that holds where `value` is not an immutable hashable of this type with equality by value."""
    match kind:
        case ScalarType(name="float"):
            return f"type({value}) is not float or {value} != {value}"
        case ScalarType(name=name):
            return f"type({value}) is not {name}"
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


def _own_check(spec: ModuleSpec, field: Field) -> str:
    source = field.check or ""
    condition = rename(source, {one.name: f"self.{one.name}" for one in spec.fields})
    message = f"`{field.name}` must satisfy `{source}`, got "
    return f'if not ({condition}):\n    raise ValueError(f"{_quoted(message)}{{self.{field.name}!r}}")'
