"""The faults of a spec, one row each: what is written, where it is found, what is said, and how to mend it.

Every row has a good neighbour: the same spec with the mended piece is read.
"""

import datetime
from typing import Any

import pytest

from scaffold.errors import ScaffoldError
from scaffold.spec.reading.read import read_spec

W = {"type": "f[n]", "role": "data", "init": "zeros"}
_UNTOLD = 'fields.b.role | nothing says whether it is trained (other parts of the class are) | write `role = "param"` if it is, `role = "data"` if it is not'
NAN, HUGE = float("nan"), 10**5000


def spec(**parts: Any) -> dict[str, Any]:
    """A class with a field `w: f[n]`, and what a row is about."""
    fields = {"w": W, **parts.pop("fields", {})}
    return {"name": "Affine", "fields": fields, **parts}


def field(**table: Any) -> dict[str, Any]:
    """The class with a second field, `b`."""
    return spec(fields={"b": table})


def _mixed(b: Any, **trained: Any) -> dict[str, Any]:
    """The class with a part that is trained, and `b`, which is given."""
    return spec(fields={"a": trained or {"type": "f[n]", "init": "zeros"}, "b": b})


def call(body: str = "return self.w + x", args: str = "x: f[n]", **table: Any) -> dict[str, Any]:
    return spec(call={"args": args, "body": body, **table})


def test(**table: Any) -> dict[str, Any]:
    return spec(test=table)


test.__test__ = False  # pyright: ignore


def dims(text: str, **table: Any) -> dict[str, Any]:
    return spec(fields={"w": {"type": f"f[{text}]"}}, **({"test": table} if table else {}))


# A row: the bad spec, the good one, and PLACE | WHAT | FIX of the one fault.
# fmt: off
NAMES = [
    (spec(name="../x"), spec(), "name | `../x` is not a name | use letters, digits and `_`"),
    (spec(name=""), spec(), "name | `` is not a name | use letters, digits and `_`"),
    (spec(name="\ufb01t"), spec(), "name | `\ufb01t` is not a name | use letters, digits and `_`"),
    (spec(name="A" * 81), spec(name="A" * 80), "name | `AAAAAAAAAAAAAAAAAAAA...` has 81 letters | write at most 80"),
    (spec(name="Con"), spec(name="ConModule"), "name | `con.py` is no file on Windows | write `ConModule`, for example"),
    (spec(name="TestBed"), spec(name="Bed"), "name | pytest takes `TestBed` for a class of tests | write `Bed`"),
    (dims("_n"), dims("n"), "fields | dim `_n` begins with `_`, which jaxtyping reads as a dim without a name | write `n`"),
    (spec(name="None"), spec(name="NoneModule"), "name | `None` is a word of Python | write `NoneModule`, for example"),
    (spec(name="Float"), spec(name="MyFloat"), "name | `Float` is a name that the class imports | write `MyFloat`, for example"),
    (spec(kind="modul"), spec(kind="module"), "kind | `modul` is not legal | did you mean `module`?"),
    (spec(kind="PyTree"), spec(kind="pytree"), "kind | `PyTree` is not legal | did you mean `pytree`?"),
    (spec(feilds={}), spec(), " | unknown key `feilds` | did you mean `fields`?"),
    ({**spec(), 3: 4}, spec(), " | a key is of type int | write it as a string"),
    ({**spec(), HUGE: 4}, spec(), " | a key is of type int | write it as a string"),
    (spec(fields={"a\nb": W}), spec(fields={"a_b": W}), "fields | the key 'a\\nb' holds a control character | remove that character"),
    (spec(fields={"a.b": W}), spec(fields={"a_b": W}), "fields.a.b | `a.b` is not a name (letters, digits and `_`, not beginning with a digit) | rename it, to `a_b` for example"),
    (spec(fields={"a-b": W}), spec(fields={"a_b": W}), "fields.a-b | `a-b` is not a name (letters, digits and `_`, not beginning with a digit) | rename it, to `a_b` for example"),
    (spec(fields={"2": W}), spec(fields={"x_": W}), "fields.2 | `2` is not a name (letters, digits and `_`, not beginning with a digit) | rename it, to `x_` for example"),
    (spec(fields={"Affine": W}), spec(fields={"Affine_": W}), "fields.Affine | `Affine` hides the module or class of that name | rename it, to `Affine_` for example"),
    (spec(fields={"None": W}), spec(fields={"None_": W}), "fields.None | `None` is a keyword of Python | rename it, to `None_` for example"),
    (spec(fields={"__x": W}), spec(fields={"x": W}), "fields.__x | `__x` would be mangled by the class | rename it, to `x` for example"),
    (spec(fields={"_": W}), spec(fields={"x_": W}), "fields._ | `_` says nothing | rename it, to `x_` for example"),
    (spec(fields={"jnp": W}), spec(fields={"jnp_": W}), "fields.jnp | `jnp` hides the module or class of that name | rename it, to `jnp_` for example"),
    (spec(fields={"int": W}), spec(fields={"int_": W}), "fields.int | `int` hides the builtin, which the class needs | rename it, to `int_` for example"),
    (dims("len"), dims("len_"), "fields | `len` hides the builtin, which the class needs | rename it, to `len_` for example"),
    (dims("key"), dims("key_"), "fields | `key` is a name that the class uses itself | rename it, to `key_` for example"),
    (spec(fields={"a": {"type": "f[n]", "init": "normal"}, "b": {"type": "f[n]", "init": "normal"}, "a_key": {"type": "int"}}), spec(fields={"a": {"type": "f[n]", "init": "normal"}, "a_key": {"type": "int"}}), "fields | `a_key` is what the class calls the key of `a` | rename it, to `a_key_` for example"),
]
TYPES = [
    (field(type=""), field(type="int"), "fields.b.type | `` is not a type | write one of the legal types, such as `f[out_size,in_size]`"),
    (field(type="f"), field(type="f[]"), "fields.b.type | `f` has no dims | write `f[]` for a scalar array, `f[size]` for one with dims"),
    (field(type="lst[int]"), field(type="list[int]"), "fields.b.type | `lst[int]` is not a type | did you mean `list`?"),
    (field(type="list"), field(type="list[f[n]]"), "fields.b.type | `list` does not say enough | write `list[f[size]]`"),
    (field(type="tuple[...]"), field(type="tuple[int, ...]"), "fields.b.type | `tuple[...]` has no one type before `...` | write `tuple[int, ...]`"),
    (field(type="Literal[None]"), field(type="Literal['a', -1, True]"), "fields.b.type | `None` is not a str, an int or a bool (in `Literal[None]`) | write `Literal[\"a\", \"b\"]`"),
    (field(type="None | None"), field(type="int | None"), "fields.b.type | `None | None` holds None alone | write one of the legal types, such as `f[out_size,in_size]`"),
    (field(type="pkg..mod:Class"), field(type="f[]"), "fields.b.type | `pkg..mod:Class` is not a type | write one of the legal types, such as `f[out_size,in_size]`"),
    (field(type="Array"), field(type="f[m]"), "fields.b.type | `Array` does not say enough | write its dtype and dims: `f[size]`, or `f[]` for a scalar"),
    (field(type="Sequential2 | Iterable"), field(type="Sequential2"), "fields.b.type | `Iterable` is not a class that can be held | write `f[...]` for an array, `tree` for any structure, or rename the class"),
    (field(type="Affine"), field(type="Other"), "fields.b.type | `Affine` cannot hold itself | name another class; what is computed from the fields is `role = \"derived\"`"),
    (spec(name="GRUCell", fields={"b": {"type": "GruCell"}}), field(type="Other"), "fields.b.type | `GruCell` would be the same file as `GRUCell` | write `GRUCell` as well, or another name"),
    (field(type="float"), field(type="float", role="static"), 'fields.b | a bare float has no role | a Python float is `role = "static"` (one compilation a value) or an array `f[]` (traced)'),
    (field(type="f[n] | str"), field(type="f[n] | None"), "fields.b | `f[n] | str` mixes what is traced with what is static | write one type"),
    (field(type="int", role="param"), field(type="int", role="static"), "fields.b.role | role `param` does not go with type `int` | write one of data, buffer, static, derived"),
    (_mixed({"type": "f[n]"}), _mixed({"type": "f[n]", "role": "param"}), _UNTOLD),
    (_mixed("f[n]?use_b"), _mixed("f[n]?use_b@data"), _UNTOLD),
    (_mixed({"type": "list[f[n]]", "doc": "x"}), _mixed({"type": "list[f[n]]", "frozen": True}), _UNTOLD),
    (_mixed({"type": "tree"}, type="Other"), _mixed({"type": "tree"}, type="Other", frozen=True), _UNTOLD),
    (dims("0"), dims("1"), "fields.w.type | dim `0` is not a name, an int from 1 or arithmetic with + - * // % (in `f[0]`) | write dims such as `f[4*hidden,in_size]`, with at most one `*shape`"),
    (dims("-1"), dims("n-1"), "fields.w.type | dim `-1` is not a name, an int from 1 or arithmetic with + - * // % (in `f[-1]`) | write dims such as `f[4*hidden,in_size]`, with at most one `*shape`"),
    (dims("n\u22121"), dims("n-1"), "fields.w.type | `f[n\u22121]` is not a type | write ASCII letters: `\u2212` is none"),
    (dims("ä"), dims("a"), "fields.w.type | `f[ä]` is not a type | write ASCII letters: `ä` is none"),
    (dims("*a,*b"), dims("*a,b"), "fields.w.type | `f[*a, *b]` has two dims with `*`, so neither has a definite length | write dims such as `f[4*hidden,in_size]`, with at most one `*shape`"),
    (dims("+".join("n" * 200)), dims("n+n"), "fields.w.type | `f[n+n+n+n+n+n+n+n+n+n+n+n+n+n+n+n+n+n+n+...` is not a type: nested more than 100 levels deep | write dims such as `f[4*hidden,in_size]`, with at most one `*shape`"),
    (spec(fields={"n": {"type": "float", "role": "static"}}), spec(fields={"n": {"type": "int"}}), 'fields.n | `n` is a dim too, and not of type `int` | write `n = { type = "int" }`, or rename the dim'),
    (spec(fields={"n": {"type": "f[3]"}}), spec(fields={"n": {"type": "int | None"}}), 'fields.n | `n` is a dim too, and not of type `int` | write `n = { type = "int" }`, or rename the dim'),
    (dims("n%n"), dims("n%7"), "fields.w.type | the dim `n%n` is 0 with n = 2 in the tests | write `[test]` and `sizes = { n = 3 }`, with sizes that fit"),
    (dims("n-5", sizes={"n": 2}), dims("n-5"), "fields.w.type | the dim `n-5` is -3 with n = 2 in the tests | write `[test]` and `sizes = { n = 3 }`, with sizes that fit"),
    (dims("n//(m-m)"), dims("n//m"), "fields.w.type | the dim `n//(m-m)` divides by zero with n = 2, m = 3 in the tests | write `[test]` and `sizes = { n = 3, m = 3 }`, with sizes that fit"),
]
VALUES = [
    (field(type="int", default="abc"), field(type="int", default=3), "fields.b.default | 'abc' is not an int | write an int, or `=` and an expression"),
    (field(type="int", default=True), field(type="bool", default=True), "fields.b.default | True is not an int | write an int, or `=` and an expression"),
    (field(type="int", default="\u22121"), field(type="int", default="=-1"), "fields.b.default | '\u22121' is not an int | write `-` for the minus sign"),
    (field(type="int", default=HUGE), field(type="int", default=2**63 - 1), "fields.b.default | the integer has more than 64 bits | write a smaller one"),
    (field(type="int", default="=None"), field(type="int | None", default="=None"), "fields.b.default | None is not an int | write `| None` after the type, or another default"),
    (field(type="float", role="static", default=NAN), field(type="float", role="static", default=float("inf")), "fields.b.default | NaN differs from itself, so every use would compile anew | write a float, or `=` and an expression"),
    (field(type="float", role="static", default="=jnp.nan"), field(type="float", role="static", default=1), "fields.b.default | NaN differs from itself, so every use would compile anew | write a float, or `=` and an expression"),
    ({**field(type="dict[str, f[]]", preset={"a": NAN}), "kind": "pytree", "rebuild": "static"}, field(type="dict[str, f[]]", preset={"a": NAN}), "fields.b.preset.a | NaN differs from itself, so every use would compile anew | write a float, or `=` and an expression"),
    (field(type="float", role="static", default="=np.nan"), field(type="float", role="buffer", default=NAN), "fields.b.default | NaN differs from itself, so every use would compile anew | write a float, or `=` and an expression"),
    (field(type="tuple[int, ...]", default=[[1]]), field(type="tuple[int, ...]", default=[1]), "fields.b.default | ((1,),) is not a tuple of the declared types | write a tuple of the declared types, or `=` and an expression"),
    (field(type="Literal['a','b']", default="c"), field(type="Literal['a','b']", default="a"), "fields.b.default | 'c' is not 'a' or 'b' | write 'a' or 'b', or `=` and an expression"),
    (field(type="callable", default=3), field(type="callable", default="jnp.tanh"), "fields.b.default | 3 is not a function | write a function, or `=` and an expression"),
    (field(type="int", default=datetime.date(2020, 1, 1)), field(type="int"), "fields.b.default | datetime.date(2020, 1, 1) is not a value | write `default = 3`: Default of the constructor's argument; a string that begins with `=` is an expression."),
    (field(type="Other", default="=Other(3)"), field(type="Other | None"), "fields.b.default | a default of a Module would be shared by all instances | write `init`, or leave `default` out"),
    (field(type="int", init="=n", default=1), field(type="int", init="=n"), "fields.b.default | `init` makes the field, so there is no argument to default | remove one of them"),
    (field(type="f[n]", preset={"a": 1.0}), field(type="dict[str, f[]]", preset={"a": 1.0}), "fields.b.preset | only a dict has entries to preset | write `preprocess` for another field"),
    (field(type="dict[str, f[]]", preset={"a": {"b": 1}}), field(type="dict[str, f[]]", preset={"a": "=math.pi"}), "fields.b.preset.a | {'b': 1} is not a float | write a float, or `=` and an expression"),
    (field(type="dict[str, f[]]", preset={"a b": 1.0}), field(type="dict[str, f[]]", preset={"a_b": 1.0}), "fields.b.preset | `a b` is not a name (letters, digits and `_`, not beginning with a digit) | rename the entry"),
    (field(type="dict[str, int]", preset={"a": 1}), field(type="dict[str, int]"), 'fields.b.preset | `preset` says nothing of a static field | remove it, or write another role'),
]
CODE = [
    (field(type="f[n]", init="uniform", scale=0.1), field(type="f[n]", init="uniform(0.1)"), "fields.b | unknown key `scale` | write `uniform(0.1)`, or remove it"),
    (field(type="f[n]", init="zeros", scale=0.1), field(type="f[n]", init="zeros"), "fields.b | unknown key `scale` | remove it"),
    (field(type="f[n]", init=""), field(type="f[n]", init="ones"), "fields.b.init | is empty | write an initialiser, or remove it"),
    (field(type="f[n]", init="="), field(type="f[n]", init="=n"), "fields.b.init | is empty | write an expression, or remove it"),
    (field(type="f[n]", init="zeross"), field(type="f[n]", init="zeros"), "fields.b.init | there is no initialiser `zeross` | did you mean `zeros`?"),
    (field(type="f[n]", init="lecun_normal"), field(type="f[n,m]", init="lecun_normal"), "fields.b.init | `lecun_normal` needs an array of at least 2 dims | did you mean `normal`?"),
    (field(type="i32[n]", init="normal"), field(type="i32[n]", init="ones"), "fields.b.init | `normal` does not make this dtype | write one of the legal names, or `=normal...` for an expression"),
    (field(type="f[n]", init="zeros(3)"), field(type="f[n]", init="full(3)"), "fields.b.init | `zeros` takes nothing in parentheses | write `zeros`"),
    (field(type="f[n]", init="full"), field(type="f[n]", init="full(n)"), "fields.b.init | `full` does not say its value | write `full(VALUE)`"),
    (field(type="c64[n]", init="uniform"), field(type="c64[n]", init="uniform(0.1)"), "fields.b.init | `uniform` from 0 to 1 makes no complex numbers | write `uniform(LIMIT)`, for both parts between -LIMIT and LIMIT"),
    (field(type="f[n]", init="uniform(limt)"), field(type="f[n]", init="uniform(n)"), 'fields.b.init | the name `limt` is not known here | bind it in `setup`, declare it in `arguments` or as a field, or write `imports = ["from ... import limt"]`'),
    (field(type="f[n]", init="uniform(1, 2)"), field(type="f[n]", init="uniform(1)"), "fields.b.init | there is no initialiser `uniform(1, 2)` | did you mean `uniform`?"),
    (field(type="f[n]", init="normal(0.02)", std=0.5), field(type="f[n]", init="normal(0.02)", std=0.02), "fields.b.std | `normal` draws with a standard deviation of 0.02, and `std` says 0.5 | write `normal(DEVIATION)` in place of both, as `normal(1 / math.sqrt(in_size))`"),
    ({**field(type="f[n]"), "test": {"ties": {"n": "3*"}}}, {**field(type="f[n]"), "test": {"ties": {"n": "3"}}}, "test.ties.n | not Python: invalid syntax (line 1) | write an expression"),
    ({**field(type="f[n]"), "test": {"ties": {"n": True}}}, {**field(type="f[n]"), "test": {"ties": {"n": "3"}}}, "test.ties.n | True is no arithmetic over sizes | write it as text: `\"3*channels\"`"),
    (field(type="f[n]", init="normal", std="1 / sqrt(n)"), field(type="f[n]", init="normal(1 / math.sqrt(n))"), "fields.b.std | `normal` draws with a standard deviation of 1, and `std` says 0.707 | write `normal(DEVIATION)` in place of both, as `normal(1 / math.sqrt(in_size))`"),
    (field(type="f[n]", init="zeros", std=1.0), field(type="f[n]", init="normal", std=1.0), "fields.b.std | nothing of the field is drawn, so it has no deviation | remove it, or give the field an `init` that draws from `key`"),
    (field(type="f[n]", init="normal", std="limit"), field(type="f[n]", init="=jax.random.normal(key, (n,))", std="sqrt(max(n, 1)) / math.pi"), "fields.b.std | `limit` is no number in the tests | write a positive number, or arithmetic over sizes, such as `1 / sqrt(3 * in_size)`"),
    (field(type="f[n]", init="normal", std=-1), field(type="f[n]", init="=jax.random.normal(key, (n,))", std="2**-1"), "fields.b.std | `-1` is -1.0 in the tests | write a positive number, or arithmetic over sizes, such as `1 / sqrt(3 * in_size)`"),
    (field(type="int", init="zeros"), field(type="int", init="=n"), 'fields.b.init | `zeros` makes one array, and the field is none | write `init = "=zeros"` for an expression, or `default`'),
    (field(type="f[n]", init="=n # why"), field(type="f[n]", init="='#' and n"), "fields.b.init | an expression holds no comment | put it into `doc`"),
    (field(type="f[n]", init="=n\n + 1"), field(type="f[n]", init="=(n\n + 1)"), "fields.b.init | not Python: unexpected indent (line 2) | write an expression"),
    (field(type="f[n]", init="=n) + (n"), field(type="f[n]", init="=n, n"), "fields.b.init | not Python: unmatched ')' (line 1) | write an expression"),
    (field(type="f[n]", init="=(await n)"), field(type="f[n]", init="=n"), "fields.b.init | not Python: 'await' outside async function (line 1) | write an expression"),
    (field(type="f[n]", init="=[i for j in range(n)]"), field(type="f[n]", init="=[i for i in range(n)]"), 'fields.b.init | the name `i` is not known here | bind it in `setup`, declare it in `arguments` or as a field, or write `imports = ["from ... import i"]`'),
    (field(type="f[n]", init="=(lambda k: q)(n)"), field(type="f[n]", init="=(lambda k, *q: q)(n)"), 'fields.b.init | the name `q` is not known here | bind it in `setup`, declare it in `arguments` or as a field, or write `imports = ["from ... import q"]`'),
    (field(type="f[n]", init="=jax.random.normal(key) + jax.random.normal(key)"), field(type="f[n]", init="=jnp.sum(key)"), "fields.b.init | `key` is used more than once | split it: `jax.random.split(key, 2)` gives a key to each consumer"),
    (field(type="f[n]", init="zeros", preprocess="b * 2"), field(type="f[n]", preprocess="b * 2"), "fields.b.preprocess | `init` makes the field, so there is nothing given to preprocess | put it into `init`"),
    (field(type="int", init="=n", converter="int"), field(type="int", converter="int"), "fields.b.converter | `init` makes the field, so there is nothing given to convert | put it into `init`"),
    (field(type="int", converter="lambda b: b"), field(type="int", converter="=abs(b)"), "fields.b.converter | `lambda b: b` is not the name of a function | write `converter = \"=...\"`, over the name of the field"),
    (field(type="f[n]", converter="jnp.sqr t"), field(type="f[n]", converter="jnp.sqrt"), "fields.b.converter | `jnp.sqr t` is not the name of a function | write `converter = \"=...\"`, over the name of the field"),
    (field(type="int", check="size > 0"), field(type="int", check="b > 0"), 'fields.b.check | the name `size` is not known here | declare it in `arguments` or as a field, or write `imports = ["from ... import size"]`'),
    (field(type="int", check="self.size > 0"), field(type="int", check="self.b > 0"), "fields.b.check | `self.size` is no field | declare it as a field"),
    (field(type="f[n]", check="jnp.all(b > 0)"), field(type="f[n]", check="b.shape[0] > 1 and len(b) < 9"), "fields.b.check | asks for the values of `b`, and under `jit` an array has none | ask for its shape, or refuse values where the array is given, which holds there too: `preprocess = \"eqx.error_if(b, b <= 0, '...')\"`"),
    (field(type="int", check="b == jnp.sum(self.w)"), field(type="int", check="b == self.w.size and self.w is not None"), "fields.b.check | asks for the values of `w`, and under `jit` an array has none | ask for its shape, or refuse values where the array is given, which holds there too: `preprocess = \"eqx.error_if(w, w <= 0, '...')\"`"),
    (field(type="int", check=""), field(type="int"), "fields.b.check | is empty | write an expression, or remove it"),
    (field(type="f[n]", role="derived"), field(type="f[n]", role="derived", init="=self.w"), 'fields.b.init | a derived field is an expression | write `init = "=self.a + self.b"`'),
    (field(type="f[n]", role="derived", init="=w", default=1), field(type="f[n]", role="derived", init="=w"), "fields.b.default | `default` says nothing of a derived field | remove it, or write another role"),
    (field(type="f[n]", init="ones", optional="w"), field(type="f[n]", init="ones", optional="use_b"), "fields.b.optional | `w` is another thing, and no bool | rename the flag, to `use_b` for example"),
    (field(type="f[n]", init="ones", optional="n"), field(type="f[n]", init="ones", optional="has_n"), "fields.b.optional | `n` is another thing, and no bool | rename the flag, to `use_b` for example"),
    (spec(fields={"b": {**W, "optional": "a"}}, arguments=["n", "a: int = 3"]), spec(fields={"b": {**W, "optional": "a"}}, arguments=["n", "a: bool = True"]), "fields.b.optional | `a` is another thing, and no bool | rename the flag, to `use_b` for example"),
    (field(type="f[n]", init="ones", optional=""), field(type="f[n]", init="ones"), "fields.b.optional | `` is not a name (letters, digits and `_`, not beginning with a digit) | rename it, to `x_` for example"),
    (field(type="int", optional="use_b"), field(type="Other", optional="use_b"), "fields.b.optional | `optional` says nothing of a static field | remove it, or write another role"),
    (spec(setup="return 3"), spec(setup="def f():\n    return 3"), "setup | `return` would end the constructor before its fields are made | bind a name, and read it in an `init`"),
    (spec(imports=["import os; print(1)"]), spec(imports=["import os, sys  # both"]), "imports | `import os; print(1)` is not an import that can be copied | write `from package.module import name`"),
    (spec(imports=["import numpy as jnp"]), spec(imports=["import numpy as np"]), "imports | `import numpy as jnp` hides `jnp` | write `... as jnp_`, for example"),
    (spec(imports=["from a import x", "from b import x"]), spec(imports=["from a import x", "from a import x"]), "imports | `x` comes from two places | write `... as x_` for one of them"),
]
BODIES = [
    (call(body=""), call(), "call.body | is empty | write `return ...`"),
    (call(body="# soon"), call(), "call.body | is empty | mend the statement, or remove it"),
    (spec(call={}), call(), "call | `body` is missing | write `body = ...`: Body of the method."),
    (call(body="y = x", returns="f[n]"), call(body="def f():\n    return x\nreturn f()"), "call.body | returns nothing | end it with `return ...`"),
    (call(body="await x"), call(), "call.body | not Python: 'await' outside async function (line 1) | mend the statement"),
    (call(body="nonlocal z\nreturn x"), call(body="z = 1\ndef f():\n    nonlocal z\n    z = 2\nreturn x"), "call.body | not Python: no binding for nonlocal 'z' found (line 1) | mend the statement"),
    (call(body="self.w = x\nreturn x"), call(body="w = x\nreturn w"), "call.body | assigns `self.w` | bind a local name, or return the new value: instances are immutable"),
    (call(body="self.w[0] += 1\nreturn x"), call(body="return self.w.at[0].add(1)"), "call.body | assigns `self.w[0]` | bind a local name, or return the new value: instances are immutable"),
    (call(body="return self.ww"), call(body="return self.w"), "call.body | `self.ww` is no field | did you mean `w`?"),
    (call(body="return self.replace(w=x)"), call(body="return self.w"), "call.body | `self.replace` is no field | import dataclasses, and write `dataclasses.replace(self, ...)`"),
    (call(body="return xx"), call(body="return (y := x) + y"), "call.body | the name `xx` is not known here | did you mean `x`?"),
    (call(body="return x\0"), call(body="return f'{x}\t{self.w!r:>9}'"), "call.body | holds U+0000, which is no letter | remove that character, or write an escape such as `\\x00`"),
    (call(body="if x:\n\treturn x\n        y = 1"), call(body="if x:\n\treturn x\nreturn self.w"), "call.body | not Python: unexpected indent (line 3) | mend the statement"),
    (call(body="return " + "-" * 100_000 + "x"), call(body="return -x\r\n"), "call.body | not Python: nested too deeply | mend the statement"),
    (call(args="x: f[n], x: f[n]"), call(args="x: f[n], y: f[n]"), "call.args | not Python: x | write what a function of Python takes"),
    (call(args="x: f[n] = 1, y: f[n]"), call(args="x: f[n] = 1, *, y: f[n]"), "call.args | not Python: x | write what a function of Python takes"),
    (call(args="*, x: f[n], *, y: f[n]"), call(args="x: f[n], *, y: f[n]"), "call.args | not Python: x | write what a function of Python takes"),
    (call(args="x: f[n], *"), call(args="*, x: f[n]"), "call.args | not Python: x | write what a function of Python takes"),
    (call(args="*x: f[n]"), call(args="x: list[f[n]]"), "call.args | `*x` takes any number of arguments, so no example can be made | write `x: list[f[size]]`"),
    (call(args="x"), call(), "call.args | `x` has no type | write `x: f[size]`"),
    (call(args="x: f[n], self: f[n]"), call(args="x: f[n], len: f[n]"), "call.args | `self` is a name that the class uses itself | rename it, to `self_` for example"),
    (call(args="x: f[n], n: int = 'a'"), call(args="x: f[n], n: int = 3"), "call.args | 'a' is not an int | write an int, or `=` and an expression"),
    (call(args="x: f[n], m: int = size"), call(args="x: f[n], m: callable = jnp.tanh"), 'call.args | the name `size` is not known here | declare it in `arguments` or as a field, or write `imports = ["from ... import size"]`'),
    (call(returns=""), call(returns="(f[n])"), 'call.returns | a result has a type | write `returns = "f[size]"`'),
    (call(carry="y", returns="f[n]"), call(carry="x", returns="f[n], f[]"), "call.carry | `y` is no argument | write the name of an argument"),
    (call(carry="x"), call(carry="x", returns="f[n]"), "call.carry | the next `x` is returned first, and `returns` does not say so | write `returns`, with the next value first"),
    (call(carry="x", returns="f[m]", args="x: f[n], y: f[m]"), call(carry="x", returns="f[n], f[m]", args="x: f[n], y: f[m]"), "call.carry | `x` and the first result differ in type | give the argument and the first result one type: a scan carries it from step to step"),
]
ARGUMENTS = [
    (spec(arguments="n"), spec(arguments=["n"]), 'arguments | \'n\' is not an array of strings | write `arguments = ["..."]`: Arguments of the constructor, in order: `depth`, `scale: float = 1.0`, `*`.'),
    (spec(arguments=["m"]), spec(arguments=["m: int", "n"]), "arguments | `m` is no argument of the constructor | write `m: TYPE` to declare it"),
    (spec(arguments=["n", "n"]), spec(arguments=["n"]), "arguments | not Python: x | write what a function of Python takes"),
    (spec(arguments=["*", "n", "*", "m: int"]), spec(arguments=["*", "n"]), "arguments | not Python: x | write what a function of Python takes"),
    (spec(arguments=["n", "*"]), spec(arguments=["n"]), "arguments | not Python: x | write what a function of Python takes"),
    (spec(arguments=["a: int = 3", "n"]), spec(arguments=["a: int = 3", "*", "n"]), "arguments | not Python: x | write what a function of Python takes"),
    (spec(arguments=["n", "w"]), spec(arguments=["n", "w: f[n]"]), "arguments | `w` is made by its `init`, so it is not given | remove it, or its `init`"),
    (spec(fields={"d": {"type": "f[n]", "role": "derived", "init": "=w"}}, arguments=["d", "n"]), spec(arguments=["n"]), "arguments | `d` is computed at each use, so it is not given | remove it, or its `init`"),
    (spec(fields={"k": {"type": "int"}}, arguments=["k: str", "n"]), spec(fields={"k": {"type": "int", "converter": "int"}}, arguments=["k: str", "n"]), "arguments | `k` has another type in `fields` | write `k` alone, or a `converter` for the field"),
    (spec(arguments=["key: int", "n"]), spec(arguments=["key: key[] | None = None", "*", "n"]), "arguments | `key` is a PRNG key | write `key`, or `key: key[] | None = None`"),
    (spec(arguments=["n", "dtype: int"]), spec(arguments=["n", "dtype"]), "arguments | `dtype` has its type already | write `dtype` alone"),
    (spec(arguments=["n", "m: int = size"]), spec(arguments=["n", "m: int = 3 + 4"]), 'arguments | the name `size` is not known here | declare it in `arguments` or as a field, or write `imports = ["from ... import size"]`'),
    (spec(arguments=["n", "m: int = ("]), spec(arguments=["n", "m: int"]), "arguments | the default of `m: int = (` is not an expression | write `name`, `name: TYPE`, `name: TYPE = default` or `*`"),
]
TESTS = [
    (test(sizes={"m": 3}), test(sizes={"n": 3}), "test.sizes | `m` is no dim | remove it"),
    (test(sizes={"n": 0}), test(sizes={"n": 1}), "test.sizes.n | 0 is not a size | write an integer from 1, or an array of them for a dim such as `*shape`"),
    (test(sizes={"n": True}), test(sizes={"n": 1}), "test.sizes.n | True is not a size | write an integer from 1, or an array of them for a dim such as `*shape`"),
    (test(sizes={"n": [2]}), test(sizes={"n": 2}), "test.sizes | `n` is one dim | write `n = 2`"),
    (dims("*s", sizes={"s": 2}), dims("*s", sizes={"s": []}), "test.sizes | `*s` stands for several dims | write `s = [2]`"),
    ({**call(args="x: f[n], t: i32[]"), "test": {"values": {"t": "three"}}}, {**call(args="x: f[n], t: i32[]"), "test": {"values": {"t": 3}}}, "test.values.t | 'three' is not a number or an array | write a number or an array, or `=` and an expression"),
    (test(unused=["v"]), test(unused=["w"]), "test.unused | `v` is no field that holds an array or a setting, and no array, key or flag that the call takes | remove it"),
    (test(values={"m": 3}), test(values={"n": 3}), "test.values.m | `m` is no argument | remove it"),
    (test(values={"n": "=len(x)"}), test(values={"n": "=len('abc')"}, sizes={"n": 3}), 'test.values.n | the name `x` is not known here | declare it in `arguments` or as a field, or write `imports = ["from ... import x"]`'),
    (test(values={"n": "=int('3')"}), test(values={"n": "=int('3')"}, sizes={"n": 3}), "test.sizes | the size of `n` is not known without running it | write `[test]` and `sizes = { n = 3 }`, with sizes that fit"),
    (test(values={"n": "three"}), test(values={"n": 3}), "test.values.n | 'three' is not an int | write an int, or `=` and an expression"),
    (test(values={"n": datetime.date(2020, 1, 1)}), test(values={"n": 3}), "test.values.n | datetime.date(2020, 1, 1) is no value | write a string, a number, a boolean, or an array or a table of these"),
    (test(rejected=[{}]), test(rejected=[{"n": "x"}]), "test.rejected | a row changes nothing | write `{ depth = 0 }`"),
    (test(rejected=[{"m": 1}]), test(rejected=[]), "test.rejected.m | `m` is no argument | remove it"),
    (test(rejected=[3]), test(rejected=[{"n": -1}]), "test.rejected | [3] is not an array of tables | write `rejected = [{ ... }]`: Changes to the arguments that the constructor must refuse."),
]
# fmt: on


@pytest.mark.parametrize(
    ("bad", "good", "row"), [*NAMES, *TYPES, *VALUES, *CODE, *BODIES, *ARGUMENTS, *TESTS]
)
def test_fault(bad: dict[Any, Any], good: dict[str, Any], row: str) -> None:
    place, what, fix = row.split(" | ") if row.count(" | ") == 2 else _with_bars(row)
    with pytest.raises(ScaffoldError) as caught:
        read_spec(bad, "spec")
    told = [(fault.where, _stable(fault.what), fault.fix) for fault in caught.value.faults]
    assert told == [(f"spec: {place}" if place else "spec", _stable(what), fix)]
    read_spec(good, "spec")


def _stable(what: str) -> str:
    """The text without the words of Python's own parser, which change from version to version."""
    return "not Python" if what.startswith("not Python: ") else what


def _with_bars(row: str) -> tuple[str, str, str]:
    """A row whose texts hold ` | ` themselves: the place comes first, and a fix begins as fixes do."""
    place, rest = row.split(" | ", 1)
    cut = max(rest.rfind(f" | {word}") for word in ("write", "rename", "name"))
    return place, rest[:cut], rest[cut + 3 :]
