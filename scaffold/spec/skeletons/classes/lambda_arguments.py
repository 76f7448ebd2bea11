"""The arguments of a constructor that nothing but the lambdas name by which a class makes its fields."""

import ast
import re

from scaffold.spec.skeletons.classes.constructors import CONSTRUCTORS
from scaffold.spec.skeletons.words.names import Names
from scaffold.spec.source.expressions import nodes_of

_MAKING = ("field", "param", "data", "buffer", "state", "module")
"""The words whose lambda makes a field."""
_KNOWN = ("key", "dtype", "rngs")
"""What a constructor has of itself."""


def arguments_of_lambdas(node: ast.ClassDef, names: Names) -> list[str]:
    """The arguments in the order of the lambdas, those that are no dims as numbers; none where all are known otherwise.

    `module(lambda size, states, key: Recurrence(size, states, key=key))` takes `states`, of which the class has no array.
    """
    if any(getattr(part, "name", "") in CONSTRUCTORS for part in node.body):
        return []
    taken = dict.fromkeys(name for part in node.body for name in _of_initialiser(part, names))
    known = _words(node)
    unknown = [name for name in taken if name not in known and not names.brings(name)]
    return [f"{name}: int" if name in unknown else name for name in taken] if unknown else []


def _of_initialiser(statement: ast.stmt, names: Names) -> list[str]:
    """What the lambda takes that makes a field: the first argument of its word, or `init`."""
    match statement:
        case ast.AnnAssign(value=ast.Call(args=args, keywords=keywords) as call) if (
            names.word(call) in _MAKING
        ):
            said = [*args[:1], *(keyword.value for keyword in keywords if keyword.arg == "init")]
            lambdas = (value for value in said if isinstance(value, ast.Lambda))
            return [arg.arg for each in lambdas for arg in each.args.args if arg.arg not in _KNOWN]
        case _:
            return []


def _words(node: ast.ClassDef) -> set[str]:
    """The fields of a class, and the words of all annotations, of which some are dims."""
    fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
    annotated = [*nodes_of(ast.AnnAssign, node), *nodes_of(ast.arg, node)]
    texts = [ast.unparse(each.annotation) for each in annotated if each.annotation is not None]
    texts += [ast.unparse(each.returns) for each in nodes_of(ast.FunctionDef, node) if each.returns]
    return {
        *map(ast.unparse, fields),
        *(word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)),
    }
