"""Candidate values for an argument: by user option, annotation, name, and at last by shape."""

import enum
import itertools
import json
import re
import sys
import typing
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence, Set
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from . import names
from .annotations import (
    EMPTY,
    OPEN,
    alias_of,
    arity_of,
    holds_classes,
    is_array_type,
    is_callable_type,
    is_named_key,
    is_shaped,
    kinds_of_variable,
    may_be_key,
    scalar_dtype,
    unaliased,
    union_members,
)
from .context import Context
from .elements import of_elements
from .libraries import is_streams, is_tree_of_its_own, of_flax, own_items
from .plain import (
    PLAIN,
    array,
    arrays,
    ascending,
    callables,
    drawn_apart,
    floats,
    functions,
    literals,
    modules,
    name_of_one,
    pairs,
    scalars,
    shaped,
    size_or_axis,
    sizes,
    strings,
    tuple_of,
)
from .sources import KIND, Source, merged, refer

MOST = 48
"""Largest number of values tried for an argument."""


def values_for(name: str, annotation: Any, context: Context) -> list[Source]:
    """Return the values to try for an argument, the likeliest first."""
    if name in context.said:
        return [context.said[name]]
    if context.has_state and names.STATE.search(name):
        return [Source("self.state(seed)")]
    kind, inner = as_documented(name, annotation, context)
    sources = [*of_first_words(name, kind, context), *of_annotation(name, kind, inner)]
    if context.of_optimiser and name.endswith("mask"):
        sources = [Source("True"), *sources]
    if annotation in OPEN or all(source.text == "None" for source in sources):
        is_class = annotation not in OPEN and (isinstance(annotation, type) or holds_classes(annotation))
        parts = of_name(name, context), [] if is_class else of_anything(name, context)
        if is_class and is_tree_of_its_own(annotation):  # a module that stands for any is none of that class
            parts = [source for source in parts[0] if source not in modules()], []
        is_array = context.is_call and not names.SIZED.search(name)
        sources += [*parts[1], *parts[0]] if is_array else [*parts[0], *parts[1]]
        others = () if is_class else context.lookalikes  # those of the class are among its values
        alike = (source for kind in others for source in of_annotation(name, kind, context))
        sources = [*alike, *sources]
    sources = [*of_elements(annotation, context), *sources]
    is_number = bool(sources) and sources[0].text.isdigit()
    sources[1:1] = arrays(name, context)[:3] if is_number and context.wants_arrays else []
    return list(dict.fromkeys([*context.shown.get(name, ()), *sources]))[:MOST]


def as_documented(name: str, annotation: Any, context: Context) -> tuple[Any, Context]:
    """Return the documented type if the annotation is open, and a context without it for elements."""
    types = context.documented.types
    if annotation not in OPEN or name not in types:
        return annotation, context
    rest = {key: kind for key, kind in types.items() if key != name}
    return types[name], replace(context, documented=replace(context.documented, types=rest))


def of_first_words(name: str, annotation: Any, context: Context) -> list[Source]:
    """Return values for names with a fixed meaning: keys, streams of keys, graph edges and seeds."""
    if is_streams(name, annotation):
        return [Source("nnx.Rngs(seed)")]
    is_entry = name in context.documented.dims or not names.BESIDE_KEYS.isdisjoint(context.others)
    is_entry = is_entry and not is_named_key(annotation)
    if names.KEY.search(name) and not is_entry and may_be_key(annotation):
        key = "jax.random.key(seed)"
        return [Source(f"jax.random.split({key}, 3)" if name.startswith("keys") else key)]
    if names.EDGES.search(name) and name not in context.documented.dims:
        return [Source('sample(seed, (2, 7), "int", 0, 2)')]
    if name == "seed" and annotation in (int, EMPTY):
        return [Source("seed")]
    return []


# -- by annotation -----------------------------------------------------------------------------------------------------


def of_annotation(name: str, annotation: Any, context: Context) -> list[Source]:
    alias = alias_of(annotation)
    if alias is not None:  # which may name itself: `type Tree = dict[str, Tree]`
        inner = replace(context, aliases=(*context.aliases, alias))
        return [] if alias in context.aliases else of_annotation(name, unaliased(annotation), inner)
    if annotation is None:
        return [Source("None")]
    members = union_members(annotation)
    if len(members) > 1:
        return of_union(name, members, context)
    kind: Any = next(iter(members), annotation)
    if is_shaped(kind):
        return shaped(name, kind, context)
    if is_array_type(kind):
        return arrays(name, context, of_numpy=kind is np.ndarray)
    if scalar := scalar_dtype(kind):
        return scalars(name, kind, scalar, context)
    plain = PLAIN.get(kind) if isinstance(kind, type) else None
    if plain is not None:
        return plain(name, context)
    if is_callable_type(kind):
        return [*pairs(kind), *functions(name, arity_of(kind), context)]
    return of_special(name, kind, context)


def of_union(name: str, members: Sequence[Any], context: Context) -> list[Source]:
    """Return values of each member of a union. Beside array members, numbers may be arrays as well."""
    if context.of_optimiser:
        first = int if names.WHOLE.search(name) else float
        members = sorted(members, key=lambda member: (member is not first, member not in (float, int)))
    elif any(is_array_type(member) for member in members):
        first = [int] if int in members and not {bool, float} & {*members} else []
        others = [
            member
            for member in members
            if isinstance(member, type) and not (member in (int, bool, float, str) or is_array_type(member))
            if is_shaped(member) or member is type(None) or "numpy" not in member.__module__
        ]
        rest = [
            value
            for member in others
            if member is not complex
            for value in of_annotation(name, member, context)
        ]
        numbers = [value for member in first for value in of_annotation(name, member, context)[:2]]
        return [*numbers, *arrays(name, context, is_number=bool({int, float} & {*members})), *rest]
    groups = [of_annotation(name, member, context) for member in members if member is not type(None)]
    heads = [group[0] for group in groups if group]
    rest = [value for group in groups for value in group[1:]]
    return [*heads, *rest, *([Source("None")] if type(None) in members else [])]


def of_special(name: str, kind: Any, context: Context) -> list[Source]:
    """Return values of generics, literals, type variables and classes."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return of_annotation(name, arguments[0], context)
    if origin is typing.Literal:
        return [*literals(arguments)]
    if origin is type:
        return [refer(arguments[0])] if arguments and isinstance(arguments[0], type) else []
    cls = origin or kind
    if cls is tuple:
        return tuples(name, arguments, context)
    if cls in LISTS:
        return lists(name, arguments[0] if arguments else EMPTY, context)
    if cls in SETS:
        return [Source("frozenset()")]
    if cls in DICTS:
        return dicts(name, arguments[1] if len(arguments) > 1 else EMPTY, context)
    if cls is OrderedDict:
        made = refer(OrderedDict)
        plain = of_special(name, dict.__class_getitem__(arguments) if arguments else dict, context)
        return [merged(f"{made.text}({source.text})", [made, source]) for source in plain]
    if isinstance(kind, typing.TypeVar):
        return of_type_variable(name, kind, context)
    if hasattr(kind, "__supertype__"):
        return of_annotation(name, kind.__supertype__, context)
    if "PyTree" in str(kind):
        return trees(name, kind, context)
    if getattr(cls, "_is_protocol", False) and "__call__" in vars(cls):
        return callables(name, cls, context) or of_class(name, cls, context)
    if getattr(cls, "__name__", "") == "Hashable":
        return strings(name, context)
    return of_class(name, cls, context) if isinstance(cls, type) else []


def of_type_variable(name: str, kind: Any, context: Context) -> list[Source]:
    sources = [
        value for constraint in kinds_of_variable(kind) for value in of_annotation(name, constraint, context)
    ]
    return [*sources, *modules()] if names.MODULE.search(name) else sources


def of_class(name: str, cls: Any, context: Context) -> list[Source]:
    if cls is jax.ShapeDtypeStruct:
        shapes = dict.fromkeys([*context.shapes[:1], (), *context.shapes[:6]])
        return [Source(f"jax.ShapeDtypeStruct({shape}, jnp.float32)") for shape in shapes]
    if cls in OPEN or cls.__module__ in ("builtins", "collections.abc", "typing"):
        return []
    if cls is jax.sharding.Mesh:
        return [Source('jax.sharding.Mesh(jax.devices()[:1], ("batch",))')]
    if cls is jax.Device:
        return [Source("jax.devices()[0]")]
    if issubclass(cls, np.number):
        return [array(name, (), "int" if issubclass(cls, np.integer) else "float", context)]
    if issubclass(cls, enum.Enum):
        return [refer(cls).but(f"{refer(cls).text}.{member.name}") for member in cls]
    items = own_items(cls)
    if items:
        return items
    optax: Any = sys.modules.get("optax")
    if optax is not None and issubclass(cls, optax.GradientTransformation):
        made = Source("optax.adam(0.01)")
        return [made if context.of_optimiser else Source("OPTIMISER", helpers=(f"OPTIMISER = {made.text}",))]
    alike, sizes = (other for other in context.lookalikes if cls in other.__mro__), context.sizes.known
    named = [source for other in alike for source in context.instances(other, sizes)]
    if cls is getattr(sys.modules.get("equinox"), "Module", None):
        return [*named, *modules()]
    flax: Any = sys.modules.get("flax.nnx")
    of_nnx = of_flax(name, cls, flax, context) if flax is not None else None
    return of_nnx if of_nnx is not None else [*named, *context.instances(cls, sizes)]


def tuples(name: str, kinds: Sequence[Any], context: Context) -> list[Source]:
    named = of_name(name, context)
    if not kinds and context.is_call and not named:
        return [tuple_of(part) for part in several(name, EMPTY, context)]
    if not kinds:
        return [*named, Source("(3,)"), Source("(2, 3)")]
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        if kinds[0] is int:
            return [Source("(3,)"), Source("(2, 3)"), Source("(0,)"), Source("(1,)")]
        return [tuple_of(part) for part in several(name, kinds[0], context)]
    if all(kind == kinds[0] for kind in kinds):
        alike = [tuple_of([source] * len(kinds)) for source in values_for(name, kinds[0], context)]
        return [*ascending(name, kinds[0], len(kinds)), *alike]
    parts = [values_for(f"{name} {place}", kind, context)[:2] for place, kind in enumerate(kinds)]
    return [tuple_of(part) for part in itertools.islice(itertools.product(*parts), 8)]


def several(name: str, kind: Any, context: Context) -> list[list[Source]]:
    """Return lists that repeat a value: as often as errors ask, then two, one or three times."""
    sources = values_for(name_of_one(name, kind), kind, context)[:4]
    sources += strings(name, context)[:1] if kind in OPEN else []  # where no array may be held
    asked_for = [[source] * length for length in context.lengths for source in sources]
    others = [[source] * count for count in (1, 3) for source in sources[:1]]
    return [*asked_for, *([source, source] for source in sources), *others]


def lists(name: str, kind: Any, context: Context) -> list[Source]:
    if kind is int:
        return [Source("(3, 2)"), Source("(3,)"), Source("(0,)")]
    texts = ((made, made.text[1:-1].rstrip(",")) for made in map(tuple_of, several(name, kind, context)))
    return [made.but(f"[{inside}]") for made, inside in texts]


def dicts(name: str, kind: Any, context: Context) -> list[Source]:
    """Return dicts with the entries that code reads or errors name, or any two, and an empty dict."""
    named = context.words if context.is_call else ()
    read = [json.dumps(entry) for entry in context.entries.get(name, named)]
    if kind in (Any, object) and not (context.is_call and read):  # options, of which none need be given
        numbers = ", ".join(f"{key}: {next(context.floats)}" for key in read)
        return [*([Source(f"{{{numbers}}}")] if read else []), Source("{}")]
    guess = Source("sample(seed, (3,))", told="shape")
    keys = list(dict.fromkeys([*read, '"a"', '"b"']))[
        : len(read) if named else max(2, len(read))
    ]  # of one alone there is no order
    scalars = [array(name, (), "float", context)] if read and kind in OPEN else []
    made: list[Source] = []
    for source in (
        [guess] if kind is EMPTY and not scalars else [*scalars, *values_for(name, kind, context)[:3]]
    ):
        parts = zip(keys, drawn_apart([source] * len(keys)), strict=True)
        made.append(merged(f"{{{', '.join(f'{key}: {part.text}' for key, part in parts)}}}", [source]))
    return [*made, Source("{}")]


def trees(name: str, kind: Any, context: Context) -> list[Source]:
    """Return pytrees: values of the leaf type if given, or else arrays and a dict of two arrays."""
    leaf = getattr(kind, "leaftype", EMPTY)
    if isinstance(leaf, type) and not is_array_type(leaf) and not is_shaped(leaf) and leaf not in OPEN:
        return values_for(name, leaf, context)
    sources = arrays(name, context)
    tree = '{"a": sample(seed, (3,)), "b": sample(seed + 1, (2,))}'
    return [*sources[:1], Source(tree, told="shape"), *sources[1:]]


LISTS = (list, Sequence, Iterable, Collection)
SETS = (set, frozenset, Set)
DICTS = (dict, Mapping, MutableMapping)


# -- by name, and at last --------------------------------------------------------------------------------------------


def of_name(name: str, context: Context) -> list[Source]:
    for pattern, texts in names.VALUES.items():
        if re.search(pattern, name):
            return [value for text in texts for value in of_word(text, name, context)]
    if names.CALLABLE.search(name):
        return functions(name, None, context)
    return modules() if names.MODULE.search(re.sub(r"_\d+$", "", name)) else []


def of_word(text: str, name: str, context: Context) -> Iterable[Source]:
    make = {"<size>": sizes, "<count>": sizes, "<size or axis>": size_or_axis, "<float>": floats}.get(text)
    return make(name, context) if make is not None else [Source(text)]


def of_anything(name: str, context: Context) -> list[Source]:
    """Return arrays, pairs of arrays, numbers, functions and a module, if nothing is known."""
    sources = arrays(name, context)
    vectors = [source for source in sources[:8] if ",)" in source.text]
    sources[len(vectors) : len(vectors)] = [tuple_of([source, source]) for source in vectors]
    counts = [place for place, source in enumerate(sources) if '(), "int"' in source.text][:1]
    numbers = [Source("0.5"), Source("2")]
    for place in counts if not context.is_call else ():  # one serves for it, and as a size as well
        sources[place:place], numbers = numbers, []
    tail = [*numbers, *functions(name, None, context)[:2], *modules()[:1]]
    return [*(replace(source, told=KIND) for source in sources), *tail]
