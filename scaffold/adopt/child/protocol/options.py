"""Options `--build` and `--call`, evaluated once so that a mistake is reported as such."""

import ast
import contextlib
import inspect
from collections.abc import Generator
from pathlib import Path
from typing import Any

from pytree_laws.inspect.raised_at import raised_at

from ..building.built import Built
from ..calling.called import Called, Subject
from ..calling.invoke import UNBOUND, invoke
from ..classes.methods import methods_of
from ..values.sources import as_said

Request = dict[str, Any]
CHILD = Path(__file__).parents[1]
_NO_CALL = "is no call of a method; legal are `METHOD(...)`, and `(...)` for `__call__`"


class MistakeError(Exception):
    """An option has a value that does not work. `problem` is the reason."""

    def __init__(self, option: str, text: str, problem: str) -> None:
        self.option, self.problem = f"{option} {text!r}", problem
        super().__init__(self.option, problem)


@contextlib.contextmanager
def as_mistake(option: str, text: str) -> Generator[None]:
    """Turn an error into a `MistakeError` with the line of the class that raised it."""
    try:
        yield
    except MistakeError:
        raise
    except SyntaxError as error:
        if Path(error.filename or "").is_file():  # an imported module with newer syntax
            raise
        raise MistakeError(option, text, f"is no Python: {error.msg}") from error
    except Exception as error:
        place = raised_at(error, CHILD)
        told = f"raised {type(error).__name__}: {error}{f' (raised at: {place})' if place else ''}"
        raise MistakeError(option, text, told) from error


def built_as_said(request: Request, module: str) -> Built | None:
    """Return the instance of `--build`, or None without the option.

    Raises `MistakeError` if the expression does not work.
    """
    if not request["build"]:
        return None
    with as_mistake("--build", request["build"]):
        built = Built(as_said(request["build"], module, request.get("imports", ())), {}, positional=-1)
        built.maker.value(0)
    return built


def call_as_said(cls: Any, subject: Subject, request: Request) -> Called:
    """Return the call of `--call`.

    Raises `MistakeError` if the call does not work on the instance, outside of `jax.jit`.
    """
    with as_mistake("--call", request["call"]):
        called = parse_call(cls, subject, request)
        values = {name: source.value(0, subject.owner) for name, source in called.arguments.items()}
        method = getattr(subject.instance, called.method or "__call__")
        try:
            invoke(method, values, called.keywords)
        except Exception as error:
            if not UNBOUND.search(str(error)):  # the tests bind the axis by a batch
                raise
    return called


def check_method(cls: Any, method: str, text: str) -> None:
    """Raise `MistakeError` if the class has no method of this name."""
    if not callable(getattr(cls, method or "__call__", None)):
        legal = ", ".join(f"`{name}(...)`" for name in methods_of(cls))
        raise MistakeError("--call", text, f"names no method; legal are {legal}")


def parse_call(cls: Any, subject: Subject, request: Request) -> Called:
    """Parse the text of `--call` into a method and its arguments."""
    text, imports = request["call"], request.get("imports", ())
    tree = ast.parse(f"instance.{text}" if not text.startswith("(") else f"instance{text}", mode="eval").body
    if not isinstance(tree, ast.Call) or ast.unparse(tree.func).count(".") > 1:
        raise MistakeError("--call", text, _NO_CALL)
    method = tree.func.attr if isinstance(tree.func, ast.Attribute) else ""
    check_method(cls, method, text)
    names = list(inspect.signature(getattr(subject.instance, method or "__call__")).parameters)
    by_position = {
        names[i] if i < len(names) else f"argument{i}": argument for i, argument in enumerate(tree.args)
    }
    by_name = {str(keyword.arg): keyword.value for keyword in tree.keywords}
    texts = {name: ast.unparse(expression) for name, expression in {**by_position, **by_name}.items()}
    sources = {name: as_said(text, cls.__module__, imports) for name, text in texts.items()}
    return Called(method, sources, tuple(by_name))
