"""Records: classes of a file without an `__init__`. Other classes reveal the shapes of their fields."""

import ast
from collections.abc import Iterable, Mapping

from scaffold.source.definitions import annotated_names, method_of, without_parameters
from scaffold.source.expressions import elements_of, nodes_of
from scaffold.source.instance import last_name
from scaffold.spec.grammar.values import SEQUENCES
from scaffold.spec.skeletons.shapes.algebra.kinds_of_shapes import Record, Shape
from scaffold.spec.skeletons.shapes.algebra.unknown_shapes import Shapes
from scaffold.spec.skeletons.shapes.layers.layers import dims_of

Records = Mapping[str, Record]


def records_of(classes: Mapping[str, ast.ClassDef]) -> dict[str, Record]:
    """Return the records of a file by name: classes with fields, or inherited fields, and no `__init__`."""
    records: dict[str, Record] = {}
    for name, node in classes.items():
        inherited = (field for base in _bases(node, records) for field in base.fields)
        names = dict.fromkeys((*inherited, *(field for field, _ in annotated_names(node.body))))
        if names and method_of(node, "__init__") is None:
            records[name] = Record(name, tuple(names))
    return records


def _bases(node: ast.ClassDef, records: Records) -> list[Record]:
    """Return the records that a class inherits from, the last base first, as a dataclass orders fields."""
    bases = map(without_parameters, reversed(node.bases))
    names = map(ast.unparse, bases)
    return [records[name] for name in names if name in records]


def record_of(annotation: ast.expr | None, records: Records) -> Record | None:
    """Return the record that an annotation names, in quotes or with `| None` too, or None."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return records.get(annotation.value)
    names = [] if annotation is None else [part.id for part in nodes_of(ast.Name, annotation)]
    is_plain = isinstance(annotation, ast.Name | ast.BinOp)
    return records.get(names[0]) if is_plain and len(names) == 1 else None


def record_of_elements(annotation: ast.expr | None, records: Records) -> Record | None:
    """Return the record that `list[Section]` or `tuple[Section, ...]` has as each element, or None."""
    if not isinstance(annotation, ast.Subscript) or last_name(annotation.value) not in SEQUENCES:
        return None
    first, *rest = elements_of(annotation.slice)
    is_of_one = all(isinstance(part, ast.Constant) and part.value is ... for part in rest)
    return record_of(first, records) if is_of_one else None


def learn_declared(shapes: Shapes, records: Records, classes: Mapping[str, ast.ClassDef]) -> None:
    """Learn the annotations of records, and that an inherited field has the shape of the base's field."""
    for name, record in records.items():
        own = {field for field, _ in annotated_names(classes[name].body)}
        for base in _bases(classes[name], records):
            for field in (field for field in base.fields if field not in own):
                shapes.unify(base.field(field), record.field(field))
        for field, statement in annotated_names(classes[name].body):
            shapes.learn(record.field(field), dims_of(statement.annotation))


def built_record(
    shapes: Shapes, record: Record, taken: Iterable[Shape], named: Mapping[str, Shape]
) -> Record:
    """Learn the fields of a record from `Moments(mean, cov=cov)` or `moments._replace(cov=cov)`."""
    for field, shape in (*zip(record.fields, taken, strict=False), *named.items()):
        if field in record.fields:
            shapes.learn(record.field(field), shapes.known(shape))  # a number, too
            shapes.learn(shape, shapes.known(record.field(field)))
            shapes.unify(record.field(field), shape)
    return record
