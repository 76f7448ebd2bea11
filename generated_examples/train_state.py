import dataclasses
import math
from os import PathLike
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
from jaxtyping import Array, Int32, PRNGKeyArray, PyTree

from regressor import Regressor
from serialisation import load_tree, save_tree


class TrainState(eqx.Module):
    """A model with the state of its optimiser, a PRNG key, an average of its weights,
    and the number of steps taken.
    """

    model: Regressor
    opt_state: optax.OptState
    step: Int32[Array, ""]
    key: PRNGKeyArray
    ema: PyTree
    ema_decay: float = eqx.field(static=True, default=0.99)

    @classmethod
    def create(
        cls,
        model: Regressor,
        optimiser: optax.GradientTransformation,
        *,
        key: PRNGKeyArray,
        ema_decay: float = 0.99,
    ) -> "TrainState":
        """Build an instance.

        **Arguments:**

        - `model`: The finished model; copied.
        - `optimiser`: an optax optimiser; not stored, so that its settings are no
            leaves.
        - `key`: A PRNG key, from which `step_key` makes one for each step.
        - `ema_decay`: Share of the average that a step keeps.

        **Raises:**

        - `ValueError` unless `0.0 <= ema_decay < 1.0`.
        """
        model = _copied(model)
        return cls(
            model=model,
            opt_state=_copied(optimiser.init(eqx.filter(model, _trained(model)))),
            step=jnp.zeros((), jnp.int32),
            key=jnp.array(key),
            ema=_widened(eqx.filter(model, _trained(model))),
            ema_decay=float(ema_decay) if type(ema_decay) is int else ema_decay,
        )

    def __check_init__(self) -> None:
        if type(self.ema_decay) not in (float, int) or math.isnan(self.ema_decay):
            raise TypeError(
                "`ema_decay` is static and must be a float other than NaN, got "
                f"{self.ema_decay!r}"
            )
        if not (0.0 <= self.ema_decay < 1.0):
            raise ValueError(
                "`ema_decay` must satisfy `0.0 <= ema_decay < 1.0`, got "
                f"{self.ema_decay!r}"
            )

    def apply_gradients(
        self,
        gradients: Regressor,
        optimiser: optax.GradientTransformation,
        **extra_args: Any,
    ) -> "TrainState":
        """Take one step of the optimiser.

        **Arguments:**

        - `gradients`: of a loss with respect to `model`, such as `eqx.filter_grad` gives;
            those of buffers are ignored.
        - `optimiser`: the one that `create` was given.
        - `extra_args`: what `optimiser.update` takes besides, such as `value`.

        **Returns:**

        The next train state. Structure, shapes and dtypes are those of this one.
        """
        spec = _trained(self.model)
        weights, rest = eqx.partition(self.model, spec)
        update = optax.with_extra_args_support(optimiser).update
        with jax.numpy_dtype_promotion("standard"):  # optax mixes dtypes
            updates, opt_state = update(
                eqx.filter(gradients, spec), self.opt_state, weights, **extra_args
            )
            weights = optax.apply_updates(weights, updates)
            ema = jax.tree.map(
                lambda average, weight: (
                    self.ema_decay * average + (1 - self.ema_decay) * weight
                ).astype(average.dtype),
                self.ema,
                weights,
            )
        return dataclasses.replace(
            self,
            model=eqx.combine(weights, rest),
            opt_state=jax.tree.map(_with_dtype_of, self.opt_state, opt_state),
            step=self.step + 1,
            ema=ema,
        )

    def averaged(self) -> Regressor:
        """The model with the average of its weights in the place of the last ones."""
        weights, rest = eqx.partition(self.model, _trained(self.model))
        return eqx.combine(jax.tree.map(_with_dtype_of, weights, self.ema), rest)

    @property
    def step_key(self) -> PRNGKeyArray:
        """The key of this step: the same for a run that is resumed here."""
        return jax.random.fold_in(self.key, self.step)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the leaves to a safetensors file, with their paths and the static
        configuration.
        """
        save_tree(path, self)

    @classmethod
    def load(cls, path: str | PathLike[str], like: "TrainState") -> "TrainState":
        """Read what `save` wrote into a new instance.

        `like` is an instance of the same configuration, which stays as it is, or what
        `eqx.filter_eval_shape` makes of the constructor. Raises `ValueError` where the
        file is damaged, or does not fit `like`.
        """
        return load_tree(path, like)


def _trained(tree: Any) -> Any:
    """Filter spec: what `trainable` says where there is one, else every inexact array."""
    return jax.tree.map(
        lambda node: (
            node.trainable()
            if hasattr(node, "trainable")
            else eqx.is_inexact_array(node)
        ),
        tree,
        is_leaf=lambda node: hasattr(node, "trainable"),
    )


def _copied(tree: Any) -> Any:
    """Arrays of its own, so that a donated train state takes no one else's with it."""
    return jax.tree.map(
        lambda leaf: jnp.array(leaf, leaf.dtype) if eqx.is_array(leaf) else leaf, tree
    )


def _widened(tree: Any) -> Any:
    """A copy with 32 bits at least: 16 lose the small steps of an average."""
    with jax.numpy_dtype_promotion("standard"):
        return jax.tree.map(
            lambda leaf: jnp.array(leaf, jnp.promote_types(leaf.dtype, jnp.float32)),
            tree,
        )


def _with_dtype_of(old: Any, new: Any) -> Any:
    return jnp.asarray(new, old.dtype) if eqx.is_array(old) else new
