"""Tree of an existing class, from an instance that the project's interpreter builds."""

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
Series = tuple[int | None, ...]
"""An integer in the drawn instance, followed by its values in the instances of other sizes."""
FACTORS = (1, 2, 3, 4)
"""Factors between an axis and the size that names it."""
CONTAINERS = ("tuple", "list", "dict")
_COUNT = re.compile(r"depth|layers|steps|iter")
"""Words in names of counts that are no size of an array."""


def trees_of_class(wanted: Wanted, layout: Layout, here: Path) -> tuple[list[Tree], list[Fault]]:
    """Return the trees of the classes, and faults of classes that could not be built.

    Raises `ScaffoldError` if none could be built.
    """
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
    """Add a note on the spec of a generated class, because only the spec states its roles."""
    module, _, name = label.partition(":")
    record = Records(layout.root).of_class(name)
    if record is None or record.module != module:
        return tree
    return replace(tree, notes=(*tree.notes, f"its spec says the roles: `scaffold show {record.spec}`"))


def _fault(label: str, answer: Answer) -> Fault:
    if answer.get("is_function"):
        return Fault(label, answer["why"], "name a class; `scaffold adopt` tests transformations of optax")
    unknown = [f"--set {name}=..." for name in answer.get("unknown", ())]
    fix = f"say it with {' '.join(unknown)}" if unknown else "say how it is built with `--build`"
    return Fault(label, f"no instance was built: {answer.get('why') or answer['error']}", fix)


def tree_of(name: str, answer: Answer) -> Tree:
    """Return the tree of an answer."""
    sizes = _named_sizes(answer)
    leaves = {leaf["path"]: _leaf(leaf, answer) for leaf in answer["leaves"]}
    static = {path: Part("", "static", path, value=value) for path, value in answer["statics"]}
    absent = {path: Part("", "none", path, value="None") for path in answer["absent"]}
    every = {**leaves, **static, **absent}
    used = {dim.name for leaf in leaves.values() for dim in leaf.dims}
    shown = {name: size for name, size in sizes.items() if any(name in text.split("*") for text in used)}
    notes = (f"built by `{answer['build']}`", *_presumed(leaves.values(), answer))
    parts = tuple(_below("", every, answer))
    return Tree(name, answer["kind"], parts, shown, notes, bool(answer["calls"]))


def _named_sizes(answer: Answer) -> dict[str, int]:
    """Return integers above 1 that the class names."""
    own_sizes = {path: size for path, size in answer["numbers"].items() if "." not in path}
    return {name: size for name, size in {**own_sizes, **answer["sizes"]}.items() if size > 1}


def _presumed(leaves: Iterable[Part], answer: Answer) -> Iterator[str]:
    if answer["kind"] != "nnx" and not answer["marks"] and any(leaf.role == "param" for leaf in leaves):
        yield "a float array is taken to be trained, since no `trainable()` and no `stop_gradient` says otherwise"


def _tables(path: str, answer: Answer) -> Iterator[dict[str, Series]]:
    """Yield tables of integers that may name a dim: first beside the leaf, then of the class."""
    node = path.rpartition(".")[0]
    for above in dict.fromkeys([node, ""]):
        prefix = f"{above}." if above else ""
        yield {
            where.removeprefix(prefix): series("numbers", where, answer)
            for where in answer["numbers"]
            if where.rpartition(".")[0] == above
        }
    yield {name: series("sizes", name, answer) for name in answer["sizes"]}


def series(table: str, name: str, answer: Answer) -> Series:
    """Return an integer of the drawn instance, followed by its values in the instances of other sizes."""
    return tuple(each[table].get(name) for each in (answer, *answer["others"]))


def _below(above: str, leaves: Mapping[str, Part], answer: Answer) -> Iterator[Part]:
    """Yield the parts directly below a path, in the order of the node's attributes."""
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


def _leaf(leaf: Answer, answer: Answer) -> Part:
    path = str(leaf["path"])
    if "shape" not in leaf:
        return Part("", role_of_leaf(answer["kind"], leaf["role"]), path, value=leaf["value"])
    shape, tables = leaf["shape"], [*_tables(path, answer)]
    shapes = [shape, *(other["shapes"].get(path, ()) for other in answer["others"])]
    said = leaf["dims"] if len(leaf["dims"]) == len(shape) else [""] * len(shape)
    dims = tuple(
        Dim(size, said[axis] if said[axis].isidentifier() else _dim_name(_sizes_of(axis, shapes), tables))
        for axis, size in enumerate(shape)
    )
    is_shared = leaf["owner"] != path
    role = "shared" if is_shared else leaf["role"]
    return Part("", role, path, leaf["dtype"], dims, leaf["owner"] if is_shared else "")


def _sizes_of(axis: int, shapes: list[list[int]]) -> Series:
    """Return the size of an axis in all instances, with None for instances of another rank."""
    return tuple(shape[axis] if len(shape) == len(shapes[0]) else None for shape in shapes)


def _dim_name(dim: Series, tables: Iterable[Mapping[str, Series]]) -> str:
    """Return the name of the only integer that the dim follows, as `width` or `3*width`, or an empty text."""
    for table in tables:
        names = [name for name in table if not _COUNT.search(name)]
        followed = {
            factor: [name for name in names if follows(dim, table[name], factor)] for factor in FACTORS
        }
        factor = next((factor for factor in FACTORS if followed[factor]), 1)
        if len(followed[factor]) == 1:
            return f"{factor}*" * (factor > 1) + followed[factor][0]
    return ""


def follows(dim: Series, sizes: Series, factor: int) -> bool:
    """Whether a dim is `factor` times an integer in all instances, and differs between them."""
    pairs = [pair for pair in zip(dim, sizes, strict=True) if None not in pair]
    return len({*pairs}) > 1 and all(size == factor * (named or 0) for size, named in pairs)
