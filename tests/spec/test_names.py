"""File names of classes; names that the author's own code binds, which are no imports of the emitted module."""

import re
from pathlib import Path

import pytest

from scaffold import ScaffoldError, find_layout, plan
from scaffold.generate import module_files
from scaffold.spec import read_spec
from scaffold.spec.names import stem
from tests.support.trees import write_tree

BODIES = {
    "a function": "def cast(y: Any) -> Any:\n    return 2 * y\nreturn cast(x) + self.w",
    "an argument": "return jax.tree.map(lambda cast: cast + self.w, x)",
    "a loop": "for cast in range(2):\n    x = x + self.w * cast\nreturn x",
    "a closure": "cast = self.w\ndef inner() -> Any:\n    return cast + x\nreturn inner()",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_name_that_the_body_binds_is_not_imported(body: str, tmp_path: Path) -> None:
    raw = {"name": "Held", "fields": {"w": "f[n]"}, "call": {"args": "x: f[n]", "body": body}}
    files = module_files(read_spec(raw, "held.toml"), find_layout(tmp_path), {})
    [code] = [file.text for file in files if file.path.name == "held.py"]
    assert not re.search(r"^from typing import .*\bcast\b", code, re.MULTILINE)


def test_one_that_it_only_reads_is(tmp_path: Path) -> None:
    body = "def inner(y: Any) -> Any:\n    return cast(Any, y)\nreturn inner(x) + self.w"
    raw = {"name": "Held", "fields": {"w": "f[n]"}, "call": {"args": "x: f[n]", "body": body}}
    files = module_files(read_spec(raw, "held.toml"), find_layout(tmp_path), {})
    [code] = [file.text for file in files if file.path.name == "held.py"]
    assert "from typing import Any, cast\n" in code


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("GRUCell", "gru_cell"),
        ("LoRALinear", "lora_linear"),
        ("ReLU", "relu"),
        ("MoE", "moe"),
        ("DiTBlock", "dit_block"),
        ("MyModel", "my_model"),
        ("SwiGLU", "swi_glu"),
        ("MyMLP", "my_mlp"),
        ("SO3", "so3"),
        ("SO3Group", "so3_group"),
        ("Conv2D", "conv2d"),
        ("Conv2DLayer", "conv2d_layer"),
        ("RBFKernel", "rbf_kernel"),
    ],
)
def test_acronyms_stay_together_in_the_file_name(name: str, file: str) -> None:
    assert stem(name) == file


def test_a_call_of_which_nothing_is_said_has_no_words_for_it(tmp_path: Path) -> None:
    raw = {
        "name": "LoRALinear",
        "fields": {"w": "f[n]"},
        "call": {"args": "x: f[n]", "body": "return x * self.w"},
    }
    files = module_files(read_spec(raw, "held.toml"), find_layout(tmp_path), {})
    [code] = [file.text for file in files if file.path.name == "lora_linear.py"]
    call = code[code.index("def __call__") :]
    assert '"""' not in call[: call.index("return")]


# The name of the file as the spec says it

LORA = {"name": "LowRank", "file": "lora", "fields": {"w": "f[n]=ones"}}
NET = {"name": "Net", "fields": {"inner": "LowRank"}, "test": {"values": {"inner": "=LowRank.create(3)"}}}


def test_module_tests_imports_and_registration_follow_the_name_of_the_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": '[project]\nname = "lib"\n', "lib/__init__.py": ""})
    layout = find_layout(tmp_path)
    specs = [read_spec(raw, f"specs/{raw['name']}.toml") for raw in (LORA, NET)]
    planned = {str(step.path): (step.after or b"").decode() for step in plan(specs, layout).steps}
    assert {"lib/lora.py", "tests/test_lora.py"} <= set(planned)
    assert not [path for path in planned if "low_rank" in path]
    assert "from lib.lora import LowRank\n" in planned["lib/net.py"]
    assert "from lib.lora import LowRank\n" in planned["tests/test_lora.py"]
    assert "from lib.lora import LowRank\n" in planned["tests/test_net.py"]
    assert "from .lora import LowRank as LowRank\n" in planned["lib/__init__.py"]


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("a/lora.py", "`a/lora.py` is no name of a module | write `lora`: letters, digits and `_`, without folder and ending"),
        ("", "`` is no name of a module | write `x`: letters, digits and `_`, without folder and ending"),
        ("__init__", "`__init__` is no name of a module | write `init`: letters, digits and `_`, without folder and ending"),
        ("class", "`class` is a keyword of Python | write `class_`, for example"),
        ("test_lora", "pytest takes `test_lora.py` for its own | write `lora`"),
        ("conftest", "pytest takes `conftest.py` for its own | write `trial`"),
        ("con", "`con.py` is no file on Windows | write `con_module`, for example"),
        ("l" * 81, "`llllllllllllllllllll...` has 81 letters | write at most 80"),
    ],
)  # fmt: skip
def test_what_no_file_can_be_called(file: str, told: str) -> None:
    with pytest.raises(ScaffoldError) as caught:
        read_spec({**LORA, "file": file}, "s")
    assert [f"{one.where} | {one.what} | {one.fix}" for one in caught.value.faults] == [f"s: file | {told}"]


def test_a_file_that_another_class_has_is_refused(tmp_path: Path) -> None:
    other = {"name": "Other", "file": "lora", "fields": {"v": "f[n]"}}
    specs = [read_spec(raw, f"specs/{raw['name']}.toml") for raw in (LORA, other)]
    with pytest.raises(ScaffoldError, match=r"lora\.py: is asked for twice"):
        plan(specs, find_layout(tmp_path))
    shared = read_spec({**LORA, "file": "serialisation"}, "s")
    with pytest.raises(ScaffoldError, match=r"`serialisation\.py` is where `save` and `load` do their work"):
        plan([shared], find_layout(tmp_path))
