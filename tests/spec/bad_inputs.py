"""Inputs that nobody should get far with: a row is what is typed, which files lie there, and a part of what is told."""

from collections.abc import Iterator
from dataclasses import dataclass, field

SPEC = "specs/affine.toml"


@dataclass(frozen=True)
class Bad:
    """One bad input: arguments behind `new-module`, files, and a text that the report holds."""

    name: str
    arguments: tuple[str, ...]
    files: dict[str, str | bytes] = field(default_factory=dict[str, str | bytes])
    told: str = ""


def typed(family: str, *rows: tuple[tuple[str, ...], str]) -> Iterator[Bad]:
    for number, (arguments, told) in enumerate(rows):
        yield Bad(f"{family}-{number}", arguments, told=told)


def filed(family: str, *rows: tuple[str | bytes, str]) -> Iterator[Bad]:
    for number, (text, told) in enumerate(rows):
        yield Bad(f"{family}-{number}", ("--spec", SPEC), {SPEC: text}, told)


CLASS_WORDS = (
    "",
    " ",
    "3D",
    "A-B",
    "A.B",
    "A B",
    "../A",
    "/A",
    "A\n",
    "\U0001d538",
    "A" * 81,
    "A" * 100_000,
)
CLASS_WORDS += (
    "None",
    "True",
    "Int\t",
    "TestA",
    "Test",
    "Con",
    "Nul",
    "Float",
    "Array",
    "Any",
    "_",
    "__A",
    "A\x00",
    "A\x1b[31m",
)
CLASS_WORDS += (
    "A;rm -rf",
    "$(id)",
    "`id`",
    "A'",
    'A"',
    "-",
    "A\u202eB",
    "A\ud800",
    "class",
    "self",
    "cls",
)
FIELD_WORDS = (
    "",
    " ",
    "a b",
    "a.b",
    "a-b",
    "3",
    "class",
    "in",
    "None",
    "self",
    "cls",
    "_",
    "__a",
    "jnp",
    "jax",
)
FIELD_WORDS += (
    "int",
    "len",
    "create",
    "trainable",
    "a" * 81,
    "a" * 100_000,
    "a\x1b[0m",
    "a\x7f",
    "a\u2028b",
)


def names() -> Iterator[Bad]:
    """Names of classes, fields, arguments and dims."""
    for number, word in enumerate(CLASS_WORDS):
        yield Bad(f"class-{number}", ("--", word, "w:f[n]"))
    for number, word in enumerate(FIELD_WORDS):
        yield Bad(f"field-{number}", ("Affine", f"{word}:f[n]"))
        if word.strip():
            yield Bad(
                f"argument-{number}",
                ("Affine", "w:f[m]", "--call", f"{word}*: f[m]", "--body", "return self.w"),
            )
            yield Bad(f"dim-{number}", ("Affine", f"w:f[{word},3,,]"))


TYPE_WORDS = (
    "",
    "f",
    "f[",
    "f]",
    "f[[n]]",
    "f[n",
    "f(n)",
    "f[0]",
    "f[-1]",
    "f[2.5]",
    "f[n/2]",
    "f[n**2]",
    "f[n if n else 3]",
)
TYPE_WORDS += (
    "f[...]",
    "f[:]",
    "f[None]",
    "f[*a,*b]",
    "f[n;m]",
    "f[n m]",
    "f[in]",
    "f[n.m]",
    "f[n()]",
    "f['n']",
    "f[" + "n," * 5000,
)
TYPE_WORDS += (
    "g[n]",
    "f8[n]",
    "uint[n]",
    "float",
    "str[3]",
    "list",
    "dict",
    "tuple",
    "list[]",
    "list[int,int]",
    "dict[int,int]",
)
TYPE_WORDS += (
    "dict[str]",
    "tuple[...]",
    "tuple[int,...,int]",
    "Literal[]",
    "Literal[None]",
    "Literal[f]",
    "Literal[1.5]",
    "None",
)
TYPE_WORDS += (
    "None | None",
    "int | f[n]",
    "int | ",
    "| int",
    "Any",
    "Array",
    "jax.Array",
    "jnp.ndarray",
    "np.ndarray",
    "object",
)
TYPE_WORDS += (
    "set[int]",
    "frozenset[f[n]]",
    "bytes",
    "complex",
    "long[n]",
    "Optional",
    "Union",
    "UInt[Array, 'n']",
    "Float[Array, '...']",
)
TYPE_WORDS += (
    "Float[Array, '_']",
    "Float[Array, '#n']",
    "Float[Array, 'n,m']",
    "Float[Array, 3]",
    "Float[Array]",
    "Float",
    "Num[Array,'n']",
)
TYPE_WORDS += (
    "pkg..mod:Class",
    ":Class",
    "pkg:",
    "1pkg:Class",
    "in:Class",
    "eqx.nn.Linear",
    "lambda: 3",
    "f'n'",
    "b'n'",
    "3",
    "...",
    "*f",
)
TYPE_WORDS += (
    "(" * 5000,
    "[" * 5000,
    "list[" * 3000,
    "f[" + "-" * 3000 + "n]",
    "f[" + "+".join("n" * 3000) + "]",
    "f[" + "9" * 5000 + "]",
)
TYPE_WORDS += (
    "list[" * 90 + "zz" + "]" * 90,
    "f[n]\x00",
    "f[ñ]",
    "\U0001d487[n]",
    "f[n\u2212 1]",
    "Affine",
    "affine",
    "__import__('os')",
)


def types() -> Iterator[Bad]:
    """Types that are none."""
    for number, word in enumerate(TYPE_WORDS):
        yield Bad(f"type-{number}", ("Affine", f"w:{word}"), told="w")
    yield from (
        Bad(
            f"type-in-file-{n}",
            ("--spec", SPEC),
            {SPEC: f"name = 'Affine'\n[fields]\nw = {{ type = {word!r} }}\n"},
            "w",
        )
        for n, word in enumerate(TYPE_WORDS[:40])
        if word.isascii() and "'" not in word
    )
    yield from (
        Bad(
            f"type-of-argument-{n}",
            ("Affine", "w:f[n]", "--call", f"x: {word}", "--body", "return self.w"),
            told="--call",
        )
        for n, word in enumerate(TYPE_WORDS[1:60])
        if word not in ("float", "int | f[n]")  # which an argument may be
    )


OPTIONS_ROWS = (
    ("--kind", "modul"), ("--kind", ""), ("--kind", "MODULE"), ("--kind", "x" * 100_000), ("--kind", "\x1b[2J"),
    ("--constructor", "x"), ("--rebuild", "bypas"), ("--rebuild", "flag"), ("--layout", "deep"), ("--save=pickle",), ("--save=",),
    ("--backend", "gpu"), ("--backend", "CUDA"), ("--backend", ""), ("--lower-for", "gpu"), ("--lower-for", "x,y"),
    ("--size", "n"), ("--size", "n="), ("--size", "=3"), ("--size", "n=0"), ("--size", "n=-1"), ("--size", "n=x"), ("--size", "n=1.5"),
    ("--size", "m=3"), ("--size", "n=" + "9" * 5000), ("--size", "n=999999999"), ("--size", "n=2,3"), ("--size", "n=3", "--size", "n=4"),
    ("--option", "ema=0.9"), ("--option", "ema"), ("--option", "=1"), ("--option", "a=1\nb=2"), ("--option", "a=" + "[" * 50_000),
    ("--option", "a=" + "9" * 5000), ("--group", "a"), ("--group", "a="), ("--group", "a=b"), ("--group", "a=w,w"), 
    ("--group", "a b=w"), ("--group", "a=w.x"), ("--preset", "w.a=1"), ("--preset", "a=1"), ("--preset", "x.a=1"), ("--preset", "w.a="),
    ("--preset", "w.a=x"), ("--preset", "w.a=[["), ("--carry", "x"), ("--call", "x"), ("--call", "x: f[n]"), ("--call", "->"),
    ("--call", "x: f[n] -> f[", "--body", "return x"), ("--call", "x: f[n], x: f[n]", "--body", "return x"),
    ("--call", "*xs: f[n]", "--body", "return xs"), ("--call", "x: f[n] = ", "--body", "return x"), ("--call", "*", "--body", "return 3"),
    ("--call", "x: f[n], *", "--body", "return x"), ("--call", "x: f[n] = 1, y: f[n]", "--body", "return x"),
    ("--call", "x" * 100_000, "--body", "return x"), ("--call", "x: f[n]", "--body", "return x", "--carry", "y"), ("--body", ""),
    ("--unknown",), ("--kind",), ("--option", "x=1", "--kind", "train-state"), ("--kind", "train-state"), ("--kind", "closure"),
    ("--kind", "train-state", "--option", 'ema="x"'), ("--kind", "train-state", "--option", "ema=2"),
    ("--kind", "train-state", "--option", "ema=nan"), ("--kind", "train-state", "--option", "key=3"),
)  # fmt: skip


def options() -> Iterator[Bad]:
    """Options of the command."""
    base = ("Affine", "w:f[n]=zeros")
    yield from typed("option", *(((*base, *row), "") for row in OPTIONS_ROWS))


TYPED = [*names(), *types(), *options()]
