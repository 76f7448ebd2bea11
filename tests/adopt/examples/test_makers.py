"""What builds a class, by the constructor or by the method that its author means for users, and values that mean something."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import struct
from jaxtyping import Array, Key


@struct.dataclass
class Ket:
    _data: Array
    _dims: tuple = struct.field(pytree_node=False)

    @classmethod
    def from_array(cls, amplitudes: Array):
        return cls(amplitudes / jnp.linalg.norm(amplitudes), amplitudes.shape)

    def overlap(self, other):
        return jnp.vdot(self._data, other._data)


@struct.dataclass
class Bodies:
    position: Array
    velocity: Array

    @staticmethod
    def create(worlds: int, bodies: int) -> "Bodies":
        zeros = jnp.zeros((worlds, bodies, 3))
        return Bodies(zeros, zeros)

    def moved(self, step: Array) -> Array:
        return self.position + step * self.velocity


@struct.dataclass
class Drive:
    order: int = struct.field(pytree_node=False)
    frequency: float
    _label: int = struct.field(pytree_node=False)

    @classmethod
    def create(cls, order, frequency, label=0):
        if order % 2:
            raise ValueError("order must be even")
        return cls(order, frequency, label)

    def __call__(self, t: float):
        return jnp.cos(self.frequency * t) / self.order


class Mode(eqx.Module):
    """One mode of a cavity.

    Args:
        levels (int): how many levels are kept.
        detuning (float, optional): from the drive.
        shift: of the ground state.
    """

    energies: Array

    def __init__(self, levels, detuning, shift):
        self.energies = detuning * jnp.arange(levels) + shift

    def evolve(self, t, phase):
        """What is left after a time.

        Parameters
        ----------
        t : float
            The time.
        phase : array
            At the start.
        """
        return phase * jnp.exp(-self.energies * t)


class Path(eqx.Module):
    speed: Array

    def __init__(self, speed: Array):
        self.speed = jnp.array(speed)

    def between(self, t0, t1, ts: Array):
        return self.speed * (t1 - t0) + jnp.mean(ts)


class Denoiser(eqx.Module):
    weight: Array
    context_size: int | None

    def __init__(self, size: int, context_size: int | None = None, *, key: jax.Array):
        self.weight, self.context_size = jax.random.normal(key, (size, size)), context_size

    def __call__(self, x: Array, q: Array | None, *, key: Key = None):
        x = x if q is None or self.context_size is None else x + q
        return self.weight @ x


class Walls(eqx.Module):
    low: Array
    high: Array

    @classmethod
    def create(cls, low: Array, high: Array):
        raise RuntimeError("ask the registry")

    def __call__(self, x: Array):
        return jnp.clip(x, self.low, self.high)


@jax.tree_util.register_pytree_node_class
class Lattice:
    def __init__(self, source):
        self.basis, self.name = jnp.asarray(source.basis), source.name

    def tree_flatten(self):
        return (self.basis,), (self.name,)

    @classmethod
    def tree_unflatten(cls, aux, children):
        lattice = object.__new__(cls)
        lattice.basis, lattice.name = *children, *aux
        return lattice

    def __call__(self, x: Array):
        return self.basis @ x
'''
BUILT = {
    "Ket": ("lib.Ket.from_array", ["amplitudes"]),
    "Drive": ("lib.Drive.create", ["order", "frequency"]),
    "Walls": ("lib.Walls", ["low", "high"]),  # what builds nothing is passed over
}


asked = asked_of("lib", SOURCE)


@pytest.mark.spread(5)
@pytest.mark.parametrize("name", BUILT)
def test_a_class_is_built_as_its_author_means_it(name: str, asked: Asked) -> None:
    found = asked.adopt(name)
    maker, arguments = BUILT[name]
    assert (found["maker"], [key for key, _ in found["inputs"]]) == (maker.removeprefix("lib."), arguments)
    assert found["called"], found


def test_an_argument_of_a_maker_has_the_type_of_the_field(asked: Asked) -> None:
    found = asked.adopt("Drive")
    assert dict(found["inputs"]) == {"order": "2", "frequency": "0.25"}


def test_a_docstring_says_the_types_of_arguments(asked: Asked) -> None:
    found = asked.adopt("Mode")
    inputs = dict(found["inputs"])
    assert (inputs["levels"], inputs["detuning"]) == ("3", "0.25")
    arguments = {name: text for name, text, _ in found["arguments"]}
    assert arguments["t"] == "jax.nn.sigmoid(sample(seed))"


def test_times_come_one_after_the_other(asked: Asked) -> None:
    arguments = [text for _, text, _ in asked.adopt("Path")["arguments"]]
    assert arguments == [
        "jax.nn.sigmoid(sample(seed))",
        "1 + jax.nn.sigmoid(sample(seed + 1))",
        "jnp.sort(jnp.exp(sample(seed, (5,))))",
    ]


def test_what_is_called_other_is_of_the_same_class(asked: Asked) -> None:
    [[name, text, _]] = asked.adopt("Ket")["arguments"]
    assert (name, text.partition("(")[0]) == ("other", "Ket.from_array")


def test_what_is_not_felt_and_may_be_none_is_none(asked: Asked) -> None:
    found = asked.adopt("Denoiser")
    assert found["arguments"] == [["x", "sample(seed, (3,))", False], ["q", "None", False]]


def test_what_jax_rebuilds_with_is_no_constructor(asked: Asked) -> None:
    """It would be given an array for the parts, and the class be judged by that."""
    assert not asked.adopt("Lattice")["built"]


def test_what_makes_an_instance_that_holds_nothing_yet_is_a_method_beside_the_call(asked: Asked) -> None:
    """Its two arrays are one, which the laws tell of methods: the constructor is given drawn ones."""
    found = asked.adopt("Bodies")
    assert found["maker"] == "Bodies"
    [[name, arguments]] = found["extra"]
    assert name == "create" and [each[0] for each in arguments] == ["worlds", "bodies"]
