"""P5: static values and the treedef."""

from collections.abc import Sequence
from typing import Any, ClassVar

import jax

from ...declare.leaf_spec import TRAINED
from ...discover.suggest import check_declared
from ...engine.applicability import STATICS_DECLARED, applies_where, declares, not_applicable
from ...engine.runner import guard
from ...inspect.static_values import NEW, alternatives, static_fault, with_slices_as_tuples
from ...inspect.trees import (
    attributes,
    avals,
    look_up,
    named_leaves,
    nodes,
    parts_of_aux,
    structure,
    with_attribute,
)
from ...report import ANY_ERROR, Law, check, doing
from ...suites.pytree import PytreeSuite

LAW = Law(
    number="P5",
    name="static",
    statement="The static values are those that are declared; the aux data of every node is immutable, hashable and equal by value; the treedef depends on the configuration alone, not on the order of keywords, and survives calls; the call follows its static values; no leaf is weakly typed.",
    protects='"Non-hashable static arguments are not supported", and static values that compare unequal or change later: jit compiles again for them, or runs a program that is stale.',
    mistake="A dict, list, array, NaN, lambda, partial or bound method is static, or an array was made without a dtype.",
    fix="Keep flat tuples of int, bool, str and module-level functions as static, arrays as leaves, and give every array a dtype.",
    lesser={"weakly_typed": "cost"},
    rests_on=("test_p02_leaves_are_", "test_p03_round_trip"),
)


@guard
class Static(PytreeSuite):
    """P5."""

    held_besides: ClassVar[Sequence[str]] = ()  # static values that other laws hold

    def test_p05_aux_is_hashable_and_free_of_arrays(self) -> None:
        others = [aux for _, _, aux in nodes(self.cached_instance(1))]
        same = {id(value) for aux in others for value in parts_of_aux(aux)}
        for place, node, aux in nodes(self.cached_instance()):
            for value in parts_of_aux(aux):
                names = [f".{n}" for n, held in attributes(node).items() if held is value]
                fault, where = static_fault(value), place + "".join(names[:1])
                # What another instance holds as well, as a function that it is given, is not new.
                is_known = id(value) in same and (fault or "").endswith(NEW)
                message = f"static is {value!r:.200}, {fault}"
                check(fault is None or is_known, where, message)
            with doing(place, "hash of the aux data"):
                hash(with_slices_as_tuples(aux))

    def test_p05_treedef_depends_on_the_configuration_alone(self) -> None:
        instance = self.cached_instance()
        name, first, second = (
            type(instance).__name__,
            structure(instance),
            structure(self.cached_instance(1)),
        )
        message = f"two instances of one configuration have treedefs {first} and {second}"
        check(first == second, name, message)
        for path, changed in self.changed_static_values():
            message = "the treedef does not depend on this static value"
            check(structure(changed) != first, path, message, "a value that is not in aux")

    def test_p05_the_order_of_keywords_does_not_matter(self) -> None:
        first, inputs = structure(self.cached_instance()), self.inputs(0)
        second = structure(self.build(**dict(reversed(inputs.items()))))
        message = f"with keywords in another order the treedef is {second}, not {first}"
        hint = "attributes set in the order of `**kwargs`, and flattened in theirs"
        check(first == second, "build", message, hint)

    def test_p05_the_order_of_attributes_does_not_matter(self) -> None:
        first = self.cached_instance()
        held = attributes(first)
        if isinstance(first, tuple) or len(held) < 2:
            not_applicable("the class stores no two attributes")
        second: Any = object.__new__(type(first))
        for name, value in reversed(held.items()):
            object.__setattr__(second, name, value)
        leaves = [list(map(id, jax.tree.leaves(one))) for one in (first, second)]
        same = structure(first) == structure(second) and leaves[0] == leaves[1]
        message = "with its attributes stored in another order it has another treedef, or other leaves"
        hint = "`vars(self)` in flatten, which a branch of the constructor may fill in another order: name the attributes"
        check(same, type(first).__name__, message, hint)

    @applies_where(STATICS_DECLARED)
    def test_p05_static_values_are_the_declared_ones(self) -> None:
        instance = self.cached_instance()
        leaves = dict(named_leaves(instance))
        for path, value in self.static.items():
            message = "declared as static, but it is a leaf"
            check_declared(self, path not in leaves, path, message)
            got = look_up(instance, path)
            if value is ...:
                continue
            same = bool(got == value) and isinstance(got, bool) is isinstance(value, bool)
            message = f"the static value is {got!r}, declared is {value!r}"
            check_declared(self, same, path, message)

    @applies_where(STATICS_DECLARED)
    def test_p05_static_values_are_all_declared(self) -> None:
        for path, value in self.statics_of(self.cached_instance()):
            known = "." in path or path in (*self.static, *self.held_besides)
            message = f"a static value that is not declared: {value!r:.200}"
            hint = "a field that nobody knows of, or that the laws are not told of"
            check_declared(self, known, path, message, hint)

    @applies_where(declares("tuples", "no tuples are declared"))
    def test_p05_tuples_are_no_lists(self) -> None:
        instance = self.cached_instance()
        for path in self.tuples:
            got = look_up(instance, path)
            message = f"declared as a tuple, it is a {type(got).__name__}"
            hint = "who appends to a list changes the treedef behind compiled code"
            check(type(got) is tuple, path, message, hint)

    @applies_where(declares("used", "no static values are declared on which the call depends"))
    def test_p05_the_call_follows_its_static_values(self) -> None:
        instance, arguments = self.example()
        leaves = self.named(instance)
        for path in (path for path in self.used if path not in leaves):
            value = look_up(instance, path)
            others = [value for value in alternatives(value) if value is not None]
            changed = [with_attribute(instance, path, other) for other in others]
            before = self.trace_text(instance, arguments)
            seen = any(self.trace_text(one, arguments) != before for one in changed)
            message = f"declared as used by the call, which is the same for {others}"
            hint = "a constant where `self." + path + "` belongs"
            check(seen or not others, path, message, hint)

    def trace_text(self, instance: Any, arguments: Any) -> str:
        """What the call computes, as text, or the error that it raises."""
        try:
            return str(jax.make_jaxpr(lambda arguments: self.apply(instance, *arguments))(arguments))
        except ANY_ERROR as error:
            return f"{type(error)}"

    def test_p05_treedef_survives_calls(self) -> None:
        instance = self.make(0)
        name, before = type(instance).__name__, structure(instance)
        self.use(instance, *self.arguments(0))
        after = structure(instance)
        check(after == before, name, f"a call changed the treedef to {after}")
        value, back = self.dynamic(instance)
        after = structure(back(jax.eval_shape(lambda inside: inside, value)))
        check(after == before, name, f"jit changed the treedef to {after}")

    def test_p05_no_leaf_is_weakly_typed(self) -> None:
        fixed = self.weak_fixed_points()
        for name, leaf in named_leaves(self.cached_instance()):
            if self.role(name) not in ("module", "tree", "python") and name not in fixed:
                message = f"it is no jax.Array but {type(leaf).__name__} {leaf!r:.200}"
                check(isinstance(leaf, jax.Array), name, message)
                message = "it is weakly typed: its dtype changes on the first update"
                hint = "an array made from a Python number without a dtype"
                check(not getattr(leaf, "weak_type", False), name, message, hint)

    def weak_fixed_points(self) -> set[str]:
        """The untrained leaves that the call hands on as weakly typed as they were."""
        instance = self.cached_instance()
        before = avals(instance)
        weak = {n for n, leaf in named_leaves(instance) if getattr(leaf, "weak_type", 0)}
        weak -= {name for name in weak if self.role(name) in TRAINED}
        if not weak or not self.called():
            return set()
        value, back = self.dynamic(instance)
        arguments = self.arguments(0)
        after = jax.eval_shape(lambda v, g: self.apply(back(v), *g), value, arguments)
        kept = next_of(instance, after)
        return weak if kept is not None and avals(kept) == before else set()


def next_of(instance: Any, result: Any) -> Any:
    """What the call makes of an instance, if it returns one: of the same type and treedef."""

    def is_one(node: Any) -> bool:
        return type(node) is type(instance) and structure(node) == structure(instance)

    found = jax.tree.leaves(result, is_leaf=is_one)
    return next(filter(is_one, found), None)
