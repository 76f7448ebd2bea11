"""How jax rebuilds an instance of a registered class: by assignment, by its constructor with a flag, or as a dataclass."""

from scaffold.kind import kind_of
from scaffold.spec.model import ModuleSpec


def rebuilds_by(spec: ModuleSpec, form: str) -> bool:
    """Whether jax rebuilds an instance in this form; only some kinds choose one."""
    return spec.rebuild == form and kind_of(spec.kind).takes("rebuild")
