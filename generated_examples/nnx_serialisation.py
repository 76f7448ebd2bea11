"""NNX modules to safetensors files and back: `save_module` and `load_module`."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, TypeVar

from flax import nnx

from serialisation import load_tree, save_tree

_Module = TypeVar("_Module", bound=nnx.Module)


def save_module(path: str | PathLike[str], module: nnx.Module) -> None:
    """Write the state of a module to a file, with its paths and configuration."""
    save_tree(path, *_described(module))


def load_module(path: str | PathLike[str], like: _Module) -> _Module:
    """Read what `save_module` wrote into a new module; `like` stays as it is.

    **Raises:**

    - `ValueError` where the file is damaged, or does not fit `like`.
    """
    values, static = _described(like)
    graphdef, state = nnx.split(like)
    return nnx.merge(graphdef, _replaced(state, load_tree(path, values, static)))


def _described(module: nnx.Module) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of the module's state, and its configuration: classes and plain
    attributes of modules, types of Variables. Both by path.
    """
    values: dict[str, Any] = {}
    static: dict[str, Any] = {}
    for path, node in nnx.iter_modules(module):
        place = "".join(f"{part}." for part in path)
        static[f"{place}class"] = type(node)
        for name, value in sorted(vars(node).items()):
            if "__" not in name and not nnx.is_data(value):
                static[place + name] = value
    for path, one in nnx.to_flat_state(nnx.state(module)):
        place = ".".join(map(str, path))
        static[f"{place}.class"] = type(one)
        values[place] = one.get_value() if isinstance(one, nnx.Variable) else one
    return values, static


def _replaced(state: nnx.State, values: Mapping[str, Any]) -> nnx.State:
    """A new state with new Variables, which hold `values`."""
    return nnx.from_flat_state(
        [
            (path, one.replace(value) if isinstance(one, nnx.Variable) else value)
            for path, one in nnx.to_flat_state(state)
            for value in [values[".".join(map(str, path))]]
        ]
    )
