"""Declarations of suites of NNX modules, and their use of the module's own helpers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from flax import nnx

from ...discover.inference import check_declared
from ...engine.applicability import need, not_applicable
from ...inspect.arrays import host, is_array, is_key, same_bits
from ...inspect.files import has_files
from ...inspect.trees import attributes, given_arrays, is_under
from ...report import ADVICE, check, doing
from ...session import once_per_session
from ..mutable import MutableSuite
from ..slopes import shows
from ..suite import takes_a_seed
from .inference import inferred_updates, inferred_variables, render_variables
from .texts import RENAMED_TESTS, WORDING
from .variables import Var, is_of_nnx, is_variable, variables_of

TABLE = "a Variable that is not trained, `class Table(nnx.Variable): ...` and `Table(array)`: of a module that `nnx.jit` builds, a plain array is a tracer that is lost"


class VariableSuite(MutableSuite):
    """A suite that declares Variables, and uses the module's own helpers."""

    variables: ClassVar[Sequence[Var] | None] = None  # None: those of a module

    wording = WORDING
    renamed_tests = RENAMED_TESTS
    severity_of_unhashable = ADVICE
    """Advice, since `nnx.jit` compares graph definitions and needs no hash."""

    def inputs(self, seed: int) -> dict[str, Any]:
        return {"seed": seed} if takes_a_seed(type(self).build) else {"rngs": nnx.Rngs(seed)}

    def is_updated_by_use(self, value: Any) -> bool:
        # Settings may have streams of keys among them.
        return is_of_nnx(value) or any(map(is_of_nnx, attributes(value).values()))

    def manifest(self) -> Sequence[Var]:
        """Return the Variables as declared, or as inferred from modules."""
        return inferred_variables(self) if self.variables is None else self.variables

    def declares_arrays(self) -> bool:
        return self.variables is not None

    def written_manifest(self) -> str:
        variables = self.variables or ()
        return render_variables(inferred_variables(self), variables, inferred_updates(self))

    def check_kind(self, path: str, part: Any, declared: Var | None) -> None:
        kind = type(part).__name__
        severity = "" if is_variable(part) else self.severity_of_hidden(part)
        hint = TABLE if severity == ADVICE else ""
        check(is_variable(part), path, f"a plain {kind}, in no Variable", hint, severity=severity)
        if declared is not None and declared.type is not nnx.Module:
            message = f"it is a {kind}, declared is {declared.word}"
            check_declared(self, type(part) is declared.type, path, message)
            is_trained = declared.flows and issubclass(declared.type, nnx.Param)
            message = f"{declared.word} is an `nnx.Param`, which an optimiser moves, and it is declared as no parameter"
            hint = f"`class {declared.word}(nnx.Variable)`, or `flows=True` left out of its `Var`"
            check(not is_trained, path, message, hint)

    def severity_of_hidden(self, array: Any) -> str:
        """Return the severity of an array outside of any Variable.

        An array that the constructor is given, or a table that it computes, is advice. A drawn array is
        state, and a fault.
        """
        if not is_array(array):
            return super().severity_of_hidden(array)
        input_arrays = (value for _, value in given_arrays(self.plain_inputs(0)))
        is_kept = any(same_bits(array, value) for value in input_arrays) or self.is_table(array)
        return ADVICE if is_kept else super().severity_of_hidden(array)

    def is_table(self, array: Any) -> bool:
        """Whether two modules hold the same array, whose elements differ.

        An array to be trained is drawn, or begins with equal elements.
        """
        others = [value for value in self.named(self.cached_instance(1)).values() if is_array(value)]
        is_computed = any(same_bits(array, other) for other in others)
        return is_computed and not is_key(array) and len(np.unique(host(array))) > 1

    def may_be_absent(self, declared: Var) -> bool:
        variables = variables_of(self.cached_instance())
        is_empty = declared.is_tree and not any(is_under(path, declared.path) for path in variables)
        # A number in its place is there, and no transform sees that it changes.
        held = attributes(self.cached_instance()).get(declared.path)
        is_number = type(held) in (int, float, complex)
        return (is_empty and not is_number) or super().may_be_absent(declared)

    def is_flowing(self, path: str, variable: Any) -> bool:
        """Whether gradients flow through a Variable."""
        declared = self.declared(path)
        return isinstance(variable, nnx.Param) or (declared is not None and declared.flows)

    def asks_gradient(self, path: str) -> bool:
        # The type says what is trained: Params alone.
        return self.role(path) != "data"

    def seems_to_flow(self, path: str) -> bool:
        """Whether the call has a gradient by an undeclared Variable."""
        return self.called() and shows(self, path)

    def updated(self) -> Sequence[str]:
        is_inferred = self.variables is None and not self.updates
        return inferred_updates(self) if is_inferred else self.updates

    def declared_name(self, path: str) -> str:
        return path.removesuffix(".value")  # of the Variable

    def may_update(self, path: str, part: Any) -> bool:
        """Whether a call may update the Variable. Sub-modules decide for themselves."""
        return path in self.updated() or (self.role(path) == "module" and not isinstance(part, nnx.Param))

    def decides_itself(self, path: str, part: Any) -> bool:
        is_inner = self.role(path) == "module" and not isinstance(part, nnx.Param)
        return is_inner or isinstance(part, nnx.RngState)

    @once_per_session
    def handed_on(self) -> frozenset[str]:
        every = self.parts_of(self.cached_instance()).items()
        kept = {path: part for path, part in every if self.may_update(path, part)}
        flowing = {n for n, part in kept.items() if self.role(n) == "module" or self.is_flowing(n, part)}
        return frozenset(path for path in flowing if not isinstance(kept[path], nnx.BatchStat))

    def statistics_of(self, instance: Any) -> list[str]:
        """List the paths of the module's own `nnx.BatchStat`s, without those of its layers."""
        every = self.parts_of(instance).items()
        return [path for path, part in every if isinstance(part, nnx.BatchStat) and "." not in path]

    def save(self, instance: Any, path: Any) -> None:
        need(has_files(instance), "the module has no `save` to a path, or no `load` into a skeleton")
        instance.save(path)

    def load(self, path: Any, skeleton: Any) -> Any:
        return type(skeleton).load(path, skeleton)

    def mapped(self, functions: Mapping[type, Callable[..., Any]], tree: Any) -> dict[str, Any]:
        helper = type(self).map_variables
        if helper is None:
            not_applicable("no `map_variables` is declared")
        with doing("map_variables", f"a map over a {type(tree).__name__}"):
            state = helper(functions, tree)
        message = f"it gave a {type(state).__name__} and no nnx.State"
        check(isinstance(state, nnx.State), "map_variables", message)
        return variables_of(state)

    def snapshot(self, instance: Any) -> Any:
        need(hasattr(instance, "snapshot"), "the module has no snapshot")
        return instance.snapshot()

    def restore(self, instance: Any, state: Any) -> None:
        need(hasattr(instance, "restore"), "the module has no restore")
        instance.restore(state)
