"""Skeletons, `specs/NAME.py`: classes as their author begins them, to and from the tables of a spec. Nothing is run."""

from scaffold.spec.skeletons.read import Skeleton, read_skeletons
from scaffold.spec.skeletons.writing.write import write_skeleton

__all__ = ["Skeleton", "read_skeletons", "write_skeleton"]
