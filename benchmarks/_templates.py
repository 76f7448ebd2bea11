"""The templates of the tool as one Copier template, and the context of a class as its data."""

import json
import shutil
from pathlib import Path
from typing import Any

from scaffold import find_layout, load_spec
from scaffold.law_wheel import wheel_path
from scaffold.render_class import module_context
from scaffold.rendering.template_files import templates_folder

AFFINE = Path(__file__).parent.parent / "generated_examples" / "specs" / "affine.toml"


def copier_template(folder: Path) -> Path:
    """A template that gives the files that the tool gives for a class of kind `module`."""
    for name in ("module", "tests"):
        shutil.copytree(templates_folder() / name, folder, dirs_exist_ok=True)
    shutil.copy(wheel_path(), folder / "{{ tests_folder }}")
    return folder


def context(spec_file: Path, project: Path) -> dict[str, Any]:
    """What the tool would give the templates for this spec in this project."""
    spec = load_spec(spec_file)
    return module_context(spec, find_layout(project), {spec.name: spec})


def data_file(path: Path, data: dict[str, Any]) -> Path:
    """The context as a file that Copier reads: JSON is YAML."""
    path.write_text(json.dumps(data), encoding="utf-8")
    return path
