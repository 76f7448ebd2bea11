"""The command line's short form: `NAME:TYPE[?FLAG][@ROLE][=INIT]`."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from scaffold.cli import main
from scaffold.errors import ScaffoldError
from scaffold.generate import plan_new
from scaffold.in_project.layout import find_layout
from scaffold.spec.command_line import call_from_text, parse_field_token, raw_spec
from scaffold.spec.reading.read import read_spec
from scaffold.spec.tables.key import ROLES
from scaffold.spec.tables.toml import write_toml
from tests.support.draws import share
from tests.support.trees import read_tree


@pytest.mark.parametrize(
    ("token", "table"),
    [
        ("w:f[n]", {"type": "f[n]"}),
        (" w : f[n, m] ", {"type": "f[n, m]"}),
        ("w:f[n]=zeros", {"type": "f[n]", "init": "zeros"}),
        ("w:f[n]?use_w=zeros", {"type": "f[n]", "optional": "use_w", "init": "zeros"}),
        ("w:f[n]@buffer", {"type": "f[n]", "role": "buffer"}),
        ("w:f[n]?use_w@buffer=ones", {"type": "f[n]", "optional": "use_w", "role": "buffer", "init": "ones"}),
        ("w:f[n]@buffer?use_w=ones", {"type": "f[n]", "optional": "use_w", "role": "buffer", "init": "ones"}),
        ("w:f[n]==jnp.ones(n)", {"type": "f[n]", "init": "=jnp.ones(n)"}),
        ("w:f[n]== a == b", {"type": "f[n]", "init": "=a == b"}),
        ("w:f[n]==f(a=1, b='=')", {"type": "f[n]", "init": "=f(a=1, b='=')"}),
        ("w:dict[str,f[a,b]]", {"type": "dict[str,f[a,b]]"}),
        ("w:pkg.mod:Class", {"type": "pkg.mod:Class"}),
        ("w:pkg.mod:Class==Class(key)", {"type": "pkg.mod:Class", "init": "=Class(key)"}),
        ("w:int=3", {"type": "int", "default": 3}),
        ("w:int | None=3", {"type": "int | None", "default": 3}),
        ("w:int | str=a", {"type": "int | str", "default": "a"}),
        ("w:callable | None=jax.nn.relu", {"type": "callable | None", "default": "=jax.nn.relu"}),
        ("w:f[n] | None=zeros", {"type": "f[n] | None", "init": "zeros"}),
        ("w:int=abc", {"type": "int", "default": "abc"}),
        ("w:int=None", {"type": "int", "default": "=None"}),
        ("w:int==3 + 4", {"type": "int", "init": "=3 + 4"}),
        ("w:int=\u22121", {"type": "int", "default": "\u22121"}),
        ("w:bool=true", {"type": "bool", "default": True}),
        ("w:float@static=1e-5", {"type": "float", "role": "static", "default": 1e-5}),
        ("w:float@static=-inf", {"type": "float", "role": "static", "default": float("-inf")}),
        ("w:str='a == b'", {"type": "str", "default": "a == b"}),
        ('w:str="it\'s = 1"', {"type": "str", "default": "it's = 1"}),
        ("w:str=two words", {"type": "str", "default": "two words"}),
        ("w:tuple[int, ...]=(1, 2)", {"type": "tuple[int, ...]", "default": [1, 2]}),
        ("w:tuple[int, ...]=(1, None)", {"type": "tuple[int, ...]", "default": "=(1, None)"}),
        ("w:Literal['a','b']='a'", {"type": "Literal['a','b']", "default": "a"}),
        ("w:callable=jnp.tanh", {"type": "callable", "default": "=jnp.tanh"}),
    ],
)
def test_tokens(token: str, table: dict[str, Any]) -> None:
    assert parse_field_token(token) == ("w", table)


def test_the_short_form_of_a_field_in_a_file_is_the_same() -> None:
    short = read_spec({"name": "A_", "fields": {"w": "f[n]?use_w@buffer=ones"}}, "spec")
    table = {"type": "f[n]", "optional": "use_w", "role": "buffer", "init": "ones"}
    assert short == read_spec({"name": "A_", "fields": {"w": table}}, "spec")


def options(**given: str) -> dict[str, str | None]:
    return dict(given)


def refusal(*tokens: str, name: str = "Affine", sizes: tuple[str, ...] = (), **given: str) -> list[str]:
    """The faults as `PLACE: WHAT`, of the tokens or of the spec that they make."""
    with pytest.raises(ScaffoldError) as caught:
        read_spec(raw_spec(name, tokens, options(**given), {"size": sizes}), "spec")
    return [f"{fault.where}: {fault.what} ({fault.fix})" for fault in caught.value.faults]


HELP = "write NAME:TYPE[?FLAG][@ROLE][=INIT], such as 'weight:f[out_size,in_size]=lecun_normal'"
SIZE_HELP = "write `--size in_size=3`, or `--size shape=2,3` for `*shape`"


@pytest.mark.parametrize(
    ("tokens", "sizes", "told"),
    [
        (["w"], [], [f"field `w`: a field is a name and a type ({HELP})"]),
        ([":f[n]"], [], [f"field `:f[n]`: a field is a name and a type ({HELP})"]),
        (["w:f[n]", "w:f[m]"], [], ["field `w:f[m]`: `w` is there already (give each field its own name)"]),
        (["w:f[n]"], ["n=x", "n"], [f"--size: `n=x` is not a size ({SIZE_HELP})", f"--size: `n` is not a size ({SIZE_HELP})"]),
        (["w:f[n]"], ["n=\u00b2"], [f"--size: `n=\u00b2` is not a size ({SIZE_HELP})"]),
        (["w:f[n]"], ["n=2", "n=3"], ["--size: `n` is there twice (remove one)"]),
        (["w:f[n]=a=b"], [], ["spec: fields.w.init: there is no initialiser `a=b` (write one of the legal names, or `=a=b...` for an expression)"]),
        (["w:f[n]="], [], ["spec: fields.w.init: is empty (write an initialiser, or remove it)"]),
        (["w:f[n]?a?b"], [], ["spec: fields.w.type: `f[n]?a` is not a type (write dims such as `f[4*hidden,in_size]`, with at most one `*shape`)"]),
        (["depth:int=abc", "w:f[n]"], [], ["spec: fields.depth.default: 'abc' is not an int (write an int, or `=` and an expression)"]),
        (["w:float@static=nan"], [], ["spec: fields.w.default: NaN differs from itself, so every use would compile anew (write a float, or `=` and an expression)"]),
        (["w:int=b'x'"], [], ["spec: fields.w.default: b'x' is not an int (write an int, or `=` and an expression)"]),
    ],
)  # fmt: skip
def test_tokens_that_are_wrong(tokens: list[str], sizes: list[str], told: list[str]) -> None:
    assert refusal(*tokens, sizes=tuple(sizes)) == told


def test_tokens_options_and_names_are_reported_together() -> None:
    told = refusal(
        "w",
        "v:f[n]=zeross",
        name="affine",
        sizes=("n",),
        kind="modul",
        call="x: f[n]",
        body="return w + self.w",
    )
    assert [one.split(" (")[0] for one in told] == [
        "--kind: `modul` is not legal",
        "--size: `n` is not a size",
        "field `v`: init: there is no initialiser `zeross`",
        "field `w`: a field is a name and a type",
    ]


@pytest.mark.parametrize(
    ("call", "body", "table"),
    [
        ("x:f[n] -> f[m]", "return x", {"args": "x:f[n]", "returns": "f[m]", "body": "return x"}),
        ("x:f[n]", None, {"args": "x:f[n]"}),
        (" -> f[]", "return 1", {"args": "", "returns": "f[]", "body": "return 1"}),
        (None, "return 1", {"body": "return 1"}),
        (None, None, {}),
    ],
)
def test_calls(call: str | None, body: str | None, table: dict[str, str]) -> None:
    assert call_from_text(call, body) == table


EXAMPLE = [
    "Affine",
    "weight:f[out_size,in_size]=lecun_normal",
    "bias:f[out_size]=zeros",
    "--call",
    "x:f[in_size] -> f[out_size]",
    "--body",
    "return self.weight @ x + self.bias",
]


def test_the_example_of_the_design_works_as_written(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    result = CliRunner().invoke(main, ["new-module", *EXAMPLE, "--folder", str(tmp_path)])
    assert (result.exit_code, result.exception) == (0, None), result.output
    text = (tmp_path / "specs" / "affine.toml").read_text()
    assert text.startswith("#:schema ./scaffold.schema.json\n")
    assert tomllib.loads(text) == {
        "name": "Affine",
        "fields": {
            "weight": {"type": "f[out_size,in_size]", "init": "lecun_normal"},
            "bias": {"type": "f[out_size]", "init": "zeros"},
        },
        "call": {
            "args": "x:f[in_size]",
            "returns": "f[out_size]",
            "body": "return self.weight @ x + self.bias",
        },
    }
    before = read_tree(tmp_path)
    again = CliRunner().invoke(
        main, ["new-module", "--spec", f"{tmp_path}/specs/affine.toml", "--folder", str(tmp_path)]
    )
    assert again.exit_code == 0, again.output
    assert read_tree(tmp_path) == before


def test_a_bad_token_exits_with_2_and_writes_nothing(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["new-module", "Affine", "w", "v:f[n]=zeross", "--folder", str(tmp_path)]
    )
    assert result.exit_code == 2
    assert result.stderr.count("error: ") == 2
    assert read_tree(tmp_path) == {}


# -- anything at all -----------------------------------------------------------------------------------------------------

TEXTS = st.text(max_size=20) | st.sampled_from(
    ["f[n]", "int", "zeros", "=n", "'a=b'", "x: f[n] -> f[n]", "return x", "-" * 99_999, "(" * 300, "9" * 5000, "\0", "\ud800"]
)  # fmt: skip
ONE = st.one_of(TEXTS, st.builds("{}:{}={}".format, TEXTS, TEXTS, TEXTS), st.builds("w:int={}".format, TEXTS))


@settings(max_examples=share(300), deadline=None)
@given(st.lists(ONE, max_size=3), st.lists(TEXTS, max_size=2), st.fixed_dictionaries({}, optional=dict.fromkeys(
    ("call", "body", "carry", "kind", "doc"), TEXTS)))  # fmt: skip
def test_no_text_on_the_command_line_crashes(tokens: list[str], sizes: list[str], given_: Any) -> None:
    try:
        read_spec(raw_spec("Affine", tuple(tokens), given_, {"size": tuple(sizes)}), "spec")
    except ScaffoldError as error:
        assert all(fault.what and fault.fix for fault in error.faults)


VALUES = {
    "int": st.integers(-9, 9).map(str),
    "bool": st.sampled_from(["True", "false"]),
    "str": st.text(st.characters(exclude_categories=["C", "Z"]), max_size=9).map(repr),
    "tuple[int, ...]": st.lists(st.integers(0, 9), min_size=2, max_size=3).map(lambda one: repr(tuple(one))),
    "callable": st.sampled_from(["jnp.tanh", "jax.nn.relu"]),
    "f[a,2*a]": st.sampled_from(["zeros", "normal", "=jnp.ones((a, 2 * a)) * (a == 2)"]),
    "dict[str,f[a,b]]": st.just(""),
}
TOKENS = st.sampled_from(sorted(VALUES)).flatmap(
    lambda kind: VALUES[kind].map(lambda value: f"w:{kind}" + (f"={value}" if value else ""))
)


@settings(max_examples=share(100), deadline=None)
@given(TOKENS, st.sampled_from(["", "?use_w"]), st.sampled_from(["", *ROLES]))
def test_the_file_says_what_the_token_said(token: str, flag: str, role: str) -> None:
    head, equals, value = token.partition("=")
    token = f"{head}{flag}{'@' + role if role else ''}{equals}{value}"
    raw = raw_spec("Affine", (token, "v:f[a]"), options(doc='A "doc" \\ '), {"size": ("a=3",)})
    text = write_toml(raw, "./scaffold.schema.json")
    assert tomllib.loads(text) == raw
    try:
        spec = read_spec(raw, "spec")
    except ScaffoldError:
        return
    assert read_spec(tomllib.loads(text), "spec") == spec


def test_the_same_tokens_plan_the_same_files(tmp_path: Path) -> None:
    raw = raw_spec("Affine", ("w:f[n]=zeros",), options(body="return self.w"), {})
    plans = [plan_new(raw, find_layout(tmp_path)).to_json() for _ in range(2)]
    assert plans[0] == plans[1]
