"""A skeleton that is alone in its file: its docstring, what its signatures import, and expressions for types that are kept."""

import tomllib
from pathlib import Path

from scaffold.convert.write_skeleton import write_skeleton
from scaffold.spec.reading.read import read_spec
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.toml import write_toml
from tests.ordinary.kept.test_carried import emitted

ALONE = '''\
"""What the module is about.

In two paragraphs, with "quotes".
"""

from typing import Self

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num

from scaffold.skeleton import Module, data, param


class Alone(Module):
    weight: Float[Array, " n"] = param("zeros")
    noise: Num[Array, " m"] = data("=0.5 * jax.random.normal(key, (3,))")
    rate: jax.Array = data("=0.7")

    def pick(self, *index: int) -> Self:
        return type(self)(self.weight[jnp.array(index)], self.noise, self.rate)
'''


def test_the_docstring_of_a_module_with_one_class_is_kept_in_both_forms(tmp_path: Path) -> None:
    assert emitted(ALONE, tmp_path).startswith(ALONE[: ALONE.index("from typing")])
    (skeleton,) = skeletons_of(ALONE, "x.py")
    spec = read_spec(skeleton.tables, "x")
    assert read_spec(tomllib.loads(write_toml(skeleton.tables, "")), "x").module_doc == spec.module_doc
    assert write_skeleton([(skeleton.tables, spec)]).startswith(ALONE[: ALONE.index("from typing")])


def test_what_stands_above_all_of_a_file_is_kept_in_both_forms(tmp_path: Path) -> None:
    licence = "# Copyright of the author.\n#\n# All of it may be used.\n\n"
    text = licence + ALONE
    assert emitted(text, tmp_path).startswith(text[: text.index("from typing")])
    (skeleton,) = skeletons_of(text, "x.py")
    spec = read_spec(skeleton.tables, "x")
    assert (
        read_spec(tomllib.loads(write_toml(skeleton.tables, "")), "x").module_comment == spec.module_comment
    )
    assert write_skeleton([(skeleton.tables, spec)]).startswith(text[: text.index("from typing")])
    classes = "".join(
        f"\n\nclass {name}(Module):\n    weight: jax.Array = param()\n" for name in ("First", "Second")
    )
    several = text[: text.index("\n\nclass Alone")] + classes
    assert emitted(several, tmp_path).startswith(licence)


def test_self_is_imported_where_a_carried_signature_names_it(tmp_path: Path) -> None:
    text = emitted(ALONE, tmp_path)
    assert "from typing import Self\n" in text and "def pick(self, *index: int) -> Self:" in text
    assert "def pick(self, index: int) -> Self:" in emitted(ALONE.replace("*index", "index"), tmp_path)


def test_an_expression_for_a_type_that_is_kept_is_computed_once(tmp_path: Path) -> None:
    text = emitted(ALONE, tmp_path)
    assert "noise=0.5 * jax.random.normal(key, (3,))," in text
    assert "rate=jnp.array(0.7, float)," in text
