"""Mistakes made by hand in classes of public libraries, and which of them the tests notice that `adopt` writes by itself.

`python -m benchmarks.adopted_mistakes FOLDER` copies the libraries into a project, adopts ten classes, and makes each mistake in turn. The list was
written before anything was run. `--write` puts the table into docs/adopt.md.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parents[1] / "docs" / "adopt.md"
TABLE = re.compile(r"\| class \| mistake \| noticed by \|\n(?:\|.*\n)+")
LIBRARIES = "libraries"
"""The folder of the copies."""
HEAD = "| class | mistake | noticed by |\n|---|---|---|\n"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_LAW = re.compile(r"::test_p(\d\d)_")


class Mistake(NamedTuple):
    """An edit of a library's file, by which a class is wrong."""

    target: str
    """As `adopt` takes it."""
    file: str
    """The file that is edited."""
    old: str
    new: str
    text: str
    """In words."""


GRU, NORM = "equinox.nn:GRUCell", "equinox.nn:LayerNorm"
AFFINE, SPLINE = "flowjax.bijections:Affine", "flowjax.bijections:RationalQuadraticSpline"
MATERN, SE2 = "tinygp.kernels:Matern32", "jaxlie:SE2"
LINEAR, TRIDIAGONAL = "diffrax:LinearInterpolation", "lineax:TridiagonalLinearOperator"
BATCH_NORM, TRACE = "flax.nnx:BatchNorm", "optax:trace"
MISTAKES = (
    Mistake(
        GRU,
        "equinox/nn/_rnn.py",
        "return new + inp * (hidden - new)",
        "return hidden + inp * (new - hidden)",
        "the gate weighs the new state where it should weigh the old one",
    ),
    Mistake(
        GRU,
        "equinox/nn/_rnn.py",
        "reset * (hgates[2] + bias_n)",
        "reset * hgates[2]",
        "a bias is forgotten",
    ),
    Mistake(
        NORM,
        "equinox/nn/_normalisation.py",
        "            return out.astype(orig_dtype)\n",
        "            return out\n",
        "the result is not cast back to the dtype of the input",
    ),
    Mistake(
        NORM,
        "equinox/nn/_normalisation.py",
        'weight: Float[Array, "*shape"] | None\n',
        'weight: Float[Array, "*shape"] | None = field(static=True)\n',
        "the weight is static",
    ),
    Mistake(
        AFFINE,
        "flowjax/bijections/affine.py",
        "(y - self.loc) / self.scale, -jnp.log",
        "(y - self.loc) / self.scale, jnp.log",
        "the log-determinant of the inverse has the sign of the forward one",
    ),
    Mistake(
        AFFINE,
        "flowjax/bijections/affine.py",
        "return x * self.scale + self.loc, jnp",
        'return x * self.scale + __import__("jax").lax.stop_gradient(self.loc), jnp',
        "a gradient is cut off",
    ),
    Mistake(
        SPLINE,
        "flowjax/bijections/rational_quadratic_spline.py",
        "k = jnp.searchsorted(x_pos, x_clipped) - 1  #",
        "k = jnp.searchsorted(x_pos, x_clipped)  #",
        "the bin is off by one",
    ),
    Mistake(
        MATERN,
        "tinygp/kernels/stationary.py",
        "arg = np.sqrt(3) * r",
        "arg = 3 * r",
        "the root of a constant is forgotten",
    ),
    Mistake(
        SE2,
        "jaxlie/_se2.py",
        "                cos,\n                -sin,\n                x,",
        "                cos,\n                sin,\n                x,",
        "a sign in a matrix is wrong",
    ),
    Mistake(
        SE2,
        "jaxlie/_se2.py",
        "V_inv = _SE2_jac_left_inv(so2_tangent)",
        "V_inv = _SE2_jac_left(so2_tangent)",
        "a logarithm uses a matrix in the place of its inverse",
    ),
    Mistake(
        LINEAR,
        "diffrax/_global_interpolation.py",
        "prev_t = self.ts[index]\n        next_t = self.ts[index + 1]\n        diff_t = next_t - prev_t\n\n        with",
        "prev_t = self.ts[index - 1]\n        next_t = self.ts[index]\n        diff_t = next_t - prev_t\n\n        with",
        "the width is that of the interval before",
    ),
    Mistake(
        TRIDIAGONAL,
        "lineax/_operator.py",
        "        return TridiagonalLinearOperator(\n            self.diagonal, self.upper_diagonal, self.lower_diagonal\n",
        "        return TridiagonalLinearOperator(\n            self.diagonal, self.lower_diagonal, self.upper_diagonal\n",
        "the transposed operator has its diagonals where they were",
    ),
    Mistake(
        TRIDIAGONAL,
        "lineax/_operator.py",
        "a = self.upper_diagonal * vector[1:]",
        "a = self.lower_diagonal * vector[1:]",
        "one diagonal is used twice",
    ),
    Mistake(
        BATCH_NORM,
        "flax/nnx/nn/normalization.py",
        "self.momentum * self.var[...] + (1 - self.momentum) * var",
        "self.momentum * self.var[...] + (1 - self.momentum) * mean",
        "the running variance follows the mean",
    ),
    Mistake(
        TRACE,
        "optax/transforms/_accumulation.py",
        "f = lambda g, t: g + decay * t",
        "f = lambda g, t: decay * (g + t)",
        "the new gradient decays as well",
    ),
)


def copied(folder: Path) -> Path:
    """A project, and beside it copies of the libraries, which are imported in the place of those that are installed."""
    for name in sorted({one.file.partition("/")[0] for one in MISTAKES}):
        spec = find_spec(name)
        assert spec is not None and spec.submodule_search_locations
        shutil.copytree(spec.submodule_search_locations[0], folder / LIBRARIES / name, dirs_exist_ok=True)
    project = folder / "project"
    project.mkdir(exist_ok=True)
    (project / "pyproject.toml").write_text('[project]\nname = "mistakes"\n', encoding="utf-8")
    return project


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command that imports the copies."""
    env = {
        **os.environ,
        "PYTHONPATH": str(folder.parent / LIBRARIES),
        "PYTHONDONTWRITEBYTECODE": "1",
        "JAX_PLATFORMS": "cpu",
    }
    command = (sys.executable, "-m", *command)
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def failed(project: Path, test: str) -> set[str]:
    """The tests that fail, or the file that cannot be run."""
    return set(_FAILED.findall(run(project, "pytest", "-q", "-p", "no:cacheprovider", "-rfE", test).stdout))


def failed_with(project: Path, mistake: Mistake, test: str) -> set[str]:
    """The tests that fail with a mistake. The file is as it was afterwards."""
    path = project.parent / LIBRARIES / mistake.file
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace(mistake.old, mistake.new, 1), encoding="utf-8")
    try:
        return failed(project, test)
    finally:
        path.write_text(before, encoding="utf-8")


def rows(project: Path) -> Iterator[str]:
    """A row of the table for each mistake: the laws of the tests that fail with it, and pass without it."""
    targets = list(dict.fromkeys(one.target for one in MISTAKES))
    adopted = run(project, "scaffold", "adopt", *targets, "--python", sys.executable, "--json")
    tests = {one["class"]: one["file"] for one in json.loads(adopted.stdout)["classes"]}
    usual = {target: failed(project, tests[target]) for target in targets}
    for mistake in MISTAKES:
        new = failed_with(project, mistake, tests[mistake.target]) - usual[mistake.target]
        yield f"| `{mistake.target.replace(':', '.')}` | {mistake.text} | {laws_of(new)} |\n"


def laws_of(tests: Iterable[str]) -> str:
    """The laws that tests are of, as a cell of the table; `-` for none."""
    numbers = {int(found[1]) if (found := _LAW.search(test)) else 0 for test in tests}
    return ", ".join(f"P{number}" if number else "an error" for number in sorted(numbers)) or "-"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help="Put the table into docs/adopt.md.")
    said = parser.parse_args()
    table = HEAD + "".join(rows(copied(said.folder.resolve())))
    print(table, end="")
    if said.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(TABLE.sub(lambda _: table, page), encoding="utf-8")


if __name__ == "__main__":
    main()
