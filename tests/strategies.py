"""Specs at random: raw tables that are valid, whose code is sound, and whose generated tests pass.

`specs()` draws a spec of either kind with any of the options, in any combination that the tool accepts. The body of the
call uses every field, so that each parameter has a gradient and changes the output. What a spec may say and is never
drawn here is a fault of the spec, or a limit that a comment names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from scaffold.spec import ModuleSpec, read_spec
from scaffold.spec.constructor import dims_of, parameters
from scaffold.spec.initialisers import legal_initialisers
from scaffold.spec.types import DTYPES, ArrayType

Draw = Callable[..., Any]

FIELD_NAMES = (
    *("weight", "bias", "gain", "w", "b", "W", "o", "l", "I", "p0", "x", "y_", "scale_by_2"),
    *("match", "case", "_private", "id", "min", "max", "input", "range_", "filter", "hex"),
    *("loop", "for_", "if_", "set", "block", "macro", "caller", "varargs", "namespace", "cycler", "joiner"),
    *("name", "value", "value1", "name1", "item", "leaf", "path", "node", "fields", "children", "aux"),
    *("trained", "is_inner", "seed", "instance", "arguments", "inputs", "build", "call", "static", "other"),
    *("leaves", "rejected", "returns", "carry", "filters", "strict", "make", "use", "error", "first"),
    *(
        "message",
        "result",
        "annotations",
        "doc",
        "module",
        "data",
        "index",
        "size_",
        "shape_",
        "dims",
        "flat",
    ),
    "a_name_that_is_so_long_that_no_line_of_88_columns_can_hold_it_together_with_more",
)
CLASS_NAMES = (
    *("Affine", "GRUCell", "A", "X1", "Node", "Fields", "Children", "Laws", "Loop", "HTTPServer2Fast", "W"),
    *("Static", "Inputs", "Instance", "Build", "Value", "Seed", "Match", "Type_", "Module", "Twin"),
    *("Modulo", "Arrays", "FloatTable", "Tuple_", "Param", "Trained", "Self_", "Object_", "Conv2D", "MLP"),
    "AVeryLongNameOfAClassThatTakesUpMostOfTheRoomThatALineOfCodeHasAndThenSomeMore",
)
DIM_NAMES = ("size", "in_size", "out_size", "hidden", "n", "N", "k", "rows", "d_model", "x_dim", "K")
ARGUMENT_NAMES = ("x", "z", "inputs", "instance", "arguments", "input", "name", "seed", "query", "h")
DOCS = (
    *("A plain sentence.", 'Says "so".', 'Ends with a "quote"', '"Begins" with one', "It's.", "'''"),
    *('"', "\\", '"""', 'Three """ quotes', 'Three at the end """', "Ends with a backslash \\", '\\"'),
    *("C:\\new\\temp", "\\N{BULLET} \\u12 \\x", "{{ jinja }} {% if x %} {# no #}", "{x!r} {0} %s %(a)s"),
    *("Ünïcødé → ∑ 🎉 日本語", "# no comment", "# noqa", "x" * 120, "https://example.org/" + "a/" * 50),
    "A long line of prose that goes on until it has to be broken, and then goes on for as long as it takes to break twice, or more.",
    "Two paragraphs.\n\nThe second, with a list:\n\n- one thing\n- another thing that is so long that its line has to be broken somewhere near here\n",
    "First line.\n    Indented code\n        and deeper\n\tand a tab",
    "**Arguments:**\n\n- `x`: described by hand.",
    'Math: $\\frac{a}{b}$ and `\\sum_i x_i`, with "quotes" and a path C:\\dir\\',
    "   surrounded by space   \n\n",
)

# The dtype of a given array is kept by every function that is applied to it here.
_REAL = ("f", "inexact", "f16", "bf16", "f32", "f64")
_COMPLEX = ("c64", "c128")
_INTEGER = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool")
WIDE = ("f64", "c128", "i64", "u64")
"""The dtypes that jax has with `jax_enable_x64` alone."""


def docs() -> st.SearchStrategy[str]:
    """Prose, with everything that could break out of a docstring."""
    letters = st.sampled_from([*"abc XY.,:;-_`'\"\\{}%#@()[]<>\n\t", "é", "→", '"""', "{{", "}}", "\\n"])
    return st.sampled_from(DOCS) | st.lists(letters, min_size=1, max_size=60).map("".join)


INNER: dict[str, Any] = {
    "name": "Inner",
    "doc": "A small Module for others to hold.",
    "fields": {
        "scale": {"type": "f[]"},
        "shift": {"type": "f[]", "role": "buffer"},
        "draw": {"type": "f[2]", "init": "normal"},
    },
    "call": {
        "args": "x: f[*shape]",
        "returns": "f[*shape]",
        "body": "return x * self.scale + self.shift + self.draw[0]",
    },
}
INNER_TREE: dict[str, Any] = {
    "name": "InnerTree",
    "kind": "pytree",
    "doc": "A small pytree for others to hold.",
    "fields": {"scale": {"type": "f[]"}, "depth": {"type": "int", "default": 2}},
    "call": {"args": "x: f[*shape]", "returns": "f[*shape]", "body": "return x * self.scale * self.depth"},
}
HELPERS = (INNER, INNER_TREE)
"""Specs of the classes that drawn specs hold: to generate with them."""


@dataclass
class Draft:
    """A spec that is being drawn."""

    draw: Draw
    kind: str
    name: str
    taken: set[str]
    dims: list[str]
    fields: dict[str, dict[str, Any]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    """Statements of the call, each of which adds to `y` what one field holds."""
    maps: list[str] = field(default_factory=list)
    """Statements of the call that come first, while `y` is small."""
    setup: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    once: bool = True
    """Whether `dataclasses.replace` passes the constructor by, so that no preprocessing is done again."""
    reals: list[str] = field(default_factory=list)
    """Parameters that are always there, for derived fields to be computed from."""

    def one(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def chance(self) -> bool:
        return self.draw(st.booleans())

    def rarely(self) -> bool:
        return self.draw(st.integers(0, 4)) == 4

    def new_name(self) -> str:
        name = self.draw(st.sampled_from([name for name in FIELD_NAMES if name not in self.taken]))
        self.taken.add(name)
        return name

    def add(self, name: str, table: dict[str, Any], use: str = "", *, missing: bool = False) -> None:
        """A field, and the term that the call adds for it; `missing` says that it may be None."""
        if self.rarely():
            table["doc"] = self.draw(docs())
        self.fields[name] = table
        if use and missing and self.chance():
            self.lines.append(f"if self.{name} is not None:\n    y = y + {use}")
        elif use:
            self.lines.append(f"y = y + {f'(0 if self.{name} is None else {use})' if missing else use}")

    def changed(self, value: str) -> str:
        """An expression that preprocesses `value`."""
        return f"{value} + {value}" if self.once else f"jnp.maximum({value}, 1)"

    def shape(self, *, most: int = 3, least: int = 0) -> tuple[str, ...]:
        return tuple(self.dim() for _ in range(self.draw(st.integers(least, most))))

    def dim(self) -> str:
        name = self.draw(st.sampled_from(self.dims))
        return self.one(
            name, name, name, "1", "3", f"2*{name}", f"{name}+1", f"{name}-1", f"({name}+1)//2", f"{name}%4"
        )


def drawn_array(draft: Draft, dtypes: tuple[str, ...], *, least: int = 0) -> ArrayType:
    return ArrayType(draft.one(*dtypes), draft.shape(least=least))


def text(array: ArrayType) -> str:
    return f"{array.dtype}[{', '.join(array.dims)}]"


def total(array: ArrayType, source: str) -> str:
    """An expression for one number of the dtype of `x`, on which every element of the array tells."""
    if array.dtype == "key":
        return f"jax.random.uniform({source}{'.ravel()[0]' if array.dims else ''}, (), x.dtype)"
    if array.dtype in _COMPLEX:
        return f"jnp.sum((jnp.real({source}) + 2 * jnp.imag({source})).astype(x.dtype))"
    if array.dtype in ("f", "inexact"):
        return f"jnp.sum({source})" if array.dims else source
    return f"jnp.sum({source}.astype(x.dtype))"


def summed(source: str) -> str:
    """The same for a structure of floating-point arrays."""
    return f"sum(jnp.sum(leaf.astype(x.dtype)) for leaf in jax.tree.leaves({source}))"


# --- Fields: each function draws one -------------------------------------------------------------------------------------


def given_array(draft: Draft) -> None:
    array = drawn_array(draft, (*_REAL, *_COMPLEX, *_INTEGER, "key", "f", "f"))
    name, table = draft.new_name(), {"type": text(array)}
    if array.inexact and draft.rarely():
        table["role"] = "buffer"
    missing = draft.rarely()
    if missing and draft.chance():
        table["type"] += " | None"
    elif missing:
        table["optional"] = flag(draft)
    if array.dtype not in ("key", "bool", *_COMPLEX) and draft.rarely():
        changed = draft.changed(name)
        nullable = "None" in table["type"]
        table["preprocess"] = f"None if {name} is None else {changed}" if nullable else changed
    elif array.dtype not in ("key", "bool") and draft.rarely() and not missing:
        table["converter"] = "jnp.asarray"
    if draft.rarely():
        table["check"] = f"{name} is None or {name}.ndim < 9" if missing else f"{name}.ndim < 9"
    if not missing and not table.get("role") and array.dtype in ("f", "inexact"):
        draft.reals.append(name)
    draft.add(name, table, total(array, f"self.{name}"), missing=missing)


def initialised_array(draft: Draft) -> None:
    array = drawn_array(draft, (*_REAL, *_COMPLEX, *_INTEGER, "key", "f", "f", "f"), least=draft.one(0, 2))
    name, table = draft.new_name(), {"type": text(array)}
    table["init"] = draft.draw(st.sampled_from(legal_initialisers(array)))
    if array.inexact and draft.rarely():
        table["role"] = "buffer"
    missing = draft.rarely()
    if missing:
        table["optional"] = flag(draft)
    draft.add(name, table, total(array, f"self.{name}"), missing=missing)


def computed_array(draft: Draft) -> None:
    """An array whose `init` is an expression."""
    n, name = draft.draw(st.sampled_from(draft.dims)), draft.new_name()
    way = draft.one(
        "arange", "full", "normal", "comprehension", "argument", "setup", "drawn in setup", "keys", "import"
    )
    array = ArrayType("f", (n,))
    match way:
        case "arange":
            array, init = ArrayType("i32", (n,)), f"jnp.arange({n})"
        case "full":
            array, init = ArrayType("f32", (n, "2")), f"jnp.full(({n}, 2), 0.5, jnp.float32)"
        case "normal":
            init = f"jax.random.normal(key, ({n},), dtype) / {n}"
        case "comprehension":
            array = ArrayType("f", (n, "2"))
            init = f"jnp.stack([jnp.full((2,), i + 0.5, dtype) for i in range({n})])"
        case "argument":
            declared = draft.new_name()
            draft.declared.append(f"{declared}: float = 1.5")
            init = f"jnp.ones(({n},)) * {declared}"
        case "setup":
            local = draft.new_name()
            draft.setup.append(f'# It\'s {{{{ a }}}} "local".\n{local} = 2 * {n}')
            array, init = ArrayType("f", (f"2*{n}",)), f"jnp.ones(({local},), dtype)"
        case "drawn in setup":
            local = draft.new_name()
            if any("key" in line for line in draft.setup):
                draft.setup.append(f"{local} = 0.5")
            else:
                draft.setup.append(f"{local} = jax.random.uniform(key, (), dtype)")
            init = f"jnp.ones(({n},), dtype) + {local}"
        case "keys":
            array, init = ArrayType("key", (n,)), f"jax.random.split(key, {n})"
        case _:
            line, imported = draft.one(
                ("from math import tau", "tau"),
                ("import math", "math.tau"),
                ("from math import e as euler", "euler"),
            )
            draft.imports += [line] if line not in draft.imports else []
            init = f"jnp.ones(({n},), dtype) * {imported}"
    draft.add(name, {"type": text(array), "init": f"={init}"}, total(array, f"self.{name}"))


def many_arrays(draft: Draft) -> None:
    """A list or dict of arrays, nested or not, given or made."""
    name, n = draft.new_name(), draft.draw(st.sampled_from(draft.dims))
    item = text(ArrayType(draft.one("f", "f", "f32", "bf16"), draft.shape(most=2)))
    kind = draft.one(
        "list[{}]", "dict[str, {}]", "list[list[{}]]", "dict[str, list[{}]]", "list[dict[str, {}]]", "tree"
    )
    table: dict[str, Any] = {"type": kind.format(item)}
    missing = draft.rarely()
    if kind in ("list[{}]", "dict[str, {}]", "tree") and draft.chance():
        size = "2" if kind == "tree" else n
        made = f"jnp.ones(({size},), dtype) * (i + 1) for i in range(2)"
        table["type"] = kind.format(f"f[{n}]")
        table["init"] = {"list[{}]": f"=[{made}]", "tree": f"=[{made}]"}.get(
            kind, f'={{f"at_{{i}}": {made}}}'
        )
        if kind == "tree" and draft.chance():
            table["init"] = '={"a": jnp.ones((2,), dtype), "b": (jnp.zeros((), dtype), None)}'
        if missing:
            table["optional"] = flag(draft)
    elif missing and draft.chance():
        table["type"] += " | None"
    elif missing:
        table["optional"] = flag(draft)
    elif kind == "dict[str, {}]" and draft.rarely():
        table["preprocess"] = f"{{key_: {draft.changed('value')} for key_, value in {name}.items()}}"
    elif kind == "list[{}]" and draft.rarely():
        table["preprocess"] = f"[{draft.changed('value')} for value in {name}]"
    elif kind == "tree" and draft.rarely():
        table["preprocess"] = f"jax.tree.map(lambda leaf: {draft.changed('leaf')}, {name})"
    # The leaves of a buffer are declared one by one, so the example must show them.
    if not {"init", "preprocess"} & set(table) and (draft.rarely() or (kind == "tree" and draft.chance())):
        table["role"] = "buffer"
    draft.add(name, table, summed(f"self.{name}"), missing=missing)


def preset_dict(draft: Draft) -> None:
    name, dims = draft.new_name(), draft.shape(most=1)
    table: dict[str, Any] = {"type": f"dict[str, {text(ArrayType(draft.one('f', 'f', 'f32'), dims))}]"}
    table["preset"] = draft.one(
        {"a": 42.0}, {"b": 1.5, "a": -1.0}, {"its": 2.0}, {"z": "=1 / 3"}, {"loop": 1}
    )
    if not dims and draft.rarely():
        table |= {"type": "dict[str, f[]]", "init": '={"A": jnp.zeros((), dtype), "B": jnp.ones((), dtype)}'}
    elif draft.rarely():
        table["preprocess"] = (
            f'{name} | {{"zz": jnp.zeros((), jnp.float32)}}' if not dims else f"dict({name})"
        )
    # Under `rebuild = "static"` the preset entries are Python numbers, which belong to the treedef.
    draft.add(name, table, f"sum(jnp.sum(jnp.asarray(value, x.dtype)) for value in self.{name}.values())")


def python_leaf(draft: Draft) -> None:
    name = draft.new_name()
    kind, default = draft.one(("bool", True), ("int", 2), ("float", 0.5))
    table: dict[str, Any] = {"type": kind, "role": "buffer"}
    if draft.chance():
        table["default"] = default
    draft.add(name, table, f"(1 if self.{name} else 2)" if kind == "bool" else f"self.{name}")


STATICS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "int": ("self.{}", (3, 0, -1)),
    "bool": ("(1 if self.{} else 2)", (True, False)),
    "str": ("len(self.{})", ("text", "it's", 'say "so"', "back\\slash", "{{ jinja }}", "", "é")),
    "float": ("self.{}", (0.5, 1e-6, -2.0, 1e300)),
    "tuple[int, ...]": ("sum(self.{})", ([1, 2], [], [3])),
    "tuple[int, str]": ("self.{0}[0] + len(self.{0}[1])", ([1, "b"],)),
    "tuple[bool, ...]": ("sum(self.{})", ([True],)),
    "tuple[tuple[int, float], ...]": ("len(self.{})", ()),
    "Literal['a', 'b']": ("(1 if self.{} == 'a' else 2)", ("a", "b")),
    'Literal["it\'s", \'say "so"\']': ("len(self.{})", ("it's",)),
    "Literal[1, 2]": ("self.{}", (1, 2)),
    "Literal['only']": ("len(self.{})", ("only",)),
    "Literal[True]": ("(1 if self.{} else 2)", (True,)),
    "int | None": ("(0 if self.{0} is None else self.{0})", (3,)),
    "str | None": ("(0 if self.{0} is None else len(self.{0}))", ("=None", "text")),
    "int | Literal['auto']": ("(0 if isinstance(self.{0}, str) else self.{0})", ("auto", 4)),
    "int | str": ("(len(self.{0}) if isinstance(self.{0}, str) else self.{0})", (1, "text")),
    "int | float": ("self.{}", (1, 0.5)),
    "tuple[int, ...] | None": ("len(self.{} or ())", ("=None",)),
    "dict[str, int]": ("sum(value for _, value in self.{})", ()),
    "dict[str, bool]": ("len(self.{})", ()),
    "dict[str, tuple[int, ...]]": ("len(self.{})", ()),
    "list[int]": ("sum(self.{})", ([1, 2],)),
    "list[str]": ("len(self.{})", (["a", 'b"'],)),
    "list[list[int]]": ("len(self.{})", ()),
    "list[tuple[int, int]]": ("len(self.{})", ()),
}


def static_value(draft: Draft) -> None:
    name = draft.new_name()
    kind = draft.draw(st.sampled_from(list(STATICS)))
    use, defaults = STATICS[kind]
    table: dict[str, Any] = {"type": kind}
    if kind in ("float", "int | float") or draft.rarely():
        table["role"] = "static"
    if defaults and draft.chance():
        table["default"] = draft.draw(st.sampled_from(defaults))
    elif kind in ("int", "str") and draft.rarely():
        table["init"] = "=3 * 4" if kind == "int" else '="text"'
    elif draft.rarely():
        table |= converted(kind, name)
    if "init" not in table and draft.rarely():
        table |= checked(draft, kind, name)
    draft.add(name, table, use.format(name))


def converted(kind: str, name: str) -> dict[str, str]:
    converters = {
        "int": "int",
        "tuple[int, ...]": "tuple",
        "str": "=str({0})",
        "float": "=abs({0})",
        "bool": "bool",
    }
    return {"converter": converters[kind].format(name)} if kind in converters else {}


def checked(draft: Draft, kind: str, name: str) -> dict[str, str]:
    checks: dict[str, tuple[tuple[str, Any], ...]] = {
        "int": (
            ("{0} > -5", -7),
            ("-9 < {0} < 99", 100),
            ("{0} != 77", 77),
            ("not {0} == 77", 77),
            ("{0} not in (77, 78)", 77),
        ),
        "str": (
            ("{0} != 'it\\'s \"no\"'", 'it\'s "no"'),
            ("'\\n' not in {0}", "\n"),
            ("{0} is not None", None),
        ),
        "float": (("{0} == {0} and {0} < 1e301", 1e302), ("not {0} > 1e301", 1e302)),
        "Literal['a', 'b']": (("{0} in ('a', 'b')", None),),
    }
    if kind not in checks:
        return {}
    source, wrong = draft.draw(st.sampled_from(checks[kind]))
    if wrong is not None and "test" not in draft.fields.get(name, {}):
        draft.rejected.append({name: wrong})
    return {"check": source.format(name)}


def function(draft: Draft) -> None:
    name = draft.new_name()
    table: dict[str, Any] = {"type": "callable"}
    default = draft.one(None, "jax.nn.relu", "=jnp.tanh", "jax.lax.sin")
    if default:
        table["default"] = default
    if draft.rarely():
        table["role"] = "module"
    draft.add(name, table)
    draft.maps.append(f"y = self.{name}(y)")


def several_functions(draft: Draft) -> None:
    name = draft.new_name()
    draft.add(name, {"type": "list[callable]"})
    draft.maps.append(f"for function in self.{name}:\n    y = function(y)")


def other_class(draft: Draft) -> None:
    name = draft.new_name()
    holder = draft.one("{}", "{}", "list[{}]", "dict[str, {}]", "{} | None")
    inner = draft.one("Inner", "InnerTree", "equinox.nn:Linear")
    table: dict[str, Any] = {"type": holder.format(inner)}
    if inner == "equinox.nn:Linear" or (inner == "Inner" and draft.chance()):
        one = "Linear(2, 3, key={})" if inner != "Inner" else "Inner.create(0.5, 0.25, dtype, key={})"
        many = one.format("k") + " for k in jax.random.split(key, 2)"
        many_named = '{f"at_{i}": ' + one.format("k") + " for i, k in enumerate(jax.random.split(key, 2))}"
        table["init"] = "=" + {"list[{}]": f"[{many}]", "dict[str, {}]": many_named}.get(
            holder, one.format("key")
        )
        if holder == "{} | None":
            table["type"] = inner
        if draft.rarely():
            table["optional"] = flag(draft)
    argument = "jnp.ones((2,), x.dtype)" if inner == "equinox.nn:Linear" else "jnp.ones((), x.dtype)"
    use = {
        "list[{}]": f"sum(jnp.sum(part({argument})) for part in self.{name})",
        "dict[str, {}]": f"sum(jnp.sum(part({argument})) for part in self.{name}.values())",
    }.get(holder, f"jnp.sum(self.{name}({argument}))")
    draft.add(name, table, use, missing="optional" in table or table["type"].endswith("| None"))


def flag(draft: Draft) -> str:
    """The name of a flag: that of a stored bool, or of an argument alone."""
    bools = [
        name
        for name, table in draft.fields.items()
        if table["type"] == "bool" and set(table) <= {"type", "doc", "default"}
    ]
    if bools and draft.chance():
        return draft.draw(st.sampled_from(bools))
    name = draft.one("use_it", "use_that", draft.new_name())
    draft.taken.add(name)
    if name not in draft.fields and draft.rarely():
        draft.fields[name] = {"type": "bool", **({"default": False} if draft.rarely() else {})}
    return name


def stored_dim(draft: Draft) -> None:
    """A dim that is kept as a field too."""
    free = [name for name in draft.dims if name not in draft.fields]
    if free:
        name = draft.draw(st.sampled_from(free))
        draft.add(name, {"type": "int"}, f"self.{name}")


def shaped_array(draft: Draft) -> None:
    """Arrays of any rank, whose shape is a field."""
    if "shape" in draft.fields:
        return
    table: dict[str, Any] = {"type": "tuple[int, ...]"}
    if draft.rarely():
        table["default"] = [2, 2]
    draft.add("shape", table, "len(self.shape)")
    name, array = draft.new_name(), ArrayType("f", draft.one(("*shape",), ("3", "*shape")))
    table = (
        {"type": text(array), "init": draft.one("ones", "zeros", "normal")}
        if draft.chance()
        else {"type": text(array)}
    )
    draft.add(name, table, total(array, f"self.{name}"))


def derived(draft: Draft) -> None:
    name = draft.new_name()
    source = draft.draw(st.sampled_from(draft.reals))
    if draft.chance():
        table = {"type": "f[]", "role": "derived", "init": f"=jnp.sum({draft.one('self.', '')}{source}) * 2"}
        draft.add(name, table, f"self.{name}")
    else:
        draft.add(name, {"type": "int", "role": "derived", "init": f"=self.{source}.ndim"}, f"self.{name}")


MEMBERS = (
    *(
        given_array,
        given_array,
        initialised_array,
        initialised_array,
        computed_array,
        computed_array,
        many_arrays,
    ),
    *(
        preset_dict,
        python_leaf,
        static_value,
        static_value,
        static_value,
        function,
        other_class,
    ),
    *(stored_dim, shaped_array, derived),
)


# --- The call ------------------------------------------------------------------------------------------------------------


def call(draft: Draft) -> dict[str, Any]:
    """A call that maps an array `x` and adds a number for each field."""
    shape = draft.draw(
        st.sampled_from(
            [(draft.dims[0],), (draft.dims[0], "3"), (), (f"2*{draft.dims[0]}",), ("*batch",), ("4",)]
        )
    )
    x = f"f[{', '.join(shape)}]"
    table: dict[str, Any] = {"args": f"x: {x}", "returns": x}
    begin, end = ["y = x"], ["return y"]
    form = draft.one(
        "plain",
        "plain",
        "several",
        "keyword",
        "key",
        "unused key",
        "tuple",
        "carry",
        "carry and more",
        "none",
        "any",
    )
    other = draft.draw(st.sampled_from([name for name in ARGUMENT_NAMES if name != "x"]))
    match form:
        case "several":
            kind, use = draft.one(
                ("i32[]", f"y = y + {other}.astype(x.dtype)"),
                ("f[k]", f"y = y + jnp.sum({other})"),
                (
                    "f32[2, 2] | None",
                    f"if {other} is not None:\n    y = y + jnp.sum({other}).astype(x.dtype)",
                ),
                ("list[f[]]", f"y = y + sum({other})"),
                ("dict[str, f[]]", f"y = y + sum({other}.values())"),
                ("int", f"y = y + {other}"),
                ("tree", f"y = y + sum(jnp.sum(leaf) for leaf in jax.tree.leaves({other}))"),
                ("tuple[f[], f[2]]", f"y = y + {other}[0] + jnp.sum({other}[1])"),
            )
            table["args"] += f", {other}: {kind}"
            begin.append(use)
        case "keyword":
            default = draft.one(
                "int = 2", "float = 0.5", "bool = True", "Literal['a', 'b'] = 'a'", "str | None = None"
            )
            table["args"] += f", *, {other}: {default}"
            begin.append(f"if {other} == 'a' or {other} is None:\n    y = y + 1")
        case "key":
            table["args"] += ", *, key: key[]" + draft.one("", " | None = None")
            begin.append("if key is not None:\n    y = y + jax.random.uniform(key, (), x.dtype)")
        case "unused key":
            table["args"] += draft.one(", *, key: key[] | None = None", ", key: key[] | None = None")
        case "tuple":
            table["returns"] = draft.one(f"{x}, f[]", f"({x}, f[])")
            end = ["return y, jnp.sum(y)"]
        case "carry":
            table |= {"args": f"x: {x}, {other}: f[]", "carry": "x"}
            begin.append(f"y = y + {other}")
        case "carry and more":
            table |= {"args": f"{other}: f[], x: {x}", "carry": other, "returns": f"f[], {x}"}
            end = [f"return {other} + jnp.sum(x), y"]
        case "none":
            table = {"returns": "f[]"}
            begin = [f"x = jnp.sum(self.{draft.reals[0]})", "y = x"]
        case "any":
            del table["returns"]
    if draft.rarely():
        table["doc"] = draft.draw(docs())
    if draft.rarely():
        begin.insert(
            0, 'if x.ndim > 9:\n    raise ValueError(f"`x` has {x.ndim} axes: \\"too\\" many {{ }}")'
        ) if form != "none" else None
    if draft.rarely():
        begin.insert(0, '# {{ jinja }} and a "comment"')
    table["body"] = "\n".join([*begin, *draft.maps, *draft.lines, *end])
    return table


# --- The whole -----------------------------------------------------------------------------------------------------------


@st.composite
def specs(draw: Draw, names: st.SearchStrategy[str] | None = None) -> dict[str, Any]:
    """The raw tables of a spec, for `read_spec`."""
    kind = draw(st.sampled_from(["module", "pytree"]))
    name = draw(names if names is not None else st.sampled_from(CLASS_NAMES))
    dims = draw(st.lists(st.sampled_from(DIM_NAMES), min_size=1, max_size=3, unique=True))
    draft = Draft(draw, kind, name, {name, "shape", *DIM_NAMES}, dims)
    raw: dict[str, Any] = {"name": name, **form(draft)}
    draft.once = raw.get("constructor") != "init" and raw.get("rebuild") != "flag"
    draft.taken |= {"aux"} if raw.get("rebuild") in ("flag", "factory") else set()
    anchor = draft.new_name()
    draft.add(anchor, {"type": "f[]"}, f"self.{anchor}")
    draft.reals.append(anchor)
    if raw.get("rebuild") == "static":
        preset_dict(draft)
    for member in draw(st.lists(st.sampled_from(MEMBERS), min_size=2, max_size=7)):
        member(draft)
    return {**raw, **rest(draft, raw)}


def form(draft: Draft) -> dict[str, Any]:
    """Kind, constructor and rebuild form, each said or left to its default."""
    raw: dict[str, Any] = {"kind": draft.kind} if draft.kind != "module" or draft.rarely() else {}
    if draft.kind == "pytree" and draft.chance():
        raw["rebuild"] = draft.one("bypass", "flag", "factory", "static", "static")
    if raw.get("rebuild") not in ("flag", "factory") and draft.chance():
        raw["constructor"] = draft.one("factory", "init", "init")
    return raw


def rest(draft: Draft, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The tables beside `raw`, once all fields are drawn."""
    table: dict[str, Any] = {"fields": draft.fields}
    if draft.chance():
        table["doc"] = draft.draw(docs())
    if draft.setup:
        table["setup"] = "\n".join(draft.setup)
    if draft.imports or draft.rarely():
        table["imports"] = [
            *draft.imports,
            *draft.one([], ["import os.path"], ["from jax import random as jr"]),
        ]
    if draft.declared:
        table["arguments"] = list(draft.declared)
    if not draft.rarely():
        table["call"] = call(draft)
    if draft.chance():
        table["arguments"] = ordered(draft, {**raw, **table})
    test = test_table(draft, read_spec({**raw, **table}, "drawn"))
    return {**table, **({"test": test} if test else {})}


def ordered(draft: Draft, raw: Mapping[str, Any]) -> list[str]:
    """Arguments of the constructor in an order of their own, some of them by keyword alone."""
    declared = {text.partition(":")[0]: text for text in draft.declared}
    found = list(parameters(read_spec(raw, "drawn")))
    shuffled = draft.draw(st.permutations(found))
    required = [one.name for one in shuffled if one.default is None]
    defaulted = [one.name for one in shuffled if one.default is not None]
    listed = [declared.get(name, name) for name in (*required, *defaulted)]
    if draft.chance():
        listed.insert(draft.draw(st.integers(0, len(listed) - 1)), "*")
    return listed


def test_table(draft: Draft, spec: ModuleSpec) -> dict[str, Any]:
    table: dict[str, Any] = {}
    dims = [name for name in dims_of(spec) if name in DIM_NAMES]
    if dims and draft.rarely():
        table["sizes"] = {draft.one(*dims): 6}
    if draft.rejected:
        table["rejected"] = draft.rejected
    return table


test_table.__test__ = False  # type: ignore[attr-defined]
assert set(DTYPES) == {*_REAL, *_COMPLEX, *_INTEGER, "key"}, "a dtype that is never drawn"
