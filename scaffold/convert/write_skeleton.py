"""Text of a skeleton from the tables of a spec."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from scaffold.comments import as_comment
from scaffold.convert.class_tables import INDENT, ClassTables
from scaffold.convert.docstrings import docstring
from scaffold.convert.literals import Texts
from scaffold.convert.write_fields import fields_of, is_code
from scaffold.convert.write_functions import constructor_lines, further, method
from scaffold.files.fileset import File
from scaffold.import_lines import import_lines, imported
from scaffold.kind import kind_of
from scaffold.spec.grammar.type_texts import annotation
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.helpers import helper_names, helpers_in, joined
from scaffold.spec.model import ModuleSpec, TypeParameter
from scaffold.spec.names import GENERIC, stem
from scaffold.spec.raw import as_table, as_text
from scaffold.spec.rules.bases import MODULES
from scaffold.spec.skeletons.classes.class_statements import KINDS
from scaffold.spec.skeletons.classes.fields import WORDS
from scaffold.spec.skeletons.words.names import VOCABULARY
from scaffold.tidy import tidy

Formatter = Callable[[str], str]
_BASES = {kind: base for base, kind in KINDS.items()}
_DECORATORS = ("as_written", "call", "groups", "test")
_KEYWORDS = ("rebuild", "layout", "dtype", "save", "migrate", "sharding", "compute", "template", "file")


def _formatted(text: str) -> str:
    (file,) = tidy([File(PurePosixPath("skeleton.py"), text)])
    return file.text


def write_skeleton(
    specs: Sequence[tuple[Mapping[str, Any], ModuleSpec]], formatted: Formatter = _formatted
) -> str:
    """Return the text of a file with these classes, each given as tables and as their spec.

    Only the author's own Python is left unformatted.
    """
    texts = Texts()
    frame = _frame(specs, texts)
    imports = "\n".join(_imports([spec for _, spec in specs], texts.shown(frame)))
    doc, comment = specs[0][1].module_doc, specs[0][1].module_comment
    above = "".join(f"{part}\n\n" for part in (comment, docstring(doc, "", loose=True)) if part)
    return texts.shown(formatted(f"{above}{imports}\n\n\n{frame}\n"))


def _frame(specs: Sequence[tuple[Mapping[str, Any], ModuleSpec]], texts: Texts) -> str:
    prefix = _prefix([spec for _, spec in specs])
    variables = dict.fromkeys(_type_variable(variable) for _, spec in specs for variable in spec.generic)
    helpers = joined(helper for _, spec in specs for helper in helpers_in(spec.helpers))
    helpers = "\n\n".join(filter(None, ("\n".join(variables), helpers)))
    classes = (_class_text(ClassTables(raw, spec, prefix, texts)) for raw, spec in specs)
    return "\n\n\n".join([*([texts.hide(helpers)] if helpers else []), *classes])


def _imports(specs: Sequence[ModuleSpec], code: str) -> list[str]:
    """Return the import block of the code, with all imports of the author."""
    class_names = {spec.name for spec in specs}
    lines = {"abstractmethod": "from abc import abstractmethod", "np": "import numpy as np"}
    lines["skeleton"] = f"from {VOCABULARY.replace('.', ' import ')}"
    if not _prefix(specs):
        lines |= {word: f"from {VOCABULARY} import {word}" for word in (*KINDS, *WORDS, *_DECORATORS)}
    for spec in specs:
        lines |= {"Generic": GENERIC, **kind_of(spec.kind).imports}
        others = (cls for cls in spec.classes if cls.name not in class_names and cls not in MODULES)
        lines |= {other.name: _class_import(other) for other in others}
        lines |= {name: line for line in spec.imports for name in imported(line)}
    # What an author imports is kept, whether the class needs it or not.
    kept = [name for spec in specs for line in spec.imports for name in imported(line)]
    return import_lines("\n".join([code, *kept]), lines, ())


def _type_variable(variable: TypeParameter) -> str:
    bound = "" if variable.bound is None else f", bound={annotation(variable.bound)}"
    return f'{variable.name} = TypeVar("{variable.name}"{bound})'


def _prefix(specs: Iterable[ModuleSpec]) -> str:
    """Return the prefix of vocabulary names: `skeleton.` if a class uses such a name itself, else nothing."""
    names = ((spec.name, *(field.name for field in spec.fields), *helper_names(spec)) for spec in specs)
    taken = {name for names_of_file in names for name in names_of_file}
    return "skeleton." if taken & {*KINDS, *WORDS, *_DECORATORS} else ""


def _class_import(kind: ClassType) -> str:
    return f"from {kind.module or f'.{stem(kind.name)}'} import {kind.name}"


def _class_text(tables: ClassTables) -> str:
    raw = tables.raw
    if tables.spec.source:
        return "\n".join([*_above(tables), tables.texts.hide(tables.spec.source)])
    functions = [
        further(tables, name, as_table(member)) for name, member in as_table(raw.get("constructors")).items()
    ]
    functions += [method(tables, "__call__", as_table(raw["call"]))] if "call" in raw else []
    others = as_table(raw.get("methods")).items()
    functions += [
        method(tables, name, table) for name, table in others if not {"above", "inherited"} & {*table}
    ]
    parts = [
        _doc(tables),
        "\n".join(fields_of(tables)),
        "\n".join(constructor_lines(tables)) if tables.is_written else "",
        *functions,
    ]
    body = "\n\n".join(filter(None, parts))
    return "\n".join([*_above(tables), _statement(tables), body or f"{INDENT}pass"])


def _above(tables: ClassTables) -> Iterator[str]:
    """Yield the lines above the class statement: its comment and decorators."""
    yield from filter(None, [as_comment(as_text(tables.raw.get("comment")))])
    yield from (f"@{tables.texts.hide(decorator)}" for decorator in tables.spec.decorators)
    if kind_of(tables.spec.kind).is_carried:
        laws = as_table(tables.raw.get("options")).get("laws")
        yield f"@{tables.prefix}as_written" + (f"(laws={laws!r})" if laws else "")
    for word in ("groups", "test"):
        table = as_table(tables.raw.get(word))
        if table:
            local = {"seed", "self"} | tables.local
            keys = (f"{key}={tables.texts.value(table_value, local)}" for key, table_value in table.items())
            yield f"@{tables.prefix}{word}({', '.join(keys)})"


def _statement(tables: ClassTables) -> str:
    kind, bases = (
        tables.raw.get("kind", "module"),
        [base.name for base in tables.spec.bases if base not in MODULES],
    )
    is_told = bool(bases) and not any(base in MODULES for base in tables.spec.bases)
    of_kind = [] if is_told and kind == "module" else [f"{tables.prefix}{_BASES[kind]}"]
    names = ", ".join(variable.name for variable in tables.spec.generic)
    generic = [f"Generic[{names}]"] if names else []
    keywords = [
        f"{key}={tables.texts.value(keyword, (), code=is_code(keyword))}"
        for key, keyword in _keywords(tables).items()
    ]
    return f"class {tables.spec.name}({', '.join([*of_kind, *bases, *generic, *keywords])}):"


def _keywords(tables: ClassTables) -> dict[str, Any]:
    """Return the keyword arguments of the class statement."""
    raw = tables.raw
    keys = {key: raw[key] for key in _KEYWORDS if key in raw}
    if "constructor" in raw and not tables.is_written and tables.spec.own_constructor is None:
        keys["constructor"] = raw["constructor"]
    if "doc" in raw and not _doc(tables):
        keys["doc"] = raw["doc"]
    return {**keys, **as_table(raw.get("options")), **as_table(raw.get("keywords"))}


def _doc(tables: ClassTables) -> str:
    """Return the docstring of the class, or an empty text if a keyword must give it."""
    doc = docstring(tables.raw.get("doc", ""), INDENT, loose=True)
    return INDENT + doc if doc else ""
