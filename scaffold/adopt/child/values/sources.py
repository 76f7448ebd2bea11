"""Values as they are written in a test file: the text is what is tried, and what is emitted."""

import ast
import functools
import importlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytree_laws.declare.render import source_of

BASE = {
    "eqx": "import equinox as eqx",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "nnx": "from flax import nnx",
    "optax": "import optax",
    "sample": "from pytree_laws import sample",
}
"""What any text may name."""
SHORT = {
    "equinox": "eqx",
    "jax.numpy": "jnp",
    "flax.nnx": "nnx",
    "jax": "jax",
    "optax": "optax",
    "numpy": "np",
}
"""Modules by the names that people import them under."""
_NAMES = re.compile(r"(?<![\w.\"'])[^\W\d]\w*")
KIND = "kind"
"""What is told of a value of which neither an annotation, a docstring nor its name says what it is."""
SEED = re.compile(r"\bseed\b(?!=)(?: \+ (\d+))?")
"""The seed in an expression, and what is added to it; an argument of that name is none."""
STATE_OF_SUITE = "self.state("
"""How an argument is written that is the state of the suite."""
_HOMES: dict[int, tuple[str, str]] = {}
MEANS_MORE = re.compile(
    r"Test|(PytreeLaws|NnxLaws|StateLaws|Leaf|Var|Output|Method|Any|ClassVar|case|holds|sample|jax|jnp)$"
)
"""Names that mean something else in a test file: what pytest collects, and what the file itself uses."""


@dataclass(frozen=True)
class Source:
    """An expression over `seed`, with the imports and the helper functions that it needs."""

    text: str
    imports: tuple[tuple[str, str], ...] = ()
    """By name, the statement that imports it."""
    helpers: tuple[str, ...] = ()
    told: str = field(default="", compare=False)
    """What was guessed: the shape, what it is at all (`KIND`), or nothing."""

    def value(self, seed: int, owner: Any = None) -> Any:
        """A fresh value."""
        return eval(compiled(self.text), {**namespace(self), "seed": seed, "self": owner})

    def later(self, by: int) -> "Source":
        """The same with other values: of a later seed."""
        if not by:
            return self
        text = SEED.sub(lambda seed: f"seed + {int(seed[1] or 0) + by}", self.text)
        return self.but(text)

    def but(self, text: str) -> "Source":
        return Source(text, self.imports, self.helpers, self.told)

    def aliased(self, name: str, line: str) -> "Source":
        """The same with an import under another name, which says where it is from."""
        module, alias = line.split()[1], f"{line.split()[1].replace('.', '_')}_{name}"
        used = re.compile(rf"(?<![\w.\"']){re.escape(name)}\b(?!=)")
        replacement = alias, f"from {module} import {name} as {alias}"
        imports = tuple(replacement if pair == (name, line) else pair for pair in self.imports)
        helpers = tuple(used.sub(alias, helper) for helper in self.helpers)
        return Source(used.sub(alias, self.text), imports, helpers, self.told)


@functools.cache
def compiled(text: str) -> Any:
    return compile(text, "<value>", "eval")


@functools.cache
def namespace(source: Source) -> Mapping[str, Any]:
    """The names of a text and of its helpers."""
    names: dict[str, Any] = {}
    for name in dict.fromkeys(_NAMES.findall("\n".join([source.text, *source.helpers]))):
        line = {**BASE, **dict(source.imports)}.get(name)
        if line:
            exec(line, names)
    names["Any"] = Any
    for helper in source.helpers:
        exec(helper, names)
    return names


def called(function: Source, arguments: Mapping[str, Source], positional: int = 0) -> Source:
    """A call, the first arguments by position and the others by name."""
    sources = distinct(list(arguments.values()), function.imports)
    texts = [
        source.text if place < positional else f"{name}={source.text}"
        for place, (name, source) in enumerate(zip(arguments, sources, strict=True))
    ]
    return merged(f"{function.text}({', '.join(texts)})", [function, *sources])


def distinct(sources: "Sequence[Source]", taken: Iterable[tuple[str, str]]) -> "list[Source]":
    """The same, where each name means one thing: an alias for a name that an earlier import has."""
    bound, result = dict(taken), list[Source]()
    for source in sources:
        clashes = [(name, line) for name, line in source.imports if bound.setdefault(name, line) != line]
        for name, line in clashes:
            if line.startswith("from "):
                source = source.aliased(name, line)
        result.append(source)
    return result


def merged(text: str, parts: "list[Source]") -> Source:
    """A text made of several, which needs what they need."""
    imports = tuple(dict.fromkeys(pair for part in parts for pair in part.imports))
    helpers = tuple(dict.fromkeys(line for part in parts for line in part.helpers))
    guesses = "; ".join(dict.fromkeys(part.told for part in parts if part.told))
    return Source(text, imports, helpers, guesses)


def literal(value: Any) -> str:
    """The source of a static value, where it is a literal; `...`, any value, for what has a name elsewhere."""
    text = source_of(value)
    return text if (text and not text[0].isalpha()) or text in ("True", "False", "None") else "..."


# -- what has a name ---------------------------------------------------------------------------------------------------


def settle(value: Any, module: str, name: str) -> None:
    """Has a class be imported from the module in which its user found it, under its own name or the one that it has there."""
    qualname = str(getattr(value, "__qualname__", ""))
    _HOMES[id(value)] = module, qualname if held_by(module, qualname) is value else name


def name_private(cls: type) -> bool:
    """Has a private class be imported by its name, where its module has it: what is annotated with it is given no other."""
    is_held = cls.__name__.startswith("_") and held_by(cls.__module__, cls.__qualname__) is cls
    if is_held:
        settle(cls, cls.__module__, cls.__qualname__)
    return is_held


def has_name(value: Any) -> bool:
    """Whether a class or a function can be written."""
    try:
        return bool(refer(value))
    except LookupError:
        return False


def refer(value: Any) -> Source:
    """How a class or a function is written. Raises `LookupError` where it has no name."""
    module, name = _HOMES.get(id(value)) or public_place(value)
    for long, short in SHORT.items():
        if module == long or module.startswith(f"{long}."):
            below = "" if held_by(long, name) is value else module.removeprefix(long)
            return Source(f"{short}{below}.{name}")
    outer = name.partition(".")[0]
    if not MEANS_MORE.match(outer):
        return Source(name, ((outer, f"from {module} import {outer}"),))
    above, _, last = module.rpartition(".")
    return Source(f"{last}.{name}", ((last, f"from {above} import {last}" if above else f"import {last}"),))


def public_place(value: Any) -> tuple[str, str]:
    """The module and the name of what nobody has named. Raises `LookupError` where it has none."""
    name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
    if "<" in name or not name or name.startswith("_"):
        raise LookupError(f"{value!r} has no name")
    return home_of(value, name), name


def home_of(value: Any, name: str) -> str:
    """The public module that has it: the nearest one above the module where it is defined."""
    parts = str(getattr(value, "__module__", "") or getattr(type(value), "__module__", "")).split(".")
    above = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    public = [module for module in above if not any(part.startswith("_") for part in module.split("."))]
    homes = [module for module in [*public, *above] if held_by(module, name) is value]
    if not homes:
        raise LookupError(f"{value!r} is in no module")
    return homes[0]


def held_by(module: str, name: str) -> Any:
    try:
        loaded = sys.modules.get(module) or importlib.import_module(module)
        return functools.reduce(getattr, name.split("."), loaded)
    except (ImportError, AttributeError):
        return None


def as_said(text: str, module: str, imports: Sequence[str] = ()) -> Source:
    """An expression of the user's: its names are those of `imports`, of `BASE`, and what the class's module knows."""
    lines_by_name = {name: line for line in imports for name in names_bound(line)}
    tree = ast.parse(text, mode="eval")
    bound = {arg.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for arg in node.args}
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in bound]
    lines = {name: lines_by_name.get(name) or import_of(name, module) for name in names}
    return Source(ast.unparse(tree), tuple((name, line) for name, line in lines.items() if line))


def names_bound(line: str) -> list[str]:
    """The names that an import statement binds."""
    [statement] = ast.parse(line).body
    assert isinstance(statement, ast.Import | ast.ImportFrom)
    return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]


def import_of(name: str, module: str) -> str:
    """The statement that imports a name which a module knows; nothing for other names."""
    known = vars(sys.modules[module])
    if name in BASE or name not in known:
        return ""
    value = known[name]
    if type(value) is type(sys):
        whole = value.__name__
        return f"import {whole}" if whole == name else f"import {whole} as {name}"
    return f"from {module} import {name}"
