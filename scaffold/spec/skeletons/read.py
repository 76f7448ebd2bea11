"""Parse a Python file into the specs of its classes, without running the file."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from scaffold.comments import as_comment
from scaffold.errors import Fault, ScaffoldError
from scaffold.files.places import read_regular
from scaffold.source.definitions import annotated_names
from scaffold.source.expressions import Import, bound_value, parse
from scaffold.source.local_makers import substituted
from scaffold.source.settings import settings_of
from scaffold.spec.helpers import bound_by, source_of
from scaffold.spec.names import file_name_faults, is_spec_there, stem
from scaffold.spec.raw import Raw
from scaffold.spec.reading.made_variables import module_types, variable_types
from scaffold.spec.skeletons.classes.as_written import (
    is_as_written,
    makes_pytree,
    read_as_written,
    registered_below,
    says_no_word,
)
from scaffold.spec.skeletons.classes.class_statements import KINDS_ELSEWHERE, type_variables, used_variables
from scaffold.spec.skeletons.classes.classes import read_class
from scaffold.spec.skeletons.classes.settings import tests_with_settings
from scaffold.spec.skeletons.shapes.ties import may_have_ties, tests_with_ties
from scaffold.spec.skeletons.words.names import Names, check_words, is_for_types, read_names
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.unit import Unit


def skeletons_of(text: str, where: str, path: Path | None = None) -> list[Raw]:
    """Read the described classes of a skeleton's text. `path` is where the file lies, or will lie.

    Raises `ScaffoldError` if the text is no Python, has no class, or imports an unknown word of
    `scaffold.skeleton`.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tree = _parsed(text, where)
    file = Notes(text, where)
    for statement in tree.body[:1]:
        file.keep_doc(("module_doc",), statement)
    check_words(tree.body, file)
    is_described = partial(_is_described_in, path.parent if path else None)
    names = read_names(tree.body, is_described)
    names.variables.update(type_variables(tree.body, names))
    names.registered.update(registered_below(tree.body, names))
    classes = described_classes(tree.body, names)
    names.classes.update((node.name, node) for node in classes)
    built = [node for node in classes if not (is_as_written(node, names) or says_no_word(node, names))]
    variables = names.variables
    word_for_word = [node for node in classes if is_as_written(node, names)]
    of_built, used = (used_variables(listed, word_for_word, names) for listed in (built, classes))
    names.variables = {name: statement for name, statement in variables.items() if name in used}
    apart = (*classes, *(variables[name] for name in of_built))
    if not built:  # what is imported for types alone stays so
        at_run_time = (statement for statement in tree.body if not is_for_types(statement))
        names.lines = read_names(at_run_time, is_described).lines
    beside = [*_carried(tree, apart, is_built=bool(built))]
    plain = [statement for statement in beside if statement not in names.variables.values()]
    names.bound.update(name for statement in plain for name in bound_by(statement))
    names.functions = {part.name: part for part in plain if isinstance(part, ast.FunctionDef)}
    names.others = {part.name: part for part in plain if isinstance(part, ast.ClassDef)}
    names.aliases = aliases(plain, names)
    settings = settings_of(beside)
    names.counts = {name: dict(each.counts) for name, each in settings.items()}
    if not classes:
        fix = "write `class Affine(Module):`, with `from scaffold.skeleton import Module`"
        raise ScaffoldError.of([*file.faults, Fault(where, "there is no class in it", fix, line=1, column=1)])
    unit = _unit(tree, classes, names, file, path or Path(where)) if len(classes) > 1 else None
    above = _comments_above(tree.body, file)
    parts = zip(classes, _beside(classes, beside), strict=True)
    skeletons = [_skeleton(node, sides, above.get(node), unit, names, file) for node, sides in parts]
    ties: dict[str, dict[str, str]] = {}
    for node, skeleton in zip(classes, skeletons, strict=True):
        test = tests_with_settings(skeleton.tables.get("test", {}), node, settings, names)
        if may_have_ties(node, names.classes):
            test = tests_with_ties(test, node, names.shapes_of(node).shapes, names.classes, ties)
            ties[node.name] = test.get("ties", {})
        skeleton.tables.update({"test": test} if test else {})
    if unit is None:
        doc, comment = ast.get_docstring(tree), file.comment_of(tree.body[0], 0)
        skeletons[0].tables.update({"module_doc": doc} if doc else {})
        skeletons[0].tables.update({"module_comment": comment} if comment else {})
    return skeletons


def _carried(tree: ast.Module, apart: Sequence[ast.stmt], *, is_built: bool) -> Iterator[ast.stmt]:
    """Yield the statements that are emitted verbatim: no imports, no docstring and nothing in `apart`.

    If a class `is_built`, `if TYPE_CHECKING:` blocks are left out too.
    """
    docstrings = tree.body[: ast.get_docstring(tree) is not None]
    for statement in tree.body:
        is_left = statement in (*docstrings, *apart) or isinstance(statement, Import | ast.Pass)
        if not (is_left or (is_built and is_for_types(statement))):
            yield statement


SCALAR = ast.parse('Float[Array, ""]', mode="eval").body
"""Annotation that replaces jaxtyping's `Scalar`, with the dtype that the tests draw."""
SCALARS = ("jaxtyping.Scalar", "jaxtyping.ScalarLike")


def aliases(body: Iterable[ast.stmt], names: Names) -> dict[str, ast.expr]:
    """Map names bound to one expression, such as type aliases, to that expression with aliases inlined."""
    values: dict[str, ast.expr] = {name: SCALAR for name, whole in names.whole.items() if whole in SCALARS}
    for name, value in filter(None, map(bound_value, body)):
        values[name] = substituted(value, values)
    return values


def _is_described_in(folder: Path | None, module: str, name: str) -> bool:
    """Whether `module`, next to the skeleton in `folder`, describes the class `name`."""
    if folder is None or not module.isidentifier():
        return stem(name) == module
    # A folder that does not exist cannot rule the module out.
    if stem(name) == module and (not folder.is_dir() or is_spec_there(folder, module)):
        return True
    try:
        return name in names_described(read_regular(folder / f"{module}.py").decode("utf-8-sig"))
    except (OSError, ValueError):
        return False


def names_described(text: str) -> tuple[str, ...]:
    """Return the names of the described classes in a text, or none if the text is no Python."""
    try:
        body = _parsed(text, "").body
    except ScaffoldError:
        return ()
    return tuple(node.name for node in described_classes(body, read_names(body)))


def _unit(tree: ast.Module, classes: list[ast.ClassDef], names: Names, file: Notes, path: Path) -> Unit:
    """Build the `Unit` of a file with several classes, and report a file name that cannot name a module."""
    for fault in file_name_faults(path.stem, file.where):
        file.faults.append(replace(fault, fix=f"rename the skeleton: {fault.fix}", line=1, column=1))
    listed = tuple(node.name for node in classes)
    bound, doc = tuple(sorted(names.bound)), ast.get_docstring(tree) or ""
    source, comment = ast.unparse(tree), as_comment(file.comment_of(tree.body[0], 0))
    variables = tuple(variable_types(source).items())
    return Unit(path.stem, file.where, listed, bound, variables, module_types(source), doc, comment)


def described_classes(body: list[ast.stmt], names: Names) -> list[ast.ClassDef]:
    """Return the classes that are read as specs. All other classes are emitted verbatim.

    A described class uses a word of `scaffold.skeleton`, is a pytree of another library, or inherits from a
    described class. If no class does, return the classes with a base, or else every class.
    """
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    described: list[ast.ClassDef] = []
    described_names = set(names.beside)
    for node in classes:  # in order: a base stands above those that inherit from it
        if _is_described(node, names) or described_names & {ast.unparse(base) for base in node.bases}:
            described.append(node)
            described_names.add(node.name)
    return described or [node for node in classes if node.bases] or classes


def _is_described(node: ast.ClassDef, names: Names) -> bool:
    values = (field.value for _, field in annotated_names(node.body) if field.value is not None)
    parts = (*node.bases, *node.decorator_list, *values)
    says = any(names.word(part) or names.of(part) in KINDS_ELSEWHERE for part in parts)
    return says or makes_pytree(node, names)


def _beside(classes: list[ast.ClassDef], beside: list[ast.stmt]) -> list[dict[str, list[ast.stmt]]]:
    """Group the statements beside the classes: `helpers` above each class, `below` under the last class."""
    lines = [0, *(node.lineno for node in classes)]
    above = [
        [statement for statement in beside if first < statement.lineno < last]
        for first, last in pairwise(lines)
    ]
    sides = [{"helpers": statements} for statements in above]
    sides[-1]["below"] = [statement for statement in beside if statement.lineno > lines[-1]]
    return sides


def _comments_above(body: list[ast.stmt], file: Notes) -> dict[ast.stmt, str]:
    """Map each statement but the first to the comment above. The comment at the top belongs to the file."""
    pairs = pairwise(body)
    return {statement: file.comment_above(statement, before.end_lineno or 0) for before, statement in pairs}


def _skeleton(
    node: ast.ClassDef,
    sides: dict[str, list[ast.stmt]],
    comment: str | None,
    unit: Unit | None,
    names: Names,
    file: Notes,
) -> Raw:
    where = f"{file.where}: {node.name}" if unit is not None else file.where
    notes = Notes(file.text, where, written={**file.written})
    beside = {key: _source_of(statements, key, notes) for key, statements in sides.items() if statements}
    if is_as_written(node, names):
        raw = read_as_written(node, names, notes)
    else:
        raw = read_class(node, names, notes)
    raw |= {"comment": comment} if comment else {}
    raw |= beside
    if "imports" in raw:
        is_read = "source" in raw or bool(beside)
        functions = (raw.get("call", {}), *raw.get("methods", {}).values())
        is_read = is_read or any("source" in function for function in functions)
        raw["imports"] = [line for line in raw["imports"] if is_read or not _is_for_carried(line)]
        raw = {key: part for key, part in raw.items() if key != "imports" or part}
    if unit is not None and "file" in raw:
        message, fix = f"the classes of one file are one module, `{unit.stem}.py`", "rename the skeleton"
        notes.refuse(node, ("file",), message, f"take it out; to call the module otherwise, {fix}")
    return Raw(where, raw, (*file.faults, *notes.faults), notes.locations, notes.written, unit)


def _source_of(statements: list[ast.stmt], key: str, notes: Notes) -> str:
    """Return the source of statements beside a class, and note their locations under `key`."""
    for statement in statements:
        notes.note((key,), statement)
    return source_of(notes.text, statements)


def _is_for_carried(line: str) -> bool:
    """Whether only verbatim code may need an import. Generated code handles `abc` and `Self` itself."""
    of_self = ("from typing import Self", "from typing_extensions import Self")
    return line in ("import abc", *of_self) or line.startswith("from abc ")


def _parsed(text: str, where: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse(text, expression=False)
    except SyntaxError as error:
        message = f"is not Python: {error.msg}"
        fault = Fault(where, message, "mend the line", line=error.lineno or 1, column=error.offset or 1)
        raise ScaffoldError.of([fault]) from None
    assert isinstance(tree, ast.Module)
    return tree
