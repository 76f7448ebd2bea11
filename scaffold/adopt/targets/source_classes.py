"""Classes and functions of modules, read off their source without running it."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from scaffold.errors import Fault, ScaffoldError
from scaffold.files.places import read_regular
from scaffold.source.definitions import ABSTRACT_VARIABLES

PYTREE_BASES = frozenset({"equinox.Module", "flax.nnx.Module", "flax.nnx.Pytree", "flax.struct.PyTreeNode"})
PYTREE_DECORATORS = frozenset(
    {
        "chex.dataclass",
        "flax.struct.dataclass",
        "jax.tree_util.register_dataclass",
        "jax.tree_util.register_pytree_node_class",
        "jax.tree_util.register_pytree_with_keys_class",
    }
)
PYTREE_NAMES = PYTREE_BASES | PYTREE_DECORATORS
_NOT_PUBLIC = ("tests", "test", "testing", "conftest")
_Body = Sequence[ast.stmt]


@dataclass(frozen=True)
class Definition:
    """A class or function, and the module that defines it."""

    module: str
    name: str
    node: ast.ClassDef | ast.FunctionDef = field(compare=False, repr=False)

    def is_class_of(self, module: str, re_exports: Sequence[str]) -> bool:
        """Whether this is a class of `module` or of its submodules, or one that it re-exports.

        A re-export is of a private module of the same package, as the search for classes has it.
        """
        package, *below = self.module.split(".")
        is_private = package == module.partition(".")[0] and any(part.startswith("_") for part in below)
        is_below = f"{self.module}.".startswith(f"{module}.") or (is_private and self.name in re_exports)
        return isinstance(self.node, ast.ClassDef) and is_below


@dataclass(frozen=True)
class Module:
    """A parsed module."""

    name: str
    body: _Body = field(repr=False)
    path: Path

    @property
    def is_package(self) -> bool:
        """Whether the module may have submodules."""
        return self.path.name == "__init__.py" or self.path.is_dir()

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Classes and functions at the top level of the module."""
        kinds = (ast.ClassDef, ast.FunctionDef)
        return {
            node.name: Definition(self.name, node.name, node) for node in self.body if isinstance(node, kinds)
        }

    @cached_property
    def imports(self) -> dict[str, str]:
        """Dotted name of each imported name."""
        return {name: dotted for name, dotted in self._every_import if name != "*"}

    @cached_property
    def starred(self) -> list[str]:
        """Modules of which this one imports all public names."""
        return [dotted.removesuffix(".*") for name, dotted in self._every_import if name == "*"]

    @cached_property
    def _every_import(self) -> list[tuple[str, str]]:
        return [*_imports(self.body, self.name if self.is_package else self.name.rpartition(".")[0])]

    @property
    def listed(self) -> list[str] | None:
        """Names in a literal `__all__`, or None without one."""
        for node in self.body:
            match node:
                case ast.Assign(targets=[ast.Name("__all__")], value=ast.List(names) | ast.Tuple(names)):
                    return [
                        element.value
                        for element in names
                        if isinstance(element, ast.Constant) and isinstance(element.value, str)
                    ]
                case _:
                    pass
        return None


def _imports(body: _Body, package: str) -> Iterator[tuple[str, str]]:
    for node in body:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    outermost = alias.name.partition(".")[0]
                    yield alias.asname or outermost, alias.name if alias.asname else outermost
            case ast.ImportFrom(module=module, level=level, names=aliases):
                above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                for alias in aliases:
                    yield alias.asname or alias.name, ".".join([*above, *filter(None, [module]), alias.name])
            case _:
                pass


@dataclass(frozen=True)
class Modules:
    """Modules below some folders, each parsed once."""

    folders: tuple[Path, ...]
    _parsed: dict[str, Module | None] = field(default_factory=dict[str, Module | None], repr=False)

    def find(self, name: str) -> Module | None:
        """Return a module, or None if no folder has it. Raises `ScaffoldError` for invalid Python."""
        if name not in self._parsed:
            self._parsed[name] = next(filter(None, (_parse(name, folder) for folder in self.folders)), None)
        return self._parsed[name]

    def resolve(self, module: str, name: str) -> Definition | str:
        """Follow imports to the definition of `name`, or to its dotted name if it lies elsewhere."""
        seen: set[tuple[str, str]] = set()
        while (module, name) not in seen:
            seen.add((module, name))
            source = self.find(module) if module and f"{module}.{name}" not in PYTREE_NAMES else None
            if source is None:
                break
            if name in source.definitions:
                return source.definitions[name]
            module, _, name = self._place(source, name).rpartition(".")
        return f"{module}.{name}".lstrip(".")

    def _place(self, module: Module, name: str) -> str:
        """Return the dotted name that a name of a module stands for."""
        starred = (place for place in module.starred if name in self.names_of(place))
        return module.imports.get(name) or f"{next(starred, module.name)}.{name}"

    def re_exports(self, module: Module, above: tuple[str, ...] = ()) -> list[str]:
        """Return the names in `__all__` of a module, or else the names that it imports by `*`."""
        starred = (name for place in module.starred for name in self.names_of(place, (*above, module.name)))
        return [*starred] if module.listed is None else module.listed

    def names_of(self, name: str, above: tuple[str, ...] = ()) -> list[str]:
        """Return the names that `*` imports of a module, or nothing if it lies elsewhere.

        `above` are the modules that are being asked, which may import each other.
        """
        module = self.find(name) if name not in above else None
        if module is None:
            return []
        if module.listed is not None:
            return module.listed
        names = dict.fromkeys([*module.definitions, *module.imports, *self.re_exports(module, above)])
        return [each for each in names if not each.startswith("_")]

    def resolve_expression(self, module: str, node: ast.expr) -> Definition | str:
        """Resolve an expression such as `eqx.Module`, `Base[T]` or `partial(register_dataclass, ...)`."""
        match node:
            case ast.Subscript(value=inner) | ast.Call(func=ast.Name("partial"), args=[inner, *_]):
                return self.resolve_expression(module, inner)
            case ast.Call(func=ast.Attribute(attr="partial"), args=[inner, *_]) | ast.Call(func=inner):
                return self.resolve_expression(module, inner)
            case ast.Name(name):
                return self.resolve(module, name)
            case ast.Attribute(value=inner, attr=name):
                above = self.resolve_expression(module, inner)
                return self.resolve(above, name) if isinstance(above, str) else ""
            case _:
                return ""

    def public(self, module: Module, whole: bool = True) -> Iterator[Definition]:
        """Yield the public classes of a module and, if `whole`, of its public submodules."""
        re_exports = self.re_exports(module)
        for name in self.names_of(module.name):
            definition = self.resolve(module.name, name)
            if isinstance(definition, Definition) and definition.is_class_of(module.name, re_exports):
                yield definition
        for name in _names_below(module) if whole else ():
            below = self.find(name)
            yield from self.public(below) if below is not None else ()

    def is_pytree(self, definition: Definition) -> bool:
        """Whether the source shows a pytree class that has no abstract members."""
        shows = any(self._shows_pytree(ancestor) for ancestor in self.lineage(definition))
        return shows and not (definition.name.startswith("Abstract") or self._missing(definition))

    def lineage(self, definition: Definition) -> list[Definition]:
        """Return a class and its bases that lie in these modules, breadth first."""
        lineage, wanted = dict[Definition, None](), [definition]
        while wanted:
            ancestor = wanted.pop(0)
            if ancestor not in lineage and isinstance(ancestor.node, ast.ClassDef):
                lineage[ancestor] = None
                bases = (self.resolve_expression(ancestor.module, base) for base in ancestor.node.bases)
                wanted += [base for base in bases if isinstance(base, Definition)]
        return [*lineage]

    def _shows_pytree(self, definition: Definition) -> bool:
        assert isinstance(definition.node, ast.ClassDef)
        bases = {self.resolve_expression(definition.module, base) for base in definition.node.bases}
        decorators = {
            self.resolve_expression(definition.module, each) for each in definition.node.decorator_list
        }
        return bool(bases & PYTREE_BASES or decorators & PYTREE_DECORATORS)

    def _missing(self, definition: Definition) -> set[str]:
        """Return abstract members of a class or its bases that the class does not define."""
        declared, defined = set[str](), set[str]()
        for ancestor in self.lineage(definition):
            abstract = {name for name, is_abstract in _members(ancestor.node) if is_abstract}
            declared |= abstract - defined
            defined |= {name for name, is_abstract in _members(ancestor.node) if not is_abstract}
        return declared


def _members(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield each name that a class binds, and whether the statement only declares it abstract."""
    assert isinstance(node, ast.ClassDef | ast.FunctionDef)
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=name, decorator_list=decorators):
                yield name, any(ast.unparse(each).endswith("abstractmethod") for each in decorators)
            case ast.AnnAssign(target=ast.Name(name), annotation=annotation):
                yield name, any(word in ast.unparse(annotation) for word in ABSTRACT_VARIABLES)
            case ast.Assign(targets=targets):
                yield from ((target.id, False) for target in targets if isinstance(target, ast.Name))
            case _:
                pass


def _names_below(module: Module) -> Iterable[str]:
    if not module.is_package:
        return ()
    folder = module.path if module.path.is_dir() else module.path.parent
    names = {path.stem for path in folder.glob("*.py")} | {
        path.parent.name for path in folder.glob("*/__init__.py")
    }
    public = (name for name in sorted(names) if not name.startswith("_") and name not in _NOT_PUBLIC)
    return (f"{module.name}.{name}" for name in public)


def _parse(name: str, folder: Path) -> Module | None:
    place = folder.joinpath(*name.split("."))
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.is_file():
            return Module(name, _body(path), path)
    return Module(name, (), place) if place.is_dir() else None


def _body(path: Path) -> _Body:
    try:
        return ast.parse(read_regular(path)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ScaffoldError.of([Fault(str(path), f"is no Python: {error}", "mend it")]) from None
