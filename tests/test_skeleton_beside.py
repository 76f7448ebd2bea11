"""What stands in a skeleton beside its classes, fields and bodies: comments."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from scaffold import find_layout
from scaffold.cli import main
from scaffold.convert import meaning
from scaffold.lay_out import module_files
from scaffold.spec import read_spec
from scaffold.spec.shortened import shortened
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.skeletons.write import write_skeleton
from scaffold.spec.toml import write_toml
from scaffold.tidy import tidy
from tests.support import write_tree

COMMENTED = '''\
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import KIND, derived, param, static


# Above the class.
class Affine(
    KIND,  # a base
):
    """An affine map."""

    # What is trained.

    # Drawn row by row.
    weight: Float[Array, "out_size in_size"] = param("lecun_normal")
    """The matrix"""
    # Never 0.
    scale: float = static(1.0)  # as a factor
    floor: float = static(0.0)  # noqa: RUF100
    # Computed.
    twice: float = derived(lambda scale: 2 * scale)

    # -- maps ------------

    # There.
    def __call__(self, x: Float[Array, " in_size"]) -> Float[Array, " out_size"]:
        return self.scale * (self.weight @ x)  # both

        # at the end

    # And what it is.
    @property
    def size(self) -> int:
        return self.weight.shape[0]

    # Nothing follows.
'''


def emitted(raw: Mapping[str, object], root: Path) -> str:
    (root / ".git").mkdir(exist_ok=True)
    return tidy(module_files(read_spec(raw, "spec"), find_layout(root), {}))[0].text


@pytest.mark.parametrize("kind", ["Module", "Pytree", "Nnx"])
def test_comments_stay_above_fields_and_methods(kind: str, tmp_path: Path) -> None:
    (found,) = skeletons_of(COMMENTED.replace("KIND", kind), "x.py")
    assert found.faults == ()
    text = emitted(found.raw, tmp_path)
    assert "\n    # What is trained.\n\n    # Drawn row by row.\n    weight: " in text
    assert "\n    # Never 0.\n    # as a factor\n    scale: " in text
    assert "\n    # -- maps ------------\n\n    # There.\n    def __call__(" in text
    assert "@ x)  # both\n" in text and "\n        # at the end\n" in text
    assert "\n    # And what it is.\n    @property\n    def size(" in text
    assert "noqa" not in text


def test_comments_go_from_one_form_to_the_other() -> None:
    (found,) = skeletons_of(COMMENTED.replace("KIND", "Module"), "x.py")
    spec = read_spec(found.raw, "spec")
    toml = tomllib.loads(write_toml(shortened(found.raw), "x"))
    (again,) = skeletons_of(write_skeleton([(toml, spec)], formatted=str), "x.py")
    assert meaning(read_spec(toml, "spec")) == meaning(read_spec(again.raw, "spec")) == meaning(spec)
    assert spec.fields[1].comment == "# Never 0.\n# as a factor"


def test_toml_needs_no_sign_before_a_comment(tmp_path: Path) -> None:
    raw = {"name": "A", "fields": {"w": {"type": "f[n]", "init": "ones", "comment": "One.\n# Two."}}}
    assert "\n    # One.\n    # Two.\n    w: " in emitted(raw, tmp_path)


def test_comments_of_the_fields_of_a_nested_class_stay(tmp_path: Path) -> None:
    raw = {
        "name": "A",
        "layout": "nested",
        "groups": {"inner": ["w"]},
        "fields": {"w": {"type": "f[n]", "init": "ones", "comment": "One."}, "v": "f[n]=ones"},
    }
    text = emitted(raw, tmp_path)
    assert "\n    # One.\n    w: " in text.partition("class A(")[0]


def test_new_module_tells_which_comments_it_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, {".git/": "", "specs/affine.py": COMMENTED.replace("KIND", "Module")})
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["new-module", "--spec", "specs/affine.py"])
    assert result.exit_code == 0, result.output
    told = [line for line in result.output.splitlines() if "comment" in line]
    assert [line.rpartition(": ")[2] for line in told] == [
        *("# Above the class.", "# a base", "# Computed.", "# Nothing follows.")
    ]
    assert "the comment in affine.py, line 7, stays there: # Above the class." in told[0]
