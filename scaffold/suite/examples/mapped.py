"""Tests of a call that takes a state, or that runs under `jax.vmap` over a batch."""

import ast
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from scaffold.passes.reached import stops_field, stops_what_is_made_of
from scaffold.source.expressions import dedented
from scaffold.spec.construction.arithmetic import primes
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.types import (
    ArrayType,
    ClassType,
    DictType,
    ListType,
    TupleType,
    Type,
    UnionType,
    walk,
)
from scaffold.spec.model import ModuleSpec
from scaffold.spec.states import is_state, is_stateful
from scaffold.suite.examples.declared import value_of
from scaffold.suite.examples.examples import Examples


def state_rows(examples: Examples, prefix: str = "") -> list[str] | None:
    """Return the rows for the states of a class and its sub-modules, or None if some are unknown."""
    rows: list[str] = []
    for field in examples.spec.dynamic:
        if field.role == "state" and field.array is not None:
            dtype = DTYPES[field.array.dtype][1]
            parts = [repr(prefix + field.name), '"state"', repr(examples.shape(field.array))]
            value = value_of(field, field.name)
            parts += [] if dtype == "float" else [repr(dtype)]
            parts += [] if value is None else [f"value={value}"]
            parts += ["unused=True"] if _is_cut_off(examples.spec, field.name) else []
            rows.append(f"Leaf({', '.join(parts)})")
        elif any(isinstance(part, ClassType) for part in walk(field.type)):
            inner = _inner_rows(examples, field.type, f"{prefix}{field.name}.")
            if inner is None:
                return None
            rows += inner
    return rows


def _is_cut_off(spec: ModuleSpec, name: str) -> bool:
    """Whether the call reads a state only behind `stop_gradient`, or stops what is made of the state."""
    body = spec.call.body if spec.call is not None else ""
    return stops_field(spec, body, name) or stops_what_is_made_of(spec, body, name)


def _inner_rows(examples: Examples, kind: Type, prefix: str) -> list[str] | None:
    """Return no rows for a sub-module without states, or None if it has states or is unknown."""
    class_types = [part for part in walk(kind) if isinstance(part, ClassType) and not _is_stateless(part)]
    specs = [examples.known.get(part.name) if part.module is None else None for part in class_types]
    if any(spec is None or _has_states(spec, examples.known) for spec in specs):
        return None
    return []


def _is_stateless(kind: ClassType) -> bool:
    """Whether a class is a layer of Equinox that keeps no state."""
    return kind.module == "equinox.nn" and kind.name.rpartition(".")[2] not in _STATEFUL


_STATEFUL = ("BatchNorm", "Sequential", "SpectralNorm", "State", "StateIndex", "StatefulLayer")


def _has_states(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    inner = (known.get(cls.name) for cls in spec.classes if cls.module is None)
    return is_stateful(spec) or any(
        _has_states(inner_spec, known) for inner_spec in inner if inner_spec is not None
    )


def batch_size(spec: ModuleSpec, taken: Mapping[str, int]) -> int:
    """Return a batch size that no dim has, or 0 if the call takes no batch."""
    if spec.call is None or spec.call.axis_name is None:
        return 0
    return next(size for size in primes() if size not in taken.values())


def batched(kind: Type, size: int | str) -> Type:
    """Put a batch axis of this size or dim before the axes of each array. A state has no such axis."""
    match kind:
        case ArrayType(dims=dims) if size:
            return replace(kind, dims=(str(size), *dims))
        case ListType(item=item) | DictType(item=item):
            return replace(kind, item=batched(item, size))
        case TupleType(items=items):
            return replace(kind, items=tuple(batched(item, size) for item in items))
        case UnionType(members=members):
            return replace(kind, members=tuple(batched(member, size) for member in members))
        case _:
            return kind


def outputs(kinds: tuple[Type, ...], states: list[Type] | None) -> list[ArrayType] | None:
    """Return the arrays that a call returns, in order, or None if they are unknown."""
    arrays_found: list[ArrayType] = []
    for kind in kinds:
        inner = [kind] if isinstance(kind, ArrayType) else _parts(kind, states)
        if inner is None:
            return None
        arrays_found += inner
    return arrays_found


def _parts(kind: Type, states: list[Type] | None) -> list[ArrayType] | None:
    if is_state(kind):
        return None if states is None else outputs(tuple(states), None)
    return outputs(kind.items, states) if isinstance(kind, TupleType) and not kind.variadic else None


def call_source(spec: ModuleSpec, function: str, arguments: str, passed: Mapping[str, Type | None]) -> str:
    """Return the source of the example call of `instance`, or of its method `instance.forward`.

    If the call averages over a batch axis, it runs under `jax.vmap`.
    """
    call = spec.call
    if call is None or call.axis_name is None:
        return f"{function}({arguments})"
    names = ", ".join(passed)
    function = function if arguments == names else f"lambda {names}: {function}({arguments})"
    states = {name for name, kind in passed.items() if is_state(kind)}
    outs = _axes(call.returns) if call.returns else _axes_of_result(call.body, states)
    axes = f"in_axes={_axes(passed.values())}, out_axes={outs}"
    return f"jax.vmap({function}, {axes}, axis_name={call.axis_name!r})({names})"


def _axes_of_result(body: str, states: AbstractSet[str]) -> str:
    """Return `out_axes` for a result without a type. A state in the result has the axis None.

    A function that is called with a state returns the state second.
    """
    for node in ast.walk(ast.parse(dedented(body))):
        match node:
            case ast.Return(value=ast.Tuple(elts=parts)):
                axes = ["None" if ast.unparse(part) in states else "0" for part in parts]
                return f"({', '.join(axes)})" if "None" in axes else "0"
            case ast.Return(value=ast.Call(args=args)) if not states.isdisjoint(map(ast.unparse, args)):
                return "(0, None)"
            case _:
                pass
    return "0"


def _axes(kinds: Iterable[Type | None]) -> str:
    parts = ["None" if is_state(kind) else "0" for kind in kinds]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
