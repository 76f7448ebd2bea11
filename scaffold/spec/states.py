"""State of a Module: the fields that `equinox.nn.State` keeps, and the call that takes and returns it."""

from scaffold.kind import kind_of
from scaffold.spec.grammar.types import ClassType, Type
from scaffold.spec.model import Argument, Call, Field, ModuleSpec

STATE = ClassType("State", "equinox.nn")
ARGUMENT = Argument("state", STATE)


def is_state(kind: Type | None) -> bool:
    """Whether the type is `equinox.nn.State`."""
    return kind == STATE


def state_fields(spec: ModuleSpec) -> tuple[Field, ...]:
    """Return the fields whose values `equinox.nn.State` keeps, or none if Variables hold the state."""
    fields = () if kind_of(spec.kind).variables else spec.fields
    return tuple(field for field in fields if field.role == "state")


def state_argument(spec: ModuleSpec) -> Argument | None:
    """Return the argument of the call whose type is `equinox.nn.State`, if any."""
    return state_taken_by(spec.call) if spec.call is not None else None


def state_taken_by(call: Call) -> Argument | None:
    """Return the argument of `call` whose type is `equinox.nn.State`, if any."""
    return next((argument for argument in call.args if is_state(argument.type)), None)


def is_stateful(spec: ModuleSpec) -> bool:
    """Whether the class has state, or its call takes a state to pass on."""
    return bool(state_fields(spec)) or state_argument(spec) is not None


def holds_state(spec: ModuleSpec) -> bool:
    """Whether laws check what a call does with the state. Without a call there is nothing to check."""
    is_called = spec.call is not None or bool(spec.bases)
    return is_called and is_stateful(spec) and kind_of(spec.kind).keeps_state
