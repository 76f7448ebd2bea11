"""Public modules of NNX, each with how it is built and called, and with its Variables."""

from collections.abc import Callable
from typing import Any, NamedTuple

from flax import nnx

from pytree_laws import sample
from pytree_laws.nnx import NnxLaws, Var
from right.public_classes import image, vectors


class Module(NamedTuple):
    """A module of NNX: `build(rngs)`, its arguments, and its Variables, of which a call updates some."""

    build: Callable[[nnx.Rngs], Any]
    arguments: Callable[[int], Any]
    variables: tuple[Var, ...]
    updates: tuple[str, ...] = ()
    slow: bool = False

    def suite(self) -> type[NnxLaws]:
        """As its user writes it in a test file."""
        one = self

        class Laws(NnxLaws):
            variables = one.variables
            updates = one.updates

            def build(self, rngs: nnx.Rngs) -> Any:
                return one.build(rngs)

            def arguments(self, seed: int) -> Any:
                return one.arguments(seed)

            def call(self, instance: Any, *arguments: Any) -> Any:
                return instance(*arguments)

        return Laws


def params(**shapes: tuple[int, ...]) -> tuple[Var, ...]:
    return tuple(Var(path, nnx.Param, shape) for path, shape in shapes.items())


def parts(*paths: str) -> tuple[Var, ...]:
    return tuple(Var(path, nnx.Module) for path in paths)


MODULES: dict[str, Module] = {
    "flax.nnx.Linear": Module(
        lambda rngs: nnx.Linear(3, 2, rngs=rngs), vectors(3), params(kernel=(3, 2), bias=(2,))
    ),
    "flax.nnx.Einsum": Module(
        lambda rngs: nnx.Einsum("a,ab->b", (3, 2), (2,), rngs=rngs),
        vectors(3),
        params(kernel=(3, 2), bias=(2,)),
        slow=True,
    ),
    "flax.nnx.Conv": Module(
        lambda rngs: nnx.Conv(2, 3, (2,), rngs=rngs),
        image(1, 5, 2),
        params(kernel=(2, 2, 3), bias=(3,)),
        slow=True,
    ),
    "flax.nnx.RMSNorm": Module(lambda rngs: nnx.RMSNorm(5, rngs=rngs), vectors(5), params(scale=(5,))),
    "flax.nnx.LayerNorm": Module(
        lambda rngs: nnx.LayerNorm(5, rngs=rngs), vectors(5), params(scale=(5,), bias=(5,)), slow=True
    ),
    "flax.nnx.GroupNorm": Module(
        lambda rngs: nnx.GroupNorm(4, num_groups=2, rngs=rngs),
        image(3, 4),
        params(scale=(4,), bias=(4,)),
        slow=True,
    ),
    "flax.nnx.LinearGeneral": Module(
        lambda rngs: nnx.LinearGeneral(3, (2, 4), rngs=rngs),
        vectors(3),
        params(kernel=(3, 2, 4), bias=(2, 4)),
        slow=True,
    ),
    "flax.nnx.LoRA": Module(
        lambda rngs: nnx.LoRA(3, 2, 4, rngs=rngs),
        vectors(3),
        (Var("lora_a", nnx.LoRAParam, (3, 2)), Var("lora_b", nnx.LoRAParam, (2, 4))),
        slow=True,
    ),
    "flax.nnx.BatchNorm": Module(
        lambda rngs: nnx.BatchNorm(3, rngs=rngs),
        image(5, 3),
        params(scale=(3,), bias=(3,)) + tuple(Var(path, nnx.BatchStat, (3,)) for path in ("mean", "var")),
        updates=("mean", "var"),
        slow=True,
    ),
    "flax.nnx.Embed": Module(
        lambda rngs: nnx.Embed(5, 3, rngs=rngs),
        lambda s: (sample(s, (2,), "int", 0, 5),),
        params(embedding=(5, 3)),
        slow=True,
    ),
    "flax.nnx.Dropout": Module(lambda rngs: nnx.Dropout(0.5, rngs=rngs), vectors(5), parts("rngs")),
    "flax.nnx.GRUCell": Module(
        lambda rngs: nnx.GRUCell(3, 2, rngs=rngs), vectors(2, 3), parts("dense_i", "dense_h"), slow=True
    ),
}
"""All are clean."""
