"""Registration in packages with hooks, with lazy names, and under the project's own formatter."""

import subprocess
from pathlib import Path

import pytest

from scaffold.errors import ScaffoldError
from scaffold.files.fileset import Plan
from scaffold.generate import plan_new
from scaffold.in_project.layout import find_layout
from scaffold.registration.edits import register, unregister
from scaffold.tidy import ruff_program
from tests.support.trees import write_tree

LINE = "from .affine import Affine as Affine\n"
IMPORT = "from jaxtyping import install_import_hook\n"


def registered(source: str, *, width: int = 88, name: str = "Affine") -> str:
    found = register(source.encode(), "affine", [name], package="lib", width=width)
    assert unregister(found, "affine", [name], package="lib", width=width).decode() == source
    assert register(found, "affine", [name], package="lib", width=width) == found
    return found.decode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            IMPORT
            + '\nwith install_import_hook("lib", "beartype.beartype"):\n    from .zoo import Zoo as Zoo\n',
            IMPORT
            + f'\nwith install_import_hook("lib", "beartype.beartype"):\n    {LINE}    from .zoo import Zoo as Zoo\n',
            id="block",
        ),
        pytest.param(
            IMPORT
            + '\nwith install_import_hook(["lib", "other"], None):\n    from .a import A as A\n\nx = 1\n',
            IMPORT
            + f'\nwith install_import_hook(["lib", "other"], None):\n    from .a import A as A\n    {LINE}\nx = 1\n',
            id="block of several",
        ),
        pytest.param(
            IMPORT + '\nwith install_import_hook("lib", None):\n    from lib.a import A as A\n',
            IMPORT + f'\nwith install_import_hook("lib", None):\n    from lib.a import A as A\n\n    {LINE}',
            id="absolute imports",
        ),
        pytest.param(
            IMPORT + '\nhook = install_import_hook("lib", None)\nfrom .a import A as A\n\nhook.uninstall()\n',
            IMPORT
            + f'\nhook = install_import_hook("lib", None)\nfrom .a import A as A\n{LINE}\nhook.uninstall()\n',
            id="statements",
        ),
        pytest.param(
            "from beartype.claw import beartype_this_package\n\nbeartype_this_package()\n\nfrom .z import Z as Z\n",
            f"from beartype.claw import beartype_this_package\n\nbeartype_this_package()\n\n{LINE}from .z import Z as Z\n",
            id="beartype",
        ),
        pytest.param(
            IMPORT + '\nwith install_import_hook("other", None):\n    import other\n',
            IMPORT + f'\n{LINE}\nwith install_import_hook("other", None):\n    import other\n',
            id="the hook of another package",
        ),
    ],
)
def test_the_import_comes_under_the_hook(source: str, expected: str) -> None:
    assert registered(source) == expected


def test_a_name_that_is_imported_under_the_hook_is_registered() -> None:
    source = f'{IMPORT}with install_import_hook("lib", None):\n    from lib.affine import Affine\n'
    assert registered(source) == source


def test_a_block_on_one_line_is_refused() -> None:
    with pytest.raises(ScaffoldError) as caught:
        register(b'with install_import_hook("lib", None): from .a import A\n', "affine", ["Affine"])
    assert str(caught.value) == (
        "__init__.py:1: the block of the import hook is written in a way that cannot be edited safely\n"
        "  fix: write the import into that block by hand, and run the command with `--no-register`"
    )


@pytest.mark.spread(3)
@pytest.mark.parametrize("width", [60, 79, 88, 120])
@pytest.mark.parametrize("name", ["Affine", "AffineWithAVeryLongNameIndeedAndMore"])
@pytest.mark.parametrize(
    "source",
    [
        "",
        '"""Doc."""\n',
        "# Licence\n",
        "# Licence\nx = 1\n",
        "# Licence\n\nx = 1\n",
        "# Licence\n\n\ndef f(): ...\n",
        "def f(): ...\n",
        "class C: ...\n",
        "import os\n\n\ndef f():\n    return os\n",
        '"""Doc."""\n\nimport os\n\nx = os\n',
        "from lib.b import B as B\n",
        '"""Doc."""\n\nfrom .b import B as B\nfrom .c import c as c\n\n__version__ = "1"\n',
        '__all__ = ["A"]\n\nfrom .a import A\n',
        "from __future__ import annotations\n\nfrom .b import B as B\n",
        IMPORT + '\nwith install_import_hook("lib", None):\n    from .b import B as B\n',
    ],
)
def test_a_file_that_is_clean_stays_clean(source: str, name: str, width: int, tmp_path: Path) -> None:
    config = f'line-length = {width}\n[lint]\nselect = ["I"]\n[lint.isort]\nknown-first-party = ["lib"]\n'
    write_tree(
        tmp_path,
        {"ruff.toml": config, "before.py": source, "after.py": registered(source, width=width, name=name)},
    )
    for command in (["format", "--check"], ["check"]):
        for file in ("before.py", "after.py"):
            found = subprocess.run(
                [ruff_program(), *command, "--no-cache", file],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            if "__future__" not in source or file == "after.py":
                assert found.returncode == 0, (file, found.stdout, (tmp_path / file).read_text())


# -- lazy packages -----------------------------------------------------------------------------------------------------


def plan(tmp_path: Path, files: dict[str, str], needs: str = "jax") -> Plan:
    pyproject = f'[project]\nname = "lib"\ndependencies = ["{needs}", "jaxtyping"]\n[dependency-groups]\ndev = ["pytest"]\n'
    root = write_tree(tmp_path, {".git/": "", "pyproject.toml": pyproject, **files})
    return plan_new({"name": "Affine", "fields": {"weight": "f[n]"}}, find_layout(root))


def after(found: Plan, path: str) -> str | None:
    return next((step.after.decode() for step in found.writes if str(step.path) == path and step.after), None)


ATTACH = "import lazy_loader as lazy\n\n__getattr__, __dir__, __all__ = lazy.attach("


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__name__)\n", '__name__, submod_attrs={"affine": ["Affine"]})\n'),
        (
            '__name__, submodules=["b"])\n',
            '__name__, submodules=["b"], submod_attrs={"affine": ["Affine"]}\n)\n',
        ),
        ("__name__, [], {})\n", '__name__, [], {"affine": ["Affine"]})\n'),
        (
            '__name__, submod_attrs={"b": ["B"]})\n',
            '__name__, submod_attrs={"affine": ["Affine"], "b": ["B"]})\n',
        ),
        (
            '__name__, submod_attrs={"affine": ["affine_map"]})\n',
            '__name__, submod_attrs={"affine": ["affine_map", "Affine"]})\n',
        ),
        (
            '\n    __name__,\n    submod_attrs={\n        "a": ["A"],\n    },\n)\n',
            '\n    __name__,\n    submod_attrs={\n        "a": ["A"],\n        "affine": ["Affine"],\n    },\n)\n',
        ),
    ],
)
def test_a_lazy_package_stays_lazy(source: str, expected: str, tmp_path: Path) -> None:
    found = plan(tmp_path, {"lib/__init__.py": ATTACH + source})
    text = after(found, "lib/__init__.py") or ""
    assert "".join(text.split()).replace(",)", ")") == "".join((ATTACH + expected).split()).replace(",)", ")")
    (tmp_path / "lib/__init__.py").write_text(text)
    assert {"path": "lib/__init__.py", "action": "identical"} in plan(tmp_path, {}).to_json()["files"]  # type: ignore[operator]


def test_a_lazy_package_with_a_stub(tmp_path: Path) -> None:
    init = (
        "import lazy_loader as lazy\n\n__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)\n"
    )
    found = plan(tmp_path, {"lib/__init__.py": init, "lib/__init__.pyi": "from .b import B as B\n"})
    assert after(found, "lib/__init__.pyi") == LINE + "from .b import B as B\n"
    assert after(found, "lib/__init__.py") is None


def test_a_table_that_is_no_literal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError) as caught:
        plan(tmp_path, {"lib/__init__.py": ATTACH + "__name__, submod_attrs=TABLE)\n"})
    assert str(caught.value) == (
        "lib/__init__.py:3: `attach` is written in a way that cannot be edited safely\n"
        '  fix: add "affine": ["Affine"] to `submod_attrs` by hand, and run the command with `--no-register`'
    )


def test_a_getattr_of_its_own_is_left_alone(tmp_path: Path) -> None:
    found = plan(tmp_path, {"lib/__init__.py": "def __getattr__(name):\n    raise AttributeError(name)\n"})
    assert after(found, "lib/__init__.py") is None
    assert "add `Affine` of `.affine` to it by hand" in found.notes[-1]


def test_a_getattr_beside_imports_is_for_something_else(tmp_path: Path) -> None:
    source = "from .b import B as B\n\n\ndef __getattr__(name):\n    raise AttributeError(name)\n"
    assert after(plan(tmp_path, {"lib/__init__.py": source}, "equinox"), "lib/__init__.py") == LINE + source


def test_what_needs_more_than_is_declared_is_registered_where_it_is_lazy(tmp_path: Path) -> None:
    found = plan(tmp_path, {"lib/__init__.py": ATTACH + "__name__)\n"})
    assert "equinox" in found.notes[0]
    assert "submod_attrs" in (after(found, "lib/__init__.py") or "")
