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
    """One field of the class, as declared."""

    name: str
    type: Type
    role: str
    init: str | None = None
    """A named initialiser (`lecun_normal`, `uniform(0.1)`), or `=` and an expression over the constructor's arguments."""
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
    """Kind nnx: the Variable type of a buffer, one of Flax or one that the module defines."""
    of: Source | None = None
    """Role shared: the array that it is tied to, as an expression over the fields."""
    nullable: bool = False  # the constructor takes None for it
    is_assumed: bool = False  # nobody says its role, which is that of data
    frozen: str = ""
    """`true` where nothing of it is trained, or the static bool that says whether it is."""
    decays: bool = True  # weight decay moves what is trained of it
    stacked: bool = False  # its layers are one instance, whose arrays have an axis of layers first
    remat: bool = False  # the results inside of a layer are computed again on the way back
    compute: str = ""
    """The dtype that it is read in; `false` where that is the stored one, in a class that computes in another."""
    example: Type | None = None  # what the tests give, where its type says no shape
    doc: str = ""
    comment: str = ""  # lines above it
    built: bool = False  # the author's own constructor makes it, of which no more is known
    is_leaf: bool = False  # it is a leaf all the same, as an int is in a class that is emitted word for word
    annotated: bool = True
    """Whether the class statement has it: no base declares it, and no constructor of an NNX module alone makes it."""

    @property
    def dynamic(self) -> bool:
        """Whether the field's value is part of the leaves."""
        return self.role in ("param", "data", "buffer", "module", "state")

    @property
    def stored(self) -> bool:
        return self.role not in ("derived", "shared")

    @property
    def python_leaf(self) -> bool:
        """A leaf that is no array: `inference: bool`, held by Equinox's filtered transformations."""
        if self.role == "data":
            return isinstance(self.type, ScalarType)
        return self.role == "buffer" and is_plain(self.example or self.type)

    @property
    def expression(self) -> Source | None:
        """The source of `init` where it is an expression; of a shared field, what it reads."""
        if self.role == "shared":
            return self.of
        return self.init[1:].strip() if self.init is not None and self.init.startswith("=") else None

    @property
    def initialiser(self) -> str | None:
        """The name of `init` where it is a named initialiser."""
        return None if self.init is None or self.init.startswith("=") else named(self.init)[0]

    @property
    def measure(self) -> Source | None:
        """What a named initialiser is given: the limit in `uniform(limit)`."""
        return None if self.init is None or self.init.startswith("=") else named(self.init)[1]

    @property
    def source(self) -> Source | None:
        """What the author wrote as Python in `init`, or `of`: an expression, or the measure of a named initialiser."""
        return self.measure if self.expression is None else self.expression

    @property
    def given(self) -> bool:
        """Whether the constructor takes the field's value as an argument."""
        return self.stored and self.init is None and not self.built

    @property
    def array(self) -> ArrayType | None:
        """The field's type where it is one array."""
        return self.type if isinstance(self.type, ArrayType) else None


class Argument(Struct, frozen=True):
    """One argument of a signature; `*` alone marks what follows as keyword-only."""

    name: str
    type: Type | None = None
    default: Source | None = None
    doc: str = ""

    @property
    def is_marker(self) -> bool:
        return self.name == "*"


def types_of(members: Iterable[Field | Argument]) -> Iterator[Type]:
    """The types of fields or of arguments, as far as these say one."""
    return (member.type for member in members if member.type is not None)


class Call(Struct, frozen=True):
    """The `__call__` of the class."""

    args: tuple[Argument, ...]
    body: str
    returns: tuple[Type, ...] = ()
    returns_tuple: bool = False
    doc: str = ""
    carry: str | None = None
    """The argument whose next value the call returns first, as `jax.lax.scan` carries it."""
    axis_name: str | None = None  # the batch axis over which the body averages, under `jax.vmap`
    comment: str = ""  # lines above it
    source: str = ""
    """The whole definition word for word, where it is carried: what is known of it beside is for the tests."""
    looped: str = ""
    """The author's loop over stacked layers, in the place of which the body has a scan."""
    above: str = ""
    """The field above which a carried statement stands, or `...` below all fields; empty among the methods."""

    @property
    def text(self) -> str:
        """Its Python: the whole definition where that is carried, and else the body."""
        return self.source or self.body

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of its arguments, and of its results."""
        return (*types_of(self.args), *self.returns)


class Method(Struct, frozen=True):
    """A method beside the call; `decorators` are as source, from the outermost."""

    name: str
    call: Call
    decorators: tuple[str, ...] = ()
    table: str = "methods"  # the table that holds it: `methods`, or `constructors`
    inherited: bool = False  # a base has it, and its text

    @property
    def is_function(self) -> bool:
        """Whether it is a method, and not another statement that is carried."""
        return not self.call.source or function_of(self.call.source) is not None

    def builds(self, name: str) -> bool:
        """Whether it is a further constructor of the class `name`, with a signature that is understood."""
        return not self.call.source and self.owner == "cls" and self.call.returns == (ClassType(name),)

    @property
    def owner(self) -> str:
        """The name of its first argument; none where it is static."""
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
    """A type parameter of a class; `bound` is what it is a subclass of."""

    name: str
    bound: Type | None = None


class ModuleSpec(Struct, frozen=True, dict=True):
    """One class to generate."""

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
    """Further generated classes that its Python names."""
    constructor: str = "factory"
    rebuild: str = "bypass"
    arguments: tuple[Argument, ...] = ()
    dtype: str = ""
    """`like base.weight`, or `default`, where the constructor takes no `dtype`; empty where it takes one."""
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
    """Whether groups are sets of fields (`flat`), or classes of their own that hold the fields (`nested`)."""
    save: bool | None = None  # whether it has `save` and `load`; None where the project decides
    migrate: bool = False  # `load` reads files of its former versions
    sharding: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    """Mesh axes by the name of a dim; None where it has no `partition_specs`, or the project decides."""
    compute: str = ""
    """The dtype that the call computes in; empty where that is the stored one."""
    options: tuple[tuple[str, Any], ...] = ()
    """What the kind takes beside fields, by name."""
    call: Call | None = None
    methods: tuple[Method, ...] = ()
    """Methods beside the call, further constructors among them, in the order of the author."""
    call_at: int = 0  # how many of the methods stand above the call
    test: TestPlan = field(default_factory=TestPlan)
    where: str = "spec"
    unread: frozenset[str] = frozenset()
    """The names in what could not be read: none of them is unknown for that."""
    file: str = ""  # its name without the ending, where the spec says one
    template: str = ""  # what lays it out in the place of its kind's: a name in the project's settings
    written: tuple[tuple[tuple[str, ...], str], ...] = ()
    """How its author writes annotations, docstrings and comments behind fields, by where they stand."""
    unit: Unit | None = None
    """The file that it shares with other classes; None where it is a module of its own."""
    is_open: bool = False  # it leaves methods to subclasses
    has_subclasses: bool = False
    inherits_constructor: bool = False  # a base makes all of its fields
    constants: tuple[tuple[str, int], ...] = ()  # the whole numbers that its module names
    settings: tuple[str, ...] = ()
    """The classes of its module that are no pytrees: their instances are constants."""
    divided_beside: tuple[tuple[str, str], ...] = ()  # sizes that it hands to classes which divide them
    buffers_of_parts: tuple[tuple[str, bool], ...] = ()  # as paths; and whether it may hold what is no array

    @cached_property
    def worked_out(self) -> dict[Any, Any]:
        """What has been worked out from this spec; a spec never changes, so it holds."""
        return {}

    @property
    def stem(self) -> str:
        """The name of its file, without the ending."""
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
        """The author's own constructor and further ones above every other method, which stand with the one that is generated."""
        own, above = self.own_constructor, self.methods if self.call is None else self.methods[: self.call_at]
        functions = (method for method in above if not method.call.above)
        return tuple(takewhile(lambda method: method is own or method.builds(self.name), functions))

    def defines(self, name: str) -> bool:
        """Whether the author wrote a method of this name."""
        return any(method.name == name for method in self.methods)

    @property
    def own_constructor(self) -> Method | None:
        """The author's `__init__` or `create`, where it is carried."""
        name = "__init__" if self.constructor == "init" else "create"
        return next((method for method in self.methods if method.name == name and method.call.source), None)

    @property
    def making(self) -> Source:
        """What the author wrote of the constructor: all of it, or the statements that it runs first."""
        return self.setup if self.own_constructor is None else self.own_constructor.call.source

    @property
    def call_arguments(self) -> tuple[Argument, ...]:
        """The arguments of the call; none where there is no call."""
        return self.call.args if self.call is not None else ()

    @property
    def functions(self) -> tuple[tuple[str, Method], ...]:
        """The call, as a method, and the methods, in order, each with the key under which its faults go."""
        called = (("call", Method("__call__", self.call)),) if self.call is not None else ()
        rest = tuple((f"{method.table}.{method.name}", method) for method in self.methods)
        return (*rest[: self.call_at], *called, *rest[self.call_at :])

    @property
    def calls(self) -> tuple[Call, ...]:
        """What these take, do and give."""
        return tuple(function.call for _, function in self.functions)

    @property
    def nests(self) -> bool:
        """Whether each group is a class of its own."""
        return self.layout == "nested"

    def field(self, name: str) -> Field | None:
        """The field called `name`, or None."""
        return next((field for field in self.fields if field.name == name), None)
