"""Static values as source: what the constructor stores, what the body reads, and how they are written in a spec."""

import ast
import types
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaffold import ScaffoldError, load_spec
from scaffold.emit.constructor.construct import copy_source
from scaffold.passes.static_storage import as_given, stored_value
from scaffold.spec.grammar.type_parser import parse_type
from scaffold.spec.reading.field_text import parse_field_text
from scaffold.spec.reading.read import read_spec
from tests.support.projects import EXAMPLES

NUMBERS = st.integers(-5, 5) | st.floats(-2, 2)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "float": NUMBERS,
    "int": st.integers(-5, 5),
    "float | None": NUMBERS | st.none(),
    "int | float": NUMBERS,
    "tuple[float, ...]": st.lists(NUMBERS, max_size=3).map(tuple),
    "tuple[int, float]": st.tuples(st.integers(), NUMBERS),
    "tuple[tuple[int, float], ...]": st.lists(st.tuples(st.integers(), NUMBERS), max_size=2).map(tuple),
    "frozenset[float]": st.frozensets(NUMBERS, max_size=3),
    "frozenset[tuple[float, ...]]": st.frozensets(st.tuples(NUMBERS), max_size=2),
    "list[float]": st.lists(NUMBERS, max_size=3),
    "list[tuple[int, float]]": st.lists(st.tuples(st.integers(), NUMBERS), max_size=2),
    "dict[str, float]": st.dictionaries(st.sampled_from("abc"), NUMBERS),
    "dict[str, tuple[float, ...]]": st.dictionaries(st.sampled_from("abc"), st.tuples(NUMBERS)),
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("kind", VALUES)
def test_the_constructor_stores_what_the_tests_declare(kind: str) -> None:
    source = copy_source(parse_type(kind), "given", static=True)

    @given(VALUES[kind])
    def agree(value: Any) -> None:
        stored = eval(source, {"given": value})
        assert repr(stored) == repr(stored_value(parse_type(kind), value))
        assert (
            hash(stored) == hash(eval(source, {"given": stored}))
            if not isinstance(value, dict)
            else hash(stored)
        )

    agree()


PARTS = st.none() | st.integers(-3, 3)
SLICES = st.builds(slice, PARTS, PARTS, PARTS.filter(lambda one: one != 0))
SLICED: dict[str, st.SearchStrategy[Any]] = {
    "slice": SLICES,
    "slice | None": SLICES | st.none(),
    "tuple[slice, ...]": st.lists(SLICES, max_size=3).map(tuple),
    "tuple[slice, int]": st.tuples(SLICES, st.integers()),
    "list[slice]": st.lists(SLICES, max_size=3).map(tuple),
    "tuple[tuple[slice, ...], ...]": st.lists(st.tuples(SLICES), max_size=2).map(tuple),
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("kind", SLICED)
def test_the_body_reads_a_slice_as_it_was_given(kind: str) -> None:
    role = {"role": "static"} if "None" in kind else {}
    spec = read_spec({"name": "A", "fields": {"kept": {"type": kind, **role}}}, "spec")
    store, read = copy_source(spec.static[0].type, "given", static=True), as_given(spec, "self.kept")

    @given(SLICED[kind])
    def agree(value: Any) -> None:
        stored = eval(store, {"given": value})
        hash(stored)
        assert eval(read, {"self": types.SimpleNamespace(kept=stored)}) == value

    agree()
    assert as_given(spec, "self.kept is None") == "self.kept is None"


@pytest.mark.parametrize(
    ("token", "default"),
    [
        ("dtype=jnp.bfloat16", "jnp.bfloat16"),
        ("slice=slice(1, 2)", "slice(1, 2)"),
        ("frozenset[str]={'a'}", "frozenset({'a'})"),
        ("pkg.modes:Mode@static=Mode.FAST", "Mode.FAST"),
        ("float@static=1", "1.0"),
    ],
)
def test_a_token_gives_a_default(token: str, default: str) -> None:
    spec = read_spec({"name": "A", "fields": {"w": "f[n]=ones", "value": parse_field_text(token)}}, "spec")
    field = spec.field("value")
    assert field is not None and (field.role, field.default) == ("static", default)
    ast.parse(default)


@pytest.mark.parametrize("name", ["bfloat16", "bf16", "float32", "f32", "int8", "i8", "bool"])
def test_a_dtype_is_written_by_any_of_its_names(name: str) -> None:
    spec = read_spec({"name": "A", "fields": {"value": {"type": "dtype", "default": name}}}, "spec")
    default = spec.fields[0].default or ""
    assert np.dtype(eval(default, {"jnp": jnp})).name in (
        name,
        *{"bf16": "bfloat16", "f32": "float32", "i8": "int8"}.values(),
    )


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ({"type": "frozenset[slice]"}, "`frozenset[slice]` holds what has no hash"),
        ({"type": "frozenset[f[n]]"}, "`frozenset[f[n]]` holds what has no hash"),
        ({"type": "set[int]"}, "`set[int]` is not a type"),
        ({"type": "slice", "default": 3}, "3 is not a slice"),
        ({"type": "dtype", "default": 3}, "3 is not a dtype"),
        ({"type": "frozenset[str]", "default": [1]}, "(1,) is not a frozenset of the declared type"),
        ({"type": "Affine", "role": "static"}, "role `static` does not go with type `Affine`"),
        ({"type": "slice", "role": "buffer"}, "role `buffer` does not go with type `slice`"),
    ],
)
def test_what_is_wrong_is_told(table: dict[str, Any], what: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec({"name": "Other", "fields": {"value": table}}, "spec")
    assert what in [fault.what for fault in caught.value.faults]


def test_the_example_is_read() -> None:
    assert load_spec(EXAMPLES / "specs/smooth.toml").field("kept") is not None
