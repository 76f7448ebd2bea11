"""Annotations of signatures, fields and jaxtyping, resolved to objects."""

import ast
import dataclasses
import inspect
import itertools
import re
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Collection, Iterable
from typing import Any

import jax
import numpy as np

from .checker_imports import checker_names

EMPTY = inspect.Parameter.empty
OPEN = (EMPTY, Any, object)
"""Annotations that allow any value."""
SILENT = (EMPTY, Any)
"""No annotation, or `Any`, as for a field whose converter is not annotated."""
VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
ARRAYS: tuple[Any, ...] = (jax.Array, np.ndarray)
ANY_SHAPE = "Array, ...]"
"""Text that jaxtyping refuses, as in `Float[Array, ...]`, unnoticed in an unevaluated annotation."""


def parameters_of(function: Any, owner: type | None = None) -> list[inspect.Parameter]:
    """Return the parameters with their annotations as objects, where these can be resolved.

    For a maker of `owner`, the field of that name supplies what an annotation lacks. Raises `TypeError` or
    `ValueError` if the function has no signature.
    """
    parameters = signature_of(function)
    if isinstance(function, type) and all(parameter.kind in VARIABLE for parameter in parameters):
        function = naming_constructor(function)
        parameters = signature_of(function)[1:]
    if owner is not None and function in (owner, getattr(owner, "__init__", None)):
        parameters += [*handed_on(owner, parameters), *set_by_name(owner, parameters)]
    names = names_around(function, owner)
    parameters = [
        parameter.replace(annotation=resolved(parameter.annotation, names)) for parameter in parameters
    ]
    is_maker = function in (owner, getattr(owner, "__init__", None)) or (
        owner is not None and getattr(function, "__self__", None) is owner
    )
    fields = fields_of(owner) if is_maker else {}
    annotations = {name.lstrip("_"): resolved(annotation, names) for name, annotation in fields.items()}
    pairs = [(part, annotations.get(part.name.lstrip("_"), part.annotation)) for part in parameters]
    return [  # a field may say more than `Any`, or than a bare `dict`
        part.replace(annotation=of_field(field, part))
        if part.annotation in (*SILENT, typing.get_origin(field) or EMPTY)
        else part
        for part, field in pairs
    ]


def known_parameters(function: Any, owner: type | None = None) -> list[inspect.Parameter]:
    """Return the parameters as `parameters_of` does, or nothing for a function without a signature."""
    try:
        return parameters_of(function, owner)
    except (TypeError, ValueError):
        return []


def of_field(annotation: Any, parameter: inspect.Parameter) -> Any:
    """Return the annotation of a field for its parameter, or of the field's elements for `*parameter`."""
    if parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
        return annotation
    parts = typing.get_args(annotation)
    return parts[0] if parts else EMPTY


def constructors_of(cls: type) -> list[Any]:
    """Return the constructors of a class and its bases except `object`, in method resolution order."""
    return [vars(owner)["__init__"] for owner in cls.__mro__[:-1] if "__init__" in vars(owner)]


def naming_constructor(cls: type) -> Any:
    """Return the first constructor that does not merely pass on `*args, **kwargs`, as of a metaclass."""
    naming = (
        each for each in constructors_of(cls) if {part.kind for part in signature_of(each)[1:]} != {*VARIABLE}
    )
    return next(naming, cls.__init__)


def handed_on(cls: type | None, parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the parameters that base constructors require and that reach these through `**kwargs`."""
    taken = {parameter.name for parameter in parameters}
    further: list[inspect.Parameter] = []
    for above, constructor in itertools.pairwise(constructors_of(cls) if cls else ()):
        if not hands_on(above):
            break
        parts = signature_of(constructor)[1:]
        count, names = given_to_base(above)
        open_parts = [part for part in parts[count:] if part.name not in names]
        asked = [part for part in open_parts if part.default is EMPTY and part.kind not in VARIABLE]
        further += [part.replace(kind=part.KEYWORD_ONLY) for part in asked if part.name not in taken]
        taken |= {part.name for part in parts}
    return further


BY_NAME = re.compile(r"\bsetattr\(|__setattr__\(|\bvars\(self\)|\bself\.__dict__\b")
"""Code by which a constructor stores arguments under names that it does not spell out."""


def set_by_name(cls: type, parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the dataclass fields that a constructor takes as `**kwargs` and stores by name."""
    kinds, taken = {part.kind for part in parameters}, {part.name for part in parameters}
    source = source_of(naming_constructor(cls))
    if inspect.Parameter.VAR_KEYWORD not in kinds or not BY_NAME.search(source):
        return []
    fields: dict[str, Any] = getattr(cls, "__dataclass_fields__", {})
    without = dataclasses.MISSING
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=EMPTY if field.default is without else field.default,
            annotation=field.type,
        )
        for name, field in fields.items()
        if field.init and name not in taken and field.default_factory is without
    ]


def given_to_base(constructor: Any) -> tuple[int, set[str]]:
    """Return the number of positional arguments and the keywords given to `super().__init__`."""
    try:
        tree = ast.parse(textwrap.dedent(source_of(constructor)))
    except SyntaxError:
        return 0, set()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = [call for call in calls if re.fullmatch(r"super\(.*\)\.__init__", ast.unparse(call.func))]
    plain = [part for call in calls for part in call.args if not isinstance(part, ast.Starred)]
    return len(plain), {keyword.arg for call in calls for keyword in call.keywords if keyword.arg}


def hands_on(constructor: Any) -> bool:
    """Whether a constructor passes its `**kwargs` to `super().__init__`."""
    named = [part.name for part in signature_of(constructor) if part.kind is inspect.Parameter.VAR_KEYWORD]
    source = source_of(constructor)
    return any(re.search(rf"super\(.*\)\.__init__\([^#]*\*\*{name}\b", source) for name in named)


def source_of(function: Any) -> str:
    """Return the source text of a function, or an empty string if there is none."""
    try:
        return inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError):
        return ""


def fields_of(owner: type | None) -> dict[str, Any]:
    """Return the annotations of a class and its bases, which often complete the constructor's."""
    classes = reversed(owner.__mro__) if owner else ()
    return {name: annotation for cls in classes for name, annotation in inspect.get_annotations(cls).items()}


def signature_of(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function, eval_str=True).parameters.values())
    except Exception:
        return list(inspect.signature(function).parameters.values())


def names_around(function: Any, owner: type | None) -> dict[str, Any]:
    """Return the names that the annotations of a function may use."""
    bare = inspect.unwrap(getattr(function, "__func__", function))
    classes = [*reversed(owner.__mro__)] if owner else []
    names: dict[str, Any] = {}
    for definition in (bare, *classes):
        names |= checker_names(str(getattr(definition, "__module__", "")))
    names |= getattr(bare, "__globals__", {})
    for cls in classes:
        names |= vars(sys.modules.get(cls.__module__, object))
    for definition in (*classes, bare):  # of Python 3.12: `class Layer[Config: Settings]`
        names |= {variable.__name__: variable for variable in getattr(definition, "__type_params__", ())}
    return names


def resolved(annotation: Any, names: dict[str, Any]) -> Any:
    if isinstance(annotation, typing.ForwardRef):  # as a tuple of Python has them
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return unaliased(annotation)
    for text in (annotation, annotation.replace(ANY_SHAPE, ANY_SHAPE.replace("...", '"..."'))):
        try:
            return unaliased(eval(text, {**vars(typing), **names}))
        except Exception:
            continue
    return EMPTY


def alias_of(annotation: Any) -> Any:
    """Return the alias, such as `type X = ...` or `type X[T] = ...`, that an annotation names, or None."""
    alias = typing.get_origin(annotation) or annotation
    # Of Python 3.12, or of typing_extensions.
    return alias if type(alias).__name__ == "TypeAliasType" else None


def unaliased(annotation: Any) -> Any:
    """Return the value of a type alias, such as `X` or `X[int]`, or any other annotation unchanged.

    A dtype of jaxtyping alone, such as `Key`, stands for an array of any shape.
    """
    while (alias := alias_of(annotation)) is not None:
        annotation = alias.__value__
    dtypes: Any = getattr(sys.modules.get("jaxtyping"), "AbstractDtype", ())
    is_alone = isinstance(annotation, type) and issubclass(annotation, dtypes)
    return typing.cast(Any, annotation)[jax.Array, "..."] if is_alone else annotation


def kinds_of_variable(variable: Any) -> list[Any]:
    """Return the constraints and the bound of a type variable, resolved if they are text."""
    module = str(variable.__module__)
    names = {**checker_names(module), **vars(sys.modules.get(module, object))}
    kinds = [*variable.__constraints__, *([variable.__bound__] if variable.__bound__ is not None else [])]
    return [resolved(getattr(kind, "__forward_arg__", kind), names) for kind in kinds]


def union_members(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a union, `NoneType` last, or any other annotation as its only member."""
    annotation = unaliased(annotation)
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return (annotation,)
    members = [inner for member in typing.get_args(annotation) for inner in union_members(member)]
    none = [member for member in members if member is type(None)]
    return (*(member for member in members if member is not type(None)), *none[:1])


def is_shaped(annotation: Any) -> bool:
    """Whether an annotation is jaxtyping's, with a dtype and named dims."""
    # A reference of beartype has any attribute, with another reference for its value.
    dims = getattr(annotation, "dim_str", None)
    return isinstance(dims, str) and hasattr(annotation, "dtypes")


def is_array_type(annotation: Any) -> bool:
    """Whether an annotation is a class of arrays, or NumPy's with a dtype in brackets."""
    if annotation in ARRAYS or typing.get_origin(annotation) is np.ndarray:
        return True
    name = getattr(annotation, "__name__", "")
    return isinstance(annotation, type) and name in ("Array", "ndarray", "TypedNdArray")


def scalar_dtype(annotation: Any) -> str:
    """Return the dtype of a scalar type, such as `int` for `jnp.int32`, or an empty string."""
    if type(annotation).__name__ == "_ScalarMeta":
        annotation = annotation.dtype.type
    is_scalar = isinstance(annotation, type) and issubclass(annotation, np.generic)
    if not is_scalar or issubclass(annotation, np.flexible | np.object_):  # texts, records and objects
        return ""
    kinds = {np.bool_: "bool", np.integer: "int", np.complexfloating: "complex"}
    return next((name for kind, name in kinds.items() if issubclass(annotation, kind)), "float")


def dtype_of(annotation: Any) -> str:
    """Return the dtype by which `sample` draws an array for an annotation of jaxtyping."""
    if getattr(getattr(annotation, "array_type", None), "__name__", "") == "PRNGKeyArray":
        return "key"
    dtypes = annotation.dtypes
    names = [str(dtype) for dtype in dtypes] if isinstance(dtypes, tuple | list) else []
    if not names or "float32" in names:
        return "float"
    table = {"complex64": "complex", "int32": "int", "uint32": "uint32", "bool": "bool"}
    if any("key" in name for name in names):
        return "key"
    return next((table[name] for name in table if name in names), names[0] if len(names) == 1 else "float")


def arity_of(annotation: Any) -> int | None:
    """Return the number of arguments of a `Callable[[...], ...]`, or None if unknown."""
    arguments = typing.get_args(annotation)
    return len(arguments[0]) if arguments and isinstance(arguments[0], list) else None


def protocol_members(kind: type) -> set[str]:
    """Return the public members, and perhaps `__call__`, that a protocol and its bases require.

    The set is empty for a class that is no protocol.
    """
    owners = [owner for owner in kind.__mro__ if getattr(owner, "_is_protocol", False)]
    names = {name for owner in owners for name in (*vars(owner), *inspect.get_annotations(owner))}
    return (
        {name for name in names if name == "__call__" or not name.startswith("_")}
        if kind in owners
        else set()
    )


def is_callable_type(annotation: Any) -> bool:
    origin = typing.get_origin(annotation) or annotation
    return origin is Callable or getattr(origin, "__name__", "") == "Callable"


def with_count(parameters: Iterable[inspect.Parameter], count: int) -> list[inspect.Parameter]:
    """Return the parameters with `count` positional arguments in place of `*args`."""
    replaced = list[inspect.Parameter]()
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            names = [f"{parameter.name.removesuffix('s')}_{place}" for place in range(count)]
            kind = inspect.Parameter.POSITIONAL_ONLY
            replaced += [parameter.replace(name=name, kind=kind) for name in names]
        else:
            replaced.append(parameter)
    return replaced


def required(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Return the parameters that a call must pass."""
    return [
        parameter for parameter in parameters if parameter.default is EMPTY and parameter.kind not in VARIABLE
    ]


def may_be_key(annotation: Any) -> bool:
    """Whether an annotation allows a random key, such as `Array`, `UInt32[Array, "2"]` or `PRNGKey`."""
    return any(
        dtype_of(member) in ("key", "uint32")
        if is_shaped(member)
        else member in OPEN or is_array_type(member) or is_named_key(member)
        for member in union_members(annotation)
    )


def is_named_key(annotation: Any) -> bool:
    """Whether the name of an annotation contains `key` or `rng`, such as `PRNGKey`."""
    named = annotation if isinstance(annotation, type | typing.TypeVar) else type(annotation)
    return re.search("(?i)key|rng", named.__name__) is not None


_PLAIN_MODULES = ("builtins", "typing", "collections.abc", "numpy")


def holds_classes(annotation: Any) -> bool:
    """Whether an annotation is a container of classes other than arrays, such as `Sequence[Layer]`."""
    parts = [part for inner in typing.get_args(annotation) for part in union_members(inner)]
    origin = typing.get_origin(annotation)
    is_container = isinstance(origin, type) and issubclass(origin, Collection)
    return is_container and any(is_own_class(part) for part in parts)


def is_own_class(kind: Any) -> bool:
    """Whether an annotation is a class that is neither built in nor of arrays or functions."""
    is_plain = kind in OPEN or is_array_type(kind) or is_shaped(kind) or is_callable_type(kind)
    return isinstance(kind, type) and not is_plain and kind.__module__ not in _PLAIN_MODULES
