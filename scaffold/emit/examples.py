"""Example values for the generated tests: sizes of dims, and the source of a value for any type."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from scaffold.errors import ScaffoldError
from scaffold.spec.constructor import Parameter, dims_of, parameters, variadic_dims
from scaffold.spec.model import ModuleSpec
from scaffold.spec.types import (
    DTYPES,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    ScalarType,
    TreeType,
    TupleType,
    Type,
    UnionType,
)

_ARITHMETIC: dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
}


def primes() -> Iterator[int]:
    """2, 3, 5, 7, …: distinct sizes show a transposed shape."""
    found: list[int] = []
    number = 2
    while True:
        if all(number % prime for prime in found):
            found.append(number)
            yield number
        number += 1


def sizes(spec: ModuleSpec) -> dict[str, int]:
    """A size for every dim and every int argument that has no default."""
    chosen = dict(spec.test.sizes)
    wanted = [name for name in _sized_names(spec) if name not in chosen]
    free = (prime for prime in primes() if prime not in chosen.values())
    return {**chosen, **dict(zip(wanted, free, strict=False))}


def _sized_names(spec: ModuleSpec) -> Iterable[str]:
    fixed = variadic_dims(spec) | {name for name, _ in spec.test.values}
    ints = (one.name for one in parameters(spec) if _is_int(one.type) and one.default is None)
    return dict.fromkeys(name for name in (*dims_of(spec), *ints) if name not in fixed)


def _is_int(kind: Type | None) -> bool:
    first = kind.members[0] if isinstance(kind, UnionType) and kind.members else kind
    return first == ScalarType("int")


@dataclass(frozen=True)
class Examples:
    """The example values of one spec; `known` holds the specs of other classes, by name."""

    spec: ModuleSpec
    known: Mapping[str, ModuleSpec]
    sizes: Mapping[str, int]

    @classmethod
    def of(cls, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> "Examples":
        return cls(spec, known, sizes(spec))

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """The constructor's arguments by name, as source; what has a default that will do is left out."""
        pairs = ((one.name, self.parameter(one, index)) for index, one in enumerate(parameters(self.spec)))
        return tuple((name, source) for name, source in pairs if source is not None)

    def parameter(self, parameter: Parameter, index: int) -> str | None:
        explicit = dict(self.spec.test.values).get(parameter.name)
        if explicit is not None:
            return explicit
        if parameter.source == "key" or parameter.name == "key":
            return "jax.random.key(seed)"
        if parameter.name in self.sizes and _is_int(parameter.type):
            return str(self.sizes[parameter.name])
        nullable = parameter.field is not None and parameter.field.nullable and parameter.source == "field"
        if parameter.default is not None and not (nullable and parameter.default == "None"):
            return None
        kind = parameter.type if parameter.type is not None else ScalarType("int")
        names = tuple(name for name, _ in parameter.field.preset) if parameter.field is not None else ()
        return self.value(kind, parameter.name, index, names)

    def value(self, kind: Type, name: str, offset: int, keys: tuple[str, ...] = ()) -> str:
        """Source of an example of `kind` for the argument `name`; `offset` makes it differ from its neighbours."""
        match kind:
            case ArrayType():
                return self.sample(kind, offset)
            case ScalarType(name=scalar):
                return {"int": "3", "bool": "True", "str": repr(name), "float": "0.5"}[scalar]
            case TupleType(items=items, variadic=variadic):
                parts = [self.value(item, name, offset) for item in (items * 2 if variadic else items)]
                return "(2, 3)" if variadic and parts == ["3", "3"] else f"({', '.join(parts)},)"
            case LiteralType(values=values):
                return repr(values[0])
            case CallableType():
                return "jnp.tanh"
            case ListType(item=item):
                return f"[{self.value(item, name, offset)}, {self.value(item, name, offset + 10)}]"
            case DictType(item=item):
                entries = (*keys, "z" if "b" in keys else "b")
                pairs = (
                    f"{key!r}: {self.value(item, name, offset + 10 * i)}" for i, key in enumerate(entries)
                )
                return f"{{{', '.join(pairs)}}}"
            case TreeType():
                return f'{{"a": sample(seed + {offset}, (2,)), "b": (sample(seed + {offset + 10}, (3,)),)}}'
            case UnionType(members=members):
                return self.value(members[0], name, offset) if members else "None"
            case ClassType():
                return self.instance(kind, name)

    def sample(self, kind: ArrayType, offset: int) -> str:
        seed = f"seed + {offset}" if offset else "seed"
        parts = [seed, repr(self.shape(kind))]
        if DTYPES[kind.dtype][1] != "float":
            parts.append(f'"{DTYPES[kind.dtype][1]}"')
        return f"sample({', '.join(parts)})"

    def shape(self, kind: ArrayType) -> tuple[int, ...]:
        return tuple(size for dim in kind.dims for size in self.dim(dim))

    def dim(self, dim: str) -> tuple[int, ...]:
        """The size of a dim, or the sizes for which `*shape` stands."""
        if not dim.startswith("*"):
            return (evaluate(dim, self.sizes),)
        shape = dict(self.spec.test.shapes).get(dim[1:])
        if shape is not None:
            return shape
        found = ((one, self.parameter(one, 0)) for one in parameters(self.spec) if one.name == dim[1:])
        source = next((given or one.default for one, given in found), None) or "(2, 3)"
        value: int | tuple[int, ...] = ast.literal_eval(source)
        return value if isinstance(value, tuple) else (value,)

    def instance(self, kind: ClassType, name: str) -> str:
        """Source that builds an instance of another class; that class must be generated too, or a value given."""
        spec = self.known.get(kind.name) if kind.module is None else None
        if spec is None:
            shown = f"{kind.module}:{kind.name}" if kind.module else kind.name
            raise ScaffoldError(
                f"the tests cannot build a `{shown}` for `{name}`",
                where=f"{self.spec.where}: test.values",
                fix=f'write `[test]` and `values = {{ {name} = "={kind.name}(...)" }}`',
            )
        inner = Examples.of(spec, self.known)
        arguments = ", ".join(f"{key}={value}" for key, value in inner.inputs())
        return f"{inner.construct()}({arguments})"

    def construct(self) -> str:
        """What is called to build an instance."""
        return constructor_name(self.spec)


def constructor_name(spec: ModuleSpec) -> str:
    """`Affine.create`, or `Affine` where `__init__` builds."""
    by_flag = spec.rebuild == "flag" and spec.kind == "pytree" and all(field.given for field in spec.stored)
    return spec.name if spec.constructor == "init" or by_flag else f"{spec.name}.create"


def evaluate(dim: str, values: Mapping[str, int]) -> int:
    """The value of a dim such as `4*hidden`."""
    return _evaluate(ast.parse(dim, mode="eval").body, values)


def _evaluate(node: ast.expr, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_evaluate(left, values), _evaluate(right, values))
        case _:
            raise ValueError(ast.unparse(node))
