"""Errors: whether an author raises one on purpose, or something just breaks."""

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
    """Whether a check of Equinox, or a callback, says that values are not allowed: jax raises it from no code of the class."""
    return _AT_RUN_TIME.search(f"{type(error).__name__}: {error}") is not None


def is_of_types(error: BaseException | None) -> bool:
    """Whether a checker of annotations at run time refuses a value, which comes before any check in the code of a class.

    Errors are known by name: none of the checkers need be installed. What a checker says of an annotation itself refuses no value.
    """
    names = ((cls.__module__.partition(".")[0], cls.__name__) for cls in type(error).__mro__)
    return not _OF_TYPES.isdisjoint(names)


def is_of_promotion(error: BaseException) -> bool:
    """Whether jax says that two dtypes may not meet, by an error of its own that older ones do not show."""
    return type(error).__name__ == "TypePromotionError"


def raises_deliberately(error: BaseException, cls: Any) -> bool:
    """Whether the code of a class or a function, or what it calls beside jax, says itself that this is not allowed."""
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
    """Whether an error, or the one that it was raised from, is about a package that is not installed."""
    if error is None:
        return False
    says_so = isinstance(error, ImportError) or "No module named '" in str(error)
    return says_so or asks_for_a_package(error.__cause__)


def leaves_to_subclasses(error: BaseException) -> bool:
    """Whether what raised an error does nothing else: a method that subclasses write, and no refusal of what it is given."""
    last = _last(error.__traceback__)
    if last is None or not isinstance(error, NotImplementedError):
        return False
    code = last[0].f_code
    is_method = code.co_varnames[:1] in (("self",), ("cls",))  # no function that others register with
    return is_method and not any("JUMP" in instruction.opname for instruction in dis.get_instructions(code))


def refuses_by_itself(error: BaseException, cls: type) -> bool:
    """Whether the package of the class itself raises an error on purpose, and nothing that it calls elsewhere."""
    return raises_deliberately(error, cls) and is_of_package(error, cls)


def is_of_package(error: BaseException, cls: type) -> bool:
    """Whether the package of the class itself raised an error, and nothing that it calls elsewhere."""
    return _package_of(error) == cls.__module__.partition(".")[0]


def place_in_laws(error: BaseException) -> str:
    """The file and line of the laws that raised an error; empty where a class or a library did, or a suite asserts."""
    if isinstance(error, AssertionError) or _package_of(error) != _OWN:
        return ""
    *_, (frame, line) = (place for place in walk_tb(error.__traceback__) if _package(place[0]) == _OWN)
    return f"{Path(frame.f_code.co_filename).name}:{line}"


def _package_of(error: BaseException) -> str:
    """The package of the code that raised an error, or of most that recurses; empty where nothing says it."""
    packages = [_package(frame) for frame, _ in walk_tb(error.__traceback__)]
    if isinstance(error, RecursionError):  # where it ends is by chance
        return Counter(packages).most_common(1)[0][0]
    return packages[-1] if packages else ""


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _last(traceback: TracebackType | None) -> tuple[FrameType, int] | None:
    """The frame that raised, and where in its code."""
    result = None
    while traceback is not None:
        result = traceback.tb_frame, traceback.tb_lasti
        traceback = traceback.tb_next
    return result


def message_of(error: object) -> str:
    """What an error says, without where the laws began to trace and where to read on.

    Of a check at run time Equinox tells first where to look for what it says.
    """
    text = _BESIDE_THE_POINT.sub("", str(error)).strip()
    checked = _CHECKED.search(text)
    return checked[1] if checked else text


def error_text(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(message_of(error).split())[:300]}"
