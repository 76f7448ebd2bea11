"""Entry point of the child process: `python .../child/__main__.py WHEEL TYPES`.

WHEEL is the wheel of the laws, and TYPES are packages whose annotations are checked at each call.
"""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load(name: str, folder: Path) -> ModuleType:
    """Load a package by its folder, so that nothing beside it gets on `sys.path`."""
    init = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(name, init, submodule_search_locations=[str(folder)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_laws(wheel: str) -> ModuleType:
    """Import the laws from the wheel, whichever version is installed, and restore `sys.path`."""
    sys.path.insert(0, wheel)
    try:
        return importlib.import_module("pytree_laws")
    finally:
        sys.path.remove(wheel)


def main() -> None:
    here = Path(__file__).resolve().parent
    sys.path[:] = [place for place in sys.path if place and Path(place).resolve() != here]
    load("scaffold_adopt", here)
    from scaffold_adopt.protocol.serve import serve  # pyright: ignore[reportMissingImports]

    _, wheel, checked_types = sys.argv
    serve(lambda: load_laws(wheel), checked_types)


if __name__ == "__main__":
    main()
