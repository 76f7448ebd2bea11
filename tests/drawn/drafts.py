"""What drawn specs are made of: names, prose, dtypes, and the draft that collects the parts of one spec."""

from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import indent
from typing import Any

from hypothesis import strategies as st

from scaffold.spec.grammar.initialisers import INITIALISERS, legal_initialisers
from scaffold.spec.grammar.types import ArrayType

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
REAL = ("f", "inexact", "f16", "bf16", "f32", "f64")
COMPLEX = ("c", "c64", "c128")
INTEGER = ("i", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool")
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
        "scale": {"type": "f[]", "role": "param"},
        "shift": {"type": "f[]", "role": "buffer"},
        "draw": {"type": "f[2]", "init": "normal"},
    },
    "call": {
        "args": "x: f[*shape]",
        "returns": "f[*shape]",
        "body": "return x * self.scale + self.shift + jnp.sum(self.draw)",
    },
}
INNER_TREE: dict[str, Any] = {
    "name": "InnerTree",
    "kind": "pytree",
    "doc": "A small pytree for others to hold.",
    "fields": {"scale": {"type": "f[]", "role": "param"}, "depth": {"type": "int", "default": 2}},
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
    unused: list[str] = field(default_factory=list)
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


def loop_over(name: str, argument: str, *, missing: bool) -> str:
    """A loop over layers, which may be stacked, unless the field is None."""
    part = f"{name}_part"  # each of a type of its own
    loop = f"for {part} in self.{name}:\n    y = y + jnp.sum({part}({argument}))"
    return f"if self.{name} is not None:\n{indent(loop, '    ')}" if missing else loop


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


def drawn_array(draft: Draft, dtypes: tuple[str, ...], *, least: int = 0) -> ArrayType:
    return ArrayType(draft.one(*dtypes), draft.shape(least=least))


def initialiser(draft: Draft, array: ArrayType) -> str:
    """The name of one that can make the array, with its measure where it takes one."""
    name = draft.draw(st.sampled_from(legal_initialisers(array)))
    if name == "uniform" and array.dtype in COMPLEX:
        return "uniform(0.1)"
    one = INITIALISERS[name]
    if not one.measured or (one.source and draft.chance()):
        return name
    return f"{name}(1)" if name == "full" else f"{name}({draft.one('1 / 2', '0.25', '1 / math.sqrt(3)')})"


def text(array: ArrayType) -> str:
    return f"{array.dtype}[{', '.join(array.dims)}]"


def total(array: ArrayType, source: str) -> str:
    """An expression for one number of the dtype of `x`, on which every element of the array tells."""
    if array.dtype == "key":
        return f"jax.random.uniform({source}{'.ravel()[0]' if array.dims else ''}, (), x.dtype)"
    if array.dtype in COMPLEX:
        return f"jnp.sum((jnp.real({source}) + 2 * jnp.imag({source})).astype(x.dtype))"
    if array.dtype in ("f", "inexact"):
        return f"jnp.sum({source})" if array.dims else source
    return f"jnp.sum({source}.astype(x.dtype))"


def summed(source: str) -> str:
    """The same for a structure of floating-point arrays."""
    return f"sum(jnp.sum(leaf.astype(x.dtype)) for leaf in jax.tree.leaves({source}))"


def shape_of_dim(dim: str) -> str:
    return (
        "scalar"
        if not dim
        else "int"
        if dim.isdigit()
        else "many"
        if dim[0] == "*"
        else "name"
        if dim.isidentifier()
        else "sum"
    )
