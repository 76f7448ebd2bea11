"""The classes that a new project starts with: what the tool writes for the specs in the template, as template files.

Plain Copier cannot run the tool, so the template has these files ready; a test holds them to what the tool writes.
"""

from pathlib import PurePosixPath

from scaffold import load_spec
from scaffold.files.fileset import File
from scaffold.generate import SCHEMA_NAME, schema_text
from scaffold.in_project.layout import Layout, Settings
from scaffold.lay_out import module_files
from scaffold.render import templates_folder
from scaffold.spec import ModuleSpec
from scaffold.tidy import tidy

TEMPLATE = templates_folder() / "project"
PACKAGE = "package_of_the_project"
"""Stands for the name of the package, which the template leaves open."""
PLATFORMS = ("cuda", "rocm", "tpu")
"""`lower_for` in the pyproject.toml of the template."""
_HERE = PurePosixPath(".")


def starter_specs() -> dict[str, ModuleSpec]:
    """The specs by the flag of the template that asks for each."""
    paths = sorted((TEMPLATE / "specs").glob("*.toml*"))
    return {path.name.split()[2]: load_spec(path) for path in paths}


def starter_files() -> dict[str, str]:
    """Path in the template and text of each file that is made from the specs."""
    known = {spec.name: spec for spec in starter_specs().values()}
    texts = {f"specs/{SCHEMA_NAME}": schema_text()}
    for flag, spec in starter_specs().items():
        files = tidy(module_files(spec, _layout(), known))
        texts |= dict(_as_template(file, flag) for file in files if file.path.name != "conftest.py")
    return texts


def _layout() -> Layout:
    source = PurePosixPath(PACKAGE)
    tests, specs = PurePosixPath("tests"), PurePosixPath("specs")
    return Layout(TEMPLATE, Settings(lower_for=PLATFORMS), source, PACKAGE, _HERE, tests, specs)


def _as_template(file: File, flag: str) -> tuple[str, str]:
    """The file under a name that asks for the flag; a template only where the package is named in it."""
    folder = "{{ source_folder }}" if file.path.parent.name == PACKAGE else "tests"
    path = f"{folder}/{_conditional(flag, file.path.name)}"
    if PACKAGE not in file.text:
        return path, file.text
    return f"{path}.jinja", file.text.replace(PACKAGE, "{{ package }}")


def _conditional(flag: str, name: str) -> str:
    return f"{{% if {flag} %}}{name}{{% endif %}}"
