"""File names of classes; names that the author's own code binds, which are no imports of the emitted module."""

import re
from pathlib import Path

import pytest

from scaffold import find_layout
from scaffold.generate import module_files
from scaffold.spec import read_spec
from scaffold.spec.names import stem

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
    assert '"""**Arguments:**\n' in code and "Apply" not in code
    raw["call"] = {"args": "", "body": "return self.w"}
    files = module_files(read_spec(raw, "held.toml"), find_layout(tmp_path), {})
    [code] = [file.text for file in files if file.path.name == "lora_linear.py"]
    call = code[code.index("def __call__") :]
    assert '"""' not in call[: call.index("return")]
