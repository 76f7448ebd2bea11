"""The closed list of ordinary Python that is refused: what is known to go wrong when the class runs.

`docs/refusals.md` is made of it, and a test runs each mistake and sees it go wrong. What is not on the list is understood or
carried. Faults of the tool's own words, such as an unknown key, are no part of it.
"""

from msgspec import Struct


class Refusal(Struct, frozen=True):
    """One mistake: how a fault of it reads, what happens at run time, and what to write."""

    key: str
    says: str
    """What a fault of it says, as a regular expression."""
    happens: str
    """What happens when the class runs, as the last line of the traceback or as what is wrong with the numbers."""
    report: str
    """Where it was met."""
    fix: str
    mistake: str
    """The body of a method, or a line of a class, that makes it."""


REFUSALS = (
    Refusal(
        key="unknown-name",
        says="the name `.*` is not known here",
        happens="NameError: name 'scale' is not defined",
        report="Python looks names up when the line runs, so a method that no test calls hides it.",
        fix="Import the name, bind it above the class, or read the field as `self.NAME`.",
        mistake="return scale * x",
    ),
    Refusal(
        key="unknown-attribute",
        says="`self.* is no field",
        happens="AttributeError: 'Layer' object has no attribute 'bias'",
        report="A field that was renamed in the class and not in a branch of the call.",
        fix="Declare the field, or name one that is there. A class with `__getattr__` or a base of another library is not asked.",
        mistake="return self.weight * x + self.bias",
    ),
    Refusal(
        key="assigns-field",
        says="assigns `self.*`",
        happens="FrozenInstanceError: cannot assign to field 'weight'",
        report="equinox#711, equinox#840: instances are immutable once they are made.",
        fix="Return a new instance, with `eqx.tree_at` or the constructor; in kind `nnx`, or with role `state`, an assignment is right.",
        mistake="self.weight = self.weight + x\nreturn x",
    ),
    Refusal(
        key="misfit-call",
        says=r"`.*\(\.\.\.\)` (takes|is not given)",
        happens="TypeError: Layer.__init__() got an unexpected keyword argument 'b'",
        report="ott's `LinearProblem`: 67 tests passed beside a method that always raised.",
        fix="Give what the constructor takes: the class itself takes every field as it is stored, `create` what makes them.",
        mistake="return Layer(self.weight + x, b=3)",
    ),
    Refusal(
        key="optional-unasked",
        says="`self.*` (may be None|is None where)",
        happens="TypeError: unsupported operand type(s) for +: 'jaxlib._jax.ArrayImpl' and 'NoneType'",
        report="A bias that may be left out, added without a question.",
        fix="Ask before: `if self.offset is not None:`.",
        mistake="return x + self.offset",
    ),
    Refusal(
        key="field-and-method",
        says="is a field too",
        happens="TypeError: non-default argument 'offset' follows default argument",
        report="The method becomes the default of the field; where the constructor is the author's, the value hides the method.",
        fix="Rename one of the two.",
        mistake="def weight(self):\n    return 1",
    ),
)
