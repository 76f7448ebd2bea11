"""The whole suite of a class: common values, values of its kind, and the law suites to inherit."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from scaffold.kind import Context, kind_of
from scaffold.spec.fields.shared import shared_fields
from scaffold.spec.model import Method, ModuleSpec
from scaffold.spec.states import holds_state, is_stateful
from scaffold.suite.cases import case_contexts, widened
from scaffold.suite.context import suite_context, with_state
from scaffold.suite.declarations.methods import with_method_as_call
from scaffold.suite.examples.subject import Subject
from scaffold.suite.examples.untried import as_tried, with_values_of, without_untried
from scaffold.suite.factories import factory_of, with_factory
from scaffold.suite.reads.inherited import with_inherited, with_types_of_bases
from scaffold.suite.reads.read_elsewhere import with_read_elsewhere
from scaffold.suite.untested import why_untested


def emitted_suite(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Context:
    """Return the values for `templates/tests` of a class."""
    if why_untested(spec, known):
        return {"is_tested": False, "test_classes": []}
    if not kind_of(spec.kind).has_instances:
        context = kind_of(spec.kind).tests(spec, known)
        suite = _suites(_further_laws(spec), context.get("suite", ""))
        return {"is_tested": True, **context, "cases": [], "suite": suite}
    context = _context(spec, known)
    further = _further_laws(spec, is_called=context["is_called"])
    cases = case_contexts(spec, context, lambda changed: _context(changed, known))
    return {
        **context,
        **widened(cases, context),
        "cases": cases,
        "is_tested": True,
        "suite": _suites(further, context["suite"]),
    }


def _context(spec: ModuleSpec, known: Mapping[str, ModuleSpec]) -> Context:
    """Return the common values, overridden by the values of the kind."""
    kind = kind_of(spec.kind)
    takes_state = kind.keeps_state and is_stateful(spec)
    spec = with_read_elsewhere(spec, known)
    spec = as_tried(with_types_of_bases(spec, known), known)
    spec = with_values_of(spec, Method("__call__", spec.call)) if spec.call is not None else spec
    whole = kind.examined(without_untried(with_inherited(spec, known), known), known)
    whole = with_factory(whole, known)
    subject = with_method_as_call(Subject(whole, known))
    narrowed = replace(spec, call=subject.spec.call) if subject.method else spec
    context = {**suite_context(subject), **kind.tests(narrowed, known), **factory_of(whole, known)}
    # Also where the call that takes it is not tried.
    return {**context, **with_state(context["construct"])} if takes_state else context


def _further_laws(spec: ModuleSpec, *, is_called: bool = True) -> tuple[str, ...]:
    """Return the laws that fields need besides the laws of the kind.

    Without a call to try, there is nothing to say of a state.
    """
    # Flax shares by reference, and an abstract class holds nothing.
    kind = kind_of(spec.kind)
    shares = bool(shared_fields(spec)) and kind.has_instances and not kind.variables
    return (
        *(("state",) if holds_state(spec) and (is_called or spec.bases) else ()),
        *(("shared",) if shares else ()),
    )


def _suites(further: Iterable[str], usual: str) -> str:
    """Return the names of the law suites that the test class inherits."""
    named = [f"{name.capitalize()}Laws" for name in further]
    return ", ".join([*(() if named and usual == "PytreeLaws" else (usual,)), *named])
