"""What a class's suite declares: how it is built and called, and what that shows."""

import ast
import contextlib
import inspect
import warnings
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytree_laws import PytreeLaws
from pytree_laws.declare.render import render, source_of
from pytree_laws.discover.inference import (
    inferred_leaves,
    inferred_outputs,
    inferred_statics,
)
from pytree_laws.engine.timeout import TooLong, time_limit
from pytree_laws.sharding.dims import dims_of_leaves

from .begun import find_with_state
from .build import ways_to_build
from .built import Built, Failure, StateOf, builds, instance_of, model_of
from .call import Called, Subject, find_call
from .fixed import with_fixed
from .further import all_members_work, further_methods, written_methods
from .kinds import Kind, kind_of
from .methods import methods_of
from .search import Budget
from .sound import accepted, lone_methods, presumed, sound, sound_for_all, without_a_way, without_sizes
from .sources import Source, as_said, distinct, literal, refer
from .targets import found_class, look_in
from .transformations import written_transformation

Request = dict[str, Any]
TRIES = 300
STATES = 80
"""How many arguments are tried of methods that give a state, and take it."""


class MistakeError(Exception):
    """What the user says of a class cannot be evaluated."""


def adopt(request: Request) -> dict[str, Any]:
    """What is found of one class: plain JSON, of which the tool makes a test file."""
    look_in(request["folders"])
    cls = found_class(request["module"], request["name"])
    kind = kind_of(cls)
    failure = Failure()
    try:
        with time_limit(request["seconds"], "adopt"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return found_of(cls, kind, request, failure)
    except MistakeError as mistake:
        return {"built": False, "why": str(mistake), "unknown": []}
    except TooLong:
        return {"built": False, "why": f"it took more than {request['seconds']:.0f} seconds", "unknown": []}
    except SyntaxError as error:
        return {
            "built": False,
            "why": f"what is said of it is no Python: {error.msg}: {error.text}",
            "unknown": [],
        }


def found_of(cls: Any, kind: Kind, request: Request, failure: Failure) -> dict[str, Any]:
    module, imports = cls.__module__, request.get("imports", ())
    said = {name: as_said(text, module, imports) for name, text in request["said"].items()}
    if kind.name == "transformation":
        own = as_said(request["build"], module, imports) if request["build"] else None
        return written_transformation(cls, own, said, failure)
    of_call = Failure()
    built, called = built_and_called(cls, request, said, failure, of_call)
    if built is not None and not request["call"]:
        built, called = sound(cls, built, called, said)
    if built is None:
        return {
            "built": False,
            "why": failure.first or "nothing is known of its arguments",
            "unknown": failure.unknown,
        }
    if called is not None and not (called.is_meaningful or request["call"]):
        of_call.first = (
            f"no meaningful call: `{called.method}` takes no arrays, and only gives a part or a copy"
        )
        called = None
    methods, further = methods_of(cls), methods_beside(cls, built, called, said)
    other = sound_for_all(built, called, further)
    if other != built and not request["call"]:
        built, called = sound(cls, other, called, said)
    if called is None and of_call.first.startswith("NotImplementedError"):
        return {"built": False, "abstract": f"it leaves its call to subclasses: {of_call.first}"}
    built, called, further = with_distinct_names(cls, built, called, further)
    found = {
        "built": True,
        "kind": kind.name,
        "methods": methods,
        **written_build(built),
        **written_call(called),
        **written_methods(further),
    }
    guessed = presumed(built, [*([called] if called else []), *further])
    if methods and called is None:
        found |= {"why": of_call.first, "unknown": of_call.unknown, "unusable": without_a_way(built)}
    return {**found, **declared(found, built, called), "unsure": without_sizes(built), "presumed": guessed}


def built_and_called(
    cls: Any, request: Request, said: Mapping[str, Source], failure: Failure, of_call: Failure
) -> tuple[Built | None, Called | None]:
    """The first way to build a class for which a call is found that depends on everything; or else the first ones.

    An instance of which a member raises is taken where no other is found: its sizes are wrong.
    """
    first: tuple[Built | None, Called | None] = None, None
    full: tuple[Built, Called] | None = None
    budget, of_calls = Budget(TRIES), Budget(TRIES + 200)
    begins = Budget(STATES)
    own = built_as_said(request, cls.__module__)
    if own is not None and not builds(cls, own, failure):
        failure.first = failure.first or f"`{request['build']}` gives another class"
        return first
    for built in [own] if own else ways_to_build(cls, said, budget, failure):
        tries = min(TRIES, of_calls.tries)
        one = Budget(tries)
        called = call_for(cls, built, request, said, one, of_call, begins)
        of_calls.tries -= tries - max(0, one.tries)
        if not methods_of(cls):
            return built, called
        if called is not None and called.is_full:
            if own or all_members_work(model_of(built, 0)):
                return built, called
            full = full or (built, called)
        if first[0] is None or (first[1] is None and called is not None):
            first = built, called
        if of_calls.tries <= 0:
            break
    return full or first


def call_for(
    cls: Any,
    built: Built,
    request: Request,
    said: Mapping[str, Source],
    budget: Budget,
    failure: Failure,
    begins: Budget,
) -> Called | None:
    made = instance_of(built.source)
    instance, state = made if built.has_state else (made, None)
    subject = Subject(instance, StateOf(built), state)
    wished, bracket, _ = request["call"].partition("(")
    if bracket:
        with told_as_mistake("--call", request["call"]):
            called = said_call(cls, subject, request)
            for source in called.arguments.values():
                source.value(0, subject.owner)
        return called
    if not (wished or methods_of(cls)):
        return None
    found = find_call(cls, subject, wished, said, budget, failure)
    if not (wished or built.has_state or (found is not None and found.is_full)):
        found = find_with_state(cls, subject, said, begins, failure) or found
    return with_fixed(found, subject) if found is not None else None


def methods_beside(cls: Any, built: Built, called: Called | None, said: Mapping[str, Source]) -> list[Called]:
    """The methods beside the call; none where a state goes through them."""
    if built.has_state:
        return []
    found = further_methods(cls, Subject(instance_of(built.source), StateOf(built)), called, said)
    allowed = (accepted(built, one) for one in found)
    return [*filter(None, allowed), *lone_methods(built, called)]


@contextlib.contextmanager
def told_as_mistake(option: str, text: str) -> Generator[None]:
    """Says of an error that it is one of what the user gave. Raises `MistakeError`."""
    try:
        yield
    except Exception as error:
        raise MistakeError(f"{option} {text!r} raised {type(error).__name__}: {error}") from error


def built_as_said(request: Request, module: str) -> Built | None:
    if not request["build"]:
        return None
    built = Built(as_said(request["build"], module, request.get("imports", ())), {}, positional=-1)
    with told_as_mistake("--build", request["build"]):
        built.maker.value(0)
    return built


def said_call(cls: Any, subject: Subject, request: Request) -> Called:
    """The call of `--call`: a method and its arguments, as they are written."""
    text, imports = request["call"], request.get("imports", ())
    tree = ast.parse(f"instance.{text}" if not text.startswith("(") else f"instance{text}", mode="eval").body
    assert isinstance(tree, ast.Call)
    method = tree.func.attr if isinstance(tree.func, ast.Attribute) else ""
    names = list(inspect.signature(getattr(subject.instance, method or "__call__")).parameters)
    given = {names[i] if i < len(names) else f"argument{i}": one for i, one in enumerate(tree.args)}
    by_name = {str(one.arg): one.value for one in tree.keywords}
    texts = {name: ast.unparse(one) for name, one in {**given, **by_name}.items()}
    sources = {name: as_said(text, cls.__module__, imports) for name, text in texts.items()}
    return Called(method, sources, tuple(by_name))


def with_distinct_names(
    cls: type, built: Built, called: Called | None, further: Sequence[Called]
) -> tuple[Built, Called | None, list[Called]]:
    """The same, where no two classes share a name in the test file, which imports the adopted one by its own."""
    parts = [built, *([called] if called is not None else []), *further]
    sources = [one for part in parts for one in part.arguments.values()]
    own = [pair for one in (refer(cls), built.maker) for pair in one.imports]
    names = iter(distinct(sources, own))
    renamed = [replace(part, arguments={name: next(names) for name in part.arguments}) for part in parts]
    calls = [one for one in renamed if isinstance(one, Called)]
    first = [one for one in renamed if isinstance(one, Built)]
    return first[0], calls[0] if called is not None else None, calls[called is not None :]


# -- as plain JSON -----------------------------------------------------------------------------------------------------


def written_build(built: Built) -> dict[str, Any]:
    by_name = built.positional == 0
    return {
        "maker": built.maker.text,
        "inputs": [[name, one.text] for name, one in built.arguments.items()] if by_name else [],
        "build": "" if by_name else built.source.text if built.positional > 0 else built.maker.text,
        "has_state": built.has_state,
        "imports": [list(pair) for pair in built.source.imports],
        "helpers": list(built.source.helpers),
        "guessed": list(built.guesses),
    }


def written_call(called: Called | None) -> dict[str, Any]:
    if called is None:
        return {"called": False}
    sources = list(called.arguments.values())
    return {
        "called": True,
        "method": called.method,
        "arguments": [[name, one.text, name in called.keywords] for name, one in called.arguments.items()],
        "fixed": list(called.fixed),
        "call_imports": [list(pair) for one in sources for pair in one.imports],
        "call_helpers": list(dict.fromkeys(line for one in sources for line in one.helpers)),
        "call_guessed": list(called.guesses),
        "also": called.also,
        "idle": idle(called),
    }


def idle(called: Called) -> str:
    """What the outputs do not depend on, as text."""
    if not called.by_parameters:
        return "what it returns does not depend on its parameters"
    return "" if called.by_arguments else "what it returns does not depend on its arguments"


# -- what the laws find of it ------------------------------------------------------------------------------------------


def declared(found: Mapping[str, Any], built: Built, called: Called | None) -> dict[str, Any]:
    """Leaves, static values and outputs, as the laws infer them; what they cannot, a suite finds by itself."""
    suite: Any = suite_of(found, built, called)()
    leaves, statics, outputs, updates = [], [], [], []
    with contextlib.suppress(Exception):
        leaves = written_leaves(suite, found["kind"])
    with contextlib.suppress(Exception):
        statics = [[path, literal(value)] for path, value in inferred_statics(suite).items()]
    with contextlib.suppress(Exception):
        outputs = [render(one) for one in inferred_outputs(suite)]
    with contextlib.suppress(Exception):
        updates = list(updates_of(suite, found["kind"]))
    dims = list[str]()
    with contextlib.suppress(Exception):
        dims = sorted({dim for named in dims_of_leaves(suite.cached_instance()).values() for dim in named})
    return {"leaves": leaves, "static": statics, "outputs": outputs, "updates": updates, "dims": dims}


def written_leaves(suite: Any, kind: str) -> list[str]:
    if kind != "nnx":
        return [render(one) for one in inferred_leaves(suite)]
    from pytree_laws.kinds.nnx.inference import inferred_variables, name_of_type

    found = [as_it_flows(suite, one) for one in inferred_variables(suite)]
    return [render(one, source_of(one.path), name_of_type(one.type)) for one in found]


def as_it_flows(suite: Any, variable: Any) -> Any:
    """A Variable as it was found; running statistics are cut off where no gradient comes from them."""
    from flax import nnx

    if issubclass(variable.type, nnx.BatchStat):
        with contextlib.suppress(Exception):
            return replace(variable, flows=suite.seems_to_flow(variable.path))
    return variable


def updates_of(suite: Any, kind: str) -> Sequence[str]:
    if kind != "nnx":
        return ()
    from pytree_laws.kinds.nnx.inference import inferred_updates

    return inferred_updates(suite)


def suite_of(found: Mapping[str, Any], built: Built, called: Called | None) -> type:
    """The suite without its declarations."""
    laws: Any = PytreeLaws
    if found["kind"] == "nnx":
        from pytree_laws.nnx import NnxLaws

        laws = NnxLaws
    body: dict[str, Any] = {"build": lambda self, seed: model_of(built, seed)}
    if called is not None:
        owner = StateOf(built)
        body["arguments"] = lambda self, seed: tuple(
            one.value(seed, owner) for name, one in called.arguments.items() if name not in called.fixed
        )
        body["call"] = lambda self, instance, *given: call_of(called, instance, given)
    return type("Adopted", (laws,), body)


def call_of(called: Called, instance: Any, given: Sequence[Any]) -> Any:
    pairs = {name: called.arguments[name].value(0) for name in called.fixed}
    pairs |= dict(zip([name for name in called.arguments if name not in pairs], given, strict=True))
    positional = [pairs[name] for name in called.arguments if name not in called.keywords]
    method = getattr(instance, called.method) if called.method else instance
    return method(*positional, **{name: pairs[name] for name in called.keywords})
