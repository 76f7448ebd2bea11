"""What differs between a class that exists and the one that its spec gives: by their syntax trees, a line each."""

import ast
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from scaffold.adopt.as_spec.parts import Argument, Parts, signature, statements, target_of
from scaffold.adopt.as_spec.reasons import WHY_ADDED, WHY_ARGUMENT, WHY_HEAD, WHY_LOST, why_value
from scaffold.errors import shown

_LONGEST = 90


class Difference(Struct, frozen=True):
    """One thing that is otherwise in the class that would be written."""

    place: str
    what: str
    why: str = ""

    @property
    def text(self) -> str:
        """In one line."""
        return f"{self.place}: {self.what}" + (f": {self.why}" if self.why else "")


class Compared(Struct):
    """A class that exists beside the one that would be written, with the reasons that are known."""

    there: Parts
    written: Parts
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    guessed: Mapping[str, str] = field(default_factory=dict[str, str])
    taken_over: str = ""

    def all(self) -> list[Difference]:
        """Every difference, in the order of the class."""
        found = [*self.head(), *self.fields(), *self.others(), *self.methods()]
        return list(dict.fromkeys(found))

    def head(self) -> Iterator[Difference]:
        there, written = self.there.head, self.written.head
        yield from (
            Difference("the class", f"`{_said(one, text)}` is left out")
            for one, text in there.items()
            if one not in written
        )
        yield from (
            Difference("the class", f"gets `{_said(one, text)}`", WHY_HEAD.get(one, ""))
            for one, text in written.items()
            if one not in there
        )
        for one in (one for one in there if one in written and there[one] != written[one]):
            yield Difference("the class", f"`{_said(one, there[one])}` becomes `{_said(one, written[one])}`")

    def fields(self) -> Iterator[Difference]:
        there, written = self.there.fields, self.written.fields
        yield from (self._lost(name) for name in there if name not in written)
        for name, (said, value) in written.items():
            if name not in there:
                yield Difference(name, "is a field as well", "what `__init__` assigns is declared")
                continue
            before, value_before = there[name]
            if said != before:
                yield Difference(name, f"{_becomes(before, said)} as its type", self.guessed.get(name, ""))
            if value != value_before:
                yield Difference(
                    name,
                    _becomes(value_before or "nothing", value or "nothing") + " as its value",
                    why_value(value_before, value),
                )

    def _lost(self, name: str) -> Difference:
        is_class = "ClassVar" in self.there.fields[name][0]
        why = (
            "a spec has no place for what belongs to the class alone"
            if is_class
            else self.left_out.get(name, "")
        )
        return Difference(name, "is left out", why)

    def others(self) -> Iterator[Difference]:
        lost = (one for one in self.there.others if one not in self.written.others)
        yield from (
            Difference("the class", f"`{_short(one)}` is left out", "a spec has fields and methods alone")
            for one in lost
        )

    def methods(self) -> Iterator[Difference]:
        there, written = self.there.methods, self.written.methods
        for name, node in there.items():
            if name in written:
                yield from self._method(name, node, written[name])
            elif name not in self.written.fields:
                yield Difference(name, "is left out", self.left_out.get(name, WHY_LOST.get(name, "")))
        for name in written:
            if name not in there:
                yield Difference(name, "is there as well", WHY_ADDED.get(name, ""))

    def _method(self, name: str, there: ast.FunctionDef, written: ast.FunctionDef) -> Iterator[Difference]:
        before, after = signature(there), signature(written)
        for one in (one for one in before if one not in after):
            yield Difference(name, f"the argument `{one}` is left out", self.left_out.get(name, ""))
        for one, said in after.items():
            if one not in before:
                yield Difference(name, f"takes `{one}` as well", WHY_ARGUMENT.get(one, ""))
            elif before[one] != said:
                yield from self._argument(name, one, before[one], said)
        if list(before) != list(after) and {*before} == {*after}:
            yield Difference(name, f"takes its arguments as `{', '.join(after)}`")
        yield from self._result(name, there, written)
        decorators = [[ast.unparse(one) for one in node.decorator_list] for node in (there, written)]
        if decorators[0] != decorators[1]:
            why = "what decorates a call has no place in a spec" if name == "__call__" else ""
            told = [", ".join(one) or "nothing" for one in decorators]
            yield Difference(name, f"{_becomes(*told)} as its decorator", why)
        yield from _bodies(name, there, written)

    def _argument(self, name: str, one: str, before: "Argument", after: "Argument") -> Iterator[Difference]:
        if before.annotation != after.annotation:
            why = self.guessed.get(f"{name}.{one}", "")
            yield Difference(
                f"{name}, `{one}`",
                f"{_becomes(before.annotation or 'nothing', after.annotation or 'nothing')} as its type",
                why,
            )
        if before.default != after.default:
            yield Difference(
                f"{name}, `{one}`",
                f"{_becomes(before.default or 'nothing', after.default or 'nothing')} as its default",
            )
        if before.by_name != after.by_name:
            yield Difference(
                f"{name}, `{one}`", "is taken by name alone" if after.by_name else "is taken by position too"
            )

    def _result(self, name: str, there: ast.FunctionDef, written: ast.FunctionDef) -> Iterator[Difference]:
        before, after = (ast.unparse(one.returns) if one.returns else "nothing" for one in (there, written))
        if before != after and name != "__check_init__":
            yield Difference(
                name, f"{_becomes(before, after)} as its result", self.guessed.get(f"{name}: its result", "")
            )


def _bodies(name: str, there: ast.FunctionDef, written: ast.FunctionDef) -> Iterator[Difference]:
    """What a method does otherwise: values of fields by their names, other statements as they are."""
    before, after = statements(there), statements(written)
    lost = [one for one in before if one not in after]
    new = [one for one in after if one not in before]
    by_field = {target: text for target, text in map(target_of, lost) if target}
    for one in new:
        target, text = target_of(one)
        if target and target in by_field:
            yield Difference(
                f"{name}, `{target}`", _becomes(by_field[target], text), why_value(by_field[target], text)
            )
            lost.remove(next(each for each in lost if target_of(each)[0] == target))
        else:
            yield Difference(name, f"does `{_short(one)}` as well", why_value("", one))
    yield from (Difference(name, f"does `{_short(one)}` no more") for one in lost)


def _becomes(before: str, after: str) -> str:
    return f"`{_short(before)}` becomes `{_short(after)}`"


def _short(text: str) -> str:
    """The text in one line, with names as one writes them."""
    text = _WHOLE.sub(lambda found: _SHOWN[found[0]], " ".join(text.split()))
    return shown(text, _LONGEST)


_SHOWN = {
    **dict.fromkeys(("jaxtyping.", "collections.abc.", "typing.", "jax.typing."), ""),
    **{"jax.numpy.": "jnp.", "equinox.": "eqx.", "flax.nnx.": "nnx.", "numpy.": "np."},
}
_WHOLE = re.compile("|".join(rf"(?<![\w.]){re.escape(one)}" for one in _SHOWN))


def _said(one: str, text: str) -> str:
    kind, _, name = one.partition(" ")
    return _short(f"{name}={text}" if kind == "keyword" else name or kind)
