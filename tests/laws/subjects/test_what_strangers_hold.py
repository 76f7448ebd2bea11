"""What classes of strangers hold, and are given: shared settings, functions in arguments, entries that they do not know."""

import dataclasses
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from seen_broken import broken, hold, suite_of

from pytree_laws import Method, PytreeLaws, sample


@dataclasses.dataclass(frozen=True)
class Table:
    """Settings, with a table that nobody changes."""

    rates: dict[str, float]


shared_table = Table({"slow": 0.1})


class Scheme(eqx.Module):
    weight: jax.Array
    table: Any = eqx.field(static=True)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x


class OfTable(PytreeLaws):
    under_test: type = Scheme
    shared: Any = shared_table

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"weight": sample(seed, (3,))}

    def build(self, **inputs: Any) -> Any:
        return self.under_test(table=self.shared, **inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (sample(seed + 1, (3,)),)


def test_a_dict_within_shared_settings_is_advice_and_a_shared_dict_a_fault() -> None:
    shared = "p01_instances_share_nothing_mutable"
    assert broken(OfTable(), shared).severity == "advice"
    assert broken(type("OfDict", (OfTable,), {"shared": {"slow": 0.1}})(), shared).severity == "fault"


class Inner(eqx.Module):
    """A part with a list, which one instance would change for all."""

    gain: jax.Array
    seen: list[str] = eqx.field(static=True)


shared_part = Inner(jnp.ones((3,), dtype="float32"), ["a"])


def test_a_list_within_a_shared_part_is_a_fault() -> None:
    suite = type("OfPart", (OfTable,), {"shared": shared_part})
    assert broken(suite(), "p01_instances_share_nothing_mutable").severity == "fault"


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Patched:
    """Data with a function among its leaves."""

    data: jax.Array
    patch: Callable[..., Any]

    def __call__(self, other: "Patched") -> jax.Array:
        return self.patch(self.data, other.data)


class OfPatched(PytreeLaws):
    under_test: type = Patched

    def build(self, **inputs: Any) -> Any:
        return Patched(sample(0, (3,)), jnp.add)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return (Patched(sample(seed + 1, (3,)), jnp.add),)


def test_an_argument_may_have_functions_among_its_leaves() -> None:
    for test in ("p07_jit_equals_eager", "p10_stacked_instances"):
        hold(suite_of(OfPatched, Patched), test)


class Adapted(eqx.Module):
    """A rate for each gradient."""

    rates: dict[str, jax.Array]

    def __call__(self, grads: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return {name: self.rates[name] * grad for name, grad in grads.items()}


class Misspelt(Adapted):
    def __call__(self, grads: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return {name: self.rates["c" if len(grads) > 2 else name] * grad for name, grad in grads.items()}


class OfAdapted(PytreeLaws):
    under_test: type = Adapted

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"rates": {"a": sample(seed, (3,)), "b": sample(seed + 1, (2,))}}

    def build(self, **inputs: Any) -> Any:
        return self.under_test(**inputs)

    def arguments(self, seed: int) -> tuple[Any, ...]:
        return ({"a": sample(seed + 2, (3,)), "b": sample(seed + 3, (2,))},)


def test_an_entry_that_a_class_does_not_know_is_no_finding() -> None:
    test = "p07_can_be_called_in_each_configuration"
    hold(suite_of(OfAdapted, Adapted), test)
    assert "KeyError" in broken(suite_of(OfAdapted, Misspelt), test).what


class KernelError(Exception):
    """What a library of kernels raises."""


class Kernels(eqx.Module):
    """Methods that ask for a package, each in a way of its own, and one that breaks down."""

    weight: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.weight * x

    def imported(self, x: jax.Array) -> jax.Array:
        import kernels_that_nobody_has

        return kernels_that_nobody_has.scale(x)

    def caused(self, x: jax.Array) -> jax.Array:
        try:
            return self.imported(x)
        except ImportError as error:
            raise KernelError("no backend") from error

    def quoted(self, x: jax.Array) -> jax.Array:
        raise KernelError("no backend: ModuleNotFoundError: No module named 'kernels_that_nobody_has'")

    def broken(self, x: jax.Array) -> jax.Array:
        try:
            return self.imported(x)
        except ImportError:
            raise KernelError("the slow way breaks down") from None


def kernels(method: str) -> PytreeLaws:
    """A suite with one method of these."""

    class OfKernels(PytreeLaws):
        methods = (Method(method, lambda seed: (sample(seed, (3,)),)),)

        def build(self, seed: int) -> Kernels:
            return Kernels(sample(seed, (3,)))

        def arguments(self, seed: int) -> tuple[Any, ...]:
            return (sample(seed + 1, (3,)),)

    return OfKernels()


def test_a_package_that_is_not_installed_is_no_fault_of_a_method() -> None:
    for method in ("imported", "caused", "quoted"):
        hold(kernels(method), "p07_methods_give_what_is_declared")
    assert "the slow way" in broken(kernels("broken"), "p07_methods_give_what_is_declared").what
