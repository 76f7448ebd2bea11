"""Kind `abstract`: a base of Modules, with fields and methods that its subclasses must define."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from scaffold.emit.annotations import Scope
from scaffold.emit.bases import base_names
from scaffold.emit.docs import METHOD, class_doc, with_docs
from scaffold.emit.members.members import call_context, properties
from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.source.text import docstring
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.rules.bases import asks_for, asks_for_call, lineage

_OF_MAKING = (
    *("arguments", "setup", "constructor_doc", "groups", "save", "migrate", "sharding"),
    *("init", "preprocess", "optional", "default", "converter", "check", "preset", "frozen"),
)
_OF_INSTANCES = ("cases", "holds", "dtypes", "reference", "invariants")


def _held_annotation(field: Field, scope: Scope) -> str:
    annotation = scope.stored(field.type, static=not field.dynamic)
    return f"{annotation} | None" if field.nullable else annotation


def _asked(every: tuple[ModuleSpec, ...]) -> tuple[str, ...]:
    """Return the abstract methods that no class in the lineage implements."""
    pairs = [(spec, method) for spec in every for method in spec.methods]
    made = {method.name for spec, method in pairs if not asks_for(spec, method)}
    return tuple(dict.fromkeys(method.name for _, method in pairs if method.name not in made))


class AbstractKind(Kind):
    """Kind `abstract`."""

    summary = (
        "an abstract equinox.Module: AbstractVar fields and an abstract call, for concrete classes to fulfil"
    )
    given_arrays = "param"
    imports: ClassVar[Mapping[str, str]] = {
        "abc": "import abc",
        "AbstractLaws": "from pytree_laws.abstract import AbstractLaws",
    }
    laws = ("abstract",)
    has_instances = False
    constructors = ("factory",)
    adds = ("bases", "generic")
    lacks = (*_OF_INSTANCES, *_OF_MAKING)

    def context(self, spec: ModuleSpec) -> dict[str, Any]:
        """Return the context of `templates/abstract`."""
        scope = Scope.of(spec)
        return {
            "name": spec.name,
            "bases": base_names(spec),
            "doc": class_doc(spec),
            "fields": with_docs(
                spec,
                {f.name: f"{f.name}: eqx.AbstractVar[{_held_annotation(f, scope)}]" for f in spec.stored},
            ),
            "properties": [list(member) for member in properties(spec)],
            **call_context(spec),
        }

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Yield a fault if the class has no abstract field, call or method."""
        asked = asks_for_call(spec) or any(asks_for(spec, method) for method in spec.methods)
        has_member = any(field.stored for field in spec.fields) or asked
        if not has_member:
            fix = 'declare a field, or write `[call]` with `body = "..."`'
            yield Fault("fields", "nothing is abstract", fix)

    def tests(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
        """Return the context of tests for a class without instances."""
        every = (*reversed(lineage(spec, known)), spec)
        fields = dict.fromkeys(
            field.name for class_spec in every for field in class_spec.fields if field.stored
        )
        made = any(class_spec.call is not None and not asks_for_call(class_spec) for class_spec in every)
        called = ("__call__",) if not made and any(map(asks_for_call, every)) else ()
        return {
            "name": spec.name,
            "is_abstract": True,
            "module_doc": docstring(f"Tests of `{spec.name}`.", ""),
            "suite_doc": docstring(f"The laws of abstract classes on `{spec.name}`.", METHOD),
            "abstract_fields": repr(tuple(fields)),
            "abstract_methods": repr((*called, *_asked(every))),
            "has_foreign_base": any(base.module for class_spec in every for base in class_spec.bases),
            "test_classes": [],
        }


KIND = AbstractKind()
