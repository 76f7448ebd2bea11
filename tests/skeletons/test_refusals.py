"""What is refused of ordinary Python is a closed list, and each entry goes wrong when it runs."""

import re
import textwrap
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from scaffold import ScaffoldError, find_layout, plan
from scaffold.generate import load_specs
from tests.skeletons.refused import REFUSALS, Refusal

PAGE = Path(__file__).parents[2] / "docs/refusals.md"
HEAD = """\
import equinox as eqx
import jax.numpy as jnp
from elsewhere import Part
from flax import nnx
from jaxtyping import Array, Float

from scaffold.skeleton import Module, Pytree, module, param, static


"""
FIELDS = """\
class Layer(Module):
    weight: Float[Array, " n"] = param("ones")
    offset: Float[Array, " n"] | None = param()

"""
BY_HAND = """\
class Layer(eqx.Module):
    weight: object
    offset: object

METHOD
layer = Layer(jnp.ones(3), None)
layer.weight() if callable(layer.weight) else layer(jnp.ones(3))
"""
PART = "class Part(eqx.Module):\n    weight: object\n"


def skeleton_of(one: Refusal) -> str:
    """The skeleton that makes the mistake."""
    return HEAD + (one.mistake if one.runs else FIELDS + method_of(one)) + "\n"


def method_of(one: Refusal) -> str:
    """The method that makes the mistake."""
    is_method = one.mistake.startswith("def ")
    text = one.mistake if is_method else f"def __call__(self, x):\n{textwrap.indent(one.mistake, '    ')}"
    return textwrap.indent(text, "    ")


@pytest.mark.parametrize("one", REFUSALS, ids=lambda one: one.key)
def test_each_mistake_goes_wrong_when_it_runs(one: Refusal) -> None:
    names: dict[str, object] = {"eqx": eqx, "jax": jax, "jnp": jnp, "nnx": nnx}
    exec(PART, names)
    with pytest.raises(Exception) as caught:
        exec(one.runs or BY_HAND.replace("METHOD", method_of(one)), names)
    told = f"{type(caught.value).__name__}: {caught.value}"
    kind, _, words = one.happens.partition(": ")
    assert told.startswith(f"{kind}: ") and words.split("'")[0] in told, told


@pytest.mark.parametrize("one", REFUSALS, ids=lambda one: one.key)
def test_each_mistake_is_refused_where_it_stands(one: Refusal, tmp_path: Path) -> None:
    path = tmp_path / "layer.py"
    path.write_text(skeleton_of(one))
    with pytest.raises(ScaffoldError) as caught:
        plan(load_specs([path]), find_layout(tmp_path))
    (fault,) = caught.value.faults[:1]
    assert re.search(one.says, fault.what), fault.what
    assert fault.line is not None and fault.line >= 9


def page() -> str:
    """The page of the documentation, made of the list."""
    head = (
        "# What is refused\n\nA skeleton is ordinary Python, and what the tool does not know of it, it carries. "
        "These mistakes are refused, since they are\nknown to go wrong when the class runs; each has a test that runs it. "
        "What the words of the vocabulary ask for is checked\nbesides, as [skeletons.md](skeletons.md) says.\n"
    )
    return head + "".join(map(_section, REFUSALS))


def _section(one: Refusal) -> str:
    return f"\n## {one.key}\n\n```text\n{one.mistake}\n```\n\nWhen it runs: `{one.happens}`.\n\n{one.report}\n\n**Fix.** {one.fix}\n"


def test_the_page_is_made_of_the_list(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--refresh-examples"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page(), "run `pytest tests/skeletons/test_refusals.py --refresh-examples`"
