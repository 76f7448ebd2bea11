"""Further mutants for P7 to P16: calls that trace and loops tell from eager ones, and objects that hash and compare wrongly."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from harness.mutants import Node, NodeLaws, children, mutant, named, node, rebuild
from jax.core import Tracer
from right.modules import Cell, CellLaws
from right.specimens import Leaf, Output, sample

from mutants.structure import OneWeight
from pytree_laws import Method

# P7


@mutant("P7", "2 outputs, declared are 1")
class ReturnsMore(NodeLaws):
    def call(self, node, x):
        return node(x), x


@mutant("P7", "the call with {'scale': None}", "unsupported operand")
class NeedsWhatIsOptional(NodeLaws):
    absent = ({"scale": None},)

    def build(self, weight, bias, scale):
        return rebuild(self.cls, weight=jnp.array(weight), bias=jnp.array(bias), scale=scale)


@mutant("P7", "the compiled call changed the instance")
class NotesItsTraces(NodeLaws):
    """A list in aux, which the copy that jax.jit makes shares, notes each trace."""

    def traced(self, x):
        if isinstance(x, Tracer):
            self.traces.append(x.shape)
        return Node.__call__(self, x)

    cls = node(
        flatten=lambda self: (children(self), (self.scale, self.traces)),
        with_keys=lambda self: (named(self), (self.scale, self.traces)),
        unflatten=lambda cls, aux, c: rebuild(cls, weight=c[0], bias=c[1], scale=aux[0], traces=aux[1]),
        __call__=traced,
    )

    def build(self, weight, bias, scale):
        return rebuild(self.cls, weight=jnp.array(weight), bias=jnp.array(bias), scale=scale, traces=[])


# P10


@mutant("P10", "vmap gives")
class DrawsByNumPyWhereItCan(CellLaws):
    def build(self, **inputs):
        cell = Cell.create(**inputs)
        try:
            rng = np.random.default_rng(np.asarray(jax.random.key_data(inputs["key"])))
        except jax.errors.TracerArrayConversionError:
            return cell
        return Cell(cell.weight, jnp.asarray(rng.standard_normal((3, 3)), cell.recur.dtype))


def on_the_host(self, x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(lambda value: value, shape, Node.__call__(self, x))


@mutant("P10", "vmap over stacked instances raised NotImplementedError")
class CallbackOfOne(NodeLaws):
    """A callback that does not say what it makes of a batch."""

    cls = node(__call__=on_the_host)


# P11


@mutant("P11", "argument 1", "scan gives")
class NumPyNoiseInTheCarry(CellLaws):
    def call(self, cell, x, state):
        state, output = cell(x, state)
        return state + jnp.asarray(np.random.default_rng().standard_normal(3), state.dtype), output


@mutant("P11", "argument 1", "small steps show the slope", "stop_gradient on the carry")
class NothingIsLearntThroughTime(CellLaws):
    def call(self, cell, x, state):
        return cell(x, jax.lax.stop_gradient(state))


# P12


@mutant("P12", "an eager call changed what the instance holds")
class RemembersValues(NodeLaws):
    """It keeps what it last gave, where that is no tracer."""

    def remembering(self, x):
        given = Node.__call__(self, x)
        if not isinstance(given, Tracer):
            self.last = given
        return given

    cls = node(__call__=remembering)


# P13


@mutant("P13", "replaced by a marker, it is None")
class MarkersDropped(NodeLaws):
    """Unflatten takes a bare object for a child that is not there."""

    cls = node(
        unflatten=lambda cls, aux, c: rebuild(
            cls, weight=None if type(c[0]) is object else c[0], bias=c[1], scale=aux[0]
        )
    )


def refilled(cls, aux, c):
    (aux[1].weight,) = c
    return aux[1]


@mutant("P13", "an edit of a copy changed the original")
class PrototypeRefilled(OneWeight):
    """Unflatten fills the instance itself, which is kept in aux."""

    cls = node(
        flatten=lambda self: ((self.weight,), (self.scale, self)),
        with_keys=lambda self: (named(self)[:1], (self.scale, self)),
        unflatten=refilled,
    )

    def build(self, weight):
        return self.cls(jnp.array(weight), 0, 2)


@mutant("P13", "x == x is not true")
class EqualByExactClass(NodeLaws):
    """`__eq__` was written for the base, and instances are of a subclass."""

    cls = node(__eq__=lambda self, other: type(other) is Node and self is other, __hash__=object.__hash__)


@mutant("P13", "hash(x)", "raised AttributeError")
class HashOfAFormerField(NodeLaws):
    cls = node(__hash__=lambda self: hash(self.size))


@mutant("P13", "bool(x)", "raised")
class TrueByItsValues(NodeLaws):
    cls = node(__bool__=lambda self: bool(self.weight > 0))


# P16


class Marked(eqx.Module):
    weight: jax.Array
    shift: jax.Array

    def __call__(self, x):
        return self.weight * x + jax.lax.stop_gradient(self.shift)

    def trainable(self):
        """Takes what has no values for no parameter."""
        return Marked(eqx.is_array(self.weight) and not isinstance(self.weight, Tracer), False)


@mutant("P16", "an instance in jit it selects [], declared is ['weight']")
class SpecByValues(OneWeight):
    leaves = (Leaf("weight", "param", (3,)), Leaf("shift", "buffer", (3,)))
    returns = (Output((3,)),)

    def build(self, weight):
        return Marked(jnp.array(weight), 2 * jnp.array(weight))


def deciding(self, x):
    return Node.__call__(self, x) if self.weight.sum() > 100 else Node.__call__(self, -x)


@mutant("P12", "a call inside jit, to which the instance is no argument, raised TracerBoolConversionError")
class DecidesByAParameter(NodeLaws):
    cls = node(__call__=deciding)


@mutant("P2", "with dtype bfloat16 `qr` of bfloat16[3,3] raised", "draw in float32 and cast")
class DrawsInHalfPrecision(OneWeight):
    leaves = (Leaf("weight", "param", (3, 3)),)
    takes_dtype = True

    def inputs(self, seed):
        return {"key": jax.random.key(seed)}

    def build(self, key, dtype=jnp.float32):
        return Times(jax.random.orthogonal(key, 3, dtype=dtype))


class Times(eqx.Module):
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x

    def pooled(self, x):
        return jnp.zeros_like(self.weight).at[0].add(x.astype(self.weight.dtype))


@mutant("P7", "`pooled, output 0`", "it depends on no leaf, and is bfloat16 where the leaves are")
class BeginsInTheDtypeOfAWeight(OneWeight):
    methods = (Method("pooled", lambda seed: (sample(seed, ()),), returns=(Output((3,)),)),)

    def build(self, weight):
        return Times(jnp.array(weight))


class Offset(Times):
    """Shifts what it is given by zeros of the dtype of a leaf, which `jax.lax` does not convert."""

    def shifted(self, x):
        return jax.lax.add(x, jnp.zeros(3, self.weight.dtype))


@mutant("P7", "`shifted`: with leaves in bfloat16, of which its result needs none, it raised TypeError")
class ShiftsInTheDtypeOfAWeight(OneWeight):
    methods = (Method("shifted", lambda seed: (sample(seed, (3,)),), returns=(Output((3,)),)),)

    def build(self, weight):
        return Offset(jnp.array(weight))


class Rounds(eqx.Module):
    """Rounds, and loses the gradient that it means to pass on."""

    weight: jax.Array

    def __call__(self, x):
        return self.weight * x

    def rounded(self, x):
        y = self.weight * x
        return y + (jax.lax.stop_gradient(jnp.round(y)) - y)


class RoundsInTheCall(Rounds):
    def __call__(self, x):
        return self.rounded(x)


@mutant("P9", "`call`: a term of a sum is taken away again beside `stop_gradient`")
class TakesTheGradientAway(OneWeight):
    def build(self, weight):
        return RoundsInTheCall(jnp.array(weight))


@mutant("P9", "`rounded`: a term of a sum is taken away again beside `stop_gradient`")
class TakesTheGradientOfAMethodAway(OneWeight):
    methods = (Method("rounded", lambda seed: (sample(seed, (3,)),)),)

    def build(self, weight):
        return Rounds(jnp.array(weight))
