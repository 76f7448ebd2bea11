"""P5 for NNX modules: static attributes and the graph definition."""

from flax import nnx

from ...discover.suggest import check_declared
from ...engine.applicability import STATICS_DECLARED, applies_where, declares
from ...engine.runner import guard
from ...inspect.static_values import alternatives, another_value, static_fault
from ...inspect.trees import look_up
from ...report import Law, check, doing
from ..subject.suite import NnxSuite
from ..subject.variables import all_settings, values_of, variables_of, with_setting

LAW = Law(
    number="P5",
    name="static",
    statement="The other attributes are immutable, hashable and equal by value; the graph definition depends on the configuration alone; the call follows its static values; no value is weakly typed.",
    mistake="A dict, list, NaN, lambda, partial or bound method is an attribute, a constant stands where an attribute belongs, or an array was made without a dtype.",
    fix="Keep int, bool, str, flat tuples and module-level functions as attributes, and give every array a dtype.",
    rests_on=("test_p02_the_state_is_", "test_p02_variables_are_", "test_p03_split"),
)


@guard
class NnxStatic(NnxSuite):
    """P5 for NNX modules."""

    def test_p05_attributes_are_immutable_and_hashable(self) -> None:
        for where, value in all_settings(self.cached_instance()).items():
            fault = static_fault(value)
            check(fault is None, where, f"static is {value!r:.200}, {fault}")
            with doing(where, "hash of a static attribute"):
                hash(value)

    def test_p05_graphdef_depends_on_the_configuration_alone(self) -> None:
        instance = self.cached_instance()
        name, first = type(instance).__name__, nnx.graphdef(instance)
        hash(first)
        second = self.make(1)
        settings = all_settings(instance), all_settings(second)
        for where in {**settings[0], **settings[1]}:
            one, other = settings[0].get(where), settings[1].get(where)
            message = f"two modules of one configuration have {one!r:.100} and {other!r:.100}"
            check(bool(one == other), where, message, "a value that is new in each module")
        message = "two modules of one configuration have different graph definitions"
        check(nnx.graphdef(second) == first, name, message)
        for path in self.statics():
            value = another_value(look_up(instance, path))
            if value is not None:
                edited = with_setting(instance, path, value)
                message = "the graph definition does not depend on this static value"
                check(nnx.graphdef(edited) != first, path, message)

    @applies_where(STATICS_DECLARED)
    def test_p05_static_values_are_the_declared_ones(self) -> None:
        instance = self.cached_instance()
        for path, value in self.static.items():
            got = look_up(instance, path)
            if value is ...:
                continue
            message = f"the static value is {got!r}, declared is {value!r}"
            same = type(got) is type(value) and bool(got == value)
            check_declared(self, same, path, message)

    @applies_where(STATICS_DECLARED)
    def test_p05_static_values_are_all_declared(self) -> None:
        for path, value in self.statics_of(self.cached_instance()):
            is_absent = value is None  # in the place of an optional Variable
            known = is_absent or "." in path or path in self.static
            message = f"a static value that is not declared: {value!r:.200}"
            hint = "an attribute that nobody knows of, or that the laws are not told of"
            check_declared(self, known, path, message, hint)

    @applies_where(declares("used", "no static values are declared on which the call depends"))
    def test_p05_the_call_follows_its_static_values(self) -> None:
        instance, arguments = self.cached_example()
        held = variables_of(instance)
        for path in (path for path in self.used if path not in held):
            value = look_up(instance, path)
            others = [value for value in alternatives(value) if value is not None]
            edits = [with_setting(instance, path, other) for other in others]
            before = self.trace_text(instance, arguments)
            seen = any(self.trace_text(edited, arguments) != before for edited in edits)
            message = f"declared as used by the call, which is the same for {others}"
            hint = f"a constant where `self.{path}` belongs"
            check(seen or not others, path, message, hint)

    def test_p05_no_value_is_weakly_typed(self) -> None:
        hint = "an array made from a Python number without a dtype"
        for path, value in values_of(self.cached_instance()).items():
            weak = getattr(value, "weak_type", False)
            message = "it is weakly typed: its dtype changes on the first update"
            check(not weak, path, message, hint)
