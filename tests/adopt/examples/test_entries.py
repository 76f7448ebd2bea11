"""Dicts that a call takes: with the entries that its errors ask for, all at once or one after the other."""

import re
from typing import Any

import pytest

from scaffold.adopt.child.values.candidates import of_annotation
from scaffold.adopt.child.values.context import Context
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


class Mirror(eqx.Module):
    def __call__(self, fields: dict[str, Array]) -> dict[str, Array]:
        return {name: (value + value[::-1, ::-1, ::-1]) / 2 for name, value in fields.items()}
"""
asked = asked_of("entries_asked_for", SOURCE)


@pytest.mark.slow
def test_entries_that_an_error_names_are_given(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Constraints")["arguments"]
    assert all(f'"{name}": sample(' in text for name in ("alpha", "beta", "gamma")), text


def test_entries_that_errors_name_one_by_one_are_found(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Trend")["arguments"]
    assert '"hours": sample(' in text and '"wages": sample(' in text


def test_entries_have_as_many_axes_as_an_error_says(asked: Asked) -> None:
    [[_, text, _]] = asked.adopt("Mirror")["arguments"]
    assert re.search(r'"a": sample\(seed, \(\d+, \d+, \d+\)\)', text), text


@pytest.mark.slow
def test_the_alias_that_names_itself_has_an_end() -> None:
    # As `type Tree = dict[str, Tree]` of Python 3.12, which is read when it is asked for.
    alias: Any = type("TypeAliasType", (), {})()
    alias.__value__ = dict[str, alias]
    assert of_annotation("tree", alias, Context())[-1].text == "{}"
