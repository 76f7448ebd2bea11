"""Recipes for the tests that find most: lines of plain jax whose last line raises."""

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from scaffold.adopt.reproduce.example import Example
from scaffold.adopt.reproduce.plain import DRAWN, ONES, Numbers

Finding = Mapping[str, Any]
Recipe = Callable[[Example, Finding], list[str]]
_FILL = re.compile(r"with each element of the arguments (-?[\d.e+]+) ")
COMPILED = "compiled call"
"""Place of a finding that the call cannot be compiled, whichever test found it."""
_REFUSED = re.compile(r"unflatten of (\w+) leaves raised")
_BEFORE = re.compile(r"before a round trip (.+), after ")
_LEAVES = {
    "object": "object()",
    "None": "None",
    "str": "'leaf'",
    "bool": "True",
    "abstract": "jax.ShapeDtypeStruct((1,), jnp.float32)",
    "rank": "jnp.zeros((1, 1, 1, 1), jnp.int8)",
}
"""Placeholders that P3 puts in the place of leaves, by their name in the finding."""
_ZEROS = re.compile(r"with arguments of zeros ")


def scripts_for(example: Example, finding: Finding) -> list[str]:
    """Return scripts that may show a finding, the simplest first, or none without a recipe."""
    is_of_jit = finding["where"] == COMPILED
    recipe = jitted if is_of_jit else RECIPES.get(str(finding["test"]).partition("[")[0])
    if recipe is None or example.kind == "transformation":
        return []
    scripts: list[str] = []
    for numbers, called_with in numbers_for(finding):
        try:
            with_numbers = replace(example, numbers=numbers, called_with=called_with)
            scripts.append(with_numbers.script(recipe(with_numbers, finding)))
        except (ValueError, SyntaxError, KeyError):  # expressions that only the suite can evaluate
            continue
    return list(dict.fromkeys(scripts))


def numbers_for(finding: Finding) -> list[tuple[Numbers, Numbers]]:
    """Return the numbers to try for the instance and the call.

    For P9 random numbers come first, since gradients at ones say little about other gradients.
    """
    text = str(finding["what"])
    fill = _FILL.search(text)
    if fill or _ZEROS.search(text):
        return [(numbers, Numbers(fill[1] if fill else "0")) for numbers in (ONES, DRAWN)]
    pairs = [(ONES, ONES), (DRAWN, DRAWN)]
    return pairs[::-1] if finding["law"] == "P9" else pairs


# -- copies ------------------------------------------------------------------------------------------------------------


def copied(expression: str) -> Recipe:
    """Make a recipe for a copy that has another treedef, or raises."""

    def lines(example: Example, finding: Finding) -> list[str]:
        is_after = "after `jax.tree.map`" in finding["what"]
        mapped = ["instance = jax.tree.map(lambda leaf: leaf, instance)"] if is_after else []
        same = f"assert jax.tree.structure({expression}) == jax.tree.structure(instance)"
        return [example.built, *mapped, same]

    return lines


def round_trip(example: Example, finding: Finding) -> list[str]:
    """Put in other leaves, which unflatten refuses or converts."""
    refused = _REFUSED.search(finding["what"])
    leaf = _LEAVES.get(refused[1], "object()") if refused else _put_in(finding["what"])
    if refused:
        return [example.built, f"jax.tree.map(lambda leaf: {leaf}, instance)"]
    rebuilt = "jax.tree.map(lambda leaf: placeholder, instance)"
    is_same = "all(leaf is placeholder for leaf in leaves)"
    return [
        example.built,
        f"placeholder = {leaf}",
        f"leaves = jax.tree.leaves({rebuilt}, is_leaf=lambda leaf: leaf is placeholder)",
        f"assert {is_same}",
    ]


def _put_in(text: str) -> str:
    """Return a placeholder of the sort that the finding names, which came back changed."""
    kinds = {"True": "bool", "False": "bool", "'": "str", "None": "None", "<": "object", "Shape": "abstract"}
    sort = next((sort for start, sort in kinds.items() if text.startswith(f"put in {start}")), "rank")
    return _LEAVES[sort]


def setting_kept(example: Example, finding: Finding) -> list[str]:
    """Show that `jax.tree.map` changes a setting."""
    name, before = str(finding["where"]), _BEFORE.match(finding["what"])
    value = ast.literal_eval(before[1]) if before else None
    make = example.make(changed={name.removeprefix("_"): repr(value)})
    return [f"instance = {make}", f"assert jax.tree.map(lambda leaf: leaf, instance).{name} == {value!r}"]


def replaced(example: Example, finding: Finding) -> list[str]:
    """Show that `dataclasses.replace` without changes gives another treedef."""
    return [
        example.built,
        "assert jax.tree.structure(dataclasses.replace(instance)) == jax.tree.structure(instance)",
    ]


def two_alike(example: Example, finding: Finding) -> list[str]:
    """Show that two instances of the same configuration have different treedefs."""
    first, second = example.make(0), example.make(0)
    return [f"assert jax.tree.structure({first}) == jax.tree.structure({second})"]


# -- constructors ------------------------------------------------------------------------------------------------------


def built_under_jit(example: Example, finding: Finding) -> list[str]:
    """Call the constructor under `jax.jit`, with tracers for its arrays."""
    traced = {
        name: text for name, text in example.inputs.items() if re.search(r"\bjnp\.|\bjax\.random\.", text)
    }
    changed = {name: f"{name}" for name in traced}
    names, arguments = ", ".join(traced), ", ".join(traced.values())
    treedef = f"jax.tree.structure({example.make(changed=changed)})"
    return [
        "treedefs = []",
        "with jax.checking_leaks():",
        f"    jax.jit(lambda {names}: treedefs.append({treedef}))({arguments})",
    ]


def configured(example: Example, finding: Finding) -> list[str]:
    """Call the constructor with the argument that the finding names."""
    name, _, value = str(finding["where"]).partition("=")
    ast.parse(value, mode="eval")
    return [example.make(changed={name: value})] if name.isidentifier() else []


# -- statics -----------------------------------------------------------------------------------------------------------


def hashed(example: Example, finding: Finding) -> list[str]:
    """Hash a static value that has no hash."""
    return [example.built, f"hash({example.held(finding['where'])})"]


def a_leaf(example: Example, finding: Finding) -> list[str]:
    """Show an array that is not a leaf."""
    path = example.held(finding["where"])
    return [example.built, f"assert any(leaf is {path} for leaf in jax.tree.leaves(instance))"]


def weakly_typed(example: Example, finding: Finding) -> list[str]:
    """Show a weakly typed leaf, whose dtype the first update changes."""
    return [example.built, f"assert not {example.held(finding['where'])}.weak_type"]


# -- calls -------------------------------------------------------------------------------------------------------------


def bfloat16(example: Example, finding: Finding) -> list[str]:
    """Call an instance in bfloat16 with arguments in bfloat16."""
    arguments = [text for _, text, keyed in example.arguments() if not keyed]
    call = example.call(arguments=["*arguments"] if arguments else [])
    is_half = (
        f"{call}.dtype == jnp.bfloat16"
        if example.gives_an_array
        else f"all(getattr(leaf, 'dtype', None) != jnp.float32 for leaf in jax.tree.leaves({call}))"
    )
    cast = "lambda leaf: leaf.astype(jnp.bfloat16) if getattr(leaf, 'dtype', None) == jnp.float32 else leaf"
    tuple_of = f"({', '.join(arguments)}{',' if len(arguments) == 1 else ''})"
    return [
        f"half = {cast}",
        f"{example.targets}, arguments = jax.tree.map(half, ({_unpacked(example)}, {tuple_of}))",
        f"assert {is_half}",
    ]


def _unpacked(example: Example) -> str:
    return f"*{example.make()}" if example.one.found["has_state"] else example.make()


def no_nan(example: Example, finding: Finding) -> list[str]:
    """Call the instance with values for which it returns NaN."""
    call = example.call()
    if example.gives_an_array:
        return [example.built, f"assert not jnp.isnan({call}).any()"]
    return [example.built, f"assert not any(jnp.isnan(leaf).any() for leaf in jax.tree.leaves({call}))"]


def jitted(example: Example, finding: Finding) -> list[str]:
    """Compare the call under jit with the eager call."""
    call = example.call("instance", _names(example))
    run = f"jax.jit(lambda {', '.join(['instance', *_names(example)])}: {call})"
    arguments = ", ".join(["instance", *(text for _, text, keyed in example.arguments() if not keyed)])
    if finding["where"] == COMPILED:
        return [example.built, f"{run}({arguments})"]
    if example.gives_an_array:
        return [example.built, f"assert jnp.allclose({run}({arguments}), {example.call()}, atol=1e-5)"]
    pairs = f"jax.tree.leaves(({run}({arguments}), {example.call()}))"
    return [
        example.built,
        f"leaves = {pairs}",
        "assert all(map(jnp.allclose, leaves[: len(leaves) // 2], leaves[len(leaves) // 2 :]))",
    ]


def _names(example: Example) -> list[str]:
    return [name for name, _, keyed in example.arguments() if not keyed]


def two_keys(example: Example, finding: Finding) -> list[str]:
    """Compare calls with two keys."""
    first, second = example.call(), example.call()
    changed = re.sub(r"jax\.random\.key\(0\)", "jax.random.key(1)", second)
    return [example.built, f"assert not jnp.array_equal({first}, {changed})"]


def traced_once(example: Example, finding: Finding) -> list[str]:
    """Count the traces of two instances of the same configuration."""
    jit = "eqx.filter_jit" if example.kind == "module" else "jax.jit"
    call = example.call("instance")
    return [
        "traces = []",
        f"run = {jit}(lambda instance: (traces.append(1), {call})[1])",
        f"run({example.make(0)}), run({example.make(1)})",
        "assert len(traces) == 1",
    ]


def stacked(example: Example, finding: Finding) -> list[str]:
    """Call two stacked instances under `jax.vmap`."""
    both = f"jax.tree.map(lambda *leaves: jnp.stack(leaves), {example.make(0)}, {example.make(1)})"
    names = _names(example)
    run = f"lambda {', '.join(['instance', *names])}: {example.call('instance', names)}"
    in_axes = f"({', '.join(['0', *['None'] * len(names)])}{'' if names else ','})"
    arguments = ", ".join(["both", *(text for _, text, keyed in example.arguments() if not keyed)])
    return [f"both = {both}", f"jax.jit(jax.vmap({run}, {in_axes}))({arguments})"]


# -- gradients ---------------------------------------------------------------------------------------------------------


def gradient(example: Example, finding: Finding) -> list[str]:
    """Show that the gradient by a leaf is zero, or not finite."""
    if example.kind == "nnx":
        raise ValueError("its gradients are a state")
    path = example.held(finding["where"]).replace("instance", "grads", 1)
    is_module = example.kind == "module"
    grad, integers = ("eqx.filter_grad", "") if is_module else ("jax.grad", ", allow_int=True")
    call = example.call()
    leaves = f"jax.tree.leaves({call})"
    total = f"jnp.sum({call})" if example.gives_an_array else f"sum(jnp.sum(leaf) for leaf in {leaves})"
    is_finite = "not finite" not in finding["what"] and "NaN" not in finding["what"]
    claim = f"{path}.any()" if is_finite else f"jnp.isfinite({path}).all()"
    return [
        f"grads = {grad}(lambda instance: {total}{integers})({example.make()})",
        f"assert {claim}",
    ]


def updated(example: Example, finding: Finding) -> list[str]:
    """Show that a call ignores an edit of a leaf."""
    path = example.held(finding["where"])
    name = path.removeprefix("instance.")
    edited = f"eqx.tree_at(lambda instance: {path}, instance, {path} + 1)"
    if example.kind != "module":
        edited = f"dataclasses.replace(instance, {name}={path} + 1)"
    outputs = example.call("edited"), example.call()
    pairs = (
        ", ".join(outputs)
        if example.gives_an_array
        else ", ".join(f"jax.tree.leaves({output})" for output in outputs)
    )
    is_same = f"jnp.array_equal({pairs})" if example.gives_an_array else f"all(map(jnp.array_equal, {pairs}))"
    return [example.built, f"edited = {edited}", f"assert not {is_same}"]


RECIPES: Mapping[str, Recipe] = {
    "test_p01_builds_in_each_configuration": configured,
    "test_p01_builds_under_jit_without_leaking": built_under_jit,
    "test_p02_no_array_hides_elsewhere": a_leaf,
    "test_p03_round_trip_keeps_any_leaves": round_trip,
    "test_p03_round_trip_keeps_what_the_constructor_is_given": setting_kept,
    "test_p05_attributes_are_immutable_and_hashable": hashed,
    "test_p05_aux_is_hashable_and_free_of_arrays": hashed,
    "test_p05_no_leaf_is_weakly_typed": weakly_typed,
    "test_p05_treedef_depends_on_the_configuration_alone": two_alike,
    "test_p06_one_trace_serves_all_instances": traced_once,
    "test_p07_bfloat16_in_bfloat16_out": bfloat16,
    "test_p07_equal_arguments_give_no_nan": no_nan,
    "test_p07_jit_equals_eager": jitted,
    "test_p08_every_parameter_changes_the_output": updated,
    "test_p09_every_parameter_has_a_gradient": gradient,
    "test_p09_no_gradient_is_nan_where_the_output_is_finite": gradient,
    "test_p10_stacked_instances": stacked,
    "test_p13_replace_and_copy_keep_the_value": replaced,
    "test_p14_deepcopy": copied("copy.deepcopy(instance)"),
    "test_p14_pickle": copied("pickle.loads(pickle.dumps(instance))"),
    "test_p16_keys_give_different_draws": two_keys,
}
"""Recipe by test name. Findings of other tests have no reproduction."""
