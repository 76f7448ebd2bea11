"""Drawn fields: each function draws one, and the term that the call adds for it."""

from typing import Any

from hypothesis import strategies as st

from scaffold.spec.grammar.types import ArrayType
from tests.drawn.drafts import (
    COMPLEX,
    INTEGER,
    REAL,
    Draft,
    drawn_array,
    flag,
    initialiser,
    loop_over,
    summed,
    text,
    total,
)


def given_array(draft: Draft) -> None:
    array = drawn_array(draft, (*REAL, *COMPLEX, *INTEGER, "key", "f", "f"))
    name, table = draft.new_name(), {"type": text(array)}
    if array.inexact and draft.rarely():
        table["role"] = draft.one("data", "buffer")
    missing = draft.rarely()
    if missing and draft.chance():
        table["type"] += " | None"
    elif missing:
        table["optional"] = flag(draft)
    if array.dtype not in ("key", "bool", *COMPLEX) and draft.rarely():
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
    array = drawn_array(draft, (*REAL, *COMPLEX, *INTEGER, "key", "f", "f", "f"), least=draft.one(0, 2))
    name, table = draft.new_name(), {"type": text(array)}
    table["init"] = initialiser(draft, array)
    if table["init"] == "normal(1 / 2)":
        table["std"] = draft.one(0.5, "1 / sqrt(4)")
    if array.inexact and draft.rarely():
        table |= draft.one({"role": "data"}, {"role": "buffer"}, {"frozen": True}, {"frozen": True})
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
        table["role"] = "buffer" if kind == "tree" else draft.one("data", "buffer")
    draft.add(name, table, summed(f"self.{name}"), missing=missing)


def preset_dict(draft: Draft) -> None:
    name, dims = draft.new_name(), draft.shape(most=1)
    dtype = draft.one("f", "f", "f32")
    table: dict[str, Any] = {"type": f"dict[str, {text(ArrayType(dtype, dims))}]"}
    table["preset"] = draft.one(
        {"a": 42.0}, {"b": 1.5, "a": -1.0}, {"its": 2.0}, {"z": "=1 / 3"}, {"loop": 1}
    )
    if not dims and draft.rarely():
        table |= {"type": "dict[str, f[]]", "init": '={"A": jnp.zeros((), dtype), "B": jnp.ones((), dtype)}'}
    elif draft.rarely():
        added = f'{{"zz": jnp.zeros((), {"dtype" if dtype == "f" else "jnp.float32"})}}'
        table["preprocess"] = f"{name} | {added}" if not dims else f"dict({name})"
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
        one = (
            "Linear(2, 3, dtype=dtype, key={})"
            if inner != "Inner"
            else "Inner.create(0.5, 0.25, dtype, key={})"
        )
        many = one.format("k") + " for k in jax.random.split(key, 2)"
        many_named = '{f"at_{i}": ' + one.format("k") + " for i, k in enumerate(jax.random.split(key, 2))}"
        table["init"] = "=" + {"list[{}]": f"[{many}]", "dict[str, {}]": many_named}.get(
            holder, one.format("key")
        )
        if holder == "{} | None":
            table["type"] = inner
        if draft.rarely():
            table["optional"] = flag(draft)
    table |= {"frozen": True} if draft.rarely() else {}
    argument = "jnp.ones((2,), x.dtype)" if inner == "equinox.nn:Linear" else "jnp.ones((), x.dtype)"
    if holder == "list[{}]":
        draft.add(name, table)
        draft.lines.append(loop_over(name, argument, missing="optional" in table))
        return
    use = {
        "dict[str, {}]": f"sum(jnp.sum(part({argument})) for part in self.{name}.values())",
    }.get(holder, f"jnp.sum(self.{name}({argument}))")
    draft.add(name, table, use, missing="optional" in table or table["type"].endswith("| None"))


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
    name, source = draft.new_name(), draft.draw(st.sampled_from(draft.reals))
    if draft.chance():
        table = {"type": "f[]", "role": "derived", "init": f"=jnp.sum({draft.one('self.', '')}{source}) * 2"}
        draft.add(name, table, f"self.{name}")
    else:
        draft.add(name, {"type": "int", "role": "derived", "init": f"=self.{source}.ndim"}, f"self.{name}")


MEMBERS = (
    *(one for one in (given_array, initialised_array, computed_array) for _ in range(2)),
    many_arrays,
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
