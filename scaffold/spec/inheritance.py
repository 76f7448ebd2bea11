"""What a class inherits from the Modules of its file: fields, the constructor, and methods that nobody wrote yet.

A subclass of Python has the fields of its bases. Its spec has them too, marked, so that the constructor makes them and the tests
know them, and the class statement leaves them out.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from scaffold.spec.construction.divisions import divisions_beside
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.rules.bases import asks_for, lineage
from scaffold.spec.unit import siblings

KIND = "module"
"""The kind whose classes inherit: pytrees are registered one by one, and other kinds have no bases."""


def inheriting(
    specs: Sequence[ModuleSpec], known: Mapping[str, ModuleSpec]
) -> tuple[list[ModuleSpec], dict[str, ModuleSpec]]:
    """The specs, and all that are known, with what each class inherits."""
    whole: dict[str, ModuleSpec] = {}
    for name, spec in known.items():
        whole[name] = spec = _inheriting(spec, known)
        if divided := tuple(divisions_beside(spec, {**known, **whole})):
            whole[name] = replace(spec, divided_beside=divided)
    return [whole[spec.name] for spec in specs], whole


def _inheriting(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
    if spec.kind != KIND:
        return spec
    children = (
        other for other in known.values() if spec.name in {base.name for base in lineage(other, known)}
    )
    is_open = any(True for _ in open_methods(spec, known))
    spec = replace(spec, is_open=is_open, has_subclasses=any(True for _ in children))
    base = _nearest(spec, known)
    if base is None or not may_inherit(spec, base, known):
        return spec
    base, own = _inheriting(base, known), {field.name for field in spec.fields}
    passed = tuple(replace(field, annotated=False) for field in base.fields if field.name not in own)
    is_made = not (spec.stored or base.is_open)
    maker = base.own_constructor if is_made else None
    return replace(
        spec,
        fields=(*passed, *spec.fields),
        constructor=base.constructor,
        arguments=(*base.arguments, *spec.arguments),
        setup="\n".join(filter(None, (base.setup, spec.setup))),
        dtype=spec.dtype or base.dtype,
        inherits_constructor=is_made,
        methods=(*(() if maker is None else (replace(maker, inherited=True),)), *spec.methods),
        call_at=spec.call_at + (maker is not None),
    )


def open_methods(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Method]:
    """The methods that a base or the class leaves to subclasses, and that nobody has written yet."""
    every = (spec, *lineage(spec, known))
    made = {m.name for cls in every for _, m in cls.functions if not asks_for(cls, m)}
    made |= {field.name for cls in every for field in cls.derived}
    yield from (m for cls in every for _, m in cls.functions if asks_for(cls, m) and m.name not in made)


def may_inherit(spec: ModuleSpec, base: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether a class without a constructor of its own can have the fields of a base: the constructor that is emitted makes
    them all, and stands in the place of that of the base, or the base makes all that there is.

    A `create` of a base that is made itself has another signature than that of a subclass with more fields.
    """
    is_beside = base.kind == spec.kind == KIND and base.name in siblings(spec)
    if not is_beside or spec.own_constructor is not None:
        return False
    is_open = any(True for _ in open_methods(base, known))
    return not spec.stored or (base.own_constructor is None and (is_open or base.constructor == "init"))


def _nearest(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec | None:
    """The base whose fields a class has: the first that is a Module of its file."""
    return next(
        (base for base in lineage(spec, known) if base.name in siblings(spec) and base.kind == KIND), None
    )
