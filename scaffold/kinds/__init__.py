"""The kinds of class: one file each, found by its name.

To add a kind is to add a file here that ends in `KIND = ...`, a folder of templates under the same name, and specs in
`generated_examples/specs/`. A kind says its summary and the context of its templates; what else it says overrides an attribute or a
method of `scaffold.kind.Kind`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scaffold.kind import Kind


def load_kind(name: str) -> "Kind":
    """The kind of this name; its file is imported when it is asked for."""
    return import_module(f"scaffold.kinds.{name.replace('-', '_')}").KIND
