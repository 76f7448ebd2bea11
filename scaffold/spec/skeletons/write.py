"""The tables of a spec to the text of a skeleton."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from scaffold.comments import as_comment
from scaffold.emit.generics import variable
from scaffold.emit.imports import import_lines, imported
from scaffold.files.fileset import File
from scaffold.kinds import kind_of
from scaffold.spec.bases import MODULE
from scaffold.spec.constructor import Parameter, constructor_names, dims_of, parameters
from scaffold.spec.generics import GENERIC
from scaffold.spec.helpers import helper_names, helpers_in, joined
from scaffold.spec.model import Argument, Field, ModuleSpec
from scaffold.spec.names import stem
from scaffold.spec.raw import as_list, as_table, as_text
from scaffold.spec.roles import role_of
from scaffold.spec.signature import parse_argument, parse_returns, split_top
from scaffold.spec.skeletons.annotated import annotation, result
from scaffold.spec.skeletons.classes import KINDS
from scaffold.spec.skeletons.docstrings import begins_with_text, docstring
from scaffold.spec.skeletons.fields import FIRST, WORDS
from scaffold.spec.skeletons.literals import Texts, expression
from scaffold.spec.skeletons.names import VOCABULARY
from scaffold.spec.tokens import parse_field_text
from scaffold.spec.types import ClassType, ScalarType, Type, parse_type, walk
from scaffold.tidy import tidy

INDENT, BODY = " " * 4, " " * 8
Formatter = Callable[[str], str]
_BASES = {kind: base for base, kind in KINDS.items()}
_DECORATORS = ("call", "groups", "test")


def _formatted(text: str) -> str:
    (file,) = tidy([File(PurePosixPath("skeleton.py"), text)])
    return file.text


def write_skeleton(
    specs: Sequence[tuple[Mapping[str, Any], ModuleSpec]], formatted: Formatter = _formatted
) -> str:
    """The text of a file with these classes, each as tables and as the spec that they gave.

    All is formatted but the author's own Python, which stays as it is.
    """
    texts = Texts()
    frame = _frame(specs, texts)
    imports = "\n".join(_imports([spec for _, spec in specs], texts.shown(frame)))
    return texts.shown(formatted(f"{imports}\n\n\n{frame}\n"))


def _frame(specs: Sequence[tuple[Mapping[str, Any], ModuleSpec]], texts: Texts) -> str:
    prefix = _prefix([spec for _, spec in specs])
    variables = dict.fromkeys(variable(one) for _, spec in specs for one in spec.generic)
    helpers = joined(one for _, spec in specs for one in helpers_in(spec.helpers))
    helpers = "\n\n".join(filter(None, ("\n".join(variables), helpers)))
    classes = (ClassWriter(raw, spec, prefix, texts).text() for raw, spec in specs)
    return "\n\n\n".join([*([texts.hide(helpers)] if helpers else []), *classes])


def _imports(specs: Sequence[ModuleSpec], code: str) -> list[str]:
    """The import block of the code."""
    own = {spec.name for spec in specs}
    lines = {"abstractmethod": "from abc import abstractmethod", "np": "import numpy as np"}
    lines["skeleton"] = f"from {VOCABULARY.replace('.', ' import ')}"
    if not _prefix(specs):
        lines |= {word: f"from {VOCABULARY} import {word}" for word in (*KINDS, *WORDS, *_DECORATORS)}
    for spec in specs:
        lines |= {"Generic": GENERIC, **kind_of(spec.kind).imports}
        others = (one for one in spec.classes if one.name not in own and one != MODULE)
        lines |= {one.name: _class_import(one) for one in others}
        lines |= {name: line for line in spec.imports for name in imported(line)}
    # What an author imports is kept, whether the class needs it or not.
    kept = [name for spec in specs for line in spec.imports for name in imported(line)]
    return import_lines("\n".join([code, *kept]), lines, ())


def _prefix(specs: Iterable[ModuleSpec]) -> str:
    """What goes before the words of the vocabulary: nothing, where none of them is a name of the classes themselves."""
    names = ((spec.name, *(field.name for field in spec.fields), *helper_names(spec)) for spec in specs)
    taken = {name for found in names for name in found}
    return "skeleton." if taken & {*KINDS, *WORDS, *_DECORATORS} else ""


def _is_told_otherwise(kind: Type) -> bool:
    """Whether defaults of the type are texts that stand for what they say, `"float32"`."""
    return any(isinstance(part, ScalarType) and part.name in ("dtype", "slice") for part in walk(kind))


def _class_import(kind: ClassType) -> str:
    return f"from {kind.module or f'.{stem(kind.name)}'} import {kind.name}"


@dataclass
class ClassWriter:
    """Writes the parts of one class."""

    raw: Mapping[str, Any]
    spec: ModuleSpec
    prefix: str
    texts: Texts

    def text(self) -> str:
        call = [
            self.further(name, as_table(one)) for name, one in as_table(self.raw.get("constructors")).items()
        ]
        call += [self.method("__call__", as_table(self.raw["call"]))] if "call" in self.raw else []
        call += [self.method(name, table) for name, table in as_table(self.raw.get("methods")).items()]
        parts = [
            "\n".join(self.fields()),
            *(["\n".join(self.constructor())] if self.is_written else []),
            *call,
        ]
        body = "\n\n".join(part for part in [*self.doc_of_class(), *parts] if part)
        return "\n".join([*self.decorators(), self.head(), body or f"{INDENT}pass"])

    @property
    def is_written(self) -> bool:
        """Whether the constructor says more than its form."""
        return bool(as_list(self.raw.get("arguments")) or str(self.raw.get("setup", "")).strip())

    # -- the class statement -------------------------------------------------------------------------------------------

    def decorators(self) -> Iterator[str]:
        """What stands above the class statement."""
        yield from filter(None, [as_comment(as_text(self.raw.get("comment")))])
        for word in ("groups", "test"):
            table = as_table(self.raw.get(word))
            if table:
                local = {"seed", "self"} | self.local
                keys = (f"{key}={self.texts.value(one, local)}" for key, one in table.items())
                yield f"@{self.prefix}{word}({', '.join(keys)})"

    def head(self) -> str:
        kind, bases = self.raw.get("kind", "module"), [one.name for one in self.spec.bases if one != MODULE]
        is_told = bool(bases) and MODULE not in self.spec.bases
        of_kind = [] if is_told and kind == "module" else [f"{self.prefix}{_BASES[kind]}"]
        keys = {
            key: self.raw[key]
            for key in ("rebuild", "layout", "dtype", "save", "template", "file")
            if key in self.raw
        }
        if "constructor" in self.raw and not self.is_written:
            keys["constructor"] = self.raw["constructor"]
        if "doc" in self.raw and docstring(self.raw["doc"], INDENT, loose=True) is None:
            keys["doc"] = self.raw["doc"]
        told = [f"{key}={self.texts.value(one, ())}" for key, one in {**keys, **self.spec_options}.items()]
        names = ", ".join(one.name for one in self.spec.generic)
        generic = [f"Generic[{names}]"] if names else []
        return f"class {self.spec.name}({', '.join([*of_kind, *bases, *generic, *told])}):"

    @property
    def spec_options(self) -> Mapping[str, Any]:
        return as_table(self.raw.get("options"))

    def doc_of_class(self) -> list[str]:
        found = docstring(self.raw.get("doc", ""), INDENT, loose=True)
        return [INDENT + found] if found else []

    # -- fields --------------------------------------------------------------------------------------------------------

    @property
    def local(self) -> set[str]:
        """The names that no import and no builtin brings: of arguments, of fields, and of what `setup` binds."""
        fields = {field.name for field in self.spec.fields}
        return {"self", *fields, *dims_of(self.spec), *constructor_names(self.spec)}

    def fields(self) -> Iterator[str]:
        for name, table in as_table(self.raw.get("fields")).items():
            keys = parse_field_text(table) if isinstance(table, str) else dict(as_table(table))
            yield from self.field(name, keys)

    def field(self, name: str, table: dict[str, Any]) -> Iterator[str]:
        kind = parse_type(table.pop("type"))
        said = annotation(kind, self.spec.name) + (" | None" if "optional" in table else "")
        doc = docstring(table.get("doc", ""), INDENT)
        if doc is not None:
            table.pop("doc", None)
        field = self.spec.field(name)
        usual = role_of(_without_none(kind), table)
        if field is not None and self._is_made(field):
            table.pop("init")
        yield from self.comment(table.pop("comment", ""))
        made = self.value_of(kind, table, usual)
        yield f"{INDENT}{name}: {said}" + (f" = {made}" if made else "")
        if doc:
            yield INDENT + doc

    def comment(self, text: str) -> Iterator[str]:
        """The lines of a comment above what it is about."""
        return (f"{INDENT}{line}".rstrip() for line in as_comment(text).split("\n") if text.strip())

    def _is_made(self, field: Field) -> bool:
        """Whether the constructor that is written makes it; what is its argument, and is made of it, would be given there."""
        is_argument = field.expression == field.name in {one.name for one in parameters(self.spec)}
        return self.is_written and field.stored and field.expression is not None and not is_argument

    def value_of(self, kind: Type, table: dict[str, Any], usual: str | None) -> str:
        """What stands behind the annotation; nothing where that says it all. `usual` is the role of a field that says none."""
        role = table.pop("role", None)
        code = (role or usual) in ("callable", "module")
        if role is None and not table:
            return ""
        if role is None and set(table) == {"default"} and not _is_told_otherwise(kind):
            return self.texts.value(table["default"], (), code=code or _is_code(table["default"]))
        word = role or usual or "field"
        first = [f"role={role!r}"] if role == "callable" else []
        word = word if word in WORDS else "field"
        told = [self.key(key, one, word, code) for key, one in table.items()]
        return f"{self.prefix}{word}({', '.join([*first, *sorted(told, key=_is_named)])})"

    def key(self, key: str, one: Any, word: str, code: bool) -> str:
        """One key of a field, by position where the word takes it so."""
        text = self._value_of_key(key, one, code)
        return text if word != "field" and key == FIRST.get(word, "init") else f"{key}={text}"

    def _value_of_key(self, key: str, one: Any, code: bool) -> str:
        match key:
            case "check" | "preprocess":
                return self.texts.function(str(one).strip().removeprefix("="), self.local)
            case "init" | "converter" if str(one).strip().startswith("="):
                return self.texts.function(str(one).strip()[1:], self.local)
            case "converter":
                return str(one).strip()
            case "default":
                return self.texts.value(one, (), code=code or _is_code(one))
            case "std" | "of" | "init":
                return repr(one)
            case _:
                return self.texts.value(one, ())

    # -- the constructor -----------------------------------------------------------------------------------------------

    def constructor(self) -> Iterator[str]:
        is_init = self.spec.constructor == "init"
        owner, returns = ("self", "None") if is_init else ("cls", repr(self.spec.name))
        if not is_init:
            yield f"{INDENT}@classmethod"
        name = "__init__" if is_init else "create"
        yield f"{INDENT}def {name}({', '.join([owner, *self.signature()])}) -> {returns}:"
        setup = self.spec.setup
        made = {
            one.name: one.name if one.given else self.texts.hide(expression(one.expression or ""))
            for one in self.spec.fields
            if (one.given and not (one.converter or one.preprocess)) or self._is_made(one)
        }
        if setup:
            yield BODY + self.texts.hide(setup)
        if is_init:
            yield from (f"{BODY}self.{field} = {source}" for field, source in made.items())
            yield from () if setup or made else (f"{BODY}...",)
        else:
            yield f"{BODY}return cls({', '.join(f'{field}={source}' for field, source in made.items())})"

    def signature(self) -> Iterator[str]:
        """Every argument of the constructor, as it will be."""
        declared = {one.name: one for one in self.spec.arguments}
        by_keyword = False
        for parameter in parameters(self.spec):
            if parameter.keyword_only and not by_keyword:
                by_keyword = True
                yield "*"
            yield self.parameter(parameter, declared.get(parameter.name))

    def parameter(self, one: Parameter, declared: Argument | None) -> str:
        if one.source == "dtype":
            return "dtype: DTypeLike | None = " + (one.default or "None")
        if one.source == "rngs":
            return "rngs: nnx.Rngs"
        kind = declared.type if declared is not None else None
        simple = one.source != "field" or one.field is None or not (one.field.nullable or one.field.optional)
        kind = kind or (one.type if simple else None)
        name = one.name if kind is None else f"{one.name}: {annotation(kind, self.spec.name)}"
        return name if one.default is None else f"{name} = {self.texts.hide(one.default)}"

    def further(self, name: str, table: Mapping[str, Any]) -> str:
        """A further constructor: a class method that returns an instance."""
        return self.method(name, {**table, "decorator": "classmethod", "returns": self.spec.name})

    # -- the call ------------------------------------------------------------------------------------------------------

    def method(self, name: str, table: Mapping[str, Any]) -> str:
        doc = docstring(table.get("doc", ""), BODY, loose=True)
        names = ("carry", "axis_name") if doc is not None else ("carry", "axis_name", "doc")
        keys = [f"{key}={table[key]!r}" for key in names if key in table]
        decorators = [one.strip().removeprefix("@") for one in str(table.get("decorator", "")).split("\n")]
        function = next((one for one in self.spec.methods if one.name == name), None)
        owner = "self" if function is None else function.owner
        body = str(table["body"])
        is_abstract = body.strip() == "..."
        lines = [*self.comment(table.get("comment", ""))]
        lines += [f"{INDENT}@{self.prefix}call({', '.join(keys)})"] if keys else []
        lines += [f"{INDENT}@{one}" for one in decorators if one] + [f"{INDENT}@abstractmethod"] * is_abstract
        parts = [part for part in split_top(str(table.get("args", "")), ",") if part]
        arguments = [self.argument(parse_argument(part)) for part in parts]
        returns = ""
        if "returns" in table:
            kinds, several = parse_returns(str(table["returns"]))
            returns = f" -> {result(kinds, several, self.spec.name)}"
        lines.append(f"{INDENT}def {name}({', '.join(filter(None, [owner, *arguments]))}){returns}:")
        if doc or begins_with_text(body):  # or the body's own text would be taken for it
            lines.append(BODY + (doc or '""""""'))
        if not (doc and is_abstract):
            lines.append(BODY + self.texts.hide(body))
        return "\n".join(lines)

    def argument(self, one: Argument) -> str:
        if one.type is None:
            return one.name
        text = f"{one.name}: {annotation(one.type, self.spec.name)}"
        return text if one.default is None else f"{text} = {self.texts.hide(one.default)}"


def _is_named(text: str) -> bool:
    """Whether it is `KEY=VALUE`, which goes behind what is given by position."""
    head = text.partition("=")[0]
    return head.isidentifier()


def _is_code(one: Any) -> bool:
    return isinstance(one, str) and one.startswith("=")


def _without_none(kind: Type) -> Type:
    from scaffold.spec.entries import without_none

    return without_none(kind)
