"""Definitions carried word for word: the names that they bind, and facts for the tests."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from scaffold.source.expressions import (
    Function,
    bound_value,
    dedented,
    local_names,
    nodes_of,
    own_nodes,
    parsed,
)
from scaffold.source.instance import arguments_by_name, last_name

_OWNERS = {"classmethod": "cls", "staticmethod": ""}
ABSTRACT_VARIABLES = ("AbstractVar", "AbstractClassVar")
"""Types of Equinox that leave a field to subclasses."""
_ABSTRACT = ("abc.abstractmethod", "abstractmethod")
_WITHOUT_FIELDS = ("object", "ABC", "Generic", "Protocol", "Callable", "Hashable", "Sized", "Iterable")


def without_parameters(node: ast.expr) -> ast.expr:
    """Return the base or annotation without its brackets: `Net` of `Net[int]`."""
    return node.value if isinstance(node, ast.Subscript) else node


def brings_no_fields(base: str) -> bool:
    """Whether a base of another library, such as `ABC` or a mixin, has no fields and no constructor."""
    return base in _WITHOUT_FIELDS or base.endswith("Mixin")


def statements(source: str) -> tuple[ast.stmt, ...]:
    """Return the statements of a carried text, or nothing if it does not parse."""
    try:
        return tuple(parsed(source).body)
    except (SyntaxError, ValueError, RecursionError):
        return ()


def class_of(source: str) -> ast.ClassDef | None:
    """Return the class that a carried text defines if it defines nothing else."""
    match statements(source):
        case (ast.ClassDef() as node,):
            return node
        case _:
            return None


def function_of(source: str) -> Function | None:
    """Return the last function in a carried text that is not the setter of a property."""
    functions = [statement for statement in statements(source) if isinstance(statement, Function)]
    return next((function for function in reversed(functions) if not is_setter(function)), None)


def class_statement(source: str, name: str) -> ast.ClassDef | None:
    """Return the class called `name` in a carried text."""
    classes = (statement for statement in statements(source) if isinstance(statement, ast.ClassDef))
    return next((node for node in classes if node.name == name), None)


def method_of(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """Return the method of a class by its name."""
    functions = (part for part in owner.body if isinstance(part, ast.FunctionDef))
    return next((function for function in functions if function.name == name), None)


def is_setter(function: Function) -> bool:
    """Whether a function sets or deletes a property."""
    return any(last_name(decorator) in ("setter", "deleter") for decorator in function.decorator_list)


def bound_by(source: str) -> frozenset[str]:
    """Return the names that a carried text binds."""
    return frozenset(local_names(statements(source)))


def decorators_of(source: str) -> tuple[str, ...]:
    """Return the decorators of a carried function, outermost first, without `abstractmethod`."""
    function = function_of(source)
    listed = map(ast.unparse, function.decorator_list) if function is not None else ()
    return tuple(decorator for decorator in listed if decorator not in _ABSTRACT)


def body_of(source: str) -> str:
    """Return the statements of a carried function without its docstring, or `...` for an abstract method."""
    function = function_of(source)
    if function is None:
        return ""
    if is_left_open(source):
        return "..."
    kept = function.body[ast.get_docstring(function) is not None :]
    return "\n".join(map(ast.unparse, kept)) or "pass"


def is_left_open(source: str) -> bool:
    """Whether a carried function is abstract."""
    function = function_of(source)
    decorators = function.decorator_list if function is not None else ()
    return any(ast.unparse(decorator) in _ABSTRACT for decorator in decorators)


def is_missing(body: str) -> bool:
    """Whether a method's body only raises `NotImplementedError`."""
    parts = statements(dedented(body))
    return len(parts) == 1 and ast.unparse(parts[0]).startswith("raise NotImplementedError")


def annotated_names(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.AnnAssign]]:
    """Yield the annotated names in a class body, with their statements."""
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, statement
            case _:
                pass


def abstract_variables(source: str) -> list[str]:
    """Return the fields that subclasses must store: `x: eqx.AbstractVar[Array]`."""
    fields = annotated_names(statements(source))
    heads = ((name, getattr(field.annotation, "value", field.annotation)) for name, field in fields)
    return [n for n, head in heads if isinstance(head, ast.expr) and last_name(head) in ABSTRACT_VARIABLES]


def class_attributes(source: str) -> list[str]:
    """Return the names to which a carried text assigns values: `shape = ()`."""
    return [name for name, _ in filter(None, map(bound_value, statements(source)))]


def says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement is `pass`, a docstring or another constant."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def owner_of(function: Function) -> str:
    """Return the name of the first argument, `self` or `cls`, or nothing for a static method."""
    words = [_OWNERS.get(ast.unparse(decorator)) for decorator in function.decorator_list]
    return next((word for word in words if word is not None), "self")


def arguments_with_defaults(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """Return the named arguments of a method with their defaults, without `self` or `cls`."""
    return parameters_with_defaults(function)[bool(owner_of(function)) :]


def parameters_with_defaults(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """Return the named arguments of a function with their defaults."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
    pairs = zip(positional, defaults, strict=True)
    return [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]


def arguments_of(function: Function) -> list[ast.arg]:
    """Return the named arguments of a method, without `self` or `cls`."""
    return [argument for argument, _ in arguments_with_defaults(function)]


def annotations_taken(function: Function, methods: Mapping[str, Function]) -> dict[str, ast.expr]:
    """Map bare arguments to the annotations of the methods of `self` that get them as they are given."""
    bare = _annotations(function, is_bare=True)
    taken: dict[str, ast.expr] = {}
    for called, parameter, given in _arguments_passed(function, methods):
        annotation = _annotations(called).get(parameter)
        if isinstance(given, ast.Name) and given.id in bare and annotation is not None:
            taken.setdefault(given.id, annotation)
    return taken


def annotations_passed(function: Function, methods: Mapping[str, Function]) -> dict[str, ast.expr]:
    """Map bare parameters to the annotations of what other methods of `self` pass for them as it is."""
    bare = _annotations(function, is_bare=True)
    passed: dict[str, ast.expr] = {}
    for caller in methods.values():
        for called, parameter, given in _arguments_passed(caller, methods):
            annotation = _annotations(caller).get(given.id) if isinstance(given, ast.Name) else None
            if called is function and parameter in bare and annotation is not None:
                passed.setdefault(parameter, annotation)
    return passed


def numbers_passed(function: Function, methods: Mapping[str, Function]) -> set[str]:
    """Return the bare parameters for which another method of `self` passes a number, as `self.rate(10.0)`."""
    bare = _annotations(function, is_bare=True)
    passed = (each for caller in methods.values() for each in _arguments_passed(caller, methods))
    return {
        parameter
        for called, parameter, given in passed
        if called is function and parameter in bare and isinstance(getattr(given, "value", None), float)
    }


def _annotations(function: Function, *, is_bare: bool = False) -> dict[str, ast.expr | None]:
    """Map the parameters with an annotation to it, or those without to None."""
    return {
        part.arg: part.annotation for part in arguments_of(function) if is_bare == (part.annotation is None)
    }


def _arguments_passed(
    function: Function, methods: Mapping[str, Function]
) -> Iterator[tuple[Function, str, ast.expr]]:
    """Yield each method that a function calls, with a parameter and what it gets, if that is unchanged."""
    names = [*nodes_of(ast.Name, *function.body)]
    stored = {name.id: name.lineno for name in reversed(names) if isinstance(name.ctx, ast.Store)}
    for call in nodes_of(ast.Call, *function.body):
        method = methods.get(ast.unparse(call.func).removeprefix("self."))
        parameters = [part.arg for part in arguments_of(method)] if method is not None else []
        for parameter, given in arguments_by_name(call, parameters):
            name = given.id if isinstance(given, ast.Name) else ""
            if method is not None and stored.get(name, call.lineno) >= call.lineno:
                yield method, parameter, given


def gives_instance(function: Function, name: str, others: Collection[Function] = ()) -> bool:
    """Whether a class method returns an instance of `name`, by its annotation or by its return values.

    An instance comes from a call of the class, or of a class method in `others` that returns an instance.
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
    """Whether another class method is among the calls and returns an instance."""
    is_called = any(each.endswith(f".{other.name}") for each in called)
    return is_called and owner_of(other) == "cls" and gives_instance(other, name, rest)


def returns_value(body: Iterable[ast.stmt]) -> bool:
    """Whether a function body returns or yields a value."""
    ends = [node for node in own_nodes(body) if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)]
    return any(node.value is not None or not isinstance(node, ast.Return) for node in ends)


def is_generator(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own_nodes(function.body))


def dims_written(tree: ast.AST) -> list[str]:
    """Return the names of dims in annotations such as `Float[Array, "n 2*half"]`."""
    slices = (part.slice for part in nodes_of(ast.Subscript, tree))
    shapes = (part.elts[-1] for part in slices if isinstance(part, ast.Tuple) and part.elts)
    texts = (shape.value for shape in shapes if isinstance(shape, ast.Constant))
    written = " ".join(text for text in texts if isinstance(text, str))
    return [*dict.fromkeys(re.findall(r"[A-Za-z_]\w*", written))]
