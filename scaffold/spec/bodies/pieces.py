"""The pieces of Python in a spec, and the spec without those that cannot be parsed."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from scaffold.spec.bodies.variables import may_update
from scaffold.spec.construction.constructor import converter_expression
from scaffold.spec.model import Call, Field, Method, ModuleSpec
from scaffold.spec.source.expressions import syntax_fault

BUILDERS = ("__init__", "__post_init__", "__new__", "__setattr__", "__setstate__")
"""The methods that run before an instance is done, or that say themselves what an assignment does."""


class Piece(Struct, frozen=True):
    """A piece of Python: its place in the spec, its text, whether it is an expression, and may update fields."""

    place: str
    text: str
    expression: bool = True
    updates: bool = False
    builds: bool = False
    """Whether it runs while an instance is made, and may assign its fields."""
    parameters: tuple[str, ...] = ()
    """The names of the arguments of the function that it is the body of."""

    @property
    def is_method(self) -> bool:
        return self.place.endswith(".body")


def pieces(spec: ModuleSpec) -> Iterator[Piece]:
    """Every piece of Python in the spec, but for what was not written."""
    for field in spec.fields:
        yield from _pieces_of(field, f"{spec.where}: fields.{field.name}")
    for argument in spec.arguments:
        if argument.default is not None:
            yield Piece(f"{spec.where}: arguments", argument.default)
    yield from (Piece(f"{spec.where}: decorators", one) for one in spec.decorators)
    yield from (Piece(f"{spec.where}: keywords.{name}", one) for name, one in spec.keywords)
    if spec.helpers:
        yield Piece(f"{spec.where}: helpers", spec.helpers, expression=False)
    if spec.below:
        yield Piece(f"{spec.where}: below", spec.below, expression=False)
    if spec.setup:
        yield Piece(f"{spec.where}: setup", spec.setup, expression=False)
    for key, function in spec.functions:
        for argument in function.call.args:
            if argument.default is not None:
                yield Piece(f"{spec.where}: {key}.args", argument.default)
        listed = () if function.call.source else function.decorators
        yield from (Piece(f"{spec.where}: {key}.decorator", one) for one in listed)
        text = function.call.source or function.call.body
        if text:
            yield Piece(
                f"{spec.where}: {key}.body",
                text,
                expression=False,
                updates=may_update(spec),
                builds=function.name in BUILDERS,
                parameters=tuple(
                    dict.fromkeys(filter(str.isidentifier, (one.name for one in function.call.args)))
                ),
            )
    yield from pieces_of_tests(spec)
    yield from claims_of(spec)


def _pieces_of(field: Field, place: str) -> Iterator[Piece]:
    named = {
        field.expression_key: field.source,
        "preprocess": field.preprocess,
        "check": field.check,
        "converter": converter_expression(field),
        "default": field.default,
    }
    yield from (Piece(f"{place}.{key}", text) for key, text in named.items() if text is not None)
    yield from (Piece(f"{place}.preset.{name}", text) for name, text in field.preset)


def pieces_of_tests(spec: ModuleSpec) -> Iterator[Piece]:
    place = f"{spec.where}: test"
    yield from (Piece(f"{place}.values.{name}", text) for name, text in spec.test.values)
    if spec.test.build:
        yield Piece(f"{place}.build", spec.test.build)
    yield from (Piece(f"{place}.other.{name}", text) for name, text in spec.test.other)
    yield from (Piece(f"{place}.rejected.{name}", text) for row in spec.test.rejected for name, text in row)
    for index, case in enumerate(spec.test.cases):
        yield from (Piece(f"{place}.cases.{index}.values.{name}", text) for name, text in case.values)


def claims_of(spec: ModuleSpec) -> Iterator[Piece]:
    """What the tests say of the fields and the arguments of the call."""
    place = f"{spec.where}: test"
    yield from (Piece(f"{place}.holds.{i}.that", one.that) for i, one in enumerate(spec.test.holds))
    if spec.test.reference:
        yield Piece(f"{place}.reference", spec.test.reference, expression=False)


EMPTY = "is empty"


def syntax_fault_of(piece: Piece) -> str | None:
    if not piece.text.strip() or all(line.strip()[:1] in ("", "#") for line in piece.text.split("\n")):
        return EMPTY
    what = syntax_fault(piece.text, piece.parameters, expression=piece.expression)
    return None if what is None else f"not Python: {what}"


def is_broken(text: str | None, *, expression: bool = True) -> bool:
    """Whether a piece is there and cannot be parsed."""
    return text is not None and syntax_fault_of(Piece("", text, expression)) is not None


def readable(spec: ModuleSpec) -> tuple[ModuleSpec, str]:
    """The spec with harmless pieces in place of those that cannot be parsed, and the text of these."""
    broken = [one.text for one in pieces(spec) if is_broken(one.text, expression=one.expression)]
    if not broken:
        return spec, ""
    call = None if spec.call is None else _readable_call(spec.call)
    methods = tuple(map(_readable_method, spec.methods))
    setup = "" if is_broken(spec.setup or None, expression=False) else spec.setup
    rows = tuple(_parsed(row) for row in spec.test.rejected)
    test = replace(spec.test, values=_parsed(spec.test.values), other=_parsed(spec.test.other), rejected=rows)
    test = replace(test, build="" if is_broken(test.build or None) else test.build)
    test = replace(
        test,
        cases=tuple(replace(one, values=_parsed(one.values)) for one in test.cases),
        holds=tuple(replace(one, that="None") if is_broken(one.that) else one for one in test.holds),
        reference="" if is_broken(test.reference or None, expression=False) else test.reference,
    )
    spec = replace(
        spec,
        decorators=tuple(one for one in spec.decorators if not is_broken(one)),
        keywords=_parsed(spec.keywords),
    )
    fields = tuple(map(_readable_field, spec.fields))
    helpers = "" if is_broken(spec.helpers or None, expression=False) else spec.helpers
    below = "" if is_broken(spec.below or None, expression=False) else spec.below
    sound = replace(
        spec, fields=fields, helpers=helpers, below=below, setup=setup, call=call, methods=methods, test=test
    )
    return sound, "\n".join(broken)


def _readable_call(call: Call) -> Call:
    broken = is_broken(call.source or call.body or None, expression=False)
    return replace(call, body="", source="") if broken else call


def _readable_method(method: Method) -> Method:
    decorators = tuple(one for one in method.decorators if not is_broken(one))
    return replace(method, call=_readable_call(method.call), decorators=decorators)


def _parsed(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, text) for name, text in pairs if not is_broken(text))


def _readable_field(field: Field) -> Field:
    return replace(
        field,
        init="=None" if field.init and is_broken(field.init.removeprefix("=").strip()) else field.init,
        of="" if is_broken(field.of) else field.of,
        default="None" if is_broken(field.default) else field.default,
        preprocess=None if is_broken(field.preprocess) else field.preprocess,
        check=None if is_broken(field.check) else field.check,
        converter=None if is_broken(converter_expression(field)) else field.converter,
        preset=_parsed(field.preset),
    )
