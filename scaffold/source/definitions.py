"""Definitions that are carried word for word: what they bind, and what the tests can know of them."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator

from scaffold.source.expressions import (
    Function,
    bound_value,
    dedented,
    local_names,
    nodes_of,
    own_nodes,
    parsed,
)
from scaffold.source.instance import last_name

_OWNERS = {"classmethod": "cls", "staticmethod": ""}
ABSTRACT_VARIABLES = ("AbstractVar", "AbstractClassVar")
"""The types of Equinox by which a class leaves a field to its subclasses."""
_ABSTRACT = ("abc.abstractmethod", "abstractmethod")
_WITHOUT_FIELDS = ("object", "ABC", "Generic", "Protocol", "Callable", "Hashable", "Sized", "Iterable")


def without_parameters(node: ast.expr) -> ast.expr:
    """A base, or an annotation, without what stands in brackets: `Net` of `Net[int]`."""
    return node.value if isinstance(node, ast.Subscript) else node


def brings_no_fields(base: str) -> bool:
    """Whether a base of another library, by its last name, brings no fields and no constructor: one of Python's, or a mixin."""
    return base in _WITHOUT_FIELDS or base.endswith("Mixin")


def statements(source: str) -> tuple[ast.stmt, ...]:
    """The statements of a carried text; none where it does not parse, which is told elsewhere."""
    try:
        return tuple(parsed(source).body)
    except (SyntaxError, ValueError, RecursionError):
        return ()


def class_of(source: str) -> ast.ClassDef | None:
    """The class that a carried text states, where it states nothing else."""
    match statements(source):
        case (ast.ClassDef() as node,):
            return node
        case _:
            return None


def function_of(source: str) -> Function | None:
    """The function that a carried text defines: the last one, but for the setter of a property."""
    functions = [statement for statement in statements(source) if isinstance(statement, Function)]
    return next((function for function in reversed(functions) if not is_setter(function)), None)


def class_statement(source: str, name: str) -> ast.ClassDef | None:
    """The statement of a class in the text that it is carried as."""
    classes = (statement for statement in statements(source) if isinstance(statement, ast.ClassDef))
    return next((node for node in classes if node.name == name), None)


def method_of(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """The method of a class by its name."""
    functions = (part for part in owner.body if isinstance(part, ast.FunctionDef))
    return next((function for function in functions if function.name == name), None)


def is_setter(function: Function) -> bool:
    """Whether a function sets or deletes a property."""
    return any(last_name(decorator) in ("setter", "deleter") for decorator in function.decorator_list)


def bound_by(source: str) -> frozenset[str]:
    """The names that a carried text binds."""
    return frozenset(local_names(statements(source)))


def decorators_of(source: str) -> tuple[str, ...]:
    """The decorators of a carried function, from the outermost, without that of an abstract method."""
    function = function_of(source)
    listed = map(ast.unparse, function.decorator_list) if function is not None else ()
    return tuple(decorator for decorator in listed if decorator not in _ABSTRACT)


def body_of(source: str) -> str:
    """The statements of a carried function, without its docstring; `...` of an abstract method."""
    function = function_of(source)
    if function is None:
        return ""
    if is_left_open(source):
        return "..."
    kept = function.body[ast.get_docstring(function) is not None :]
    return "\n".join(map(ast.unparse, kept)) or "pass"


def is_left_open(source: str) -> bool:
    """Whether a carried function is for subclasses to write."""
    function = function_of(source)
    decorators = function.decorator_list if function is not None else ()
    return any(ast.unparse(decorator) in _ABSTRACT for decorator in decorators)


def is_missing(body: str) -> bool:
    """Whether all that the body of a method does is to raise `NotImplementedError`."""
    parts = statements(dedented(body))
    return len(parts) == 1 and ast.unparse(parts[0]).startswith("raise NotImplementedError")


def annotated_names(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.AnnAssign]]:
    """The statements of a class that annotate a name, each by that."""
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, statement
            case _:
                pass


def abstract_variables(source: str) -> list[str]:
    """The fields of a carried text that subclasses store: `x: eqx.AbstractVar[Array]`."""
    fields = annotated_names(statements(source))
    heads = ((name, getattr(field.annotation, "value", field.annotation)) for name, field in fields)
    return [n for n, head in heads if isinstance(head, ast.expr) and last_name(head) in ABSTRACT_VARIABLES]


def class_attributes(source: str) -> list[str]:
    """The names to which a carried text gives values: `shape = ()`."""
    return [name for name, _ in filter(None, map(bound_value, statements(source)))]


def says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring, or does nothing else."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def owner_of(function: Function) -> str:
    """The name of the first argument, which is the instance or the class; none of a static method."""
    words = [_OWNERS.get(ast.unparse(decorator)) for decorator in function.decorator_list]
    return next((word for word in words if word is not None), "self")


def arguments_with_defaults(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """The named arguments of a method, but for the instance or the class, each with its default."""
    return parameters_with_defaults(function)[bool(owner_of(function)) :]


def parameters_with_defaults(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """The named arguments of a function, each with its default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
    pairs = zip(positional, defaults, strict=True)
    return [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]


def arguments_of(function: Function) -> list[ast.arg]:
    """The same without the defaults."""
    return [argument for argument, _ in arguments_with_defaults(function)]


def gives_instance(function: Function, name: str, others: Collection[Function] = ()) -> bool:
    """Whether a class method of the class `name` gives an instance: by its annotation, or by all that it returns where it has none.

    That is what the class makes, or one of its `others` that gives an instance.
    """
    if function.returns is not None:
        said = ast.unparse(function.returns).strip("'\"").rpartition(".")[2]
        return said in (name, "Self")
    given = [node.value for node in own_nodes(function.body) if isinstance(node, ast.Return)]
    called = {ast.unparse(value.func) if isinstance(value, ast.Call) else "" for value in given}
    rest = [other for other in others if other.name != function.name]
    makers = [""] + [f".{other.name}" for other in rest if _is_called_in(called, other, name, rest)]
    return bool(given) and called <= {
        owner + maker for owner in (owner_of(function), name) for maker in makers
    }


def _is_called_in(called: Collection[str], other: Function, name: str, rest: Collection[Function]) -> bool:
    """Whether another class method is among those called, and gives an instance."""
    is_called = any(each.endswith(f".{other.name}") for each in called)
    return is_called and owner_of(other) == "cls" and gives_instance(other, name, rest)


def returns_value(body: Iterable[ast.stmt]) -> bool:
    """Whether the body of a function gives something."""
    ends = [node for node in own_nodes(body) if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)]
    return any(node.value is not None or not isinstance(node, ast.Return) for node in ends)


def is_generator(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function.body))


def dims_written(tree: ast.AST) -> list[str]:
    """The names of the dims in annotations of arrays, such as `Float[Array, "n 2*half"]`."""
    slices = (part.slice for part in nodes_of(ast.Subscript, tree))
    shapes = (part.elts[-1] for part in slices if isinstance(part, ast.Tuple) and part.elts)
    texts = (shape.value for shape in shapes if isinstance(shape, ast.Constant))
    written = " ".join(text for text in texts if isinstance(text, str))
    return [*dict.fromkeys(re.findall(r"[A-Za-z_]\w*", written))]
