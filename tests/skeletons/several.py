"""Skeletons with several classes, and what they give."""

import ast
from pathlib import Path

from scaffold.generate import shown_files
from scaffold.in_project.layout import find_layout
from tests.support.library import Library
from tests.support.trees import write_tree

HEAD = """\
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param
"""
LEFT = '''

class Left(Module):
    weight: Float[Array, "n m"] = param("lecun_normal")

    def __call__(self, x: Float[Array, " m"]) -> Float[Array, " n"]:
        return scaled(self.weight @ x)

    def turned(self) -> "Right":
        """The other one."""
        return Right(self.weight[0])
'''
BETWEEN = """

FACTOR = 3.0


def scaled(x: Float[Array, "..."]) -> Float[Array, "..."]:
    return FACTOR * x
"""
RIGHT = '''

class Right(Module):
    scale: Float[Array, " n"] = param("ones")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.scale * x

    def held(self) -> Left:
        """One of each."""
        return Left(self.scale[None])
'''
BELOW = """

def both(left: Left, right: Right) -> tuple[Left, Right]:
    return left, right
"""
SIDES = HEAD + LEFT + BETWEEN + RIGHT + BELOW
THIRD = """

class Third(Module):
    shift: Float[Array, " n"] = param("zeros")

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return x + self.shift
"""
PLAIN = RIGHT[: RIGHT.index("\n    def held")]
MODULE, TESTS = "lib/sides.py", "tests/test_sides.py"


def sides(root: Path, text: str = SIDES) -> Library:
    """A project with the classes of one skeleton."""
    library = Library.at(root)
    library.write("specs/sides.py", text)
    library.new("specs/sides.py")
    return library


def shown(root: Path, text: str, name: str = "sides") -> tuple[str, str]:
    """The module and the tests that a skeleton gives."""
    write_tree(root, {".git/": "", f"specs/{name}.py": text})
    module, tests = shown_files(name, find_layout(root))
    return module.text, tests.text


def order(text: str) -> list[str]:
    """The names that the statements of a module bind, in order."""
    bound = (node for node in ast.parse(text).body if not isinstance(node, ast.Import | ast.ImportFrom))
    return [
        getattr(node, "name", "") or ast.unparse(node).partition(" =")[0]
        for node in bound
        if not isinstance(node, ast.Expr)
    ]
