"""What stands in a skeleton beside its classes, fields and bodies: comments, functions and constants."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from scaffold import ScaffoldError, find_layout
from scaffold.cli import main
from scaffold.convert.plan import meaning
from scaffold.convert.shortened import shortened
from scaffold.convert.write_skeleton import write_skeleton
from scaffold.render_class import module_files
from scaffold.spec import read_spec
from scaffold.spec.files import read_spec_file
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.spec.tables.toml import write_toml
from scaffold.tidy import tidy
from tests.support.library import Library
from tests.support.trees import write_tree

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
    text = emitted(found.tables, tmp_path)
    assert "\n    # What is trained.\n\n    # Drawn row by row.\n    weight: " in text
    assert "\n    # Never 0.\n    # as a factor\n    scale: " in text
    assert "\n    # -- maps ------------\n\n    # There.\n    def __call__(" in text
    assert "@ x)  # both\n" in text and "\n        # at the end\n" in text
    assert "\n    # And what it is.\n    @property\n    def size(" in text
    assert "noqa" not in text
    above = "# Above the class.\n@final\n" if kind == "Pytree" else "# Above the class.\nclass Affine("
    assert above in text.replace("@dataclass(frozen=True, eq=False)\n", "")
    assert "\n    # Computed.\n    @property\n    def twice(" in text


def test_comments_go_from_one_form_to_the_other() -> None:
    (found,) = skeletons_of(COMMENTED.replace("KIND", "Module"), "x.py")
    spec = read_spec(found.tables, "spec")
    toml = tomllib.loads(write_toml(shortened(found.tables), "x"))
    (again,) = skeletons_of(write_skeleton([(toml, spec)], formatted=str), "x.py")
    assert meaning(read_spec(toml, "spec")) == meaning(read_spec(again.tables, "spec")) == meaning(spec)
    assert spec.fields[1].comment == "# Never 0.\n# as a factor"
    assert (spec.comment, spec.fields[3].comment) == ("# Above the class.", "# Computed.")


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
    assert [line.rpartition(": ")[2] for line in told] == [*("# a base", "# Nothing follows.")]
    assert "the comment in affine.py, line 9, has no place in what is written: # a base" in told[0]


def test_update_tells_it_of_what_it_writes(tmp_path: Path) -> None:
    library = Library(
        write_tree(tmp_path, {".git/": "", "specs/affine.py": COMMENTED.replace("KIND", "Module")})
    )
    library.new("specs/affine.py")
    assert library.update().notes == ()
    library.edit(
        "specs/affine.py",
        "# Nothing follows.",
        "# Nothing follows.\n\n    def three(self) -> int:\n        return 3",
    )
    notes = library.update().notes
    assert ["no place in what is written" in note and note.rpartition(": ")[2] for note in notes] == [
        "# a base"
    ]


# -- functions and constants -------------------------------------------------------------------------------------------

HELPED = '''\
"""Two maps."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from scaffold.skeleton import Module, param, static

# Below it nothing is scaled.
FLOOR: float = 1e-3  # small
LIMITS = (FLOOR, 10.0)


@partial(jax.jit, static_argnums=1)
def squash(x: Float[Array, " n"], limit: float = LIMITS[1]) -> Float[Array, " n"]:
    """Into the limits."""

    return limit * jnp.tanh(x / limit)  # smooth


class Squash(Module):
    weight: Float[Array, "m n"] = param("lecun_normal")
    floor: float = static(FLOOR, check=lambda floor: floor >= FLOOR)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " m"]:
        return squash(self.weight @ x)


UNREAD = 3


class Scale(Module):
    weight: Float[Array, " n"] = param(lambda n: FLOOR + jnp.ones(n))
    n: int
'''


def test_helpers_stay_where_they_stand(tmp_path: Path) -> None:
    squash, scale = skeletons_of(HELPED, "x.py")
    assert squash.faults == scale.faults == ()
    text = emitted(squash.tables, tmp_path)
    assert "from functools import partial\n" in text
    kept = HELPED[HELPED.index("# Below") : HELPED.index("class Squash")].rstrip()
    assert kept in text.partition("class Squash(")[0]
    assert "UNREAD" not in text and scale.tables["helpers"] == "UNREAD = 3"


def test_helpers_go_from_one_form_to_the_other() -> None:
    (found,) = skeletons_of(HELPED.partition("UNREAD")[0], "x.py")
    spec = read_spec(found.tables, "spec")
    toml = tomllib.loads(write_toml(shortened(found.tables), "x"))
    (again,) = skeletons_of(write_skeleton([(toml, spec)]), "x.py")
    assert again.faults == ()
    assert meaning(read_spec(toml, "spec")) == meaning(read_spec(again.tables, "spec")) == meaning(spec)


AFTER = """

class Affine(Module):
    weight: Float[Array, " n"] = param("zeros")

    def __call__(self) -> Float[Array, " n"]:
        return self.weight
"""


@pytest.mark.parametrize(
    ("helpers", "told"),
    [
        ("def f():\n    return unknown", "the name `unknown` is not known here"),
        ("jnp = 3", "`jnp` hides what else has that name"),
        ("len = 3", "`len` hides what else has that name"),
        ("Affine = 3", "`Affine` hides what else has that name"),
    ],
)
def test_what_cannot_stand_beside_a_class(helpers: str, told: str, tmp_path: Path) -> None:
    head = HELPED[: HELPED.index("# Below")]
    line = head.count("\n") + 1
    write_tree(tmp_path, {"x.py": f"{head}{helpers}{AFTER}"})
    with pytest.raises(ScaffoldError) as caught:
        read_spec_file(tmp_path / "x.py", "x.py")
    (fault,) = caught.value.faults
    assert fault.what == told and fault.line is not None and line <= fault.line <= line + 2
    raw = {"name": "Affine", "helpers": helpers, "fields": {"w": "f[n]=ones"}}
    with pytest.raises(ScaffoldError) as caught:
        read_spec(raw, "spec")
    assert [one.what for one in caught.value.faults] == [told]


def test_a_helper_cannot_have_a_name_of_the_module(tmp_path: Path) -> None:
    raw = {
        "name": "A",
        "kind": "pytree",
        "helpers": "def _flatten():\n    pass",
        "fields": {"w": "f[n]=ones"},
    }
    with pytest.raises(ScaffoldError, match="`_flatten` is a name that the module uses itself"):
        emitted(raw, tmp_path)


def test_tests_import_the_helpers_that_they_read(tmp_path: Path) -> None:
    raw = {
        "name": "A",
        "helpers": "LARGE = 3.0",
        "fields": {"w": {"type": "f[n]", "init": "ones"}, "limit": {"type": "float", "role": "static"}},
        "test": {"values": {"limit": "=LARGE"}},
    }
    (tmp_path / ".git").mkdir()
    files = tidy(module_files(read_spec(raw, "spec"), find_layout(tmp_path), {}))
    (tests,) = (file.text for file in files if file.path.name == "test_a.py")
    assert "from a import LARGE, A\n" in tests
