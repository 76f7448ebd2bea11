"""A project whose classes are generated, edited and generated again, in this process."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scaffold.files.fileset import Plan
from scaffold.generate import load_specs, plan_modules, plan_new
from scaffold.in_project.layout import Layout, find_layout
from scaffold.lifecycle.check import check
from scaffold.lifecycle.destroy import plan_destroy
from scaffold.lifecycle.update import plan_update
from scaffold.publish import publish
from tests.support.trees import read_tree, write_tree

PYPROJECT = (
    '[project]\nname = "lib"\ndependencies = ["equinox", "jax", "jaxtyping", "safetensors"]\n\n'
    '[dependency-groups]\ndev = ["pytest", "pytree-laws"]\n\n[tool.scaffold]\nlaws = "installed"\n'
)
EMPTY: Mapping[str, str] = {"pyproject.toml": PYPROJECT, "lib/__init__.py": '"""Lib."""\n'}


def spec(name: str, fields: str = "", *, init: str = "lecun_normal", top: str = "") -> str:
    """The spec of a class with a weight, more fields, and a call."""
    return (
        f'name = "{name}"\n{top}\n[fields]\nweight = {{ type = "f[out_size,in_size]", init = "{init}" }}\n{fields}\n'
        '[call]\nargs = "x: f[in_size]"\nreturns = "f[out_size]"\nbody = "return self.weight @ x"\n'
    )


BIAS = 'bias = { type = "f[out_size]", init = "zeros" }'


@dataclass(frozen=True)
class Library:
    """A project in a folder."""

    root: Path

    @classmethod
    def at(cls, root: Path, files: Mapping[str, str | bytes] = EMPTY) -> "Library":
        return cls(write_tree(root, files))

    @classmethod
    def with_dense(cls, root: Path) -> "Library":
        """A project with the class `Dense`."""
        library = cls.at(root)
        library.generate(dense=spec("Dense"))
        return library

    @property
    def layout(self) -> Layout:
        return find_layout(self.root)

    def path(self, path: str) -> Path:
        return self.root / path

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def write(self, path: str, text: str | bytes) -> None:
        write_tree(self.root, {path: text})

    def edit(self, path: str, old: str, new: str, *, every: bool = False) -> None:
        """Replace what stands in a file once, or `every` time."""
        text = (self.root / path).read_bytes().decode()
        assert text.count(old) == 1 or (every and old in text), (path, old, text)
        self.write(path, text.replace(old, new).encode())

    def append(self, path: str, text: str) -> None:
        self.write(path, self.read(path) + text)

    def new(self, *specs: str, force: bool = False) -> Plan:
        paths = [self.root / path for path in specs]
        return publish(plan_modules(load_specs(paths), self.layout, force=force))

    def generate(self, **specs: str) -> Plan:
        """Write specs by the name of their files, and generate their classes."""
        self.write_specs(**specs)
        return self.new(*(f"specs/{name}.toml" for name in specs))

    def write_specs(self, **specs: str) -> None:
        write_tree(self.root, {f"specs/{name}.toml": text for name, text in specs.items()})

    def typed(self, raw: Mapping[str, object], *, force: bool = False) -> Plan:
        """What the command line says."""
        return publish(plan_new(raw, self.layout, force=force))

    def update(self, *names: str, force: bool = False, rename: Mapping[str, str] | None = None) -> Plan:
        return publish(plan_update(names, self.layout, force=force, rename=rename or {}))

    def destroy(self, *names: str, force: bool = False) -> Plan:
        return publish(plan_destroy(names, self.layout, force=force))

    def states(self) -> dict[str, str]:
        """What is not clean."""
        return {row.path: str(row.state) for row in check(self.layout).rows if row.state != "clean"}

    def states_why(self, path: str) -> str:
        """What is said of the state of a file."""
        return next(row.why for row in check(self.layout).rows if row.path == path)

    def tree(self) -> dict[str, bytes]:
        return read_tree(self.root)


def actions(plan: Plan) -> dict[str, str]:
    """What a plan does to each path, but for what stays."""
    stays = ("identical", "keep")
    return {line.path: str(line.action) for line in plan.lines() if line.action not in stays}
