"""A class as a spec, whose skeleton is read back and laid out in memory before the user sees it."""

import ast
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from msgspec import Struct

from scaffold.adopt.as_spec.examples import Examples, examples_of, roles_of, with_words
from scaffold.adopt.as_spec.source import FUTURE, ClassSource, NotSaidError, class_source
from scaffold.errors import Fault, ScaffoldError
from scaffold.files.fileset import File
from scaffold.import_lines import imported, sorted_lines
from scaffold.in_project.layout import Layout
from scaffold.render_class import module_files
from scaffold.source.expressions import free_names
from scaffold.spec.model import ModuleSpec
from scaffold.spec.raw import as_table
from scaffold.spec.reading.read import read_spec
from scaffold.spec.skeletons.read import skeletons_of
from scaffold.suite.examples.untried import untried_notes
from scaffold.suite.untested import why_untested
from scaffold.tidy import tidy


class Said(Struct, frozen=True):
    """A class as a skeleton, or the reason why there is none."""

    label: str
    text: str = ""
    notes: tuple[str, ...] = ()
    """Parts of the class that its tests leave out."""
    why: str = ""

    @property
    def lines(self) -> list[str]:
        """Lines for stderr: the notes, or the reason why there is no spec."""
        if self.why:
            return [f"{self.label}: no spec says it: {self.why}"]
        return [f"{self.label}: as it is written", *(f"  {note}" for note in self.notes)]

    def to_json(self) -> dict[str, Any]:
        """Return the skeleton as plain JSON."""
        return {
            "class": self.label,
            "spec": self.text or None,
            "notes": [*self.notes],
            "why": self.why or None,
        }


def said(label: str, placed: Mapping[str, Any], description: Mapping[str, Any], layout: Layout) -> Said:
    """Return the spec of a class from the location of its source and the description of an instance."""
    try:
        source = class_source(placed)
        text = skeleton_of(source, roles_of(description), examples_of(description, source.name))
        spec = spec_of(text, source.name)
        module_files(spec, layout, {spec.name: spec})
    except NotSaidError as error:
        return Said(label, why=str(error))
    except ScaffoldError as error:
        return Said(label, why="; ".join(_told(fault) for fault in error.faults[:3]))
    untested = why_untested(spec, {})
    notes = [f"not tested: {untested}"] if untested else []
    return Said(label, text, (*notes, *(note.partition(": ")[2] for note in untried_notes([spec], {}))))


def skeleton_of(source: ClassSource, roles: Mapping[str, str], examples: Examples) -> str:
    """Lay out the skeleton: imports, statements above the class, the class, and statements below."""
    future = [line for line in source.imports if line.startswith(FUTURE)]
    imports = [*(line for line in source.imports if line not in future), *examples.imports]
    bound = {name for line in imports for name in imported(line)}
    says_roles = with_words(source.text, roles, "") != source.text
    words_of_fields = sorted({*roles.values()}) if says_roles else []
    used = ["as_written", *(["test"] if examples.keys else []), *words_of_fields]
    prefix = "skeleton." if bound & {*used} or _binds(source, used) else ""
    words = "from scaffold import skeleton" if prefix else f"from scaffold.skeleton import {', '.join(used)}"
    above = [f"@{prefix}as_written" + '(laws="nnx")' * (source.kind == "nnx")]
    above += [_decorator(f"{prefix}test", examples.keys)] if examples.keys else []
    block = "\n".join([*future, *([""] if future else []), *sorted_lines([*imports, words], ())])
    text = with_words(source.text, roles, prefix)
    parts = (block, source.above, "\n".join([*above, text]), source.below)
    return "\n\n\n".join(filter(None, parts)) + "\n"


def _binds(source: ClassSource, words: Sequence[str]) -> bool:
    """Whether the module or the class body uses any of these words as a name."""
    texts = "\n".join((source.above, source.below, source.text))
    nodes = [*ast.walk(ast.parse(texts))]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return not names.isdisjoint(words)


def _decorator(name: str, keys: Mapping[str, Any]) -> str:
    """Format `@test(...)`, over several lines if it is long."""
    arguments = ", ".join(f"{key}={_shown(value)}" for key, value in keys.items())
    [file] = tidy([File(PurePosixPath("test.py"), f"@{name}({arguments})\nclass _: ...\n")])
    return file.text.rpartition("\nclass _")[0]


def _shown(value: Any) -> str:
    """Wrap an expression in a lambda, which takes `seed` if the expression reads it.

    A table of expressions becomes a dict.
    """
    if isinstance(value, Mapping):
        pairs = as_table(cast("Mapping[str, Any]", value)).items()
        return f"{{{', '.join(f'{name!r}: {_shown(expression)}' for name, expression in pairs)}}}"
    text = str(value)
    reads = "seed" in free_names(text, expression=True)
    return f"lambda{' seed' * reads}: {text}"


def spec_of(text: str, name: str) -> ModuleSpec:
    """Read the spec back from a skeleton. Raises `ScaffoldError` with all its faults."""
    [skeleton] = skeletons_of(text, name)
    if skeleton.faults:
        raise ScaffoldError.of(skeleton.faults)
    return read_spec(skeleton.tables, name)


def _told(fault: Fault) -> str:
    """Format a fault on a line, with its place in the spec."""
    place = fault.where.partition(": ")[2]
    return f"{place}: {fault.what}" if place else fault.what
