"""Kind `train-state`: a model, its optimiser's state and a step counter, built from the finished model."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from scaffold.emit.annotations import Scope
from scaffold.emit.as_spelled import documented
from scaffold.emit.constructor.checks import check_statements
from scaffold.emit.constructor.construct import constructor
from scaffold.emit.docs import BODY, METHOD, constructor_doc
from scaffold.emit.members.members import call_context, properties
from scaffold.emit.members.saving import save_context
from scaffold.errors import Fault
from scaffold.kind import Kind
from scaffold.kinds.module import field_lines
from scaffold.source.expressions import free_names, local_values, nodes_of, parsed
from scaffold.source.instance import calls
from scaffold.source.text import block, docstring
from scaffold.spec.construction.constructor import converter_expression, parameters
from scaffold.spec.grammar.types import ArrayType, ClassType, ScalarType
from scaffold.spec.model import Argument, Field, ModuleSpec
from scaffold.spec.states import is_stateful
from scaffold.spec.tables.key import Key
from scaffold.spec.test_plan import TestPlan
from scaffold.suite.context import suite_context
from scaffold.suite.examples.examples import Examples, constructor_name
from scaffold.suite.examples.subject import Subject

OPTIONS = {
    "ema": Key("Decay of an average of the trained weights, from 0 and below 1, such as 0.999.", "number"),
    "key": Key("Whether it holds a PRNG key, of which each step has its own.", "boolean"),
    "state": Key("Whether it holds the `equinox.nn.State` of the model.", "boolean"),
}
IMPORTS = {
    "optax": "import optax  # type: ignore[import-untyped]",
    "TrainStateLaws": "from pytree_laws.train_state import TrainStateLaws",
}
# With the name of its module before it, a class needs no import of its own.
OPTIMISER = ClassType("optax.GradientTransformation", "optax")
OPTIMISER_STATE = ClassType("optax.OptState", "optax")
STATE = ClassType("State", "equinox.nn")
FIELDS = ("opt_state", "step", "key", "state", "ema", "ema_decay")
ARGUMENTS = ("optimiser", "gradients", "extra_args")


def _model(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec | None:
    """Return the spec of the model if it is a known generated class."""
    model = spec.field("model")
    kind = model.type if model is not None else None
    return known.get(kind.name) if isinstance(kind, ClassType) and kind.module is None else None


def _kept(field: Field) -> Field:
    """Take an author's field out of training, and copy parts that are given, like the model."""
    if field.role == "module" and field.given:
        return replace(field, converter=f"=_copied({converter_expression(field) or field.name})")
    return replace(field, role="data") if field.role == "param" else field


def _documented(field: Field) -> Field:
    return replace(field, doc=field.doc or "The finished model; copied") if field.name == "model" else field


def _own_fields(spec: ModuleSpec) -> Iterator[Field]:
    wanted = dict(spec.options)
    init = "=_copied(optimiser.init(eqx.filter(model, _trained(model))))"
    yield Field("opt_state", OPTIMISER_STATE, "module", init=init)
    yield Field("step", ArrayType("i32", ()), "buffer", init="zeros")
    if wanted.get("key"):
        doc = "A PRNG key, from which `step_key` makes one for each step"
        yield Field("key", ArrayType("key", ()), "buffer", doc=doc)
    if wanted.get("state"):
        doc = "The state that `eqx.nn.make_with_state` made with the model"
        yield Field("state", STATE, "module", converter="=_copied(state)", doc=doc)
    if "ema" in wanted:
        yield Field(
            "ema",
            ClassType("PyTree", "jaxtyping"),
            "module",
            init="=_widened(eqx.filter(model, _trained(model)))",
        )
        doc = "Share of the average that a step keeps"
        check = "0.0 <= ema_decay < 1.0"
        yield Field(
            "ema_decay",
            ScalarType("float"),
            "static",
            default=repr(float(wanted["ema"])),
            check=check,
            doc=doc,
        )


def _arguments(spec: ModuleSpec, optimiser: Argument) -> tuple[Argument, ...]:
    """Order the arguments: model, optimiser and state by position, and all others by keyword."""
    leading = ("model", "optimiser", "state")
    named = {argument.name: argument for argument in spec.arguments if not argument.is_marker}
    own_arguments = {
        "optimiser": optimiser,
        **{parameter.name: Argument(parameter.name) for parameter in parameters(replace(spec, arguments=()))},
    }
    every = {**own_arguments, **named}
    first = [every[name] for name in leading if name in every]
    rest = [argument for name, argument in every.items() if name not in leading]
    return (*first, *([Argument("*"), *rest] if rest else []))


def _doc(names: set[str]) -> str:
    parts = ["the state of its optimiser"]
    parts += ["a PRNG key"] if "key" in names else []
    parts += ["its own state"] if "state" in names else []
    parts += ["an average of its weights"] if "ema" in names else []
    return f"A model with {', '.join(parts)}, and the number of steps taken."


def _optimiser_named(spec: ModuleSpec) -> str:
    """Return the source of the file's optimiser with which methods call `apply_gradients`, or an empty
    text."""
    made = dict(local_values(spec.helpers)) if spec.helpers else {}
    trees = (parsed(method.call.text) for _, method in spec.functions if method.is_function)
    steps = (call for call in nodes_of(ast.Call, *trees) if calls(call, "apply_gradients"))
    names = (argument.id for call in steps for argument in call.args[1:2] if isinstance(argument, ast.Name))
    sources = (ast.unparse(made[name]) for name in names if name in made)
    return next((source for source in sources if free_names(source, expression=True) == ("optax",)), "")


def _test_plan(spec: ModuleSpec) -> TestPlan:
    """Add an optimiser to the example, and another optimiser for a different treedef.

    The example uses SGD, because an eager step compiles each operation and Adam has three times as many. The
    laws of training run the others.
    """
    plan = spec.test
    named = _optimiser_named(spec)
    values = {"optimiser": named or "optax.sgd(0.01, momentum=0.9)", **dict(plan.values)}
    other = plan.other or ((("optimiser", "optax.adamw(0.01)"),) if not named else ())
    invalid = ((("ema_decay", "1.0"),),) if "ema" in dict(spec.options) else ()
    return replace(plan, values=tuple(values.items()), other=other, rejected=(*plan.rejected, *invalid))


def _members(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[str]:
    """Yield the methods `examples` and `predict` if the model is a generated class that takes arrays."""
    of_model = _model(spec, known)
    if of_model is None or of_model.call is None or dict(spec.options).get("state"):
        return
    sizes = Examples.of(spec, known).sizes_of(of_model)  # with which the tests build the model
    sized = replace(of_model, test=replace(of_model.test, sizes=tuple(sizes.items())))
    called = suite_context(Subject(sized, known))
    if called["arguments"]:
        yield f"def examples(self, seed: int) -> tuple[Any, ...]:\n    return ({', '.join(called['arguments'])},)"
        targets = f"{called['call_targets']} = examples"
        yield f"def predict(self, model: Any, *examples: Any) -> Any:\n    {targets}\n    return model({called['call_arguments']})"


class TrainStateKind(Kind):
    """Kind `train-state`."""

    summary = (
        "an equinox.Module of a model, its optimiser's state and a step counter: create, apply_gradients"
    )
    members = ("apply_gradients", "averaged", "step_key")
    reads: ClassVar[Mapping[str, tuple[str, ...]]] = {"averaged": ("ema",), "step_key": ("step",)}
    reserved = (*FIELDS, *ARGUMENTS)
    constructors = ("factory",)
    lacks = ("call", "groups")
    given_arrays = "data"
    options: ClassVar[Mapping[str, Key]] = OPTIONS
    imports: ClassVar[Mapping[str, str]] = IMPORTS
    laws = ("train_state",)
    laws_call = True

    def context(self, spec: ModuleSpec) -> dict[str, Any]:
        """Return the context of `templates/train-state`."""
        built = constructor(spec)
        checks = check_statements(spec)
        names = {field.name for field in spec.fields}
        model = next(field for field in spec.fields if field.name == "model")
        return {
            "name": spec.name,
            "doc": documented(spec, ("doc",), spec.doc, METHOD),
            "fields": field_lines(spec),
            "constructor_signature": f"cls, {built.signature}",
            "constructor_doc": constructor_doc(spec),
            "statements": [block(statement, BODY) for statement in built.statements],
            "values": [list(pair) for pair in built.values],
            "has_checks": bool(checks),
            "checks": [block(check, BODY) for check in checks],
            "properties": [list(member) for member in properties(spec)],
            "model_type": Scope.of(spec).stored(model.type),
            "has_key": "key" in names,
            "has_state": "state" in names,
            "has_ema": "ema" in names,
            **call_context(spec),
            **save_context(spec),
        }

    def faults(self, spec: ModuleSpec) -> Iterator[Fault]:
        """Find a missing model, and a decay outside of `0 <= ema < 1`."""
        model = spec.field("model")
        if model is None or model.role != "module":
            fix = 'write `model = "Affine"`, or `model = "package.module:Class"`'
            yield Fault("fields.model", "a train state has a model, of a class", fix)
        decay = dict(spec.options).get("ema", 0.0)
        if isinstance(decay, int | float) and not 0 <= decay < 1:
            fix = "write a decay such as 0.999; an average of n steps has 1 - 1/n"
            yield Fault("options.ema", f"`{decay}` is no decay: from 0, and below 1", fix)

    def complete(self, spec: ModuleSpec) -> ModuleSpec:
        """Add the optimiser's state, the counter, and the fields that `[options]` requests."""
        own_fields = tuple(_own_fields(spec))
        names = {field.name for field in own_fields}
        fields = [_documented(_kept(field)) for field in spec.fields]
        position = [field.name for field in fields].index("model") + 1
        whole = replace(spec, fields=(*fields[:position], *own_fields, *fields[position:]))
        optimiser = Argument(
            "optimiser", OPTIMISER, doc="an optax optimiser; not stored, so that its settings are no leaves"
        )
        whole = replace(whole, arguments=_arguments(whole, optimiser), doc=spec.doc or _doc(names))
        return replace(whole, test=_test_plan(spec))

    def faults_beside(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Iterator[Fault]:
        """Yield a fault if only the model or only the train state has `equinox.nn.State`."""
        model = _model(spec, known)
        holds = bool(dict(spec.options).get("state"))
        if model is not None and holds != is_stateful(model):
            message = (
                f"`{model.name}` has {'no state' if holds else 'state, which the train state must hold'}"
            )
            fix = "remove it" if holds else "write `[options]` and `state = true`"
            yield Fault("options.state", message, fix)

    def examined(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> ModuleSpec:
        """Build a stateful generated model together with its state in the tests."""
        model, test_values = _model(spec, known), dict(spec.test.values)
        if model is None or not is_stateful(model) or {"model", "state"} & test_values.keys():
            return spec
        inputs = ", ".join(f"{name}={value}" for name, value in Examples.of(model, known).inputs())
        built = f"eqx.nn.make_with_state({constructor_name(model)})({inputs})"
        values = {"model": f"{built}[0]", "state": f"{built}[1]", **test_values}
        return replace(spec, test=replace(spec.test, values=tuple(values.items())))

    def tests(self, spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> dict[str, Any]:
        """Return the suite with the laws of training, and the example call of the model."""
        doc = f"The pytree laws on `{spec.name}`, and the laws of training."
        return {
            "suite": "TrainStateLaws",
            "suite_doc": docstring(doc, METHOD),
            "members": [block(member, METHOD) for member in _members(spec, known)],
        }


KIND = TrainStateKind()
