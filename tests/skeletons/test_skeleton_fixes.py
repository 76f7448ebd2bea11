"""The fixes of faults in a skeleton: in Python, as the file is; those in TOML stay TOML."""

from pathlib import Path

import pytest

from scaffold import ScaffoldError, find_layout, plan
from scaffold.generate import load_specs
from scaffold.spec.files import read_spec_file
from scaffold.spec.grammar.type_parser import LEGAL_TYPES
from scaffold.spec.skeletons.fixes import in_python, legal_in_python
from tests.support.trees import write_tree

HEAD = """\
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, Pytree, param, static, test


"""


def fixes_of(name: str, text: str, tmp_path: Path) -> list[str]:
    (tmp_path / name).write_text(text)
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / name, name)
    return [fault.fix for fault in caught.value.faults]


UNTOLD = """\
class Both(Module):
    w: Float[Array, " n"] = param("zeros")
    v: Float[Array, " n"]
"""
UNTOLD_TOML = (
    'name = "Both"\n[fields]\nw = { type = "f[n]", role = "param", init = "zeros" }\nv = { type = "f[n]" }\n'
)


def test_a_fix_is_in_the_language_of_its_file(tmp_path: Path) -> None:
    said = "write `param(...)` if it is, `data(...)` if it is not"
    assert fixes_of("x.py", HEAD + UNTOLD, tmp_path) == [said]
    (fix,) = fixes_of("x.toml", UNTOLD_TOML, tmp_path)
    assert '`role = "param"`' in fix


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("class A(Module):\n    w: float\n", "a Python float is `static(...)` (one compilation a value)"),
        (
            'class A(Module, rebuild="flag"):\n    w: Float[Array, " n"] = param("zeros")\n',
            'remove it, or write `Pytree`',
        ),
        (
            'class A(Module):\n    w: Float[Array, " n"] = param(lambda tau: tau(3))\n',
            "or write `from ... import tau`",
        ),
        (
            'class A(Module):\n    w: Float[Array, " n"] = param(lambda tau: tau(3))\n',
            "assign it in `__init__`, take it as an argument of `__init__` or as a field, or",
        ),
    ],
)  # fmt: skip
def test_faults_of_a_skeleton_say_what_to_write_in_python(text: str, told: str, tmp_path: Path) -> None:
    fixes = fixes_of("x.py", HEAD + text, tmp_path)
    assert any(told in fix for fix in fixes), fixes


@pytest.mark.parametrize(
    ("toml", "python"),
    [
        ('v = { type = "f[n]", role = "data", ... }', 'v: Float[Array, " n"] = data(...)'),
        ('v = { type = "f[n]", role = "data", init = "ones", ... }', "v: Float[Array, \" n\"] = data('ones', ...)"),
        ('flag = { type = "bool", default = true }', "flag: bool = True"),
        ('type = "dict[str, f[n]]"', 'dict[str, Float[Array, " n"]]'),
        ('args = "x: f[n], *, key: key[]"', 'x: Float[Array, " n"], *, key: PRNGKeyArray'),
        ('returns = "f[n], f[]"', '-> tuple[Float[Array, " n"], Float[Array, ""]]'),
        ('returns = "..., eqx.nn:State"', "-> tuple[..., eqx.nn.State]"),
        ('imports = ["from ... import x"]', "from ... import x"),
        ("[test] sizes = { n = 3 }", '@test(sizes={"n": 3})'),
        ("[methods.forward]", "def forward"),
        ("[call]", "__call__"),
        ('body = "..."', "..."),
        ('init = "=jnp.ones(n)"', 'init="=jnp.ones(n)"'),
        ('role = "callable"', 'field(role="callable", ...)'),
        ("frozen = true", "frozen=True"),
        ("f[]", 'Float[Array, ""]'),
        ("i32[n]", 'Int32[Array, " n"]'),
        ("y: f[size]", 'y: Float[Array, " size"]'),
        ("x[n]", "x[n]"),
        ("self.mean = ...", "self.mean = ..."),
        ("y = x + 1", "y = x + 1"),
        ("n = 3", "n = 3"),
    ],
)  # fmt: skip
def test_pieces_of_toml_become_python(toml: str, python: str) -> None:
    assert in_python(f"write `{toml}`, or not", "fields.w") == f"write `{python}`, or not"


def test_a_size_is_an_entry_of_the_sizes() -> None:
    assert in_python("write `n = 3`", "test.sizes.n") == 'write `"n": 3`'


def test_legal_values_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(HEAD + "class A(Module):\n    w: set[int]\n    v: str = static(3)\n")
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / "x.py", "x.py")
    assert [one.fix for one in caught.value.faults] == [
        "write `static(...)` for what is part of the treedef, `param(...)` for arrays that are trained, "
        "`data(...)` for others, `module(...)` for sub-modules",
        "write a str, or an expression without quotes",
    ]
    assert in_python("write an int, or `=` and an expression", "test.values.n") == (
        "write an int, or a `lambda` of an expression"
    )
    assert legal_in_python(("abstract", "module")) == ("Abstract", "Module")
    assert legal_in_python(("param", "module")) == ("param", "module")
    (tmp_path / "x.toml").write_text('name = "A"\n[fields]\nw = "set[int]"\n')
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / "x.toml", "x.toml")
    assert caught.value.faults[0].legal == LEGAL_TYPES


MISSPELT = """\
from jaxtyping import Array, Float
from scaffold.skeleton import Module, {words}


class Net(Module):
    weight: {word}[Array, "out in_"] = param("lecun_normal")
    rate: {number} = static(1.0)

    def __call__(self, x: Float[Array, " in_"]) -> Float[Array, " out"]:
        return self.rate * (self.weight @ x)
"""


@pytest.mark.parametrize(
    ("words", "word", "number", "fixes"),
    [
        ("param, static", "Float", "float", []),
        ("parm, statick", "Flaot", "float", ["did you mean `param`?", "did you mean `static`?"]),
        ("param, static, buffr", "Float", "float", ["did you mean `buffer`?"]),
        ("param, static", "Flaot", "flaot", ["did you mean `Float`?", "did you mean `float`?"]),
        (
            "param",
            "Float",
            "int = statc(1)\n    rest: float",
            ["did you mean `static`?", "write `from scaffold.skeleton import static`"],
        ),
    ],
)
def test_a_misspelt_word_is_told_and_nothing_that_follows_from_it(
    words: str, word: str, number: str, fixes: list[str], tmp_path: Path
) -> None:
    text = MISSPELT.format(words=words, word=word, number=number)
    if not fixes:
        (tmp_path / "net.py").write_text(text)
        assert read_spec_file(tmp_path / "net.py", "net.py")
        return
    assert fixes_of("net.py", text, tmp_path) == fixes


def test_a_misspelt_local_name_is_told_with_the_names_beside_it(tmp_path: Path) -> None:
    body = "logits = self.rate * (self.weight @ x)\n        return jnp.exp(logit)"
    text = MISSPELT.format(words="param, static", word="Float", number="float")
    text = text.replace("return self.rate * (self.weight @ x)", body)
    (tmp_path / "net.py").write_text(f"import jax.numpy as jnp\n{text}")
    with pytest.raises(ScaffoldError) as raised:
        read_spec_file(tmp_path / "net.py", "net.py")
    [fault] = raised.value.faults
    assert "the name `logit` is not known here" in fault.what and fault.fix == "did you mean `logits`?"
    assert "logits" in fault.legal


def test_a_misspelt_special_method_is_told(tmp_path: Path) -> None:
    text = MISSPELT.format(words="param, static", word="Float", number="float").replace("__call__", "__cal__")
    write_tree(tmp_path, {".git/": "", "net.py": text})
    made = plan(load_specs([tmp_path / "net.py"]), find_layout(tmp_path))
    [told] = [note for note in made.notes if "not tried" in note]
    assert told.endswith("__cal__ (Python calls no such method: did you mean `__call__`?)")


def test_a_misspelt_base_and_a_misspelt_self_say_what_is_meant(tmp_path: Path) -> None:
    text = MISSPELT.format(words="param, static", word="Float", number="float")
    write_tree(tmp_path, {".git/": "", "base.py": text.replace("(Module)", "(Modul)")})
    with pytest.raises(ScaffoldError) as raised:
        plan(load_specs([tmp_path / "base.py"]), find_layout(tmp_path))
    [fault] = raised.value.faults
    assert fault.fix.startswith("did you mean `Module`? If not, generate `Modul` first")
    assert fault.line == text.partition("(Module)")[0].count("\n") + 1
    assert "name the first argument of the method `self`" in fixes_of(
        "own.py", text.replace("(self, x", "(sef, x"), tmp_path
    )
