"""What docstrings show: how a class is built and called, as their authors wrote it."""

import pytest

from tests.adopt.asking import Asked, asked_of

SOURCE = '''
"""Fields.

    >>> import jax.numpy as jnp
    >>> import lib
    >>> field = lib.Slope(scale=lib.Amount(2.0, "m"), units="metric")
    >>> lib.potential(field, lib.Amount(jnp.zeros(3), "m"))
    Amount(...)
"""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


class Amount(eqx.Module):
    value: jax.Array = eqx.field(converter=jnp.asarray)
    unit: str = eqx.field(static=True)

    def __init__(self, value, unit):
        if unit not in ("m", "s"):
            raise ValueError("no such unit")
        self.value, self.unit = jnp.asarray(value), unit


class Loaded(eqx.Module):
    """What a file holds.

    >>> Loaded(params={"weight": ...}, scale=0.5)
    """

    params: dict
    scale: float

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x


class Units:
    pass


class Base(eqx.Module):
    scale: Amount
    units: str = eqx.field(static=True)

    def __check_init__(self):
        if self.units != "metric" or self.scale.unit != "m":
            raise ValueError("units do not fit")

    def potential(self, *args):
        [place] = args
        if place.unit != "m":
            raise TypeError("no place")
        return self.value_at(place.value)


class Slope(Base):
    def value_at(self, place):
        return self.scale.value * place.sum()


class Bowl(Base):
    def value_at(self, place):
        return self.scale.value * (place**2).sum()


def potential(field, *args):
    return field.potential(*args)


class Layer(eqx.Module):
    """A layer of a table.

    Example::

        ```python
        key1, key2 = jax.random.split(jax.random.PRNGKey(0))
        layer = Layer("cubic", key=key1)
        y = layer(jnp.ones((2, 4)), order=(1, 0))
        ```
    """

    weight: jax.Array
    kind: str = eqx.field(static=True)

    def __init__(self, kind, *, key):
        if kind != "cubic":
            raise KeyError(kind)
        self.weight, self.kind = jax.random.normal(key, (4, 4)), kind

    def __call__(self, x, order):
        if x.shape != (2, 4) or order not in ((1, 0), (0, 1)):
            raise RuntimeError("no")
        return (x @ self.weight)[order, :]


class Powers(eqx.Module):
    """A polynomial whose coefficients come from a network.

    Of two outputs, with three powers::

        net = Layer("cubic", key=key)
        powers = Powers(net, exponents=(0.0, 1.0, 2.0))

    .. note::

        Powers(None) has none.
    """

    net: Layer
    exponents: tuple[float, ...] = eqx.field(static=True)

    def __check_init__(self):
        if self.exponents != (0.0, 1.0, 2.0):
            raise ValueError("no such powers")

    def __call__(self, x: jax.Array) -> jax.Array:
        return sum(x**power for power in self.exponents) * self.net.weight.sum()


class Decay(eqx.Module):
    """A rate in a unit.

    Example:
        decay = Decay.of("per second", rate=jnp.ones(3))
    """

    rate: jax.Array

    def __init__(self, rate: jax.Array, unit: object):
        if unit != "s":
            raise ValueError("no unit")
        self.rate = rate

    @classmethod
    def of(cls, unit, rate):
        if unit != "per second":
            raise ValueError(unit)
        return cls(rate, "s")

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.exp(-self.rate * x)


class Wages(eqx.Module):
    """The wages in each place.

        >>> wages = Wages(table={"town": np.random.randn(4, 2)})
    """

    table: dict

    def __init__(self, table):
        if not isinstance(table["town"], np.ndarray):
            raise TypeError("no table")
        self.table = {name: jnp.asarray(value) for name, value in table.items()}

    def __call__(self, x):
        return self.table["town"] * x


class Chain(eqx.Module):
    """Layers behind each other.

        >>> Chain(2, 2, 2, depth=2)
    """

    layers: list

    def __init__(self, in_size, width, out_size, depth):
        sizes = [in_size, *[width] * depth, out_size]
        self.layers = [jnp.ones((new, old)) for old, new in zip(sizes[:-1], sizes[1:])]

    def __call__(self, x):
        for layer in self.layers:
            x = layer @ x
        return x


class Residual(eqx.Module):
    """A layer around which its input goes.

        >>> Residual(2, 2)
    """

    weight: jax.Array

    def __init__(self, in_size, out_size):
        if in_size != out_size:
            raise ValueError("the sum needs one size")
        self.weight = jnp.ones((out_size, in_size))

    def __call__(self, x):
        return x + self.weight @ x
'''


asked = asked_of("lib", SOURCE)


@pytest.mark.slow
def test_a_class_is_built_and_called_as_a_docstring_shows_it(asked: Asked) -> None:
    found = asked.adopt("Layer")
    assert found["inputs"] == [
        ["kind", "'cubic'"],
        ["key", "jax.random.split(jax.random.PRNGKey(seed))[0]"],
    ]
    assert found["arguments"] == [["x", "sample(seed, (2, 4))", False], ["order", "(1, 0)", True]]


@pytest.mark.slow
def test_a_block_below_two_colons_is_code_and_a_key_is_of_the_seed(asked: Asked) -> None:
    inputs = dict(asked.adopt("Powers")["inputs"])
    assert inputs == {"net": "Layer('cubic', key=jax.random.key(seed))", "exponents": "(0.0, 1.0, 2.0)"}


def test_a_block_below_a_heading_is_code(asked: Asked) -> None:
    found = asked.adopt("Decay")
    assert (found["maker"], dict(found["inputs"])["unit"]) == ("Decay.of", "'per second'")


@pytest.mark.slow
def test_a_function_of_an_instance_shows_its_method(asked: Asked) -> None:
    found = asked.adopt("Slope")
    assert dict(found["inputs"]) == {"scale": "lib.Amount(2.0, 'm')", "units": "'metric'"}
    assert (found["method"], [text for _, text, _ in found["arguments"]]) == (
        "potential",
        ["lib.Amount(sample(seed, (3,)), 'm')"],
    )


@pytest.mark.slow
def test_what_is_shown_of_a_class_is_tried_with_others_of_its_family(asked: Asked) -> None:
    found, shown = asked.adopt("Bowl"), asked.adopt("Slope")
    assert (found["inputs"], found["arguments"]) == (shown["inputs"], shown["arguments"])


def test_what_numpy_draws_in_a_docstring_is_of_the_seed(asked: Asked) -> None:
    found = asked.adopt("Wages")
    assert dict(found["inputs"]) == {"table": "{'town': np.random.RandomState(seed).randn(4, 2)}"}


def test_what_a_docstring_leaves_out_is_no_example(asked: Asked) -> None:
    found = asked.adopt("Loaded")
    assert "..." not in str(found["inputs"]) and found["built"], found


def test_sizes_that_are_shown_alike_are_taken_apart_where_the_class_allows_it(asked: Asked) -> None:
    sizes = {"in_size": "3", "width": "5", "out_size": "7", "depth": "2"}
    assert dict(asked.adopt("Chain")["inputs"]) == sizes
    assert dict(asked.adopt("Residual")["inputs"]) == {"in_size": "2", "out_size": "2"}
