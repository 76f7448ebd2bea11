"""What the constructor is given: copies that keep their dtype, numbers that become floats, shapes that must agree."""

import inspect
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
import pytest
from flax import nnx

from scaffold.spec import ModuleSpec, read_spec
from scaffold.suite.examples.examples import constructor_name
from tests.constructors.test_constructors import faults_of
from tests.emitted.plain_jax import executed

CALL = {"args": "v: f[]", "returns": "f[]", "body": "return v"}
FORMS: dict[str, dict[str, Any]] = {
    "factory": {"kind": "module"},
    "init": {"kind": "module", "constructor": "init"},
    "bypass": {"kind": "pytree"},
    "through": {"kind": "pytree", "rebuild": "factory"},
    "dataclass": {"kind": "pytree", "rebuild": "dataclass"},
    "flag": {"kind": "pytree", "rebuild": "flag"},
    "nnx": {"kind": "nnx"},
    "namedtuple": {"kind": "namedtuple"},
    "closure": {"kind": "closure", "call": CALL},
    "train-state": {"kind": "train-state"},
}
COPYING = [name for name in FORMS if name not in ("dataclass", "namedtuple")]
"""The forms with a constructor also where nothing is made; the other two store what they are given."""
BESIDE: dict[str, Callable[[], dict[str, Any]]] = {
    "closure": lambda: {"example": (1.0,)},
    "train-state": lambda: {
        "model": eqx.nn.Linear(2, 2, key=jax.random.key(0)),
        "optimiser": optax.sgd(0.1),
    },
}
GIVEN = {"rows": "f[n,m]@data", "x": "f[n]@data"}
MADE = {**GIVEN, "made": {"type": "f[m]", "role": "data", "init": "zeros"}}
ROWS, X = np.ones((2, 3), np.float32), np.ones(2, np.float32)


def spec_of(form: str, fields: dict[str, Any], **parts: Any) -> ModuleSpec:
    model = {"model": {"type": "equinox.nn:Linear"}} if form == "train-state" else {}
    test = {"values": {"model": "=None"}} if model else {}
    return read_spec(
        {"name": "A", "fields": {**model, **fields}, "test": test, **FORMS[form], **parts}, "spec"
    )


def builder(form: str, fields: dict[str, Any], **parts: Any) -> Callable[..., Any]:
    """The constructor of the emitted class, with what its kind asks for beside these fields."""
    spec = spec_of(form, fields, **parts)
    build = eval(constructor_name(spec), executed(spec))
    beside = BESIDE.get(form, dict)()
    return lambda **given: build(**beside, **given)


def arguments(form: str, fields: dict[str, Any], **parts: Any) -> set[str]:
    spec = spec_of(form, fields, **parts)
    return set(inspect.signature(eval(constructor_name(spec), executed(spec))).parameters) - {"_rebuild"}


def held(instance: Any, name: str) -> Any:
    value = getattr(instance, name)
    return value[...] if isinstance(value, nnx.Variable) else value


# -- a copy keeps its dtype --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", COPYING)
@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.float32])
def test_a_given_array_is_copied_and_keeps_its_dtype(form: str, dtype: Any) -> None:
    rows = jnp.ones((2, 3), dtype)
    kept = held(builder(form, {"rows": "f[n,m]@data"})(rows=rows), "rows")
    assert kept.dtype == dtype and kept.unsafe_buffer_pointer() != rows.unsafe_buffer_pointer()
    assert kept.weak_type is False


@pytest.mark.parametrize("form", ["factory", "init", "flag", "static", "nnx"])
@pytest.mark.parametrize("kind", ["list", "dict"])
def test_so_does_each_array_of_a_container(form: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMS, "static", {"kind": "pytree", "rebuild": "static"})
    field: dict[str, Any] = {"type": f"{kind}[{'' if kind == 'list' else 'str, '}f[n]]", "role": "data"}
    preset = {"p": {"type": "dict[str, f[]]", "role": "data", "preset": {"a": 1.0}}}
    parts = jnp.ones(2, jnp.bfloat16), 1, np.ones(2, np.float16)
    value = list(parts) if kind == "list" else dict(zip("bcd", parts, strict=True))
    more = {"p": {"b": jnp.ones((), jnp.bfloat16)}} if form == "static" else {}
    build = builder(form, {"parts": field, **(preset if more else {})})
    name = "p_entries" if more else "parts"
    instance = build(parts=value, **more)
    dtypes = [leaf.dtype for leaf in jax.tree.leaves(held(instance, "parts"))]
    assert dtypes == [jnp.bfloat16, jnp.float32, jnp.float16]
    assert not more or getattr(instance, name)["b"].dtype == jnp.bfloat16


def test_a_method_that_makes_an_instance_keeps_the_dtype() -> None:
    doubled = {"returns": "A", "body": "return A.create(2 * self.rows, self.x)"}
    instance = builder("factory", MADE, methods={"doubled": doubled})(
        rows=ROWS.astype(jnp.bfloat16), x=X.astype(jnp.bfloat16)
    )
    for one in (instance, instance.doubled(), jax.jit(lambda held: held.doubled())(instance)):
        assert (one.rows.dtype, one.x.dtype, one.made.dtype) == (jnp.bfloat16, jnp.bfloat16, jnp.float32)


# -- numbers and integers ----------------------------------------------------------------------------------------------

NUMBERS = [1, True, 0.5, np.int8(3), np.arange(2), np.ones(2, bool), [1, 2], [[0.5], [1]], 2**40]


@pytest.mark.spread(3)
@pytest.mark.parametrize("form", COPYING)
@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_numbers_and_integers_become_the_default_float(form: str, value: Any) -> None:
    for dtype in ("f", "inexact"):
        kept = held(builder(form, {"v": f"{dtype}[]@data"})(v=value), "v")
        assert kept.dtype == jnp.float32 and kept.weak_type is False
        assert np.array_equal(kept, np.asarray(value, np.float32))


# -- complex numbers ---------------------------------------------------------------------------------------------------


@pytest.mark.spread(3)
@pytest.mark.parametrize("form", COPYING)
@pytest.mark.parametrize("value", [1j, np.ones(2, np.complex64), jnp.array([1j, 2j]), [1.0, 2j]], ids=repr)
@pytest.mark.parametrize("dtype", ["f", "f32", "bf16", "i32"])
def test_complex_numbers_do_not_go_into_a_real_field(form: str, value: Any, dtype: str) -> None:
    build = builder(form, {"v": f"{dtype}[]@data"})
    declared = "integers" if dtype == "i32" else "real numbers"
    with pytest.raises(TypeError, match=rf"^{declared} are declared, got complex64(\n|$)"):
        build(v=value)
    with pytest.raises(TypeError, match=rf"^{declared} are declared, got complex64(\n|$)"):
        jax.jit(lambda value: held(build(v=value), "v"))(jnp.asarray(value))


@pytest.mark.parametrize("form", COPYING)
@pytest.mark.parametrize("value", [0.5, np.ones(2), True], ids=repr)
def test_floats_and_bools_do_not_go_into_an_integer_field(form: str, value: Any) -> None:
    for dtype in ("i", "i32", "u8"):
        build = builder(form, {"v": f"{dtype}[]@data"})
        with pytest.raises(TypeError, match=r"^integers are declared, got (float|bool)"):
            build(v=value)


@pytest.mark.parametrize("form", COPYING)
def test_open_integers_and_complex_numbers_keep_their_dtype(form: str) -> None:
    build = builder(form, {"i": "i[n]@data", "c": "c[n]@data"})
    for given, kept in ((np.int8, jnp.int8), (int, jnp.int32)):
        instance = build(i=np.arange(2).astype(given) if given is not int else [0, 1], c=[1j, 2.0])
        assert (held(instance, "i").dtype, held(instance, "c").dtype) == (kept, jnp.complex64)
        assert not held(instance, "i").weak_type and np.array_equal(held(instance, "i"), [0, 1])
    assert held(build(i=[1], c=[0.5]), "c").dtype == jnp.complex64


@pytest.mark.parametrize("form", COPYING)
def test_an_inexact_field_takes_complex_numbers(form: str) -> None:
    build = builder(form, {"v": "inexact[n]@data"})
    assert np.array_equal(held(build(v=jnp.array([1j, 2j])), "v"), [1j, 2j])
    both = builder(
        form, {"v": "inexact[n]@data", "w": {"type": "inexact[n]", "role": "data", "init": "zeros"}}
    )
    assert held(both(v=jnp.array([1j, 2j])), "v").dtype == jnp.complex64
    assert held(both(v=jnp.ones(2), dtype=jnp.complex64), "v").dtype == jnp.complex64
    with pytest.raises(TypeError, match=r"^complex numbers do not fit float16$"):
        both(v=jnp.array([1j, 2j]), dtype=jnp.float16)


# -- the argument `dtype` ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", COPYING)
def test_dtype_is_no_argument_where_nothing_is_made(form: str) -> None:
    assert "dtype" not in arguments(form, GIVEN)
    assert "dtype" not in arguments(
        form, {**GIVEN, "count": {"type": "i32[]", "role": "data", "init": "zeros"}}
    )


@pytest.mark.parametrize("form", FORMS)
def test_dtype_rules_what_is_made_and_given_arrays_where_it_is_passed(form: str) -> None:
    build, rows = builder(form, MADE), ROWS.astype(jnp.bfloat16)
    for given, kept, made in (
        ({}, jnp.bfloat16, jnp.float32),
        ({"dtype": None}, jnp.bfloat16, jnp.float32),
        ({"dtype": jnp.float16}, jnp.float16, jnp.float16),
    ):
        instance = build(rows=rows, x=X, **given)
        assert (held(instance, "rows").dtype, held(instance, "made").dtype) == (kept, made)


def test_presets_are_made() -> None:
    fields = {"table": {"type": "dict[str, f[]]", "role": "data", "preset": {"a": 1.0}}, "v": "f[]@data"}
    for form in ("factory", "init", "bypass", "flag"):
        build = builder(form, fields)
        table = build(table={"b": jnp.ones((), jnp.bfloat16)}, v=1).table
        assert (table["a"].dtype, table["b"].dtype) == (jnp.float32, jnp.bfloat16)
        table = build(table={"b": jnp.ones((), jnp.bfloat16)}, v=1, dtype=jnp.float16).table
        assert (table["a"].dtype, table["b"].dtype) == (jnp.float16, jnp.float16)


def test_dtype_is_a_fault_where_it_applies_to_nothing() -> None:
    (found,) = faults_of({"fields": {"v": "f[n]@data"}, "arguments": ["v", "dtype"]})
    assert found.endswith(
        "`dtype` applies to what is made, and here every array is given -> remove it: each keeps its own"
    )
    assert "dtype" in arguments("factory", {"v": "f[n]@data", "w": "f[n]=zeros"}, arguments=["v", "dtype"])


# -- dims --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_sizes_are_read_off_what_is_given(form: str) -> None:
    assert not {"n", "m"} & arguments(form, MADE)
    build = builder(form, MADE)
    assert held(build(rows=ROWS, x=X), "made").shape == (3,)
    sized = jax.jit(lambda rows, x: held(build(rows=rows, x=x), "made"))
    assert sized(ROWS, X).shape == (3,) and sized(np.ones((4, 5), np.float32), np.ones(4)).shape == (5,)


@pytest.mark.parametrize("form", FORMS)
def test_dims_that_disagree_are_refused(form: str) -> None:
    build, told = builder(form, MADE), r"^`x` has shape \(4,\), and `rows` \(2, 3\)(\n|$)"
    with pytest.raises(ValueError, match=told):
        build(rows=ROWS, x=np.ones(4))
    with pytest.raises(ValueError, match=told):
        jax.jit(lambda rows, x: held(build(rows=rows, x=x), "made"))(ROWS, np.ones(4))
    with pytest.raises(ValueError, match=told):
        jax.eval_shape(lambda rows, x: held(build(rows=rows, x=x), "made"), ROWS, np.ones(4))


@pytest.mark.parametrize("form", ["factory", "init", "bypass", "flag", "nnx"])
def test_of_several_arrays_the_wrong_one_is_named(form: str) -> None:
    build = builder(form, {f"x{index}": "f[n]@data" for index in range(4)})
    given = {f"x{index}": np.ones(2) for index in range(4)}
    build(**given)
    with pytest.raises(ValueError, match=r"^`x2` has shape \(3,\), and `x0` \(2,\)$"):
        build(**{**given, "x2": np.ones(3)})
    named = builder(form, {"value": "f[n]@data", "name": "f[n]@data", "other": "f[n]@data"})
    with pytest.raises(ValueError, match=r"^`other` has shape \(3,\), and `value` \(2,\)$"):
        named(value=np.ones(2), name=np.ones(2), other=np.ones(3))


@pytest.mark.parametrize(
    ("fields", "shapes", "told"),
    [
        ({"a": "f[n,n]@data"}, {"a": (2, 3)}, r"^`a` has shape \(2, 3\), which is not \(n, n\)$"),
        (
            {"a": "f[n]@data", "b": "f[2*n,n+1]@data"},
            {"a": (2,), "b": (4, 2)},
            r"^`b` has shape \(4, 2\), and `a` \(2,\)$",
        ),
        (
            {"a": "f[n]@data", "b": "f[m]@data", "c": "f[m,n]@data"},
            {"a": (2,), "b": (3,), "c": (2, 3)},
            r"^`c` has shape \(2, 3\), and `b` \(3,\) and `a` \(2,\)$",
        ),
        (
            {"a": "f[n]@data", "b": "f[n,k]@data"},
            {"a": (2,), "b": (3, 3)},
            r"^`b` has shape \(3, 3\), and `a` \(2,\)$",
        ),
        (
            {"a": "f[n+1]@data", "b": "f[n-1]@data"},
            {"a": (4,), "b": (3,)},
            r"^`b` has shape \(3,\), and `a` \(4,\)$",
        ),
        ({"a": "f[2*n+1]@data"}, {"a": (4,)}, r"^`a` has shape \(4,\), which is not \(2\*n\+1,\)$"),
    ],
)
def test_each_dim_is_compared(fields: dict[str, Any], shapes: dict[str, tuple[int, ...]], told: str) -> None:
    build = builder("factory", fields)
    with pytest.raises(ValueError, match=told):
        build(**{name: np.ones(shape) for name, shape in shapes.items()})


@pytest.mark.parametrize("dim", ["n+1", "n-1", "7-n", "2*n", "1+2*(n-1)", "n*3+1"])
def test_a_size_is_read_off_through_arithmetic(dim: str) -> None:
    fields = {"x": f"f[{dim}]@data", "made": "f[n]=zeros"}
    assert "n" not in arguments("factory", fields)
    assert builder("factory", fields)(x=np.ones(eval(dim, {"n": 3}))).made.shape == (3,)


def test_a_size_that_arithmetic_does_not_tell_is_given_and_compared() -> None:
    fields = {"x": "f[n//2+1]@data", "made": "f[n]=zeros"}
    build = builder("factory", fields)
    assert "n" in arguments("factory", fields) and build(x=np.ones(3), n=5).made.shape == (5,)
    with pytest.raises(ValueError, match=r"^`x` has shape \(4,\), and `n` 5$"):
        build(x=np.ones(4), n=5)


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"type": "f[n]", "role": "data", "preprocess": "x[1:]"}, {}),
        ({"type": "f[n]", "role": "data", "converter": "=x[1:]"}, {}),
        ({"type": "f[n] | None", "role": "data"}, {}),
        ({"type": "f[n]", "role": "data", "optional": "use_x"}, {}),
        ({"type": "list[f[n]]", "role": "data"}, {}),
        ({"type": "f[n]", "role": "data"}, {"arguments": ["n", "x"]}),
        (
            {"type": "f[*n]", "role": "data"},
            {"test": {"sizes": {"n": [2]}}, "arguments": ["x", "n: tuple[int, ...]"]},
        ),
    ],
    ids=str,
)
def test_what_has_no_certain_shape_tells_no_size(given: Any, parts: dict[str, Any]) -> None:
    made = {"type": "f[*n]" if "*" in given["type"] else "f[n]", "role": "data", "init": "zeros"}
    assert "n" in arguments("factory", {"x": given, "made": made}, **parts)


def test_a_size_that_is_read_off_is_told_where_a_method_passes_it() -> None:
    made = {"f": {"args": "n: int", "body": "return cls.create(jnp.ones(n), n=n)"}}
    (found,) = faults_of({"fields": {"v": "f[n]@data", "w": "f[n]=zeros"}, "constructors": made})
    assert found.endswith(
        "`cls.create(...)` does not fit the constructor: got an unexpected keyword argument 'n' -> remove `n`: it is read off `v`"
    )


def test_shapes_are_not_looked_at_where_jax_rebuilds() -> None:
    instance = builder("flag", MADE)(rows=ROWS, x=X)
    leaves, treedef = jax.tree.flatten(instance)
    assert jax.tree.unflatten(treedef, [object() for _ in leaves]).x is not None


def test_a_train_state_copies_each_part_that_it_is_given() -> None:
    part = "equinox.nn:Linear"
    fields: dict[str, Any] = {"target": part, "others": f"list[{part}]", "maybe": f"{part} | None"}
    linear = eqx.nn.Linear(2, 2, key=jax.random.key(0))
    state = builder("train-state", fields)(target=linear, others=[linear], maybe=linear)
    eqx.filter_jit(lambda value: value, donate="all")(state)
    assert not linear.weight.is_deleted()
