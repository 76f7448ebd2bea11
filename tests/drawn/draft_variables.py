"""Drawn fields of NNX modules: buffers in Variables, which the call may update, lists and dicts of arrays, layers of Flax."""

from typing import Any

from hypothesis import strategies as st

from scaffold.spec.grammar.types import ArrayType
from scaffold.spec.reading.made_variables import FLAX
from tests.drawn.draft_fields import (
    computed_array,
    derived,
    flag,
    function,
    given_array,
    initialised_array,
    preset_dict,
    shaped_array,
    static_value,
    stored_dim,
)
from tests.drawn.drafts import COMPLEX, INTEGER, REAL, Draft, drawn_array, initialiser, summed, text, total


def variable(draft: Draft) -> None:
    """An array in a Variable of Flax, or of a type of its own, that the call updates or not."""
    array = drawn_array(draft, (*REAL, *COMPLEX, *INTEGER, "f", "f", "i32"))
    table: dict[str, Any] = {"type": text(array), "role": draft.one("data", "buffer", "state", "state")}
    if draft.chance():
        table["init"] = initialiser(draft, array)
    if not draft.rarely():
        table["variable"] = draft.draw(st.sampled_from((*FLAX, "Count", "RunningMean")))
    name = draft.new_name()
    draft.add(name, table, total(array, f"self.{name}"))
    may_update = table["role"] == "state" or (table["role"] == "buffer" and not array.inexact)
    if array.dtype != "bool" and may_update and draft.chance():
        doubled = f"self.{name} = self.{name} + self.{name} + 1"  # with 1, since zeros would stay zeros
        draft.lines.append(draft.one(f"self.{name} += 1", doubled))


def variables(draft: Draft) -> None:
    """A list or dict of arrays, given or made."""
    name, n = draft.new_name(), draft.draw(st.sampled_from(draft.dims))
    kind = draft.one("list[{}]", "dict[str, {}]")
    table: dict[str, Any] = {"type": kind.format(text(ArrayType(draft.one("f", "f32"), draft.shape(most=2))))}
    if draft.chance():
        made = "jnp.ones(({n},), dtype) * (i + 1) for i in range(2)".replace("{n}", n)
        table = {"type": kind.format(f"f[{n}]")}
        table["init"] = f"=[{made}]" if kind == "list[{}]" else f'={{f"at_{{i}}": {made}}}'
    elif draft.rarely():
        table["role"] = draft.one("data", "buffer")
    missing = "init" in table and draft.rarely()
    if missing:
        table["optional"] = flag(draft)
    draft.add(name, table, summed(f"self.{name}"), missing=missing)


def layers(draft: Draft) -> None:
    """Layers of Flax, one or several of them."""
    name = draft.new_name()
    holder = draft.one("{}", "list[{}]", "list[{}]", "dict[str, {}]")
    one = "nnx.Linear(2, 3, param_dtype=dtype, rngs=rngs)"
    made = {
        "{}": one,
        "list[{}]": f"[{one} for _ in range(2)]",
        "dict[str, {}]": f'{{f"at_{{i}}": {one} for i in range(2)}}',
    }
    use = {
        "{}": f"jnp.sum(self.{name}(jnp.ones((2,), x.dtype)))",
        "list[{}]": f"sum(jnp.sum(part(jnp.ones((2,), x.dtype))) for part in self.{name})",
        "dict[str, {}]": f"sum(jnp.sum(part(jnp.ones((2,), x.dtype))) for part in self.{name}.values())",
    }
    draft.add(name, {"type": holder.format("flax.nnx:Linear"), "init": f"={made[holder]}"}, use[holder])


NNX_MEMBERS = (
    *(given_array, initialised_array, initialised_array, computed_array, variable, variable, variables),
    *(layers, static_value, static_value, function, preset_dict, stored_dim, shaped_array, derived),
)
