"""Specs that mix what is rarely mixed, through the command line: what is told, and what is emitted."""

import re
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import passed, run, scaffold
from tests.support.trees import read_tree, replace_in, write_tree

RUFF = '[tool.ruff.lint]\nignore = ["F722", "UP037"]\n'
CELL = """
name = "Cell"

[fields]
weight = { type = "f[size]", init = "ones" }
seen = { type = "i32[]", role = "state", init = "zeros" }

[call]
args = "x: f[size]"
returns = "f[size]"
body = \"\"\"
self.seen += 1
return self.weight * x
\"\"\"
"""
BASE = """
name = "Base"
kind = "abstract"

[call]
args = "x: f[size]"
returns = "f[size]"
body = "..."

[fields]
weight = "f[size]"
"""


def training(model: str, options: str = "state = true") -> str:
    """The spec of a train state."""
    return f'name = "TrainState"\nkind = "train-state"\nfields = {{ model = "{model}" }}\noptions = {{ {options} }}\n'


def generated(folder: Path, *texts: str) -> tuple[int, str, dict[str, str]]:
    """The exit code, the faults, and the files, of a run with these specs; what it writes is clean."""
    specs = {f"specs/{number}.toml": text for number, text in enumerate(texts)}
    before = read_tree(write_tree(folder, {"pyproject.toml": RUFF, **specs}))
    result = scaffold(folder, "new-module", "--spec", *sorted(specs))
    assert "Traceback" not in result.stderr
    if result.returncode:
        assert read_tree(folder) == before
    for command in (["ruff", "check", "-n", "."], ["ruff", "format", "-n", "--check", "."]):
        done = run(command, folder)
        assert done.returncode == 0, done.stdout
    files = {path: text for path, text in read_tree(folder).items() if path.endswith((".py", ".toml"))}
    faults = result.stderr if result.returncode else ""  # the next step goes there, too
    return result.returncode, faults, {path: text.decode() for path, text in files.items()}


def test_the_faults_of_several_specs_are_one_report(tmp_path: Path) -> None:
    bad = ('name = "One"\nfields = { w = "f[size]=one" }', 'name = "Two"\nfields = { v = "g[size]" }')
    code, told, _ = generated(tmp_path, *bad)
    assert code == 2
    assert "specs/0.toml:2:12: fields.w.init" in told and "specs/1.toml:2:12: fields.v.type" in told


def test_dims_alone_are_legal_sizes(tmp_path: Path) -> None:
    spec = 'name = "One"\nfields = { w = "f[size]=normal" }\ntest = { sizes = { width = 3 } }\n'
    code, told, _ = generated(tmp_path, spec)
    assert (code, "`width` is no dim\n  legal: size\n" in told) == (2, True)


@pytest.mark.parametrize("constructor", ["init", "factory"])
def test_an_expression_makes_the_constructor_take_what_it_needs(constructor: str, tmp_path: Path) -> None:
    """A float array takes `dtype`, though no expression names it, and a field may keep the key."""
    fields = '[fields]\na = { type = "f[]", init = "=1.0" }\nseed = { type = "key[]", init = "=key" }\n'
    code, told, files = generated(tmp_path, f'name = "One"\nconstructor = "{constructor}"\n{fields}')
    assert (code, told) == (0, "")
    assert "dtype: DTypeLike | None = None" in files["one.py"]
    assert "key: PRNGKeyArray" in files["one.py"] and "jnp.array(key)" in files["one.py"]


def test_modules_of_the_project_are_imported_as_its_own(tmp_path: Path) -> None:
    write_tree(tmp_path, {"lying.py": '"""By hand."""\n\n\nclass Kernel:\n    """One."""\n'})
    holder = 'name = "Holder"\nimports = ["from lying import Kernel"]\nfields = { w = "lying:Kernel" }\ntest = { values = { w = "=Kernel()" } }\n'
    code, told, files = generated(tmp_path, holder)
    assert (code, told) == (0, "")
    assert (
        "import equinox as eqx\n\nfrom filter_specs import trained_fields\nfrom lying import Kernel\n"
        in files["holder.py"]
    )


def test_a_tie_is_told_as_python_has_it(tmp_path: Path) -> None:
    layers = '{ type = "list[f[a,b]]" }'
    head = '{ type = "f[b,a]", role = "shared", of = "layers[0].T" }'
    _, _, files = generated(tmp_path, f'name = "Tied"\n[fields]\nlayers = {layers}\nhead = {head}\n')
    assert "Tied to `layers[0]`, which alone is stored" in files["tied.py"]


def test_a_base_without_state_is_told_to_take_it(tmp_path: Path) -> None:
    code, told, _ = generated(tmp_path, BASE, CELL.replace("\n[fields]", 'bases = ["Base"]\n[fields]'))
    assert code == 2
    assert "specs/1.toml:8:1: call: takes and returns a state, and that of `Base` does not" in told
    assert (
        'fix: write `args = "x: f[size], state: equinox.nn:State"` and `returns = "..., eqx.nn:State"`'
        in told
    )


def test_a_generated_model_with_state_is_made_with_it(tmp_path: Path) -> None:
    code, told, files = generated(tmp_path, CELL, training("Cell"))
    assert (code, told) == (0, "")
    assert '"state": eqx.nn.make_with_state(Cell.create)(size=2)[1]' in files["tests/test_train_state.py"]


@pytest.mark.parametrize(
    ("model", "options", "told"),
    [
        (CELL, "", "options.state: `Cell` has state, which the train state must hold\n  fix: write `[options]` and `state = true`"),
        (CELL.replace('"i32[]", role = "state"', '"i32[]"').replace("self.seen += 1", ""), "state = true", "options.state: `Cell` has no state\n  fix: remove it"),
    ],
)  # fmt: skip
def test_a_train_state_holds_the_state_of_its_model(
    model: str, options: str, told: str, tmp_path: Path
) -> None:
    code, faults, _ = generated(tmp_path, model, training("Cell", options))
    assert code == 2
    assert told in faults


def test_what_builds_an_abstract_field_is_said(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"specs/a.toml": BASE, "specs/b.toml": 'name = "Holder"\nfields = { part = "Base" }\n'}
    )
    told = scaffold(tmp_path, "new-module", "--spec", "specs/a.toml", "specs/b.toml")
    assert (
        told.returncode == 0
        and "Holder: not tested: the tests cannot build a `Base` for `part`" in told.stdout
    )
    fix = 'values = { part = "=Final(...)" }`, with a class that fulfils `Base`, and import it in `imports`'
    assert fix in told.stdout


def test_a_type_is_told_as_it_was_written(tmp_path: Path) -> None:
    fields = '[fields]\na = "list[]"\nb = "dict[int, eqx.nn:MLP]"\nc = "list[f[], f[n]]"\n'
    code, told, _ = generated(tmp_path, f'name = "One"\n{fields}')
    assert code == 2
    parts = ("`list[]` is not a type", "`dict[int, eqx.nn:MLP]` is not a type", "`list[f[], f[n]]` is not a type")  # fmt: skip
    assert all(part in told for part in parts)


def test_an_abstract_class_is_not_saved(tmp_path: Path) -> None:
    """Nor does the project's word reach it: its subclasses have the methods."""
    code, told, _ = generated(tmp_path, BASE.replace('kind = "abstract"', 'kind = "abstract"\nsave = true'))
    assert code == 2 and re.search(
        r"specs/0\.toml:\d+:1: save: a class of kind `abstract` has no `save`", told
    )
    write_tree(tmp_path, {"pyproject.toml": f"{RUFF}[tool.scaffold]\nsave = true\n", "specs/0.toml": BASE})
    assert scaffold(tmp_path, "new-module", "--spec", "specs/0.toml").returncode == 0
    assert "serialisation.py" not in read_tree(tmp_path)


TIED = """
name = "Tied"
layout = "nested"
save = true

[fields]
table = { type = "f[rows,size]", init = "normal" }
head = { type = "f[size,rows]", role = "shared", of = "table.T" }

[groups]
inner = ["table"]

[call]
args = "row: i32[]"
returns = "f[rows]"
body = "return self.table[row] @ self.head"
"""


@pytest.mark.slow  # tests/roles/test_shared.py ties in every run
def test_a_tied_array_may_lie_in_a_group(tmp_path: Path) -> None:
    code, told, files = generated(tmp_path, TIED)
    assert (code, told) == (0, "")
    assert '"head": "inner.table",' in files["tests/test_tied.py"]
    assert passed(forked_pytest(tmp_path, "-k", "tie or shared or p02")) >= 4


CLOSURE = """
name = "Loss"
kind = "closure"

[fields]
model = "eqx.nn:MLP"

[call]
args = "x: f[size]"
returns = "f[]"
body = "return jnp.sum(self.model(x) ** 2)"

[test]
sizes = { size = 2 }
values = { model = "=eqx.nn.MLP(2, 1, 3, 1, key=jax.random.key(seed))" }
"""


@pytest.mark.slow
def test_a_closure_may_capture_a_module_that_holds_functions(tmp_path: Path) -> None:
    assert generated(tmp_path, CLOSURE)[:2] == (0, "")
    assert passed(forked_pytest(tmp_path, "-k", "passes_through or eval_shape")) >= 5


PRESET = """
name = "Table"
kind = "pytree"
layout = "nested"

[fields]
table = { type = "dict[str, f[]]", role = "param", preset = { a = 42.0 } }
offsets = { type = "f[n]", init = "zeros" }

[groups]
core = { fields = ["table"], readable = true }
"""
NORM = """
name = "Normed"
kind = "nnx"

[fields]
norm = { type = "flax.nnx:LayerNorm", init = "=nnx.LayerNorm(size, rngs=rngs)" }
gain = { type = "f[size]", init = "normal" }
"""


def test_a_preset_entry_may_lie_in_a_group(tmp_path: Path) -> None:
    code, told, files = generated(tmp_path, PRESET)
    assert (code, told) == (0, "")
    assert 'Leaf("core.table.a", "param", (), value=42.0)' in files["tests/test_table.py"]
    assert passed(forked_pytest(tmp_path, "-k", "p01")) >= 5


def test_a_module_may_take_a_key_and_draw_nothing(tmp_path: Path) -> None:
    assert generated(tmp_path, NORM)[:2] == (0, "")
    assert passed(forked_pytest(tmp_path, "-k", "draws_from")) == 1
    module = tmp_path / "normed.py"
    assert "rngs.params()" in module.read_text()
    replace_in(module, "rngs.params()", "jax.random.key(0)")
    assert forked_pytest(tmp_path, "-k", "draws_from").returncode == 1


def test_a_gpu_is_no_tpu(tmp_path: Path) -> None:
    result = scaffold(tmp_path, "new-module", "One", "w:f[n]", "--backend", "gpu")
    assert (result.returncode, "write `cuda` for NVIDIA" in result.stderr) == (2, True)


LORA = """
name = "Corrected"

[fields]
base = "Dense"
up = { type = "f[out,rank]", init = "normal" }

[call]
args = "x: f[size]"
returns = "f[out]"
body = "return self.base(x) + jnp.sum(self.up, axis=1)"
"""
DENSE = """
name = "Dense"
kind = "KIND"

[fields]
weight = { type = "f[out,size]", init = "normal" }

[call]
args = "x: f[size]"
returns = "f[out]"
body = "return self.weight @ x"
"""


def test_a_dim_of_two_classes_has_one_size_in_the_tests(tmp_path: Path) -> None:
    code, told, files = generated(tmp_path, LORA, DENSE.replace("KIND", "module"))
    assert (code, told) == (0, "")
    test = files["tests/test_corrected.py"]
    built = re.search(r"Dense\.create\(out=(\d), size=(\d), key=", test)
    assert built is not None
    assert f'Leaf("up", "param", ({built[1]}, ' in test
    assert f"return (sample(seed, ({built[2]},)),)" in test


def test_an_nnx_module_is_held_by_another_alone(tmp_path: Path) -> None:
    code, told, _ = generated(tmp_path, LORA, DENSE.replace("KIND", "nnx"))
    assert code == 2
    assert "fields.base.type: `Dense` is an nnx.Module, and `Corrected` is none\n  fix: write both" in told


def test_a_field_may_have_the_name_of_the_new_instance(tmp_path: Path) -> None:
    tree = (
        'name = "Tree"\nkind = "pytree"\nrebuild = "factory"\nfields = { node = "f[]", use = "callable" }\n'
    )
    code, told, files = generated(tmp_path, tree)
    assert (code, told) == (0, "")
    assert "        instance = cls(" in files["tree.py"]
    assert "        instance._check()\n        return instance\n" in files["tree.py"]


FILTER = """
name = "Filter"
kind = "nnx"

[fields]
taps = { type = "dict[str, f32[n]]", role = "param", preset = { a = 0.5 } }
gains = { type = "list[i32[n]]", role = "buffer" }
drawn = { type = "f[n]", init = "normal" }
rate = { type = "float", role = "static" }
mean = { type = "f[n]", role = "state" }
last = { type = "f[n]", role = "state" }
seen = { type = "f[n]", role = "state" }

[call]
args = "x: f[n]"
returns = "f[n]"
body = \"\"\"
self.mean = self.rate * self.mean + x
self.seen += x
self.last = x
y = x - self.mean + self.last
return self.drawn * y + sum(self.taps.values()) + sum(self.gains)
\"\"\"
"""


def test_the_tests_of_an_nnx_module_declare_each_variable_and_what_shows(tmp_path: Path) -> None:
    code, told, files = generated(tmp_path, FILTER)
    assert (code, told) == (0, "")
    tests = files["tests/test_filter.py"]
    for row in (
        'Var("taps.a", nnx.Param, (3,), "float32", value=0.5)',
        'Var("gains.1", nnx.Variable, (3,), "int32")',
        'Var("drawn", nnx.Param, (3,), std=1.0)',
    ):
        assert row in tests, tests
    # `last` is assigned anew before it is read, and nothing but its update reads `seen`.
    assert '    used = ("rate", "mean")\n' in tests and "    takes_dtype = True\n" in tests
