"""Skeleton for an author to fill in: `specs/NAME.py` with a field and a call."""

from typing import Any

from scaffold.files.fileset import File, Plan, make_plan
from scaffold.history.copies import with_copies
from scaffold.in_project.layout import Layout
from scaffold.in_project.spec_files import SpecFiles
from scaffold.kind import NAMES, kind_of
from scaffold.spec.names import class_name_faults, stem
from scaffold.spec.reading.read import read_spec


def can_begin(name: str, kind: str, layout: Layout) -> bool:
    """Whether a skeleton is possible: a legal name, a kind with calls and instances, and no spec yet."""
    is_sound = not class_name_faults(name, "") and kind in NAMES and kind_of(kind).takes("call")
    return is_sound and kind_of(kind).has_instances and SpecFiles(layout).find(name) is None


def plan_skeleton(name: str, kind: str, layout: Layout, *, force: bool = False) -> Plan:
    """Plan the skeleton alone."""
    from scaffold.convert.write_skeleton import write_skeleton

    raw = _beginning(name, kind)
    text = write_skeleton([(raw, read_spec(raw, name))])
    return with_copies(make_plan(layout.root, [File(layout.specs / f"{stem(name)}.py", text)], force=force))


def _beginning(name: str, kind: str) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "doc": "What it is.",
        "fields": {"weight": {"type": "f[out_size,in_size]", "role": "param", "init": "lecun_normal"}},
        "call": {
            "args": "x: f[in_size]",
            "returns": "f[out_size]",
            "doc": "What it does.",
            "body": "return self.weight @ x",
        },
    }
