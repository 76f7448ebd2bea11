"""Choice of the classes that a package re-exports, and of the form."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from msgspec import Struct

from scaffold.files.fileset import Edit
from scaffold.files.places import read_regular
from scaffold.in_project.dependencies import Dependencies, requirement
from scaffold.in_project.formatter import line_length
from scaffold.in_project.layout import Layout
from scaffold.source.text import listed


class Export(Struct, frozen=True):
    """Class to re-export, with the stem of its module."""

    stem: str
    name: str


def exports(
    new_exports: Sequence[Export], layout: Layout, dependencies: Dependencies, *, register: bool, adding: bool
) -> tuple[list[Edit], list[str]]:
    """Return the edits that re-export the classes, and notes on classes left out.

    A class with an undeclared dependency is left out, because the package could no longer be imported without
    it. It stays if the dependency is being added, or if the package loads names lazily.
    """
    init_file = layout.init_file
    if init_file is None or not register:
        return [], [f"{init_file}: left as it is, as `--no-register` says"] if init_file else []
    edits: list[Edit] = []
    eager: list[Export] = []
    notes: list[str] = []
    left_out: dict[tuple[str, ...], list[str]] = {}
    form = lazy_form(layout.root / init_file, init_file.as_posix())
    for export in new_exports:
        missing = () if adding or form.startswith("attach") else dependencies.of(export.stem)
        if form == "__getattr__":
            notes.append(_by_hand(init_file, export))
        elif missing:
            left_out.setdefault(tuple(missing), []).append(export.name)
        elif form == "attach":
            where = init_file.as_posix()
            edits.append(Edit(init_file, partial(_attached, export, layout.root / init_file, where)))
        else:
            eager.append(export)
    notes += [_left_out(init_file, classes, missing) for missing, classes in left_out.items()]
    return [*edits, *_registering(eager, layout, init_file, form)], notes


def _by_hand(init_file: PurePosixPath, export: Export) -> str:
    return (
        f"{init_file}: left as it is, since it loads names lazily by a `__getattr__` of its own; "
        f"add `{export.name}` of `.{export.stem}` to it by hand"
    )


def _left_out(init_file: PurePosixPath, classes: Iterable[str], missing: Sequence[str]) -> str:
    names = " and ".join(f"`{name}`" for name in missing)
    return (
        f"{init_file}: does not import {listed(f'`{name}`' for name in classes)}, since the project does not declare "
        f"{names}, without which the package could not be imported any more; `--add-dependencies` adds it and the import"
    )


def lazy_form(place: Path, where: str) -> str:
    """Return the form of a package's lazy imports, or an empty text for eager imports."""
    from scaffold.files.pysource import Source
    from scaffold.registration.lazy_exports import find_lazy  # here, because few packages do

    content = read_regular(place) if place.is_file() else b""
    if b"__getattr__" not in content and b"attach" not in content:
        return ""
    return find_lazy(Source.of(content, where))


def _registering(
    new_exports: Sequence[Export], layout: Layout, init_file: PurePosixPath, form: str
) -> Iterator[Edit]:
    """Yield the edit that imports all classes."""
    path = edited_file(init_file, form)
    if new_exports:
        yield Edit(path, partial(_registered, new_exports, layout, path.as_posix()))


def edited_file(init_file: PurePosixPath, form: str) -> PurePosixPath:
    """Return the file that lists a package's imports: `__init__.py`, or the stub beside it."""
    from scaffold.registration.lazy_exports import stub_of

    return stub_of(init_file) if form == "attach_stub" else init_file


def _attached(export: Export, place: Path, where: str, source: bytes) -> bytes:
    from scaffold.as_clean import as_clean
    from scaffold.registration.lazy_exports import attach

    after = attach(source, export.stem, export.name, where=where)
    return source if after == source else as_clean(source, after, place)


def _registered(new_exports: Sequence[Export], layout: Layout, where: str, source: bytes) -> bytes:
    from scaffold.registration.edits import register_all  # here, because only a package needs it

    pairs = [(export.stem, export.name) for export in new_exports]
    return register_all(source, pairs, package=layout.package, where=where, width=line_length(layout))


# -- what is undeclared ------------------------------------------------------------------------------------------------


def dependency_notes(missing: Dependencies, *, adding: bool) -> Iterator[str]:
    """Yield notes on undeclared dependencies, and on the option that declares them."""
    if adding:
        return
    if missing.package:
        names = ", ".join(map(requirement, missing.package))
        yield f"pyproject.toml: does not declare {names}; add it, or run the command with `--add-dependencies`"
    if missing.tests:
        yield f"pyproject.toml: does not declare {', '.join(map(requirement, missing.tests))}, which the tests need"
