"""Files that nobody should get far with: no TOML, no spec, no setting, or Python that is none."""

from collections.abc import Iterator

from scaffold.spec.tables.keys import CALL_KEYS, FIELD_KEYS, SPEC_KEYS, TEST_KEYS
from tests.spec.bad_inputs import SPEC, Bad, filed, typed

GOOD = 'name = "Affine"\n[fields]\nw = "f[n]=zeros"\n'
CALL = '[call]\nargs = "x: f[n]"\nbody = "return self.w + x"\n'


TOML_FILES_ROWS = (
    (b"", f"{SPEC}:1:1: `name` is missing"),
    (b"\xff\xfe", "is not UTF-8 (byte 0)"),
    (b'name = "\xff"', "is not UTF-8 (byte 8)"),
    ("x", f"{SPEC}:1:2: is not TOML"),
    ("x =", f"{SPEC}:1:4: is not TOML"),
    ("[", "is not TOML"),
    ("[fields", "is not TOML"),
    ("name = 'A'\nname = 'B'\n", f"{SPEC}:2:11: is not TOML"),
    ("x = [", "is not TOML"),
    ("x = " + "[" * 50_000, "nested too deeply"),
    ("x = " + "{a=" * 50_000, "is not TOML"),
    ("x = " + "9" * 50_000, "too many digits"),
    ("\x00", "is not TOML"),
    ("x = '\x00'", "is not TOML"),
    ("x = '\x1b[31m'", "is not TOML"),
    ('x = "\\ud800"', "is not TOML"),
    ("\n\n  [fields]\nw = 3\n", f"{SPEC}:4:1: fields.w: 3 is not a table"),
    ("[fields]\n[fields]\n", "is not TOML"),
    (GOOD + "w.type = 3\n", "is not TOML"),
    (GOOD + "[call]\n", f"{SPEC}:4:1: call: `body` is missing"),
    (GOOD + "[cal]\n", f"{SPEC}:4:1: unknown key `cal`"),
    ("feilds = 3\n" + GOOD, f"{SPEC}:1:1: unknown key `feilds`"),
    ("name = 'Affine'\nfields = 3\n", f"{SPEC}:2:1: fields: 3 is not a table"),
    (
        "name = 'Affine'\n[fields.w]\ntype = 'f[n]'\ninit = 'zeross'\n",
        f"{SPEC}:4:1: fields.w.init: there is no initialiser `zeross`",
    ),
    (
        "name = 'Affine'\n[fields]\nw = { type = 'f[n]', init = 'zeross' }\n",
        f"{SPEC}:3:22: fields.w.init: there is no",
    ),
    ("name = 'Affine'\nfields.w.type = 'g[n]'\n", f"{SPEC}:2:1: fields.w.type: `g[n]` is not a type"),
    ("name = 'Affine'\nfields.\"a.b\" = 'f[n]'\n", f"{SPEC}:2:1: fields.a.b: `a.b` is not a name"),
    (GOOD + "[[test.rejected]]\n[[test.rejected]]\nq = 3\n", "test.rejected"),
    (GOOD + "[test]\nsizes = { n = 0 }\n", f"{SPEC}:5:11: test.sizes.n"),
    (GOOD + "[test]\nsizes = { n = 1000000000 }\n", "the arrays of the tests are too large"),
    (
        "name = 'Affine'\n[fields]\nw = 'f[1000000000]'\n",
        f"{SPEC}:3:1: fields.w.type: the arrays of the tests are too large",
    ),
    (GOOD + "[test]\nvalues = { q = 3 }\n", f"{SPEC}:5:12: test.values.q"),
    (GOOD + "[test]\nskip = 'p8'\n", f"{SPEC}:5:1: test.skip"),
    (GOOD + "a = { type = 'f[]', x." + "a." * 20 + "b = 3 }\n", "nested too deeply"),
    ("".join(f"k{i} = 3\n" for i in range(3000)), "unknown key"),
    ("name = 'Affine'\n[fields]\n" + "".join(f"f{i} = 'g[n]'\n" for i in range(3000)), ", and 2979 more\n"),
    ("name = 'Affine'\nbases = ['Affine']\n[fields]\nw = 'f[n]'\n", f"{SPEC}:2:1: bases"),
    ("name = 'Affine'\nbases = ['Nowhere']\n[fields]\nw = 'f[n]'\n", "there is no class `Nowhere`"),
    ("name = 'Affine'\n[fields]\nw = 'Nowhere'\n", "Nowhere"),
    ("name = 'Affine'\n[fields]\nw = 'Affine'\n", "`Affine` cannot hold itself"),
    ("imports = ['import']\n" + GOOD, f"{SPEC}:1:"),
    ("imports = ['import os, sys; x']\n" + GOOD, f"{SPEC}:1:"),
    ("arguments = ['*']\n" + GOOD, f"{SPEC}:1:1: arguments"),
    ("arguments = ['a', 'a']\n" + GOOD, f"{SPEC}:1:1: arguments"),
    ("setup = 'return 3'\n" + GOOD, f"{SPEC}:1:1: setup"),
    (
        GOOD + '[call]\nargs = "x: f[n]"\nbody = "return self.a"\n',
        f"{SPEC}:6:1: call.body: `self.a` is no field",
    ),
)


def toml_files() -> Iterator[Bad]:
    """Files that are no TOML, or no spec."""
    yield from filed("toml", *TOML_FILES_ROWS)


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
        "boolean or a name": ("true",),
        "number or a table": ("3",),
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


SETTINGS = (
    "x = " + "[" * 50_000,
    "x = " + "9" * 50_000,
    "[",
    "[tool]\nscaffold = 3",
    "[tool.scaffold]\npackage = 3",
    "\x00",
)
SETTINGS += tuple(
    f"[tool.scaffold]\n{line}"
    for line in (
        "package = ''",
        "package = '../x'",
        "package = 'a b'",
        "package = 'class'",
        "tests = '/x'",
    )
)
SETTINGS += tuple(
    f"[tool.scaffold]\n{line}"
    for line in ("tests = '..'", "specs = 3", "specs = '/'", "backend = 'gpu'", "lower_for = 'cpu'")
)
SETTINGS += tuple(
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


def projects() -> Iterator[Bad]:
    """Settings that cannot be used."""
    for number, text in enumerate(SETTINGS):
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


BODY_WORDS = (
    "",
    "return",
    "retrun x",
    "return x +",
    "return (x",
    "x",
    "return zz",
    "return self.zz",
)
BODY_WORDS += (
    "self.w = x\nreturn x",
    "global x\nreturn x",
    "del self.w\nreturn x",
    "setattr(self, 'w', x)\nreturn x",
    "  return x\n x",
)
BODY_WORDS += (
    "return " + "(" * 5000,
    "return " + "-" * 5000 + "x",
    "return " + "+".join("x" * 5000),
    "return x\x00",
    "return x\x1b[31m",
)
BODY_WORDS += (
    "\treturn x\n        return x",
    "return 0777",
    "return x\\",
    "'''",
    "return f'{",
    "def f(:\n",
    "class A",
    "async def f(): await x",
)
BODY_WORDS += (
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


def bodies() -> Iterator[Bad]:
    """Bodies of a call, and expressions."""
    call = ("--call", "x: f[n]", "--body")
    yield from typed(
        "body",
        *((("Affine", "w:f[n]=zeros", *call, word), "") for word in BODY_WORDS if word != "return self"),
    )
    sources = (word.removeprefix("return ") for word in BODY_WORDS)
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


FILED = [
    Bad(
        "derived-by-a-broken-name",
        ("--spec", SPEC),
        {SPEC: GOOD + "d = { type = 'f[n]', role = 'derived', init = '" + "(" * 400 + "' }\n"},
        f"{SPEC}:4:40: fields.d.init",
    ),
    *toml_files(),
    *forms(),
    *projects(),
    *together(),
    *bodies(),
]
