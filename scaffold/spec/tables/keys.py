"""The keys that a spec may hold: one table, from which both the checks and the JSON Schema are made."""

from scaffold.choices import BACKENDS, SEVERITIES
from scaffold.kind import NAMES as KINDS
from scaffold.spec.tables.key import ROLES, Key

CONSTRUCTORS = ("factory", "init")
REBUILDS = ("bypass", "flag", "factory", "static", "dataclass")
LAYOUTS = ("flat", "nested")
STORED = ROLES[:-2]
"""The roles of fields that an instance holds. Other fields are computed at each use."""
_DYNAMIC = ("param", "data", "buffer", "module", "state")
_TRAINED = ("param", "module")

TEST_DTYPES = ("f16", "bf16", "f32", "f64", "c64", "c128")
"""The dtypes in which tests may build and call a class."""
COMPUTES = ("bfloat16", "float16", "float32")
"""The dtypes in which methods may compute."""
NARROW_DTYPES = ("f16", "bf16", "f32")
ALLOWED = ("reuses_key", "shares_noise", "truncated")
"""Behaviour that suites report as a mistake, unless the spec allows it."""


_COMMENT = Key("Comment above it.")
SPEC_KEYS = {
    "name": Key("Name of the class.", required=True),
    "kind": Key("What to generate.", legal=KINDS),
    "template": Key(
        "What lays the class out in the place of its kind: a name in `[tool.scaffold.templates]`."
    ),
    "file": Key("Name of its file, without `.py` (default: made from the class's): `lora`."),
    "doc": Key("Docstring of the class."),
    "comment": _COMMENT,
    "bases": Key(
        "Abstract classes that it fulfils: `AbstractNorm`, `pkg.mod:AbstractNorm`.", "array of strings"
    ),
    "generic": Key("Type parameters: `T`, or `T: AbstractNorm` with a bound.", "array of strings"),
    "decorators": Key("Decorators of the class, from the outermost.", "array of strings"),
    "constructor": Key(
        "`create(...)` beside plain fields, or the `__init__` of equinox.nn.", legal=CONSTRUCTORS
    ),
    "rebuild": Key(
        "Kind pytree: how unflatten rebuilds an instance; `dataclass` has treedefs that do not name the class.",
        legal=REBUILDS,
    ),
    "layout": Key(
        "Whether a group is a set of fields, or a class of its own that holds them.", legal=LAYOUTS
    ),
    "given": Key(
        "The role of float arrays that are given and say none, where other parts are trained.",
        legal=("param", "data"),
    ),
    "arguments": Key(
        "Arguments of the constructor, in order: `depth`, `scale: float = 1.0`, `*`.", "array of strings"
    ),
    "dtype": Key(
        "`like base.weight`: the dtype of an array that is given; `default`: jax's. The constructor then takes none."
    ),
    "setup": Key("Statements that the constructor runs first."),
    "constructor_doc": Key("Docstring of the constructor, in the place of the list of its arguments."),
    "imports": Key("Import statements that expressions and bodies need.", "array of strings"),
    "module_comment": Key("The comment above all of the module, such as a licence."),
    "module_doc": Key("The docstring of the module."),
    "helpers": Key("Statements of the module above the class: functions, constants, classes."),
    "below": Key("Statements of the module below the class."),
    "source": Key("The class statement, which is emitted word for word."),
    "save": Key("Whether the class has `save` and `load`, whose files are safetensors.", "boolean"),
    "migrate": Key(
        "Whether `load` reads files of former versions of the class; `.scaffold/` tells what changed.",
        "boolean",
    ),
    "sharding": Key(
        'Mesh axes of named dims: `hidden = "model"`, several in a list, `[]` for none.', "table"
    ),
    "compute": Key(
        "The dtype that methods compute in, where arrays are stored in a wider one.", legal=COMPUTES
    ),
    "keywords": Key('What the class statement says beside its bases: `metaclass = "=ABCMeta"`.', "table"),
    "options": Key("What this kind of class takes beside its fields.", "table"),
    "fields": Key("The fields, in order.", "table"),
    "groups": Key('Named sets of fields: `small = ["element1", "element2"]`.', "table"),
    "call": Key("The `__call__` method.", "table"),
    "constructors": Key("Further constructors: a table `[constructors.NAME]` each.", "table"),
    "methods": Key(
        "Methods: a table `[methods.NAME]` each; `[methods.__call__]` is `[call]` below others.", "table"
    ),
    "test": Key("Values for the generated tests.", "table"),
}
FIELD_KEYS = {
    "type": Key(
        "`f[out,in]`, `int`, `callable`, `Class`, `list[...]`, `dict[str, ...]`, `tree`.", required=True
    ),
    "role": Key("What the field is to training and to the treedef.", legal=ROLES),
    "frozen": Key(
        "Whether nothing of a parameter or a sub-module is trained, or the static bool that says so.",
        "boolean or a name",
        roles=_TRAINED,
    ),
    "decay": Key(
        "Whether weight decay moves a parameter or a sub-module (default: true); `decayed()` says so of all leaves.",
        "boolean",
        roles=_TRAINED,
    ),
    "stacked": Key(
        "Whether the layers of a list of one class are one instance, whose arrays have an axis of layers first (default: false); "
        "loops over them become scans.",
        "boolean",
        roles=("module",),
    ),
    "remat": Key(
        "Whether the results inside of a stacked layer are computed again on the way back (default: false).",
        "boolean",
        roles=("module",),
    ),
    "compute": Key(
        "The dtype that a field is read in: `bfloat16`; `false`: the stored one, in a class that computes in another.",
        "boolean or a name",
    ),
    "init": Key(
        "A named initialiser, or `=` and an expression over the constructor's arguments.", roles=ROLES[:-1]
    ),
    "std": Key(
        "The standard deviation around 0 with which `init` draws, as arithmetic over sizes: `1 / sqrt(3 * in_size)`.",
        "value",
        roles=_DYNAMIC,
    ),
    "of": Key(
        "Role shared: the array that it is tied to: `embedding`, `embedding.T`, `encoder.weight`.",
        roles=("shared",),
    ),
    "preprocess": Key(
        "An expression over the field's name, applied once, at creation, to a copy.", roles=STORED
    ),
    "optional": Key("A boolean argument of the constructor; without it the field is None.", roles=_DYNAMIC),
    "default": Key(
        "Default of the constructor's argument; a string that begins with `=` is an expression.",
        "value",
        roles=STORED,
    ),
    "in_class": Key(
        "Kind module: whether the class statement has the default too, as a dataclass has it (default: false).",
        "boolean",
        roles=("static", "param", "data", "buffer", "module"),
    ),
    "converter": Key(
        "A function, or `=` and an expression over the field's name, run by the constructor.", roles=STORED
    ),
    "check": Key("An invariant over the fields, checked at construction."),
    "preset": Key("Entries of a dict field that creation fixes.", "table", roles=_DYNAMIC),
    "variable": Key(
        "Kind nnx: the Variable type of a buffer: one of Flax, or the name of one to define in the module.",
        roles=("data", "buffer", "state"),
    ),
    "example": Key(
        "What the tests give for an array whose type says no shape, as a type: `f[out,in]`.", roles=STORED
    ),
    "doc": Key("What the field is."),
    "comment": _COMMENT,
}
GROUP_KEYS = {
    "fields": Key("The fields of the group.", "array of strings", required=True),
    "class": Key("Layout nested: name of the class of the group (default: from class and group)."),
    "readable": Key(
        "Layout nested: whether the large class reads the fields as properties (default: false).", "boolean"
    ),
}
CALL_KEYS = {
    "args": Key("Arguments: `x: f[in_size], *, key: key[] | None = None`."),
    "returns": Key("Type of the result, or several with commas for a tuple."),
    "body": Key("Body of the method."),
    "source": Key("The whole definition in the place of `body`: it is carried word for word."),
    "doc": Key("Docstring of the method."),
    "comment": _COMMENT,
    "carry": Key("The argument whose next value the method returns first."),
    "axis_name": Key(
        "Kind module: the name of the batch axis over which the body averages, under `jax.vmap`."
    ),
}
CASE_KEYS = {
    "name": Key("What the configuration is: `without a bias`.", required=True),
    "sizes": Key("Sizes of dims that are others than in the example.", "table"),
    "values": Key("Values of arguments that are others than in the example.", "table"),
}
CONDITION_KEYS = {
    "name": Key("What holds: `the inverse undoes the call`.", required=True),
    "that": Key(
        "An expression over `self` and the arguments of the call that must be true: `close(self(self(x)), x)`.",
        required=True,
    ),
    "at_start": Key("Whether it holds of a new instance alone, and not after training.", "boolean"),
}
SELF = "self"
"""The `carry` of a method that returns the next instance."""
_OF_METHODS = ("args", "returns", "body", "source", "doc", "comment")
METHOD_KEYS = {
    "decorator": Key("`property`, `classmethod`, `staticmethod`, `eqx.filter_jit`; several on a line each."),
    **{name: key for name, key in CALL_KEYS.items() if name in _OF_METHODS},
    "carry": Key(
        "What the method returns first: the next value of an argument, or of `self` the next instance."
    ),
    "above": Key("Of a carried statement: the field above which it stands, or `...` below them all."),
    "inherited": Key(
        "Whether a base has it that is carried: it is tried, and not written (default: false).", "boolean"
    ),
}
_NOT_OF_CONSTRUCTORS = ("decorator", "returns", "source", "above", "inherited")
CONSTRUCTOR_KEYS = {name: key for name, key in METHOD_KEYS.items() if name not in _NOT_OF_CONSTRUCTORS}
TEST_KEYS = {
    "sizes": Key("Sizes of dims, by name; an array of sizes for a dim such as `*shape`.", "table"),
    "ties": Key('Dims that are as long as others say: `seen = "3*channels"`.', "table"),
    "values": Key(
        "Values of arguments of constructor, call and methods, by name or as `METHOD.NAME`; a string that begins with `=` is an expression.",
        "table",
    ),
    "build": Key(
        "Kind as-written: an expression over `seed` that builds an instance: `Net(3, key=jax.random.key(seed))`."
    ),
    "other": Key("Changes to the arguments that make another configuration.", "table"),
    "strict": Key("Whether the call must not promote dtypes and ranks (default: true).", "boolean"),
    "severity": Key(
        "What fails a test: faults alone, costs as well, or advice too (default: all; of a class that stays as it is written, faults).",
        legal=SEVERITIES,
    ),
    "narrowest": Key("The dtype to which the call may narrow on the way: `bf16`.", legal=NARROW_DTYPES),
    "allows": Key(
        "What the call does on purpose: it makes one draw again, has one noise for all rows, ends gradients at the carry or at state.",
        "array of strings",
        ALLOWED,
    ),
    "unused": Key(
        "Fields on some elements of which the example call does not depend, shared ones that it does not read, settings that nothing reads, and keys and arrays that the call takes and leaves unused.",
        "array of strings",
    ),
    "positive": Key(
        "Arguments of constructor and call whose example values must be positive.", "array of strings"
    ),
    "invariants": Key(
        "What is known to hold, by name: `mean 0 along -1`, `equivariant under permutation`.",
        "array of strings",
    ),
    "dtypes": Key(
        "Further dtypes in which the class is built and called: `bf16`, `f64`.",
        "array of strings",
        TEST_DTYPES,
    ),
    "tolerance": Key(
        "How far two computations of one number may differ, relative to the largest: one number, or one by dtype.",
        "number or a table",
    ),
    "cases": Key(
        "Further configurations, which the laws that cost little run on as well.", "array of tables"
    ),
    "holds": Key("Conditions that must be true, each a test of your own.", "array of tables"),
    "reference": Key(
        "The call in NumPy, as an expression or a body over the fields and the arguments, to compare with."
    ),
    "skip": Key(
        "Parts of names of tests that do not hold for the class, with the reason: `p08_every_parameter: zero at the start`.",
        "array of strings",
    ),
    "rejected": Key("Changes to the arguments that the constructor must refuse.", "array of tables"),
    "backend": Key("The platform on which the tests must run, and no other.", legal=BACKENDS),
    "lower_for": Key(
        "Platforms for which the tests lower the call and its gradient.", "array of strings", BACKENDS
    ),
}
