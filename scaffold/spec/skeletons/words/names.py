"""What the names in a skeleton stand for, read off its imports."""

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
"""The modules in which Flax defines what it has under `nnx`, as its own code imports them."""
VOCABULARY_WORDS = tuple(sorted(skeleton.__all__))
_SELF = ("typing.Self", "typing_extensions.Self")


class Names(Struct):
    """The names that a file imports, each with its whole name: `jnp` is `jax.numpy`, `Linear` is `equinox.nn.Linear`."""

    whole: dict[str, str] = {}
    beside: set[str] = set()
    """Classes of other skeletons: those that a relative import brings."""
    variables: dict[str, ast.stmt] = {}
    """The type variables of the file, each with the statement that makes it."""
    classes: dict[str, ast.ClassDef] = {}
    """The classes of the file that are described."""
    others: dict[str, ast.ClassDef] = {}
    """Its other classes, as they stand beside these."""
    shapes: dict[str, ClassShapes] = {}
    """What the code of each of these asks of its arrays, once somebody wants to know."""
    registered: set[str] = set()
    """The classes of the file that a call below them registers with jax."""
    bound: set[str] = set()
    """The names that functions and constants of the file bind."""
    functions: dict[str, ast.FunctionDef] = {}
    """The functions of the file."""
    aliases: dict[str, ast.expr] = {}
    """What names of the file stand for that are bound to one expression, as `Scalar = Float[Array, ""]` does."""
    counts: dict[str, dict[str, int]] = {}
    """The whole numbers of the classes of the file that hold settings."""
    stands_alone: bool = False
    """Whether the tests build no class but this one: a type that names another says nothing to them."""
    valued: frozenset[str] = frozenset()
    """The arguments that `@test(values=...)` of the class gives, as `mask` or `loss.mask`: they are given though they have a default."""
    is_abstract: bool = False
    """Whether the class says that it is abstract: a method with the body `...` is then for subclasses to write."""
    lines: list[tuple[str, str]] = []
    """Each imported name with its line, for names that are more than words of types and of the vocabulary."""

    def within(self, class_name: str) -> "Names":
        """The same in the class `class_name`, for which `Self` stands."""
        meant = {name: class_name for name, whole in self.whole.items() if whole in _SELF}
        lines = [(name, line) for name, line in self.lines if line != GENERIC or not self.variables]
        return replace(self, whole={**self.whole, **meant}, lines=lines)

    def shapes_of(self, node: ast.ClassDef) -> ClassShapes:
        """What the code of a class of the file asks of its arrays."""
        if node.name not in self.shapes:
            classes = {**self.others, **self.classes, node.name: node}
            read = {name: with_counts(self._whole(each), self.counts) for name, each in classes.items()}
            self.shapes.update(shapes_by_class(read, self.functions))
        return self.shapes[node.name]

    def _whole(self, node: ast.ClassDef) -> ast.ClassDef:
        """A class with the methods of those that are carried from which it inherits."""
        whole = copy(node)
        whole.body = [*node.body, *self.plain_functions(node)]
        return whole

    def brings(self, name: str) -> bool:
        """Whether an import or a statement of the file brings a name, or Python has it."""
        of_file = (self.whole, self.bound, self.variables, self.classes)
        return any(name in names for names in of_file) or hasattr(builtins, name)

    def lineage(self, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """A class, and those of the file from which it inherits, nearest first."""
        yield node
        yield from bases_of_file(node, self.classes)

    def plain_bases(self, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """The classes that are carried from which a class inherits, nearest first: mixins, and what a registered class has its methods of."""
        return bases_of_file(node, self.others)

    def plain_functions(self, node: ast.ClassDef) -> list[Function]:
        """The methods of those classes that the class itself does not define."""
        functions: dict[str, Function] = {}
        for owner in (node, *self.plain_bases(node)):
            for part in (part for part in owner.body if isinstance(part, Function)):
                functions.setdefault(part.name, part)
        return [function for function in functions.values() if function not in node.body]

    def bases_of(self, node: ast.ClassDef) -> Iterator[ast.expr]:
        """The bases of a class, with those of the classes of the file from which it inherits."""
        return (base for owner in self.lineage(node) for base in owner.bases)

    def has_value(self, method: str, argument: str) -> bool:
        """Whether the tests have an example for an argument of a method."""
        return not self.valued.isdisjoint((argument, f"{method}.{argument}"))

    def of(self, node: ast.expr) -> str:
        """The whole name that `a.b.c` stands for; empty for another expression."""
        match node:
            case ast.Name(id=name):
                return self.whole.get(name, name)
            case ast.Attribute(value=value, attr=name):
                above = self.of(value)
                return _as_known(f"{above}.{name}") if above else ""
            case _:
                return ""

    def word(self, node: ast.expr) -> str:
        """The word of the vocabulary that an expression is, or calls, or nothing."""
        whole = self.of(node.func if isinstance(node, ast.Call) else node)
        return whole.rpartition(".")[2] if self.is_word(whole) else ""

    def is_word(self, whole: str) -> bool:
        """Whether a whole name is one of the vocabulary."""
        return whole.rpartition(".")[0] == VOCABULARY

    def imports(self, known: Mapping[str, str], types: str) -> list[str]:
        """The lines that a spec must say: not those that any class may count on, nor those of classes in the text of types."""
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
    """The names that the imports of a file bring. `is_class` tells whether a module beside it has a described class."""
    names = Names()
    for statement in _imports(body):
        for alias, line in single_imports(statement):
            _import(statement, alias, line, names, is_class)
    return names


def check_words(body: Iterable[ast.stmt], notes: Notes) -> None:
    """Refuses imports of words that the vocabulary does not have. Raises `ScaffoldError`: what follows from them is not told."""
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
    """Whether it is `if TYPE_CHECKING:` with imports alone."""
    return (
        isinstance(statement, ast.If)
        and ast.unparse(statement.test).rpartition(".")[2] == "TYPE_CHECKING"
        and not statement.orelse
        and all(isinstance(node, Import) for node in statement.body)
    )


def _import(
    statement: Import, alias: ast.alias, line: str, names: Names, is_class: Callable[[str, str], bool]
) -> None:
    """Note what an import of one name brings: a relative one the class that another skeleton describes, or anything else."""
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
    """A whole name by the module that has it for all: `flax.nnx`, and `typing` for its words in the typing module of any package."""
    module, _, name = whole.rpartition(".")
    if name in _OF_TYPING and any(_TYPING.search(part) for part in module.split(".")):
        return f"typing.{name}"
    return _DEFINED.sub("flax.nnx.", whole)


_OF_TYPING: list[str] = vars(typing)["__all__"]
_TYPING = re.compile(r"^_?typing|typing$")
_OF_ARRAYS = ("jaxtyping", "jt")
"""The modules that have types of arrays alone."""


def is_of_types(whole: str) -> bool:
    """Whether a whole name is a word of the grammar of types, such as `jaxtyping.Float`; `jax.Device` is a class."""
    module, _, name = whole.rpartition(".")
    if module in _OF_ARRAYS:
        return name != "PyTreeDef"  # the one class that jaxtyping has beside them
    return module in MODULES and not _is_class(name)


@cache
def _is_class(name: str) -> bool:
    """Whether the grammar takes a bare name for that of a class."""
    try:
        return name not in IMPORTS and parse_type(name) == ClassType(name)
    except TypeSyntaxError:
        return False
