"""Which arguments of a call are PRNG keys."""

from scaffold.spec.grammar.types import arrays
from scaffold.spec.model import Argument, Call


def key_arguments(call: Call | None) -> tuple[Argument, ...]:
    """The arguments of a call that are PRNG keys, or hold some."""
    taken = call.args if call is not None else ()
    return tuple(
        argument
        for argument in taken
        if argument.type and any(kind.dtype == "key" for kind in arrays(argument.type))
    )
