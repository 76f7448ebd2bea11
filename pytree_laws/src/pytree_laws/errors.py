"""Classification of errors: raised by an author on purpose, or by something that breaks."""

import dis
import re
from collections import Counter
from pathlib import Path
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import Any

_CHECKED = re.compile(r"^(?:equinox[\w.]*\.)?_?EquinoxRuntimeError: (?!Above is )(.+)$", re.MULTILINE)
_AT_RUN_TIME = re.compile(r"(?i)EquinoxRuntimeError|\bCpuCallback error\b")
_BESIDE_THE_POINT = re.compile(
    r"\s*The error occurred while tracing the function \S+ at \S*pytree_laws\S* for \w+\."
    r"|(?s:\s*This (?:concrete )?(?:value|\w+) became a tracer due to JAX operations.*)"
    r"|(?s:\s*Probably you have done something like:.*)"
    r"|\s*(?:For more information, )?[Ss]ee https?://\S+(?: for more information)?\.?"
)
_OWN = __name__.partition(".")[0]
_RAISES = dis.opmap["RAISE_VARARGS"]
_OTHERS = ("jax", "jaxlib", "numpy", "ml_dtypes", "jaxtyping", "beartype")
_OF_TYPES = {
    ("jaxtyping", "TypeCheckError"),
    ("beartype", "BeartypeCallHintViolation"),
    ("typeguard", "TypeCheckError"),
}


def is_checked_at_run_time(error: BaseException | None) -> bool:
    """Whether a check of Equinox, or a callback, refused values while a program ran.

    jax raises this error from no line of the class.
    """
    return _AT_RUN_TIME.search(f"{type(error).__name__}: {error}") is not None


def is_of_types(error: BaseException | None) -> bool:
    """Whether a run-time type checker refused a value, before any check in the class ran.

    The errors are known by name, so that no type checker need be installed. An error about an annotation
    itself refuses no value.
    """
    names = ((cls.__module__.partition(".")[0], cls.__name__) for cls in type(error).__mro__)
    return not _OF_TYPES.isdisjoint(names)


def is_of_promotion(error: BaseException) -> bool:
    """Whether jax refused to promote two dtypes.

    The error is known by name, since older versions of jax do not export its class.
    """
    return type(error).__name__ == "TypePromotionError"


def raises_deliberately(error: BaseException, cls: Any) -> bool:
    """Whether an author raised the error: a check at run time, or a `raise` outside of jax and numpy.

    A `raise` inside of such a library counts if `cls` belongs to that library.
    """
    if is_checked_at_run_time(error):
        return True
    last = _last(error.__traceback__)
    if last is None:
        return False
    frame, at = last
    module = str(frame.f_globals.get("__name__", ""))
    root, own_root = module.partition(".")[0], cls.__module__.partition(".")[0]
    if (root in _OTHERS and root != own_root) or module.startswith("equinox._module"):
        return False
    return frame.f_code.co_code[at] == _RAISES


def asks_for_a_package(error: BaseException | None) -> bool:
    """Whether an error, or its cause, is about a package that is not installed."""
    if error is None:
        return False
    says_so = isinstance(error, ImportError) or "No module named '" in str(error)
    return says_so or asks_for_a_package(error.__cause__)


def leaves_to_subclasses(error: BaseException) -> bool:
    """Whether an unconditional `NotImplementedError` in a method leaves the method to subclasses.

    A method with a branch refuses some of its arguments instead.
    """
    last = _last(error.__traceback__)
    if last is None or not isinstance(error, NotImplementedError):
        return False
    code = last[0].f_code
    is_method = code.co_varnames[:1] in (("self",), ("cls",))  # no function that others register with
    return is_method and not any("JUMP" in instruction.opname for instruction in dis.get_instructions(code))


def refuses_by_itself(error: BaseException, cls: type) -> bool:
    """Whether the package of the class raised an error on purpose, and no library that it calls."""
    return raises_deliberately(error, cls) and is_of_package(error, cls)


def is_of_package(error: BaseException, cls: type) -> bool:
    """Whether the package of the class raised an error, and no library that it calls."""
    return _package_of(error) == cls.__module__.partition(".")[0]


def place_in_laws(error: BaseException) -> str:
    """Return file and line of the laws that raised an error, such as `trees.py:12`.

    The text is empty for an error of a class, of a library, or of an `assert` in a suite.
    """
    if isinstance(error, AssertionError) or _package_of(error) != _OWN:
        return ""
    *_, (frame, line) = (place for place in walk_tb(error.__traceback__) if _package(place[0]) == _OWN)
    return f"{Path(frame.f_code.co_filename).name}:{line}"


def _package_of(error: BaseException) -> str:
    """Return the package that raised an error, or the most frequent one of a recursion."""
    packages = [_package(frame) for frame, _ in walk_tb(error.__traceback__)]
    if isinstance(error, RecursionError):  # where it ends is by chance
        return Counter(packages).most_common(1)[0][0]
    return packages[-1] if packages else ""


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _last(traceback: TracebackType | None) -> tuple[FrameType, int] | None:
    """Return the frame that raised, and the index of its last instruction."""
    result = None
    while traceback is not None:
        result = traceback.tb_frame, traceback.tb_lasti
        traceback = traceback.tb_next
    return result


def message_of(error: object) -> str:
    """Return the message of an error without notes on tracing and pointers to documentation.

    Of a check at run time, return only the message that the author wrote.
    """
    text = _BESIDE_THE_POINT.sub("", str(error)).strip()
    checked = _CHECKED.search(text)
    return checked[1] if checked else text


def error_text(error: BaseException) -> str:
    """Return type and message of an error in one line."""
    return f"{type(error).__name__}: {' '.join(message_of(error).split())[:300]}"
