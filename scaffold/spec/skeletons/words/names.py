"""Names in a skeleton, resolved through its imports."""

import ast
import builtins
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cache
from typing import TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from scaffold import skeleton
from scaffold.errors import ScaffoldError, suggestion
from scaffold.source.expressions import Function, Import, single_imports
from scaffold.spec.grammar.type_parser import MODULES, TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import ClassType
from scaffold.spec.names import GENERIC, IMPORTS, stem
from scaffold.spec.skeletons.shapes.of_class import ClassShapes, shapes_by_class
from scaffold.spec.skeletons.shapes.overrides import bases_of_file
from scaffold.spec.skeletons.shapes.settings import with_counts
from scaffold.spec.skeletons.words.notes import Notes

VOCABULARY = "scaffold.skeleton"
_DEFINED = re.compile(
    r"^flax\.nnx\.(?:rnglib|variablelib|module|pytreelib|metrics|(?:nn|training)\.\w+)\.(?=[A-Z])"
)
"""Modules that define what Flax exports as `nnx`, since Flax's own code imports from them."""
VOCABULARY_WORDS = tuple(sorted(skeleton.__all__))
_SELF = ("typing.Self", "typing_extensions.Self")


class Names(Struct):
    """Names of one file: `whole` maps `jnp` to `jax.numpy`, and `Linear` to `equinox.nn.Linear`."""

    whole: dict[str, str] = {}
    beside: set[str] = set()
    """Classes of other skeletons, brought by a relative import."""
    variables: dict[str, ast.stmt] = {}
    """Type variables of the file, each with the statement that binds it."""
    classes: dict[str, ast.ClassDef] = {}
    """Described classes of the file."""
    others: dict[str, ast.ClassDef] = {}
    """Classes of the file that are emitted verbatim, beside the described ones."""
    shapes: dict[str, ClassShapes] = {}
    """Shapes that the code of each class asks of its arrays, computed at the first request."""
    registered: set[str] = set()
    """Classes of the file that a call below them registers with jax."""
    bound: set[str] = set()
    """Names that functions and constants of the file bind."""
    functions: dict[str, ast.FunctionDef] = {}
    """Functions of the file."""
    aliases: dict[str, ast.expr] = {}
    """Names bound to one expression, with that expression: `Scalar = Float[Array, ""]`."""
    counts: dict[str, dict[str, int]] = {}
    """Whole numbers of each settings class of the file, by class and field."""
    stands_alone: bool = False
    """Whether types may name classes of this file alone, because the tests can build no others."""
    valued: frozenset[str] = frozenset()
    """Arguments with an example in `@test(values=...)`, as `mask` or `loss.mask`, with a default or not."""
    is_abstract: bool = False
    """Whether the class declares itself abstract. Subclasses then write the methods with the body `...`."""
    lines: list[tuple[str, str]] = []
    """Imported names with their import lines, except for words of `scaffold.skeleton`."""

    def within(self, class_name: str) -> "Names":
        """Resolve `Self` to `class_name`, and drop the import of `Generic` if the file has type variables."""
        meant = {name: class_name for name, whole in self.whole.items() if whole in _SELF}
        lines = [(name, line) for name, line in self.lines if line != GENERIC or not self.variables]
        return replace(self, whole={**self.whole, **meant}, lines=lines)

    def shapes_of(self, node: ast.ClassDef) -> ClassShapes:
        """Return what the code of a class asks of its arrays. The first call reads the whole file."""
        if node.name not in self.shapes:
            classes = {**self.others, **self.classes, node.name: node}
            read = {name: with_counts(self._whole(each), self.counts) for name, each in classes.items()}
            self.shapes.update(shapes_by_class(read, self.functions))
        return self.shapes[node.name]

    def _whole(self, node: ast.ClassDef) -> ast.ClassDef:
        """Return a class with the methods that it inherits from verbatim classes."""
        whole = copy(node)
        whole.body = [*node.body, *self.plain_functions(node)]
        return whole

    def brings(self, name: str) -> bool:
        """Whether an import or a statement of the file binds a name, or the name is a builtin."""
        of_file = (self.whole, self.bound, self.variables, self.classes)
        return any(name in names for names in of_file) or hasattr(builtins, name)

    def lineage(self, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """Yield a class and the described classes of the file that it inherits from, nearest first."""
        yield node
        yield from bases_of_file(node, self.classes)

    def plain_bases(self, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """Yield the verbatim classes that a class inherits from, such as mixins, nearest first."""
        return bases_of_file(node, self.others)

    def plain_functions(self, node: ast.ClassDef) -> list[Function]:
        """Return the methods that a class inherits from verbatim classes and does not override."""
        functions: dict[str, Function] = {}
        for owner in (node, *self.plain_bases(node)):
            for part in (part for part in owner.body if isinstance(part, Function)):
                functions.setdefault(part.name, part)
        return [function for function in functions.values() if function not in node.body]

    def bases_of(self, node: ast.ClassDef) -> Iterator[ast.expr]:
        """Yield the bases of a class and of the described classes that it inherits from."""
        return (base for owner in self.lineage(node) for base in owner.bases)

    def has_value(self, method: str, argument: str) -> bool:
        """Whether the tests have an example for an argument of a method."""
        return not self.valued.isdisjoint((argument, f"{method}.{argument}"))

    def of(self, node: ast.expr) -> str:
        """Return the full name that `a.b.c` stands for, or `""` for any other expression."""
        match node:
            case ast.Name(id=name):
                return self.whole.get(name, name)
            case ast.Attribute(value=value, attr=name):
                above = self.of(value)
                return _as_known(f"{above}.{name}") if above else ""
            case _:
                return ""

    def word(self, node: ast.expr) -> str:
        """Return the word of `scaffold.skeleton` that an expression names or calls, or `""`."""
        whole = self.of(node.func if isinstance(node, ast.Call) else node)
        return whole.rpartition(".")[2] if self.is_word(whole) else ""

    def is_word(self, whole: str) -> bool:
        """Whether a full name is a word of `scaffold.skeleton`."""
        return whole.rpartition(".")[0] == VOCABULARY

    def imports(self, known: Mapping[str, str], types: str) -> list[str]:
        """List a spec's import lines, without default imports and classes named in the text of `types`."""
        wholes = {name: ":".join(self.whole[name].rsplit(".", 1)) for name, _ in self.lines}
        named = set(re.findall(r"[\w.]+:\w+", types))
        return [
            line
            for name, line in self.lines
            if line not in (known.get(name), IMPORTS.get(name))
            # A type is written by the name that its module has for it, and code by that of the import.
            and (wholes[name] not in named or not wholes[name].endswith(f":{name}"))
        ]


def read_names(
    body: Iterable[ast.stmt], is_class: Callable[[str, str], bool] = lambda module, name: stem(name) == module
) -> Names:
    """Resolve the imports of a file. `is_class(module, name)` says if a skeleton beside it has the class."""
    names = Names()
    for statement in _imports(body):
        for alias, line in single_imports(statement):
            _import(statement, alias, line, names, is_class)
    return names


def check_words(body: Iterable[ast.stmt], notes: Notes) -> None:
    """Raise `ScaffoldError` for unknown words of `scaffold.skeleton`, before other faults follow."""
    froms = [
        node for node in _imports(body) if isinstance(node, ast.ImportFrom) and node.module == VOCABULARY
    ]
    for alias in (alias for statement in froms for alias in statement.names):
        if alias.name not in (*VOCABULARY_WORDS, "*"):
            message, fix = f"`{VOCABULARY}` has no word `{alias.name}`", "import one of them"
            notes.refuse(alias, (), message, suggestion(alias.name, VOCABULARY_WORDS, fix), VOCABULARY_WORDS)
    if notes.faults:
        raise ScaffoldError.of(notes.faults)


def _imports(body: Iterable[ast.stmt]) -> Iterator[Import]:
    for statement in body:
        if isinstance(statement, Import):
            yield statement
        elif is_for_types(statement):
            yield from (node for node in statement.body if isinstance(node, Import))


def is_for_types(statement: ast.stmt) -> TypeGuard[ast.If]:
    """Whether a statement is `if TYPE_CHECKING:` with imports alone."""
    return (
        isinstance(statement, ast.If)
        and ast.unparse(statement.test).rpartition(".")[2] == "TYPE_CHECKING"
        and not statement.orelse
        and all(isinstance(node, Import) for node in statement.body)
    )


def _import(
    statement: Import, alias: ast.alias, line: str, names: Names, is_class: Callable[[str, str], bool]
) -> None:
    """Record the name that an import binds. A relative import may bring a class of another skeleton."""
    bound = alias.asname or alias.name.partition(".")[0]
    if isinstance(statement, ast.Import):
        brought = alias.name
        names.whole[bound] = brought if alias.asname else bound
    elif statement.level == 1 and not alias.asname and is_class(statement.module or "", alias.name):
        names.beside.add(bound)
        names.whole[bound] = bound
        return
    else:
        brought = _as_known(f"{'.' * statement.level}{statement.module or ''}.{alias.name}")
        names.whole[bound] = brought
    if brought != VOCABULARY and not names.is_word(brought):
        names.lines.append((bound, line))


def _as_known(whole: str) -> str:
    """Return the public full name: `flax.nnx` for its inner modules, `typing` for any typing module."""
    module, _, name = whole.rpartition(".")
    if name in _OF_TYPING and any(_TYPING.search(part) for part in module.split(".")):
        return f"typing.{name}"
    return _DEFINED.sub("flax.nnx.", whole)


_OF_TYPING: list[str] = vars(typing)["__all__"]
_TYPING = re.compile(r"^_?typing|typing$")
_OF_ARRAYS = ("jaxtyping", "jt")
"""Modules that define types of arrays alone."""


def is_of_types(whole: str) -> bool:
    """Whether a full name is a word of the type grammar. `jaxtyping.Float` is, `jax.Device` is a class."""
    module, _, name = whole.rpartition(".")
    if module in _OF_ARRAYS:
        return name != "PyTreeDef"  # the one class that jaxtyping has beside them
    return module in MODULES and not _is_class(name)


@cache
def _is_class(name: str) -> bool:
    """Whether the grammar reads a bare name as a class."""
    try:
        return name not in IMPORTS and parse_type(name) == ClassType(name)
    except TypeSyntaxError:
        return False
