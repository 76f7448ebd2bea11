"""Classes whose methods give a part by its name: there is nothing to call."""

from tests.adopt.asking import Asked, asked_of

SOURCE = """
import equinox as eqx
import jax
import jax.numpy as jnp


class Record(eqx.Module):
    lai: jax.Array
    height: jax.Array

    def get(self, path: str):
        if not hasattr(self, path):
            raise KeyError(f"no {path}")
        return getattr(self, path)


class Log(eqx.Module):
    level: jax.Array

    def scaled(self, name: str) -> jax.Array:
        return jnp.exp(getattr(self, "level")) * len(name)
"""
asked = asked_of("parts", SOURCE)


def test_a_part_by_its_name_is_no_call(asked: Asked) -> None:
    answer = asked.adopt("Record")
    assert answer["inputs"] and not answer["called"]


def test_what_computes_with_a_part_is_a_call(asked: Asked) -> None:
    assert asked.adopt("Log")["called"]
