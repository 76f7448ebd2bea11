"""Tables to a spec: what is read, and that nothing but a `ScaffoldError` comes of anything else."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaffold.errors import ScaffoldError
from scaffold.generate import load_spec, plan_modules, plan_new
from scaffold.in_project.layout import Layout, find_layout
from scaffold.spec.construction.sizes import sizes
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.key import ROLES
from scaffold.spec.tables.keys import CALL_KEYS, FIELD_KEYS, KINDS, REBUILDS, SPEC_KEYS, TEST_KEYS
from tests.support.draws import share
from tests.support.projects import EXAMPLES
from tests.support.trees import read_tree

AFFINE = {
    "name": "Affine",
    "fields": {"weight": {"type": "f[out_size,in_size]", "init": "lecun_normal"}},
    "call": {"args": "x: f[in_size]", "returns": "f[out_size]", "body": "return self.weight @ x"},
}


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / "pyproject.toml").write_text("")
    return find_layout(tmp_path)


def faults(raw: Any) -> list[str]:
    """Place and text of every fault; empty for a good spec."""
    try:
        read_spec(raw, "spec")
    except ScaffoldError as error:
        return [f"{fault.where.removeprefix('spec: ')}: {fault.what}" for fault in error.faults]
    return []


@pytest.mark.parametrize("path", sorted((EXAMPLES / "specs").glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_read(path: Path) -> None:
    assert load_spec(path).fields


def test_the_report_holds_every_fault_with_place_legal_values_and_fix() -> None:
    raw = {
        "name": "affine",
        "kind": "modul",
        "fields": {
            "weight": {"type": "f[out_size,in_size]", "init": "lecun_norml"},
            "bias": {"type": "f[out_size]", "init": "=jnp.zeros("},
            "items": {"type": "f[]"},
            "depth": {"type": "int", "default": "two"},
            "rate": {"type": "float"},
        },
        "call": {"args": "x: f[in_size], y", "returns": "f[out]", "body": "return self.weigth @ z"},
        "tests": {},
    }
    with pytest.raises(ScaffoldError) as caught:
        read_spec(raw, "specs/affine.toml")
    assert caught.value.exit_code == 2
    report = str(caught.value)
    assert [line for line in report.split("\n") if not line.startswith("  ")] == [
        "specs/affine.toml: unknown key `tests`",
        "specs/affine.toml: call.args: `y` has no type",
        "specs/affine.toml: call.body: `self.weigth` is no field",
        "specs/affine.toml: call.body: the name `z` is not known here",
        "specs/affine.toml: fields.bias.init: not Python: '(' was never closed (line 1)",
        "specs/affine.toml: fields.depth.default: 'two' is not an int",
        "specs/affine.toml: fields.items.role: nothing says whether it is trained (other parts of the class are)",
        "specs/affine.toml: fields.rate: a bare float has no role",
        "specs/affine.toml: fields.weight.init: there is no initialiser `lecun_norml`",
        "specs/affine.toml: kind: `modul` is not legal",
    ]
    for fix in (
        "did you mean `lecun_normal`?",
        "did you mean `module`?",
        "did you mean `weight`?",
    ):
        assert f"  fix: {fix}" in report
    assert f"  legal: {', '.join(KINDS)}\n" in report
    assert report.count("\n  fix: ") == len(caught.value.faults)


BROKEN: dict[str, dict[str, Any]] = {
    "a field": {"fields": {"w": {"type": "f["}, "v": {"type": "f[n]"}}, "body": "return self.w + self.v"},
    "an init": {
        "fields": {"w": {"type": "f[n]", "init": "=make(depth"}},
        "arguments": ["depth", "n"],
        "body": "return self.w",
    },
    "an argument": {
        "fields": {"w": {"type": "f[n]", "init": "=jnp.ones(depth)"}},
        "arguments": ["depth: imt"],
        "body": "return self.w",
    },
    "the setup": {
        "fields": {"w": {"type": "f[n]", "init": "=rows * 2"}},
        "setup": "rows = (n",
        "body": "return self.w",
    },
    "an import": {
        "fields": {"w": {"type": "f[n]"}},
        "imports": ["import optax as"],
        "body": "return optax.x(self.w)",
    },
}


@pytest.mark.parametrize("broken", BROKEN)
def test_one_fault_brings_no_other(broken: str) -> None:
    parts = dict(BROKEN[broken])
    raw = {"name": "Affine", "call": {"body": parts.pop("body")}, **parts}
    found = faults(raw)
    assert len(found) == 1, found
    both = faults({**raw, "doc": 3, "call": {**raw["call"], "args": "x"}})
    assert len(both) == 3, both


# -- sizes of dims in the tests ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dims", "test", "expected"),
    [
        ("a,b,c", {}, {"a": 2, "b": 3, "c": 5}),
        ("a,b", {"sizes": {"a": 3}}, {"a": 3, "b": 2}),
        ("n-5", {}, {"n": 7}),
        ("a-b,b", {}, {"a": 3, "b": 2}),
        ("n//4", {}, {"n": 5}),
        ("n", {"sizes": {"n": 40}}, {"n": 40}),
    ],
)
def test_sizes_are_distinct_primes_with_which_no_dim_is_empty(
    dims: str, test: Any, expected: dict[str, int]
) -> None:
    spec = read_spec({"name": "Sized", "fields": {"w": {"type": f"f[{dims}]"}}, "test": test}, "spec")
    assert sizes(spec) == expected


def test_an_order_has_three_elements_at_least() -> None:
    order = {"type": "i32[n]", "role": "buffer", "init": "zeros"}
    fields = {"w": {"type": "f[m]"}, "order": order}
    assert sizes(read_spec({"name": "Sized", "fields": {"order": order}}, "spec")) == {"n": 3}
    assert sizes(read_spec({"name": "Sized", "fields": fields}, "spec")) == {"m": 2, "n": 3}
    assert sizes(read_spec({"name": "Sized", "fields": dict(reversed(fields.items()))}, "spec")) == {
        "n": 3,
        "m": 2,
    }


def test_a_value_of_an_int_is_its_size() -> None:
    raw = {"name": "Sized", "fields": {"w": {"type": "f[n]", "init": "zeros"}}, "test": {"values": {"n": 4}}}
    assert sizes(read_spec(raw, "spec")) == {"n": 4}


# -- anything at all -----------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        *(
            *SPEC_KEYS,
            *FIELD_KEYS,
            *CALL_KEYS,
            *TEST_KEYS,
            *KINDS,
            *ROLES,
            *REBUILDS,
            "Affine",
            "weight",
            "w",
            "n",
        ),
        *(
            "f[n]",
            "f[*s]",
            "f[n-5]",
            "int",
            "float",
            "tree",
            "dict[str, f[]]",
            "list[f[n]]",
            "callable",
            "Other",
        ),
        *(
            "zeros",
            "normal",
            "=n",
            "=key",
            "=None",
            "=",
            "x: f[n]",
            "n: int = 3",
            "*",
            "return self.w",
            "x = (",
        ),
        *(
            "a:B",
            "key",
            "a.b",
            "a-b",
            "a\nb",
            "a\0b",
            "ä",
            "",
            "__x",
            "None",
            "\ud800",
            "import os",
            "../x",
            "{{ x }}",
        ),
        "return x\n\treturn y",
    ]
)
SCALARS = (
    WORDS
    | st.text(max_size=12)
    | st.integers()
    | st.floats()
    | st.booleans()
    | st.none()
    | st.dates()
    | st.just(10**100)
    | st.binary(max_size=3)
)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.integers(), inner, max_size=4),
    max_leaves=12,
)


def _loose(keys: Any, **known: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Tables with the right keys and, now and then, values of the right form."""
    return st.fixed_dictionaries({}, optional={name: known.get(name, ANY) | ANY for name in keys})


FIELDS = st.dictionaries(
    WORDS, _loose(FIELD_KEYS, type=WORDS, role=st.sampled_from(ROLES)) | WORDS, max_size=4
)
LOOSE = _loose(
    SPEC_KEYS,
    name=st.just("Affine"),
    kind=st.sampled_from(KINDS),
    fields=FIELDS,
    arguments=st.lists(WORDS, max_size=3),
    call=_loose(CALL_KEYS, args=WORDS, body=WORDS, returns=WORDS),
    test=_loose(TEST_KEYS, sizes=st.dictionaries(WORDS, st.integers(1, 9) | ANY, max_size=2)),
)
anything = settings(max_examples=share(150), deadline=None, suppress_health_check=list(HealthCheck))


@anything
@given(ANY.filter(lambda value: isinstance(value, dict)) | LOOSE)
def test_no_tables_crash_the_reader(raw: dict[Any, Any]) -> None:
    for fault in _refused(raw):
        assert fault.what and fault.fix and fault.where.startswith("spec")


def _refused(raw: dict[Any, Any]) -> Any:
    try:
        read_spec(raw, "spec")
    except ScaffoldError as error:
        return error.faults
    return ()


SOUND = {"name": "Affine", "fields": {"w": {"type": "f[n]", "init": "zeros"}}}


@settings(max_examples=share(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.fixed_dictionaries(
        {"type": WORDS}, optional={name: WORDS | st.integers(-2, 9) for name in FIELD_KEYS if name != "type"}
    ),
    st.dictionaries(st.sampled_from(["n", "v", "x", "key"]), WORDS | st.integers(-1, 9), max_size=2),
    st.sampled_from(["module", "pytree"]),
)
def test_what_is_read_can_be_planned(
    tmp_path_factory: pytest.TempPathFactory, field: Any, values: Any, kind: str
) -> None:
    """What passes the rules comes out as code that parses; a refusal is of the kind that only a project shows."""
    root = tmp_path_factory.getbasetemp() / "planned"
    root.mkdir(exist_ok=True)
    (root / "pyproject.toml").touch()
    raw = {**SOUND, "kind": kind, "fields": {**SOUND["fields"], "v": field}, "test": {"values": values}}
    if _refused(raw):
        return
    try:
        plan_new(raw, find_layout(root))
    except ScaffoldError as error:
        told = [fault.what for fault in error.faults]
        assert all("there is no class" in one or "the tests cannot build" in one for one in told), told


def test_a_refused_spec_writes_nothing(layout: Layout) -> None:
    before = read_tree(layout.root)
    with pytest.raises(ScaffoldError):
        plan_new({**AFFINE, "name": "../Evil"}, layout)
    plan_modules([read_spec(AFFINE, "spec")], layout)  # a plan is not carried out
    assert read_tree(layout.root) == before


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_endings_do_not_matter(newline: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "specs" / "leaky_cell.toml").read_text()
    path = tmp_path / "spec.toml"
    path.write_bytes(text.replace("\n", newline).encode())
    assert load_spec(path, where="spec") == read_spec(tomllib.loads(text), "spec")
    raw = {**AFFINE, "call": {**AFFINE["call"], "body": f"y = self.weight @ x{newline}return y{newline}"}}
    assert read_spec(raw, "spec").call.body == "y = self.weight @ x\nreturn y"  # pyright: ignore


def test_create_hands_the_sizes_of_preset_arrays_over() -> None:
    from scaffold.emit.constructor.construct import hand_over

    table = {"type": "dict[str, f[rows]]", "role": "param", "preset": {"a": 1.0}}
    raw = {"name": "Table", "kind": "pytree", "rebuild": "flag", "fields": {"t": table, "w": "f[]=zeros"}}
    assert ("rows", "rows") in hand_over(read_spec(raw, "spec")).values
