"""Break an example by hand, and its own generated tests fail, by the law that says so."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.forking import forked_pytest
from tests.support.projects import copy_example, failed_laws, passed, pytest_command, run


@dataclass(frozen=True)
class Break:
    """An edit of an example: texts to replace, each of which is there once, and a law that must notice."""

    example: str
    edits: tuple[tuple[str, str], ...]
    law: str
    needs: tuple[str, ...] = ()


REBUILT = 'fields["table"], fields["attr"] = children'
FLATTENED = "return (node.table, node.attr), (node.static,)"
KEYED = """return ((GetAttrKey("table"), node.table), (GetAttrKey("attr"), node.attr)), (
        node.static,
    )"""
ALL_OF_UNFLATTEN = """    node = object.__new__(TableBypass)
    fields = node.__dict__
    fields["table"], fields["attr"] = children
    (fields["static"],) = aux
    return node"""
TIED = """    @property
    def head(self) -> Float[Array, "size vocabulary"]:
        \"\"\"Tied to `embedding`, which alone is stored.\"\"\"
        return self.embedding.T

"""
CENTRED = 'mean = jax.lax.pmean(x, "batch")'
SPREAD = "state.get(self.variance)"
BREAKS = {
    "rows counted into the fan-in": Break(
        "linear", (("math.sqrt(max(columns, 1))", "math.sqrt(max(rows * columns, 1))"),), "P1"
    ),
    "one limit of four that is another": Break(
        "gru_cell",
        (("bias_n_key, (hidden_size,), 1 / math.sqrt(hidden_size)", "bias_n_key, (hidden_size,), 1"),),
        "P1",
    ),
    "children swapped in unflatten": Break(
        "table_bypass", ((REBUILT, 'fields["attr"], fields["table"] = children'),), "P3"
    ),
    "asarray in unflatten": Break(
        "table_bypass", ((REBUILT, REBUILT + '\n    fields["attr"] = jnp.asarray(fields["attr"])'),), "P3"
    ),
    "a static among the leaves of a pytree": Break(
        "table_bypass",
        (
            (FLATTENED, "return (node.table, node.attr, node.static), ()"),
            (
                KEYED,
                KEYED.replace(
                    "node.attr)), (\n        node.static,\n    )",
                    'node.attr), (GetAttrKey("static"), node.static)), ()',
                ),
            ),
            (REBUILT, 'fields["table"], fields["attr"], fields["static"] = children'),
            ('    (fields["static"],) = aux\n', ""),
        ),
        "P2",
    ),
    "a static among the leaves of a Module": Break(
        "affine_init", (("in_size: int = eqx.field(static=True)", "in_size: int"),), "P2"
    ),
    "an array in aux": Break(
        "table_bypass",
        (
            (FLATTENED, "return (node.table,), (node.attr, node.static)"),
            (KEYED, 'return ((GetAttrKey("table"), node.table),), (node.attr, node.static)'),
            (REBUILT, '(fields["table"],) = children'),
            ('(fields["static"],) = aux', 'fields["attr"], fields["static"] = aux'),
        ),
        "P2",
    ),
    "an array in a static field": Break(
        "affine",
        (
            (
                'weight: Float[Array, "out_size in_size"]',
                'weight: Float[Array, "o i"] = eqx.field(static=True)',
            ),
        ),
        "P2",
    ),
    "a field left out of flatten": Break(
        "table_bypass",
        (
            (FLATTENED, "return (node.table,), (node.static,)"),
            (KEYED, 'return ((GetAttrKey("table"), node.table),), (node.static,)'),
            (REBUILT, '(fields["table"],) = children'),
        ),
        "P2",
    ),
    "keys in another order than leaves": Break(
        "table_bypass",
        (
            (
                '((GetAttrKey("table"), node.table), (GetAttrKey("attr"), node.attr))',
                '((GetAttrKey("attr"), node.attr), (GetAttrKey("table"), node.table))',
            ),
        ),
        "P4",
    ),
    "a fresh lambda in a static field": Break(
        "stack",
        (
            ("activation=activation,", "activation=lambda x: activation(x),"),
            ('if "<" in getattr(', 'if False and "<" in getattr('),
            ("or isinstance(self.activation, MethodType)", "or False"),
        ),
        "P5",
        needs=("affine",),
    ),
    "a tied array that is stored twice": Break(
        "tied_embedding",
        (
            (
                '    mix: Float[Array, "size size"]',
                '    mix: Float[Array, "size size"]\n    head: Float[Array, "a b"]',
            ),
            ("            mix=", "            head=jnp.zeros((size, vocabulary), dtype),\n            mix="),
            (TIED, ""),
        ),
        "P2",
    ),
    "a tie whose gradient is stopped": Break(
        "tied_embedding",
        (("return self.embedding.T", "return jax.lax.stop_gradient(self.embedding).T"),),
        "P9",
    ),
    "a tie to more than its array": Break(
        "tied_embedding", (("return self.embedding.T", "return self.embedding.T + self.mix[0, 0]"),), "P13"
    ),
    "a weakly typed initial value": Break(
        "affine", (("bias=jnp.zeros((out_size,), dtype)", "bias=jnp.full((out_size,), 0.0)"),), "P5"
    ),
    "a buffer made trainable": Break("whiten", (('not in ("mean", "deviation")', 'not in ("mean",)'),), "P9"),
    "a buffer that gradients reach": Break(
        "whiten", (("jax.lax.stop_gradient(self.mean)", "self.mean"),), "P9"
    ),
    "a key used twice": Break(
        "leaky_cell",
        (
            (
                "weight_in_key, weight_hidden_key, logit_key = jax.random.split(key, 3)",
                "weight_in_key = weight_hidden_key = logit_key = key",
            ),
        ),
        "P15",
    ),
    "inputs kept": Break("whiten", (("mean=_real(mean, asked)", "mean=jnp.asarray(mean)"),), "P1"),
    "a check that is gone": Break("whiten", (("if not (self.epsilon > 0):", "if False:"),), "P1"),
    "an output of another dtype": Break(
        "affine", (("y = self.weight @ x", "y = (self.weight @ x).astype(jnp.float32)"),), "P7"
    ),
    "a parameter that the call forgets": Break("affine", (("y + self.bias", "y"),), "P9"),
    "a derived value that is stored": Break(
        "positive_scale",
        (("return self.scale * x", "return jax.lax.stop_gradient(self.scale) * x"),),
        "P9",
    ),
    "a state that vmap batches": Break("running_centre", (('jax.lax.pmean(x, "batch")', "x"),), "P7"),
    "a state that is not returned": Break("running_centre", (("/ deviation, state", "/ deviation"),), "P7"),
    "a state that is kept elsewhere": Break(
        "running_centre",
        ((CENTRED, f'{CENTRED}\n            object.__setattr__(self, "last", mean)'),),
        "P12",
    ),
    "a state whose gradient is cut off": Break(
        "running_centre", ((f"jnp.sqrt({SPREAD}", f"jnp.sqrt(jax.lax.stop_gradient({SPREAD})"),), "P9"
    ),
    "a state of another shape": Break(
        "running_centre", (("jnp.ones((size,), dtype))", "jnp.ones((), dtype))"),), "P2"
    ),
    "a weakly typed state": Break(
        "running_centre", (("jnp.zeros((size,), dtype)", "jnp.full((size,), 0.0)"),), "P5"
    ),
    "a carry that changes its dtype": Break(
        "leaky_cell",
        (
            ("(1 - self.rate) * drive", "((1 - self.rate) * drive).astype(jnp.float16)"),
            ("self.rate * hidden", "(self.rate * hidden).astype(jnp.float16)"),
        ),
        "P11",
    ),
}


INVERSE = "changed = (changed - added) * jnp.exp(-log_factor)"
FORWARD = "changed = changed * jnp.exp(log_factor) + added"
OFFSET = "added = added + self.offset"
REFERENCE = "test_p19_outputs_are_those_of_the_reference"
UNDONE = "TestCoupling::test_the_inverse_undoes_the_call"
CLAIMS = {
    "an inverse in another order": (
        "coupling",
        ((INVERSE, "changed = changed * jnp.exp(-log_factor) - added"),),
        {UNDONE, UNDONE.replace("Coupling", "CouplingWithoutAnOffset"), UNDONE.replace("Coupling", "CouplingOfScalars")},
        ["`close(instance(instance(x), inverse=True), x)` does not hold, with seed 0"],
    ),
    "a factor that both ways share": (
        "coupling",
        ((FORWARD, FORWARD.replace("(log_factor)", "(-log_factor)")), (INVERSE, INVERSE.replace("-log", "log"))),
        {f"TestCoupling::{REFERENCE}", "TestCoupling::test_p19_random_values_give_those_of_the_reference"},
        ["P19 numbers, at `call`: with seed 0 it is not what the reference gives"],
    ),
    "a mistake that only one configuration shows": (
        "coupling",
        ((f"if self.offset is not None:\n            {OFFSET}", f"if self.offset is not None:\n            {OFFSET}\n        else:\n            added = added + 1"),),
        {f"TestCouplingWithoutAnOffset::{REFERENCE}"},
        ["P19 numbers, at `call`: with seed 0 it is not what the reference gives"],
    ),
    "a shape that only one configuration shows": (
        "coupling",
        (("scale=0.1", "scale=(0.1 if half > 1 else jnp.ones((2, 1, 1)))"),),
        {"TestCouplingOfScalars::test_p02_leaves_are_as_declared"},
        ["P2 manifest"],
    ),
    "another way in one dtype": (
        "coupling",
        ((FORWARD, f"{FORWARD} + (x.dtype == jnp.bfloat16)"), (INVERSE, INVERSE.replace("changed - added", "changed - (x.dtype == jnp.bfloat16) - added"))),
        {"TestCoupling::test_p07_computes_in_each_declared_dtype", f"TestCoupling::{REFERENCE}"},
        ["P7 jit equals eager, at `output 0`: in bfloat16 it is not what it is in float32", "with seed 0, in bfloat16 it is not"],
    ),
}  # fmt: skip
"""What the author said of the example `Coupling`, each noticed by the test that his words became."""


@pytest.mark.spread(20)
@pytest.mark.parametrize("name", BREAKS)
def test_a_break_by_hand_is_caught(name: str, tmp_path: Path) -> None:
    broken = BREAKS[name]
    project = edited(broken.example, broken.edits, tmp_path, *broken.needs)
    result = forked_pytest(project, "-k", f"p{int(broken.law[1:]):02}")
    assert broken.law in failed_laws(result), result.stdout


@pytest.mark.spread(10)
@pytest.mark.parametrize("name", CLAIMS)
def test_what_the_author_says_notices_it(name: str, tmp_path: Path) -> None:
    example, edits, tests, told = CLAIMS[name]
    wanted = "p02_leaves or p07_computes or p19 or inverse_undoes or half_is_kept"
    result = forked_pytest(edited(example, edits, tmp_path), "-k", wanted)
    failed = set(re.findall(r"^FAILED [^:]*::(\S+)", result.stdout, re.MULTILINE))
    assert tests <= failed, result.stdout
    assert all(text in result.stdout for text in told), result.stdout


@pytest.mark.slow  # a run of its own, as others near it
def test_a_reference_holds_where_dtypes_are_promoted_strictly(tmp_path: Path) -> None:
    project = edited("coupling", (), tmp_path)
    result = run(pytest_command("-k", "p19"), project, env={"JAX_NUMPY_DTYPE_PROMOTION": "strict"})
    assert passed(result) >= 4


def edited(example: str, edits: Iterable[tuple[str, str]], folder: Path, *needs: str) -> Path:
    """A project with the example, changed by hand."""
    project = copy_example(example, folder / "project", *needs)
    module = project / f"{example}.py"
    text = module.read_text()
    for old, new in edits:
        assert text.count(old) == 1, f"the example no longer reads {old!r}"
        text = text.replace(old, new)
    module.write_text(text)
    return project
