"""The class under test: its spec, its example values, and facts of its emission."""

import ast
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from scaffold.emit.facts import Facts, facts
from scaffold.source.definitions import function_of
from scaffold.source.expressions import assigned_names
from scaffold.source.instance import unassigned
from scaffold.spec.construction.cases import is_passed
from scaffold.spec.construction.class_calls import makes_default
from scaffold.spec.construction.constructor import rebuilds_by
from scaffold.spec.construction.sizes import sizes
from scaffold.spec.grammar.types import Type, arrays, dim_names
from scaffold.spec.model import Argument, Field, Method, ModuleSpec
from scaffold.spec.states import is_stateful, state_fields
from scaffold.suite.examples.examples import Examples
from scaffold.suite.examples.mapped import batch_size, state_rows
from scaffold.suite.examples.mapped_records import with_rows
from scaffold.suite.examples.untried import with_values_of

OF_CALLS = 50
"""The distance from the seeds of an instance to the seeds of arguments."""


class Subject(Struct, frozen=True, dict=True):
    """The class under test, of which every part of a suite is made."""

    spec: ModuleSpec
    known: Mapping[str, ModuleSpec]
    sized: "Examples | None" = None
    """The example values of the class, if the subject is one of its methods."""
    method: str = ""
    """The method that stands for the call, in a class without a call."""

    @property
    def function(self) -> str:
        """The function of the example call, as source."""
        return f"instance.{self.method}" if self.method else "instance"

    @property
    def of_class(self) -> ModuleSpec:
        """The spec of the class, even if a method stands in place of the call."""
        return self.sized.spec if self.sized else self.spec

    def of(self, method: Method) -> "Subject":
        """Return the subject with a method in place of the call, which may take instances of the class."""
        called = replace(with_values_of(self.spec, method), call=method.call)
        return Subject(called, {**self.known, self.spec.name: self.spec}, self._sized_with(called))

    def _sized_with(self, called: ModuleSpec) -> Examples:
        """Return the example values, with sizes for the dims of an inherited method."""
        examples = self.examples
        # Of this method alone: the dims of the class are those of all its methods.
        kinds = called.call.types if called.call else ()
        dims = {dim for kind in kinds for array in arrays(kind) for dim in array.dims if dim[0] != "*"}
        if {name for dim in dims for name in dim_names(dim)} <= examples.sizes.keys():
            return examples
        kept = replace(called.test, sizes=tuple(examples.sizes.items()))
        return replace(examples, sizes=sizes(replace(called, test=kept)))

    @cached_property
    def facts(self) -> Facts:
        """Facts of the emission of the class."""
        return facts(self.spec)

    @cached_property
    def examples(self) -> Examples:
        """The example values. Raises `ScaffoldError` if none can be made."""
        sized = self.sized
        return Examples(self.spec, self.known, sized.sizes) if sized else Examples.of(self.spec, self.known)

    @cached_property
    def inputs(self) -> Mapping[str, str]:
        """The constructor's arguments in the example, as source."""
        return dict(self.examples.inputs())

    @cached_property
    def examples_of_calls(self) -> Examples:
        """The example values of arguments.

        They are other draws than the constructor's arrays, so that the two differ.
        """
        given = [field.type for field in self.spec.stored if field.given]
        given += [argument.type for argument in self.spec.arguments if argument.type is not None]
        is_given_some = any(array.dtype != "key" for kind in given for array in arrays(kind))
        begin = self.examples.begin + OF_CALLS * is_given_some
        return replace(self.examples, begin=begin, known=with_rows(self.spec, self.known))

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the call, without the marker `*`."""
        return tuple(argument for argument in self.spec.call_arguments if not argument.is_marker)

    @cached_property
    def passed(self) -> tuple[Argument, ...]:
        """The arguments that the example passes as arrays, which laws cast, map and differentiate.

        Other arguments keep their default, or are constants.
        """
        return tuple(argument for argument in self.arguments if is_passed(self.spec, argument))

    @cached_property
    def batch(self) -> int:
        """The size of the batch over which the call averages, or 0."""
        return batch_size(self.spec, self.examples.sizes)

    @cached_property
    def states(self) -> list[str] | None:
        """The rows of the states of a new instance, or None if some are unknown."""
        return state_rows(self.examples) if is_stateful(self.spec) else []

    @cached_property
    def state_types(self) -> list[Type] | None:
        """The types of the states, in order, or None if some are unknown."""
        return None if self.states is None else [field.type for field in state_fields(self.spec)]

    def is_absent(self, field: Field) -> bool:
        """Whether the field is None in the example, or has its value only in the class."""
        if field.name in self._left_in_class:
            return True
        changed = field.converter or field.name in assigned_names(self.spec.setup)
        unsaid = None if makes_default(field) else field.default
        given_input = self.inputs.get(field.name, unsaid) if field.given and not changed else None
        return given_input == "None" or self.inputs.get(field.optional or "") == "False"

    @cached_property
    def _left_in_class(self) -> list[str]:
        """Fields that the author's `__init__` does not assign.

        An instance has no leaf there, and reads the default of the class.
        """
        own = self.spec.own_constructor
        node = function_of(own.call.source) if own is not None else None
        names = [field.name for field in self.spec.stored]
        return unassigned(node, names) if isinstance(node, ast.FunctionDef) else []

    def is_kept_apart(self, field: Field) -> bool:
        """Whether the preset entries of the field lie in the treedef."""
        return rebuilds_by(self.spec, "static") and bool(field.preset)
