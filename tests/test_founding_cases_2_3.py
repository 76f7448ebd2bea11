"""Founding cases 2 (equinox#840) and 3 (equinox#768): what was published fails today, what is emitted does not, and the
generated tests notice when the emitted code is changed back to the mistake.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from tests.projects import EXAMPLES, bare_pytest, copy_example, failed_tests

OPTIMISER = optax.adamw(0.01)


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The examples by the name of their class."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    stems = {"TrainState": "train_state", "LoopCondition": "loop_condition", "SolverTerm": "solver_term"}
    return lambda name: getattr(importlib.import_module(stems.get(name, name.lower())), name)


# Founding case 2: network and optimiser state in one module.


class HalfBuilt(eqx.Module):
    """As published: the state is made from a `self` that has none yet."""

    net: eqx.Module
    opt_state: Any = eqx.field(init=False)

    def __post_init__(self) -> None:
        trainable, _ = eqx.partition(self, eqx.is_inexact_array)
        self.opt_state = OPTIMISER.init(trainable)


class FromLeaves(eqx.Module):
    """The published remedy, with the name that `jax.tree_leaves` has today."""

    net: eqx.Module
    opt_state: Any

    def __init__(self, net: eqx.Module):
        self.net = net
        self.opt_state = OPTIMISER.init(jax.tree.leaves(eqx.filter(net, eqx.is_array)))


def gradients(model: Any) -> Any:
    return eqx.filter_grad(lambda model: jnp.sum(model(jnp.ones(2))))(model)


def test_case_2_the_published_state_of_a_half_built_self_fails_at_the_first_update() -> None:
    net = eqx.nn.Linear(2, 1, key=jax.random.key(0))
    with pytest.warns(UserWarning, match=r"field\(init=False\)"):
        model = HalfBuilt(net)
    trained = eqx.filter(model, eqx.is_inexact_array)
    with pytest.raises(ValueError, match="different pytree metadata"):
        OPTIMISER.update(trained, model.opt_state, trained)


def test_case_2_the_published_remedy_fails_at_the_first_update() -> None:
    model = FromLeaves(eqx.nn.Linear(2, 1, key=jax.random.key(0)))
    assert not hasattr(jax, "tree_leaves")
    with pytest.raises(ValueError, match="different types"):
        OPTIMISER.update(gradients(model.net), model.opt_state, model.net)


def regressor(examples: Any, seed: int = 0) -> Any:
    whiten = examples("Whiten").create(jnp.zeros(2), jnp.ones(2), 2)
    return examples("Regressor").create(whiten, 2, 3, key=jax.random.key(seed))


def test_case_2_the_emitted_state_updates(examples: Any) -> None:
    state = examples("TrainState").create(regressor(examples), OPTIMISER, key=jax.random.key(0))
    with jax.numpy_dtype_promotion("strict"):
        after = eqx.filter_jit(lambda s: s.apply_gradients(gradients(s.model), OPTIMISER))(state)
    assert jax.tree.structure(after) == jax.tree.structure(state)
    assert int(after.step) == 1
    assert jnp.array_equal(after.model.whiten.deviation, state.model.whiten.deviation)
    assert not jnp.array_equal(after.model.hidden.weight, state.model.hidden.weight)


# Founding case 3: closures across jit and loops.


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


def test_case_3_a_module_as_the_condition_of_a_loop_is_hashed() -> None:
    with pytest.raises(TypeError, match=r"unhashable type: .*ArrayImpl"):
        counted(Below(jnp.asarray(3)))
    with pytest.raises(TypeError, match=r"unhashable type: .*Tracer"):
        jax.jit(lambda limit: counted(Below(limit)))(3)


def test_case_3_the_emitted_condition_runs_the_loop(examples: Any) -> None:
    def run(limit: Any) -> Any:
        return counted(loop_condition(examples, limit).as_function())

    steps, residual = run(0.1)
    assert (int(steps), float(residual[0])) == (4, 0.0625)
    assert int(jax.jit(run)(0.1)[0]) == 4
    assert jax.vmap(run)(jnp.array([0.1, 0.3]))[0].tolist() == [4, 2]
    assert eqx.filter_jit(lambda c: counted(c.as_function()))(loop_condition(examples, 0.3))[0] == 2
    assert float(jax.jvp(lambda limit: run(limit)[1].sum(), (0.1,), (1.0,))[1]) == 0.0


def test_case_3_another_python_scalar(examples: Any) -> None:
    """A converted closure fixes the value of a Python scalar; the emitted one fixes its dtype alone."""
    converted = eqx.filter_closure_convert(lambda t, y: t * y, 2.0, jnp.ones(2))
    with pytest.raises(ValueError, match="different static arguments"):
        converted(3.0, jnp.ones(2))
    term = solver_term(examples)
    assert jnp.array_equal(
        term(3.0, jnp.ones(2), jnp.ones(2)), term(jnp.array(3.0), jnp.ones(2), jnp.ones(2))
    )


def test_case_3_other_arguments_are_refused(examples: Any) -> None:
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


def test_case_3_diffrax_solves_the_emitted_term(examples: Any) -> None:
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


def in_train_state(test: str, *edits: tuple[str, str]) -> Mistake:
    return Mistake("train_state", edits, test, ("regressor", "whiten", "affine"))


MADE = "optimiser.init(eqx.filter(model, _trained(model)))"
MISTAKES = {
    "state from a list of leaves": in_train_state(
        "test_the_optimiser_holds_nothing_of_what_is_not_trained",
        (MADE, "optimiser.init(jax.tree.leaves(eqx.filter(model, eqx.is_array)))"),
    ),
    "state from a half-built self": in_train_state(
        "test_the_update_is_a_fixed_point",
        ("opt_state: optax.OptState\n", "opt_state: optax.OptState = eqx.field(init=False)\n"),
        (f"            opt_state=_copied({MADE}),\n", ""),
        (
            "    def __check_init__(self)",
            "    def __post_init__(self) -> None:\n"
            "        self.opt_state = optax.adamw(0.01).init(eqx.filter(self, eqx.is_inexact_array))\n\n"
            "    def __check_init__(self)",
        ),
    ),
    "state of the buffers too": in_train_state(
        "test_the_update_is_a_fixed_point", (MADE, "optimiser.init(eqx.filter(model, eqx.is_inexact_array))")
    ),
    "buffers trained": in_train_state(
        "test_a_step_moves_the_trained_arrays_alone",
        ('is_leaf=lambda node: hasattr(node, "trainable"),', "is_leaf=None,"),
    ),
    "optax under strict promotion": in_train_state(
        "test_a_step_under_strict_promotion",
        ('with jax.numpy_dtype_promotion("standard"):  # optax', "if True:  # optax"),
    ),
    "a weakly typed counter": in_train_state(
        "test_p05_no_leaf_is_weakly_typed", ("step=jnp.zeros((), jnp.int32)", "step=jnp.asarray(0)")
    ),
    "a counter that stands still": in_train_state("test_steps_are_counted", ("self.step + 1", "self.step")),
    "the model's own arrays": in_train_state("test_donation", ("model = _copied(model)", "")),
    "an average that stands still": in_train_state(
        "test_the_average_follows_the_weights", ("            ema=ema,\n", "")
    ),
    "one key for all steps": in_train_state(
        "test_each_step_has_a_key_of_its_own", ("jax.random.fold_in(self.key, self.step)", "self.key")
    ),
    "dtypes that optax chooses": in_train_state(
        "test_the_update_is_a_fixed_point",
        ("jnp.asarray(new, old.dtype) if eqx.is_array(old) else new", "new.astype(jnp.bfloat16)"),
    ),
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
    result = bare_pytest(project, "-k", mistake.test)
    assert mistake.test in failed_tests(result), result.stdout
