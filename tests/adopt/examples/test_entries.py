"""Dicts that a call takes: with the entries that its errors ask for, all at once or one after the other."""

from tests.adopt.asking import Asked, asked_of

SOURCE = """
from typing import Any

import equinox as eqx
from jax import Array


class Constraints(eqx.Module):
    initial: dict[str, float]

    def __init__(self):
        self.initial = {"alpha": 0.5, "gamma": 2.0, "beta": 1.0}

    def transform(self, raw: dict[str, Any]) -> dict[str, Array]:
        if missing := self.initial.keys() - raw.keys():
            raise ValueError(f"Missing required parameters: {missing}")
        if extra := raw.keys() - self.initial.keys():
            raise ValueError(f"Unexpected parameters: {extra}")
        return {name: value * self.initial[name] for name, value in raw.items()}


class Trend(eqx.Module):
    slope: Array

    def predict(self, data: dict[str, Array]) -> Array:
        return sum(self.slope * data[name] for name in sorted({"wages", "hours"}))
"""
asked = asked_of("entries_asked_for", SOURCE)


def test_entries_that_an_error_names_are_given(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Constraints")["arguments"]
    assert all(f'"{name}": sample(' in text for name in ("alpha", "beta", "gamma")), text


def test_entries_that_errors_name_one_by_one_are_found(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Trend")["arguments"]
    assert '"hours": sample(' in text and '"wages": sample(' in text
