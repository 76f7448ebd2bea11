"""The test file of a class that was found: all that it holds in plain sight, what was guessed said once, at the top."""

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from scaffold.adopt.child.classes.call_text import call_text
from scaffold.adopt.emit.texts import plain_text
from scaffold.adopt.emit.transformation import transformation_context
from scaffold.emit.members.sharding import rules_source
from scaffold.files.fileset import File
from scaffold.import_lines import import_lines
from scaffold.in_project.layout import Layout
from scaffold.rendering.render import render
from scaffold.source.text import listed
from scaffold.spec.names import IMPORTS, TEST_IMPORTS, stem

Found = Mapping[str, Any]
Skip = tuple[str, str]
"""A part of the name of a test, and why it does not hold."""
_SUITES = {"nnx": "NnxLaws"}
_TAKEN = ("self", "instance", "arguments", "seed")


class Adopted(Struct, frozen=True):
    """A class, what was found of it, and where its tests go."""

    module: str
    name: str
    stem: str
    found: Found
    skips: Sequence[Skip] = field(default=())
    accepted: Sequence[str] = ()
    """The parts of the names of tests that were left out before, and are again where they find something."""

    @property
    def label(self) -> str:
        """As it is told."""
        return f"{self.module}:{self.name}"


def stems_of(classes: Iterable[tuple[str, str]], taken: Iterable[str] = ()) -> dict[tuple[str, str], str]:
    """The names of the test files: of the class, with as much of its module as tells two apart, and from those `taken`."""
    classes, taken = list(classes), list(taken)
    wanted = {cls: stem(cls[1].rpartition(".")[2]) for cls in classes}
    for depth in range(1, 6):
        names = [*wanted.values(), *taken, *taken]
        clashes = [cls for cls in classes if names.count(wanted[cls]) > 1]
        for clash in clashes:
            above = clash[0].replace("_", ".").strip(".").split(".")[-depth:]
            wanted[clash] = "_".join([*filter(None, above), stem(clash[1].rpartition(".")[2])])
    return wanted


def test_file(adopted: Adopted, layout: Layout) -> File:
    """The test file, before it is formatted."""
    [(path, text)] = render(template_of(adopted), context_of(adopted, layout))
    return File(path, text)


def template_of(adopted: Adopted) -> str:
    """The template that lays the tests out."""
    return "adopt-transformation" if adopted.found["kind"] == "transformation" else "adopt"


def context_of(adopted: Adopted, layout: Layout) -> dict[str, Any]:
    """What the template lays out: plain JSON."""
    skips = [(repr(part).replace("'", '"'), why) for part, why in adopted.skips]
    shared = {
        "tests_folder": layout.tests.as_posix(),
        "stem": adopted.stem,
        "test_helpers": list(dict.fromkeys(told_of(adopted.found, "helpers"))),
        "skips": skips,
        "severity": layout.settings.severity,
        "test_imports": [],
        "guessed": tuple(adopted.found.get("extra_unknown", ())),
    }
    is_class = adopted.found["kind"] != "transformation"
    kind_context = class_context(adopted) if is_class else transformation_context(adopted.found, adopted.name)
    context = {**shared, **kind_context, "sharding": rules_text(adopted.found, layout) if is_class else ""}
    [(_, text)] = render(template_of(adopted), context)
    return {**context, "test_imports": imports_of(text, adopted, layout)}


def class_context(adopted: Adopted) -> dict[str, Any]:
    """What is laid out of a class alone."""
    description = adopted.found
    name = adopted.name.rpartition(".")[2]
    return {
        "name": name,
        "module_doc": module_doc(adopted),
        "suite": "StateLaws" if is_stateful(description) else _SUITES.get(description["kind"], "PytreeLaws"),
        "manifest": "variables" if description["kind"] == "nnx" else "leaves",
        "leaves": description["leaves"],
        "static": [[quoted(path), value] for path, value in description["static"]],
        "returns": description["outputs"],
        "methods": [
            method_row(method, arguments, f"Test{name}") for method, arguments in description["extra"]
        ],
        "updates": [quoted(path) for path in description["updates"]],
        "inputs": description["inputs"] or ([["seed", "seed"]] if description["build"] else []),
        "needs_seed": bool(description["build"]),
        "built": "Any",
        "construct": built_text(description),
        "state": state_text(description),
        **call_context(description),
    }


def rules_text(description: Found, layout: Layout) -> str:
    """The rules of the project for the dims that the class names in its annotations; empty where there are none."""
    factors = {name for dim in description["dims"] for name in (dim, *dim.split("*"))}
    rules = tuple(rule for rule in layout.settings.sharding if rule[0] in factors)
    return rules_source(rules) if rules else ""


def built_text(description: Found) -> str:
    if description["build"]:
        return str(description["build"])
    return f"{description['maker']}(**inputs)" + ("[0]" if description["has_state"] else "")


def state_text(description: Found) -> str:
    return f"{description['maker']}(**self.inputs(seed))[1]" if is_stateful(description) else ""


def is_stateful(description: Found) -> bool:
    """Whether a state goes through the call that was found."""
    return bool(description["has_state"] and description["called"])


def call_context(description: Found) -> dict[str, Any]:
    """The example arguments, and the call with them by name."""
    if not description["called"]:
        return {"is_called": False, "arguments": [], "targets": "", "call": "", "ignores_key": False}
    static = description["static_arguments"]
    taken = [(name, text) for name, text, _ in description["arguments"] if name not in static]
    names = [safe(name) for name, _ in taken]
    arguments = given_to(description["arguments"], static)
    targets = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
    return {
        "is_called": True,
        "arguments": [text for _, text in taken],
        "targets": targets,
        "call": written_call(description, arguments),
        "ignores_key": description["ignores_key"],
    }


def written_call(description: Found, arguments: Sequence[str]) -> str:
    """The call as it is written: over a batch, where it names the axis of one."""
    axis = description["axis"]
    if not axis:
        return call_text("instance", description["method"], arguments)
    method = f"instance.{description['method']}" if description["method"] else "instance"
    by_position = [name for name, _, by_name in description["arguments"] if not by_name]
    by_name = arguments[len(by_position) :]
    parameters = ", ".join(map(safe, by_position))
    mapped = f"lambda {parameters}: {method}({', '.join([parameters, *by_name])})" if by_name else method
    places = ", ".join("0" if name in axis["mapped"] else "None" for name in by_position)
    in_axes = f"({places},)" if len(by_position) == 1 else f"({places})"
    out_axes = "(0, None)" if axis["has_state"] else "0"
    axes = f'{in_axes}, {out_axes}, axis_name="{axis["name"]}"'
    return f"jax.vmap({mapped}, {axes})({', '.join(arguments[: len(by_position)])})"


def method_row(method: str, arguments: Sequence[tuple[str, str, bool]], suite: str) -> str:
    """A method as the suite declares it: its example arguments, and how it takes them where that is not by position.

    It stands in the body of the suite, where an instance that another method is asked of has no `self` to be made by.
    """
    values = ", ".join(text.replace("self.make(", f"{suite}().make(") for _, text, _ in arguments)
    row = f'"{method}", lambda seed: ({values}{"," if len(arguments) == 1 else ""})'
    if any(by_name for _, _, by_name in arguments):
        names = [safe(name) for name, _, _ in arguments]
        texts = given_to(arguments)
        row += f", call=lambda instance, {', '.join(names)}: {call_text('instance', method, texts)}"
    return f"Method({row})"


def given_to(arguments: Iterable[tuple[str, str, bool]], static: Sequence[str] = ()) -> list[str]:
    """What a call is written with: names, those by name as such, and what is `static` as it is."""
    texts = [(name, text if name in static else safe(name), by_name) for name, text, by_name in arguments]
    return [f"{name}={text}" if by_name else text for name, text, by_name in texts]


def told_of(description: Found, key: str) -> list[Any]:
    """What was found for the constructor, for the call, for the methods and for the declared leaves."""
    return [
        element
        for part in ("", "call_", "extra_", "leaf_")
        for element in description.get(f"{part}{key}", ())
    ]


def quoted(path: str) -> str:
    """A path as Python writes it: the keys of dicts may have quotes of their own."""
    return f'"{path}"' if repr(path)[1:-1] == path and '"' not in path else repr(path)


def safe(name: str) -> str:
    """The name of an argument, where that means something else in the test."""
    return f"{name}_" if name in _TAKEN or keyword.iskeyword(name) else name


def module_doc(adopted: Adopted) -> str:
    """What the file is, and what in it was guessed."""
    lines = [f'"""Tests of `{adopted.name}`.']
    if guessed := list(dict.fromkeys(told_of(adopted.found, "guessed"))):
        also = f"; {adopted.found['also']}" if adopted.found.get("also") else ""
        plural = "s" * (len(guessed) > 1)
        lines += [
            "",
            f"Guessed, since no annotation says it: the shape{plural} of {listed(f'`{name}`' for name in guessed)}{also}.",
        ]
    if steps := adopted.found.get("steps", ()):
        lines += [
            "",
            f"Guessed, since the call follows it in steps alone: {listed(f'`{name}`' for name in steps)} may have no gradient.",
        ]
    return "\n".join([*lines, '"""']) if len(lines) > 1 else f'{lines[0]}"""'


def imports_of(text: str, adopted: Adopted, layout: Layout) -> list[str]:
    """The imports, read off the file."""
    description = adopted.found
    outer = adopted.name.partition(".")[0]
    pairs = told_of(description, "imports")
    lines = {**TEST_IMPORTS, "optax": "import optax", **{name: line for name, line in pairs}}
    if outer not in IMPORTS:
        lines.setdefault(outer, f"from {adopted.module} import {outer}")
    top = (layout.package or "").partition(".")[0]
    packages = {top, *(adopted.module.partition(".")[0],)} if _is_own(adopted.module, layout) else {top}
    return import_lines(text, lines, sorted(packages - {""}))


def _is_own(module: str, layout: Layout) -> bool:
    above, top = layout.root / layout.import_root, module.partition(".")[0]
    return (above / f"{top}.py").is_file() or (above / top).is_dir()


def skip_of(finding: Mapping[str, Any]) -> Skip:
    """What leaves a test out of which something was found, with its text as the reason."""
    part = re.sub(r"\[.*", "", str(finding["test"])).removeprefix("test_")
    text = plain_text(str(finding["what"]))
    return part, f"{finding['law']} {finding['name']}, at `{finding['where']}`: {text}"[:300]


def skips_of(description: Found) -> list[Skip]:
    """What is left out since something was guessed of which the laws would speak."""
    unsure = [unusable_skip(*pair) for pair in description.get("unusable", ())[:1]]
    unsure = unsure or [unsure_skip(member) for member in description.get("unsure", ())[:1]]
    return [*unsure, *(skip for name in description.get("presumed", ())[:1] for skip in presumed_skips(name))]


def presumed_skips(argument: str) -> list[Skip]:
    """What leaves a derivative rule out that says what a function does which was guessed."""
    why = f"nobody has said what `{argument}` is, and a derivative rule says what it does: where it is said, the rule is held to P9"
    return [("p09_methods_have", why), ("p09_derivative_rules", why)]


def unsure_skip(member: str) -> Skip:
    """What leaves methods out for which no sizes were found."""
    why = f"no sizes of the arrays were found with which `{member}` works: where they are said, it is held to P7"
    return "p07_methods_give", why


def unusable_skip(member: str, error: str) -> Skip:
    """What leaves methods out which raised for what was found, where nothing is known of how the class is called."""
    why = f"it is not known how `{member}` is used, which raised {plain_text(error)}: where a call is said, it is held to P7"
    return "p07_methods_give", why


def file_path(adopted: Adopted, layout: Layout) -> PurePosixPath:
    """Where the tests go."""
    return layout.test_file(adopted.stem)
