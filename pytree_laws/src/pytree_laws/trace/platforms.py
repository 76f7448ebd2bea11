"""Platforms: where jax runs, and what lowers for others."""

import re
from collections.abc import Callable
from typing import Any

import jax

from ..inspect.trees import named_leaves
from ..report import ANY_ERROR

BACKEND_VARIABLE = "PYTREE_LAWS_BACKEND"


def platform_fault(wanted: str) -> str | None:
    """Why the tests cannot run on `wanted`: cpu, cuda, rocm or tpu. None where jax runs on it."""
    try:
        found = jax.devices()
        if found[0] in jax.devices(wanted):
            return None
    except ANY_ERROR as error:
        # jax says it with an AssertionError without a text where no platform is left
        return f"jax has none: {str(error) or 'the platforms that it may use are not here'}"
    return f"jax runs on {found[0].platform} ({found[0].device_kind})"


def committed(tree: Any) -> list[str]:
    """The paths of the arrays that are bound to a device, so that jit cannot move them."""
    pairs = [(name, leaf) for name, leaf in named_leaves(tree) if isinstance(leaf, jax.Array)]
    return [name for name, leaf in pairs if getattr(leaf, "committed", False)]


def lowering_fault(function: Callable[..., Any], platform: str, *arguments: Any) -> str | None:
    """Why the compiled function cannot be lowered for a platform, which need not be here."""
    from jax import export

    try:
        export.export(jax.jit(function), platforms=[platform])(*arguments)
    except NotImplementedError as error:
        missing = re.search(r"primitive '?([\w-]+)'? not found", str(error))
        message = f"`{platform}` has no primitive `{missing[1]}`" if missing else None
        return message or f"lowering for {platform} raised {str(error)[:300]}"
    except ANY_ERROR as error:
        return f"lowering for {platform} raised {type(error).__name__}: {str(error)[:300]}"
    return None
