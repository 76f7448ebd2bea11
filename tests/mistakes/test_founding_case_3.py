"""Founding case 3 (equinox#768), closures across jit and loops: a Module given to jax as a function is hashed.

The answer is a closure that keeps the structure of its arguments static, and hands jax a plain function.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scaffold.spec.names import stem
from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, failed_tests


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The examples by the name of their class."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return lambda name: getattr(importlib.import_module(stem(name)), name)


class Below(eqx.Module):
    """A loop's condition as people write it."""

    limit: jax.Array

    def __call__(self, value: Any) -> Any:
        return value[0] < self.limit


def counted(condition: Any, size: int = 2) -> Any:
    """The steps and the residual after a loop that halves the residual."""
    start = jnp.asarray(0, jnp.int32), jnp.ones(size)
    return jax.lax.while_loop(condition, lambda value: (value[0] + 1, value[1] / 2), start)


def loop_condition(examples: Any, limit: Any, steps: Any = 100) -> Any:
    return examples("LoopCondition").create(limit, steps, ((jnp.asarray(0, jnp.int32), jnp.ones(2)),))


def test_a_module_as_the_condition_of_a_loop_is_hashed() -> None:
    with pytest.raises(TypeError, match=r"unhashable type: .*ArrayImpl"):
        counted(Below(jnp.asarray(3)))
    with pytest.raises(TypeError, match=r"unhashable type: .*Tracer"):
        jax.jit(lambda limit: counted(Below(limit)))(3)


class Scaled(eqx.Module):
    """A step of a loop as people write it."""

    factor: jax.Array

    def __call__(self, x: Any) -> Any:
        return self.factor * x


WAYS = {
    "jit": lambda function, x: jax.jit(function)(x),
    "checkpoint": lambda function, x: jax.checkpoint(function)(x),
    "while_loop": lambda function, x: jax.lax.while_loop(lambda _: False, function, x),
    "fori_loop": lambda function, x: (
        jax.lax.fori_loop(0, 2, lambda _, value: function(value), x)
        if type(function).__name__ == "function"
        else jax.lax.fori_loop(0, 2, function, x)
    ),
    "cond": lambda function, x: jax.lax.cond(True, function, function, x),
    "switch": lambda function, x: jax.lax.switch(0, [function, function], x),
    "closure_convert": lambda function, x: jax.closure_convert(function, x)[0](x),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_module_is_hashed_by_what_takes_functions_and_the_emitted_function_is_not(
    way: str, examples: Any
) -> None:
    x = jnp.asarray(3.0)
    with pytest.raises(TypeError, match="unhashable type"):
        WAYS[way](Scaled(jnp.asarray(2.0)), x)
    with pytest.raises(TypeError, match="unhashable type"):
        jax.jit(lambda factor: WAYS[way](Scaled(factor), x))(2.0)
    term = solver_term(examples)

    def rate(function: Any) -> Any:
        return lambda value: jnp.sum(function(value, jnp.ones(2), jnp.ones(2)))

    assert jnp.isfinite(WAYS[way](rate(term.as_function()), x))


def test_a_module_passes_where_nothing_hashes_it() -> None:
    scaled, x = Scaled(jnp.asarray(2.0)), jnp.asarray(3.0)
    assert (
        jax.vmap(scaled)(x[None])[0]
        == jax.lax.map(scaled, x[None])[0]
        == jax.jit(lambda v: scaled(v))(x)
        == 6.0
    )
    assert jax.grad(scaled)(x) == 2.0 and jax.eval_shape(scaled, x).shape == ()


def test_the_emitted_condition_runs_the_loop(examples: Any) -> None:
    def run(limit: Any) -> Any:
        return counted(loop_condition(examples, limit).as_function())

    steps, residual = run(0.1)
    assert (int(steps), float(residual[0])) == (4, 0.0625)
    assert int(jax.jit(run)(0.1)[0]) == 4
    assert jax.vmap(run)(jnp.array([0.1, 0.3]))[0].tolist() == [4, 2]
    assert eqx.filter_jit(lambda c: counted(c.as_function()))(loop_condition(examples, 0.3))[0] == 2
    assert float(jax.jvp(lambda limit: run(limit)[1].sum(), (0.1,), (1.0,))[1]) == 0.0


def test_another_python_scalar(examples: Any) -> None:
    """A converted closure fixes the value of a Python scalar; the emitted one fixes its dtype alone."""
    converted = eqx.filter_closure_convert(lambda t, y: t * y, 2.0, jnp.ones(2))
    with pytest.raises(ValueError, match="different static arguments"):
        converted(3.0, jnp.ones(2))
    term = solver_term(examples)
    assert jnp.array_equal(
        term(3.0, jnp.ones(2), jnp.ones(2)), term(jnp.array(3.0), jnp.ones(2), jnp.ones(2))
    )


def test_other_arguments_are_refused(examples: Any) -> None:
    condition = loop_condition(examples, 0.1)
    with pytest.raises(TypeError) as caught:
        counted(condition.as_function(), size=3)
    assert str(caught.value) == (
        "`LoopCondition` takes the arguments ((ShapeDtypeStruct(shape=(), dtype=int32), "
        "ShapeDtypeStruct(shape=(2,), dtype=float32)),), as in its example, and was given "
        "((ShapeDtypeStruct(shape=(), dtype=int32), ShapeDtypeStruct(shape=(3,), dtype=float32)),)"
    )


def solver_term(examples: Any, frequency: Any = 2.0) -> Any:
    coupling = jnp.array([[0.0, 1.0], [-1.0, 0.0]])
    example = (jnp.array(0.0), jnp.ones(2), jnp.ones(2))
    return examples("SolverTerm").create(coupling, jnp.array([0.1, 0.2]), frequency, example)


@pytest.mark.slow
def test_diffrax_solves_the_emitted_term(examples: Any) -> None:
    diffrax = pytest.importorskip("diffrax", reason="diffrax is not installed: the term has no real client")

    def final(frequency: Any) -> Any:
        term = diffrax.ODETerm(solver_term(examples, frequency))
        solution = diffrax.diffeqsolve(
            term,
            diffrax.Tsit5(),
            t0=0.0,
            t1=1.0,
            dt0=0.01,
            y0=jnp.array([1.0, 0.0]),
            args=jnp.array([0.5, 0.0]),
        )
        return solution.ys[0, 0]

    value, slope = jax.jit(jax.value_and_grad(final))(2.0)
    nearby = (final(2.05) - final(1.95)) / 0.1
    assert np.isclose(value, runge_kutta(solver_term(examples)), atol=1e-5)
    assert np.isclose(slope, nearby, rtol=0.05)


def runge_kutta(term: Any, steps: int = 100) -> Any:
    """The same by hand, with `as_function` in a `fori_loop`."""
    field, drive, h = term.as_function(), jnp.array([0.5, 0.0]), 1.0 / steps

    def step(index: Any, y: Any) -> Any:
        t = index * h
        k1 = field(t, y, drive)
        k2 = field(t + h / 2, y + h / 2 * k1, drive)
        k3 = field(t + h / 2, y + h / 2 * k2, drive)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + field(t + h, y + h * k3, drive))

    return jax.lax.fori_loop(0, steps, step, jnp.array([1.0, 0.0]))[0]


# Changed back to the mistake, the generated tests fail.


@dataclass(frozen=True)
class Mistake:
    """Texts to replace in an example, each of which is there once, and a test that must fail."""

    example: str
    edits: tuple[tuple[str, str], ...]
    test: str
    needs: tuple[str, ...] = ()


MISTAKES = {
    "the module itself for a function": Mistake(
        "loop_condition", (("        return function\n", "        return self\n"),), "test_it_passes_through"
    ),
    "the module itself, with tracers": Mistake(
        "solver_term",
        (("        return function\n", "        return self\n"),),
        "test_it_passes_through_with_tracers_of_an_outer_jit",
    ),
    "a bound method that is compiled": Mistake(
        "solver_term",
        (("        return function\n", "        return jax.jit(self)\n"),),
        "test_it_passes_through_with_tracers_of_an_outer_grad",
    ),
    "a captured array that is static": Mistake(
        "solver_term",
        (('frequency: Float[Array, ""]\n', 'frequency: Float[Array, ""] = eqx.field(static=True)\n'),),
        "test_p02_leaves_are_the_declared_ones",
    ),
    "a structure among the leaves": Mistake(
        "loop_condition",
        (("structure: Structure = eqx.field(static=True)", "structure: Structure"),),
        "test_p02_leaves_are_the_declared_ones",
    ),
    "an example kept as it is": Mistake(
        "loop_condition",
        (("structure=_structure_of(example)", "structure=tuple(jax.tree.flatten(example))"),),
        "test_p02_no_array_hides_elsewhere",
    ),
    "arguments that nobody checks": Mistake(
        "solver_term",
        (("if given != self.structure:", "if False:"),),
        "test_other_arguments_are_refused_and_both_structures_shown",
    ),
    "an error that shows one structure": Mistake(
        "solver_term",
        (("was given {_shown(given)}", "was given others"),),
        "test_other_arguments_are_refused_and_both_structures_shown",
    ),
}


@pytest.mark.spread(10)
@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistake_is_noticed_by_the_generated_tests(name: str, tmp_path: Path) -> None:
    mistake = MISTAKES[name]
    project = copy_example(mistake.example, tmp_path / "project", *mistake.needs)
    module = project / f"{mistake.example}.py"
    text = module.read_text()
    for old, new in mistake.edits:
        assert text.count(old) == 1, f"the example no longer reads {old!r}"
        text = text.replace(old, new)
    module.write_text(text)
    result = forked_pytest(project, "-k", mistake.test)
    assert mistake.test in failed_tests(result), result.stdout
