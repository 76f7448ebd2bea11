"""Search for how a class is built and called, and for the declarations of its suite."""

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
OTHERS = 200
"""Tries for a call of an instance that is not the first, so that two others have a turn."""
SEARCHES = 0.75
"""Share of the time for the search. The rest is for the description of its results."""
LEAST_SECONDS = 5.0
"""Minimum seconds for the description, since code that hears no signal may prolong the search."""
STATES = 80
"""Tries for the arguments of methods that return or take a state."""


@dataclass
class Example:
    """Results of the search so far: how a class is built and called, its other methods, and failures."""

    built: Built | None = None
    called: Called | None = None
    methods: list[Called] = field(default_factory=list[Called])
    failure: Failure = field(default_factory=Failure)
    of_call: Failure = field(default_factory=Failure)
    unfinished: str = ""
    """Reason why the search ended early."""
    maker: Built | None = None
    """Class method that makes a blank instance, in whose place the constructor is used."""

    def take(self, made: Built, built: Built, called: Called | None) -> None:
        """Keep a way to build the class. `made` is the same, or the blank instance that `built` replaces."""
        self.built, self.called, self.maker = built, called, made if made != built else None


def adopt(request: Request) -> dict[str, Any]:
    """Find an example of a class, and describe it as plain JSON for a test file."""
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
    """Explain a syntax error, which is in an option or in an imported module with newer syntax."""
    line = (error.text or "").strip()
    if error.filename and Path(error.filename).is_file():
        version = "{}.{}".format(*sys.version_info)
        place = f"{Path(error.filename).name}:{error.lineno}"
        return f"{place} is no Python {version}, which this interpreter reads: {error.msg}: {line}"
    return f"what is said of it is no Python: {error.msg}: {line}"


def not_built(why: str, unknown: Sequence[str] = ()) -> dict[str, Any]:
    """Return the answer for a class that nothing built."""
    return {"built": False, "why": why, "unknown": list(unknown)}


def transformation_of(cls: Any, request: Request, failure: Failure) -> dict[str, Any]:
    """Return the answer for a function that makes an optax transformation."""
    text = request["build"]
    source = as_said(text, cls.__module__, request.get("imports", ())) if text else None
    return describe_transformation(cls, source, values_said(cls, request), failure)


def values_said(cls: Any, request: Request) -> dict[str, Source]:
    """Return the values that the user gives for arguments, by name."""
    imports = request.get("imports", ())
    return {name: as_said(text, cls.__module__, imports) for name, text in request["said"].items()}


def search_example(cls: Any, request: Request, example: Example) -> None:
    """Find how a class is built and called. At any time `example` holds the results so far."""
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
        example.methods.append(method)  # in place, to keep the methods found before the time is up
    if example.called is not None and not request["call"]:
        example.called, example.methods = telling_call(example.built, example.called, example.methods)
    other = validate_methods(example.built, example.called, example.methods)
    if other != example.built and not request["call"]:
        example.built, example.called = validate_example(cls, other, example.called, said)
    if example.maker is not None:
        example.methods += as_method(cls, example.maker)


def describe_example(cls: Any, built: Built, example: Example, seconds: float) -> dict[str, Any]:
    """Describe an example as plain JSON, with declarations that the laws infer within `seconds`."""
    of_call, methods = example.of_call, methods_of(cls)
    if example.called is None and only_holds(built, of_call, methods):
        methods = []
    if example.called is None and of_call.is_of_subclasses and "NotImplementedError" in of_call.first:
        return {"built": False, "abstract": f"it leaves its call to subclasses: {of_call.first}"}
    built, called, extra = with_distinct_names(cls, built, example.called, example.methods)
    description = {"built": True, "kind": kind_of(cls).name, "methods": methods, **build_to_json(built)}
    description["unfinished"] = example.unfinished
    description |= {**call_to_json(called), **methods_to_json(extra), **UNDECLARED}
    if not arrays_of(model_of(built, 0)):  # outputs need not depend on parameters if there are none
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
    """Whether a class only holds values for other code.

    Either all its methods return parts, or the class has no arrays and no method raised.
    """
    is_bare = not of_call.first and not arrays_of(model_of(built, 0))
    return is_bare or {*methods} <= {*of_call.parts}


def why_no_call(built: Built, called: Called, failure: Failure) -> str:
    """Return the reason why the only call that runs does not count.

    The call of the instance itself raised, or this call takes no state, or it computes nothing.
    """
    if failure.first and methods_of(type(model_of(built, 0)))[:1] == [""] and called.method:
        return failure.first
    if built.has_state:
        return failure.first or f"no meaningful call: `{called.method}` takes no state"
    return f"no meaningful call: `{called.method}` takes no arrays, and only gives a part or a copy"


def built_and_called(cls: Any, request: Request, said: Mapping[str, Source], example: Example) -> None:
    """Find the first way to build the class with a call that depends on everything, or else the first way.

    An instance whose members raise has wrong sizes, and is taken only if there is no other.
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
    """Keep in `example` the first way with a call that depends on everything, or else the first way."""
    is_full, of_calls, begins = False, Budget(TRIES + OTHERS + FURTHER), Budget(STATES)

    def call(built: Built) -> Called | None:
        most = TRIES if built == example.built else OTHERS
        budget = Budget(tries := min(most, of_calls.tries))
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
    """Yield each method beside the call when it is found, or none if there is a state."""
    if not built.has_state:
        calls = extra_methods(cls, Subject(instance_of(built.source), StateOf(built)), called, said)
        allowed = (accept_call(built, call) for call in calls)
        yield from filter(None, allowed)
        yield from argumentless_methods(built, called)


def with_distinct_names(
    cls: type, built: Built, called: Called | None, further: Sequence[Called]
) -> tuple[Built, Called | None, list[Called]]:
    """Rename classes in the arguments, so that no two share a name in the test file."""
    parts = [built, *([called] if called is not None else []), *further]
    sources = [source for part in parts for source in part.arguments.values()]
    imports = [pair for source in (refer(cls), built.maker) for pair in source.imports]
    names = iter(distinct(sources, imports))
    renamed = [replace(part, arguments={name: next(names) for name in part.arguments}) for part in parts]
    calls = [part for part in renamed if isinstance(part, Called)]
    first = [part for part in renamed if isinstance(part, Built)]
    return first[0], calls[0] if called is not None else None, calls[called is not None :]
