"""The arguments of a constructor that nothing but the lambdas name by which a class makes its fields."""

import ast
import re
from collections.abc import Iterator

from scaffold.spec.skeletons.classes.constructors import CONSTRUCTORS
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.source.definitions import arguments_of, method_of
from scaffold.spec.source.expressions import nodes_of

_MAKING = ("field", "param", "data", "buffer", "state", "module")
"""The words whose lambda makes a field."""
_KNOWN = ("key", "dtype", "rngs")
"""What a constructor has of itself."""


def arguments_of_lambdas(node: ast.ClassDef, names: Names, above: tuple[str, ...] = ()) -> list[str]:
    """The arguments in the order of the lambdas, those that other classes of the file take for sizes as numbers.

    `module(lambda size, states, key: Recurrence(size, states, key=key))` takes `states`, of which the class has no array.
    None where all are known otherwise, or where nothing says what one is. `above` are the classes whose lambdas make it.
    """
    if node.name in above or any(getattr(part, "name", "") in CONSTRUCTORS for part in node.body):
        return []
    lambdas = [each for part in node.body for each in _initialisers(part, names)]
    fields = {ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
    taken = dict.fromkeys(arg.arg for each in lambdas for arg in each.args.args if not each.args.defaults)
    taken = [name for name in taken if name not in fields and name not in _KNOWN]
    known = _words(node)
    unknown = {name for name in taken if name not in known and not names.brings(name)}
    within = (*above, node.name)
    if not unknown or not unknown <= {name for each in lambdas for name in _sizes(each.body, names, within)}:
        return []
    return [f"{name}: int" if name in unknown else name for name in taken]


def _initialisers(statement: ast.stmt, names: Names) -> list[ast.Lambda]:
    """The lambda that makes a field: the first argument of its word, or `init`."""
    match statement:
        case ast.AnnAssign(value=ast.Call(args=args, keywords=keywords) as call) if (
            names.word(call) in _MAKING
        ):
            said = [*args[:1], *(keyword.value for keyword in keywords if keyword.arg == "init")]
            return [value for value in said if isinstance(value, ast.Lambda)]
        case _:
            return []


def _sizes(body: ast.expr, names: Names, within: tuple[str, ...]) -> Iterator[str]:
    """The names that are given to classes of the file for what is an int there, or a dim."""
    for call in nodes_of(ast.Call, body):
        owner = names.classes.get(ast.unparse(call.func).removesuffix(".create"))
        if owner is not None:
            constructor = next(filter(None, (method_of(owner, name) for name in CONSTRUCTORS)), None)
            if constructor is None:
                yield from _by_name(call, owner, names, within)
            else:
                yield from _by_place(call, constructor)


def _by_place(call: ast.Call, constructor: ast.FunctionDef) -> Iterator[str]:
    """The names in the places of what a constructor of the author annotates as an int."""
    kinds = [argument.annotation for argument in arguments_of(constructor)]
    for given, kind in zip(call.args, kinds, strict=False):
        if isinstance(given, ast.Name) and kind is not None and ast.unparse(kind) == "int":
            yield given.id


def _by_name(call: ast.Call, owner: ast.ClassDef, names: Names, within: tuple[str, ...]) -> Iterator[str]:
    """The names that are dims of a class whose constructor is emitted, or sizes that its own lambdas name."""
    sizes = _words(owner) | {text.partition(":")[0] for text in arguments_of_lambdas(owner, names, within)}
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(given, ast.Name) and given.id in sizes:
            yield given.id


def _words(node: ast.ClassDef) -> set[str]:
    """The fields of a class, and the words of all annotations, of which some are dims."""
    fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
    annotated = [*nodes_of(ast.AnnAssign, node), *nodes_of(ast.arg, node)]
    texts = [ast.unparse(each.annotation) for each in annotated if each.annotation is not None]
    texts += [ast.unparse(each.returns) for each in nodes_of(ast.FunctionDef, node) if each.returns]
    words = {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}
    return {*map(ast.unparse, fields), *words}
