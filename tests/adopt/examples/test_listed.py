"""What a module has for its users, and is left out: a wrapper of a class is named, and an enumeration of Python is none of them."""

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import enum

import equinox as eqx
import jax


class Mode(enum.Enum):
    LEFT = 1


@eqx.filter_jit
class Compiled(eqx.Module):
    weight: jax.Array


class Plain(eqx.Module):
    weight: jax.Array
"""
LAYER = "import equinox as eqx\nimport jax\n\n\nclass {}(eqx.Module):\n    weight: jax.Array\n"
PACKAGE = {
    "starred/__init__.py": "",
    "starred/_impl/__init__.py": "from .solvers import *\n",
    "starred/_impl/solvers.py": LAYER.format("Solution") + "\n\n" + LAYER.format("_Step"),
    "starred/_parts.py": LAYER.format("Part"),
    "starred/public.py": "from ._parts import Part\nfrom ._impl import *\n",
}
asked = asked_of("listed", SOURCE)
starred = asked_of("starred", PACKAGE)


def test_a_wrapper_of_a_class_is_left_out_with_the_word_why(asked: Asked) -> None:
    every = {one["name"]: one["why"] for one in asked.listed["classes"]}
    assert every.keys() == {"Compiled", "Plain"}
    assert "it is a wrapper of a class" in every["Compiled"] and not every["Plain"]


def test_a_module_has_the_classes_that_a_star_imports_from_a_private_one(starred: Asked) -> None:
    every = [(one["module"], one["name"]) for one in starred.listed["classes"]]
    assert every == [("starred.public", "Solution")]
