"""Examples that somebody guessed: what a class refuses in words of its own is no finding."""

from typing import Any

import equinox as eqx
import jax
import pytest
from seen_broken import broken, hold, suite_of

from pytree_laws import Method, PytreeLaws, sample

TEST = "p07_methods_give_what_is_declared"
COMPILED = "p07_loses_no_precision_on_the_way"


class Asserts(eqx.Module):
    """It takes rows of one size alone."""

    weight: jax.Array

    def centred(self, x: jax.Array) -> jax.Array:
        assert x.shape[-1] == 4, "rows of four"
        return self.weight * x


class Raises(Asserts):
    """The same, by an error of another kind."""

    def centred(self, x: jax.Array) -> jax.Array:
        raise RuntimeError("rows of four")


class Mistaken(Asserts):
    """It asks an array for what none has."""

    def centred(self, x: jax.Array) -> jax.Array:
        return self.weight * x.centre


class Laws(PytreeLaws):
    under_test: type = Asserts
    methods = (Method("centred", lambda seed: (sample(seed, (3,)),)),)
    guessed: tuple[str, ...] = ("centred",)

    def build(self, seed: int) -> Any:
        return self.under_test(sample(seed, (3,)))


class Given(Laws):
    guessed = ()


@pytest.mark.parametrize(
    ("cls", "said"), [(Asserts, r"AssertionError: .*rows of four"), (Raises, "RuntimeError: rows of four")]
)
def test_a_guess_that_the_class_refuses_is_not_tried(cls: type, said: str) -> None:
    with pytest.raises(pytest.skip.Exception, match=rf"not tried: .*`centred` is a guess.*\({said}"):
        hold(suite_of(Laws, cls), TEST)


@pytest.mark.parametrize(("laws", "cls"), [(Laws, Mistaken), (Given, Asserts)])
def test_a_mistake_and_what_somebody_declared_are_findings(laws: type[Laws], cls: type) -> None:
    assert broken(suite_of(laws, cls), TEST).where == "centred"


class Indexed(eqx.Module):
    """It looks up a row, by an array of which it makes a number of Python."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight[int(x)]


class Unsaid(Indexed):
    """The same, where nothing says that the number is an array."""

    def __call__(self, x):
        return self.weight[int(x)]


class CallLaws(Laws):
    methods = ()
    guessed = ("__call__",)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (jax.numpy.asarray(seed),)


def test_an_array_that_cannot_be_traced_is_no_guess_where_an_array_is_annotated() -> None:
    assert broken(suite_of(CallLaws, Indexed), COMPILED).where == "compiled call"
    with pytest.raises(pytest.skip.Exception, match="the example of `__call__` is a guess"):
        hold(suite_of(CallLaws, Unsaid), COMPILED)


class Stepping(Asserts):
    """It calls what it is given, of which an array says something else than a tracer does."""

    def __call__(self, field: Any, x: jax.Array) -> jax.Array:
        return self.weight * field(x)


class SteppingLaws(CallLaws):
    def arguments(self, seed: int) -> tuple[Any, ...]:
        return sample(seed, ()), sample(seed, (3,))


@pytest.mark.parametrize("test", ["p06_one_trace_serves_all_instances", COMPILED])
def test_what_a_guess_raises_in_a_program_is_no_finding_either(test: str) -> None:
    with pytest.raises(pytest.skip.Exception, match="the example of `__call__` is a guess"):
        hold(suite_of(SteppingLaws, Stepping), test)
