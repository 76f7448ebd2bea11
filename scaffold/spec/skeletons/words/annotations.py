"""Translate annotations into type texts: `eqx.nn.Linear` becomes `equinox.nn:Linear`, `Float` stays."""

import ast
import builtins

from scaffold.errors import nearest
from scaffold.source.expressions import nodes_of
from scaffold.source.instance import last_name
from scaffold.source.local_makers import substituted
from scaffold.source.rewriting import rewrite
from scaffold.spec.grammar.dtypes import BY_LONG_NAME
from scaffold.spec.grammar.type_parser import MODULES, TypeSyntaxError, parse_type
from scaffold.spec.grammar.types import ARRAY_NAMES, ClassType, walk
from scaffold.spec.names import IMPORTS, OF_TYPES, is_read
from scaffold.spec.skeletons.words.names import Names, is_of_types
from scaffold.spec.skeletons.words.notes import Notes
from scaffold.spec.states import STATE

ALIKE = 0.8
"""Similarity from which a name counts as a misspelt word, and not as another class."""


def type_of(node: ast.expr, names: Names, notes: Notes) -> str:
    """Return the type text of an annotation, with classes as `module:Name`."""
    text = notes.source_of(node)
    text = ast.unparse(node) if "\n" in text else text
    return _grammar_text(node, text, names)


def meant_type(node: ast.expr, names: Names) -> str:
    """Return the type text with the file's aliases inlined, or `""` without an alias or a known type."""
    if names.aliases.keys().isdisjoint(part.id for part in nodes_of(ast.Name, node)):
        return ""
    meant = substituted(node, names.aliases)
    text = _grammar_text(meant, ast.unparse(meant), names)
    return text if is_of_grammar(text, names) else ""


_OF_DTYPES = ("jax.numpy", "numpy")


def scalar_of_dtype(node: ast.expr, names: Names) -> str:
    """Return the scalar type for a dtype as annotation: `f32[]` for `jnp.float32`. Else return `""`."""
    module, _, name = names.of(node).rpartition(".")
    dtype = BY_LONG_NAME.get(name.rstrip("_"), "") if module in _OF_DTYPES else ""
    return f"{dtype}[]" if dtype else ""


def _grammar_text(node: ast.expr, text: str, names: Names) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value

    def change(part: ast.AST, above: tuple[ast.AST, ...]) -> str | None:
        if not isinstance(part, ast.Name | ast.Attribute) or _is_literal(above):
            return None
        whole = names.of(part)
        if not whole:
            return None
        if whole in ("numpy.dtype", "jax.numpy.dtype"):
            return "dtype"
        is_part = any(isinstance(node, ast.Subscript) for node in above)
        if whole == "chex.Array" and is_part:
            return "Array"  # `Float[chex.Array, "n"]`
        if whole == "jaxtyping.Key" and not is_part:
            return "PRNGKeyArray"
        module, _, name = whole.rpartition(".")
        if module and name in KEYS_BY_NAME:
            return "PRNGKeyArray"
        if not module or is_of_types(whole):
            return None if ast.unparse(part).rpartition(".")[2] == name and _is_spelt(part) else name
        return f"{module}:{name}"

    try:
        return rewrite(text.strip(), change)
    except SyntaxError:  # in a string; the grammar of types says what is wrong
        return text


def _is_spelt(part: ast.Name | ast.Attribute) -> bool:
    """Whether the grammar can read a word as spelt: bare, or behind a module name that the grammar knows."""
    return isinstance(part, ast.Name) or ast.unparse(part.value) in MODULES


_GIVEN = (ClassType("Rngs", "flax.nnx"), STATE)
"""Library classes that the tests can pass to any class: random streams and a state."""


def is_of_grammar(text: str, names: Names) -> bool:
    """Whether a text is a type of the grammar, and names no alias, helper or nested class of the file."""
    try:
        kind = parse_type(text)
    except TypeSyntaxError:
        return False
    classes = [part for part in walk(kind) if isinstance(part, ClassType)]
    if any(_is_no_class(class_type.name.rpartition(".")[2]) for class_type in classes):
        return False
    if names.stands_alone:
        beside = (*_GIVEN, *map(ClassType, names.classes))
        return all(class_type in beside for class_type in classes)
    own = {*names.bound, *names.classes}  # a class within a class is none of a module
    kept = {*names.bound, *names.aliases}
    return not any(
        class_type.module.partition(".")[0] in own if class_type.module else class_type.name in kept
        for class_type in classes
    )


def misspelt_word(annotation: ast.expr, names: Names) -> str | None:
    """Return an unbound name of an annotation that is close to a word of the type grammar, or None."""
    read = (node.id for node in nodes_of(ast.Name, annotation))
    unknown = (name for name in read if not (names.brings(name) or name in IMPORTS))
    return next((name for name in unknown if nearest(name, OF_TYPES, ALIKE)), None)


KEYS_BY_NAME = ("PRNGKeyArray", "PRNGKey", "KeyArray")
"""Names that packages use for a random key, including functions of jax that are no annotations."""
ARRAYS_BY_NAME = (*ARRAY_NAMES, "ArrayLike", "Real", "Num", "Shaped", "Integer")
"""Names that packages use for an array of any shape."""


def _is_no_class(name: str) -> bool:
    """Whether a name cannot be a package's class: a builtin, a word of types, or in lower case."""
    is_word = hasattr(builtins, name) or is_read(name) or name in ARRAYS_BY_NAME
    return is_word or not name.lstrip("_")[:1].isupper()


def _is_literal(above: tuple[ast.AST, ...]) -> bool:
    """Whether a node lies within `Literal[...]`, by the nodes `above` it."""
    return any(isinstance(node, ast.Subscript) and last_name(node.value) == "Literal" for node in above)


def results(node: ast.expr | None) -> list[ast.expr]:
    """Split the annotation of a fixed-length tuple into several results. A quoted tuple stays one result."""
    match node:
        case None:
            return []
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=items)) if not any(
            isinstance(node, ast.Constant) and node.value is Ellipsis for node in items
        ):
            return items
        case _:
            return [node]
