"""Checks of specs against each other and against their project."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from scaffold.emit.helpers import HELPERS
from scaffold.emit.members.saving import save_faults
from scaffold.errors import Fault, ScaffoldError, nearest
from scaffold.in_project.hidden_names import Surroundings, name_faults
from scaffold.in_project.layout import Layout
from scaffold.kind import NAMES, kind_of
from scaffold.mesh_axes import Rules
from scaffold.spec.construction.divisions import class_sources
from scaffold.spec.fields.sharding import collisions, named_fields
from scaffold.spec.fields.shared import tie_faults
from scaffold.spec.grammar.types import ClassType, OpaqueType, walk
from scaffold.spec.model import ModuleSpec
from scaffold.spec.names import stem
from scaffold.spec.rules.bases import base_faults, lineage
from scaffold.spec.rules.constructors import beside_faults
from scaffold.spec.rules.examples import unknown_beside
from scaffold.spec.unit import siblings, unit_faults


def with_defaults(spec: ModuleSpec, layout: Layout) -> ModuleSpec:
    """Fill in `save` and sharding rules from the project's settings where the spec says nothing.

    A class that is emitted word for word is left alone, because its author decides.
    """
    if spec.source:
        return spec
    saved = layout.settings.save
    is_own = spec.defines("save") or spec.defines("load")
    takes_it = spec.save is None and kind_of(spec.kind).has_instances and not is_own
    spec = replace(spec, save=True) if saved and takes_it else spec
    return _with_rules(spec, layout.settings.sharding)


def _asks_for_sharding(spec: ModuleSpec, project: Rules) -> bool:
    """Whether the project's rules name a dim of the class, or the class holds submodules."""
    names = {name for dims in named_fields(spec).values() for dim in dims for name in (dim, *dim.split("*"))}
    holds = any(field.role == "module" for field in spec.dynamic)
    return bool(project) and (holds or bool(names & dict(project).keys()))


def _with_rules(spec: ModuleSpec, project: Rules) -> ModuleSpec:
    """Merge the project's sharding rules into a spec that asks for sharding. The spec's own rules win."""
    if not project or not kind_of(spec.kind).has_instances:
        return spec
    if spec.sharding is None and not _asks_for_sharding(spec, project):
        return spec
    return replace(spec, sharding=tuple({**dict(project), **dict(spec.sharding or ())}.items()))


def check_names(specs: Sequence[ModuleSpec]) -> None:
    """Raise `ScaffoldError` if two specs describe the same class, or a module lacks one of its classes."""
    first: dict[str, ModuleSpec] = {}
    fix = "remove one of the two, or give one class another name"
    faults = [
        Fault(spec.where, f"describes `{spec.name}`, as {first[spec.name].where} does", fix)
        for spec in specs
        if first.setdefault(spec.name, spec) is not spec
    ]
    if faults:
        raise ScaffoldError.of(faults)
    faults = [*unit_faults(specs)]
    if faults:
        raise ScaffoldError.of(faults)


def check_beside(specs: Sequence[ModuleSpec], known: Mapping[str, ModuleSpec], layout: Layout) -> None:
    """Raise `ScaffoldError` with every conflict between the specs, `known` by class name, and the project."""
    around = Surroundings(layout)
    faults = [fault for spec in specs for fault in _faults(spec, known, around)]
    if faults:
        raise ScaffoldError.of(faults)


def generated_classes(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the names of the classes that fields and bases of a spec name without a module."""
    return tuple(class_type.name for class_type in spec.classes if class_type.module is None)


def _faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec], around: Surroundings) -> Iterable[Fault]:
    name, layout = spec.stem, around.layout
    yield from name_faults(name, spec.where, around)
    if name in HELPERS:
        is_unit = spec.unit is not None
        fix = "rename the skeleton" if is_unit else f'write `file = "{name}_module"`, for example'
        key = "" if is_unit else ": file" if spec.file else ": name"
        yield Fault(f"{spec.where}{key}", f"`{name}.py` is where {HELPERS[name].purpose}", fix)
    every = lineage(spec, known)
    in_file = [known[name] for name in _mentioned(spec, known)]
    beside = (
        *(*save_faults(spec), *collisions(spec, spec.sharding or ()), *_mixture_faults(spec, known)),
        *(
            *tie_faults(spec, known),
            *base_faults(spec, known),
            *beside_faults(spec, known),
            *(unknown_beside(spec, every, in_file) if every or siblings(spec) else ()),
        ),
        *kind_of(spec.kind).faults_beside(spec, known),
    )
    yield from (fault.below(spec.where) for fault in beside)
    for other in generated_classes(spec):
        on_disk = (layout.root / layout.source_file(stem(other))).is_file() or other in siblings(spec)
        if other not in known and not on_disk:
            meant = nearest(other, {*known, *WORDS} - {spec.name}, 0.8)
            fix = f"generate `{other}` first or with it (`--spec` takes several), or write `package.module:{other}`"
            fix = f"did you mean `{meant}`? If not, {fix}" if meant else fix
            message = f"there is no class `{other}`: looked for it in {layout.specs} and beside the spec"
            is_base = any(isinstance(base, ClassType) and base.name == other for base in spec.bases)
            key = "bases" if is_base else "fields"
            yield Fault(f"{spec.where}: {key}", message, fix, tuple(sorted(known)))


def _mentioned(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> set[str]:
    """Find the siblings in its file that a class mentions, directly or through each other.

    If the class mentions a function of that file, all siblings count.
    """
    mentioned, wanted = set[str](), [spec.name]
    while wanted:
        each = known[wanted.pop()]
        opaque = (
            part.text for kind in each.named_types for part in walk(kind) if isinstance(part, OpaqueType)
        )
        texts = (*class_sources(each), each.source, *opaque, *(other.name for other in each.classes))
        words = {*re.findall(r"\w+", "\n".join(texts))}
        calls = each.unit is not None and not words.isdisjoint(each.unit.bound)
        new = {name for name in siblings(each) if name in known and (calls or name in words)} - mentioned
        mentioned |= new
        wanted += new
    return mentioned


WORDS = tuple(name.title().replace("-", "") for name in NAMES)
"""Names of the skeleton bases that stand for a kind, such as `TrainState`."""


def _mixture_faults(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
    """Find fields of an NNX class that hold pytrees, and fields of a pytree that hold NNX modules."""
    is_nnx = kind_of(spec.kind).variables
    for field in spec.stored:
        class_names = [
            member.name
            for member in walk(field.type)
            if isinstance(member, ClassType) and member.module is None
        ]
        for name in (name for name in class_names if name in known):
            if kind_of(known[name].kind).variables is not is_nnx:
                message = f"`{name}` is {'no' if is_nnx else 'an'} nnx.Module, and `{spec.name}` is {'one' if is_nnx else 'none'}"
                fix = 'write both with `kind = "nnx"`, or neither'
                yield Fault(f"fields.{field.name}.type", message, fix)
