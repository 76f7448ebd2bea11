"""Specs: from text to a frozen, checked `ModuleSpec`."""

from scaffold.spec.model import ModuleSpec
from scaffold.spec.reading.read import read_spec

__all__ = ["ModuleSpec", "read_spec"]
