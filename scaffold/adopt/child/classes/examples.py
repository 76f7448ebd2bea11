"""Calls in the docstrings of a package, with local names replaced by their values."""

import ast
import contextlib
import copy
import functools
import importlib.util
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pytree_laws.declare.methods import is_action

from ..values.sources import BASE, Source, import_of, names_bound

MARKS = re.compile(r">>>|```|::[ \t]*\n|code-block::|\b(?:Examples?|Usage):[ \t]*\n")
"""Matches the beginning of code in a docstring."""
FENCE = re.compile(
    r"^([ \t]*)```+[ \t]*(?:python|py|pycon)?[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL
)
BLOCK = re.compile(
    r"^([ \t]*)(?:\.\. code-block:: *python|(?!\.\. )\S.*::|::|(?:Examples?|Usage):)[ \t]*\n(?:[ \t]*\n)*((?:\1[ \t]+.*(?:\n|\Z)|[ \t]*\n)+)",
    re.MULTILINE,
)
"""Matches a code block of reStructuredText, or below a heading of Google style.

A reStructuredText block follows a directive or a line that ends in `::`.
"""
PROMPT = re.compile(r"^[ \t]*(>>>|\.\.\.) ?(.*)$", re.MULTILINE)
MOST_FILES = 500
LONGEST = 600
"""Maximum number of characters of an example with all names replaced."""
KEYS = ("key", "PRNGKey", "Rngs")
"""Functions that make a key from a seed."""
NUMPY = ("np", "numpy")
OF_SEEDS = {
    **{name: ast.parse("jax.random.key(0)", mode="eval").body for name in ("key", "rng")},
    "rngs": ast.parse("nnx.Rngs(0)", mode="eval").body,
}
"""Values of names that mean a key, for examples that leave out the line that makes the key."""


@dataclass(frozen=True)
class Example:
    """A call in a docstring: the function, and its arguments by position and by name."""

    function: str
    """Function as it is written, with names replaced."""
    receiver: str
    """Object that a method is called on, or the function itself."""
    method: str
    """Name of the method, empty if the call may be of an instance."""
    by_position: tuple[Source, ...]
    by_name: Mapping[str, Source]
    imports: tuple[tuple[str, str], ...]
    owner: str
    """Name of the class or function that has the docstring."""

    @property
    def source(self) -> Source:
        return Source(self.function, self.imports)


@dataclass
class Lines:
    """Values and imports of names in a docstring, up to the current line."""

    module: str
    values: dict[str, ast.expr] = field(default_factory=lambda: {**OF_SEEDS})
    imports: dict[str, str] = field(default_factory=dict[str, str])
    unknown: set[str] = field(default_factory=set[str])

    def run(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """Note the names that a statement binds, and yield its expressions with names replaced."""
        match statement:
            case ast.Import() | ast.ImportFrom():
                line = ast.unparse(statement)
                if not line.startswith("from .") and "*" not in line:
                    self.imports |= dict.fromkeys(names_bound(line), line)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.values[name] = self.put_in(value)
                self.unknown.discard(name)
                yield self.values[name]
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                whole = self.put_in(value)
                for place, name in enumerate(names):
                    if isinstance(name, ast.Name):
                        part = ast.Subscript(whole, ast.Constant(place), ast.Load())
                        self.values[name.id] = part
                yield whole
            case ast.Expr(value=value) | ast.Assert(test=value):
                yield self.put_in(value)
            case _:
                bound = set(names_stored(statement))
                self.unknown |= bound | {getattr(statement, "name", "")}
                for name in self.unknown:
                    self.values.pop(name, None)

    def put_in(self, node: ast.expr) -> ast.expr:
        return PutIn(self.values).visit(copy.deepcopy(node))

    def source(self, node: ast.expr) -> Source | None:
        """Return an expression with its imports, or None if it cannot be an example.

        Unknown names, side effects and a `...` for the reader are such obstacles.
        """
        text = ast.unparse(with_seeds(node))
        bound = {arg.arg for each in ast.walk(node) if isinstance(each, ast.arguments) for arg in each.args}
        bound |= set(names_stored(node))
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - bound
        lines = {name: self.line_of(name) for name in sorted(names)}
        is_known = not names & self.unknown and None not in lines.values()
        if len(text) > LONGEST or not is_known or acts(node) or leaves_out(node):
            return None
        return Source(text, tuple((name, line) for name, line in lines.items() if line))

    def line_of(self, name: str) -> str | None:
        """Return the import of a name: empty for a builtin, None for an unknown name."""
        line = self.imports.get(name)
        if line is None and name not in BASE:
            imported = (module for module in modules_above(self.module) if module in sys.modules)
            line = next(filter(None, (import_of(name, module) for module in imported)), None)
        if line is not None:
            return "" if BASE.get(name) == line else line
        return "" if name in BASE or name in BUILTINS else None


def modules_above(module: str) -> Iterator[str]:
    """Yield a module, then its packages upwards, since examples use what packages export."""
    while module:
        yield module
        module = module.rpartition(".")[0]


BUILTINS = frozenset(("range", "len", "tuple", "list", "dict", "float", "int", "bool", "slice", "set"))


def names_stored(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node assigns."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def acts(node: ast.expr) -> bool:
    """Whether an expression calls a function that has side effects by its name."""
    functions = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    names = (getattr(function, "attr", getattr(function, "id", "")) for function in functions)
    return any(name == "open" or is_action(object, name) for name in names)


def leaves_out(node: ast.expr) -> bool:
    """Whether a `...` is left for the reader to fill in, as opposed to axes of an index."""
    parts = [each.slice for each in ast.walk(node) if isinstance(each, ast.Subscript)]
    of_indices = {id(each) for part in parts for each in ast.walk(part)}
    return any(
        isinstance(each, ast.Constant) and each.value is ... and id(each) not in of_indices
        for each in ast.walk(node)
    )


class PutIn(ast.NodeTransformer):
    """Transformer that replaces names by their values, except in lambdas."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.values.get(node.id, node))

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node


def with_seeds(node: ast.expr) -> ast.expr:
    """Make keys, and draws of NumPy, depend on the `seed` of the tests."""
    node = copy.deepcopy(node)
    for part in ast.walk(node):
        match part:
            case ast.Call(
                func=ast.Attribute(attr=name) | ast.Name(id=name), args=[ast.Constant(value=int(number))]
            ):
                if name in KEYS:
                    part.args = [
                        ast.parse(f"seed + {number % 100}" if number % 100 else "seed", mode="eval").body
                    ]
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="random"), attr=drawn):
                if name in NUMPY and hasattr(np.random.RandomState, drawn):
                    part.value = ast.parse(f"{name}.random.RandomState(seed)", mode="eval").body
            case _:
                pass
    return node


def examples_of(text: str, lines: Lines, owner: str) -> Iterator[Example]:
    """Yield the calls in the code of a docstring, in order."""
    for code in code_in(text):
        for statement in statements_in(code):
            for expression in lines.run(statement):
                calls = [node for node in ast.walk(expression) if isinstance(node, ast.Call)]
                yield from filter(None, (example_of(call, lines, owner) for call in reversed(calls)))


def example_of(call: ast.Call, lines: Lines, owner: str) -> Example | None:
    """Return a call as an example, or None if it has `*`, `**` or unknown names."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(not each.arg for each in call.keywords):
        return None
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    function = lines.source(call.func)
    by_position = [lines.source(arg) for arg in call.args]
    by_name = {str(each.arg): lines.source(each.value) for each in call.keywords}
    if function is None or None in by_position or None in by_name.values():
        return None
    return Example(
        function.text,
        ast.unparse(with_seeds(receiver)),
        call.func.attr if isinstance(call.func, ast.Attribute) else "",
        tuple(filter(None, by_position)),
        {name: source for name, source in by_name.items() if source is not None},
        function.imports,
        owner,
    )


def code_in(text: str) -> Iterator[str]:
    """Yield the pieces of code in a docstring."""
    for match in (*FENCE.finditer(text), *BLOCK.finditer(text)):
        if ">>>" not in match[2]:
            yield textwrap.dedent(match[2])
    if ">>>" in text:
        yield "\n".join(match[2] for match in PROMPT.finditer(text))


def statements_in(code: str) -> list[ast.stmt]:
    """Parse a piece of code, up to the first syntax error."""
    rows = code.splitlines()
    while rows:
        try:
            return ast.parse("\n".join(rows)).body
        except SyntaxError as error:
            rows = rows[: max(0, min(len(rows) - 1, (error.lineno or 1) - 1))]
        except ValueError:
            break
    return []


@functools.cache
def package_examples(package: str) -> tuple[Example, ...]:
    """Return the calls in all docstrings of a package."""
    found = [
        example for module, text in texts_of(package, MARKS) for example in module_examples(module, text)
    ]
    return tuple(found)


def texts_of(package: str, marks: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield module and text of each file of a package that matches a pattern."""
    for folder, path in files_of(package):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = path.read_text(encoding="utf-8")
            if marks.search(text):
                parts = path.relative_to(folder).with_suffix("").parts
                yield ".".join(part for part in parts if part != "__init__"), text


def files_of(package: str) -> Iterator[tuple[Path, Path]]:
    """Yield each file of a package or module, with the folder that imports start from."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    for place in spec.submodule_search_locations or ():
        yield from ((Path(place).parent, path) for path in sorted(Path(place).rglob("*.py"))[:MOST_FILES])
    if spec.submodule_search_locations is None and str(spec.origin).endswith(".py"):
        yield Path(str(spec.origin)).parent, Path(str(spec.origin))


def module_examples(module: str, text: str) -> Iterator[Example]:
    """Yield the calls in all docstrings of a file."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node) or ""
            if MARKS.search(docstring):
                yield from examples_of(docstring, Lines(module), str(getattr(node, "name", "")))
