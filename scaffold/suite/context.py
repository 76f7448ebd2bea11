"""The generated test class: the declared leaves in plain sight, and how to build and call an instance."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any, cast

from scaffold.emit.constructor.checks import is_checked
from scaffold.emit.constructor.construct import copy_source
from scaffold.emit.constructor.given import takes_dtype
from scaffold.emit.docs import METHOD
from scaffold.emit.members.sharding import sharding_rows
from scaffold.kind import Context, kind_of
from scaffold.passes.compute import computes_in, uncast
from scaffold.passes.stacked.layers import stacked
from scaffold.passes.static_storage import stored_value
from scaffold.source.definitions import brings_no_fields, class_statement
from scaffold.source.expressions import dedented, nodes_of, parsed
from scaffold.source.instance import kept_arguments, last_name, made_attributes
from scaffold.source.text import docstring
from scaffold.spec.construction.cases import flags, key_arguments, passed_names
from scaffold.spec.fields.shared import shared_fields
from scaffold.spec.fields.training import undecayed
from scaffold.spec.grammar.types import (
    CallableType,
    ClassType,
    OpaqueType,
    Type,
    walk,
)
from scaffold.spec.model import Field, ModuleSpec
from scaffold.spec.rules.bases import MODULES, lineage
from scaffold.spec.skeletons.classes.inferred import constructor_of
from scaffold.spec.states import holds_state, is_stateful
from scaffold.suite.declarations.bounds import bounds
from scaffold.suite.declarations.calls import call_arguments, never_reads, unread_of_interface
from scaffold.suite.declarations.claims import claims, local, precisions, promises_one_dtype, targets
from scaffold.suite.declarations.defaults import declared_defaults
from scaffold.suite.declarations.guesses import guessed_methods
from scaffold.suite.declarations.leaves import leaf_rows
from scaffold.suite.declarations.methods import method_rows, unread_by_methods
from scaffold.suite.declarations.other import absent_inputs, counted_layers, left_out, other_inputs
from scaffold.suite.declarations.outputs import declared_outputs
from scaffold.suite.declarations.rejected import changed, rejected_inputs
from scaffold.suite.examples.declared import (
    conditional_fields,
    drawn_fields,
    kept_fields,
    tuple_fields,
    used_fields,
)
from scaffold.suite.examples.examples import constructor_name
from scaffold.suite.examples.mapped import batched, call_source
from scaffold.suite.examples.meshes import meshes_left_out
from scaffold.suite.examples.subject import Subject
from scaffold.suite.reads.inherited import concrete
from scaffold.suite.reads.read_elsewhere import ties_of_methods
from scaffold.suite.sizes.starred import example_sizes, starred_sizes
from scaffold.suite.sizes.unknown_dims import dims_of_records


def suite_context(subject: Subject) -> Context:
    """Return the values for `templates/tests`. Raises `ScaffoldError` if no example can be made."""
    spec = subject.spec
    # Advice is about contracts that a class may have on purpose, and one that stays as it is written is its author's.
    severity = spec.test.severity or ("fault" if spec.source else "")
    return {
        "name": spec.name,
        "is_abstract": False,
        "suite": "PytreeLaws",
        "suite_doc": docstring(f"The pytree laws on `{spec.name}`.", METHOD),
        "manifest": "leaves",
        "attributes": _helpers_beside(spec),
        "module_doc": docstring(f"Tests of `{spec.name}`.", ""),
        "takes_dtype": takes_dtype(spec),
        # What takes no dtype is made in one: that it computes in others is no promise of its.
        "one_dtype": not severity and promises_one_dtype(subject),
        "severity": severity,
        "is_lenient": not spec.test.strict,
        "skips": list(map(repr, spec.test.skip)),
        "members": [],
        "claims": claims(subject),
        "precisions": precisions(subject),
        **_construction(subject),
        **_declarations(subject),
        **example_call(subject),
    }


def _helpers_beside(spec: ModuleSpec) -> list[str]:
    """Return the attributes for `save`, copies of arrays, `remat` and weight decay."""
    asks_parts = any(field.role == "module" for field in spec.dynamic) and not spec.defines("decayed")
    return [
        *(["saves_whole = True"] if spec.save else []),
        # Who stores an array as it is given means to: nothing changes it in place but donation.
        *(["copies_arrays = False"] if _keeps_given(spec) else []),
        *(["remat = True"] if any(field.remat for field in spec.fields) else []),
        *(["decay_mask = staticmethod(decayed)"] if undecayed(spec) and asks_parts else []),
    ]


def _holds_more(subject: Subject) -> bool:
    """Whether a base of another library, or an attribute of an NNX module, may bring unknown fields."""
    every = (subject.spec, *lineage(subject.spec, subject.known))
    foreign = (base for spec in every for base in spec.bases if base.module and base not in MODULES)
    return _makes_unknown(subject.spec) or not all(
        brings_no_fields(base.name.partition("[")[0]) for base in foreign
    )


def _makes_unknown(spec: ModuleSpec) -> bool:
    """Whether an NNX module that stays as written assigns a call to an attribute of unknown type.

    A call such as `nnx.data` may make Variables.
    """
    if not (spec.source and kind_of(spec.kind).variables):
        return False
    unknown = {field.name for field in spec.static if isinstance(field.type, OpaqueType)}
    made = made_attributes(dedented(spec.making))
    return any(name in unknown and isinstance(value, ast.Call) for name, value in made)


def _keeps_given(spec: ModuleSpec) -> bool:
    """Whether the author's own constructor stores an argument unchanged, or through `asarray`."""
    if spec.source:  # of one that does more than assign, the laws take what it does for meant
        node = class_statement(spec.source, spec.name)
        return node is not None and constructor_of(node) is not None and bool(kept_fields(spec))
    own = spec.own_constructor
    arguments = {argument.name for argument in own.call.args} if own is not None else set[str]()
    kept = kept_arguments(spec.making, through=("asarray",)) if own is not None else ()
    return any(name in arguments for name, _ in kept)


def _construction(subject: Subject) -> Context:
    """Return how to build an instance: the constructor, its inputs, the states, and the classes needed."""
    return {
        "construct": constructor_name(subject.spec),
        "built": "",
        "is_stateful": is_stateful(subject.spec),
        "states": (holds_state(subject.spec) and subject.states) or [],
        "inputs": [*_starred(subject), *_inputs(subject)],
        "starred": starred_sizes(subject.spec),
        "test_classes": sorted(_classes(subject.spec, subject.known)),
    }


def with_state(maker: str) -> Context:
    """Return how to build an instance that takes a state.

    Without `make_with_state`, the indices of the state are marks of one trace.
    """
    return {"construct": f"eqx.nn.make_with_state({maker})", "built": "[0]"}


def _inputs(subject: Subject) -> Iterator[list[str]]:
    """Yield the inputs of the constructor.

    An object from a function, such as an optimiser, must be the same object as in `static`.
    """
    said = dict(subject.spec.test.values)
    held = _static(subject) if said and not _holds_more(subject) else []
    for name, source in subject.inputs.items():
        is_one = name in said and [name, source] in held and _is_made_by_function(source)
        yield [name, f'self.static["{name}"]' if is_one else source]


def _is_made_by_function(source: str) -> bool:
    """Whether a function makes a new object. An instance differs, since its class defines equality."""
    return any(last_name(call)[:1].islower() for call in nodes_of(ast.Call, parsed(source)))


def _starred(subject: Subject) -> list[list[str]]:
    name = starred_sizes(subject.spec)
    return [[name, example_sizes(subject.spec, name)]] if name else []


def _declarations(subject: Subject) -> Context:
    """Return what the suite checks of an instance."""
    is_declared = not _holds_more(subject)
    return {
        "is_declared": is_declared,
        "leaves": leaf_rows(subject) if is_declared else [],
        "static": _static(subject) if is_declared else [],
        "other": other_inputs(subject),
        "filters": [[method, repr(paths)] for method, paths in subject.facts.filters],
        "ties": [list(pair) for pair in subject.facts.ties],
        "rejected": rejected_inputs(subject),
        # Of a record that is given, a dim of the name of a setting stays as long as it is.
        "accepted": [
            *(changed((row,)) for row in bounds(subject.spec)[0] if row[0] not in _dims_given(subject)),
            *(changed((row,)) for row in meshes_left_out(subject.spec)),
        ],
        "declared": [list(row) for row in _declared(subject)],
    }


def _dims_given(subject: Subject) -> set[str]:
    kinds = (argument.type for argument in subject.spec.call_arguments)
    return set[str]().union(*(dims_of_records(kind, subject.known) for kind in kinds))


def example_call(subject: Subject) -> Context:
    """Return how an instance is called, and what the call returns."""
    arguments = ", ".join(call_arguments(subject))
    return {
        "is_called": subject.spec.call is not None,
        "ignores_key": _ignores_key(subject),
        "returns": _returns(subject),
        "carry": _carry(subject),
        "method_rows": method_rows(subject),
        "arguments": [
            subject.examples_of_calls.argument(
                argument.name, argument.type and batched(argument.type, subject.batch), index
            )
            for index, argument in enumerate(subject.passed)
        ],
        "call_targets": targets([local(argument) for argument in subject.passed]),
        "call_arguments": arguments,
        "called": call_source(
            subject.spec,
            subject.function,
            arguments,
            {local(argument): argument.type for argument in subject.passed},
        ),
    }


def _declared(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield the attributes of the test class that list fields or arguments, each with its source."""
    spec, paths = subject.spec, subject.facts.paths
    plain = not kind_of(spec.kind).variables
    rows = {
        "drawn": [paths[name] for name in drawn_fields(spec)],
        "kept": kept_fields(spec),
        "tuples": [paths[name] for name in tuple_fields(spec)] if plain else [],
        "used": [paths[name] for name in used_fields(spec)],
        "conditional": [paths[name] for name in conditional_fields(spec)],
        "ignored": ignored_arguments(spec),
        "stacked": [paths[field.name] for field in stacked(spec)],
        "uncast": [paths[name] for name in uncast(spec)],
        "undecayed": [paths[name] for name in undecayed(spec)],
        "guessed": [*guessed_methods(spec, subject.known)],
    }
    yield from ((name, repr(tuple(fields))) for name, fields in rows.items() if fields)
    if computes_in(spec):
        yield "compute", repr(computes_in(spec))
    if defaults := declared_defaults(subject):
        yield "defaults: ClassVar", repr(defaults)
    yield from sharding_rows(spec)
    for name, paths_by_input in (("left_out", left_out(subject)), ("layers", counted_layers(subject))):
        if paths_by_input:
            yield f"{name}: ClassVar", repr(paths_by_input)
    absent = absent_inputs(spec)
    if absent:
        yield "absent", f"({', '.join(absent)},)"


def _static(subject: Subject) -> list[list[str]]:
    """Return what each static field must hold, or `...` if the example does not say so."""
    rows: list[list[str]] = []
    for field in (field for field in subject.spec.static if not field.is_leaf):
        source = subject.inputs.get(field.name, field.default) if is_checked(field) else None
        if field.given and field.converter is None and field.preprocess is None and source is not None:
            rows.append([field.name, _as_stored(field.type, source)])
        elif not subject.is_absent(field):
            rows.append([field.name, "..."])
    if kind_of(subject.spec.kind).variables:  # a function in the place of a module is an attribute
        rows += [[field.name, "..."] for field in subject.spec.stored if _is_function(field)]
    presets = [field for field in subject.spec.fields if subject.is_kept_apart(field)]
    rows += [[f"{preset.name}_preset", f"({_pairs(preset.preset)})"] for preset in presets]
    return rows


def _is_function(field: Field) -> bool:
    return field.role == "module" and isinstance(field.type, CallableType)


def _pairs(preset: tuple[tuple[str, str], ...]) -> str:
    return " ".join(f"({name!r}, {source})," for name, source in preset)


def _as_stored(kind: Type, source: str) -> str:
    """Return what a field holds for the argument `source`: tuples for lists, sorted pairs for dicts."""
    try:
        value = ast.literal_eval(source)
    except ValueError:
        return copy_source(kind, source, static=True)
    stored = stored_value(kind, value)
    return source if repr(stored) == repr(value) else _shown(stored)


def _shown(value: Any) -> str:
    """Write a value as source, in the same order in each run."""
    if isinstance(value, frozenset):
        return f"frozenset(({', '.join(sorted(map(_shown, cast('frozenset[Any]', value))))},))"
    return repr(value)


def _ignores_key(subject: Subject) -> bool:
    """Whether the call takes keys and never draws from them, as the spec says or the body shows."""
    keys = [argument.name for argument in key_arguments(subject.spec.call)]
    unused = subject.spec.test.unused
    return bool(keys) and all(name in unused or never_reads(subject.spec, name) for name in keys)


def ignored_arguments(spec: ModuleSpec) -> list[str]:
    """Return unused arrays, flags, ties and settings, as the spec says or the code shows."""
    keys = [argument.name for argument in key_arguments(spec.call)]
    ties = (field.name for field in shared_fields(spec))
    settings = (field.name for field in spec.stored if field.role == "static")
    names = dict.fromkeys((*passed_names(spec), *flags(spec), *ties, *settings))
    unread = {*spec.test.unused, *unread_of_interface(spec), *ties_of_methods(spec)}
    unused = [name for name in names if name in unread and name not in keys]
    return [*unused, *unread_by_methods(spec)]


def _returns(subject: Subject) -> list[str]:
    call = subject.spec.call
    kinds = tuple(batched(kind, subject.batch) for kind in (call.returns if call else ()))
    if call is None or subject.spec.own_constructor is not None:
        return []  # which decides the sizes
    return declared_outputs(subject, call, kinds, subject.state_types)


def _carry(subject: Subject) -> str:
    names, call = [argument.name for argument in subject.passed], subject.spec.call
    return str(names.index(call.carry)) if call and call.carry in names else ""


def _built(name: str, known: Mapping[str, ModuleSpec]) -> str:
    """Return the name of the concrete class that an example builds for the class of a field."""
    made = concrete(known[name], known) if name in known else None
    return name if made is None else made.name


def _classes(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> set[str]:
    """Return the names of generated classes that the example builds, at any depth."""
    parts = [part for field in spec.stored if field.given for part in walk(field.type)]
    named = [part.name for part in parts if isinstance(part, ClassType) and part.module is None]
    class_names = {_built(name, known) for name in named}
    inner = (_classes(known[name], known) for name in class_names if name in known)
    return class_names.union(*inner)
