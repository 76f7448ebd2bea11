"""Text format of numbers that classes compute, which reads well in a diff.

    [TestAffine: as it is built]
    call: float32[2]
        -0.4142136 1.732051
    gradient of bias: float32[2]
        0.5 0.25

Entries are sorted by name. For an array of many elements, the entry has the first elements and a few sums.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..inspect.arrays import real_dtype, widened
from ..values.closeness import Tolerance, tolerance_of
from ..values.edge_values import is_finite

WHOLE = 32  # elements of which each is written
IN_A_ROW = 8
ROUNDINGS_BEHIND = 16  # roundings in a program that may each move a number as one of what goes in does
_SECTION = re.compile(r"\[(.+)\]")
_ENTRY = re.compile(r"(.+): (\w+)\[([\d,]*)\]")
_HEAD = """\
# What the classes of {tests} compute on fixed examples, which P19 holds them to.
# `pytest --numbers=update` writes it anew; written with {settings}.
"""
NOT_RECORDED = "it is there, and not recorded"
GONE = "it is recorded, and no longer there"
_SETTINGS = re.compile(r"written with (.+)\.$", re.MULTILINE)
_USUAL_KEYS = "threefry2x32"

Numbers = Mapping[str, Any]
"""Arrays by name."""


class Entry(NamedTuple):
    """An array in a record: dtype, shape, and labelled rows of numbers."""

    dtype: str
    shape: tuple[int, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


Rows = list[tuple[str, Any]]
Record = dict[str, dict[str, Entry]]
"""Entries by section and name."""


class NoRecord(ValueError):
    """A text that is not a record."""


def entries(numbers: Numbers) -> dict[str, Entry]:
    """Return entries of arrays, sorted by name."""
    return {name: entry_of(np.asarray(numbers[name])) for name in sorted(numbers)}


def finite_entries(numbers: Numbers) -> dict[str, Entry]:
    """Return entries of arrays without infinity and NaN, which concern the example more than the class."""
    return entries({name: value for name, value in numbers.items() if is_finite(value)})


def entry_of(array: np.ndarray) -> Entry:
    """Return an entry with all numbers of an array, or with the first numbers and a few sums."""
    write = _writer(array.dtype)
    if array.size <= WHOLE:
        width = array.shape[-1] if array.ndim > 1 else IN_A_ROW
        parts = np.split(array.ravel(), range(width or 1, array.size, width or 1))
        labelled: Rows = [
            ("", part) for line in parts for part in np.split(line, range(IN_A_ROW, len(line), IN_A_ROW))
        ]
    else:
        labelled = [("first", array.ravel()[:IN_A_ROW]), *_sums(array)]
    rows = ((label, tuple(map(write, values))) for label, values in labelled if len(values))
    return Entry(array.dtype.name, array.shape, tuple(rows))


def _sums(array: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Yield sums that change with a value, a sign or the order of elements."""
    wide = widened(array).ravel()
    weights = np.linspace(-1, 1, wide.size)
    with np.errstate(all="ignore"):  # numbers that are not finite
        yield "mean", [wide.mean()]
        yield "mean square", [np.mean(np.abs(wide) ** 2)]
        yield "mean by place", [np.mean(wide * weights)]


def _writer(dtype: np.dtype) -> Callable[[Any], str]:
    """Return a function that formats numbers of a dtype with a digit more than its precision."""
    if not jnp.issubdtype(dtype, jnp.inexact):
        return lambda value: str(int(value))
    info = jnp.finfo(dtype)
    digits = info.precision + (2 if info.bits <= 16 else 1)

    def write(value: Any) -> str:
        if np.iscomplexobj(value):
            return f"{value.real:.{digits}g}{value.imag:+.{digits}g}j"
        return f"{float(value):.{digits}g}"

    return write


def render_record(record: Mapping[str, Mapping[str, Entry]], tests: str) -> str:
    """Return a record as text."""
    return render_sections(record, _HEAD.format(tests=tests, settings=usual_settings()))


def render_sections(record: Mapping[str, Mapping[str, Entry]], head: str) -> str:
    """Return a record as text below a head of comments."""
    return head + "".join(_render_section(name, record[name]) for name in record)


def _render_section(name: str, section: Mapping[str, Entry]) -> str:
    lines = [f"\n[{name}]"]
    for entry_name, entry in section.items():
        lines.append(f"{entry_name}: {_shown(entry)}")
        for label, values in entry.rows:
            lines.append(" ".join(["   ", *([f"{label}:"] if label else []), *values]))
    return "\n".join(lines) + "\n"


def parse_record(text: str) -> Record:
    """Parse the text of a record. Raise `NoRecord` with the first line that does not belong."""
    record: Record = {}
    section: dict[str, Entry] = {}
    name = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if match := _SECTION.fullmatch(line):
            section = record.setdefault(match[1], {})
        elif record and (match := _ENTRY.fullmatch(line)):
            name = match[1]
            section[name] = Entry(match[2], tuple(int(size) for size in match[3].split(",") if size), ())
        elif section and line.startswith("    "):
            section[name] = _with_row(section[name], line, number)
        else:
            raise NoRecord(f"line {number} is none of a record: {line[:80]!r}")
    return record


def _with_row(entry: Entry, line: str, number: int) -> Entry:
    label, colon, rest = line.strip().rpartition(":")
    values = tuple((rest if colon else line).split())
    try:
        list(map(complex, values))
    except ValueError as error:
        raise NoRecord(f"line {number} has what is no number: {line[:80]!r}") from error
    return entry._replace(rows=(*entry.rows, (label, values)))


def usual_settings() -> str:
    """Describe the settings of this run that numbers depend on: the default dtype and the key generator."""
    generator = str(jax.config.jax_default_prng_impl)  # type: ignore[attr-defined]
    keys = "" if generator == _USUAL_KEYS else f" and {generator} keys"
    return f"{real_dtype('float').name} as the default dtype{keys}"


def settings_of(text: str) -> str | None:
    """Return the settings with which a record was written, or None."""
    match = _SETTINGS.search(text)
    return match[1] if match else None


def differences(
    was: Mapping[str, Entry],
    now: Mapping[str, Entry],
    tolerance: Tolerance,
    rounded: Sequence[Mapping[str, Entry]] = (),
) -> Iterator[tuple[str, str]]:
    """Yield the names of entries that differ between two sections, with a description.

    `rounded` holds the second section for inputs with changed last bits. A right program may differ as far as
    these.
    """
    for name in sorted({*was, *now}):
        if name not in now:
            yield name, GONE
        elif name not in was:
            yield name, NOT_RECORDED
        elif difference := _difference(
            was[name], now[name], tolerance, [other[name] for other in rounded if name in other]
        ):
            yield name, difference


def _difference(was: Entry, now: Entry, tolerance: Tolerance, rounded: Sequence[Entry]) -> str | None:
    """Describe how two entries differ, or return None if all numbers are close."""
    if _form(was) != _form(now):
        return f"it is {_shown(now)}, recorded is {_shown(was)}"
    if not any(values for _, values in was.rows):
        return None
    recorded, other = _numbers(was), _numbers(now)
    allowed = _allowed(was, tolerance)
    for rounded_entry in rounded if allowed else ():
        if _form(rounded_entry) == _form(now):
            moved = np.abs(other - _numbers(rounded_entry))
            allowed = max(allowed, ROUNDINGS_BEHIND * float(moved[np.isfinite(moved)].max(initial=0.0)))
    with np.errstate(invalid="ignore"):  # infinities of one sign
        same = (recorded == other) | (np.abs(recorded - other) <= allowed)
    wrong = np.flatnonzero(~(same | (np.isnan(recorded) & np.isnan(other))))
    if not len(wrong):
        return None
    first = int(wrong[0])
    before, after = _texts(was)[first], _texts(now)[first]
    off = f", {abs(other[first] - recorded[first]):.3g} off" if allowed else ""
    allows = f" where {allowed:.2g} is allowed" if allowed else ""
    more = f"; {len(wrong)} of {recorded.size} differ" if recorded.size > 1 else ""
    return f"{_place(was, first)}it is {after}, recorded is {before}{off}{allows}{more}"


def _form(entry: Entry) -> tuple[Any, ...]:
    return entry.dtype, entry.shape, [(label, len(values)) for label, values in entry.rows]


def _shown(entry: Entry) -> str:
    return f"{entry.dtype}[{','.join(map(str, entry.shape))}]"


def _texts(entry: Entry) -> list[str]:
    return [text for _, values in entry.rows for text in values]


def _numbers(entry: Entry) -> np.ndarray:
    return np.array(list(map(complex, _texts(entry))), np.complex128)


def _allowed(entry: Entry, tolerance: Tolerance) -> float:
    dtype = jnp.dtype(entry.dtype)
    if not jnp.issubdtype(dtype, jnp.inexact):
        return 0.0
    sizes = np.abs(_numbers(entry))
    return tolerance_of(dtype, tolerance) * float(sizes[np.isfinite(sizes)].max(initial=1.0))


def _place(entry: Entry, first: int) -> str:
    """Describe the place of a number in an entry, by its index or by the label of its row."""
    labels = [label for label, values in entry.rows for _ in values]
    if labels[first] and labels[first] != "first":
        return f"its {labels[first]}: "
    if not entry.shape:
        return ""
    index = [int(at) for at in np.unravel_index(first, entry.shape)]
    return f"at {tuple(index) if index[1:] else index[0]} "


def kept_where_close(
    was: Mapping[str, Entry], now: Mapping[str, Entry], tolerance: Tolerance
) -> dict[str, Entry]:
    """Return the new entries, with the old text of each close entry.

    Another machine then changes no line.
    """
    changed = dict(differences(was, now, tolerance))
    return {name: entry if name in changed else was[name] for name, entry in now.items()}


def section_of(suite_type: type, section: str) -> str:
    """Return the name of a section of a suite."""
    return f"{suite_type.__name__}: {section}"


def without(record: Record, gone: Iterable[str]) -> Record:
    """Return a record without the sections of these suites."""
    names = set(gone)
    return {s: v for s, v in record.items() if s.partition(":")[0] not in names}
