"""The spec as data: frozen, checked, with every default filled in."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import takewhile
from typing import Any

from msgspec import Struct, field

from scaffold.source.definitions import function_of
from scaffold.spec.grammar.initialisers import named
from scaffold.spec.grammar.types import ArrayType, ClassType, OpaqueType, ScalarType, Type, is_plain, walk
from scaffold.spec.names import stem
from scaffold.spec.test_plan import TestPlan
from scaffold.spec.unit import Unit

Source = str
"""Python source of an expression."""


class Field(Struct, frozen=True):
    """A field of the class, as declared."""

    name: str
    type: Type
    role: str
    init: str | None = None
    """A named initialiser such as `uniform(0.1)`, or `=` and an expression over constructor arguments."""
    std: Source | None = None
    """The standard deviation around 0 with which `init` draws, as arithmetic over the sizes of dims."""
    preprocess: Source | None = None
    optional: str | None = None  # the boolean argument without which the field is None
    default: Source | None = None
    converter: Source | None = None
    """A function to apply, or `=` and an expression over the field's own name."""
    check: Source | None = None
    in_class: bool = False  # the class statement has the default too
    preset: tuple[tuple[str, Source], ...] = ()
    """Entries of a dict that creation fixes, sorted by name."""
    variable: str | None = None
    """Kind nnx: the Variable type of a buffer, from Flax or defined in the module."""
    of: Source | None = None
    """Role shared: an expression over the fields for the array that this field is tied to."""
    nullable: bool = False  # the constructor takes None for it
    is_assumed: bool = False  # its role is undeclared, and taken for `data`
    frozen: str = ""
    """`true` if nothing in the field is trained, or the static bool that says so."""
    decays: bool = True  # weight decay moves what is trained of it
    stacked: bool = False  # its layers are one instance, whose arrays have an axis of layers first
    remat: bool = False  # the results inside of a layer are computed again on the way back
    compute: str = ""
    """The dtype in which methods read the field, or `false` for the dtype in which it is stored."""
    example: Type | None = None  # what the tests give, where its type says no shape
    doc: str = ""
    comment: str = ""  # lines above it
    built: bool = False  # the author's own constructor makes it, of which no more is known
    is_leaf: bool = False  # it is a leaf all the same, as an int is in a class that is emitted word for word
    annotated: bool = True
    """Whether the class statement declares the field, and not only a base or an NNX constructor."""

    @property
    def dynamic(self) -> bool:
        """Whether the field's value is part of the leaves."""
        return self.role in ("param", "data", "buffer", "module", "state")

    @property
    def stored(self) -> bool:
        return self.role not in ("derived", "shared")

    @property
    def python_leaf(self) -> bool:
        """Whether the field is a leaf but no array: `inference: bool`, static to filtered transformations."""
        if self.role == "data":
            return isinstance(self.type, ScalarType)
        return self.role == "buffer" and is_plain(self.example or self.type)

    @property
    def expression(self) -> Source | None:
        """The source of `init` if that is an expression, or the array that a shared field reads."""
        if self.role == "shared":
            return self.of
        return self.init[1:].strip() if self.init is not None and self.init.startswith("=") else None

    @property
    def initialiser(self) -> str | None:
        """The name of `init`, if that is a named initialiser."""
        return None if self.init is None or self.init.startswith("=") else named(self.init)[0]

    @property
    def measure(self) -> Source | None:
        """The argument of a named initialiser: `limit` in `uniform(limit)`."""
        return None if self.init is None or self.init.startswith("=") else named(self.init)[1]

    @property
    def source(self) -> Source | None:
        """The author's Python in `init` or `of`: an expression, or the measure of a named initialiser."""
        return self.measure if self.expression is None else self.expression

    @property
    def given(self) -> bool:
        """Whether the constructor takes the field's value as an argument."""
        return self.stored and self.init is None and not self.built

    @property
    def array(self) -> ArrayType | None:
        """The field's type, if that is one array."""
        return self.type if isinstance(self.type, ArrayType) else None


class Argument(Struct, frozen=True):
    """An argument of a signature, or `*` before arguments that are keyword-only."""

    name: str
    type: Type | None = None
    default: Source | None = None
    doc: str = ""

    @property
    def is_marker(self) -> bool:
        return self.name == "*"


def types_of(members: Iterable[Field | Argument]) -> Iterator[Type]:
    """Yield the types of fields or arguments, as far as declared."""
    return (member.type for member in members if member.type is not None)


class Call(Struct, frozen=True):
    """The `__call__` of the class, or the signature and body of another method."""

    args: tuple[Argument, ...]
    body: str
    returns: tuple[Type, ...] = ()
    returns_tuple: bool = False
    doc: str = ""
    carry: str | None = None
    """The argument whose next value the call returns first, as the carry of `jax.lax.scan`."""
    axis_name: str | None = None  # the batch axis over which the body averages, under `jax.vmap`
    comment: str = ""  # lines above it
    source: str = ""
    """The whole definition word for word, if it is carried. The signature then serves the tests alone."""
    looped: str = ""
    """The author's loop over stacked layers, for which the body has a scan."""
    above: str = ""
    """The field above which a carried statement stands, `...` below all fields, or empty among methods."""

    @property
    def text(self) -> str:
        """The whole definition if that is carried, else the body."""
        return self.source or self.body

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of the arguments, then of the results."""
        return (*types_of(self.args), *self.returns)


class Method(Struct, frozen=True):
    """A method beside the call. `decorators` holds sources, from the outermost."""

    name: str
    call: Call
    decorators: tuple[str, ...] = ()
    table: str = "methods"  # the table that holds it: `methods`, or `constructors`
    inherited: bool = False  # a base has it, and its text

    @property
    def is_function(self) -> bool:
        """Whether this is a method, and not another carried statement."""
        return not self.call.source or function_of(self.call.source) is not None

    def builds(self, name: str) -> bool:
        """Whether this is a further constructor of the class `name`, with a signature that is understood."""
        return not self.call.source and self.owner == "cls" and self.call.returns == (ClassType(name),)

    @property
    def owner(self) -> str:
        """The name of the first argument, or empty for a static method."""
        if "staticmethod" in self.decorators:
            return ""
        return "cls" if "classmethod" in self.decorators else "self"


class Group(Struct, frozen=True):
    """A named set of fields, with a filter spec."""

    name: str
    fields: tuple[str, ...]
    class_name: str = ""
    """Layout `nested`: the class that holds the fields."""
    readable: bool = False
    """Layout `nested`: whether the large class reads the fields as if they were its own."""


class TypeParameter(Struct, frozen=True):
    """A type parameter of a class, with an upper bound if `bound` is set."""

    name: str
    bound: Type | None = None


class ModuleSpec(Struct, frozen=True, dict=True):
    """A class to generate."""

    name: str
    kind: str
    fields: tuple[Field, ...]
    doc: str
    comment: str = ""  # lines above it
    bases: tuple[ClassType | OpaqueType, ...] = ()  # abstract classes that it fulfils
    generic: tuple[TypeParameter, ...] = ()
    decorators: tuple[Source, ...] = ()  # the author's, from the outermost
    keywords: tuple[tuple[str, Source], ...] = ()  # what stands beside the bases: `metaclass=ABCMeta`
    uses: tuple[str, ...] = ()
    """Further generated classes that the Python of this class names."""
    constructor: str = "factory"
    rebuild: str = "bypass"
    arguments: tuple[Argument, ...] = ()
    dtype: str = ""
    """`like base.weight`, or `default`, if the constructor takes no `dtype`. Empty if it takes `dtype`."""
    setup: str = ""
    constructor_doc: str = ""
    imports: tuple[str, ...] = ()
    module_comment: str = ""  # what stands above all of the module, where the class is alone in it
    module_doc: str = ""  # the docstring of the module, where the class is alone in it
    helpers: str = ""  # statements of the module above the class
    below: str = ""  # and those below it
    source: str = ""  # the whole class statement, where it is emitted word for word
    groups: tuple[Group, ...] = ()
    layout: str = "flat"
    """`flat` if groups are sets of fields, `nested` if groups are classes that hold the fields."""
    save: bool | None = None  # whether it has `save` and `load`; None where the project decides
    migrate: bool = False  # `load` reads files of its former versions
    sharding: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    """Mesh axes by the name of a dim, or None without `partition_specs` or for the project's choice."""
    compute: str = ""  # the dtype that the call computes in, or empty for the stored dtype
    options: tuple[tuple[str, Any], ...] = ()
    """Options of the kind, by name."""
    call: Call | None = None
    methods: tuple[Method, ...] = ()
    """Methods beside the call and further constructors, in the author's order."""
    call_at: int = 0  # how many of the methods stand above the call
    test: TestPlan = field(default_factory=TestPlan)
    where: str = "spec"
    unread: frozenset[str] = frozenset()
    """Names in parts of the spec that could not be read, so that no rule reports these as unknown."""
    file: str = ""  # its name without the ending, where the spec says one
    template: str = ""  # what lays it out in the place of its kind's: a name in the project's settings
    written: tuple[tuple[tuple[str, ...], str], ...] = ()
    """The author's spelling of annotations, docstrings and comments behind fields, by place."""
    unit: Unit | None = None
    """The file that the class shares with others, or None for a module of its own."""
    is_open: bool = False  # it leaves methods to subclasses
    has_subclasses: bool = False
    inherits_constructor: bool = False  # a base makes all of its fields
    constants: tuple[tuple[str, int], ...] = ()  # the whole numbers that its module names
    settings: tuple[str, ...] = ()
    """Classes of the module that are no pytrees, so that their instances are constants."""
    divided_beside: tuple[tuple[str, str], ...] = ()  # sizes that it hands to classes which divide them
    refused_by_parts: tuple[str, ...] = ()  # conditions on sizes under which classes that it holds raise
    buffers_of_parts: tuple[tuple[str, bool], ...] = ()  # as paths; and whether it may hold what is no array

    @cached_property
    def worked_out(self) -> dict[Any, Any]:
        """Results that `once` caches, which stay valid because a spec never changes."""
        return {}

    @property
    def stem(self) -> str:
        """The name of the file, without the ending."""
        return self.unit.stem if self.unit is not None else self.file or stem(self.name)

    @property
    def stored(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.stored)

    @property
    def dynamic(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.dynamic)

    @property
    def static(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.stored and not field.dynamic)

    @property
    def derived(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if not field.stored)

    @property
    def named_types(self) -> tuple[Type, ...]:
        """The types of fields, then of the call and the methods, then of the constructor's own arguments."""
        called = (kind for call in self.calls for kind in call.types)
        return (*types_of(self.fields), *called, *types_of(self.arguments))

    @property
    def classes(self) -> tuple[ClassType, ...]:
        """The other classes that bases, fields, arguments and results name, in order."""
        bounds = (parameter.bound for parameter in self.generic if parameter.bound is not None)
        kinds = (*self.bases, *self.named_types, *bounds, *map(ClassType, self.uses))
        class_types = (part for kind in kinds for part in walk(kind) if isinstance(part, ClassType))
        own_types = {ClassType(self.name), *(ClassType(parameter.name) for parameter in self.generic)}
        return tuple(dict.fromkeys(class_type for class_type in class_types if class_type not in own_types))

    @property
    def constructors(self) -> tuple[Method, ...]:
        """The author's own constructor and further ones, as far as they stand above all other methods."""
        own, above = self.own_constructor, self.methods if self.call is None else self.methods[: self.call_at]
        functions = (method for method in above if not method.call.above)
        return tuple(takewhile(lambda method: method is own or method.builds(self.name), functions))

    def defines(self, name: str) -> bool:
        """Whether the author wrote a method of this name."""
        return any(method.name == name for method in self.methods)

    @property
    def own_constructor(self) -> Method | None:
        """The author's `__init__` or `create`, if that is carried."""
        name = "__init__" if self.constructor == "init" else "create"
        return next((method for method in self.methods if method.name == name and method.call.source), None)

    @property
    def making(self) -> Source:
        """The author's part of the constructor: the whole definition, or the statements that run first."""
        return self.setup if self.own_constructor is None else self.own_constructor.call.source

    @property
    def call_arguments(self) -> tuple[Argument, ...]:
        """The arguments of the call, or none without a call."""
        return self.call.args if self.call is not None else ()

    @property
    def functions(self) -> tuple[tuple[str, Method], ...]:
        """The call and the methods, in order, each with its key in faults."""
        called = (("call", Method("__call__", self.call)),) if self.call is not None else ()
        rest = tuple((f"{method.table}.{method.name}", method) for method in self.methods)
        return (*rest[: self.call_at], *called, *rest[self.call_at :])

    @property
    def calls(self) -> tuple[Call, ...]:
        """The signature and body of the call and of each method."""
        return tuple(function.call for _, function in self.functions)

    @property
    def nests(self) -> bool:
        """Whether each group is a class of its own."""
        return self.layout == "nested"

    def field(self, name: str) -> Field | None:
        """Return the field called `name`, or None."""
        return next((field for field in self.fields if field.name == name), None)
