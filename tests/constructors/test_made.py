"""What the constructor makes: copies and casts of what an expression gives, dtypes that follow, and sizes of 0."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from scaffold import ScaffoldError
from scaffold.emit.constructor.construct import constructor
from scaffold.emit.constructor.made import _MAKERS, is_new  # pyright: ignore[reportPrivateUsage]
from scaffold.emit.constructor.source import parsed
from scaffold.spec.grammar.initialisers import INITIALISERS
from scaffold.spec.reading.read import read_spec
from scaffold.suite.examples.declared import drawn_fields
from scaffold.suite.reads.setup_draws import keys_and_draws
from tests.emitted.plain_jax import Both

CALL = {"args": "x: f[n]", "returns": "f[n]", "body": "return x"}
FORMS = [("module", {}), ("pytree", {}), ("pytree", {"rebuild": "flag"}), ("nnx", {})]
HANDED_ON = [
    "source if source is not None else None",
    "jnp.asarray(source)",
    "jnp.asarray(source, dtype)",
    "source.astype(dtype)",
    "jnp.ravel(source)",
    "pairs[0]",
    "(lambda one: one)(source)",
    "jnp.concatenate([source])",
    "jnp.full((3,), source)",
]


def spec(fields: Any, kind: str = "module", **parts: Any) -> dict[str, Any]:
    return {"name": "A", "kind": kind, "fields": fields, "call": CALL, "arguments": ["source: f[n]"], **parts}


@pytest.mark.spread(3)
@pytest.mark.parametrize(("kind", "form"), FORMS, ids=str)
@pytest.mark.parametrize("type_", ["f[n]", "f[n] | None"])
@pytest.mark.parametrize("expression", HANDED_ON)
def test_what_an_expression_hands_on_is_copied_and_cast(
    kind: str, form: dict[str, Any], type_: str, expression: str
) -> None:
    field = {"type": type_, "init": f"={expression}"}
    raw = spec({"w": field}, kind, setup="pairs = (source, 1)", **form)
    source = jnp.arange(3, dtype=jnp.float32)
    for dtype in (jnp.float32, jnp.bfloat16):
        held = Both(raw, source=source, dtype=dtype).values()["w"]
        assert held.dtype == dtype, expression
        assert held.unsafe_buffer_pointer() != source.unsafe_buffer_pointer(), expression


@pytest.mark.parametrize(("kind", "form"), FORMS, ids=str)
def test_an_argument_of_another_name_is_copied_and_keeps_its_dtype(kind: str, form: dict[str, Any]) -> None:
    raw = spec({"w": {"type": "f[n]", "init": "=source"}}, kind, **form)
    for dtype in (jnp.float32, jnp.bfloat16):
        source = jnp.arange(3, dtype=dtype)
        held = Both(raw, source=source).values()["w"]
        assert held.dtype == dtype
        assert held.unsafe_buffer_pointer() != source.unsafe_buffer_pointer()


@pytest.mark.parametrize(
    "expression", ["None", "other", "other if True else None", "jnp.ones(3) if other else None"]
)
def test_none_stays_none(expression: str) -> None:
    raw = spec(
        {"w": {"type": "f[n] | None", "init": f"={expression}"}, "v": "f[n]=ones"}, setup="other = None"
    )
    assert Both(raw, source=jnp.ones(3)).values()["w"] is None


NEW = [
    "jnp.zeros(n)",
    "2 * source",
    "-source",
    "jax.random.normal(key, (n,))",
    "jax.nn.initializers.normal()(key, (n,))",
    "math.pi",
    "jnp.full((n,), 0.5)",
    "[0.5 * i for i in range(n)]",
    "jnp.ones(n) if n else 2 * source",
]


@pytest.mark.parametrize("type_", ["f[n]", "f[n] | None"])
@pytest.mark.parametrize("expression", NEW)
def test_what_an_expression_has_just_made_is_not_copied(type_: str, expression: str) -> None:
    read = read_spec(spec({"w": {"type": type_, "init": f"={expression}"}}), "spec")
    [(_, value)] = constructor(read).values
    assert "jnp.array(" not in value and " is None" not in value, value
    assert "jnp.asarray(" in value or value.count("dtype") == 1, "cast, or made so"


WITH_DTYPE = {
    "jnp.zeros(n)": "jnp.zeros(n, dtype)",
    "jnp.full((n,), 0.5)": "jnp.full((n,), 0.5, dtype)",
    "jnp.full((n,), source[0])": "jnp.array(jnp.full((n,), source[0]), dtype)",
    "jnp.eye(n)": "jnp.eye(n, dtype=dtype)",
    "jax.random.uniform(key, (n,), minval=-1)": "jax.random.uniform(key, (n,), minval=-1, dtype=dtype)",
    "0.1 * jax.random.normal(key, (n,)) / n": "0.1 * jax.random.normal(key, (n,), dtype) / n",
    "-jnp.log(jnp.arange(1, n + 1)) + jnp.ones(n)": "-jnp.log(jnp.arange(1, n + 1, dtype=dtype)) + jnp.ones(n, dtype)",
    "jnp.ones(n) * source": "jnp.asarray(jnp.ones(n) * source, dtype)",
    "jnp.zeros(n, jnp.float32)": "jnp.zeros(n, jnp.float32)",
}


@pytest.mark.parametrize("expression", WITH_DTYPE)
def test_what_makes_an_array_is_asked_for_its_dtype(expression: str) -> None:
    raw = spec({"w": {"type": "f[n]", "init": f"={expression}"}}) | {"arguments": ["n: int", "source: f[n]"]}
    [(_, value)] = constructor(read_spec(raw, "spec")).values
    assert value == WITH_DTYPE[expression]


@pytest.mark.parametrize("type_", ["list[f[n]]", "dict[str, f[n]]", "tree"])
def test_nor_is_what_a_container_of_new_arrays_holds(type_: str) -> None:
    made = '{"a": jnp.ones(n)}' if type_.startswith("dict") else "[jnp.ones(n), 2 * source]"
    handed_on = made.replace("jnp.ones(n)", "source")
    for expression, function in ((made, "jnp.asarray("), (handed_on, "jnp.array(")):
        read = read_spec(spec({"w": {"type": type_, "init": f"={expression}"}}), "spec")
        [(_, value)] = constructor(read).values
        assert function in value, value


MAKERS = {
    **dict.fromkeys(("arange", "eye", "identity", "empty", "zeros", "ones"), "jnp.{}(3)"),
    **dict.fromkeys(("linspace", "logspace", "geomspace"), "jnp.{}(1.0, 2.0, 3)"),
    "stack": "jnp.stack([x])",
    **dict.fromkeys(("outer", "kron"), "jnp.{}(x, jnp.ones(1))"),
}


@pytest.mark.parametrize("name", sorted(_MAKERS))
def test_each_function_that_is_said_to_make_an_array_makes_one(name: str) -> None:
    source = MAKERS.get(name, "jnp.{}(x)").format(name)
    x = jnp.linspace(0.1, 0.9, 3)
    assert is_new(parsed(source))
    assert eval(source, {"jnp": jnp, "x": x}).unsafe_buffer_pointer() != x.unsafe_buffer_pointer()


@pytest.mark.parametrize(
    ("type_", "value"), [("i32[]", "jnp.int32(0)"), ("i[]", "jnp.int32(-1)"), ("=Array", "jnp.int8(3)")]
)
def test_a_number_with_a_dtype_is_not_copied(type_: str, value: str) -> None:
    read = read_spec(spec({"w": {"type": type_, "role": "data", "init": f"={value}"}}), "spec")
    assert constructor(read).values == (("w", value),)


@pytest.mark.parametrize("name", ["int32", "float16", "bool"])
def test_what_has_the_dtype_already_is_copied(name: str) -> None:
    assert not is_new(parsed(f"jnp.{name}(source)"))
    raw = spec({"w": {"type": "=Array", "role": "data", "init": f"=jnp.{name}(source)"}})
    source = jnp.ones(3, name)
    assert Both(raw, source=source).values()["w"].unsafe_buffer_pointer() != source.unsafe_buffer_pointer()


# -- the key `dtype` ---------------------------------------------------------------------------------------------------

BASE = {"type": "equinox.nn:Linear"}


@pytest.mark.parametrize(("kind", "form"), FORMS[:3], ids=str)
def test_the_dtype_follows_an_array_of_a_part(kind: str, form: dict[str, Any]) -> None:
    import equinox as eqx

    fields = {"base": BASE, "w": "f[n]=ones", "scale": "f32[]=ones", "v": "f[n]@data"}
    raw = {**spec(fields, kind, **form), "dtype": "like  base.weight", "arguments": []}
    raw["test"] = {"values": {"base": "=None"}}
    for dtype in (jnp.float32, jnp.bfloat16):
        base = eqx.nn.Linear(2, 3, dtype=dtype, key=jax.random.key(0))
        values = Both(raw, base=base, v=np.ones(3)).values()
        assert (values["w"].dtype, values["scale"].dtype) == (dtype, jnp.float32)
        assert values["v"].dtype == jnp.float32  # what is given keeps its dtype
    with pytest.raises(TypeError, match="dtype"):
        Both(raw, base=base, v=np.ones(3), dtype=jnp.float32)


@pytest.mark.parametrize(("kind", "form"), FORMS, ids=str)
def test_the_dtype_follows_an_array_that_is_given(kind: str, form: dict[str, Any]) -> None:
    fields = {"matrix": "f[n,n]@data", "w": {"type": "f[n]", "role": "data", "init": "zeros"}}
    raw = {**spec(fields, kind, **form), "dtype": "like matrix", "arguments": []}
    for given, dtype in ((jnp.float16, jnp.float16), (jnp.bfloat16, jnp.bfloat16)):
        values = Both(raw, matrix=jnp.ones((2, 2), given)).values()
        assert values["w"].dtype == values["matrix"].dtype == dtype
    with jax.numpy_dtype_promotion("standard"):
        values = Both(raw, matrix=np.ones((2, 2), int)).values()
    assert values["w"].dtype == values["matrix"].dtype == jnp.float32


@pytest.mark.parametrize(("kind", "form"), FORMS, ids=str)
def test_the_dtype_may_be_left_out(kind: str, form: dict[str, Any]) -> None:
    raw = {**spec({"w": "f[n]=ones", "v": "f[n]@data"}, kind, **form), "dtype": "default", "arguments": []}
    values = Both(raw, v=np.ones(3, np.float16)).values()
    assert (values["w"].dtype, values["v"].dtype) == (jnp.float32, jnp.float16)
    with pytest.raises(TypeError, match="dtype"):
        Both(raw, v=np.ones(3), dtype=jnp.float32)


DTYPE_FAULTS = [
    ({"dtype": "float32"}, "dtype", "`float32` names no array"),
    ({"dtype": "like"}, "dtype", "`like` names no array"),
    ({"dtype": "like f(x)"}, "dtype", "`like f(x)` names no array"),
    ({"dtype": "like bass.weight"}, "dtype", "`bass` is no field with arrays that the constructor is given"),
    ({"dtype": "like w"}, "dtype", "`w` is no field with arrays that the constructor is given"),
    ({"dtype": "like depth"}, "dtype", "`depth` is no field with arrays that the constructor is given"),
    ({"dtype": "like base"}, "dtype", "`base` is no float array"),
    ({"dtype": "like maybe.weight"}, "dtype", "`maybe` may be None, and then there is no dtype to follow"),
    (
        {"dtype": "default", "arguments": ["n", "dtype"]},
        "arguments",
        "`dtype` is no argument where the key `dtype` says it",
    ),
    ({"dtype": "default", "fields": {"n": "int"}}, "dtype", "no array of open dtype is made"),
]


@pytest.mark.parametrize(("parts", "place", "what"), DTYPE_FAULTS)
def test_what_is_wrong_with_the_dtype_is_told(parts: dict[str, Any], place: str, what: str) -> None:
    fields = {"base": BASE, "w": "f[n]=ones", "depth": "int", "maybe": {"type": "equinox.nn:Linear | None"}}
    raw = {"name": "A", "fields": fields, **parts}
    with pytest.raises(ScaffoldError) as caught:
        read_spec(raw, "spec")
    assert [(one.where, one.what) for one in caught.value.faults] == [(f"spec: {place}", what)]
    read_spec({"name": "A", "fields": fields, "dtype": "like base.weight"}, "spec")


def test_the_constructor_works_in_the_documented_order() -> None:
    fields = {
        "given": {"type": "f[n]", "role": "data", "preprocess": "given + one", "converter": "jnp.asarray"},
        "low": {"type": "f[n]", "init": "=jax.random.normal(key, (n,), dtype) * one"},
        "high": {"type": "f[n]", "init": "=low + 1"},
        "kept": "f[n]=normal",
    }
    raw = spec(fields, setup="one = jnp.ones((), dtype)", arguments=[])
    statements = constructor(read_spec(raw, "spec")).statements
    assert [one.partition(" =")[0] for one in statements] == [
        *("asked", "dtype", "low_key, kept_key", "one"),
        *("given", "given", "given", "low"),
    ]


# -- sizes of 0 --------------------------------------------------------------------------------------------------------


@pytest.mark.spread(3)
@pytest.mark.parametrize("kind", ["module", "pytree", "nnx"])
@pytest.mark.parametrize("name", [name for name in INITIALISERS if name not in ("split", "full")])
def test_a_named_initialiser_makes_an_array_without_elements(name: str, kind: str) -> None:
    fields = {"w": f"f[m,n]={name}", "deep": f"f[3,m,2*n]={name}", "flat": f"f[4,n]={name}"}
    raw = {**spec(fields, kind), "arguments": [], "test": {"sizes": {"m": 2, "n": 3}}}
    random, divides = (
        INITIALISERS[name].random,
        "{fan}" in INITIALISERS[name].source,
    )  # jax divides by the fan
    for m, n in ((2, 3), *(() if divides else ((0, 3), (3, 0), (0, 0)))):
        drawn = {"rngs": nnx.Rngs(0)} if kind == "nnx" else {"key": jax.random.key(0)}
        values = Both(raw, m=m, n=n, dtype=jnp.bfloat16, **(drawn if random else {})).values()
        shapes = {"w": (m, n), "deep": (3, m, 2 * n), "flat": (4, n)}
        assert {key: value.shape for key, value in values.items()} == shapes
        assert {value.dtype for value in values.values()} == {jnp.dtype(jnp.bfloat16)}


@pytest.mark.parametrize("kind", ["module", "pytree", "nnx"])
def test_sizes_of_one_may_leave_no_elements(kind: str) -> None:
    raw = {**spec({"w": "f[n-1,n]=he_normal"}, kind), "arguments": [], "test": {"sizes": {"n": 3}}}
    for n in (1, 3):
        drawn = {"rngs": nnx.Rngs(0)} if kind == "nnx" else {"key": jax.random.key(0)}
        assert Both(raw, n=n, **drawn).values()["w"].shape == (n - 1, n)


@pytest.mark.parametrize("name", [name for name, made in INITIALISERS.items() if "{fan}" in made.source])
def test_complex_numbers_of_no_fixed_width_are_made_without_a_warning(name: str) -> None:
    raw = {**spec({"w": f"c[m,n]={name}"}), "arguments": [], "test": {"sizes": {"m": 2, "n": 3}}}
    made = Both(raw, m=2, n=3, key=jax.random.key(0)).values()["w"]
    assert made.dtype == jnp.complex64 and jnp.any(jnp.imag(made) != 0)


# -- draws from keys that setup has split ------------------------------------------------------------------------------

SETUP = """
keys = jax.random.split(key, 4)
first, *others = jax.random.split(keys[0], 3)
alias = keys[2]
stream = iter(jax.random.split(alias, 2))
noise = jax.random.normal(keys[1], (n, 2))
scaled = 2 * noise
rows = noise.shape[0]
limit = 1 / math.sqrt(n)
if rows > 2:
    later = scaled + 1
else:
    later = scaled
"""
DRAWN = {
    "jax.random.normal(keys[3], (n,), dtype)": True,
    "jax.random.normal(others[1], (n,), dtype)": True,
    "jax.random.normal(next(stream), (n,), dtype)": True,
    "jnp.ones(n) * jax.random.uniform(alias, (), dtype)": True,
    "noise[:, 0]": True,
    "jnp.sum(scaled, 1)": True,
    "later[:, 0] + limit": True,
    "[jax.random.normal(one, (n,)) for one in keys][0]": True,
    "jnp.zeros(rows)": False,
    "jnp.full((n,), limit)": False,
    "jnp.zeros(noise.shape[0])": False,
    "jnp.zeros(n) if first is None else jnp.ones(n)": False,
}


@pytest.mark.parametrize("expression", DRAWN)
def test_a_draw_from_a_key_that_setup_has_split_is_told(expression: str) -> None:
    raw = spec({"w": {"type": "f[n]", "init": f"={expression}"}}, setup=SETUP, arguments=[])
    assert drawn_fields(read_spec(raw, "spec")) == (["w"] if DRAWN[expression] else [])


def test_keys_and_draws() -> None:
    keys, drawn = keys_and_draws(SETUP)
    assert keys == {"keys", "first", "others", "alias", "stream"}
    assert drawn == {"noise", "scaled", "later"}
