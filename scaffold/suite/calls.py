"""What the example call passes and gives, as source; a method is called in the same way."""

from collections.abc import Iterator

from scaffold.spec.types import DTYPES, ArrayType
from scaffold.suite.claims import local
from scaffold.suite.examples import Examples
from scaffold.suite.subject import Subject


def call_arguments(subject: Subject) -> Iterator[str]:
    """What the example call passes, as source."""
    keyword_only = False
    explicit = dict(subject.spec.test.values)
    for argument in subject.spec.call.args if subject.spec.call else ():
        if argument.is_marker:
            keyword_only = True
        elif argument in subject.passed:
            yield f"{argument.name}={local(argument)}" if keyword_only else local(argument)
        elif argument.name in explicit:
            yield f"{argument.name}={explicit[argument.name]}"
            keyword_only = True
        elif argument.default is None and argument.type is not None:
            value = subject.examples.value(argument.type, argument.name, 0)
            yield f"{argument.name}={value}" if keyword_only else value
        else:
            keyword_only = True


def output(examples: Examples, kind: ArrayType) -> str:
    """How the tests declare an output."""
    dtype = "" if DTYPES[kind.dtype][1] == "float" else f', "{DTYPES[kind.dtype][1]}"'
    return f"Output({examples.shape(kind)!r}{dtype})"
