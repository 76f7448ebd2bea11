"""Bases of a class, and the members that its own statement defines."""

from msgspec.structs import replace

from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.bases import MODULES

_SHORT = {"equinox": "eqx", "flax.nnx": "nnx"}


def base_names(spec: ModuleSpec, usual: str = "eqx.Module") -> str:
    """Return the bases as source, or `usual` if the spec names none."""
    names = (f"{_SHORT[base.module or '']}.Module" if base in MODULES else base.name for base in spec.bases)
    return ", ".join(names) or usual


def without_inherited(spec: ModuleSpec) -> ModuleSpec:
    """Return the spec without members that only a base defines."""
    return replace(
        spec,
        fields=tuple(field for field in spec.fields if field.annotated),
        methods=tuple(method for method in spec.methods if not method.inherited),
    )
