"""Inputs that nobody should get far with: a row is what is typed, which files lie there, and a part of what is told."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from scaffold.spec.keys import CALL_KEYS, FIELD_KEYS, SPEC_KEYS, TEST_KEYS

GOOD = 'name = "Affine"\n[fields]\nw = "f[n]=zeros"\n'
CALL = '[call]\nargs = "x: f[n]"\nbody = "return self.w + x"\n'
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


def names() -> Iterator[Bad]:
    """Names of classes, fields, arguments and dims."""
    words = (
        "",
        " ",
        "affine",
        "3D",
        "A-B",
        "A.B",
        "A B",
        "../A",
        "/A",
        "A\n",
        "Ä",
        "\U0001d538",
        "A" * 81,
        "A" * 100_000,
    )
    words += (
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
    words += (
        "Exception",
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
    for number, word in enumerate(words):
        yield Bad(f"class-{number}", ("--", word, "w:f[n]"))
    fields = (
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
        "items",
        "keys",
        "jnp",
        "jax",
    )
    fields += (
        "int",
        "len",
        "create",
        "trainable",
        "key",
        "dtype",
        "a" * 81,
        "a" * 100_000,
        "ä",
        "a\x1b[0m",
        "a\x7f",
        "a\u2028b",
        "λ",
    )
    for number, word in enumerate(fields):
        yield Bad(f"field-{number}", ("Affine", f"{word}:f[n]"))
        if word.strip():
            yield Bad(
                f"argument-{number}",
                ("Affine", "w:f[m]", "--call", f"{word}*: f[m]", "--body", "return self.w"),
            )
            yield Bad(f"dim-{number}", ("Affine", f"w:f[{word},3,,]"))


def types() -> Iterator[Bad]:
    """Types that are none."""
    words = (
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
    words += (
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
    words += (
        "g[n]",
        "f8[n]",
        "int[n]",
        "float",
        "str[3]",
        "list",
        "dict",
        "tuple",
        "list[]",
        "list[int,int]",
        "dict[int,int]",
    )
    words += (
        "dict[str]",
        "tuple[...]",
        "tuple[int,...,int]",
        "Literal[]",
        "Literal[None]",
        "Literal[f]",
        "Literal[1.5]",
        "None",
    )
    words += (
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
    words += (
        "set[int]",
        "frozenset[int]",
        "bytes",
        "complex",
        "complex[n]",
        "Optional",
        "Union",
        "Int[Array, 'n']",
        "Float[Array, '...']",
    )
    words += (
        "Float[Array, '_']",
        "Float[Array, '#n']",
        "Float[Array, 'n,m']",
        "Float[Array, 3]",
        "Float[Array]",
        "Float",
        "Num[Array,'n']",
    )
    words += (
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
    words += (
        "(" * 5000,
        "[" * 5000,
        "list[" * 3000,
        "f[" + "-" * 3000 + "n]",
        "f[" + "+".join("n" * 3000) + "]",
        "f[" + "9" * 5000 + "]",
    )
    words += (
        "list[" * 90 + "zz" + "]" * 90,
        "f[n]\x00",
        "f[ñ]",
        "\U0001d487[n]",
        "f[n\u2212 1]",
        "Affine",
        "affine",
        "__import__('os')",
    )
    for number, word in enumerate(words):
        yield Bad(f"type-{number}", ("Affine", f"w:{word}"), told="w")
    yield from (
        Bad(
            f"type-in-file-{n}",
            ("--spec", SPEC),
            {SPEC: f"name = 'Affine'\n[fields]\nw = {{ type = {word!r} }}\n"},
            "w",
        )
        for n, word in enumerate(words[:40])
        if word.isascii() and "'" not in word
    )
    yield from (
        Bad(
            f"type-of-argument-{n}",
            ("Affine", "w:f[n]", "--call", f"x: {word}", "--body", "return self.w"),
            told="--call",
        )
        for n, word in enumerate(words[1:60])
        if word not in ("float", "int | f[n]")  # which an argument may be
    )


def options() -> Iterator[Bad]:
    """Options of the command."""
    base = ("Affine", "w:f[n]=zeros")
    rows = (
        ("--kind", "modul"), ("--kind", ""), ("--kind", "MODULE"), ("--kind", "x" * 100_000), ("--kind", "\x1b[2J"),
        ("--constructor", "x"), ("--rebuild", "bypas"), ("--rebuild", "flag"), ("--layout", "deep"), ("--save=pickle",), ("--save=",),
        ("--backend", "gpu"), ("--backend", "CUDA"), ("--backend", ""), ("--lower-for", "gpu"), ("--lower-for", "x,y"),
        ("--size", "n"), ("--size", "n="), ("--size", "=3"), ("--size", "n=0"), ("--size", "n=-1"), ("--size", "n=x"), ("--size", "n=1.5"),
        ("--size", "m=3"), ("--size", "n=" + "9" * 5000), ("--size", "n=999999999"), ("--size", "n=2,3"), ("--size", "n=3", "--size", "n=4"),
        ("--option", "ema=0.9"), ("--option", "ema"), ("--option", "=1"), ("--option", "a=1\nb=2"), ("--option", "a=" + "[" * 50_000),
        ("--option", "a=" + "9" * 5000), ("--group", "a"), ("--group", "a="), ("--group", "a=b"), ("--group", "a=w,w"), 
        ("--group", "a b=w"), ("--group", "a=w.x"), ("--preset", "w.a=1"), ("--preset", "a=1"), ("--preset", "x.a=1"), ("--preset", "w.a="),
        ("--preset", "w.a=x"), ("--preset", "w.a=[["), ("--carry", "x"), ("--call", "x"), ("--call", "x: f[n]"), ("--call", "->"),
        ("--call", "x: f[n] -> f[m]", "--body", "return x"), ("--call", "x: f[n], x: f[n]", "--body", "return x"),
        ("--call", "*xs: f[n]", "--body", "return xs"), ("--call", "x: f[n] = ", "--body", "return x"), ("--call", "*", "--body", "return 3"),
        ("--call", "x: f[n], *", "--body", "return x"), ("--call", "x: f[n] = 1, y: f[n]", "--body", "return x"),
        ("--call", "x" * 100_000, "--body", "return x"), ("--call", "x: f[n]", "--body", "return x", "--carry", "y"), ("--body", ""),
        ("--unknown",), ("--kind",), ("--option", "x=1", "--kind", "train-state"), ("--kind", "train-state"), ("--kind", "closure"),
        ("--kind", "train-state", "--option", 'ema="x"'), ("--kind", "train-state", "--option", "ema=2"),
        ("--kind", "train-state", "--option", "ema=nan"), ("--kind", "train-state", "--option", "key=3"),
    )  # fmt: skip
    yield from typed("option", *(((*base, *row), "") for row in rows))


def bodies() -> Iterator[Bad]:
    """Bodies of a call, and expressions."""
    words = (
        "",
        "return",
        "retrun x",
        "return x +",
        "return (x",
        "x",
        "yield x",
        "return zz",
        "return self.zz",
        "return self.__dict__",
    )
    words += (
        "self.w = x\nreturn x",
        "global x\nreturn x",
        "del self.w\nreturn x",
        "setattr(self, 'w', x)\nreturn x",
        "  return x\n x",
    )
    words += (
        "return " + "(" * 5000,
        "return " + "-" * 5000 + "x",
        "return " + "+".join("x" * 5000),
        "return x\x00",
        "return x\x1b[31m",
    )
    words += (
        "\treturn x\n        return x",
        "return 0777",
        "return x\\",
        "'''",
        "return f'{",
        "def f(:\n",
        "class A",
        "async def f(): await x",
    )
    words += (
        "return " + "9" * 5000,
        "return self",
        "#",
        "pass",
        "..." * 2,
        "break",
        "return await x",
        "import os",
        "return x if",
        "a" * 200_000,
    )
    call = ("--call", "x: f[n]", "--body")
    yield from typed(
        "body", *((("Affine", "w:f[n]=zeros", *call, word), "") for word in words if word != "return self")
    )
    sources = (word.removeprefix("return ") for word in words)
    wanted = [
        one
        for one in sources
        if one.strip() and one not in ("x", "...", "pass", "self") and not one.isalpha()
    ]
    yield from typed("init", *((("Affine", f"w:f[n]=={word}"), "") for word in wanted))
    yield from filed(
        "check",
        *(
            (f"name = 'Affine'\n[fields]\nw = {{ type = 'f[n]', check = {word!r} }}\n", SPEC)
            for word in wanted
            if word.isascii() and word.isprintable() and "'" not in word and "\\" not in word
        ),
    )


def toml_files() -> Iterator[Bad]:
    """Files that are no TOML, or no spec."""
    yield from filed(
        "toml",
        (b"", f"{SPEC}:1:1: `fields` is missing"), (b"\xff\xfe", "is not UTF-8 (byte 0)"), (b'name = "\xff"', "is not UTF-8 (byte 8)"),
        ("x", f"{SPEC}:1:2: is not TOML"), ("x =", f"{SPEC}:1:4: is not TOML"), ("[", "is not TOML"), ("[fields", "is not TOML"),
        ("name = 'A'\nname = 'B'\n", f"{SPEC}:2:11: is not TOML"), ("x = [", "is not TOML"), ("x = " + "[" * 50_000, "nested too deeply"),
        ("x = " + "{a=" * 50_000, "is not TOML"), ("x = " + "9" * 50_000, "too many digits"), ("\x00", "is not TOML"), ("x = '\x00'", "is not TOML"),
        ("x = '\x1b[31m'", "is not TOML"), ('x = "\\ud800"', "is not TOML"), ("\n\n  [fields]\nw = 3\n", f"{SPEC}:4:1: fields.w: 3 is not a table"),
        ("[fields]\n[fields]\n", "is not TOML"), (GOOD + "w.type = 3\n", "is not TOML"), (GOOD + "[call]\n", f"{SPEC}:4:1: call: `body` is missing"),
        (GOOD + "[cal]\n", f"{SPEC}:4:1: unknown key `cal`"), ("feilds = 3\n" + GOOD, f"{SPEC}:1:1: unknown key `feilds`"),
        ("name = 'Affine'\n[fields]\n", f"{SPEC}:2:1: fields: there is no field"), ("name = 'Affine'\nfields = 3\n", f"{SPEC}:2:1: fields: 3 is not a table"),
        ("name = 'Affine'\n[fields.w]\ntype = 'f[n]'\ninit = 'zeross'\n", f"{SPEC}:4:1: fields.w.init: there is no initialiser `zeross`"),
        ("name = 'Affine'\n[fields]\nw = { type = 'f[n]', init = 'zeross' }\n", f"{SPEC}:3:22: fields.w.init: there is no"),
        ("name = 'Affine'\nfields.w.type = 'g[n]'\n", f"{SPEC}:2:1: fields.w.type: `g[n]` is not a type"),
        ("name = 'Affine'\nfields.\"a.b\" = 'f[n]'\n", f"{SPEC}:2:1: fields.a.b: `a.b` is not a name"),
        (GOOD + "[[test.rejected]]\n[[test.rejected]]\nq = 3\n", "test.rejected"), (GOOD + "[test]\nsizes = { n = 0 }\n", f"{SPEC}:5:11: test.sizes.n"),
        (GOOD + "[test]\nsizes = { n = 1000000000 }\n", "the arrays of the tests are too large"),
        ("name = 'Affine'\n[fields]\nw = 'f[1000000000]'\n", f"{SPEC}:3:1: fields.w.type: the arrays of the tests are too large"),
        (GOOD + "[test]\nvalues = { q = 3 }\n", f"{SPEC}:5:12: test.values.q"), (GOOD + "[test]\nskip = 'p8'\n", f"{SPEC}:5:1: test.skip"),
        (GOOD + "a = { type = 'f[]', x." + "a." * 20 + "b = 3 }\n", "nested too deeply"), ("".join(f"k{i} = 3\n" for i in range(3000)), "unknown key"),
        ("name = 'Affine'\n[fields]\n" + "".join(f"f{i} = 'g[n]'\n" for i in range(3000)), "faults more"),
        ("name = 'Affine'\nbases = ['Affine']\n[fields]\nw = 'f[n]'\n", f"{SPEC}:2:1: bases"),
        ("name = 'Affine'\nbases = ['Nowhere']\n[fields]\nw = 'f[n]'\n", "there is no class `Nowhere`"),
        ("name = 'Affine'\n[fields]\nw = 'Nowhere'\n", "Nowhere"), ("name = 'Affine'\n[fields]\nw = 'Affine'\n", "`Affine` cannot hold itself"),
        ("imports = ['import']\n" + GOOD, f"{SPEC}:1:"), ("imports = ['import os, sys; x']\n" + GOOD, f"{SPEC}:1:"), ("arguments = ['*']\n" + GOOD, f"{SPEC}:1:1: arguments"),
        ("arguments = ['a', 'a']\n" + GOOD, f"{SPEC}:1:1: arguments"), ("setup = 'return 3'\n" + GOOD, f"{SPEC}:1:1: setup"),
        (GOOD + '[call]\nargs = "x: f[n]"\nbody = "return self.a"\n', f"{SPEC}:6:1: call.body: `self.a` is no field"),
    )  # fmt: skip


def forms() -> Iterator[Bad]:
    """Each key with a value of another form."""
    values = {
        "3": "3",
        "text": '"\\u00e4 \\u2028"',
        "true": "true",
        "array": "[[1], 2.5]",
        "table": "{ a = { b = [1] } }",
        "date": "1979-05-27",
        "nan": "nan",
    }
    legal = {
        "string": (),
        "boolean": ("true",),
        "table": ("table",),
        "value": ("3", "true", "nan", "array", "text"),
        "boolean or a format": ("true",),
    }
    tables = {"": SPEC_KEYS, "call": CALL_KEYS, "test": TEST_KEYS, "fields.w": FIELD_KEYS}
    for table, keys in tables.items():
        for key, one in keys.items():
            for name, value in values.items():
                free_text = name == "text" and one.form == "string" and key in ("doc",)
                if name not in legal.get(one.form, ()) and not free_text:
                    yield Bad(
                        f"form-{table or 'top'}-{key}-{name}",
                        ("--spec", SPEC),
                        {SPEC: _with(table, key, value)},
                        f"{SPEC}:",
                    )


def _with(table: str, key: str, value: str) -> str:
    """The good spec with this one value."""
    text = {"": "", "fields.w": '[fields.w]\ntype = "f[n]"\n', "call": CALL, "test": "[test]\n"}[table]
    lines = [line for line in text.split("\n") if line and not line.startswith(f"{key} =")]
    head = "" if key == "name" and not table else 'name = "Affine"\n'
    fields = "" if table == "fields.w" or (key == "fields" and not table) else '[fields]\nw = "f[n]=zeros"\n'
    here = f"{key} = {value}\n"
    if not table and key in ("call", "test", "groups", "options"):
        return head + here + fields
    return head + (here if not table else "") + fields + "\n".join(lines) + ("\n" + here if table else "")


def projects() -> Iterator[Bad]:
    """Settings that cannot be used."""
    tables = (
        "x = " + "[" * 50_000,
        "x = " + "9" * 50_000,
        "[",
        "[tool]\nscaffold = 3",
        "[tool.scaffold]\npackage = 3",
        "\x00",
    )
    tables += tuple(
        f"[tool.scaffold]\n{line}"
        for line in (
            "package = ''",
            "package = '../x'",
            "package = 'a b'",
            "package = 'class'",
            "tests = '/x'",
        )
    )
    tables += tuple(
        f"[tool.scaffold]\n{line}"
        for line in ("tests = '..'", "specs = 3", "specs = '/'", "backend = 'gpu'", "lower_for = 'cpu'")
    )
    tables += tuple(
        f"[tool.scaffold]\n{line}"
        for line in (
            "lower_for = ['x']",
            "save = 'npz'",
            "unknown = 1",
            "style = 'mine'",
            "save = 3",
            "backend = ''",
        )
    )
    for number, text in enumerate(tables):
        yield Bad(f"project-{number}", ("Affine", "w:f[n]"), {"pyproject.toml": text}, "pyproject.toml")
    for number, text in enumerate((b"\xff", b"name = '\xfe'")):
        yield Bad(
            f"project-bytes-{number}",
            ("Affine", "w:f[n]"),
            {"pyproject.toml": text},
            "pyproject.toml: is not UTF-8",
        )


def together() -> Iterator[Bad]:
    """Several specs that are bad only together."""
    pair = {
        "specs/a.toml": 'name = "One"\n[fields]\nb = "Two"\n',
        "specs/b.toml": 'name = "Two"\n[fields]\na = "One"\n',
    }
    bases = {
        name: f'name = "{one}"\nkind = "abstract"\nbases = ["{other}"]\n[fields]\nw = "int"\n'
        for name, one, other in (("specs/a.toml", "One", "Two"), ("specs/b.toml", "Two", "One"))
    }
    both = ("--spec", "specs/a.toml", "--spec", "specs/b.toml")
    yield Bad(
        "circle-of-fields",
        both,
        dict(pair),
        "specs/a.toml:3:1: fields.b: classes need each other in a circle: `One` -> `Two` -> `One`",
    )
    yield Bad(
        "circle-of-bases",
        both,
        dict(bases),
        "specs/a.toml:3:1: bases: classes need each other in a circle: `One` -> `Two` -> `One`",
    )
    yield Bad("no-file", ("--spec", "specs/none.toml"), told="cannot be read")
    yield Bad("a-folder", ("--spec", "specs"), {"specs/a.toml": GOOD}, "cannot be read")
    yield Bad("spec-and-name", ("--spec", SPEC, "Affine", "w:f[n]"), {SPEC: GOOD})
    yield Bad("spec-and-option", ("--spec", SPEC, "--kind", "pytree"), {SPEC: GOOD}, "says it again")
    yield Bad("nothing", (), told="there is no NAME")


ROWS = [*names(), *types(), *options(), *bodies(), *toml_files(), *forms(), *projects(), *together()]
