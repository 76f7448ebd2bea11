"""Classes of a file that are built of their fields: what others do with these says their shapes."""

import ast
from collections.abc import Iterable, Mapping

from scaffold.spec.skeletons.shapes.layers import dims_of
from scaffold.spec.skeletons.shapes.unknown_shapes import Record, Shape, Shapes
from scaffold.spec.source.definitions import annotated_names, method_of
from scaffold.spec.source.expressions import nodes_of

Records = Mapping[str, Record]


def records_of(classes: Mapping[str, ast.ClassDef]) -> dict[str, Record]:
    """The classes that have fields and no constructor of their own, by name."""
    fields = {
        name: tuple(field for field, _ in annotated_names(node.body))
        for name, node in classes.items()
        if method_of(node, "__init__") is None
    }
    return {name: Record(name, names) for name, names in fields.items() if names}


def record_of(annotation: ast.expr | None, records: Records) -> Record | None:
    """The class of the file that an annotation names, in quotes or not; one that may be None, too."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return records.get(annotation.value)
    names = [] if annotation is None else [part.id for part in nodes_of(ast.Name, annotation)]
    is_plain = isinstance(annotation, ast.Name | ast.BinOp)
    return records.get(names[0]) if is_plain and len(names) == 1 else None


def learn_declared(shapes: Shapes, records: Records, classes: Mapping[str, ast.ClassDef]) -> None:
    """Learn what the annotations of these classes say."""
    for name, record in records.items():
        for field, statement in annotated_names(classes[name].body):
            shapes.learn(record.field(field), dims_of(statement.annotation))


def built_record(
    shapes: Shapes, record: Record, taken: Iterable[Shape], named: Mapping[str, Shape]
) -> Record:
    """The instance that `Moments(mean, cov=cov)` builds, or `moments._replace(cov=cov)`, of arrays in this order."""
    for field, shape in (*zip(record.fields, taken, strict=False), *named.items()):
        if field in record.fields:
            shapes.unify(record.field(field), shape)
    return record
