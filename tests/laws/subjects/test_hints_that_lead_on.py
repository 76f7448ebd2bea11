"""What messages say of mistakes that strangers made: the attribute, the line and the way out."""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from pytree_laws import LawBroken, Leaf, Method, PytreeLaws, check_pytree, sample
from pytree_laws.errors import message_of
from pytree_laws.nnx import NnxLaws, Var
from pytree_laws.report import Fault
from pytree_laws.state import StateLaws
from pytree_laws.values.comparison import check_same_structure
from tests.laws.seen_broken import broken, hold, suite_of


class Kept(nnx.Module):
    """It gives back what it is to be filled."""

    def __init__(self, seed: int) -> None:
        self.weight = nnx.Param(sample(seed, (3,)))

    def save(self, path: Any) -> None:
        np.save(path, self.weight[...])

    @classmethod
    def load(cls, path: Any, like: Any) -> Any:
        return nnx.clone(like)


class KeptLaws(NnxLaws):
    def build(self, seed: int) -> Any:
        return Kept(seed)


class Written(eqx.Module):
    weight: jax.Array

    def save(self, path: Any) -> None:
        path.write_text("")

    @classmethod
    def load(cls, path: Any, like: Any) -> Any:
        return jax.tree.map(jnp.array, like)


class WrittenLaws(PytreeLaws):
    def build(self, seed: int) -> Any:
        return Written(sample(seed, (3,)))


@pytest.mark.parametrize(
    ("laws", "test"),
    [(KeptLaws, "p14_own_save_and_load"), (WrittenLaws, "p14_save_and_load_into_a_fresh_skeleton")],
)
def test_a_load_that_gives_what_it_is_to_fill_is_what_to_look_at(
    laws: type[PytreeLaws], test: str, tmp_path: Any
) -> None:
    with pytest.raises(LawBroken) as raised:
        getattr(laws(), f"test_{test}")(tmp_path=tmp_path)
    assert raised.value.finding.hint.startswith("its own `save` and `load`")


class Local(eqx.Module):
    function: Any = eqx.field(static=True)

    def __init__(self) -> None:
        self.function = lambda x: 2 * x


def test_a_function_that_is_made_anew_is_no_class_without_an_equality() -> None:
    with pytest.raises(Fault) as raised:
        check_same_structure(Local(), Local(), "a save and a load")
    assert "a `lambda` or a `def` in it" in raised.value.args[2]


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Kernel:
    length: jax.Array
    noise: jax.Array

    def tree_flatten(self):
        return (self.length, self.noise), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

    def gram(self, xs):
        squared = jnp.sum((xs[:, None] - xs[None]) ** 2, axis=-1) / self.length
        return self.noise + jnp.sqrt(squared)


class VectorLaws(PytreeLaws):
    under_test: type

    def build(self, seed):
        return self.under_test(sample(seed, (3,)))

    def arguments(self, seed):
        return (sample(seed, (3,)),)


class KernelLaws(VectorLaws):
    methods = (Method("gram", lambda seed: (sample(seed, (4, 2)),)),)

    def build(self, seed):
        return Kernel(jnp.float32(2 + seed), jnp.float32(1))


def test_a_leaf_without_a_key_is_named_by_its_attribute():
    finding = broken(suite_of(KernelLaws, Kernel), "p09_methods_have_true_gradients")
    assert "gradient by `length` has NaN" in finding.what and "a root or a norm of zeros" in finding.hint


class Counting(nnx.Module):
    def __init__(self, is_number: bool):
        self.weight = nnx.Param(jnp.ones(3))
        self.seen = 0 if is_number else None


class CountingLaws(NnxLaws):
    variables = (Var("weight", nnx.Param, (3,)), Var("seen", nnx.BatchStat, below=True))
    is_number = True

    def build(self, **inputs: Any) -> Any:
        return Counting(self.is_number)


class WithoutCountLaws(CountingLaws):
    is_number = False


def test_a_number_in_the_place_of_a_declared_variable_is_told():
    hold(WithoutCountLaws(), "p02_the_state_is_the_declared_variables")
    finding = broken(CountingLaws(), "p02_the_state_is_the_declared_variables")
    assert finding.where == "seen" and "declared as BatchStat, but no Variable" in finding.what


class Activated(eqx.Module):
    weight: jax.Array
    activation: Any

    def __init__(self, weight):
        self.weight, self.activation = weight, lambda x: x


class ActivatedLaws(VectorLaws):
    leaves = (Leaf("weight", "param", (3,)),)


def test_a_function_among_the_leaves_is_to_be_static():
    finding = broken(suite_of(ActivatedLaws, Activated), "p02_leaves_are_the_declared_ones")
    assert finding.where == "activation" and finding.hint.startswith(
        "a static field, `eqx.field(static=True)`"
    )


class Masked(eqx.Module):
    weight: jax.Array
    mask: jax.Array

    def __init__(self, weight):
        self.weight, self.mask = weight, jnp.ones(3)

    def __call__(self, x):
        return self.weight * jax.lax.stop_gradient(self.mask) * x


class MaskedLaws(VectorLaws):
    leaves = (Leaf("weight", "param", (3,)), Leaf("mask", "buffer"))


def test_a_buffer_that_a_step_moves_is_an_array_of_floats():
    finding = broken(suite_of(MaskedLaws, Masked), "p09_a_step_moves_the_parameters_alone")
    assert finding.where == "mask" and "or integers or flags where they say the same" in finding.hint


class Compiled(eqx.Module):
    gain: jax.Array

    @eqx.filter_jit
    def __call__(self, x):
        return self.gain * x + jnp.zeros(x.shape)


def test_a_wide_result_of_a_compiled_call_has_its_line():
    finding = broken(suite_of(VectorLaws, Compiled), "p07_bfloat16_in_bfloat16_out")
    assert "return self.gain * x + jnp.zeros(x.shape)" in finding.hint


class Heads(eqx.Module):
    heads: dict[str, jax.Array]

    def __init__(self, weight):
        self.heads = {"q": weight, "k": weight + 1}

    def __call__(self, x):
        for head in self.heads.values():
            x = jnp.tanh(head * x + 1) * 2
        return x


def test_keys_of_dicts_are_sorted_by_jit():
    finding = broken(suite_of(VectorLaws, Heads), "p07_filter_jit_equals_eager")
    assert "jax sorts its keys" in finding.hint


class Mixing(eqx.Module):
    weight: jax.Array

    def mixed(self, y):
        return y @ self.weight

    @eqx.filter_jit
    def clipped(self, y):
        return y if jnp.sum(y) > 0 else self.weight


class MixingLaws(VectorLaws):
    methods = (Method("mixed", lambda seed: (sample(seed, (4, 9)),)),)


class ClippingLaws(VectorLaws):
    methods = (Method("clipped", lambda seed: (sample(seed, (3,)),)),)


@pytest.mark.parametrize(
    ("laws", "told"),
    [(MixingLaws, '`values={"mixed.ARGUMENT": lambda: ...}`'), (ClippingLaws, "`jnp.where`")],
)
def test_a_method_that_raises_has_a_way_out(laws: type[VectorLaws], told: str):
    assert told in broken(suite_of(laws, Mixing), "p07_methods_give_what_is_declared").hint


class Dropping(eqx.Module):
    mean: eqx.nn.StateIndex

    def __init__(self):
        self.mean = eqx.nn.StateIndex(jnp.zeros(3))

    def __call__(self, x, state):
        state.set(self.mean, x)
        return x - state.get(self.mean), state


class DroppingLaws(StateLaws):
    leaves = ()
    states = (Leaf("mean", "state", (3,)),)

    def build(self, seed):
        return eqx.nn.make_with_state(Dropping)()[0]

    def state(self, seed):
        return eqx.nn.make_with_state(Dropping)()[1]

    def arguments(self, seed):
        return sample(seed, (3,)), self.state(seed)


def test_a_state_that_is_dropped_is_told_in_a_line():
    finding = broken(DroppingLaws(), "p07_loses_no_precision_on_the_way")
    assert finding.what.endswith("Attempted to use old state.")
    assert "`state = state.set(self.mean, mean)`" in finding.hint
    assert (
        message_of("Attempted to use old state. Probably not") == "Attempted to use old state. Probably not"
    )


class Optional(eqx.Module):
    """A method reads a part that this instance is without."""

    scale: jax.Array
    part: Any = None

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.scale * x + self.part.slope


def test_of_a_part_that_is_none_no_name_is_said_to_be_gone() -> None:
    report = check_pytree(lambda seed: Optional(sample(seed, (3,))), lambda seed: (sample(seed, (3,)),))
    [told] = {finding.hint for finding in report.findings if "NoneType" in finding.what}
    assert told.startswith("what is None in this example"), told
