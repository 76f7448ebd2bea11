"""Inputs of another configuration, for the tests that compare two configurations."""

import ast

from scaffold.kind import kind_of
from scaffold.spec.construction.constructor import Parameter, parameters, reads, sources_of
from scaffold.spec.construction.divisions import all_divide
from scaffold.spec.construction.sizes import Sizes, other_size
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.types import (
    ArrayType,
    CallableType,
    LiteralType,
    ScalarType,
    Type,
    arrays,
    dim_names,
    walk,
)
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.model import Field, ModuleSpec
from scaffold.suite.examples.subject import Subject
from scaffold.suite.reads.compared_values import compared_texts, listed_numbers

_DTYPES = tuple(name for _, name in DTYPES.values() if "float" in name and name[-1].isdigit())
"""Names of float dtypes, which a text may be."""


def other_inputs(subject: Subject) -> list[list[str]]:
    """Return the first change to the inputs that makes another configuration."""
    spec = subject.spec
    if spec.test.other:
        return [[name, source] for name, source in spec.test.other]
    checked = {name for field in spec.fields if field.check for name in reads(field.check)}
    for parameter in sorted(parameters(spec), key=_preference):
        # What a check looks at may be refused when it is changed at random.
        changed = None if parameter.name in checked else _changed(subject, parameter)
        if changed is not None:
            return [list(changed)]
    return []


def left_out(subject: Subject) -> dict[str, tuple[str, ...]]:
    """Return the fields that are None if an input is False or None, by input."""
    spec, paths = subject.spec, subject.facts.paths
    result: dict[str, tuple[str, ...]] = {}
    for field in spec.dynamic if not spec.setup.strip() else ():
        name = field.optional or (field.name if field.nullable and field.given else "")
        if name and not field.built and (kind_of(spec.kind).variables or field.role != "state"):
            result[name] = (*result.get(name, ()), paths[field.name])
    return result


def counted_layers(subject: Subject) -> dict[str, str]:
    """Return the input that says the number of layers, by the path of the list or stack."""
    spec, counts = subject.spec, {parameter.name for parameter in parameters(subject.spec)}
    named = ((subject.facts.paths[field.name], _count_of(field)) for field in spec.dynamic)
    return {path: name for path, name in named if name in counts}


def _count_of(field: Field) -> str:
    """Return the name that counts layers in a comprehension, or under `vmap` over keys."""
    source = field.expression if field.role == "module" else None
    match ast.parse(source.strip(), mode="eval").body if source else None:
        case ast.ListComp(generators=[ast.comprehension(iter=each, ifs=[])]):
            pass
        case ast.Call(func=ast.Call(func=mapped), args=[each]) if "vmap" in ast.unparse(mapped):
            pass
        case _:
            return ""
    match each:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=name)]):
            return name
        case ast.Call(func=ast.Attribute(attr="split"), args=[_, ast.Name(id=name)]):
            return name
        case _:
            return ""


def absent_inputs(spec: ModuleSpec) -> list[str]:
    """Return changes to the inputs that leave optional parts out: each part alone, then all.

    Inputs that a check reads stay as they are.
    """
    if not kind_of(spec.kind).varies or spec.call is None:
        return []
    checked = {name for field in spec.fields if field.check for name in reads(field.check)}
    inputs: dict[str, str] = {}
    for field in spec.stored:
        if field.role == "state" or field.name in checked:
            continue
        if field.optional and field.optional not in checked:
            inputs[field.optional] = "False"
        elif field.nullable and field.given and not field.check:
            inputs[field.name] = "None"
    rows = [[name] for name in inputs] + ([list(inputs)] if len(inputs) > 1 else [])
    return ["{" + ", ".join(f'"{name}": {inputs[name]}' for name in row) + "}" for row in rows]


def _preference(parameter: Parameter) -> int:
    return {"flag": 0, "field": 1, "dim": 2}.get(parameter.source, 3)


def _changed(subject: Subject, parameter: Parameter) -> tuple[str, str] | None:
    spec, sizes, name = subject.spec, subject.examples.sizes, parameter.name
    source = subject.inputs.get(name, parameter.default)
    if parameter.source == "flag":
        return name, "False"
    if parameter.source == "dim":
        told_apart = _is_free_dim(spec, name) and _shows(spec, name) and not _is_parted(spec, name)
        size = other_size(spec, name, sizes) if told_apart else None
        return None if size is None else (name, str(size))
    field = parameter.field
    if parameter.source != "field" or field is None or field.dynamic or field.converter or source is None:
        return None
    if name in sizes and not _is_free_dim(spec, name):
        return None
    is_count = field.type == ScalarType("int") and source.isdigit()
    changed = (
        _other_count(spec, name, {**sizes, name: int(source)})
        if is_count
        else _other_text(spec, name, source) or _other_value(field.type, source)
    )
    return None if changed is None else (name, changed)


def _other_count(spec: ModuleSpec, name: str, sizes: Sizes) -> str | None:
    """Return another number that divides whatever the usual number divides."""
    usual = sizes[name]
    listed = [number for number in listed_numbers(spec, name) if number != usual]
    others = listed or (usual + 1, *range(usual - 1, 0, -1))
    return next((str(other) for other in others if all_divide(spec, {**sizes, name: other}, sizes)), None)


def _is_free_dim(spec: ModuleSpec, name: str) -> bool:
    """Whether no given array has this dim."""
    given_types = (
        part
        for field in spec.stored
        if field.given
        for part in walk(field.type)
        if isinstance(part, ArrayType)
    )
    return not any(name in dim for array in given_types for dim in array.dims)


def _is_parted(spec: ModuleSpec, name: str) -> bool:
    """Whether arguments of the call have fractions of this dim, whose sizes the laws cannot change with
    it."""
    kinds = [argument.type for argument in spec.call.args] if spec.call is not None else []
    parted = (dim for kind in kinds if kind is not None for array in arrays(kind) for dim in array.dims)
    return any("//" in dim and name in dim_names(dim) for dim in parted)


def _shows(spec: ModuleSpec, name: str) -> bool:
    """Whether this dim changes a part of the instance itself. The arrays of a state lie outside of it."""
    held_fields = [field for field in spec.stored if field.role != "state"]
    in_types = (dim for field in held_fields for array in arrays(field.type) for dim in array.dims)
    in_sources = (read for field in held_fields for source in sources_of(field) for read in reads(source))
    return any(name in dim_names(dim) for dim in in_types) or name in in_sources or bool(spec.setup)


def _other_text(spec: ModuleSpec, name: str, source: str) -> str | None:
    """Return another string that the code compares, since it may refuse any other."""
    text = literal_or_none(source)
    others = compared_texts(spec, name) if isinstance(text, str) else ()
    return next((repr(other) for other in others if other != text), None)


def _other_value(kind: Type, source: str) -> str | None:
    match kind:
        case ScalarType(name="bool"):
            return {"True": "False", "False": "True"}.get(source)
        case ScalarType(name="float"):
            return _other_float(source)
        case ScalarType(name="str"):
            text = literal_or_none(source)
            if text in _DTYPES:  # what takes the name of a dtype takes no other text
                return '"float16"' if text == "float32" else '"float32"'
            return repr(f"{text}_other") if isinstance(text, str) else f'{source} + "_other"'
        case ScalarType(name="dtype"):
            return "jnp.float16" if "float32" in source else "jnp.float32"  # however it is written
        case ScalarType(name="slice"):
            return "slice(None, 1)" if source != "slice(None, 1)" else "slice(None, 2)"
        case LiteralType(values=values):
            # Not by its text: True equals 1, and a treedef compares what is static.
            different = (value for value in values if value != literal_or_none(source))
            return next(map(repr, different), None)
        case CallableType():
            others = {"jax.nn.logsumexp": "jnp.sum", "jnp.sin": "jnp.cos", "jnp.logaddexp": "jnp.hypot"}
            return others.get(source, "jnp.sin")
        case _:
            return None


def _other_float(source: str) -> str:
    """Return another number. Adding to a huge or infinite number would not change it."""
    try:
        number = float(source)
    except ValueError:
        return f"{source} + 0.25"
    return f"{source} + 0.25" if number + 0.25 != number else "0.25"
