"""Kind `pytree`: a class registered with jax, with a choice of how unflatten rebuilds it.

- `bypass`: without `__init__`, by `object.__new__` and plain stores.
- `flag`: by `__init__`, with a flag that says that it rebuilds.
- `factory`: by an `__init__` that only stores. `create` does everything else.
- `static`: like `bypass`, with preset entries of a dict in the treedef and not among the leaves.
- `dataclass`: by `jax.tree_util.register_dataclass`. Its treedefs do not name the class.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scaffold.emit.annotations import Scope
from scaffold.emit.constructor.checks import check_statements
from scaffold.emit.constructor.construct import Constructor, constructor, hand_over, signature
from scaffold.emit.docs import BODY, class_doc, constructor_doc, init_returns, with_docs
from scaffold.emit.members.groups import group_context
from scaffold.emit.members.members import call_context, properties, readable
from scaffold.emit.members.saving import save_context
from scaffold.emit.members.trainable import trainable_body
from scaffold.emit.merged import private_prefix
from scaffold.emit.nesting import grouped, small_classes, with_groups_as_fields
from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.passes.compute import compute_faults, with_compute
from scaffold.source.expressions import assigned_names
from scaffold.source.text import block, docstring
from scaffold.spec.construction.constructor import fields_as_given, has_factory, parameters
from scaffold.spec.grammar.types import is_tree
from scaffold.spec.model import Field, ModuleSpec
from scaffold.suite.skips import skips

FLAGGED = " " * 12


class Attribute(Struct, frozen=True):
    """Attribute of an instance: name, annotation, initial value, and whether it is a leaf or subtree."""

    name: str
    annotation: str
    value: str
    dynamic: bool


def _small_class(spec: ModuleSpec) -> list[Any]:
    """Return name, docstring, fields, filter spec and registration of a group's class."""
    attributes = _attributes(spec, {})
    registered = _registration(spec, attributes)
    return [
        spec.name,
        class_doc(spec),
        [f"{attribute.name}: {attribute.annotation}" for attribute in attributes],
        needs_trainable(spec),
        block(trainable(spec), BODY),
        spec.where,
        registered["children"],
        registered["keyed_children"],
        registered["child_stores"],
    ]


def _decorators(spec: ModuleSpec) -> list[str]:
    if spec.rebuild == "dataclass":
        return ["jax.tree_util.register_dataclass", "dataclasses.dataclass(frozen=True, eq=False)"]
    # `dataclasses.replace` would run an `__init__` of its own again, presets and conversions with it.
    return ["dataclass(frozen=True, eq=False)"] if _is_plain_dataclass(spec) else []


def _declared(spec: ModuleSpec, attribute: Attribute) -> str:
    field, value = spec.field(attribute.name), ""
    if spec.rebuild == "dataclass" and not attribute.dynamic:
        value = ' = dataclasses.field(metadata={"static": True})'
    elif spec.own_constructor is not None and field is not None and field.default and not attribute.dynamic:
        value = f" = {field.default}"  # what an instance has that the author's constructor gives none
    return f"{attribute.name}: {attribute.annotation}{value}"


def needs_trainable(spec: ModuleSpec) -> bool:
    """Whether the class may have a leaf that is not trained."""
    return any(field.role != "param" or bool(field.frozen) for field in spec.dynamic)


def _is_plain_dataclass(spec: ModuleSpec) -> bool:
    return spec.constructor == "factory" and spec.rebuild != "flag"


def _constructor_form(
    spec: ModuleSpec, built: Constructor, attributes: tuple[Attribute, ...]
) -> dict[str, Any]:
    is_init = spec.constructor == "init"
    is_flag = spec.rebuild == "flag"
    made = hand_over(spec) if is_flag else built
    # jax rebuilds these two through `__init__`, and so through `__post_init__`.
    through_init = spec.rebuild in ("factory", "dataclass")
    checked_in_create = through_init and bool(check_statements(spec)) and not spec.defines("__post_init__")
    built_name = _free_local(spec)
    return {
        "is_init": is_init and not spec.own_constructor,
        "is_flag": is_flag,
        "bypasses": spec.rebuild in ("bypass", "static"),
        "has_create": has_factory(spec) and not spec.own_constructor,
        "is_checked_in_create": checked_in_create,
        "create_target": f"{built_name} = " if checked_in_create else "return ",
        "built_name": built_name,
        # A plain dataclass checks when it is built; the other forms call the check where they do not rebuild.
        "check_name": "__post_init__" if _is_plain_dataclass(spec) and not through_init else "_check",
        "constructor_signature": f"{'self' if is_init else 'cls'}, {made.signature}".removesuffix(", "),
        "create_statements": [block(statement, BODY) for statement in made.statements],
        "create_values": [list(pair) for pair in made.values]
        if is_flag
        else [[attribute.name, attribute.value] for attribute in attributes],
        "flag_signature": _flag_signature(spec) if is_flag else "",
        "flag_statements": [block(statement, FLAGGED) for statement in built.statements] if is_flag else [],
        "conversions": [[name, value] for name, value in built.values if name != value],
    }


def _free_local(spec: ModuleSpec) -> str:
    """Return a name for the new instance that no argument of `create` and no local of `setup` has."""
    taken = {*(parameter.name for parameter in parameters(spec)), *assigned_names(spec.setup)}
    return next(
        name for name in ("node", "instance", "built", "made", f"new_{spec.name}") if name not in taken
    )


def _flag_signature(spec: ModuleSpec) -> str:
    parts = signature(fields_as_given(spec), as_stored=True)
    return f"self, {parts}, {'' if '*, ' in parts else '*, '}_rebuild: bool = False"


def _attributes(spec: ModuleSpec, values: Mapping[str, str]) -> tuple[Attribute, ...]:
    scope = Scope.of(spec)
    return tuple(
        attribute
        for field in spec.stored
        for attribute in _attribute(spec, field, scope, values.get(field.name, ""))
    )


def _holder(spec: ModuleSpec, field: Field) -> str:
    """Return the attribute that stores the leaves of a field."""
    return f"{field.name}_entries" if field.preset and spec.rebuild == "static" else field.name


def _attribute(spec: ModuleSpec, field: Field, scope: Scope, value: str) -> tuple[Attribute, ...]:
    annotation = scope.held(field)
    if not (field.preset and spec.rebuild == "static"):
        return (Attribute(field.name, annotation, value, field.dynamic),)
    preset = f"({', '.join(f'({name!r}, {source})' for name, source in field.preset)},)"
    return (
        Attribute(_holder(spec, field), annotation, value, True),
        Attribute(f"{field.name}_preset", "tuple[tuple[str, Any], ...]", preset, False),
    )


def _merged(spec: ModuleSpec) -> list[list[str]]:
    """Return the properties that join preset entries with the other entries of a dict, under `static`."""
    if spec.rebuild != "static":
        return []
    return [
        [
            field.name,
            "dict[str, Any]",
            docstring("The entries, with the preset ones, which belong to the treedef.", BODY),
            f"{{**self.{field.name}_entries, **dict(self.{field.name}_preset)}}",
        ]
        for field in spec.stored
        if field.preset
    ]


def _registration(spec: ModuleSpec, attributes: tuple[Attribute, ...]) -> dict[str, Any]:
    leaves = [attribute.name for attribute in attributes if attribute.dynamic]
    static = [attribute.name for attribute in attributes if not attribute.dynamic]
    return {
        "children": _tuple(f"node.{name}" for name in leaves),
        "aux": _tuple(f"node.{name}" for name in static),
        "keyed_children": _tuple(f'(GetAttrKey("{name}"), node.{name})' for name in leaves),
        "has_children": bool(leaves),
        "has_aux": bool(static),
        # The fields of these names are unpacked into locals where unflatten calls `__init__`.
        "aux_name": _free("aux", attributes),
        "children_name": _free("children", attributes),
        "child_stores": _targets(f'fields["{name}"]' for name in leaves),
        "aux_stores": _targets(f'fields["{name}"]' for name in static),
        "child_names": _targets(leaves),
        "aux_names": _targets(static),
        "rebuilt_arguments": ", ".join(
            [*(f"{name}={name}" for name in (*leaves, *static)), *_rebuild_argument(spec)]
        ),
    }


def _free(name: str, attributes: tuple[Attribute, ...]) -> str:
    return f"{name}_data" if any(attribute.name == name for attribute in attributes) else name


def _rebuild_argument(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the arguments of unflatten besides the fields. Sizes for preset arrays are irrelevant then."""
    if spec.rebuild != "flag":
        return ()
    sizes = (parameter for parameter in parameters(fields_as_given(spec)) if parameter.source == "dim")
    return (*(f"{parameter.name}=0" for parameter in sizes), "_rebuild=True")


def _tuple(parts: Any) -> str:
    listed = list(parts)
    return f"({listed[0]},)" if len(listed) == 1 else f"({', '.join(listed)})"


def _targets(parts: Any) -> str:
    listed = list(parts)
    return f"({listed[0]},)" if len(listed) == 1 else ", ".join(listed)


def trainable(spec: ModuleSpec) -> str:
    # Under `static` the leaves of a dict with preset entries lie in an attribute of another name.
    spec = replace(spec, fields=tuple(replace(field, name=_holder(spec, field)) for field in spec.fields))
    stays = tuple(field.name for field in spec.dynamic if field.role in ("data", "buffer"))
    inexact = ('hasattr(leaf, "dtype")', "jnp.issubdtype(leaf.dtype, jnp.inexact)")
    return trainable_body(spec, stays, inexact if _may_hold_integers(spec) else ())


def _may_hold_integers(spec: ModuleSpec) -> bool:
    return any(
        is_tree(field.type) or field.role == "module"
        for field in spec.dynamic
        if field.role not in ("data", "buffer")
    )


class PytreeKind(Kind):
    """Kind `pytree`."""

    summary = "a registered pytree class with keys: rebuilt by bypass, flag, factory, with static presets, or a dataclass"
    varies = True
    adds = ("layout", "rebuild", "compute")
    combines = True
    abstracted_by = "jax.eval_shape"

    def context(self, spec: ModuleSpec) -> dict[str, Any]:
        """Return the context of `templates/pytree`."""
        built = constructor(spec if spec.rebuild != "flag" else fields_as_given(spec))
        outer = with_groups_as_fields(spec, needs_trainable)
        attributes = _attributes(outer, dict(grouped(spec, built.values)))
        checks = (
            [] if self.checked_by_author(spec) else [block(check, BODY) for check in check_statements(spec)]
        )
        return {
            "name": spec.name,
            "prefix": private_prefix(spec),
            "doc": class_doc(outer),
            "small_classes": [_small_class(small_class) for small_class in small_classes(spec)],
            "decorators": _decorators(spec),
            "has_repr": not _is_plain_dataclass(spec) and not spec.defines("__repr__"),
            "is_registered_by_hand": spec.rebuild != "dataclass",
            "fields": with_docs(
                spec, {attribute.name: _declared(spec, attribute) for attribute in attributes}
            ),
            "values": [[attribute.name, attribute.value] for attribute in attributes],
            "statements": [block(statement, BODY) for statement in built.statements],
            "flag_doc": constructor_doc(fields_as_given(spec)),
            "init_returns": init_returns(spec, " -> None"),
            "constructor_doc": constructor_doc(spec),
            "checks": checks,
            "has_checks": bool(checks),
            "properties": [
                *_merged(spec),
                *(list(member) for member in (*readable(spec), *properties(spec))),
            ],
            "has_trainable": needs_trainable(outer) and not spec.defines("trainable"),
            "trainable_body": block(trainable(outer), BODY),
            **_constructor_form(spec, built, attributes),
            **_registration(spec, attributes),
            **group_context(spec),
            **call_context(spec),
            **save_context(spec),
        }

    def checked_by_author(self, spec: ModuleSpec) -> str | None:
        """Return `__post_init__` or the constructor if the author defines it, or None."""
        return "__post_init__" if spec.defines("__post_init__") else super().checked_by_author(spec)

    def faults(self, spec: ModuleSpec) -> Iterable[Fault]:
        """Find fields that cannot be computed in another dtype."""
        return compute_faults(spec)

    def complete(self, spec: ModuleSpec) -> ModuleSpec:
        """Add casts to the compute dtype."""
        return with_compute(spec)

    def tests(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
        """Return the law to skip under `register_dataclass`, with the reason."""
        if spec.rebuild != "dataclass":
            return {}
        # A part of the name of the test: it holds with an older jax.
        reason = "`register_dataclass` does not name the class"
        return {"skips": skips(spec, "p17_the_treedef_names", reason)}


KIND = PytreeKind()
