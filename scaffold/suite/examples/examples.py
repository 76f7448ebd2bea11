"""Example values for the generated tests: sizes of dims, and the source of a value for any type."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from scaffold.errors import Fault, ScaffoldError
from scaffold.spec.construction.arithmetic import evaluate
from scaffold.spec.construction.class_calls import has_default_of_own_size
from scaffold.spec.construction.constructor import (
    KEY,
    Parameter,
    is_array_left_out,
    is_plain,
    parameters,
    rebuilds_by,
)
from scaffold.spec.construction.guards import count_of_entries, example_of_ints, is_asked_alone, taken_float
from scaffold.spec.construction.sizes import all_positive, is_int, several, sizes
from scaffold.spec.fields.annotations import is_tuple_as_written
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.named_dims import ROWS, leaf_of_tree, type_with_named_dims
from scaffold.spec.grammar.type_texts import type_text
from scaffold.spec.grammar.types import (
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    ListType,
    LiteralType,
    OpaqueType,
    ScalarType,
    SetType,
    TreeType,
    TupleType,
    Type,
    UnionType,
    dim_names,
    first_member,
    walk,
)
from scaffold.spec.grammar.values import EXAMPLE_INT
from scaffold.spec.model import ModuleSpec
from scaffold.spec.states import is_state, is_stateful
from scaffold.suite.examples.layers import layer_source
from scaffold.suite.examples.trees import leaf_of_fields
from scaffold.suite.reads.compared_values import compared_texts
from scaffold.suite.reads.differentiated import example_function
from scaffold.suite.reads.inherited import bound_of, concrete, how_to_build
from scaffold.suite.reads.places import end_of_indices, place_of
from scaffold.suite.reads.positive import positive_names_with
from scaffold.suite.reads.quiet_defaults import default_numbers, is_quiet, says_none
from scaffold.suite.sizes.cut_lengths import with_cut_lengths
from scaffold.suite.sizes.image_sizes import with_image_sizes
from scaffold.suite.sizes.part_sizes import equal_dims, parts_of
from scaffold.suite.sizes.unknown_dims import shape_source, unknown_dims


class Examples(Struct, frozen=True, dict=True):
    """The example values of one spec. `known` holds the specs of other classes, by name."""

    spec: ModuleSpec
    known: Mapping[str, ModuleSpec]
    sizes: Mapping[str, int]
    begin: int = 0
    """A number added to every seed, so that an instance inside another draws from its own seeds."""

    @classmethod
    def of(cls, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> "Examples":
        return cls(spec, known, with_cut_lengths(spec, known, with_image_sizes(spec, sizes(spec))))

    def inputs(self) -> tuple[tuple[str, str], ...]:
        """Return the constructor's arguments by name, as source, except defaults that will do."""
        return () if self.spec.test.factory else self._inputs

    @cached_property
    def _inputs(self) -> tuple[tuple[str, str], ...]:
        pairs: list[tuple[str, str]] = []
        faults: list[Fault] = []
        for index, parameter in enumerate(parameters(self.spec)):
            try:
                source = self.parameter(parameter, index)
            except ScaffoldError as error:
                faults += error.faults
                continue
            pairs += [(parameter.name, source)] if source is not None else []
        if faults:
            raise ScaffoldError.of(faults)
        return tuple(pairs)

    def parameter(self, parameter: Parameter, index: int) -> str | None:
        explicit = dict(self.spec.test.values).get(parameter.name)
        if explicit is not None:
            return explicit
        are_streams = parameter.type in (ClassType("Rngs", "flax.nnx"), OpaqueType("rngs"))
        if parameter.source == "rngs" or are_streams:
            return "nnx.Rngs(seed)"
        is_key = parameter.name == "key" and (parameter.field is None or parameter.type == KEY)
        if parameter.source == "key" or is_key:
            return f"jax.random.key({self.seed(0)})"
        if parameter.name in self.sizes and is_int(parameter.type):
            return str(self.sizes[parameter.name])
        if parameter.default == "False" and any(
            field.optional == parameter.name for field in self.spec.fields
        ):
            return "True"  # the example has what is left out by default
        if is_quiet(self.spec, parameter):
            return _SCALARS["float"]
        field = parameter.field if parameter.source == "field" else None
        nullable = field is not None and (field.nullable or has_default_of_own_size(field))
        nullable = nullable or (is_array_left_out(parameter) and is_asked_alone(self.spec, parameter.name))
        if parameter.default is not None and not (nullable and parameter.default == "None"):
            return None
        example = parameter.field.example if parameter.field is not None else None
        kind = example or (parameter.type if parameter.type is not None else ScalarType("int"))
        names = tuple(name for name, _ in parameter.field.preset) if parameter.field is not None else ()
        if first_member(kind) == ScalarType("float"):
            return str(taken_float(self.spec, parameter.name, {**default_numbers(self.spec), **self.sizes}))
        try:
            return self.value(kind, parameter.name, index, names)
        except ScaffoldError:
            if nullable or says_none(self.spec, parameter.name):
                return "None"  # it is tried without
            raise

    def argument(self, name: str, kind: Type | None, offset: int) -> str:
        """Return the source of an argument of the call: the value in `[test]`, or an example."""
        source = dict(self.spec.test.values).get(name)
        if kind is None:
            return source or "None"
        if source is None:
            return self.value(kind, name, offset)
        array = next((part for part in walk(kind) if isinstance(part, ArrayType)), None)
        if array is None or array.dtype == "key" or not isinstance(kind, ArrayType | UnionType):
            return source
        return f"jnp.array({source}, {_dtype_of_example(array)})"

    def value(self, kind: Type, name: str, offset: int, keys: tuple[str, ...] = ()) -> str:
        """Return the source of an example of `kind` for `name`, with `offset` added to the seed."""
        match kind:
            case ArrayType():
                return self.sample(kind, name, offset)
            case ScalarType(name="str"):
                return repr(
                    next(iter(compared_texts(self.spec, name)), "float32" if name.endswith("dtype") else name)
                )
            case ScalarType(name="int"):
                return str(place_of(self.spec, name))
            case ScalarType(name=scalar):
                return _SCALARS[scalar]
            case SetType(item=item):
                return f"{{{self.value(item, name, offset)}}}"
            case TupleType(items=items, variadic=variadic):
                items = items * count_of_entries(self.spec, name) if variadic else items
                parts = self._each(items, name, offset)
                is_of_ints = variadic and {*parts} == {EXAMPLE_INT}
                return repr(example_of_ints(self.spec, name, is_tuple=True)) if is_of_ints else _listed(parts)
            case LiteralType(values=values):
                return repr(values[0])
            case CallableType():
                return example_function(self.spec, kind, name)
            case ListType(item=item):
                parts = self._each((item,) * count_of_entries(self.spec, name), name, offset)
                is_of_ints = {*parts} == {EXAMPLE_INT}
                ints = example_of_ints(self.spec, name, is_tuple=False) if is_of_ints else ()
                return _listed([*map(str, ints)] or parts, is_tuple=is_tuple_as_written(self.spec, name))
            case DictType(item=item):
                entries = sorted((*keys, "z" if "b" in keys else "b"), reverse=True)  # jax sorts them
                pairs = (f"{k!r}: {self.value(item, name, offset + 10 * i)}" for i, k in enumerate(entries))
                return f"{{{', '.join(pairs)}}}"
            case TreeType(text=text):
                first, second = self._leaves_of_tree(text, offset)
                return f'{{"a": {first}, "b": ({second},)}}'
            case UnionType(members=members):
                return self.value(members[0], name, offset) if members else "None"
            case ClassType() if is_state(kind) and is_stateful(self.spec):
                return "self.state(seed)"
            case ClassType():
                return self.instance(kind, name, offset)
            case OpaqueType(text=text) if (named := self._named(text)) is not None:
                return self.value(named, name, offset)
            case OpaqueType(text=text):
                which = f"which is a `{text}`" if text != name else "of which nothing says type and shape"
                raise ScaffoldError(
                    f"the tests have no example for `{name}`, {which}",
                    where=f"{self.spec.where}: test.values",
                    fix=f'write `[test]` and `values = {{ {name} = "=..." }}`',
                )

    def _each(self, items: tuple[Type, ...], name: str, offset: int) -> list[str]:
        """Return the sources of the entries of a tuple or list. Equal texts are numbered, like names."""
        sources = [self.value(item, name, offset + 10 * i) for i, item in enumerate(items)]
        texts = [f"{name}_{i}" if i and item == ScalarType("str") else "" for i, item in enumerate(items)]
        is_named = sources[:1] == [repr(name)]
        return [
            repr(text) if text and is_named else source for source, text in zip(sources, texts, strict=True)
        ]

    def _named(self, text: str) -> Type | None:
        """Return the type that a kept annotation states, if its dims have sizes and its classes are known."""
        kind = type_with_named_dims(text)
        parts = () if kind is None else tuple(walk(kind))
        names = {
            name
            for array in parts
            if isinstance(array, ArrayType)
            for dim in array.dims
            for name in dim_names(dim)
        }
        classes = (part for part in parts if isinstance(part, ClassType))
        is_known = all(part.module is not None or part.name in self.known for part in classes)
        is_opaque = kind is None or any(isinstance(part, OpaqueType) for part in parts)
        return kind if is_known and not is_opaque and names <= {ROWS, *self.sizes} else None

    def _leaves_of_tree(self, text: str, offset: int) -> tuple[str, str]:
        """Return two leaves of a tree, in the shape of its annotation, or each in its own shape."""
        leaf, known = leaf_of_tree(text) or leaf_of_fields(self.spec), {ROWS, *self.sizes}
        if leaf is None:
            return f"sample({self.seed(offset)}, (2,))", f"sample({self.seed(offset + 10)}, (3,))"
        dims = tuple(dim if known.issuperset(dim_names(dim)) else ROWS for dim in leaf.dims)
        leaf = ArrayType(leaf.dtype, dims)
        return self.sample(leaf, "", offset), self.sample(leaf, "", offset + 10)

    @cached_property
    def positive(self) -> frozenset[str]:
        """The arguments whose values must be positive."""
        return positive_names_with(self.spec, self.known)

    def sample(self, kind: ArrayType, name: str, offset: int) -> str:
        parts = [self.seed(offset), shape_source(self.spec, kind) or repr(self.shape(kind))]
        parts += [f'"{DTYPES[kind.dtype][1]}"'] if DTYPES[kind.dtype][1] != "float" else []
        end = end_of_indices(self.spec, name, self.dim) if DTYPES[kind.dtype][1].startswith("int") else 0
        parts += [f"high={end}"] if end else []
        parts += ["positive=True"] if name in self.positive and kind.inexact else []
        return f"sample({', '.join(parts)})"

    def seed(self, offset: int) -> str:
        return f"seed + {self.begin + offset}" if self.begin + offset else "seed"

    def shape(self, kind: ArrayType) -> tuple[int, ...]:
        return tuple(size for dim in kind.dims for size in self.dim(dim))

    def known_shape(self, kind: ArrayType) -> tuple[int, ...] | None:
        """Return the shape, or None if the constructor computes a size by more than arithmetic."""
        is_known = unknown_dims(self.spec).isdisjoint(name for dim in kind.dims for name in dim_names(dim))
        return self.shape(kind) if is_known else None

    def dim(self, dim: str) -> tuple[int, ...]:
        """Return the size of a dim, or the sizes for which `*shape` stands."""
        if not dim.startswith("*"):
            return (evaluate(dim, {ROWS: _ROWS, **self.sizes}),)
        shape = several(self.spec, dim[1:])
        assert shape is not None, "the reader asks for sizes that it cannot know"
        return shape

    def instance(self, kind: ClassType, name: str, offset: int) -> str:
        """Return source that builds an instance of another class, which must be known, or have a value."""
        kind = bound_of(self.spec, kind)
        asked = self.known.get(kind.name) if kind.module is None else None
        spec = concrete(asked, self.known) if asked is not None else None
        apart = replace(self, begin=APART * (self.begin + offset + 1))
        if spec is None and (layer := layer_source(self.spec, kind, name, self.sizes, apart.seed(0))):
            return layer
        if spec is None:
            raise ScaffoldError(
                f"the tests cannot build a `{type_text(kind)}` for `{name}`",
                where=f"{self.spec.where}: test.values",
                fix=how_to_build(kind, name, is_abstract=asked is not None),
            )
        if spec.test.build:
            return f"({spec.test.build})"
        inner = replace(Examples.of(spec, self.known), begin=apart.begin, sizes=self.sizes_of(spec, name))
        try:
            arguments = ", ".join(f"{key}={value}" for key, value in inner.inputs())
        except ScaffoldError as error:
            message = f"the tests cannot build a `{type_text(kind)}` for `{name}`: {error.faults[0].what.removeprefix('the tests have ')}"
            fix = how_to_build(kind, name, is_abstract=False)
            raise ScaffoldError(message, where=f"{self.spec.where}: test.values", fix=fix) from None
        return f"{inner.construct()}({arguments})"

    def sizes_of(self, spec: ModuleSpec, part: str = "") -> Mapping[str, int]:
        """Return the sizes of a class that the field `part` holds. A dim of both classes has one size.

        The tests of the held class may set its sizes. Sizes that depend on another part come from that part.
        """
        usual, values = sizes(spec), (source for _, source in spec.test.values)
        # An instance without arguments, or a member of an enumeration, says no size.
        if spec.test.sizes or spec.test.shapes or not all(re.fullmatch(_SETTINGS, value) for value in values):
            return usual
        shared = {name: self._numbers[name] for name in usual if name in self._numbers}
        shared |= self._sizes_between_parts.get(part, {}) if part else {}
        distinct = sizes(replace(spec, test=replace(spec.test, sizes=tuple(shared.items()))))
        return distinct if all_positive(spec, distinct) else usual

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The sizes, and default whole numbers of the constructor, which may size a dim of a part."""
        numbers = default_numbers(self.spec).items()
        return {**{name: int(number) for name, number in numbers if number % 1 == 0 < number}, **self.sizes}

    @cached_property
    def _sizes_between_parts(self) -> dict[str, dict[str, int]]:
        """Sizes by part, of dims that the call uses as equal to other dims."""
        parts = parts_of(self.spec, self.known)
        sized = {"": self.sizes} | {part: self.sizes_of(spec) for part, spec in parts.items()}
        result: dict[str, dict[str, int]] = {part: {} for part in parts}
        for group in equal_dims(self.spec, parts):
            group = sorted(group, key=lambda place: bool(place[0]))  # the class itself says it first
            sizes_of_group = [sized[part][dim] for part, dim in group if dim in sized[part]]
            for part, dim in group:
                if part and dim in sized[part]:
                    result[part][dim] = sizes_of_group[0]
        return result

    def construct(self) -> str:
        """Return the name of the function that builds an instance."""
        return constructor_name(self.spec)


_SETTINGS = r"[A-Z]\w*(\(\)|\.\w+)"
_ROWS = 3
"""The size of an axis without a name, unless something else determines the size."""
APART = 100
"""The distance between seeds of instances inside others, so that no two have the same array."""
_SCALARS = {
    "bool": "True",
    "float": "0.3",
    "dtype": "jnp.float32",
    "slice": "slice(None, 2)",
}


def _listed(parts: Sequence[str], *, is_tuple: bool = True) -> str:
    text = ", ".join(parts)
    return f"({text},)" if is_tuple else f"[{text}]"


def _dtype_of_example(array: ArrayType) -> str:
    """Return the source of a dtype for `jnp.array`, in which `float` is jax's default."""
    name = DTYPES[array.dtype][1]
    return name if name in ("float", "bool", "int", "complex") else f"jnp.{name}"


def constructor_name(spec: ModuleSpec) -> str:
    """Return `Affine.create`, or `Affine` if `__init__` or the fields alone build an instance."""
    by_flag = rebuilds_by(spec, "flag") and all(field.given for field in spec.stored)
    return spec.name if spec.constructor == "init" or by_flag or is_plain(spec) else f"{spec.name}.create"
