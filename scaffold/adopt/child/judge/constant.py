"""Calls that return the same for all draws, such as whether a game is over. Another method says more."""

from pytree_laws.inspect.arrays import host
from pytree_laws.inspect.trees import arrays_of

from ..building.built import Built, StateOf
from ..calling.call import rank
from ..calling.called import Called
from ..calling.invoke import invoke

DRAWS = 6
"""Number of seeds whose results are compared."""


def telling_call(built: Built, called: Called, methods: list[Called]) -> tuple[Called, list[Called]]:
    """Exchange a call that never varies with the best method that does."""
    if built.has_state or not called.method or varies(built, called):
        return called, methods
    others = [method for method in methods if method.is_meaningful and method.arguments]
    better = next((other for other in sorted(others, key=rank, reverse=True) if varies(built, other)), None)
    if better is None:
        return called, methods
    return better, [called if method is better else method for method in methods]


def varies(built: Built, called: Called) -> bool:
    """Whether results differ between seeds. A call that raises or returns no arrays counts as varying."""
    results = (result_bytes(built, called, seed) for seed in range(DRAWS))
    try:
        first = next(results)
        return not first or any(other != first for other in results)
    except Exception:
        return True


def result_bytes(built: Built, called: Called, seed: int) -> list[bytes]:
    """Return the arrays that a call returns, as bytes."""
    node = built.source.value(seed)
    values = {name: source.value(seed, StateOf(built)) for name, source in called.arguments.items()}
    result = invoke(getattr(node, called.method), values, called.keywords, called.axis)
    return [host(leaf).tobytes() for leaf in arrays_of(result)]
