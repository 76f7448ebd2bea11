"""What a class's suite declares: how it is built and called, and what that shows."""

import contextlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from pytree_laws.engine.timeout import TooLong, time_limit
from pytree_laws.inspect.trees import arrays_of

from ..building.budget import Budget
from ..building.build import ways_to_build
from ..building.built import Built, Failure, StateOf, builds, instance_of, model_of
from ..building.lacking import lacks_a_class, left_to_subclasses
from ..building.members import all_members_work
from ..calling.call import FURTHER, find_call
from ..calling.called import Called, Subject
from ..calling.extra_methods import extra_methods
from ..calling.init_state import find_with_state, may_have_state
from ..calling.static_arguments import with_static_arguments
from ..classes.kinds import kind_of
from ..classes.lookup import add_to_path, load_class
from ..classes.methods import actions_of, form_of_call, methods_of
from ..classes.uses.lookalikes import family, lookalikes
from ..judge.blank import as_method, more_telling
from ..judge.constant import telling_call
from ..judge.declare import UNDECLARED, declarations
from ..judge.validate_example import (
    accept_call,
    argumentless_methods,
    presumed_functions,
    validate_example,
    validate_methods,
    without_a_way,
    without_sizes,
)
from ..transformations.describe import describe_transformation
from ..values.sources import Source, as_said, distinct, refer
from .found import build_to_json, call_to_json, methods_to_json
from .options import MistakeError, built_as_said, call_as_said, check_method

Request = dict[str, Any]
TRIES = 300
SEARCHES = 0.75
"""The share of the time that the search may take: what it found by then is described in the rest."""
LEAST_SECONDS = 5.0
"""What describing may take after a search that went on beyond its time, in code that hears no signal."""
STATES = 80
"""How many arguments are tried of methods that give a state, and take it."""


@dataclass
class Example:
    """What is found of a class so far: how it is built and called, its other methods, and why there is no more."""

    built: Built | None = None
    called: Called | None = None
    methods: list[Called] = field(default_factory=list[Called])
    failure: Failure = field(default_factory=Failure)
    of_call: Failure = field(default_factory=Failure)
    unfinished: str = ""
    """Why the search ended before it was done."""
    maker: Built | None = None
    """The class method that makes an instance which holds nothing yet, in whose place the constructor is used."""

    def take(self, made: Built, built: Built, called: Called | None) -> None:
        """Keep a way to build the class, which is another than was found where that made nothing telling."""
        self.built, self.called, self.maker = built, called, made if made != built else None


def adopt(request: Request) -> dict[str, Any]:
    """What is found of one class: plain JSON, of which the tool makes a test file."""
    add_to_path(request["folders"])
    cls = load_class(request["module"], request["name"])
    seconds, example, begin = request["seconds"], Example(), perf_counter()
    too_long = f"it took more than {seconds:.0f} seconds"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with time_limit(SEARCHES * seconds, "adopt"):
                if kind_of(cls).name == "transformation":
                    return transformation_of(cls, request, example.failure)
                if not request["build"] and (why := left_to_subclasses(cls)):
                    return {"built": False, "abstract": why}
                search_example(cls, request, example)
        except MistakeError as mistake:
            return not_built(mistake.problem) | {"mistake": mistake.option}
        except SyntaxError as error:
            return not_built(syntax_text(error))
        except TooLong:
            example.of_call.first = example.unfinished = too_long
            if example.built is None:
                return not_built(too_long)
        if example.built is None and not request["build"] and (why := lacks_a_class(cls, request["said"])):
            return {"built": False, "abstract": why}
        if example.built is None:
            return not_built(example.failure.why, example.failure.unknown)
        left = seconds - (perf_counter() - begin)
        return describe_example(cls, example.built, example, max(left, LEAST_SECONDS))


def syntax_text(error: SyntaxError) -> str:
    """What is no Python: an option, or a module that is imported while the class is built, as one in newer syntax is."""
    line = (error.text or "").strip()
    if error.filename and Path(error.filename).is_file():
        version = "{}.{}".format(*sys.version_info)
        place = f"{Path(error.filename).name}:{error.lineno}"
        return f"{place} is no Python {version}, which this interpreter reads: {error.msg}: {line}"
    return f"what is said of it is no Python: {error.msg}: {line}"


def not_built(why: str, unknown: Sequence[str] = ()) -> dict[str, Any]:
    """The answer on a class that nothing built."""
    return {"built": False, "why": why, "unknown": list(unknown)}


def transformation_of(cls: Any, request: Request, failure: Failure) -> dict[str, Any]:
    """The answer on a function that makes a transformation of optax."""
    text = request["build"]
    source = as_said(text, cls.__module__, request.get("imports", ())) if text else None
    return describe_transformation(cls, source, values_said(cls, request), failure)


def values_said(cls: Any, request: Request) -> dict[str, Source]:
    """The values that the user gives for arguments, by name."""
    imports = request.get("imports", ())
    return {name: as_said(text, cls.__module__, imports) for name, text in request["said"].items()}


def search_example(cls: Any, request: Request, example: Example) -> None:
    """Find how a class is built and called; the example holds what is found so far."""
    said = values_said(cls, request)
    built_and_called(cls, request, said, example)
    if example.built is None:
        return
    if not request["call"]:
        example.built, example.called = validate_example(cls, example.built, example.called, said)
    called = example.called
    if called is not None and not (called.is_meaningful or request["call"]):
        example.of_call.first = why_no_call(example.built, called, example.of_call)
        example.called = None
    for method in methods_beside(cls, example.built, example.called, said):
        example.methods.append(method)  # those that are found until the time is up
    if example.called is not None and not request["call"]:
        example.called, example.methods = telling_call(example.built, example.called, example.methods)
    other = validate_methods(example.built, example.called, example.methods)
    if other != example.built and not request["call"]:
        example.built, example.called = validate_example(cls, other, example.called, said)
    if example.maker is not None:
        example.methods += as_method(cls, example.maker)


def describe_example(cls: Any, built: Built, example: Example, seconds: float) -> dict[str, Any]:
    """What was found of a class, and what the laws infer of it within these seconds, as plain JSON."""
    of_call, methods = example.of_call, methods_of(cls)
    if example.called is None and only_holds(built, of_call, methods):
        methods = []
    if example.called is None and of_call.is_of_subclasses and "NotImplementedError" in of_call.first:
        return {"built": False, "abstract": f"it leaves its call to subclasses: {of_call.first}"}
    built, called, extra = with_distinct_names(cls, built, example.called, example.methods)
    description = {"built": True, "kind": kind_of(cls).name, "methods": methods, **build_to_json(built)}
    description["unfinished"] = example.unfinished
    description |= {**call_to_json(called), **methods_to_json(extra), **UNDECLARED}
    if not arrays_of(model_of(built, 0)):  # it has no parameters
        description.pop("idle", None)
    if not methods:
        description["actions"] = [form_of_call(cls, name) for name in actions_of(cls)]
    if methods and called is None:
        description |= {
            "why": of_call.first,
            "unknown": of_call.unknown,
            "form": form_of_call(cls, methods[0]),
        }
    with contextlib.suppress(TooLong), time_limit(seconds, "adopt"):
        description |= declarations(description, built, called)
        description["unsure"] = without_sizes(built)
        description["presumed"] = presumed_functions(built, [*filter(None, [called]), *extra])
        if methods and called is None:
            description["unusable"] = without_a_way(built)
    return description


def only_holds(built: Built, of_call: Failure, methods: Sequence[str]) -> bool:
    """Whether a class only holds what others use: its methods give parts, or it has no arrays, and none of them raised."""
    is_bare = not of_call.first and not arrays_of(model_of(built, 0))
    return is_bare or {*methods} <= {*of_call.parts}


def why_no_call(built: Built, called: Called, failure: Failure) -> str:
    """Why the only call that runs is none: what the call of the instance raised, or that this one takes no state, or computes nothing."""
    if failure.first and methods_of(type(model_of(built, 0)))[:1] == [""] and called.method:
        return failure.first
    if built.has_state:
        return failure.first or f"no meaningful call: `{called.method}` takes no state"
    return f"no meaningful call: `{called.method}` takes no arrays, and only gives a part or a copy"


def built_and_called(cls: Any, request: Request, said: Mapping[str, Source], example: Example) -> None:
    """Find the first way to build a class for which a call is found that depends on everything; or else the first ones.

    An instance of which a member raises is taken where no other is found: its sizes are wrong.
    """
    requested_build = built_as_said(request, cls.__module__)
    if requested_build is not None and not builds(cls, requested_build, example.failure):
        example.failure.first = example.failure.first or f"`{request['build']}` gives another class"
        return
    if requested_build is not None:
        return call_first_way(cls, request, said, example, [requested_build])
    call_first_way(cls, request, said, example, ways_to_build(cls, said, Budget(TRIES), example.failure))
    failure = example.of_call if example.built else example.failure
    similar = [*lookalikes(cls, failure.messages), *family(cls)]
    if example.called is None and similar and (methods_of(cls) or example.built is None):
        ways = ways_to_build(cls, said, Budget(FURTHER), example.failure, similar)
        call_first_way(cls, request, said, example, ways)


def call_first_way(
    cls: Any, request: Request, said: Mapping[str, Source], example: Example, ways: Iterable[Built]
) -> None:
    """Find the first of these ways for which a call is found; the example holds it, or else the first ones."""
    is_full, of_calls, begins = False, Budget(TRIES + 200), Budget(STATES)

    def call(built: Built) -> Called | None:
        budget = Budget(tries := min(TRIES, of_calls.tries))
        called = call_for(cls, built, request, said, budget, example.of_call, begins)
        of_calls.tries -= tries - max(0, budget.tries)
        return called

    for built in ways:
        example.built = example.built or built
        made = built
        built, called = more_telling(cls, made, call(made), call)
        works = called is not None and called.is_full and called.is_meaningful
        if not is_full and (works or (example.called is None and called is not None)):
            example.take(made, built, called)
            is_full = works
        if not methods_of(cls) or of_calls.tries <= 0:
            return
        if works and (request["build"] or all_members_work(model_of(built, 0))):
            example.take(made, built, called)
            return


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
        return call_as_said(cls, subject, request)
    if wished:
        check_method(cls, wished, wished)
    if not (wished or methods_of(cls)):
        return None
    call = find_call(cls, subject, wished, said, budget, failure)
    is_settled = call is not None and call.is_full and not may_have_state(cls, call)
    if not (wished or built.has_state or is_settled):
        call = find_with_state(cls, subject, said, begins, failure) or call
    return with_static_arguments(call, subject) if call is not None else None


def methods_beside(
    cls: Any, built: Built, called: Called | None, said: Mapping[str, Source]
) -> Iterator[Called]:
    """The methods beside the call, each when it is found; none where a state goes through them."""
    if not built.has_state:
        calls = extra_methods(cls, Subject(instance_of(built.source), StateOf(built)), called, said)
        allowed = (accept_call(built, call) for call in calls)
        yield from filter(None, allowed)
        yield from argumentless_methods(built, called)


def with_distinct_names(
    cls: type, built: Built, called: Called | None, further: Sequence[Called]
) -> tuple[Built, Called | None, list[Called]]:
    """The same, where no two classes share a name in the test file, which imports the adopted one by its own."""
    parts = [built, *([called] if called is not None else []), *further]
    sources = [source for part in parts for source in part.arguments.values()]
    imports = [pair for source in (refer(cls), built.maker) for pair in source.imports]
    names = iter(distinct(sources, imports))
    renamed = [replace(part, arguments={name: next(names) for name in part.arguments}) for part in parts]
    calls = [part for part in renamed if isinstance(part, Called)]
    first = [part for part in renamed if isinstance(part, Built)]
    return first[0], calls[0] if called is not None else None, calls[called is not None :]


# -- as plain JSON -----------------------------------------------------------------------------------------------------


# -- what the laws find of it ------------------------------------------------------------------------------------------
