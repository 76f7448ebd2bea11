"""P10: vmap equals a loop."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax

from ...engine.applicability import CALLED, TAKES_KEYS, need, not_applicable
from ...engine.registry import Checks
from ...inspect.arrays import raw, restore_like
from ...inspect.trees import arrays_of, flatten, replace_leaves, stack, structure, unstacked
from ...kinds.suite import Suite
from ...report import ADVICE, FAULT, Law, doing, result_or_error, result_or_raise
from ...session import once_per_session
from ...trace.jaxprs import NEEDS_VALUES
from ...trace.programs import join_modules, run_batched, split_modules
from ...values.closeness import check_close, close
from ...values.randomize import need_equal_draws, perturb_leaf
from ...values.rounding import rounds_so_far

LAW = Law(
    number="P10",
    name="vmap equals loop",
    statement="The call and the constructor give under vmap what a loop gives, also where only some leaves are mapped.",
    protects="A class that fails under `jax.vmap`, or as an ensemble built by `eqx.filter_vmap`, or that gives other results there than a Python loop does.",
    mistake="A leaf is no array, the call uses Python control flow on values, or unflatten rejects batched leaves and None.",
    fix="Keep the leaves arrays, use jnp.where and lax.cond, and let unflatten only store.",
    rests_on=(
        "test_p02_leaves_are_",
        "test_p03_round_trip",
        "test_p05_aux",
        "test_p05_treedef_",
        "test_p12_calls_do_not_depend",
    ),
)
CHECKS = Checks(LAW)


@CHECKS.register(CALLED)
def test_p10_stacked_instances(subject: Suite) -> None:
    instances, arguments = rows_of(subject)
    values = [subject.to_arrays(instance)[0] for instance in instances]
    name = type(instances[0]).__name__
    need(arrays_of((values, arguments)), "there are no arrays to map over")
    need(len({*map(structure, values)}) == 1, "instances differ in what is static, of which P5 speaks")
    with doing(name, "vmap over stacked instances"):
        got = result_or_raise(mapped(subject)[0])
    loop = [subject.run(instance, *a) for instance, a in zip(instances, arguments)]
    need_equal_draws((values, arguments))
    check_rows(subject, name, got, loop, list(zip(instances, arguments)))


@CHECKS.register()
def test_p10_one_leaf_mapped(subject: Suite) -> None:
    instance, arguments = subject.cached_example()
    value, back = subject.to_arrays(instance)
    leaves, treedef = flatten(value)
    need(leaves, "the class has no arrays")
    name = next(iter(subject.named(instance)), type(instance).__name__)  # what is in no Variable has no name
    # Whole instances can be mapped where this raises: nodes of libraries, as sparse arrays, may refuse None.
    severity = FAULT if subject.declares_arrays() and holds_none(treedef) else ADVICE
    with doing(name, "vmap over this leaf alone, in_axes None for the others", severity=severity):
        got = result_or_raise(mapped(subject)[1])
    edited = (replace_leaves(value, {0: leaf}) for leaf in (leaves[0], perturb_leaf(leaves[0])))
    rows = [(back(each), arguments) for each in edited]
    loop = [subject.run(edited_instance, *arguments) for edited_instance, _ in rows]
    need_equal_draws((value, arguments))
    check_rows(subject, name, got, loop, rows)


def check_rows(
    subject: Suite, where: str, got: Any, loop: Sequence[Any], rows: Sequence[tuple[Any, Any]]
) -> None:
    """Check that vmap gives what a loop over instances and arguments gives.

    A row may differ by as much as rounding moves the row.
    """
    # Of a sparse array vmap counts its axis among what is static, and a stack does not.
    if any(map(is_sparse, jax.tree.leaves(got, is_leaf=is_sparse))):
        got, loop = with_arrays_of_sparse(got), [with_arrays_of_sparse(row) for row in loop]
    elif not close(got, stack(loop), slack=16):
        is_alike = bool(arrays_of(got)) and structure(got) == structure(loop[0])
        if is_alike and all(
            close(row, wanted, slack=16) or rounds_so_far(subject, instance, arguments, row, wanted)
            for row, wanted, (instance, arguments) in zip(unstacked(got), loop, rows)
        ):
            return
    check_close(where, "vmap gives {}, a loop {}", got, stack(loop), slack=16)


def is_sparse(node: Any) -> bool:
    """Whether a node is a sparse array of jax."""
    sparse: Any = sys.modules.get("jax.experimental.sparse")
    return sparse is not None and isinstance(node, sparse.JAXSparse)


def with_arrays_of_sparse(tree: Any) -> Any:
    """Replace each sparse array of a tree by the list of its arrays."""
    return jax.tree.map(lambda node: arrays_of(node) if is_sparse(node) else node, tree, is_leaf=is_sparse)


def holds_none(treedef: Any) -> bool:
    """Whether a treedef keeps None in place of each leaf.

    A flatten that takes sub-trees apart itself leaves None out.
    """
    empty = treedef.unflatten([None] * treedef.num_leaves)
    return jax.tree.structure(empty, is_leaf=lambda leaf: leaf is None) == treedef


def rows_of(subject: Suite) -> tuple[list[Any], list[Any]]:
    """Return instances of one configuration, and arguments for each."""
    seeds = range(3)
    return list(map(subject.cached_instance, seeds)), list(map(subject.arguments, seeds))


@once_per_session
def mapped(subject: Suite) -> list[Any]:
    """Run the call under vmap over instances, and over one leaf. A result may be an error."""
    made = [result_or_error(over_instances, subject), result_or_error(over_one_leaf, subject)]
    outputs = iter(run_batched([program for program in made if not isinstance(program, Exception)]))
    return [program if isinstance(program, Exception) else next(outputs) for program in made]


def over_instances(subject: Suite) -> tuple[Callable[..., Any], Sequence[Any]]:
    """Return the call mapped over instances, and its arguments."""
    instances, arguments = rows_of(subject)
    call, _ = subject.pure_call(instances[0])
    values = stack([subject.to_arrays(each)[0] for each in instances])
    parts = [split_modules(each) for each in arguments]
    held, rows = parts[0][0], [given for _, given in parts]
    if any(other != held for other, _ in parts):  # no vmap maps over what is static
        held, rows = None, arguments
    return jax.vmap(lambda value, given: call(value, *join_modules(held, given))), (values, stack(rows))


def over_one_leaf(subject: Suite) -> tuple[Callable[..., Any], Sequence[Any]]:
    """Return the call mapped over the first leaf alone, and its arguments."""
    instance, arguments = subject.cached_example()
    call, value = subject.pure_call(instance)
    leaves, treedef = flatten(value)
    axes = treedef.unflatten([0, *[None] * (len(leaves) - 1)])
    stacked = replace_leaves(value, {0: stack([leaves[0], perturb_leaf(leaves[0])])})
    return jax.vmap(lambda value: call(value, *arguments), in_axes=(axes,)), (stacked,)


@CHECKS.register(TAKES_KEYS)
def test_p10_vmapped_constructor(subject: Suite) -> None:
    with doing("build", "the constructor under vmap"):
        try:
            drawn = subject.drawn_by_path()
        except NEEDS_VALUES:
            not_applicable("the constructor decides by the values of arrays")
    need_equal_draws(jax.random.key(0))
    for seed in (0, 1):
        built = subject.named(subject.built_with_key(jax.random.key(seed)))
        # An array of NNX that lies in no Variable is static where it is traced: P1 speaks of that.
        for name in sorted(built.keys() & drawn.keys()):
            got = restore_like(raw(drawn[name])[seed], built[name])
            check_close(name, "vmap gives {}, a loop {}", got, built[name], slack=16)
