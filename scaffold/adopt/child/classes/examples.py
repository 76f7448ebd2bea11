"""What docstrings of a package show: calls as their authors wrote them, each with the names put in that stand for others."""

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
"""What code in a docstring begins with."""
FENCE = re.compile(
    r"^([ \t]*)```+[ \t]*(?:python|py|pycon)?[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL
)
BLOCK = re.compile(
    r"^([ \t]*)(?:\.\. code-block:: *python|(?!\.\. )\S.*::|::|(?:Examples?|Usage):)[ \t]*\n(?:[ \t]*\n)*((?:\1[ \t]+.*(?:\n|\Z)|[ \t]*\n)+)",
    re.MULTILINE,
)
"""A block of code in reStructuredText: a directive, or what is indented below a line that ends with `::`; and below a heading of Google's style."""
PROMPT = re.compile(r"^[ \t]*(>>>|\.\.\.) ?(.*)$", re.MULTILINE)
MOST_FILES = 500
LONGEST = 600
"""How long an example may be with all names put in."""
KEYS = ("key", "PRNGKey", "Rngs")
"""Names of what is made of a seed."""
NUMPY = ("np", "numpy")
OF_SEEDS = {
    **{name: ast.parse("jax.random.key(0)", mode="eval").body for name in ("key", "rng")},
    "rngs": ast.parse("nnx.Rngs(0)", mode="eval").body,
}
"""What stands for a seed by its name alone, where an example leaves out the line that makes it."""


@dataclass(frozen=True)
class Example:
    """A call in a docstring: the function, and its arguments by position and by name."""

    function: str
    """As it is written, with the names put in."""
    receiver: str
    """Of the call of a method, what it is called on; of any other call what is called itself."""
    method: str
    """Empty where it may be the call of an instance."""
    by_position: tuple[Source, ...]
    by_name: Mapping[str, Source]
    imports: tuple[tuple[str, str], ...]
    owner: str
    """The name of the class or function that the docstring is of."""

    @property
    def source(self) -> Source:
        return Source(self.function, self.imports)


@dataclass
class Lines:
    """The lines of one docstring so far: what its names stand for, and what they are imported by."""

    module: str
    values: dict[str, ast.expr] = field(default_factory=lambda: {**OF_SEEDS})
    imports: dict[str, str] = field(default_factory=dict[str, str])
    unknown: set[str] = field(default_factory=set[str])

    def run(self, statement: ast.stmt) -> Iterator[ast.expr]:
        """Notes what a statement says of names; the expressions in it, with the names put in."""
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
        """An expression with what it needs; None where a name in it is not known."""
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
        """The statement that imports a name, empty for one of Python's own; None where it is not known."""
        line = self.imports.get(name)
        if line is None and name not in BASE:
            imported = (module for module in modules_above(self.module) if module in sys.modules)
            line = next(filter(None, (import_of(name, module) for module in imported)), None)
        if line is not None:
            return "" if BASE.get(name) == line else line
        return "" if name in BASE or name in BUILTINS else None


def modules_above(module: str) -> Iterator[str]:
    """A module and the packages that it is in, the nearest first: examples use what a package exports."""
    while module:
        yield module
        module = module.rpartition(".")[0]


BUILTINS = frozenset(("range", "len", "tuple", "list", "dict", "float", "int", "bool", "slice", "set"))


def names_stored(node: ast.AST) -> Iterator[str]:
    """The names that are given a value within."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def acts(node: ast.expr) -> bool:
    """Whether a function is called that does something to the world, by its name."""
    functions = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    names = (getattr(function, "attr", getattr(function, "id", "")) for function in functions)
    return any(name == "open" or is_action(object, name) for name in names)


def leaves_out(node: ast.expr) -> bool:
    """Whether `...` stands for what a reader is to fill in, and for no axes of an index."""
    parts = [each.slice for each in ast.walk(node) if isinstance(each, ast.Subscript)]
    of_indices = {id(each) for part in parts for each in ast.walk(part)}
    return any(
        isinstance(each, ast.Constant) and each.value is ... and id(each) not in of_indices
        for each in ast.walk(node)
    )


class PutIn(ast.NodeTransformer):
    """Puts what names stand for in their place."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.values.get(node.id, node))

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node


def with_seeds(node: ast.expr) -> ast.expr:
    """The same with the seed of the tests in the place of the numbers that keys are made of, and for what NumPy draws without one."""
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
    """The calls in the code of a docstring, in order."""
    for code in code_in(text):
        for statement in statements_in(code):
            for expression in lines.run(statement):
                calls = [node for node in ast.walk(expression) if isinstance(node, ast.Call)]
                yield from filter(None, (example_of(call, lines, owner) for call in reversed(calls)))


def example_of(call: ast.Call, lines: Lines, owner: str) -> Example | None:
    """A call of which all names are known, and that has neither `*` nor `**`."""
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
    """The pieces of code in a docstring."""
    for match in (*FENCE.finditer(text), *BLOCK.finditer(text)):
        if ">>>" not in match[2]:
            yield textwrap.dedent(match[2])
    if ">>>" in text:
        yield "\n".join(match[2] for match in PROMPT.finditer(text))


def statements_in(code: str) -> list[ast.stmt]:
    """The statements of a piece of code; of what is no Python, those that are before."""
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
    """The calls in all docstrings of a package."""
    found = [
        example for module, text in texts_of(package, MARKS) for example in module_examples(module, text)
    ]
    return tuple(found)


def texts_of(package: str, marks: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The files of a package in which a pattern is found, by module."""
    for folder, path in files_of(package):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = path.read_text(encoding="utf-8")
            if marks.search(text):
                parts = path.relative_to(folder).with_suffix("").parts
                yield ".".join(part for part in parts if part != "__init__"), text


def files_of(package: str) -> Iterator[tuple[Path, Path]]:
    """The files of a package, or the one of a module, each with the folder that it is imported from."""
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
    """The calls in the docstrings of a file; the names of that of the file itself are known in all others."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node) or ""
            if MARKS.search(docstring):
                yield from examples_of(docstring, Lines(module), str(getattr(node, "name", "")))
