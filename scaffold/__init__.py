"""Generator of JAX modules and their tests from short specs.

The flow is `load_spec`, then `plan`, then `publish`:

    layout = find_layout(Path.cwd())
    publish(plan([load_spec(Path("specs/affine.toml"))], layout))
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scaffold.kind import provide
from scaffold.kinds import load_kind

# Not lazily: importing the module of this name later would put the module in the function's place.
from scaffold.publish import publish

provide(load_kind)

if TYPE_CHECKING:
    from scaffold.errors import Fault, ScaffoldError
    from scaffold.generate import load_spec
    from scaffold.generate import plan_modules as plan
    from scaffold.in_project.layout import Layout, find_layout

__all__ = ["Fault", "Layout", "ScaffoldError", "find_layout", "load_spec", "plan", "publish"]

_HOMES = {
    "Fault": ("scaffold.errors", "Fault"),
    "Layout": ("scaffold.in_project.layout", "Layout"),
    "ScaffoldError": ("scaffold.errors", "ScaffoldError"),
    "find_layout": ("scaffold.in_project.layout", "find_layout"),
    "load_spec": ("scaffold.generate", "load_spec"),
    "plan": ("scaffold.generate", "plan_modules"),
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, because `scaffold --help` uses none."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
