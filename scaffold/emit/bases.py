"""What a class inherits from, and what is left for its own statement."""

from msgspec.structs import replace

from scaffold.spec.model import ModuleSpec
from scaffold.spec.rules.bases import MODULES

_SHORT = {"equinox": "eqx", "flax.nnx": "nnx"}


def base_names(spec: ModuleSpec, usual: str = "eqx.Module") -> str:
    """What the class inherits from, as source; `usual` where it says nothing."""
    names = (f"{_SHORT[base.module or '']}.Module" if base in MODULES else base.name for base in spec.bases)
    return ", ".join(names) or usual


def without_inherited(spec: ModuleSpec) -> ModuleSpec:
    """The spec with what stands in the class statement, and not in that of a base."""
    return replace(
        spec,
        fields=tuple(field for field in spec.fields if field.annotated),
        methods=tuple(method for method in spec.methods if not method.inherited),
    )
