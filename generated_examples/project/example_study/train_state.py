import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]
from jaxtyping import Array, Int32

from example_study.affine import Affine


class TrainState(eqx.Module):
    """A model with the state of its optimiser, and the number of steps taken."""

    model: Affine
    opt_state: optax.OptState
    step: Int32[Array, ""]

    @classmethod
    def create(
        cls, model: Affine, optimiser: optax.GradientTransformation
    ) -> "TrainState":
        """Build an instance.

        **Arguments:**

        - `model`: The finished model; copied.
        - `optimiser`: an optax optimiser; not stored, so that its settings are no
            leaves.
        """
        model = _copied(model)
        return cls(
            model=model,
            opt_state=_copied(optimiser.init(eqx.filter(model, _trained(model)))),
            step=jnp.zeros((), jnp.int32),
        )

    def apply_gradients(
        self,
        gradients: Affine,
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
        return dataclasses.replace(
            self,
            model=eqx.combine(weights, rest),
            opt_state=jax.tree.map(_with_dtype_of, self.opt_state, opt_state),
            step=self.step + 1,
        )


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


def _with_dtype_of(old: Any, new: Any) -> Any:
    return jnp.asarray(new, old.dtype) if eqx.is_array(old) else new
