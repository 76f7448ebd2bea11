"""What can fail in the suites: each of their tests, and each check in these; and the specimens that break them."""

# ruff: noqa: F401 - the specimens add themselves to the registers
import ast
import dataclasses

import test_declared_of_methods
import test_laws_mutants
import test_laws_nnx
import test_laws_pitfalls
import test_other_ways_of_methods
from mistakes.reported.catalogue import PITFALLS

from harness import mutants as mutant_base
from harness import nnx_modules as nnx_base
from harness import pairs as pairs
from harness.runner import PACKAGE, place_of
from tests.laws.seen_broken import suite_of

FILES = {place_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
# What no specimen in this process can trip: laws on eight devices (tests/sharding/test_sharding_mistakes.py), limits of time
# (tests/laws/by_hand), a record that an option of pytest asks for (tests/records/test_record_numbers.py), what a class itself
# raises, of which `found` has nothing (tests/laws/mistakes/structure/bases.py), and settings without a use, carried arguments and
# numbers in files (tests/laws/subjects).
ELSEWHERE = {
    "src/pytree_laws/laws/sharding/p21_sharded": "",
    "src/pytree_laws/engine/runner": ("raise Fault(name, f'it {took}'",),
    "src/pytree_laws/laws/variants/idle_settings": "",
    "src/pytree_laws/laws/variants/method_carries": "",
    "src/pytree_laws/laws/effects/p14_save": (
        "doing('load', 'a file with other numbers of Python among the leaves'",
        "subject.check_copy(other, loaded, 'save and load')",
    ),
    "src/pytree_laws/laws/values/p19_snapshot": (
        "check(is_recorded, 'numbers'",
        "check(not others, 'numbers'",
    ),
}
# What the checks themselves are made of; `second_class` asserts for type checkers alone, and `hold` sees calls without end.
MADE_OF = ("check", "check_close", "telling", "stop_if_broken", "second_class", "hold")


@dataclasses.dataclass(frozen=True)
class Check:
    """A check in the text of a suite."""

    suite: str
    where: str
    first: int
    last: int
    text: str

    def __str__(self):
        return f"{self.suite}.py:{self.first} {self.where}: {self.text}"


def is_check(node):
    """Whether an expression or a statement fails where a law is broken."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return (name.lstrip("_").startswith("check") and name != "checkpoint") or name == "raises"
    raises = isinstance(node, ast.Raise) and node.exc is not None
    return isinstance(node, ast.Assert) or (raises and ast.unparse(node.exc).startswith("Fault("))


def contexts(node):
    """The `doing(...)` of a `with`: what raises within it is a finding."""
    items = node.items if isinstance(node, ast.With) else []
    return [item.context_expr for item in items if ast.unparse(item.context_expr).startswith("doing(")]


def checks_below(node, suite, where=""):
    for child in ast.iter_child_nodes(node):
        inner = f"{where}.{child.name}".lstrip(".") if hasattr(child, "name") else where
        if inner in MADE_OF:
            continue
        for found in [*([child] if is_check(child) else []), *contexts(child)]:
            yield Check(suite, where, found.lineno, found.end_lineno, ast.unparse(found)[:90])
        yield from checks_below(child, suite, inner if hasattr(child, "body") else where)


def every_check():
    texts = {name: ast.parse(path.read_text()) for name, path in FILES.items()}
    checks = [check for name, tree in texts.items() for check in checks_below(tree, name)]
    return [check for check in checks if not is_elsewhere(check)]


def is_elsewhere(check):
    return check.suite in ELSEWHERE and check.text.startswith(ELSEWHERE[check.suite])


def every_test():
    """The tests of all suites: checks by their name, others by the class that defines them: `Laws.test_p01_leaves_its_inputs_alone`."""
    classes = [
        node
        for path in FILES.values()
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    names = {f"{one.name}.{name}" for one in classes for name in tests_in(one)}
    here = [path for place, path in FILES.items() if ELSEWHERE.get(place) != ""]
    functions = {name for path in here for name in tests_in(ast.parse(path.read_text()))}
    return sorted((names | functions) - LEFT_OUT)


def tests_in(node):
    found = (one.name for one in node.body if isinstance(one, ast.FunctionDef))
    return [name for name in found if name.startswith("test_")]


# A train state overrides a law, to leave it out.
LEFT_OUT = {"TrainStateLaws.test_p15_no_two_parameters_are_the_same_draw"}


def specimens():
    """Each wrong class with its law, as the registers have it."""
    registered = [param.values[:2] for param in (*mutant_base.MUTANTS, *nnx_base.MUTANTS)]
    noticed = [one for one in (*PITFALLS.values(), *pairs.FURTHER.values()) if not one.survives]
    declared = [
        (type(suite_of(module.Laws, cls)), f"P{int(test[1:3])}")
        for module in (test_declared_of_methods, test_other_ways_of_methods)
        for test, cls, _ in module.BROKEN
    ]
    return [*registered, *((one.broken, one.law) for one in noticed), *declared]


# The registers as they are now: some laws run the modules of specimens again.
SPECIMENS = specimens()


def seen_by(lines, checks):
    """The checks that a failure went through: on each line the narrowest."""
    for suite, line in lines:
        there = [one for one in checks if one.suite == suite and one.first <= line <= one.last]
        yield from sorted(there, key=lambda one: one.last - one.first)[:1]
