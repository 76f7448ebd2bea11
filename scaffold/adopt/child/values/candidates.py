"""Values to try for an argument: by what is said, by its annotation, by its name, and by shapes at last."""

import enum
import itertools
import re
import sys
import typing
from collections.abc import Iterable, Sequence
from typing import Any

import jax

from . import names
from .annotations import (
    EMPTY,
    arity_of,
    dtype_of,
    is_array_type,
    is_callable_type,
    is_shaped,
    required,
    signature_of,
    unaliased,
    union_members,
)
from .plain import PLAIN, Context, array, arrays, floats, functions, integers, modules, strings, tuple_of
from .sources import Source, merged, refer

MOST = 48
"""How many values of an argument are tried."""


def values_for(name: str, annotation: Any, context: Context) -> list[Source]:
    """What to try for an argument, the likeliest first."""
    if name in context.said:
        return [context.said[name]]
    if context.has_state and names.STATE.search(name):
        return [Source("self.state(seed)")]
    found = [*of_first_words(name, annotation), *of_annotation(name, annotation, context)]
    if context.of_optimiser and name.endswith("mask"):
        found = [Source("True"), *found]
    is_open = annotation in (EMPTY, Any, object)
    if is_open or not found:
        is_class = isinstance(annotation, type) and not is_open
        parts = of_name(name, context), [] if is_class else of_anything(name, context)
        found += [*parts[1], *parts[0]] if context.is_call else [*parts[0], *parts[1]]
        found = [*(value for cls in context.lookalikes for value in context.instances(cls)), *found]
    return list(dict.fromkeys(found))[:MOST]


def of_first_words(name: str, annotation: Any) -> list[Source]:
    """Values of names that mean one thing everywhere."""
    shaped = is_shaped(annotation)
    if names.KEY.search(name) and not (shaped and dtype_of(annotation) not in ("key", "uint32")):
        if name.startswith("keys"):
            return [Source("jax.random.split(jax.random.key(seed), 3)")]
        return [Source("jax.random.key(seed)")] if not is_number(annotation) else []
    if name == "seed" and annotation in (int, EMPTY):
        return [Source("seed")]
    if name == "rngs" and "flax.nnx" in sys.modules:
        return [Source("nnx.Rngs(seed)")]
    return []


def is_number(annotation: Any) -> bool:
    return annotation in (int, bool, float, str)


# -- by annotation -----------------------------------------------------------------------------------------------------


def of_annotation(name: str, annotation: Any, context: Context) -> list[Source]:
    annotation = unaliased(annotation)
    if annotation is None:
        return [Source("None")]
    members = union_members(annotation)
    if len(members) > 1:
        return of_union(name, members, context)
    kind: Any = next(iter(members), annotation)
    if is_shaped(kind):
        return shaped(name, kind, context)
    if is_array_type(kind):
        return arrays(name, context)
    plain = PLAIN.get(kind) if isinstance(kind, type) else None
    if plain is not None:
        return plain(name, context)
    if is_callable_type(kind):
        return [*pairs(kind), *functions(name, arity_of(kind), context)]
    return of_special(name, kind, context)


def pairs(kind: Any) -> list[Source]:
    """Functions of two arguments that return a result and something beside it, as an annotation says."""
    given = typing.get_args(kind)
    result = typing.get_args(given[1]) if len(given) == 2 and typing.get_origin(given[1]) is tuple else ()
    if arity_of(kind) != 2 or len(result) != 2:
        return []
    is_scalar = is_shaped(result[0]) and not result[0].dim_str.strip()
    texts = names.PAIRS[::-1] if is_scalar else names.PAIRS
    return [Source(text.split("(")[0].removeprefix("def "), helpers=(text,)) for text in texts]


def of_union(name: str, members: Sequence[Any], context: Context) -> list[Source]:
    """Values of each member; where arrays are among them, numbers may be arrays as well."""
    if context.of_optimiser:
        first = int if names.WHOLE.search(name) else float
        members = sorted(members, key=lambda one: (one is not first, one not in (float, int)))
    elif any(is_array_type(one) for one in members):
        first = [int] if int in members and not {bool, float} & {*members} else []
        others = [
            one for one in members if isinstance(one, type) and not (is_number(one) or is_array_type(one))
        ]
        others = [
            one for one in others if is_shaped(one) or one is type(None) or "numpy" not in one.__module__
        ]
        rest = [value for one in others if one is not complex for value in of_annotation(name, one, context)]
        own = [value for one in first for value in of_annotation(name, one, context)[:2]]
        return [*own, *arrays(name, context, is_number=bool({int, float} & {*members})), *rest]
    found = [of_annotation(name, one, context) for one in members if one is not type(None)]
    heads = [one[0] for one in found if one]
    rest = [value for one in found for value in one[1:]]
    return [*heads, *rest, *([Source("None")] if type(None) in members else [])]


def of_special(name: str, kind: Any, context: Context) -> list[Source]:
    """Values of generics, literals, type variables and classes."""
    origin, given = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return of_annotation(name, given[0], context)
    if origin is typing.Literal:
        return [Source(repr(one)) for one in given]
    if origin is type:
        return [refer(given[0])] if given and isinstance(given[0], type) else []
    if origin is tuple or kind is tuple:
        return tuples(name, given, context)
    if origin in LISTS or kind in LISTS:
        return lists(name, given[0] if given else EMPTY, context)
    if origin in SETS or kind in SETS:
        return [Source("frozenset()")]
    if origin in DICTS or kind in DICTS:
        return dicts(name, given[1] if len(given) > 1 else EMPTY, context)
    if isinstance(kind, typing.TypeVar):
        return of_type_variable(name, kind, context)
    if hasattr(kind, "__supertype__"):
        return of_annotation(name, kind.__supertype__, context)
    if "PyTree" in str(kind):
        return trees(name, kind, context)
    cls = origin or kind
    if getattr(cls, "_is_protocol", False) and "__call__" in vars(cls):
        return functions(name, len(required(signature_of(vars(cls)["__call__"])[1:])), context)
    if getattr(cls, "__name__", "") == "Hashable":
        return strings(name, context)
    return of_class(name, cls, context) if isinstance(cls, type) else []


def of_type_variable(name: str, kind: Any, context: Context) -> list[Source]:
    if names.MODULE.search(name):
        return modules()
    kinds = [*kind.__constraints__, *([kind.__bound__] if kind.__bound__ is not None else [])]
    return [value for one in kinds for value in of_annotation(name, one, context)]


def of_class(name: str, cls: Any, context: Context) -> list[Source]:
    if cls is jax.ShapeDtypeStruct:
        shapes = dict.fromkeys([*context.shapes[:1], (), *context.shapes[:6]])
        return [Source(f"jax.ShapeDtypeStruct({shape}, jnp.float32)") for shape in shapes]
    if cls in (object, Any) or cls.__module__ in ("builtins", "collections.abc", "typing"):
        return []
    if issubclass(cls, enum.Enum):
        return [refer(cls).but(f"{refer(cls).text}.{one.name}") for one in cls]
    items = own_items(cls)
    if items:
        return items
    optax: Any = sys.modules.get("optax")
    if optax is not None and issubclass(cls, optax.GradientTransformation):
        made = Source("optax.adam(0.01)")
        return [made if context.of_optimiser else Source("OPTIMISER", helpers=(f"OPTIMISER = {made.text}",))]
    equinox: Any = sys.modules.get("equinox")
    if equinox is not None and cls is equinox.Module:
        return modules()
    flax: Any = sys.modules.get("flax.nnx")
    if flax is not None and (found := of_flax(name, cls, flax, context)) is not None:
        return found
    return context.instances(cls)


def of_flax(name: str, cls: Any, nnx: Any, context: Context) -> list[Source] | None:
    """Values of Flax's own classes; None of others. Of what a module is taken apart into nobody knows any."""
    if cls is nnx.Module:
        return [Source("nnx.Linear(3, 2, rngs=nnx.Rngs(seed))")]
    if issubclass(cls, nnx.State | nnx.GraphDef):
        return []
    if issubclass(cls, nnx.Variable) and getattr(nnx, cls.__name__, None) is cls:
        kind = "Param" if cls is nnx.Variable else cls.__name__
        return [one.but(f"nnx.{kind}({one.text})") for one in arrays(name, context)]
    return None


def own_items(cls: Any) -> list[Source]:
    """The items of an enumeration of Equinox, of which the class makes no more; with an array of their own, as computed ones."""
    equinox: Any = sys.modules.get("equinox")
    base = getattr(equinox, "Enumeration", None)
    if base is None or not issubclass(cls, base):
        return []
    own = refer(cls)
    return [own.but(f"jax.tree.map(jnp.array, {own.text}.{name})") for name in cls._name_to_item]


def shaped(name: str, kind: Any, context: Context) -> list[Source]:
    """Arrays whose dims an annotation names."""
    shape, dtype = context.sizes.of_dims(kind.dim_str), dtype_of(kind)
    if shape is None:
        return [array(name, one, dtype, context) for one in context.shapes]
    return [array(name, shape, dtype, context)]


def tuples(name: str, given: Sequence[Any], context: Context) -> list[Source]:
    if not given:
        return [*of_name(name, context), Source("(3,)"), Source("(2, 3)")]
    if len(given) == 2 and given[1] is Ellipsis:
        if given[0] is int:
            return [Source("(3,)"), Source("(2, 3)"), Source("(0,)"), Source("(1,)")]
        return [tuple_of(part) for part in several(name, given[0], context)]
    if all(one == given[0] for one in given):
        return [tuple_of([one] * len(given)) for one in values_for(name, given[0], context)]
    parts = [values_for(f"{name} {place}", one, context)[:2] for place, one in enumerate(given)]
    return [tuple_of(part) for part in itertools.islice(itertools.product(*parts), 8)]


def several(name: str, kind: Any, context: Context) -> list[list[Source]]:
    """Two values of a kind, or one."""
    found = values_for(name.removesuffix("s") or name, kind, context)[:4]
    return [[one, one] for one in found] + [[one] for one in found[:1]]


def lists(name: str, kind: Any, context: Context) -> list[Source]:
    if kind is int:
        return [Source("(3, 2)"), Source("(3,)"), Source("(0,)")]
    made = [tuple_of(part) for part in several(name, kind, context)]
    return [one.but(f"[{one.text[1:-1].rstrip(',')}]") for one in made]


def dicts(name: str, kind: Any, context: Context) -> list[Source]:
    if kind in (Any, object):
        return [Source("{}")]
    found = values_for(name, kind, context)[:3] if kind is not EMPTY else [Source("sample(seed, (3,))")]
    return [merged(f'{{"a": {one.text}, "b": {one.later(1).text}}}', [one]) for one in found] + [Source("{}")]


def trees(name: str, kind: Any, context: Context) -> list[Source]:
    """Pytrees: an array, or a dict of two."""
    leaf = getattr(kind, "leaftype", EMPTY)
    if isinstance(leaf, type) and not is_array_type(leaf) and not is_shaped(leaf) and leaf is not object:
        return values_for(name, leaf, context)
    found = arrays(name, context)
    tree = '{"a": sample(seed, (3,)), "b": sample(seed + 1, (2,))}'
    return [*found[:1], Source(tree, told="shape"), *found[1:]]


LISTS = (list, typing.Sequence, typing.Iterable, typing.Collection, *(typing.get_origin(one) for one in (
    typing.Sequence[int], typing.Iterable[int], typing.Collection[int])))  # fmt: skip
SETS = (set, frozenset, typing.AbstractSet, typing.get_origin(typing.AbstractSet[int]))
DICTS = (
    dict,
    typing.get_origin(typing.Mapping[str, int]),
    typing.Mapping,
    typing.get_origin(typing.MutableMapping[str, int]),
)


# -- by name, and at last --------------------------------------------------------------------------------------------


def of_name(name: str, context: Context) -> list[Source]:
    for pattern, texts in names.VALUES.items():
        if re.search(pattern, name):
            return [value for text in texts for value in of_word(text, name, context)]
    if names.CALLABLE.search(name):
        return functions(name, None, context)
    return modules() if names.MODULE.search(name) else []


def of_word(text: str, name: str, context: Context) -> Iterable[Source]:
    match text:
        case "<size>" | "<count>":
            return integers(name, context)
        case "<float>":
            return floats(name, context)
        case _:
            return [Source(text)]


def of_anything(name: str, context: Context) -> list[Source]:
    """Where nothing is known: an array, a pair of arrays, a number, a function, a module."""
    found = arrays(name, context)
    vectors = [one for one in found[:8] if ",)" in one.text]
    found[len(vectors) : len(vectors)] = [tuple_of([one, one]) for one in vectors]
    tail = [Source("0.5"), Source("2"), *functions(name, None, context)[:2], *modules()[:1]]
    return [*found, *tail]
