"""Inheritance between the Modules of a file: fields, the constructor, and methods that are still missing.

A Python subclass has the fields of its bases. Its spec holds these fields too, marked `annotated=False`. The
constructor makes them and the tests know them, but the class statement leaves them out.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from scaffold.source.definitions import abstract_variables, class_attributes, is_missing, statements
from scaffold.source.settings import settings_of
from scaffold.spec.construction.arithmetic import whole_constants
from scaffold.spec.construction.divisions import divisions_beside
from scaffold.spec.construction.guards import conditions_of_parts
from scaffold.spec.fields.training import buffers_of_parts
from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.bases import asks_for, lineage, subclasses
from scaffold.spec.unit import siblings

KINDS = ("module", "nnx")
"""The kinds whose classes inherit. Pytrees are registered one by one, and other kinds have no bases."""


def inheriting(
    specs: Sequence[ModuleSpec], known: Mapping[str, ModuleSpec]
) -> tuple[list[ModuleSpec], dict[str, ModuleSpec]]:
    """Return the specs, then all known specs by name, completed with what each class inherits."""
    whole: dict[str, ModuleSpec] = {}
    for name, spec in known.items():
        spec = _with_constants(_inheriting(spec, known), known)
        if paths := tuple(buffers_of_parts(spec, known)):
            spec = replace(spec, buffers_of_parts=paths)
        if refused := tuple(conditions_of_parts(spec, known, name)):
            spec = replace(spec, refused_by_parts=refused)
        whole[name] = spec
        if divided := tuple(divisions_beside(spec, {**known, **whole})):
            whole[name] = replace(spec, divided_beside=divided)
    return [whole[spec.name] for spec in specs], whole


def _with_constants(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    """Add the constants and the settings classes of its module to a class."""
    names = spec.unit.classes if spec.unit is not None else ()
    classes = [known[name] for name in names if name in known] or [spec]
    texts = tuple(text for each in classes for text in (each.helpers, each.below) if text)
    constants, settings = _of_module(texts)
    return replace(spec, constants=constants, settings=settings) if constants or settings else spec


@cache
def _of_module(sources: tuple[str, ...]) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """Return the whole numbers and the settings classes that a module names, cached for all its classes."""
    settings = settings_of(statement for source in sources for statement in statements(source))
    return tuple(whole_constants(sources).items()), tuple(settings)


def _inheriting(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    if spec.kind not in KINDS:
        return spec
    is_open, has_subclasses = _leaves_open(spec, known), bool(_subclasses(spec, known))
    if is_open or has_subclasses:
        spec = replace(spec, is_open=is_open, has_subclasses=has_subclasses)
    base = _nearest(spec, known)
    if base is None or not _may_inherit(spec, base, known):
        return spec
    base, own = _inheriting(base, known), {field.name for field in spec.fields}
    is_built = spec.own_constructor is not None
    passed = [field for field in base.fields if field.name not in own]
    passed = [replace(f, annotated=False, built=(is_built or f.built) and f.stored) for f in passed]
    whole = replace(spec, fields=(*passed, *spec.fields))
    is_made = base.own_constructor is not None or not (spec.stored or base.is_open)
    return whole if is_built else _with_constructor_of(base, whole, is_made=is_made)


def _with_constructor_of(base: ModuleSpec, spec: ModuleSpec, *, is_made: bool) -> ModuleSpec:
    """Merge the constructor of `base` into `spec`. If `is_made`, `spec` inherits the constructor itself."""
    maker = base.own_constructor if is_made else None
    return replace(
        spec,
        constructor="init" if "init" in (base.constructor, spec.constructor) else "factory",
        arguments=(*base.arguments, *spec.arguments),
        setup="\n".join(filter(None, (base.setup, spec.setup))),
        dtype=spec.dtype or base.dtype,
        inherits_constructor=is_made,
        methods=(*(() if maker is None else (replace(maker, inherited=True),)), *spec.methods),
        call_at=spec.call_at + (maker is not None),
    )


def _leaves_open(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether a method or field that `spec` or a base leaves to subclasses is still missing.

    A method that raises `NotImplementedError` counts if a subclass overrides it.
    """
    every = (spec, *lineage(spec, known))
    below = {m.name for cls in _subclasses(spec, known) for _, m in cls.functions}
    functions = [method for cls in every for _, method in cls.functions]
    left = [method for cls in every for _, method in cls.functions if asks_for(cls, method)]
    left += [method for method in functions if abstract_variables(method.call.source)]
    left += [method for method in functions if method.name in below and is_missing(method.call.body)]
    made = {method.name for method in functions if method not in left}
    made |= {field.name for cls in every for field in cls.derived}
    made |= {name for method in functions for name in class_attributes(method.call.source)}
    fields = {field.name for cls in every for field in cls.fields}
    variables = {name for method in functions for name in abstract_variables(method.call.source)}
    return any(method.name not in fields | made for method in left) or not variables <= fields | made


def _subclasses(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> list[ModuleSpec]:
    return subclasses(spec, (known[name] for name in siblings(spec) if name in known), known)


def _may_inherit(spec: ModuleSpec, base: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether `spec` can have the fields of `base`.

    The author's own constructor makes them, or `spec` stores no further field, or a new constructor replaces
    the base's. A concrete `base` with `create` is excluded, because more fields would change the signature of
    `create`.
    """
    if spec.own_constructor is not None:
        return True
    is_open = _leaves_open(base, known)
    is_dataclass = bool(base.source) or base.constructor == "init"
    return not spec.stored or (base.own_constructor is None and (is_open or is_dataclass))


def _nearest(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec | None:
    """Return the nearest base of the same kind in the same file, whose fields `spec` has."""
    beside = (base for base in lineage(spec, known) if base.name in siblings(spec))
    return next((base for base in beside if base.kind == spec.kind), None)
