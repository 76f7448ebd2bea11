"""The layers of Equinox and of Flax, each file as it lies in the package, are skeletons: nothing is refused, and no class changes."""

import ast
import importlib.util
from pathlib import Path

import pytest

from scaffold.generate import plan_modules
from scaffold.in_project.layout import find_layout
from scaffold.spec.files import read_spec_files


def files_of(package: str) -> list[Path]:
    """The files of a package that state classes."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None
    paths = sorted(Path(spec.origin).parent.glob("*.py"))
    return [path for path in paths if classes_in(path.read_text("utf-8"))]


def classes_in(text: str) -> dict[str, str]:
    """Each class of a text, as its syntax tree; a formatter indents docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = " ".join(node.value.split())
    return {part.name: ast.dump(part) for part in tree.body if isinstance(part, ast.ClassDef)}


@pytest.mark.spread(20)
@pytest.mark.parametrize(
    "path", [*files_of("equinox.nn"), *files_of("flax.nnx.nn")], ids=lambda path: path.stem
)
def test_a_file_of_layers_is_a_skeleton(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = path.read_text("utf-8")
    skeleton = Path(f"layers_{path.stem.strip('_')}.py")
    Path("specs").mkdir()
    (Path("specs") / skeleton).write_text(text, "utf-8")
    specs = read_spec_files([Path("specs") / skeleton])
    plan = plan_modules(specs, find_layout(tmp_path))
    modules = {step.path.name: step.after for step in plan.steps if step.path.suffix == ".py"}
    emitted = modules.get(skeleton.name) or next(
        after for name, after in modules.items() if "test" not in name
    )
    assert emitted is not None
    written, stated = classes_in(emitted.decode("utf-8")), classes_in(text)
    assert {spec.name for spec in specs} <= written.keys()
    assert written == {name: stated[name] for name in written}
