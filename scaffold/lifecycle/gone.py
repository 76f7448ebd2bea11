"""Check for specs that still name removed or renamed classes."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from scaffold.errors import Fault, ScaffoldError
from scaffold.history.records import Record
from scaffold.in_project.spec_files import file_of
from scaffold.lifecycle.project_specs import ProjectSpecs
from scaffold.lifecycle.users import specs_naming
from scaffold.spec import ModuleSpec
from scaffold.spec.fault_locations import located
from scaffold.spec.grammar.types import ClassType, Type, walk


def check_gone(specs: Sequence[ModuleSpec], project: ProjectSpecs, names_now: Mapping[str, str]) -> None:
    """Raise `ScaffoldError` if a spec names a class that is gone.

    This covers `specs`, and other specs that name a class which `specs` drop. `names_now` maps former names
    to new names.
    """
    records = {name: record for name, record in project.by_class.items() if name not in project.classes}
    planned = {file_of(spec.where) for spec in specs}
    going = {
        name: record
        for name, record in records.items()
        if record.spec in planned or project.classes.get(names_now.get(name, "")) in planned
    }
    beside = [
        spec for path in project.described if path not in planned for spec in _read(path, going, project)
    ]
    faults = [
        fault
        for naming, gone in ((specs, records), (beside, going))
        for spec in naming
        for fault in _Gone(gone, names_now, project).faults(spec)
    ]
    if faults:
        files = {spec.where: project.layout.root / file_of(spec.where) for spec in (*specs, *beside)}
        with located(lambda: files):
            raise ScaffoldError.of(faults)


def _read(path: str, going: Mapping[str, Record], project: ProjectSpecs) -> tuple[ModuleSpec, ...]:
    return specs_naming(project.layout.root / path, tuple(going), project.shown)


class _Gone(Struct, frozen=True):
    """Records of classes that are gone, by name."""

    records: Mapping[str, Record]
    names_now: Mapping[str, str]
    project: ProjectSpecs

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Yield a fault for each place of a spec that names such a class."""
        for key, kind in _named(spec):
            classes = (part for part in walk(kind) if isinstance(part, ClassType))
            for class_type in dict.fromkeys(part for part in classes if self._is_one(part)):
                yield self._fault(class_type).below(f"{spec.where}: {key}" if key else spec.where)

    def _is_one(self, class_type: ClassType) -> bool:
        record = self.records.get(class_type.name)
        return record is not None and class_type.module in (None, record.module)

    def _fault(self, class_type: ClassType) -> Fault:
        name = class_type.name
        record, now = self.records[name], self.names_now.get(name)
        if now is not None:
            here = "here" if class_type.module is None else "here, and its module"
            fix = f"write `{now}` {here}; or call it `{name}` again in {self.project.classes[now]}"
            return Fault("", f"names `{name}`, which is called `{now}` now", fix)
        fix = f"bring it back in {record.spec}, or name another class here"
        if not record.classes and not (self.project.layout.root / record.spec).exists():
            fix = f"{fix}; where its module is your own now, delete `{record.path}`"
        return Fault("", f"names `{name}`, which {record.spec} describes no more", fix)


def _named(spec: ModuleSpec) -> list[tuple[str, Type]]:
    """Return the types in a spec with their keys.

    Further types of `ModuleSpec.classes` follow without keys.
    """
    keyed: list[tuple[str, Type]] = [
        *(("bases", base) for base in spec.bases),
        *((f"fields.{field.name}.type", field.type) for field in spec.fields),
        *((f"{key}.args", a.type) for key, method in spec.functions for a in method.call.args if a.type),
        *((f"{key}.returns", kind) for key, method in spec.functions for kind in method.call.returns),
    ]
    seen = {part for _, kind in keyed for part in walk(kind) if isinstance(part, ClassType)}
    return [*keyed, *(("", class_type) for class_type in spec.classes if class_type not in seen)]
