"""Removal of exports of departed classes from the `__init__.py` of their package."""

from collections.abc import Iterable, Iterator
from functools import partial

from scaffold.files.fileset import Edit
from scaffold.history.records import Record
from scaffold.in_project.formatter import line_length
from scaffold.in_project.layout import Layout
from scaffold.registration.exports import edited_file, lazy_form


def withdrawals(records: Iterable[Record], layout: Layout) -> Iterator[Edit]:
    """Yield the edits that remove the exports of these records from their packages."""
    for record in records:
        init_file = record.files_beside("__init__.py")
        if not record.package or init_file is None:
            continue
        form = lazy_form(layout.root / init_file, init_file.as_posix())
        path = edited_file(init_file, form)
        if (layout.root / path).is_file():
            withdrawn = _detached if form == "attach" else _withdrawn
            yield Edit(path, partial(withdrawn, record, layout, path.as_posix()))


def _detached(record: Record, layout: Layout, where: str, source: bytes) -> bytes:
    from scaffold.as_clean import as_clean
    from scaffold.registration.lazy_exports import detach

    cleaned = partial(as_clean, place=layout.root / where)
    for name in record.names:
        source = detach(source, record.stem, name, where=where, cleaned=cleaned)
    return source


def _withdrawn(record: Record, layout: Layout, where: str, source: bytes) -> bytes:
    from scaffold.registration.edits import unregister

    width = line_length(layout)
    return unregister(source, record.stem, record.names, package=record.package, where=where, width=width)
