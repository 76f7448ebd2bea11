"""Train state with gradient step, skipped bad steps and averaged parameters for evaluation."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import struct
from jaxtyping import Array, Bool, Float, Int, PyTree


@struct.dataclass
class EmaTrainState:
    step: Int[Array, ""]
    params: PyTree[Float[Array, "..."]]
    ema: PyTree[Float[Array, "..."]]  # raw average, starts from zeros
    opt_state: optax.OptState
    skipped: Int[Array, ""]
    apply_fn: Callable = struct.field(pytree_node=False)
    tx: optax.GradientTransformation = struct.field(pytree_node=False)
    decay: float = struct.field(pytree_node=False, default=0.999)

    @classmethod
    def create(cls, apply_fn: Callable, params: Any, tx, *, decay: float = 0.999) -> "EmaTrainState":
        return cls(
            step=jnp.zeros((), jnp.int32),
            params=params,
            ema=jax.tree.map(jnp.zeros_like, params),
            opt_state=tx.init(params),
            skipped=jnp.zeros((), jnp.int32),
            apply_fn=apply_fn,
            tx=tx,
            decay=decay,
        )

    def update(self, grads: PyTree) -> "EmaTrainState":
        """One optimiser step; a gradient that is not finite leaves everything but `skipped` alone."""
        ok: Bool[Array, ""] = jnp.isfinite(optax.tree.norm(grads))
        updates, opt_state = self.tx.update(grads, self.opt_state, self.params)
        params = optax.apply_updates(self.params, updates)
        ema = jax.tree.map(lambda e, p: self.decay * e + (1 - self.decay) * p, self.ema, params)
        keep = lambda new, old: jax.tree.map(lambda a, b: jnp.where(ok, a, b), new, old)
        return self.replace(
            step=self.step + ok.astype(jnp.int32),
            params=keep(params, self.params),
            ema=keep(ema, self.ema),
            opt_state=keep(opt_state, self.opt_state),
            skipped=self.skipped + (~ok).astype(jnp.int32),
        )

    @property
    def eval_params(self) -> PyTree[Float[Array, "..."]]:
        """Average with the bias of the zero start removed; the parameters before any step."""
        weight = 1.0 - self.decay ** self.step.astype(jnp.float32)
        safe = jnp.where(self.step > 0, weight, 1.0)
        pick = lambda e, p: jnp.where(self.step > 0, e / safe, p)
        return jax.tree.map(pick, self.ema, self.params)

    def loss_and_update(self, loss_fn: Callable, batch: PyTree) -> tuple["EmaTrainState", Float[Array, ""]]:
        """loss_fn(apply_fn, params, batch) is a scalar."""
        loss, grads = jax.value_and_grad(lambda p: loss_fn(self.apply_fn, p, batch))(self.params)
        return self.update(grads), loss

    def predict(self, x: Float[Array, "batch feat"]) -> Array:
        return self.apply_fn(self.eval_params, x)
