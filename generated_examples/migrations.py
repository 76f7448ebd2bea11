"""Files of former versions of a class, read as its newest version would have written them.

A class lists in `migrations` what changed in it, oldest first. Which of the changes a file
lacks is seen from the fields that it has, for each part of a tree by itself.
"""

import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple, TypeVar

import jax

from serialisation import Content, describe, load_tree, stored, walk

_Tree = TypeVar("_Tree")


class Migration(NamedTuple):
    """One change of a class. Fields are paths below an instance: `weight`, `norm.scale`."""

    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: Mapping[str, str] = {}
    """The path now, by the former one."""
    former: str = ""
    """What the class was called: `layers.Dense`."""


def load_migrated(path: str | PathLike[str], like: _Tree) -> _Tree:
    """Read what `save_tree` wrote of `like`, or of former versions of its classes.

    **Arguments:**

    - `path`: the file.
    - `like`: an instance of the same configuration, which stays as it is. A new field
        gets the value that it has here.

    **Raises:**

    - `ValueError` if the file is damaged, or differs in what no migration tells.

    Warns of leaves that the file holds, and the class has no more.
    """
    return load_tree(path, like, change=lambda content: _migrated(content, like, path))


def _migrated(content: Content, like: Any, path: Any) -> Content:
    here, leaves = describe(like)
    places: dict[str, str | None] = {place: place for place in content.tree}
    texts, added = dict(content.tree), set[str]()
    for prefix, steps in _changes(like):
        below = {was: now for was, now in places.items() if _is_below(now, prefix)}
        names = {was: str(now)[len(prefix) :] for was, now in below.items()}
        fields = {
            _field(place[len(prefix) :]) for place in here if _is_below(place, prefix)
        }
        missing = _missing(steps, names.values(), fields)
        for was, name in names.items():
            after = _after(missing, name)
            places[was] = None if after is None else prefix + after
            if not name and texts[was] in {step.former for step in steps}:
                texts[was] = here[prefix]
        added |= {f"{prefix}.{name}" for name in _added(missing)}
    _warn_of_dropped((was for was, now in places.items() if now is None), content, path)
    kept = {was: now for was, now in places.items() if now is not None}
    new = Content(
        {now: texts[was] for was, now in kept.items()},
        {now: content.checksums.get(was) for was, now in kept.items()},
        {
            now: content.tensors[was]
            for was, now in kept.items()
            if was in content.tensors
        },
    )
    for place in here:
        if place not in new.tree and any(_is_below(place, name) for name in added):
            _add(new, place, here[place], leaves.get(place))
    return new


def _changes(like: Any) -> Iterator[tuple[str, Sequence[Migration]]]:
    """The migrations of each node that has some, the outermost first, with its path."""
    for place, value, is_leaf in walk(like):
        steps = () if is_leaf else getattr(value, "migrations", ())
        if steps and isinstance(value, type):
            yield place, steps


def _missing(
    steps: Sequence[Migration], names: Iterable[str], fields: set[str]
) -> Sequence[Migration]:
    """The fewest migrations after which a part of a file has the fields of now."""
    listed = [*names]
    for start in range(len(steps), -1, -1):
        after = (_after(steps[start:], name) for name in listed)
        found = {_field(name) for name in after if name is not None}
        if found | {_field(f".{name}") for name in _added(steps[start:])} == fields | {
            ""
        }:
            return steps[start:]
    return ()


def _after(steps: Iterable[Migration], name: str) -> str | None:
    """What a path below an instance is now; None where it was dropped."""
    for step in steps:
        if any(_is_below(name, f".{field}") for field in step.dropped):
            return None
        moved = (was for was in step.renamed if _is_below(name, f".{was}"))
        was = next(moved, None)
        if was is not None:
            name = f".{step.renamed[was]}{name[len(was) + 1 :]}"
    return name


def _added(steps: Sequence[Migration]) -> set[str]:
    """The new fields, as they are called now."""
    later = (
        (field, steps[i + 1 :]) for i, step in enumerate(steps) for field in step.added
    )
    return {name[1:] for field, rest in later if (name := _after(rest, f".{field}"))}


def _field(name: str) -> str:
    """The field that a path below an instance begins with."""
    found = re.match(r"\.(\w+)", name)
    return found[1] if found else ""


def _is_below(place: str | None, prefix: str) -> bool:
    """Whether a path is `prefix`, or leads on from there."""
    if place is None or not place.startswith(prefix):
        return False
    return not prefix or place[len(prefix) :][:1] in ("", ".", "[", " ")


def _add(content: Content, place: str, told: str, leaf: Any) -> None:
    """Have the content hold what is new, as `like` has it."""
    content.tree[place] = told
    if leaf is not None:
        if isinstance(leaf, jax.ShapeDtypeStruct):
            raise ValueError(
                f"`{place}` is new: `like` must be an instance, which has its value"
            )
        form, data = stored(place, leaf)
        content.tensors[place], content.checksums[place] = (
            (form, data),
            zlib.crc32(data),
        )


def _warn_of_dropped(places: Iterable[str], content: Content, path: Any) -> None:
    dropped = [place for place in places if place in content.tensors]
    if dropped:
        warnings.warn(
            f"`{path}` holds what the class has no more: {', '.join(dropped)}",
            stacklevel=7,
        )
