"""Errors of examples: whether a guessed example does not fit, and hints for other errors."""

import inspect
import re
import traceback
from types import ModuleType
from typing import Any

import jax

from ..errors import message_of, raises_deliberately
from ..inspect.classes import LIBRARIES
from ..inspect.parameter_values import takes_arrays
from ..inspect.references import package_of
from ..report import ADVICE, FAULT, NOT_TRIED, or_else
from ..values.example_sizes import hint_of

_MISFITS = (LookupError, OSError, TypeError, ValueError)
"""Errors for shapes that do not fit, and for a missing name or file."""
_OF_SIGNATURE = re.compile(r"__init__\(\) (missing|got|takes)")
"""Python's message for a constructor call that does not match the signature, whatever the values are."""
_OF_TRACERS = jax.errors.JAXTypeError, jax.errors.JAXIndexError
_ENTRIES = {"__call__": "call", "__init__": ""}
"""Prefixes of entries in a record for `__call__` and `__init__`.

Other entries begin with the name of a method.
"""
RESTS = "what raises there; the laws that depend on it are skipped until it works"
REFUSES = "whether it refuses these values rightly: then write others, in `inputs`, `arguments` or the spec's `values`; until then the laws that depend on it are skipped"
_UNHASHABLE = re.compile(r"^unhashable type: '[\w.]*(ArrayImpl|Tracer)'")
_BY_TYPE = {
    "FrozenInstanceError": "an instance is frozen: return the new value, or a new instance (`eqx.tree_at`)",
    "TracerArrayConversionError": "a function of NumPy on a traced array: its twin of `jnp` in its place",
    "TracerIntegerConversionError": "an index or a size that is traced: make it static, or index with `jnp.take`",
    "TracerBoolConversionError": "a branch that depends on values: `jnp.where`, `lax.cond`, or a static argument",
    "ConcretizationTypeError": "a size or a number of Python that depends on values: a static argument, or `jnp` instead",
    "TypePromotionError": "two dtypes that meet without a cast, which `jax_numpy_dtype_promotion` of these tests refuses: cast one, `x.astype(self.weight.dtype)`",
    "UnexpectedTracerError": "a value that a first trace has left behind, as in an `lru_cache` or a dict of the module: compute tables in the constructor, or anew in each call",
    "NonConcreteBooleanIndexError": "a mask as an index: `jnp.where`, or `jnp.nonzero` with a `size`",
}
_BY_WORDS = {
    r"not 'ShapeDtypeStruct'|'ShapeDtypeStruct\(|'<object object": (
        "a conversion where an instance is taken apart or built anew, as `jnp.asarray` in `tree_flatten`: jax puts placeholders there"
    ),
    "Attempted to use old state": (
        "a state that is used twice, or a result of `state.set` that is dropped: `state = state.set(self.mean, mean)`"
    ),
    r"^module '[\w.]+' has no attribute": (
        "a name that the installed version does not have: taken out, as `jax.tree_map` was for `jax.tree.map`, or not yet there"
    ),
    r"^'NoneType' object has no attribute": (
        "what is None in this example, as a part that may be left out: give it there, or ask `is None` in the code"
    ),
    _UNHASHABLE.pattern: (
        "a bound method or an instance that is given to jax as a function, or to `lru_cache`: both ask for its hash, and arrays have none: `lax.scan(lambda *both: self.step(*both), ...)`"
    ),
    "numpy_rank_promotion": "arrays of several ranks: say which axis is meant, as `self.skip[None]`",
    r"unexpected keyword argument|missing \d+ required|positional arguments? but": (
        "parameters that were renamed, added or taken out: say the same in `inputs`, `arguments` and `call` of the tests"
    ),
}


def law_behind(error: BaseException | None, law: str) -> str:
    """Return the law that an error of an example breaks: P12 if an earlier call leaked a tracer."""
    return "P12" if isinstance(error, jax.errors.UnexpectedTracerError) else law


def is_misfit(suite: Any, name: str, error: Exception | None) -> bool:
    """Whether a guessed example of a method, of `__call__` or of `__init__` does not fit.

    The class may refuse the example in any way, as by `assert`. If numbers are on record, the example did fit
    once, so the error comes from an edit of the class.
    """
    is_of_code = isinstance(error, TypeError) and _OF_SIGNATURE.search(str(error))
    is_of_code = is_of_code or (isinstance(error, _OF_TRACERS) and _needs_arrays_alone(suite, name))
    is_of_code = is_of_code or _asks_for_a_hash(error)
    may_refuse = isinstance(error, _MISFITS) or (error and raises_deliberately(error, type(suite)))
    is_guess = name in suite.guessed or _lies_beyond(suite, name, error)
    is_misfit = is_guess and bool(may_refuse) and not is_of_code
    return is_misfit and not suite.has_numbers_of(_ENTRIES.get(name, name))


def _lies_beyond(suite: Any, name: str, error: Exception | None) -> bool:
    """Whether an index made up for a method is out of range, in a suite that fails on faults only.

    Such a suite is for a class of another author.
    """
    if suite.severity != FAULT or not isinstance(error, IndexError) or isinstance(error, _OF_TRACERS):
        return False
    methods = [method for method in suite.methods if method.name == name]
    given = [method.arguments(0) for method in methods]
    given += [getattr(getattr(method.call, "__code__", None), "co_consts", ()) for method in methods]
    return any(type(value) is int for value in jax.tree.leaves(given))


def _asks_for_a_hash(error: Exception | None) -> bool:
    """Whether arrays of an instance were hashed, as for `lax.scan(self.step, ...)`, whatever the example."""
    frames = [] if error is None else [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    is_of_instance = bool(frames) and frames[-1].f_code.co_name == "__hash__"
    return isinstance(error, TypeError) and is_of_instance and bool(_UNHASHABLE.match(str(error)))


@or_else(False)  # nothing says what it takes
def _needs_arrays_alone(suite: Any, name: str) -> bool:
    """Whether all required arguments of a method are annotated as arrays.

    They are traced, so no other example avoids an error about tracers.
    """
    function = getattr(type(suite.cached_instance()), name)
    _, *parameters = inspect.signature(function, eval_str=True).parameters.values()
    return all(takes_arrays(each.annotation) for each in parameters if each.default is each.empty)


def may_be_of_the_example(suite: Any, name: str, error: BaseException | None) -> bool:
    """Whether an error at another option may come from example values that this option does not accept.

    A suite that fails on faults only is for a class of another author, and its examples are guessed too.
    Other values do not change an error about a missing name, about None, or about a tracer.
    """
    is_guess = name in suite.guessed or suite.severity != ADVICE
    is_of_code = lacks_a_name(suite, error) or isinstance(error, _OF_TRACERS) or "NoneType" in str(error)
    return is_guess and not is_of_code


def is_of_made_up_values(suite: Any, error: BaseException) -> bool:
    """Whether an error is about made-up values of an example, in a suite that fails on faults only.

    For example, the code reads an attribute that another kind of value has, or another library raises the
    error.
    """
    if suite.severity != FAULT:
        return False
    asked = getattr(error, "obj", None)
    is_of_a_part = isinstance(error, AttributeError) and asked is not None and not lacks_a_name(suite, error)
    return is_of_a_part or package_of(error) not in (package_of(suite.cached_instance()), *LIBRARIES)


def lacks_a_name(suite: Any, error: BaseException | None) -> bool:
    """Whether code reads a name that its own class or a module does not have."""
    asked = getattr(error, "obj", None)  # of a part, as a placeholder, the example may have too little
    of_itself = asked is None or isinstance(asked, type(suite.cached_instance()) | type | ModuleType)
    return isinstance(error, NameError) or (isinstance(error, AttributeError) and of_itself)


def said_of(name: str, error: Exception | None) -> str:
    """Return the reason why a method is not tried, and the way to change that."""
    described = f"{type(error).__name__}: {message_of(error).strip():.200}" if error else ""
    return (
        f"{NOT_TRIED}the example of `{name}` is a guess, and does not fit ({described}): write one that does, "
        "and take the name out of `guessed`"
    )


def advice_on(suite: Any, error: BaseException | None, otherwise: str = RESTS) -> str:
    """Return a hint for an error: mismatched sizes of the example, the usual cause, or else `otherwise`."""
    name, text = type(error).__name__, str(error)
    by_words = (advice for words, advice in _BY_WORDS.items() if re.search(words, text))
    refuses = otherwise is RESTS and isinstance(error, ValueError | AssertionError)
    usual = REFUSES if refuses else otherwise
    if isinstance(error, AttributeError | NameError) and lacks_a_name(suite, error):
        usual = f"`{error.name}`, which is not there: a name that has another one now, or that was taken out"
    return next(by_words, "") or hint_of(suite, error) or _BY_TYPE.get(name, usual)
