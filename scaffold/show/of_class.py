"""A class that exists as a tree: an instance, as the interpreter of the user's project builds it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from scaffold.adopt import Wanted
from scaffold.adopt.inquiry import each_class, label_of
from scaffold.errors import Fault, ScaffoldError
from scaffold.history.records import Records
from scaffold.in_project.layout import Layout
from scaffold.show.roles import role_of_leaf
from scaffold.show.tree import Dim, Part, Tree

Answer = Mapping[str, Any]
CONTAINERS = ("tuple", "list", "dict")
_COUNT = re.compile(r"depth|layers|steps|iter")
"""What names of counts have in them that are no size of an array."""


def trees_of_class(wanted: Wanted, layout: Layout, here: Path) -> tuple[list[Tree], list[Fault]]:
    """The trees of the classes, and why others cannot be built. Raises `ScaffoldError` where none can be."""
    answers, _ = each_class(
        wanted,
        layout,
        here,
        lambda inquiry, child, target: (label_of(target), inquiry.ask_said(child, "show", target)),
        lambda target, why: (label_of(target), {"why": why}),
        lambda done, every, label: None,
    )
    faults = [_fault(label, answer) for label, answer in answers if answer.get("why") or answer.get("error")]
    trees = [
        _with_spec(tree_of(label.partition(":")[2], answer), label, layout)
        for label, answer in answers
        if "leaves" in answer
    ]
    if not trees:
        raise ScaffoldError.of(faults)
    return trees, faults


def _with_spec(tree: Tree, label: str, layout: Layout) -> Tree:
    """The tree with a note on the spec of a generated class, which says its roles and names its sizes."""
    module, _, name = label.partition(":")
    record = Records(layout.root).of_class(name)
    if record is None or record.module != module:
        return tree
    return replace(tree, notes=(*tree.notes, f"its spec says the roles: `scaffold show {record.spec}`"))


def _fault(label: str, answer: Answer) -> Fault:
    unknown = [f"--set {name}=..." for name in answer.get("unknown", ())]
    fix = f"say it with {' '.join(unknown)}" if unknown else "say how it is built with `--build`"
    return Fault(label, f"no instance was built: {answer.get('why') or answer['error']}", fix)


def tree_of(name: str, answer: Answer) -> Tree:
    """The tree of one answer."""
    sizes = _named_sizes(answer)
    leaves = {leaf["path"]: _leaf(leaf, answer, sizes) for leaf in answer["leaves"]}
    static = {path: Part("", "static", path, value=value) for path, value in answer["statics"]}
    absent = {path: Part("", "none", path, value="None") for path in answer["absent"]}
    every = {**leaves, **static, **absent}
    used = {dim.name for leaf in leaves.values() for dim in leaf.dims}
    shown = {name: size for name, size in sizes.items() if any(name in text.split("*") for text in used)}
    notes = (f"built by `{answer['build']}`", *_presumed(leaves.values(), answer))
    parts = tuple(_below("", every, answer))
    return Tree(name, answer["kind"], parts, shown, notes, bool(answer["calls"]))


def _named_sizes(answer: Answer) -> dict[str, int]:
    """The integers above 1 that the class itself has a name for."""
    own_sizes = {path: size for path, size in answer["numbers"].items() if "." not in path}
    return {name: size for name, size in {**own_sizes, **answer["sizes"]}.items() if size > 1}


def _presumed(leaves: Iterable[Part], answer: Answer) -> Iterator[str]:
    if answer["kind"] != "nnx" and not answer["marks"] and any(leaf.role == "param" for leaf in leaves):
        yield "a float array is taken to be trained, since no `trainable()` and no `stop_gradient` says otherwise"


def _beside(path: str, answer: Answer) -> dict[str, int]:
    """The integers that the node has beside a leaf."""
    node = path.rpartition(".")[0]
    pairs = ((where.rpartition("."), size) for where, size in answer["numbers"].items())
    return {name: size for (above, _, name), size in pairs if above == node and size > 1}


def _below(above: str, leaves: Mapping[str, Part], answer: Answer) -> Iterator[Part]:
    """The parts right below a path, in the order of the attributes of the node there."""
    prefix = f"{above}." if above else ""
    nodes: Mapping[str, str] = answer["nodes"]
    every = (path[len(prefix) :].partition(".")[0] for path in (*nodes, *leaves) if path.startswith(prefix))
    present = dict.fromkeys(every)
    attributes = [name for name in answer["order"].get(above, ()) if name in present]
    for name in dict.fromkeys([*attributes, *present]):
        path = prefix + name
        if path in leaves:
            yield _renamed(leaves[path], name)
            continue
        parts = tuple(_below(path, leaves, answer))
        class_name = nodes.get(path, "")
        # The Variable of NNX is a node with one array.
        if len(parts) == 1 and parts[0].is_array and parts[0].name in ("value", "raw_value"):
            yield _renamed(parts[0], name)
        else:
            role = "items" if class_name in CONTAINERS else "module"
            yield Part(_shown(name), role, path, class_name=class_name, parts=parts)


def _renamed(part: Part, name: str) -> Part:
    return replace(part, name=_shown(name))


def _shown(name: str) -> str:
    return f"[{name}]" if name.isdigit() else name


def _leaf(leaf: Answer, answer: Answer, sizes: Mapping[str, int]) -> Part:
    path = str(leaf["path"])
    if "shape" not in leaf:
        is_number = leaf["role"] == "number"
        role = role_of_leaf(answer["kind"], is_number=is_number) if is_number else leaf["role"]
        return Part("", role, path, value=leaf["value"])
    beside = _beside(path, answer)
    shape = leaf["shape"]
    said = leaf["dims"] if len(leaf["dims"]) == len(shape) else [""] * len(shape)
    dims = tuple(
        Dim(size, _dim_name(dim, size, beside, sizes)) for dim, size in zip(said, shape, strict=True)
    )
    is_shared = leaf["owner"] != path
    role = "shared" if is_shared else leaf["role"]
    return Part("", role, path, leaf["dtype"], dims, leaf["owner"] if is_shared else "")


def _dim_name(said: str, size: int, *tables: Mapping[str, int]) -> str:
    """The name of a dim as its annotation has it, or that of the one integer of this size, nearest first."""
    if said.isidentifier():
        return said
    for sizes in tables:
        equal = [name for name, value in sizes.items() if value == size and not _COUNT.search(name)]
        multiples = [
            f"{size // value}*{name}"
            for name, value in sizes.items()
            if size in (2 * value, 3 * value, 4 * value)
        ]
        candidates = equal or multiples
        if len(candidates) == 1:
            return candidates[0]
    return ""
