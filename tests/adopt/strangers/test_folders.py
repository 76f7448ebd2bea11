"""`scaffold adopt` finds the modules of a package as Python would import them, in folders without an `__init__.py` too."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scaffold.adopt.processes.process import Child
from tests.support.trees import write_tree

BASE = "import equinox as eqx\n\n\nclass Base(eqx.Module):\n    pass\n"
FILES = {
    "company/ml/base.py": BASE,
    "company/ml/layers.py": "from .base import Base\n\n\nclass Layer(Base):\n    size: int\n",
    "company/ml/broken.py": "def f(:\n",
    "company/ml/lacks.py": "import no_such_module\n",
    "company/ml/leaves.py": "raise SystemExit('no device')\n",
    "company/data/readme.txt": "",
    "shop/__init__.py": "",
    "shop/models/goods.py": BASE,
    "shop/examples/run.py": "raise SystemExit('a program')\n",
}


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], dict[str, Any]]]:
    folder = write_tree(tmp_path_factory.mktemp("packages"), FILES)
    child = Child([sys.executable], folder)

    def listed_of(module: str) -> dict[str, Any]:
        target = {"text": module, "module": module, "name": "", "whole": True}
        return child.ask({"do": "list", "folders": [str(folder)], "targets": [target]}, 60.0)

    yield listed_of
    child.close()


def test_the_folders_of_a_namespace_are_looked_through(listed: Callable[[str], dict[str, Any]]) -> None:
    company = listed("company")
    assert [(one["module"], one["name"]) for one in company["classes"]] == [
        ("company.ml.base", "Base"),
        ("company.ml.layers", "Layer"),
    ]
    assert [one["module"] for one in company["passed_over"]] == [
        "company.ml.broken",
        "company.ml.lacks",
        "company.ml.leaves",
    ]


def test_so_are_those_of_a_package_but_for_programs(listed: Callable[[str], dict[str, Any]]) -> None:
    shop = listed("shop")
    assert [(one["module"], one["name"]) for one in shop["classes"]] == [("shop.models.goods", "Base")]
    assert not shop["passed_over"]
