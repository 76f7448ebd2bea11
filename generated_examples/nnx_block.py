import math
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from flax import nnx
from jax.typing import DTypeLike
from jaxtyping import Array, Float, Int32

from serialisation import load_leaves, save_leaves

_Value = TypeVar("_Value")


class Count(nnx.Variable[_Value]):
    """An array that is never trained; `nnx.state(module, Count)` selects it."""


class NnxBlock(nnx.Module):
    """A residual block: centre the input by a running mean, mix it, and pass it through
    a stack of linear layers.

    Each call moves the running mean towards its input, and counts itself. Both are
    Variables that no optimiser trains.
    """

    mix: nnx.Param[Float[Array, "size size"]]
    bias: nnx.Param[Float[Array, " size"]] | None
    mean: nnx.BatchStat[Float[Array, " size"]]
    calls: Count[Int32[Array, ""]]
    layers: nnx.List[nnx.Linear]
    depth: int
    momentum: float

    def __init__(
        self,
        size: int,
        use_bias: bool = True,
        depth: int = 2,
        momentum: float = 0.9,
        dtype: DTypeLike | None = None,
        *,
        rngs: nnx.Rngs,
    ):
        """Build an instance.

        **Arguments:**

        - `size`: the size `size` of `mix`, `bias` or `mean`.
        - `use_bias`: whether there is a `bias`; it is None otherwise.
        - `depth`: Number of linear layers; static, part of the treedef.
        - `momentum`: How much of the mean a call keeps; static, part of the treedef.
        - `dtype`: dtype of the floating-point arrays; jax's default float if None.
        - `rngs`: streams of PRNG keys for the random initialisation; each random array
            draws once.

        **Raises:**

        - `TypeError` if `depth` or `momentum` do not have their declared types.
        - `ValueError` unless `depth > 0`.
        - `ValueError` unless `0 <= momentum < 1`.
        """
        dtype = jnp.result_type(float) if dtype is None else dtype
        self.mix = nnx.Param(
            jax.nn.initializers.lecun_normal(in_axis=-1, out_axis=-2)(
                rngs.params(), (size, size), dtype
            )
            if size
            else jnp.zeros((size, size), dtype)
        )
        self.bias = nnx.Param(jnp.zeros((size,), dtype)) if use_bias else None
        self.mean = nnx.BatchStat(jnp.zeros((size,), dtype))
        self.calls = Count(jnp.zeros((), jnp.int32))
        self.layers = nnx.List(
            [nnx.Linear(size, size, param_dtype=dtype, rngs=rngs) for _ in range(depth)]
        )
        self.depth = depth
        self.momentum = float(momentum) if type(momentum) is int else momentum
        if type(self.depth) is not int:
            raise TypeError(
                "`depth` is static, so it must be an int (a NumPy scalar has "
                f"`.item()`), got {self.depth!r}"
            )
        if type(self.momentum) is not float or math.isnan(self.momentum):
            raise TypeError(
                "`momentum` is static, so it must be a float other than NaN (a "
                f"NumPy scalar has `.item()`), got {self.momentum!r}"
            )
        if not (self.depth > 0):
            raise ValueError(f"`depth` must satisfy `depth > 0`, got {self.depth!r}")
        if not (0 <= self.momentum < 1):
            raise ValueError(
                f"`momentum` must satisfy `0 <= momentum < 1`, got {self.momentum!r}"
            )

    def __call__(self, x: Float[Array, " size"]) -> Float[Array, " size"]:
        """Update the running mean, and transform `x`.

        **Arguments:**

        - `x`: float array of shape `(size,)`.

        **Returns:**

        Float array of shape `(size,)`.
        """
        self.calls[...] += 1
        self.mean[...] = self.momentum * self.mean[...] + (1 - self.momentum) * x
        y = self.mix[...] @ (x - self.mean[...])
        if self.bias is not None:
            y = y + self.bias[...]
        for layer in self.layers:
            y = jnp.tanh(layer(y))
        return x + y

    def snapshot(self) -> nnx.State:
        """The state as it is now. Unlike `nnx.state` and `nnx.split`, which return the
        Variables of the module itself, it does not follow what the module does later.
        """
        return map_variables({}, self)

    def restore(self, state: nnx.State) -> None:
        """Take over the values of `state`, by path.

        **Raises:**

        - `ValueError` unless `state` has the same paths, and at each the same type of
            Variable, shape and dtype. `nnx.update` adds unknown paths to the module, and
            `nnx.merge` goes by position.
        """
        here, there = _layout(nnx.state(self)), _layout(state)
        wrong = [
            path for path in {**here, **there} if here.get(path) != there.get(path)
        ]
        if wrong:
            path = wrong[0]
            raise ValueError(
                f"the state does not fit at {path}: it has {there.get(path)}, "
                f"the module has {here.get(path)}"
            )
        nnx.update(self, state)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a file, with their paths and the static configuration: a
        line of JSON, and then each leaf as `numpy.save` writes it.

        A file that is there is replaced, whole or not at all.
        """
        save_leaves(path, *_described(self))

    @classmethod
    def load(cls, path: str | PathLike[str], like: "NnxBlock") -> "NnxBlock":
        """Read what `save` wrote.

        **Arguments:**

        - `path`: the file.
        - `like`: an instance of the same configuration, which stays as it is; or what
            `nnx.eval_shape` makes of the constructor.

        **Returns:**

        A new instance, with the values of the file.

        **Raises:**

        - `ValueError` if the file is damaged, or if paths, shapes, dtypes or the
            configuration differ; it names all that differs.
        """
        values, static = _described(like)
        graphdef, state = nnx.split(like)
        return nnx.merge(graphdef, _replaced(state, load_leaves(path, values, static)))


def map_variables(
    functions: Mapping[type[nnx.Variable[Any]], Callable[[Any], Any]],
    tree: nnx.Module | nnx.State,
) -> nnx.State:
    """A new state, with `functions[kind]` applied to the value of each Variable of type
    `kind`. The nearest base class decides; where none is named, the value is kept.

    `tree` is a module or a state, and stays as it is.
    """

    def mapped(node: Any) -> Any:
        if not isinstance(node, nnx.Variable):
            return node
        value = node.get_value()
        kind = next((kind for kind in type(node).__mro__ if kind in functions), None)
        return node.replace(value if kind is None else functions[kind](value))

    # Variables are nodes, not leaves: without `is_leaf` the map goes past them.
    state = nnx.state(tree) if isinstance(tree, nnx.Module) else tree
    return jax.tree.map(
        mapped, state, is_leaf=lambda node: isinstance(node, nnx.Variable)
    )


def _layout(state: nnx.State) -> dict[Any, Any]:
    return {
        path: (type(leaf), jnp.shape(leaf), leaf.dtype)
        for path, leaf in nnx.to_flat_state(state)
    }


def _described(module: nnx.Module) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of the module's state, and its configuration: classes and plain
    attributes of modules, types of Variables. Both by path.
    """
    values: dict[str, Any] = {}
    static: dict[str, Any] = {}
    for path, node in nnx.iter_modules(module):
        place = "".join(f"{part}." for part in path)
        static[f"{place}class"] = type(node)
        for name, value in sorted(vars(node).items()):
            if "__" not in name and not nnx.is_data(value):
                static[place + name] = value
    for path, one in nnx.to_flat_state(nnx.state(module)):
        place = ".".join(map(str, path))
        static[f"{place}.class"] = type(one)
        values[place] = one.get_value() if isinstance(one, nnx.Variable) else one
    return values, static


def _replaced(state: nnx.State, values: Mapping[str, Any]) -> nnx.State:
    """A new state with new Variables, which hold `values`."""
    return nnx.from_flat_state(
        [
            (path, one.replace(value) if isinstance(one, nnx.Variable) else value)
            for path, one in nnx.to_flat_state(state)
            for value in [values[".".join(map(str, path))]]
        ]
    )
