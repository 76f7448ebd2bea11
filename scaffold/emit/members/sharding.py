"""Method `partition_specs`, and sharding of Variables."""

from collections.abc import Iterator

from scaffold.emit.docs import BODY, METHOD
from scaffold.kind import kind_of
from scaffold.mesh_axes import Rules, axes_of
from scaffold.source.text import block, docstring
from scaffold.spec.fields.sharding import applied, named_fields
from scaffold.spec.model import Field, ModuleSpec

_DOC = """
The `PartitionSpec` of each array, in the structure of the class.

`rules` maps names of dims to mesh axes, here and in sub-modules{default}.
"""


def sharding_members(spec: ModuleSpec) -> list[str]:
    """Return the method as a member, or none if the spec does not request it."""
    if spec.sharding is None or spec.defines("partition_specs") or kind_of(spec.kind).variables:
        return []
    rules, dims = applied(spec), named_fields(spec)
    rules_text = ", ".join(f"`{name}` lies on {_axes_text(axes)}" for name, axes in rules if axes)
    doc = docstring(_DOC.format(default=f"; by default {rules_text}" if rules_text else ""), BODY)
    head = f'def partition_specs(self, rules: Mapping[str, Any] | None = None) -> "{spec.name}":'
    named = ", ".join(f'"{name}": {_tuple(listed)}' for name, listed in dims.items())
    body = f"return field_specs(self, {{{named}}}, {rules_source(rules)}, rules)"
    return [block(f"{head}\n{METHOD}{doc}\n{block(body, METHOD)}", METHOD)]


def variable_metadata(spec: ModuleSpec, field: Field) -> list[str]:
    """Return the arguments of a Flax Variable for its mesh axes, or none if it is replicated.

    Without `eager_sharding=False`, Flax creates such a Variable only under a mesh.
    """
    axes = [axes_of(dim, spec.sharding or ()) for dim in named_fields(spec).get(field.name, ())]
    listed = ", ".join(_axes(each) for each in axes)
    comma = "," if len(axes) == 1 else ""
    return [f"out_sharding=({listed}{comma})", "eager_sharding=False"] if any(axes) else []


def rules_source(rules: Rules) -> str:
    """Return the rules as a dict display."""
    return "{" + ", ".join(f'"{name}": {_axes(axes)}' for name, axes in rules) + "}"


def sharding_rows(spec: ModuleSpec) -> Iterator[tuple[str, str]]:
    """Yield the attribute and value with which the suite declares the rules."""
    if spec.sharding is not None:
        yield "sharding: ClassVar", rules_source(applied(spec))


def _axes(axes: tuple[str, ...]) -> str:
    return "None" if not axes else f'"{axes[0]}"' if len(axes) == 1 else _tuple(axes)


def _tuple(names: tuple[str, ...]) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    return f"({listed},)" if len(names) == 1 else f"({listed})"


def _axes_text(axes: tuple[str, ...]) -> str:
    return " and ".join(f"`{axis}`" for axis in axes)
