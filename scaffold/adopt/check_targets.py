"""Checks of targets and options against the classes that the interpreter has listed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scaffold.adopt.report import LeftOut, Outcome
from scaffold.adopt.targets.targets import Target
from scaffold.adopt.targets.wanted import Wanted
from scaffold.errors import Fault, ScaffoldError, suggestion

_LACKS = re.compile(r"ModuleNotFoundError: No module named '(\w+)")
"""Matches the error for a missing package."""
MOST_TOLD = 20
"""Maximum number of legal names in a fault. Longer lists are left out."""


def mistake_of(outcome: Outcome) -> Fault:
    """Return the fault of an option such as `--build` whose expression does not work."""
    fix = "write what works on the class; names are those of its module, jax, jnp, np, eqx, sample, and `--with`"
    return Fault(outcome.mistake, outcome.why, fix)


def left_out_of(listed: Mapping[str, Any]) -> tuple[LeftOut, ...]:
    """List the classes without a suite, and the modules and targets that cannot be imported, with reasons."""
    classes = [
        LeftOut(cls["module"], cls["name"], cls["why"])
        for cls in listed["classes"]
        if cls["why"] and (cls["named"] or "no pytree" not in cls["why"])
    ]
    modules = [LeftOut(module["module"], "", module["why"]) for module in listed["passed_over"]]
    targets = [LeftOut(fault["target"], "", fault["why"]) for fault in listed["faults"]]
    return *classes, *modules, *targets


def check_listed(listed: Mapping[str, Any], targets: Sequence[Target], wanted: Wanted) -> None:
    """Raise `ScaffoldError` for targets and options that cannot be used.

    Examples are names that do not exist, `--build` or `--call` for several classes, and `--set` of an unknown
    argument.
    """
    classes = [cls for cls in listed["classes"] if not cls["why"]]
    fix = "write a module that this interpreter can import, or name another with `--python`"
    faults = list[Fault]()
    for fault in listed["faults"]:
        meant = fault.get("meant")
        if classes and meant is None:
            continue  # other classes are adopted, and the target is left out
        told = f"cannot be looked at: {fault['why']}"
        lacks = _LACKS.search(fault["why"])
        if lacks and lacks[1] != re.split(r"[.:]", fault["target"])[0]:
            told_fix = f"install `{lacks[1]}` for this interpreter, or name another with `--python`"
        else:
            told_fix = f"did you mean `{meant}`?" if meant else fix
        faults.append(Fault(fault["target"], told, told_fix))
    named = [cls for cls in listed["classes"] if cls["named"] and cls["why"] and not classes]
    faults += [
        Fault(f"{cls['module']}:{cls['name']}", cls["why"], "name a class that can be built") for cls in named
    ]
    if not faults and not classes:
        texts = ", ".join(target.text for target in targets)
        whys = [f"`{left.name}`: {left.why}" for left in left_out_of(listed) if left.name]
        problem = (
            f"holds no class to adopt ({'; '.join(whys)})" if whys else "holds no class that jax flattens"
        )
        faults.append(Fault(texts, problem, "name another module, or a class"))
    if len(classes) > 1 and (wanted.build or wanted.call):
        option = "--build" if wanted.build else "--call"
        faults.append(
            Fault(option, f"is said of one class, and there are {len(classes)}", "name one `pkg.mod:Class`")
        )
    if faults:
        raise ScaffoldError.of(faults)
    if wanted.said:
        _check_said(wanted.said, listed["taken"])


def _check_said(said: Mapping[str, str], taken: Sequence[str]) -> None:
    """Refuse `--set` for an argument that no constructor or method takes."""
    problem = "no constructor and no method that was found takes it"
    legal = tuple(taken) if len(taken) <= MOST_TOLD else ()
    faults = [
        Fault(f"--set {name}", problem, suggestion(name, taken, "name one of their arguments"), legal)
        for name in said
        if name not in taken
    ]
    if faults:
        raise ScaffoldError.of(faults)
