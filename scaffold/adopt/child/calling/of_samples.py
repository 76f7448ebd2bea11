"""Arguments of a density, which have to be like samples of the same distribution."""

import inspect
import re
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from pytree_laws.inspect.arrays import is_array, is_inexact

from ..classes.methods import parameters_of_method
from ..values.annotations import EMPTY
from ..values.names import KEY
from ..values.sources import Source
from .called import Subject

DENSITY = re.compile(r"^(un)?_?(log_?)?(prob|pdf|pmf|cdf|sf|density)(_|$)|^survival_function$")
"""Matches methods of a distribution that take a value like its samples."""
DRAWS = 16
"""Number of samples to look at."""


def like_samples(subject: Subject, name: str, wanted: Sequence[inspect.Parameter]) -> dict[str, list[Source]]:
    """Return the values to try first for a density, such as integers if the samples are integers."""
    if not DENSITY.search(name) or not wanted:
        return {}
    try:
        samples = samples_of(subject)
    except Exception:
        return {}
    source = alike(samples) if samples and all(map(is_array, samples)) else None
    return {wanted[0].name: [source]} if source is not None else {}


def samples_of(subject: Subject) -> list[Any]:
    """Draw several samples of a distribution, or none if `sample` needs more than a key."""
    instance = subject.owner.make(0)
    parameters = parameters_of_method(type(instance), "sample") or []
    keys = [part for part in parameters if KEY.search(part.name) or part.name == "seed"]
    needed = [part for part in parameters if part.default is EMPTY and part not in keys]
    needed = [part for part in needed if part.kind not in (part.VAR_POSITIONAL, part.VAR_KEYWORD)]
    if len(keys) != 1 or needed:
        return []
    return [instance.sample(**{keys[0].name: jax.random.key(seed)}) for seed in range(DRAWS)]


def alike(samples: Sequence[Any]) -> Source | None:
    """Return an expression with the shape and range of samples, or None for floats of any sign."""
    every, shape = np.stack([np.asarray(sample) for sample in samples]), samples[0].shape
    if not is_inexact(samples[0]):
        is_flag = every.dtype == bool
        drawn = '"bool"' if is_flag else f'"int", {int(min(every.min(), 0))}, {int(max(every.max() + 1, 2))}'
        return Source(f"sample(seed, {shape}, {drawn})")
    if not (every > 0).all():
        return None
    if shape and np.allclose(every.sum(-1), 1, atol=1e-3):
        return Source(f"jax.nn.softmax(sample(seed, {shape}))")
    is_share = (every < 1).all()
    return Source(f"sample(seed, {shape}, positive=True)" if is_share else f"jnp.exp(sample(seed, {shape}))")
