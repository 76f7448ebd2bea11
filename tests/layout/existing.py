"""Projects that exist, as dicts of files: each has the layout of real libraries, and tests of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_STUB = (
    "class Anything:\n    def __class_getitem__(cls, item): return object\n\n\n"
    "def __getattr__(name):\n    if name.startswith('__'): raise AttributeError(name)\n    return Anything\n"
)
_HOOK = "\n\ndef install_import_hook(*names):\n    import contextlib\n\n    return contextlib.nullcontext()\n"
_LAWS = """import sys


class PytreeLaws:
    def test_p01_is_found(self):
        assert self.leaves
        assert [place for place in sys.path if place.endswith("-py3-none-any.whl")]


def Leaf(*arguments, **options):
    return arguments


def sample(*arguments, **options): ...
"""
STUBS = {
    "jax/__init__.py": _STUB,
    "jax/numpy.py": _STUB,
    "jax/typing.py": _STUB,
    "jaxtyping.py": _STUB + _HOOK,
    "equinox.py": "class Module: ...\n",
    "pytree_laws/__init__.py": _LAWS,
    "pytree_laws/plugin.py": "def pytest_addoption(parser): ...\n",
}
"""What stands for jax and its like, and for the laws, where only imports and the path are looked at."""

_SAID = "puts what the tests import on the path: sys.path.extend(map(str, Path(__file__).parent.glob("
_DEPENDENCIES = 'dependencies = ["equinox"]\n\n[dependency-groups]\ndev = ["pytest"]\n'
_FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n"


def _project(name: str, rest: str = "") -> str:
    return f'[project]\nname = "{name}"\nversion = "1"\n{_DEPENDENCIES}\n{rest}'


@dataclass(frozen=True)
class Existing:
    """A project, and what becomes of it.

    `root` is where the tool is started, `path` what an installation would have put on the path, `changed` the files of
    the user's that the tool edits, `created` the class and its tests, `said` what it tells.
    """

    files: Mapping[str, str]
    package: str
    created: tuple[str, str]
    changed: tuple[str, ...] = ()
    path: tuple[str, ...] = (".",)
    root: str = "."
    said: tuple[str, ...] = ()
    also: tuple[str, ...] = field(default=())


PROJECTS = {
    "flat, tests are a package, helpers and a conftest of their own": Existing(  # equinox
        {
            "pyproject.toml": _project("eqlike"),
            "eqlike/__init__.py": '"""Easy."""\n\nfrom ._module import Module as Module\n',
            "eqlike/_module.py": "class Module: ...\n",
            "tests/__init__.py": "",
            "tests/conftest.py": _FIXTURE,
            "tests/helpers.py": "def shaped(x):\n    return x\n",
            "tests/test_module.py": (
                "import eqlike\n\nfrom .helpers import shaped\n\n\ndef test_module(one):\n    assert shaped(eqlike.Module)\n"
            ),
        },
        "eqlike",
        ("eqlike/affine.py", "tests/test_affine.py"),
        ("eqlike/__init__.py", "tests/conftest.py"),
        said=(_SAID,),
    ),
    "flat, tests are a package, an import hook, no conftest": Existing(  # optimistix
        {
            "pyproject.toml": _project("optlike"),
            "optlike/__init__.py": (
                "from jaxtyping import install_import_hook\n\n"
                'with install_import_hook("optlike", "beartype.beartype"):\n    from ._root import Root as Root\n'
            ),
            "optlike/_root.py": "class Root: ...\n",
            "tests/__init__.py": "",
            "tests/helpers.py": "ONE = 1\n",
            "tests/test_root.py": (
                "import optlike\n\nfrom .helpers import ONE\n\n\ndef test_root():\n    assert optlike.Root and ONE\n"
            ),
        },
        "optlike",
        ("optlike/affine.py", "tests/test_affine.py"),
        ("optlike/__init__.py",),
        also=("tests/conftest.py",),
        said=(_SAID,),
    ),
    "src, importlib in pytest.ini, names such as root_test.py, absltest": Existing(  # jax
        {
            "pyproject.toml": _project("jaxlike"),
            "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\npython_files = *_test.py\n",
            "src/jaxlike/__init__.py": "",
            "src/jaxlike/root.py": "ONE = 1\n",
            "tests/conftest.py": _FIXTURE,
            "tests/root_test.py": (
                "import unittest\n\nfrom jaxlike.root import ONE\n\n\n"
                "class RootTest(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(ONE, 1)\n\n\n"
                'if __name__ == "__main__":\n    unittest.main()\n'
            ),
        },
        "jaxlike",
        ("src/jaxlike/affine.py", "tests/affine_test.py"),
        ("src/jaxlike/__init__.py", "tests/conftest.py"),
        ("src",),
        said=(_SAID,),
    ),
    "flat, tests in subfolders, unittest beside, setup.cfg": Existing(  # flax
        {
            "pyproject.toml": _project("flaxlike"),
            "setup.cfg": "[tool:pytest]\naddopts = -ra\n",
            "flaxlike/__init__.py": '__version__ = "1"\n',
            "tests/linen/linen_test.py": (
                "import unittest\n\nimport flaxlike\n\n\nclass LinenTest(unittest.TestCase):\n"
                "    def test_version(self):\n        self.assertTrue(flaxlike.__version__)\n"
            ),
            "tests/nnx/test_nnx.py": "import flaxlike\n\n\ndef test_nnx():\n    assert flaxlike\n",
        },
        "flaxlike",
        ("flaxlike/affine.py", "tests/test_affine.py"),
        ("flaxlike/__init__.py",),
        also=("tests/conftest.py",),
    ),
    "src, importlib, strict, warnings are errors, no conftest": Existing(  # scientific-python/cookie
        {
            "pyproject.toml": _project(
                "scilike",
                '[tool.pytest.ini_options]\nminversion = "6.0"\ntestpaths = ["tests"]\nfilterwarnings = ["error"]\n'
                'xfail_strict = true\naddopts = ["-ra", "--strict-markers", "--strict-config", "--import-mode=importlib"]\n',
            ),
            "src/scilike/__init__.py": 'from __future__ import annotations\n\n__all__ = ["__version__"]\n__version__ = "1"\n',
            "tests/test_package.py": (
                "from __future__ import annotations\n\nimport scilike as m\n\n\ndef test_version():\n    assert m.__version__\n"
            ),
        },
        "scilike",
        ("src/scilike/affine.py", "tests/test_affine.py"),
        ("src/scilike/__init__.py",),
        ("src",),
        also=("tests/conftest.py",),
        said=(_SAID,),
    ),
    "src, tests inside the package": Existing(  # tinygp
        {
            "pyproject.toml": _project("gplike"),
            "src/gplike/__init__.py": "from gplike.root import ONE as ONE\n",
            "src/gplike/root.py": "ONE = 1\n",
            "src/gplike/tests/__init__.py": "",
            "src/gplike/tests/conftest.py": _FIXTURE,
            "src/gplike/tests/test_root.py": "from gplike import ONE\n\n\ndef test_root(one):\n    assert one == ONE\n",
        },
        "gplike",
        ("src/gplike/affine.py", "src/gplike/tests/test_affine.py"),
        ("src/gplike/__init__.py", "src/gplike/tests/conftest.py"),
        ("src",),
    ),
    "poetry, tox.ini, the conftest at the root is imported by name": Existing(
        {
            "pyproject.toml": (
                '[tool.poetry]\nname = "poetic"\nversion = "1"\n\n[tool.poetry.dependencies]\npython = "^3.11"\n'
                'equinox = "*"\n\n[tool.poetry.group.dev.dependencies]\npytest = "*"\n'
            ),
            "tox.ini": "[pytest]\naddopts = --import-mode=importlib\npythonpath = .\n",
            "conftest.py": '"""Ours."""\n\nimport os\n\nONE = 1\nassert os\n',
            "poetic/__init__.py": "",
            "tests/test_root.py": "import poetic\nfrom conftest import ONE\n\n\ndef test_root():\n    assert ONE and poetic\n",
        },
        "poetic",
        ("poetic/affine.py", "tests/test_affine.py"),
        ("poetic/__init__.py", "conftest.py"),
    ),
    "a part of a namespace package, .pytest.toml": Existing(
        {
            "pyproject.toml": _project("org.lib"),
            ".pytest.toml": '[pytest]\ntestpaths = ["checks"]\naddopts = ["--import-mode=importlib"]\n',
            "src/org/lib/__init__.py": "",
            "checks/test_root.py": "import org.lib\n\n\ndef test_root():\n    assert org.lib\n",
        },
        "org.lib",
        ("src/org/lib/affine.py", "checks/test_affine.py"),
        ("src/org/lib/__init__.py",),
        ("src",),
        also=("checks/conftest.py",),
    ),
    "a member of a workspace": Existing(
        {
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n\n[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n',
            "packages/core/pyproject.toml": _project("core-lib"),
            "packages/core/src/core_lib/__init__.py": "",
            "packages/core/tests/test_root.py": "import core_lib\n\n\ndef test_root():\n    assert core_lib\n",
            "packages/more/pyproject.toml": _project("more-lib"),
            "packages/more/src/more_lib/__init__.py": "",
            "packages/more/tests/test_root.py": "import more_lib\n\n\ndef test_root():\n    assert more_lib\n",
        },
        "core_lib",
        ("packages/core/src/core_lib/affine.py", "packages/core/tests/test_affine.py"),
        ("packages/core/src/core_lib/__init__.py",),
        ("packages/core/src", "packages/more/src"),
        "packages/core",
        also=("packages/core/tests/conftest.py",),
    ),
}
