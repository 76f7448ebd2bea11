"""Static dicts and sets: held in a form that has a hash, read as they were given, and with a default that nobody shares."""

from pathlib import Path

import pytest

from tests.ordinary.generated import tried

HEAD = """\
import jax.numpy as jnp
from jaxtyping import Array, Float
from scaffold.skeleton import Module, param, static
"""
DICTS = """

class Net(Module):
    weight: Float[Array, " n"] = param("ones")
    scales: dict[str, float] = static({"a": 1, "b": 0.5})
    windows: dict[str, slice] = static({"a": slice(1, None)})
    more: dict[str, tuple[int, ...]] | None = static(None)
    items: list[int] | None = static(None)

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        if self.more is not None:
            x = x * self.more["a"][0]
        if "a" in self.scales and self.items is None:
            x = x * self.scales.get("b", 0.0)
        for name, scale in self.scales.items():
            x = x * scale if name != "c" else x
        for window in self.windows.values():
            x = x + jnp.sum(x[window])
        return self.weight * x * self.scales["a"] * len(dict(self.scales))
"""


def test_the_body_reads_a_static_dict_as_it_was_given(tmp_path: Path) -> None:
    code = tried(tmp_path, "net", HEAD + DICTS)
    assert 'dict(self.scales)["a"] * len(dict(self.scales))' in code
    assert "for window in {key: slice(*item) for key, item in self.windows}.values()" in code
    assert "scales: Mapping[str, float] | None = None" in code
    assert 'scales = {"a": 1, "b": 0.5}' in code
    assert "more=tuple(sorted(more.items())) if isinstance(more, Mapping) else more" in code
    assert "items=tuple(items) if isinstance(items, list) else items" in code
    assert (
        "more: tuple[tuple[str, tuple[int, ...]], ...] | None = eqx.field(\n        static=True, default=None\n"
        in code
    )


SETS = """

class Net(Module):
    weight: Float[Array, " n"] = param("ones")
    names: set[str] = static({"x"})

    def __call__(self, x: Float[Array, " n"]) -> Float[Array, " n"]:
        return self.weight * x if "x" in self.names | {"y"} else x
"""


@pytest.mark.slow  # a run of its own
def test_a_static_set_is_a_frozenset(tmp_path: Path) -> None:
    code = tried(tmp_path, "net", HEAD + SETS)
    assert "names: frozenset[str] = eqx.field(static=True)" in code
    assert 'names: Iterable[str] = frozenset({"x"})' in code
