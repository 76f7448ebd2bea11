"""What the laws of NNX modules share that train: gradients, steps, and generic points."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from ..look.arrays import is_inexact, is_key, on_device
from ..look.draws import generic, generic_indices
from ..look.training import weighted
from ..report import doing
from .programs import compiled_step
from .suite import NnxSuite
from .variables import copy_of, is_differentiable, values_of, variables_of


class Training(NnxSuite):
    """A suite whose laws train its module."""

    def loss(self, instance: Any, arguments: Any) -> Any:
        outputs = jax.tree.leaves(self.call(instance, *arguments))
        return sum(weighted(y) for y in outputs if is_inexact(y))

    def examples(self) -> tuple[Any, ...]:
        return self.arguments(0), self.arguments(1)

    def slopes(self, instance: Any, arguments: Any) -> dict[str, Any]:
        """Gradients of the loss for all inexact Variables, by path; the call updates them."""
        parts: Any = nnx.split(copy_of(instance), is_differentiable, ...)
        selected = nnx.DiffState(0, is_differentiable)
        try:
            return values_of(nnx.grad(self.loss, argnums=selected)(instance, arguments))
        except ValueError as error:
            if "Reverse-mode differentiation" not in str(error):
                raise

        def loss(values: Any) -> Any:  # a while_loop has a forward mode alone
            return self.loss(
                nnx.merge(parts[0], values, parts[2], copy=True), arguments
            )

        return values_of(jax.jacfwd(loss)(parts[1]))

    def training_example(self) -> Any:
        """A module; skips where nothing is trained or can be differentiated."""
        instance, arguments = self.example()
        result = jax.eval_shape(
            lambda state: self.step_of_state(nnx.graphdef(instance), state, *arguments),
            nnx.state(instance),
        )[0]
        real = [jnp.issubdtype(y.dtype, jnp.inexact) for y in jax.tree.leaves(result)]
        if not any(real):
            pytest.skip("the call returns nothing to differentiate")
        held = variables_of(instance).items()
        if not any(self.is_param(n) or isinstance(v, nnx.Param) for n, v in held):
            pytest.skip("no parameters are declared")
        return instance

    def start(self, instance: Any) -> tuple[Any, Any]:
        """The first moments of the optimiser, of all Params in one array."""
        params = values_of(nnx.state(instance, nnx.Param)).values()
        dtypes = [param.dtype for param in params]  # all at once, two of 16 bits clash
        wide = functools.reduce(np.promote_types, dtypes, np.dtype(np.float32))
        zeros = np.zeros(sum(param.size for param in params), wide)
        return on_device(zeros), on_device(np.real(zeros))

    def train(self, instance: Any, steps: int) -> Any:
        """A copy of the module after some steps of AdamW."""
        laws: Any = type(self)
        module, step = copy_of(instance), compiled_step(laws)
        moments, examples = self.start(instance), self.examples()
        with doing(type(instance).__name__, "a training step"):
            for count in range(1, steps + 1):
                given = examples[count % 2], moments, np.asarray(count, np.int32)
                _, state, moments = step(*nnx.split(module), *given)
                nnx.update(module, state)
        return module

    def at_point(self, seed: int) -> tuple[Any, Any]:
        """A module and arguments: the example, or random floats for another seed."""
        instance = self.make(seed if self._draws() else 0)
        if not seed:
            return instance, self.examples()
        graphdef, state = nnx.split(instance)
        moved = self.arguments(2 * seed), self.arguments(2 * seed + 1)
        sizes = [size for v in values_of(state).values() for size in v.shape]
        state, moved = generic((state, moved), seed)
        moved = generic_indices(moved, seed, max(sizes, default=2))
        return nnx.merge(graphdef, state, copy=True), moved

    def _draws(self) -> bool:
        """Whether modules hold keys, so that each seed must have its own."""
        return any(map(is_key, values_of(self.make(0)).values()))

    def gradient_program(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        parts: Any = nnx.split(self.training_example(), nnx.Param, ...)
        graphdef, params, rest = parts

        def loss(params: Any, rest: Any) -> Any:
            module = nnx.merge(graphdef, params, rest, copy=True)
            return self.loss(module, self.arguments(0))

        return jax.grad(loss), (params, rest)
