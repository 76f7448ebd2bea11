"""Kinds of class, each in a file that is found by the kind's name.

A new kind needs a file here that ends in `KIND = ...`, templates, and specs in `generated_examples/specs/`.
It defines its summary and the context of its templates. Other attributes and methods of `scaffold.kind.Kind`
are overridden as needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scaffold.kind import Kind


def load_kind(name: str) -> "Kind":
    """Import and return the kind of this name."""
    return import_module(f"scaffold.kinds.{name.replace('-', '_')}").KIND
