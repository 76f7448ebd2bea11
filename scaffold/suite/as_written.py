"""The suite of a class that is emitted word for word, with all that laws find from an instance."""

from collections.abc import Mapping
from typing import Any

from scaffold.errors import ScaffoldError
from scaffold.kind import kind_of
from scaffold.source.text import docstring
from scaffold.spec.construction.constructor import parameters
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.states import is_stateful
from scaffold.suite.context import example_call
from scaffold.suite.declarations.guesses import guessed_methods
from scaffold.suite.examples.subject import Subject
from scaffold.suite.examples.untried import as_tried, with_values_of
from scaffold.suite.factories import built_by, factories_of_sizes, factory_builds
from scaffold.suite.reads.inherited import has_known_constructor

_SUITES = {"nnx": ("NnxLaws", "variables"), "pytree": ("PytreeLaws", "leaves")}


def suite_of(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
    """Return the values for `templates/adopt`."""
    suite, manifest = _SUITES[str(dict(spec.options).get("laws", "pytree"))]
    build = build_of(spec, known)
    called = as_tried(spec, known)
    tries_state = is_stateful(called)
    return {
        "name": spec.name,
        "module_doc": docstring(f"Tests of `{spec.name}`.", ""),
        "suite": "StateLaws" if tries_state else suite,
        "manifest": manifest,
        "leaves": [f'Leaf("{field.name}", "{field.role}")' for field in spec.dynamic]
        if manifest == "leaves"
        else [],
        "static": [],
        "updates": [],
        # Advice is about contracts that a class may have on purpose, and this one is its author's, word for word.
        "severity": spec.test.severity or "fault",
        "sharding": "",
        "skips": [[repr(part).replace("'", '"'), "as the spec says"] for part in spec.test.skip],
        "test_helpers": [],
        "test_classes": [],
        "inputs": [["seed", "seed"]] if build else [list(pair) for pair in inputs_of(spec, known)],
        "needs_seed": bool(build),
        "built": spec.name,
        "construct": _built(spec, build, "inputs") + "[0]" * is_stateful(spec),
        "state": _built(spec, build, "self.inputs(seed)") + "[1]" if tries_state else "",
        **_call(called, known),
        "guessed": guessed_methods(called, known, "" if spec.test.build else _maker(build)),
    }


def _maker(build: str) -> str:
    """Return the name of the method that an expression such as `GMM.init(k=3)` calls first."""
    return build.partition("(")[0].rpartition(".")[2]


def _built(spec: ModuleSpec, build: str, inputs: str) -> str:
    """Return source that builds an instance, or for a stateful class the instance with its state."""
    if not is_stateful(spec):
        return build or f"{spec.name}(**{inputs})"
    made = f"lambda: {build}" if build else spec.name
    return f"eqx.nn.make_with_state({made})({'' if build else f'**{inputs}'})"


def with_builds(known: Mapping[str, ModuleSpec]) -> dict[str, ModuleSpec]:
    """Set `test.build` of each class that is emitted word for word, for examples that hold an instance."""
    carried = {
        name: spec for name, spec in known.items() if kind_of(spec.kind).is_carried and has_leaves(spec)
    }
    builds = {name: build_of(spec, known) for name, spec in carried.items() if not spec.test.build}
    return {name: built_by(builds.get(name, ""), spec) for name, spec in known.items()}


def has_leaves(spec: ModuleSpec) -> bool:
    """Whether jax knows leaves of a class that is emitted word for word."""
    return dict(spec.options).get("laws") != "none"


def build_of(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> str:
    """Return the expression that builds an instance, or an empty text if named arguments do.

    The spec says it, or a class method that takes sizes alone. The latter is for arguments that are missing
    or guessed.
    """
    if spec.test.build:
        return spec.test.build
    methods = spec.methods
    try:
        inputs_of(spec, known)
    except ScaffoldError:
        pass
    else:
        if knows_arguments(spec, known):  # a guess is needless where a factory takes sizes
            methods = factories_of_sizes(spec, known)
    return next(factory_builds(methods, spec, known), "")


def knows_arguments(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> bool:
    """Whether the class statement, a base of the file, or an example says how to build an instance."""
    return bool(said_values(spec)) or has_known_constructor(spec, known)


def said_values(spec: ModuleSpec) -> tuple[tuple[str, str], ...]:
    """Return the example values that are for the constructor."""
    called = {
        argument.name
        for _, method in spec.functions
        if method.name != "__init__"
        for argument in method.call.args
    }
    parameters_named = {parameter.name for parameter in parameters(spec)}
    values = ((name, text) for name, text in spec.test.values if "." not in name)
    return tuple((name, text) for name, text in values if name in parameters_named or name not in called)


def inputs_of(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> tuple[tuple[str, str], ...]:
    """Return the constructor's arguments as source. Raises `ScaffoldError` if an example is missing."""
    if spec.test.build:
        return ()
    inputs = Subject(spec, known).examples.inputs() if has_known_constructor(spec, known) else ()
    return tuple({**dict(inputs), **dict(said_values(spec))}.items())


def _call(called: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
    if called.call is not None:
        called = with_values_of(called, Method("__call__", called.call))
    context = example_call(Subject(called, known))
    return {
        "is_called": context["is_called"],
        "arguments": context["arguments"],
        "targets": context["call_targets"],
        "call": context["called"],
        "ignores_key": context["ignores_key"],
        "returns": [],
        "methods": context["method_rows"],
    }
