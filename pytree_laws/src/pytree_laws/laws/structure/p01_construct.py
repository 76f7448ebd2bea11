"""P1: the constructor."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from ...discover.inference import stores_what_it_is_given
from ...engine.applicability import ACCEPTED, applies_where, declares, not_applicable, of_leaves
from ...engine.runner import first_build, guard
from ...inspect.arrays import aval, buffer_of, host, is_array, is_constant, is_key, on_device, same_bits
from ...inspect.classes import defaults_of, own_functions
from ...inspect.global_state import globals_of
from ...inspect.references import (
    MUTABLE,
    containers_of,
    mutables,
    reachable,
    scramble,
    snapshot,
    turned_around,
)
from ...inspect.trees import arrays_of, given_arrays, is_under, named_arrays, structure, under_any
from ...report import ANY_ERROR, Fault, Law, check, doing
from ...suites.base import Suite
from ...suites.pytree import PytreeSuite
from ...trace.jaxprs import NEEDS_VALUES, constant_draws
from ...values.comparison import check_same_bits

LAW = Law(
    number="P1",
    name="construct",
    statement="The constructor builds the same instance from the same inputs, holds what it is given, draws from its key alone, refuses invalid inputs, works under jit, and changes nothing around it.",
    protects="A constructor with side effects: the caller's dict is changed, two instances share one, or a key other than the one given is drawn from.",
    mistake="A dict, list or array of the caller is changed or stored as it is, a default is shared by all instances, a key is constant, or a check needs the values of arrays.",
    fix="Copy on the way in (`{**table}`, `list(layers)`, `jnp.array(x)`) and check there; derive randomness from the key alone.",
    # Who stores an array as it was given may mean to: nothing changes it in place but donation.
    # The constructor of a dataclass or NamedTuple stores all as it is, as its callers know.
    lesser={
        "defaults_are_immutable": "advice",
        "shares_no_buffer": "advice",
        "generated_constructor": "advice",
    },
)


@guard
class Construct(Suite):
    """P1 for classes of every kind."""

    def test_p01_leaves_its_inputs_alone(self) -> None:
        inputs = self.plain_inputs(0)
        before = {name: snapshot(value, identity=True) for name, value in inputs.items()}
        self.build(**{**self.inputs(0), **inputs})
        for name, value in inputs.items():
            same = snapshot(value, identity=True) == before[name]
            check(same, name, "the constructor changed its input in place")

    def test_p01_keeps_none_of_its_inputs(self) -> None:
        inputs = self.plain_inputs(0)
        instance = self.build(**{**self.inputs(0), **inputs})
        if not stores_what_it_is_given(self):
            check_no_container(instance, inputs)
        own, arrays = self.built_of_arrays(inputs)
        if not self.copies_arrays:  # a suite that names what is held says that it is copied
            names = () if self.keeps_arrays() else self.kept
            arrays = [(name, v) for name, v in arrays if under_any(name, names)]
        self.check_no_shared_buffer(own, arrays)

    def test_p01_a_generated_constructor_is_given_nothing_that_can_change(self) -> None:
        if not stores_what_it_is_given(self):
            not_applicable("the constructor is the author's own")
        inputs = self.plain_inputs(0)
        instance = self.build(**{**self.inputs(0), **inputs})
        check_no_container(instance, inputs)

    def test_p01_shares_no_buffer_with_its_inputs(self) -> None:
        instance, arrays = self.built_of_arrays(self.plain_inputs(0))
        if not arrays:
            not_applicable("the constructor is given no arrays")
        if self.copies_arrays is not None or self.keeps_arrays():
            not_applicable("whether it copies the arrays that it is given is known")
        self.check_no_shared_buffer(instance, arrays)

    def built_of_arrays(self, inputs: Mapping[str, Any]) -> tuple[Any, list[tuple[str, Any]]]:
        """An instance, and the arrays that it was given: in the place of lists and of NumPy's those of jax, which it might hold."""
        held = self.named(self.cached_instance())
        arguments = {
            name: on_device(value, held[name].dtype)
            if isinstance(value, list | tuple | np.ndarray)
            and name in held
            and np.shape(value) == held[name].shape
            else value
            for name, value in inputs.items()
        }
        instance = self.build(**{**self.inputs(0), **arguments})
        return instance, given_arrays(arguments)

    def keeps_arrays(self) -> bool:
        """Whether it is said, or shown by how it is built, that arrays are stored as they are given."""
        told = self.copies_arrays
        return not told if told is not None else stores_what_it_is_given(self)

    def check_no_shared_buffer(self, instance: Any, arrays: Sequence[tuple[str, Any]]) -> None:
        buffers = {buffer_of(v): n for n, v in arrays if not is_key(v)}
        for name, leaf in self.named(instance).items():
            source = buffers.get(buffer_of(leaf) or -1)
            message = f"it shares its buffer with the input `{source}`: donation takes both"
            check(source is None, name, message, "copy with `jnp.array(x)`, not asarray")

    def test_p01_later_changes_of_its_inputs_do_not_reach_it(self) -> None:
        inputs = self.plain_inputs(0)
        if stores_what_it_is_given(self):
            not_applicable("the constructor that Python makes stores what it is given")
        instance = self.build(**{**self.inputs(0), **inputs})
        before = self.snapshot_of(instance)
        for _, value in containers_of(inputs):
            scramble(value)
        message = "it changed when the caller's arrays, lists and dicts were changed later"
        check(self.snapshot_of(instance) == before, type(instance).__name__, message)

    def test_p01_same_inputs_build_the_same_instance(self) -> None:
        hint = "randomness that does not come from the key, or state kept in a global"
        message = "two instances of equal inputs differ"
        first, second = self.named(self.cached_instance()), self.named(self.make(0))
        check_same_bits(first, second, message, hint)

    def test_p01_the_order_of_dict_entries_does_not_matter(self) -> None:
        inputs = self.plain_inputs(0)
        turned = {n: turned_around(value) for n, value in inputs.items()}
        if all(turned[name] is inputs[name] for name in inputs):
            not_applicable("the constructor takes no dict of several entries")
        first = self.build(**{**self.inputs(0), **inputs})
        second = self.build(**{**self.inputs(0), **turned})
        hint = "entries taken in the order of the dict: jax sorts them by key"
        message = "with the entries of a dict given in another order it differs"
        check_same_bits(self.named(first), self.named(second), message, hint)
        same = structure(first) == structure(second)
        message = "with the entries of a dict given in another order the treedef differs"
        check(same, type(first).__name__, message, hint)

    @applies_where(declares("drawn", "nothing is declared as drawn from the key"))
    def test_p01_draws_from_its_key(self) -> None:
        first, second = (self.named(self.cached_instance()), self.named(self.cached_instance(1)))
        for path in self.drawn:
            below = (name for name in first if is_under(name, path))
            names = [name for name in below if not self.is_empty(name)]
            # A module may take a key and draw nothing, as a layer norm does.
            names = [n for n in names if n == path or not is_constant(first[n])]
            same = all(same_bits(first[n], second[n]) for n in names if n in second)
            message = "declared as drawn from the key, and the same for two keys"
            hint = "a constant key, or NumPy's generator: use the key that is given"
            check(not (names and same), path, message, hint)

    def test_p01_instances_share_nothing_mutable(self) -> None:
        first, second = self.cached_instance(), self.cached_instance(1)
        held = {id(value) for _, value in mutables(first)}
        for place, value in mutables(second):
            message = f"two instances hold one and the same {type(value).__name__}"
            check(id(value) not in held, place, message)

    def test_p01_defaults_are_immutable(self) -> None:
        instance = self.cached_instance()
        for where, function in own_functions(type(instance)):
            for name, default in defaults_of(function):
                message = f"the default of `{name}` is one {type(default).__name__} for all"
                hint = "write `None` or a tuple, and make a new one in the body"
                wrong = isinstance(default, MUTABLE) or is_array(default)
                check(not wrong, where, message, hint)

    @applies_where(declares("rejected", "no invalid inputs are declared"))
    def test_p01_rejects_invalid_inputs(self) -> None:
        for changes, error in self.rejected:
            where = str(dict(changes))
            message = f"inputs that must raise {error.__name__} were accepted"
            hint = "a check that never runs, as `__post_init__` beside an `__init__`"
            inputs = {**self.inputs(0), **changes}
            if refuses_abstractly(self.build, inputs, error):
                continue
            try:
                self.build(**inputs)
            except error:
                continue
            except ANY_ERROR as other:
                message = f"they must raise {error.__name__}, and raised {other!r}"
            raise Fault(where, message, hint)

    @applies_where(ACCEPTED)
    def test_p01_accepts_inputs_at_the_bounds(self) -> None:
        for changes in self.accepted:
            with doing(str(dict(changes)), "the constructor", "a check with `<`, not `<=`"):
                self.build(**{**self.inputs(0), **changes})

    def test_p01_changes_no_globals(self) -> None:
        first_build(self).check("build")
        first = self.make(0)
        self.make(1)
        before = globals_of(first)
        self.make(2)
        after = globals_of(first)
        wrong = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        message = f"the constructor changed {', '.join(wrong)}"
        hint = "a counter or a registry in the module or on the class"
        check(not wrong, ", ".join(wrong), message, hint)


@guard
class PytreeConstruct(PytreeSuite):
    """P1 for pytrees."""

    def test_p01_builds_under_jit_without_leaking(self) -> None:
        strays: list[str] = []
        build, given = self.traceable_build()

        def looked_at(values: Sequence[Any]) -> Any:
            # Inside the trace: kept until it is over, an instance would be a leak itself.
            built = build(values)
            parts = reachable(built, type(built).__name__, jax.tree.leaves(built))
            strays.extend(place for place, value in parts if isinstance(value, Tracer))
            return arrays_of(built)

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of static arrays: P5 fails on them
                arrays = jax.eval_shape(looked_at, given)
        except NEEDS_VALUES as error:
            if not given:
                not_applicable("the constructor is given no arrays")
            message = f"under jit the constructor needs values: {str(error)[:200]}"
            hint = (
                "a check on the values of arrays: make it where they are no tracers, or "
                "use `eqx.error_if` in the call"
            )
            raise Fault("build", message, hint) from error
        for place in strays:
            message = "built under jit it holds a tracer outside of its leaves"
            hint = "a value computed from arrays that is stored as static"
            raise Fault(place, message, hint)
        instance = self.cached_instance()
        wanted = [aval(leaf) for leaf in arrays_of(instance)]
        message = f"built under jit its leaves are {arrays}, and otherwise {wanted}"
        same = [aval(leaf) for leaf in arrays] == wanted
        check(same, type(instance).__name__, message)

    @applies_where(of_leaves("no standard deviations are declared", lambda leaf: leaf.std, "std"))
    def test_p01_draws_have_the_declared_spread(self) -> None:
        declared = {
            leaf.path: leaf.std for leaf in self.manifest() if leaf.std and not self.is_empty(leaf.path)
        }
        if not declared or not self.keys_of_inputs():
            not_applicable("no standard deviations are declared")
        drawn = dict(named_arrays(self.drawn_instances()))
        for path, std in declared.items():
            values = host(drawn[path]).astype(np.complex128)
            spread = float(np.sqrt(np.mean(np.abs(values) ** 2)))
            message = f"its standard deviation is {spread:.3g}, declared is {std:.3g}"
            slack = max(0.02, 4 / math.sqrt(2 * values.size))
            near = abs(spread / std - 1) < slack
            hint = "another initialiser, or one with fan-in and fan-out exchanged"
            check(near, path, message, hint)
            mean = abs(values.mean()) / std
            centred = mean < 5 / math.sqrt(values.size)
            check(centred, path, f"its mean is {values.mean():.3g}, and not 0", hint)

    def test_p01_every_draw_uses_the_key(self) -> None:
        if not self.keys_of_inputs():
            not_applicable("the constructor takes no key")
        jaxpr = self.traced_build().jaxpr
        wrong = list(constant_draws(jaxpr, set(jaxpr.invars)))
        message = f"{len(wrong)} of its draws do not depend on the key that it is given"
        hint = "a constant key, as `jax.random.key(0)`, for one of the fields"
        check(not wrong, "build", message, hint)


def check_no_container(instance: Any, inputs: Mapping[str, Any]) -> None:
    """What can change and is the caller's own is no part of an instance."""
    given = {id(value): place for place, value in containers_of(inputs)}
    for place, value in mutables(instance):
        name = given.get(id(value))
        message = f"it is the caller's own {type(value).__name__}, given as `{name}`"
        check(name is None, place, message)


def refuses_abstractly(
    build: Callable[..., Any], inputs: Mapping[str, Any], error: type[BaseException]
) -> bool:
    """Whether an error comes without a look at values, so that nothing is computed."""
    try:
        jax.eval_shape(lambda: arrays_of(build(**inputs)))
    except ANY_ERROR as found:
        return isinstance(found, error) and not isinstance(found, NEEDS_VALUES)
    return False
