"""Paths below what is registered without keys, and indexed by something else than positions."""

import equinox as eqx
import jax
import jax.numpy as jnp

from pytree_laws import check_pytree, sample
from pytree_laws.inspect.trees import look_up


@jax.tree_util.register_pytree_node_class
class Images:
    """Arrays by their order and parity, as a container of tensors has them."""

    def __init__(self, data):
        self.data = data

    def __getitem__(self, order):
        return self.data[order]

    def tree_flatten(self):
        return (self.data[0, 1],), ()

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls({(0, 1): children[0]})


class Layer(eqx.Module):
    images: Images
    orders: dict = eqx.field(static=True)
    weight: jax.Array

    def __call__(self, x):
        return self.weight * x + self.images[0, 1]


def layer(seed):
    return Layer(Images({(0, 1): sample(seed, (3,))}), {}, sample(seed + 1, (3,)))


def test_a_container_by_other_keys_is_no_error_of_the_laws():
    report = check_pytree(layer, lambda seed: (sample(seed + 2, (3,)),))
    assert not [finding for finding in report.findings if "KeyError" in finding.what]
    assert jnp.array_equal(look_up(layer(0), "images.0"), layer(0).images[0, 1])


def test_a_dict_has_its_keys_by_their_text():
    assert look_up({1: {"a": 2}}, "1.a") == 2
