"""Values of a spec as Python source, and checks of their types."""

import ast
import re
from collections.abc import Mapping
from typing import Any, cast

from scaffold.errors import shortened
from scaffold.source.expressions import expression_or_none
from scaffold.spec.grammar import types
from scaffold.spec.grammar.dtypes import CHOSEN_DTYPES, DEFAULT_DTYPES, DTYPES
from scaffold.spec.raw import as_list, as_table

_NAN = r"""(?i)(float\(\s*['"][+-]?nan['"]\s*\)|(math|np|jnp|jax\.numpy|numpy)\.nan)"""
EXAMPLE_INT = "3"
"""The whole number that tests pass if nothing else determines the argument."""
SEQUENCES = {**dict.fromkeys(("list", "List", "Sequence"), list), **dict.fromkeys(("tuple", "Tuple"), tuple)}
"""Sequences that tests pass, by the name of the type."""
PAIRED = 3
"""Number of whole numbers that tests pass if code reads neighbours together, as the sizes of two layers."""
_ANY_OBJECT = types.CallableType | types.ArrayType | types.TreeType | types.ClassType | types.OpaqueType
"""Types that a function may have, since only running it would tell."""
_SCALARS = {"int": int, "bool": bool, "str": str, "float": float}


def example_ints(count: int, *, is_tuple: bool) -> tuple[int, ...]:
    """Return several whole numbers for tests, which differ in a tuple of two, and where there are three."""
    is_varied = count == PAIRED or (is_tuple and count == 2)
    return (2, 3, 5)[:count] if is_varied else (int(EXAMPLE_INT),) * count


def literal(value: Any, role: str = "", kind: types.Type | None = None) -> str:
    """Write a TOML value as Python source.

    A string that begins with `=` is an expression. So is a string whose type or role TOML cannot write.
    """
    if not isinstance(value, str):
        return _source(value)
    if kind == types.ScalarType("dtype") and value in _DTYPE_NAMES:
        return f"jnp.{_DTYPE_NAMES[value]}"
    unwritable = role in ("callable", "module") or isinstance(kind, types.ClassType | types.SetType)
    if value.startswith("=") or unwritable or kind in (types.ScalarType("dtype"), types.ScalarType("slice")):
        return one_value(value.removeprefix("=").strip())
    return _source(value)


_NUMBER_DTYPES = {
    name: DTYPES[name][1].replace("bool", "bool_")
    for name in DTYPES
    if name not in ("key", *CHOSEN_DTYPES, *DEFAULT_DTYPES)
}
_DTYPE_NAMES = {**_NUMBER_DTYPES, **{name.removesuffix("_"): name for name in _NUMBER_DTYPES.values()}}
"""The dtypes by their names in the grammar and in NumPy, each with its name in jax.numpy."""


def _source(value: Any) -> str:
    match value:
        case list():
            parts = [_source(item) for item in as_list(value)]
            return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
        case Mapping():
            pairs = (f"{name!r}: {_source(item)}" for name, item in as_table(value).items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return scalar_source(value)


def scalar_source(value: Any) -> str:
    """Write a value that holds no others as Python source."""
    if not isinstance(value, float):
        return repr(value)
    is_named = value != value or value in (float("inf"), float("-inf"))
    return f'float("{value}")' if is_named else _float_source(value)


def _float_source(value: float) -> str:
    """Write a float as people do: `1e-6` for `1e-06`, and `-1e9` for `-1000000000.0`."""
    digits, _, exponent = repr(value).partition("e")
    zeros = re.fullmatch(r"(-?\d)(0{5,})\.0", digits)
    if zeros:
        return f"{zeros[1]}e{len(zeros[2])}"
    return f"{digits}e{int(exponent)}" if exponent else digits


def literals(table: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the names and the sources of the values in a table."""
    return tuple((name, literal(value)) for name, value in table.items())


def one_value(source: str) -> str:
    """Return an expression as one argument, in parentheses if commas separate several."""
    call = expression_or_none(f"_({source}\n)")
    if call is None or expression_or_none(source) is None:
        return source  # the syntax rule says what is wrong
    is_one = isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords
    return source if is_one else f"({source})"


def value_fault(kind: types.Type, source: str) -> str | None:
    """Return why the value of `source` is not of type `kind`, or None.

    None also stands for source that only a run can evaluate.
    """
    try:
        value = ast.literal_eval(source)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _function_fault(kind, source)
    return None if is_of(kind, value) else f"{shortened(source)} is not {described(kind)}"


def literal_or_none(source: str | ast.expr) -> Any:
    """Evaluate a source if it is a literal, or return None."""
    try:
        return ast.literal_eval(source)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def is_nan(source: str) -> bool:
    """Whether the source is one of the usual ways to write NaN."""
    return re.fullmatch(_NAN, source) is not None


def _function_fault(kind: types.Type, source: str) -> str | None:
    """Return the fault of a lambda whose type is no function, if any."""
    is_lambda = isinstance(expression_or_none(source), ast.Lambda)
    return f"a function is not {described(kind)}" if is_lambda and not isinstance(kind, _ANY_OBJECT) else None


def is_of(kind: types.Type, value: object) -> bool:
    """Whether a literal is of this type. Arrays accept numbers and nested lists of numbers."""
    match kind:
        case types.ScalarType(name="float"):
            return type(value) in (float, int) and value == value
        case types.ScalarType(name="dtype"):
            return isinstance(value, str)
        case types.ScalarType(name=name):
            return type(value) is _SCALARS.get(name)
        case types.SetType(item=item):
            return isinstance(value, set | frozenset | tuple | list) and _all_of(item, value)
        case types.LiteralType(values=values):
            return any(type(choice) is type(value) and choice == value for choice in values)
        case types.TupleType(items=items, variadic=variadic):
            return isinstance(value, tuple | list) and _fits(items, variadic, list(cast("list[Any]", value)))
        case types.ListType(item=item):
            return isinstance(value, tuple | list) and _all_of(item, value)
        case types.DictType(item=item):
            return isinstance(value, dict) and _is_dict_of(item, cast("dict[Any, Any]", value))
        case types.UnionType(members=members, optional=optional):
            return (optional and value is None) or any(is_of(member, value) for member in members)
        case types.ArrayType():
            return _is_numbers(value)
        case types.CallableType():
            return False
        case (
            types.TreeType() | types.OpaqueType() | types.ClassType()
        ):  # the name of a class may stand for another type
            return True


def _all_of(item: types.Type, values: Any) -> bool:
    return all(is_of(item, value) for value in values)


def _is_dict_of(item: types.Type, value: dict[Any, Any]) -> bool:
    return all(isinstance(name, str) and is_of(item, element) for name, element in value.items())


def _fits(items: tuple[types.Type, ...], variadic: bool, values: list[Any]) -> bool:
    kinds = items * len(values) if variadic else items
    return len(kinds) == len(values) and all(map(is_of, kinds, values))


def _is_numbers(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_numbers, cast("list[Any]", value)))
    return isinstance(value, int | float | complex)


def described(kind: types.Type) -> str:
    """Describe a type in words, with its article."""
    match kind:
        case types.ScalarType(name=name):
            return "an int" if name == "int" else f"a {name}"
        case types.LiteralType(values=values):
            return " or ".join(map(repr, values))
        case types.ArrayType():
            return "a number or an array"
        case types.CallableType():
            return "a function"
        case types.OpaqueType(text=text):
            return f"`{text}`"
        case types.ClassType(name=name):
            return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
        case types.UnionType(members=members, optional=optional):
            return " or ".join([*map(described, members), *(["None"] if optional else [])])
        case types.SetType():
            return "a frozenset of the declared type"
        case types.TupleType() | types.ListType():
            return "a tuple of the declared types"
        case types.DictType() | types.TreeType():
            return "a dict of the declared type"


def default_source(kind: types.Type, source: str) -> str:
    """Return the default as the signature has it: a float for a float type, a frozenset for a set."""
    is_set = isinstance(kind, types.SetType) and source.startswith("{")
    return f"frozenset({source})" if is_set else as_float(kind, source)


def as_float(kind: types.Type, source: str) -> str:
    """Return `1.0` for `1` if the type is float, since a static float must be one."""
    is_int = kind == types.ScalarType("float") and re.fullmatch(r"[+-]?\d+", source)
    return f"{source}.0" if is_int else source
