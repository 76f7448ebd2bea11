"""The laws of abstract classes: what a base of Equinox Modules leaves to its subclasses.

Subclass `AbstractLaws` with a name that starts with `Test`. Name the class, the fields that are an
`eqx.AbstractVar`, and the abstract methods.
"""

from .engine.registry import with_tests_of
from .engine.runner import told_as_finding
from .kinds.abstract import AbstractSuite
from .laws.of_kinds import abstract


@with_tests_of(abstract.CHECKS, guard=told_as_finding)
class AbstractLaws(AbstractSuite):
    """The suite of an abstract base. Subclass it with a name that starts with `Test`."""
