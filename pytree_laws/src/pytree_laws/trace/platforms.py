"""Platforms: where jax runs, and what it can lower for other platforms."""

import os
import re
from collections.abc import Callable
from typing import Any

import jax
import pytest

from ..inspect.trees import attributes, named_leaves, nodes
from ..report import ANY_ERROR
from ..session import session_of

BACKEND_VARIABLE = "PYTREE_LAWS_BACKEND"


def platform_fault(wanted: str) -> str | None:
    """Return the reason why tests cannot run on `wanted` (cpu, cuda, rocm or tpu), or None."""
    try:
        devices = jax.devices()
        if devices[0] in jax.devices(wanted):
            return None
    except ANY_ERROR as error:
        # jax says it with an AssertionError without a text where no platform is left
        return f"jax has none: {str(error) or 'the platforms that it may use are not here'}"
    return f"jax runs on {devices[0].platform} ({devices[0].device_kind})"


def refuse_other_platforms(suite: Any) -> None:
    """Fail the first test, and skip the others, if jax runs on another platform than requested."""
    wanted = os.environ.get(BACKEND_VARIABLE) or suite.backend
    fault = platform_fault(wanted) if wanted else None
    if fault is None:
        return
    message = f"P18 backend: the tests must run on {wanted}, and {fault}"
    reported = session_of(suite).results(suite).reported
    if "backend" in reported:
        pytest.skip(message)
    reported.add("backend")
    pytest.fail(
        f"{message}\n"
        f"  to run on {wanted}: install jax for it, and set JAX_PLATFORMS={wanted}\n"
        f"  to run elsewhere: set {BACKEND_VARIABLE} to cpu, cuda, rocm or tpu for this run,\n"
        "    or change `backend` in the test class",
        pytrace=False,
    )


def committed(tree: Any) -> list[str]:
    """List the paths of arrays committed to a device, so that jit cannot move them."""
    pairs = [(name, leaf) for name, leaf in named_leaves(tree) if isinstance(leaf, jax.Array)]
    return [name for name, leaf in pairs if getattr(leaf, "committed", False)]


def holds_placement(instance: Any) -> bool:
    """Whether an instance holds a mesh, a sharding or a device, so that it places results on purpose."""
    held = (value for _, node, _ in nodes(instance) for value in attributes(node).values())
    return any(map(is_placement, held))


def is_placement(value: Any) -> bool:
    """Whether a value is a device, a mesh or a sharding."""
    return isinstance(value, jax.Device | jax.sharding.Mesh | jax.sharding.Sharding)


def lowering_fault(function: Callable[..., Any], platform: str, *arguments: Any) -> str | None:
    """Return the reason why a function cannot be lowered for a platform, or None.

    The platform need not be available.
    """
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
