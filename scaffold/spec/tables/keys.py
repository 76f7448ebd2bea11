"""The keys that a spec may hold: one table, from which both the checks and the JSON Schema are made."""

from msgspec import Struct

from scaffold.choices import BACKENDS
from scaffold.kind import NAMES as KINDS

CONSTRUCTORS = ("factory", "init")
REBUILDS = ("bypass", "flag", "factory", "static", "dataclass")
LAYOUTS = ("flat", "nested")
ROLES = ("param", "data", "buffer", "static", "callable", "module", "state", "derived", "shared")

TEST_DTYPES = ("f16", "bf16", "f32", "f64", "c64", "c128")
"""The dtypes in which tests may build and call a class."""
COMPUTES = ("bfloat16", "float16", "float32")
"""The dtypes in which methods may compute."""
NARROW_DTYPES = ("f16", "bf16", "f32")
ALLOWED = ("reuses_key", "shares_noise", "truncated")
"""What suites take for a mistake where nothing says that it is meant."""


class Key(Struct, frozen=True):
    """A key, the form of its value, and what it means."""

    form: str
    doc: str
    legal: tuple[str, ...] = ()
    required: bool = False


_COMMENT = Key("string", "Comment above it.")
SPEC_KEYS = {
    "name": Key("string", "Name of the class.", required=True),
    "kind": Key("string", "What to generate.", KINDS),
    "template": Key(
        "string", "What lays the class out in the place of its kind: a name in `[tool.scaffold.templates]`."
    ),
    "file": Key("string", "Name of its file, without `.py` (default: made from the class's): `lora`."),
    "doc": Key("string", "Docstring of the class."),
    "comment": _COMMENT,
    "bases": Key(
        "array of strings", "Abstract classes that it fulfils: `AbstractNorm`, `pkg.mod:AbstractNorm`."
    ),
    "generic": Key("array of strings", "Type parameters: `T`, or `T: AbstractNorm` with a bound."),
    "decorators": Key("array of strings", "Decorators of the class, from the outermost."),
    "constructor": Key(
        "string", "`create(...)` beside plain fields, or the `__init__` of equinox.nn.", CONSTRUCTORS
    ),
    "rebuild": Key(
        "string",
        "Kind pytree: how unflatten rebuilds an instance; `dataclass` has treedefs that do not name the class.",
        REBUILDS,
    ),
    "layout": Key(
        "string", "Whether a group is a set of fields, or a class of its own that holds them.", LAYOUTS
    ),
    "arguments": Key(
        "array of strings", "Arguments of the constructor, in order: `depth`, `scale: float = 1.0`, `*`."
    ),
    "dtype": Key(
        "string",
        "`like base.weight`: the dtype of an array that is given; `default`: jax's. The constructor then takes none.",
    ),
    "setup": Key("string", "Statements that the constructor runs first."),
    "imports": Key("array of strings", "Import statements that expressions and bodies need."),
    "module_doc": Key("string", "The docstring of the module."),
    "helpers": Key("string", "Statements of the module above the class: functions, constants, classes."),
    "below": Key("string", "Statements of the module below the class."),
    "source": Key("string", "Kind as-written: the class statement, word for word."),
    "save": Key("boolean", "Whether the class has `save` and `load`, whose files are safetensors."),
    "migrate": Key(
        "boolean",
        "Whether `load` reads files of former versions of the class; `.scaffold/` tells what changed.",
    ),
    "sharding": Key(
        "table", 'Mesh axes of named dims: `hidden = "model"`, several in a list, `[]` for none.'
    ),
    "compute": Key(
        "string", "The dtype that methods compute in, where arrays are stored in a wider one.", COMPUTES
    ),
    "keywords": Key("table", 'What the class statement says beside its bases: `metaclass = "=ABCMeta"`.'),
    "options": Key("table", "What this kind of class takes beside its fields."),
    "fields": Key("table", "The fields, in order."),
    "groups": Key("table", 'Named sets of fields: `small = ["element1", "element2"]`.'),
    "call": Key("table", "The `__call__` method."),
    "constructors": Key("table", "Further constructors: a table `[constructors.NAME]` each."),
    "methods": Key(
        "table", "Methods: a table `[methods.NAME]` each; `[methods.__call__]` is `[call]` below others."
    ),
    "test": Key("table", "Values for the generated tests."),
}
FIELD_KEYS = {
    "type": Key(
        "string",
        "`f[out,in]`, `int`, `callable`, `Class`, `list[...]`, `dict[str, ...]`, `tree`.",
        required=True,
    ),
    "role": Key("string", "What the field is to training and to the treedef.", ROLES),
    "frozen": Key(
        "boolean or a name",
        "Whether nothing of a parameter or a sub-module is trained, or the static bool that says so.",
    ),
    "decay": Key(
        "boolean",
        "Whether weight decay moves a parameter or a sub-module (default: true); `decayed()` says so of all leaves.",
    ),
    "stacked": Key(
        "boolean",
        "Whether the layers of a list of one class are one instance, whose arrays have an axis of layers first (default: false); "
        "loops over them become scans.",
    ),
    "remat": Key(
        "boolean",
        "Whether the results inside of a stacked layer are computed again on the way back (default: false).",
    ),
    "compute": Key(
        "boolean or a name",
        "The dtype that a field is read in: `bfloat16`; `false`: the stored one, in a class that computes in another.",
    ),
    "init": Key("string", "A named initialiser, or `=` and an expression over the constructor's arguments."),
    "std": Key(
        "value",
        "The standard deviation around 0 with which `init` draws, as arithmetic over sizes: `1 / sqrt(3 * in_size)`.",
    ),
    "of": Key(
        "string", "Role shared: the array that it is tied to: `embedding`, `embedding.T`, `encoder.weight`."
    ),
    "preprocess": Key("string", "An expression over the field's name, applied once, at creation, to a copy."),
    "optional": Key("string", "A boolean argument of the constructor; without it the field is None."),
    "default": Key(
        "value", "Default of the constructor's argument; a string that begins with `=` is an expression."
    ),
    "converter": Key(
        "string", "A function, or `=` and an expression over the field's name, run by the constructor."
    ),
    "check": Key("string", "An invariant over the fields, checked at construction."),
    "preset": Key("table", "Entries of a dict field that creation fixes."),
    "variable": Key(
        "string",
        "Kind nnx: the Variable type of a buffer: one of Flax, or the name of one to define in the module.",
    ),
    "doc": Key("string", "What the field is."),
    "comment": _COMMENT,
}
GROUP_KEYS = {
    "fields": Key("array of strings", "The fields of the group.", required=True),
    "class": Key("string", "Layout nested: name of the class of the group (default: from class and group)."),
    "readable": Key(
        "boolean", "Layout nested: whether the large class reads the fields as properties (default: false)."
    ),
}
CALL_KEYS = {
    "args": Key("string", "Arguments: `x: f[in_size], *, key: key[] | None = None`."),
    "returns": Key("string", "Type of the result, or several with commas for a tuple."),
    "body": Key("string", "Body of the method."),
    "source": Key("string", "The whole definition in the place of `body`: it is carried word for word."),
    "doc": Key("string", "Docstring of the method."),
    "comment": _COMMENT,
    "carry": Key("string", "The argument whose next value the method returns first."),
    "axis_name": Key(
        "string", "Kind module: the name of the batch axis over which the body averages, under `jax.vmap`."
    ),
}
CASE_KEYS = {
    "name": Key("string", "What the configuration is: `without a bias`.", required=True),
    "sizes": Key("table", "Sizes of dims that are others than in the example."),
    "values": Key("table", "Values of arguments that are others than in the example."),
}
CONDITION_KEYS = {
    "name": Key("string", "What holds: `the inverse undoes the call`.", required=True),
    "that": Key(
        "string",
        "An expression over `self` and the arguments of the call that must be true: `close(self(self(x)), x)`.",
        required=True,
    ),
    "at_start": Key("boolean", "Whether it holds of a new instance alone, and not after training."),
}
SELF = "self"
"""What a method carries that gives the next instance."""
_OF_METHODS = ("args", "returns", "body", "source", "doc", "comment")
METHOD_KEYS = {
    "decorator": Key(
        "string", "`property`, `classmethod`, `staticmethod`, `eqx.filter_jit`; several on a line each."
    ),
    **{name: key for name, key in CALL_KEYS.items() if name in _OF_METHODS},
    "carry": Key("string", "`self`, where the method gives the next instance.", (SELF,)),
    "above": Key(
        "string", "Of a carried statement: the field above which it stands, or `...` below them all."
    ),
}
_NOT_OF_CONSTRUCTORS = ("decorator", "returns", "source", "above")
CONSTRUCTOR_KEYS = {name: key for name, key in METHOD_KEYS.items() if name not in _NOT_OF_CONSTRUCTORS}
TEST_KEYS = {
    "sizes": Key("table", "Sizes of dims, by name; an array of sizes for a dim such as `*shape`."),
    "values": Key(
        "table",
        "Values of arguments of constructor, call and methods, by name or as `METHOD.NAME`; a string that begins with `=` is an expression.",
    ),
    "build": Key(
        "string",
        "Kind as-written: an expression over `seed` that builds an instance: `Net(3, key=jax.random.key(seed))`.",
    ),
    "other": Key("table", "Changes to the arguments that make another configuration."),
    "strict": Key("boolean", "Whether the call must not promote dtypes and ranks (default: true)."),
    "narrowest": Key("string", "The dtype to which the call may narrow on the way: `bf16`.", NARROW_DTYPES),
    "allows": Key(
        "array of strings",
        "What the call does on purpose: it makes one draw again, has one noise for all rows, ends gradients at the carry.",
        ALLOWED,
    ),
    "unused": Key(
        "array of strings",
        "Fields on some elements of which the example call does not depend, and keys and arrays that the call takes and leaves unused.",
    ),
    "positive": Key(
        "array of strings", "Arguments of constructor and call whose example values must be positive."
    ),
    "invariants": Key(
        "array of strings",
        "What is known to hold, by name: `mean 0 along -1`, `equivariant under permutation`.",
    ),
    "dtypes": Key(
        "array of strings",
        "Further dtypes in which the class is built and called: `bf16`, `f64`.",
        TEST_DTYPES,
    ),
    "tolerance": Key(
        "number or a table",
        "How far two computations of one number may differ, relative to the largest: one number, or one by dtype.",
    ),
    "cases": Key(
        "array of tables", "Further configurations, which the laws that cost little run on as well."
    ),
    "holds": Key("array of tables", "Conditions that must be true, each a test of your own."),
    "reference": Key(
        "string",
        "The call in NumPy, as an expression or a body over the fields and the arguments, to compare with.",
    ),
    "skip": Key(
        "array of strings",
        "Parts of names of tests that do not hold for the class, with the reason: `p08_every_parameter: zero at the start`.",
    ),
    "rejected": Key("array of tables", "Changes to the arguments that the constructor must refuse."),
    "backend": Key("string", "The platform on which the tests must run, and no other.", BACKENDS),
    "lower_for": Key(
        "array of strings", "Platforms for which the tests lower the call and its gradient.", BACKENDS
    ),
}
