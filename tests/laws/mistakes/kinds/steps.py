"""Mistakes in training that shows in half precision, in many steps, or with other optimisers; beside them what is legitimate."""

import jax
import jax.numpy as jnp
import optax
from harness.pairs import further

from mistakes.kinds.training import TRAINED, Averaged, AverageLaws, State, StateLaws


class Widens(State):
    """Adds updates of 32 bits to weights of 16, which become 32."""

    def updates(self, gradients, optimiser):
        updates, opt_state = optimiser.update(gradients, self.opt_state, self.model)
        model = jax.tree.map(lambda old, step: old + step.astype(jnp.float32), self.model, updates)
        return model, jax.tree.map(lambda old, new: new.astype(old.dtype), self.opt_state, opt_state)


further(
    *(TRAINED, "a step that makes 32 bits of 16", Widens, State),
    *("the update of a model in bfloat16 made it",),
    base=StateLaws,
)


class WidensMoments(State):
    """Takes over the moments of the optimiser as they are, which have the dtype of the gradients."""

    def updates(self, gradients, optimiser):
        with jax.numpy_dtype_promotion("standard"):
            updates, opt_state = optimiser.update(gradients, self.opt_state, self.model)
            return optax.apply_updates(self.model, updates), opt_state


further(
    *(TRAINED, "moments that take the dtype of the gradients", WidensMoments, State),
    "by gradients of 32 bits made it",
    base=StateLaws,
)


class Narrow(Averaged):
    """Its average has the dtype of the weights."""

    @classmethod
    def create(cls, model, optimiser, ema_decay=0.9):
        first = State.create(model, optimiser)
        return cls(first.model, first.opt_state, first.step, jax.tree.map(jnp.array, model), ema_decay)


further(
    *(TRAINED, "an average that is kept in 16 bits, and stands still", Narrow, Averaged),
    *("the average of a model in bfloat16 is", "expected is near the weights"),
    base=AverageLaws,
)


class HandsOn(State):
    """Hands on to the optimiser what it takes besides."""

    def apply_gradients(self, gradients, optimiser, **extra):
        with jax.numpy_dtype_promotion("standard"):
            update = optax.with_extra_args_support(optimiser).update
            updates, opt_state = update(gradients, self.opt_state, self.model, **extra)
            model = optax.apply_updates(self.model, updates)
        kept = jax.tree.map(lambda old, new: jnp.asarray(new, old.dtype), self.opt_state, opt_state)
        return type(self)(model, kept, self.step + 1)


class KeepsToItself(HandsOn):
    def apply_gradients(self, gradients, optimiser, **extra):
        return super().apply_gradients(gradients, optimiser)


further(
    *(TRAINED, "what an optimiser takes besides, and never gets", KeepsToItself, HandsOn),
    *("what the optimiser takes besides does not reach it",),
    base=StateLaws,
)


class Clips(State):
    """Takes gradients of a norm of 1 at most, which is no mistake."""

    def clipped(self, gradients):
        norm = optax.global_norm(gradients)
        return jax.tree.map(lambda slope: slope / jnp.maximum(norm, 1).astype(slope.dtype), gradients)

    def apply_gradients(self, gradients, optimiser):
        return super().apply_gradients(self.clipped(gradients), optimiser)


class Lengthens(Clips):
    """Gives every gradient a norm of 2: the small ones grow."""

    def clipped(self, gradients):
        norm = optax.global_norm(gradients)
        return jax.tree.map(lambda slope: 2 * slope / norm, gradients)


class ClipsAtZero(Clips):
    """Clips elements from one side, and the others are turned."""

    def clipped(self, gradients):
        return jax.tree.map(lambda slope: jnp.where(jnp.abs(slope) > 0.5, -0.5, slope), gradients)


further(
    *(TRAINED, "gradients that are given a length", Lengthens, Clips),
    *("a step of plain descent gives",),
    base=StateLaws,
)
further(
    *(TRAINED, "gradients that are clipped to one sign", ClipsAtZero, Clips),
    *("times that of the optimiser", "keep their sign"),
    base=StateLaws,
)


class Warms(Averaged):
    """Its average follows more quickly at the start, which is no mistake."""

    def mixed(self, share, old, new):
        return share * old + (1 - share) * new.astype(old.dtype)

    def apply_gradients(self, gradients, optimiser):
        model, opt_state = State.updates(self, gradients, optimiser)
        share = jnp.minimum(self.ema_decay, (1 + self.step) / (10 + self.step))
        ema = jax.tree.map(lambda old, new: self.mixed(share.astype(old.dtype), old, new), self.ema, model)
        return type(self)(model, opt_state, self.step + 1, ema, self.ema_decay)


class ByLeaf(Averaged):
    """The shift has another share than the slope."""

    def apply_gradients(self, gradients, optimiser):
        after = super().apply_gradients(gradients, optimiser)
        shift = 0.5 * after.ema.shift + 0.5 * after.model.shift.astype(after.ema.shift.dtype)
        ema = type(after.ema)(after.ema.slope, shift)
        return type(self)(after.model, after.opt_state, after.step, ema, self.ema_decay)


further(
    *(TRAINED, "an average with two shares", ByLeaf, Warms),
    *("with one decay, which may begin below the declared one",),
    base=AverageLaws,
)


class FollowsAtOnce(Averaged):
    """Hands out the last weights in the place of their average."""

    def averaged(self):
        return self.model


further(
    *(TRAINED, "an average that is the last weights", FollowsAtOnce, Warms),
    *("with one decay, which may begin below the declared one",),
    base=AverageLaws,
)
