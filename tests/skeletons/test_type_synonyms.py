"""Types as people write them in Python, NumPy and jaxtyping: taken for what they say, or answered with the right form."""

import pytest

from scaffold.errors import ScaffoldError
from scaffold.spec.grammar.dtypes import DTYPES
from scaffold.spec.grammar.type_parser import LEGAL_TYPES, parse_type
from scaffold.spec.grammar.type_texts import type_text
from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.reading.read import read_spec

TAKEN = {
    "float32[n]": "f32[n]",
    "f32[n]": "f32[n]",
    "float[n]": "f[n]",
    "float64[]": "f64[]",
    "bfloat16[2*n]": "bf16[2*n]",
    'Float[Array, "n"]': "f[n]",
    'Float[Array, " n"]': "f[n]",
    'Float32[Array, "n m"]': "f32[n,m]",
    'jaxtyping.Float[jax.Array, "*batch 4 n+1"]': "f[*batch,4,n+1]",
    'Float[Array, "rows=4"]': "f[4]",
    'Float[np.ndarray, "n"]': "f[n]",
    'Int[Array, "n"]': "i[n]",
    "int[n,m]": "i[n,m]",
    'Complex[Array, ""]': "c[]",
    "complex[n]": "c[n]",
    'Bool[Array, ""]': "bool[]",
    'Key[Array, ""]': "key[]",
    "PRNGKeyArray": "key[]",
    "Optional[int]": "int | None",
    "int | None": "int | None",
    "typing.Optional[f[n]]": "f[n] | None",
    "Union[int, str, None]": "int | str | None",
    "Callable[[int], int]": "callable",
    "typing.Callable[..., int]": "callable",
    "Callable": "callable",
    "PyTree": "tree",
    'PyTree[Float[Array, "..."]]': "tree",
    "Tuple[int, ...]": "tuple[int, ...]",
    "List[f[n]]": "list[f[n]]",
    "Sequence[int]": "list[int]",
    'Dict[str, Float[Array, "n"]]': "dict[str, f[n]]",
    '"Affine"': "Affine",
}
ANSWERED = {
    "f[out,in]": "`f[out,in]` is not a type: `in` is a keyword of Python | rename it, to `in_size` for example",
    'Float[Array, "out in"]': '`in` is a keyword of Python (in `Float[Array, "out in"]`) | rename it, to `in_size` for example',
    'UInt[Array, "n"]': '`UInt` does not say which dtype (in `UInt[Array, "n"]`) | write `u32[n]`, or another dtype',
    'Int[Array, "..."]': 'the dim `...` names no size (in `Int[Array, "..."]`) | write `*shape`',
    'Float[Array, "..."]': 'the dim `...` names no size (in `Float[Array, "..."]`) | write `*shape`',
    'Float[Array, "_ n"]': 'the dim `_` names no size (in `Float[Array, "_ n"]`) | write `size`, with a name for each dim',
    'Float[Array, "#n"]': 'the dim `#n` names no size (in `Float[Array, "#n"]`) | write `n`, with a name for each dim',
    'Float[Array, "n,m"]': '`n,m` is not one dim (in `Float[Array, "n,m"]`) | write spaces between dims: `n m`',
    'Float[Array, "n]"]': '`n]` is not a dim (in `Float[Array, "n]"]`) | write a name or an int',
    "Float[Array]": "`Float[Array]` is not a type | write `f[]`",
    "Float32[n]": "`Float32[n]` is not a type | write `f32[n]`",
    "Float": "`Float` has no dims | write `f[]` for a scalar array, `f[size]` for one with dims",
    "F32[n]": "`F32[n]` is not a type | write `f32[n]`",
    "uint[n,m]": "`uint[n, m]` is not a type | write `u32[n,m]`",
    "double[n]": "`double[n]` is not a type | write `f64[n]`",
    "float32": "`float32` has no dims | write `f32[]` for a scalar array, `f32[size]` for one with dims",
    "complex": "`complex` has no dims | write `c[]` for a scalar array, `c[size]` for one with dims",
    "Array": "`Array` does not say enough | write its dtype and dims: `f[size]`, or `f[]` for a scalar",
    "jax.Array": "`Array` does not say enough (in `jax.Array`) | write its dtype and dims: `f[size]`, or `f[]` for a scalar",
    "jnp.ndarray": "`ndarray` does not say enough (in `jnp.ndarray`) | write its dtype and dims: `f[size]`, or `f[]` for a scalar",
    "list[np.ndarray]": "`ndarray` does not say enough (in `list[np.ndarray]`) | write its dtype and dims: `f[size]`, or `f[]` for a scalar",
    "Array[n]": "`Array[n]` is not a type | write `f[n]`",
    'f["n m"]': "`f['n m']` is not a type (in `f[\"n m\"]`) | write `f[n,m]`",
    "f(n, m)": "`f(n, m)` is not a type | write `f[n,m]`",
    "set[int]": "`set[int]` is not a type | write `frozenset[int]`: a set can be changed",
    "Any": "`Any` does not say enough | write the type, or `tree` for any pytree of arrays",
    "Annotated[int, 3]": "`Annotated[int, 3]` is not a type | write `int` alone",
    "eqx.nn.Linear": "`eqx.nn.Linear` is not a type | write `eqx.nn:Linear`",
    "Optional": "`Optional` does not say enough | write `TYPE | None`, such as `int | None`",
    "'f['": "`f[` is not a type (in `'f['`) | ",
    "number": "`number` does not say enough | write `f[]`, or `int`",
}


def answer(text: str) -> str:
    """What the reader says of the type, and the fix."""
    with pytest.raises(ScaffoldError) as caught:
        read_spec({"name": "Affine", "fields": {"w": {"type": text}}}, "spec")
    (fault,) = caught.value.faults
    assert (fault.where, fault.legal) == ("spec: fields.w.type", LEGAL_TYPES)
    return f"{fault.what} | {fault.fix}"


@pytest.mark.parametrize(("text", "meant"), TAKEN.items(), ids=list(TAKEN))
def test_a_synonym_is_taken_for_what_it_says(text: str, meant: str) -> None:
    assert type_text(parse_type(text)) == meant


@pytest.mark.parametrize(("text", "told"), ANSWERED.items(), ids=list(ANSWERED))
def test_what_says_too_little_is_answered_with_the_right_form(text: str, told: str) -> None:
    assert answer(text).startswith(told)


@pytest.mark.parametrize("short", DTYPES)
def test_every_dtype_is_known_by_its_long_name_and_its_annotation(short: str) -> None:
    annotation, name = DTYPES[short]
    assert parse_type(f'{annotation}[Array, "n"]') == ArrayType(short, ("n",))
    assert parse_type(f"{name}[n]") == ArrayType("f" if short == "inexact" else short, ("n",))


@pytest.mark.parametrize("text", [*ANSWERED, "lst[int]", "flaot", "dict[int, int]", "f[n/2]", "strng"])
def test_no_answer_leads_in_a_circle(text: str) -> None:
    """What is named in a fix as a whole type is one."""
    fix = answer(text).rpartition(" | ")[2]
    for named in fix.split("`")[1::2]:
        if "[" in named and "TYPE" not in named and "..." not in named.replace(", ...", ""):
            parse_type(named)
        assert named != text
