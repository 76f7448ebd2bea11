"""The classes that a new project starts with: what the tool writes for the specs in the template, as template files.

Plain Copier cannot run the tool, so the template has these files ready; a test holds them to what the tool writes.
"""

import re
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import yaml

from scaffold.files.fileset import File
from scaffold.generate import SCHEMA_NAME, load_specs, schema_text
from scaffold.in_project.layout import Layout, Settings
from scaffold.registration.edits import WIDTH
from scaffold.render_class import module_files
from scaffold.rendering.template_files import templates_folder
from scaffold.spec import ModuleSpec
from scaffold.tidy import tidy

TEMPLATE = templates_folder() / "project"
PACKAGE = "package_of_the_project"
"""Stands for the name of the package, which the template leaves open."""
_WRAPPED = re.compile(rf"^from {PACKAGE}\.(\w+) import \(\n(.*?)\)\n", re.MULTILINE | re.DOTALL)
PLATFORMS = ("cuda", "rocm", "tpu")
"""`lower_for` in the pyproject.toml of the template."""
_HERE = PurePosixPath(".")


def starter_specs() -> dict[str, tuple[ModuleSpec, ...]]:
    """The specs of each file by the flag of the template that asks for it."""
    paths = sorted((TEMPLATE / "specs").glob("{% if *"))
    return {path.name.split()[2]: _specs_of(path) for path in paths}


def _specs_of(path: Path) -> tuple[ModuleSpec, ...]:
    """The specs of a file of the template, under the name that a project has it by."""
    with TemporaryDirectory() as folder:
        named = Path(folder, path.name.removeprefix(path.name.partition("}")[0] + "}").partition("{")[0])
        named.write_text(path.read_text())
        return load_specs([named])


def starter_files() -> dict[str, str]:
    """Path in the template and text of each file that is made from the specs."""
    starters = starter_specs()
    known = {spec.name: spec for specs in starters.values() for spec in specs}
    texts = {f"specs/{SCHEMA_NAME}": schema_text()}
    for flag, specs in starters.items():
        files = tidy(module_files(specs, _layout(), known))
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
    return f"{path}.jinja", _WRAPPED.sub(_either, file.text).replace(PACKAGE, "{{ package }}")


def _either(match: re.Match[str]) -> str:
    """An import in one line or in several, by the length of the package's name."""
    module, names = match[1], ", ".join(re.findall(r"\w+", match[2]))
    line = f"from {PACKAGE}.{module} import {names}\n"
    room = WIDTH - len(line.rstrip()) + len(PACKAGE)
    short = yaml.safe_load((TEMPLATE / "copier.yml").read_text())["has_short_name"]["default"]
    assert short == f"{{{{ package | length <= {room} }}}}", "the template counts with another line"
    return f"{{% if has_short_name %}}\n{line}{{% else %}}\n{match[0]}{{% endif %}}\n"


def _conditional(flag: str, name: str) -> str:
    return f"{{% if {flag} %}}{name}{{% endif %}}"
