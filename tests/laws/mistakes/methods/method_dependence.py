"""Methods that do not follow what they are declared to use, or are not there, each with the form that is right."""

import equinox as eqx
import jax
import jax.numpy as jnp
from harness.pairs import further
from right.specimens import Leaf, Output, sample

from mistakes.methods.method_results import MethodLaws, Scaling, of_methods, vector
from pytree_laws import Method


class Choice(eqx.Module):
    """Draws one of some rows, the likelier ones more often."""

    logits: jax.Array
    rows: jax.Array
    width: float = eqx.field(static=True)

    def __call__(self, x):
        return jax.nn.logsumexp(self.logits - jnp.sum((x - self.rows) ** 2, axis=-1) / self.width)

    def sample(self, key):
        which, noise = jax.random.split(key)
        row = self.rows[jax.random.categorical(which, self.logits)]
        return row + self.width * jax.random.normal(noise, row.shape, row.dtype)


class ChoiceLaws(MethodLaws):
    leaves = (Leaf("logits", "param", (4,)), Leaf("rows", "param", (4, 3)))
    static = {"width": 2.0}  # noqa: RUF012
    returns = (Output(()),)
    methods = (
        Method(
            "sample",
            lambda seed: (sample(seed + 5, (), "key"),),
            returns=(Output((3,)),),
            used=("width", "logits", "rows"),
        ),
    )

    def inputs(self, seed):
        return {"logits": sample(seed, (4,)), "rows": sample(seed + 1, (4, 3))}

    def build(self, logits, rows):
        return self.cls(jnp.array(logits), jnp.array(rows), 2.0)


def _sample(logits=lambda self: self.logits, width=lambda self: self.width):
    def draw(self, key):
        which, noise = jax.random.split(key)
        row = self.rows[jax.random.categorical(which, logits(self))]
        return row + width(self) * jax.random.normal(noise, row.shape, row.dtype)

    return draw


def of_choice(law, title, *words, **body):
    of_methods(law, title, *words, base=ChoiceLaws, right=Choice, **body)


of_choice("P8", "logits that are multiplied by zero", "`sample`", "an edit of `logits`, declared as used by it",
    sample=_sample(lambda self: 0 * self.logits))  # fmt: skip
of_choice("P8", "equal chances in the place of logits", "an edit of `logits`, declared as used by it",
    sample=_sample(lambda self: jnp.zeros(4)))  # fmt: skip
of_choice("P5", "a number in the place of a width", "`width` is declared as used by it, and it does the same for",
    sample=_sample(width=lambda self: 2.0))  # fmt: skip


class Undone(Scaling):
    """Its inverse has a name of its own."""

    def undo(self, y):
        return self.inverse(y)


class RenamedLaws(MethodLaws):
    methods = (*MethodLaws.methods, Method("undo", vector, returns=(Output((3,)),)))


further(
    *("P7", "a method of another name than its suite says", Scaling, Undone),
    *("`undo`", "the class has nothing of this name", "say the same in `methods`"),
    base=RenamedLaws,
)


class Jittered(eqx.Module):
    """Moves a vector by noise of its own size, and tells how far."""

    weight: jax.Array
    seed: jax.Array

    def __call__(self, x):
        return self.weight * x

    def moved(self, x, key):
        noise = jax.random.normal(key, x.shape, x.dtype)
        return {"moved": x + self.weight * noise, "size": jnp.sum(jnp.abs(noise))}


class JitteredLaws(MethodLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("seed", "key"))
    methods = (Method("moved", lambda seed: (*vector(seed), sample(seed, (), "key"))),)

    def build(self, weight):
        return self.cls(jnp.array(weight), jax.random.key(5))


class JitteredByItself(eqx.Module):
    """The same with a key of its own; a subclass would have the arguments of its base."""

    weight: jax.Array
    seed: jax.Array

    __call__ = Jittered.__call__

    def moved(self, x, key):
        noise = jax.random.normal(self.seed, x.shape, x.dtype)
        return {"moved": x + self.weight * noise, "size": jnp.sum(jnp.abs(noise))}


further(
    *("P8", "a method that draws with another key than it is given", JitteredByItself, Jittered),
    *("`moved(key)`", "nothing that it gives or updates"),
    base=JitteredLaws,
)


def _in_32_bits(self, x, key):
    noise = jax.random.normal(key, x.shape)
    return {"moved": x + self.weight * noise, "size": jnp.sum(jnp.abs(noise))}


of_methods("P7", "a method that declares no results and draws in 32 bits", "`moved, output 0`", "with bfloat16",
    base=JitteredLaws, right=Jittered, moved=_in_32_bits)  # fmt: skip


class Locking(Jittered):
    """What a first call begins with has the shape and the dtype of the weight."""

    def initial(self, key):
        return jnp.ones_like(self.weight), key


class LockingLaws(JitteredLaws):
    methods = (
        *JitteredLaws.methods,
        Method("initial", lambda seed: (sample(seed, (), "key"),), returns=(Output((3,)), Output((), "key"))),
    )


of_methods("P7", "a method of a key that makes a constant in 32 bits", "`initial, output 0`", "with bfloat16",
    base=LockingLaws, right=Locking, initial=lambda self, key: (jnp.ones(self.weight.shape), key))  # fmt: skip
