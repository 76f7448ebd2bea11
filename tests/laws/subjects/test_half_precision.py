"""Half precision: constructors draw in a dtype that jax can draw in, and results have the dtype of what they are made of."""

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from pytree_laws import LawBroken, Leaf, Method, Output, PytreeLaws, sample


class Lens(eqx.Module):
    """A lens in a frame, with the lamps that each of its faces has."""

    glass: jax.Array
    face: jax.Array
    begins_wide: bool = eqx.field(static=True)

    def __init__(
        self,
        dtype: Any = None,
        *,
        in_32_bits: bool = True,
        begins_wide: bool = True,
        key: jax.Array,
    ) -> None:
        made = jnp.result_type(float) if dtype is None else dtype
        drawn = jnp.promote_types(made, jnp.float32) if in_32_bits else made
        self.glass = jax.random.orthogonal(key, 3, dtype=drawn).astype(made)
        self.face = jnp.array([1, 0, 1])
        self.begins_wide = begins_wide

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.glass @ x

    def pooled(self, lamps: jax.Array) -> jax.Array:
        """The light at each face."""
        dtype = lamps.dtype if self.begins_wide else self.glass.dtype
        return jnp.zeros(3, dtype).at[self.face].add(lamps.astype(dtype))


class Laws(PytreeLaws):
    leaves = (Leaf("glass", "param", (3, 3)), Leaf("face", "data", (3,), "int32"))
    takes_dtype = True
    methods = (Method("pooled", lambda seed: (sample(seed, (3,)),), returns=(Output((3,)),)),)
    options: ClassVar[dict[str, bool]] = {}

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"key": jax.random.key(seed)}

    def build(self, **inputs: Any) -> Lens:
        return Lens(**inputs, **self.options)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def suite(**options: bool) -> Laws:
    return type("TestLens", (Laws,), {"options": options})()


def test_a_draw_that_jax_has_not_in_half_precision_is_told() -> None:
    suite().test_p02_it_can_be_built_in_half_precision()
    with pytest.raises(
        LawBroken,
        match=r"(?s)at `build`: with dtype bfloat16 `qr` of bfloat16\[3,3\] raised .*draw in float32 and cast",
    ):
        suite(in_32_bits=False).test_p02_it_can_be_built_in_half_precision()


def test_a_result_of_arguments_alone_that_takes_the_dtype_of_a_leaf_is_told() -> None:
    suite().test_p07_results_of_arguments_alone_have_their_dtype()
    with pytest.raises(
        LawBroken,
        match=r"(?s)at `pooled, output 0`: it depends on no leaf, and is bfloat16 where the leaves are",
    ):
        suite(begins_wide=False).test_p07_results_of_arguments_alone_have_their_dtype()


class Wave(eqx.Module):
    """Amplitudes of which the squares are probabilities: complex numbers have 32 bits a part at least."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return jnp.abs(jnp.exp(1j * self.weight.astype(jnp.float32)) + x) ** 2

    @jax.jit
    def energy(self, x: jax.Array) -> jax.Array:
        return jnp.sum(self(x))

    def prepared(self, x: jax.Array) -> jax.Array:
        return (x / 255).astype(self.weight.dtype)

    def widened(self, x: jax.Array) -> jax.Array:
        return self.weight * x * jnp.ones(3, jnp.float32)


class WaveLaws(PytreeLaws):
    methods = (
        Method("energy", lambda seed: (sample(seed, (3,)),), returns=(Output(()),)),
        Method("prepared", lambda seed: (sample(seed, (3,)),), returns=(Output((3,)),)),
    )

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs: Any) -> Wave:
        return Wave(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class WidenedLaws(WaveLaws):
    methods = (Method("widened", lambda seed: (sample(seed, (3,)),), returns=(Output((3,)),)),)


def test_what_is_made_of_complex_numbers_has_32_bits() -> None:
    WaveLaws().test_p07_bfloat16_in_bfloat16_out()
    WaveLaws().test_p07_methods_in_bfloat16_give_bfloat16()
    WaveLaws().test_p07_results_of_arguments_alone_have_their_dtype()
    with pytest.raises(LawBroken, match="with bfloat16 leaves and arguments it is float32"):
        WidenedLaws().test_p07_methods_in_bfloat16_give_bfloat16()


class Recurrent(eqx.Module):
    """A cell whose state begins with zeros."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x

    def initial_state(self) -> jax.Array:
        return jnp.zeros(3, self.weight.dtype)


class RecurrentInFloat32(Recurrent):
    def initial_state(self) -> jax.Array:
        return jnp.zeros(3, jnp.float32)


class RecurrentLaws(PytreeLaws):
    made: type[Recurrent] = Recurrent

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs: Any) -> Recurrent:
        return self.made(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


class Float32Laws(RecurrentLaws):
    made = RecurrentInFloat32


def test_a_constant_that_a_method_without_arguments_gives_follows_the_leaves() -> None:
    RecurrentLaws().test_p07_methods_in_bfloat16_give_bfloat16()
    with pytest.raises(LawBroken, match=r"(?s)`initial_state, output 0`: .* it is float32.*jnp\.zeros\(3"):
        Float32Laws().test_p07_methods_in_bfloat16_give_bfloat16()


class Lora(eqx.Module):
    """A layer that is given, and a correction that is drawn in the default dtype; or is of the layer's own."""

    base: eqx.nn.Linear
    correction: jax.Array

    def __init__(self, base: eqx.nn.Linear, *, follows: bool, key: jax.Array) -> None:
        self.base = base
        self.correction = jax.random.normal(key, (3, 3), base.weight.dtype if follows else None)

    def __call__(self, x: jax.Array) -> jax.Array:
        return (self.base.weight + self.correction) @ x

    def merge(self) -> "Lora":
        half = jnp.full(3, 0.5, jnp.float32)  # a mistake that only narrow arrays show
        merged = self.base.weight + half * self.correction
        return eqx.tree_at(lambda lora: lora.base.weight, self, merged)


class LoraLaws(PytreeLaws):
    leaves = (Leaf("base", "buffer"), Leaf("correction", "param", (3, 3), None))
    methods = (Method("merge"),)
    follows = True

    def inputs(self, seed: int) -> dict[str, Any]:
        return {
            "base": eqx.nn.Linear(3, 3, key=jax.random.key(seed)),
            "key": jax.random.key(seed + 1),
        }

    def build(self, **inputs: Any) -> Lora:
        return Lora(**inputs, follows=self.follows)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed, (3,)),)


def test_arrays_that_a_constructor_draws_in_the_default_dtype_widen_those_that_it_is_given() -> None:
    type("TestLora", (LoraLaws,), {"follows": False})().test_p11_methods_keep_bfloat16()
    with pytest.raises(
        LawBroken, match=r"at `merge with arrays of bfloat16: base\.weight`: the next"
    ) as raised:
        LoraLaws().test_p11_methods_keep_bfloat16()
    hint = raised.value.finding.hint
    assert "`.astype(self.base.weight.dtype)`: " in hint and "half = jnp.full" in hint


class Boxes(Lens):
    def __call__(self, x: jax.Array) -> Any:
        return {"boxes": x, "scores": (self.glass @ x)[:2]}

    def scored(self, lamps: jax.Array) -> Any:
        return {"best": lamps[0], "scores": lamps * self.glass[0] * jnp.ones(3, jnp.float32)}


class BoxesLaws(Laws):
    returns = (Output((3,)), Output((3,)))
    methods = (Method("scored", lambda seed: (sample(seed, (3,)),), returns=(Output(()), Output((2,)))),)

    def build(self, **inputs: Any) -> Lens:
        return Boxes(**inputs)


@pytest.mark.parametrize(
    ("test", "place"),
    [
        ("outputs_are_as_declared", "at `output 1 (scores)`"),
        ("methods_give_what_is_declared", "at `scored, output 1 (scores)`"),
        ("methods_in_bfloat16_give_bfloat16", "at `scored, output 1 (scores)`"),
    ],
)
def test_an_output_in_a_dict_is_told_with_its_key(test: str, place: str) -> None:
    with pytest.raises(LawBroken) as raised:
        getattr(BoxesLaws(), f"test_p07_{test}")()
    assert place in str(raised.value)
