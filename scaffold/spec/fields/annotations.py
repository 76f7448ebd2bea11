"""Annotations of fields in a class that stays as written, where the type grammar says less."""

from scaffold.source.definitions import annotated_names, class_statement, without_parameters
from scaffold.source.instance import last_name
from scaffold.spec.grammar.kept_annotations import without_none
from scaffold.spec.model import ModuleSpec
from scaffold.spec.once import once


def is_tuple_as_written(spec: ModuleSpec, name: str) -> bool:
    """Whether a field is annotated as a tuple, to which emitted constructors convert a list.

    A class that stays as written has no such constructor.
    """
    return name in _tuples(spec)


@once
def _tuples(spec: ModuleSpec) -> frozenset[str]:
    node = class_statement(spec.source, spec.name)
    fields = () if node is None else annotated_names(node.body)
    heads = ((name, without_parameters(without_none(field.annotation))) for name, field in fields)
    return frozenset(name for name, head in heads if last_name(head) in ("tuple", "Tuple"))
