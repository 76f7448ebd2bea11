"""An example for each role, and the law that notices when what plays it is treated as if it played another."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scaffold import load_spec
from scaffold.spec.tables.key import ROLES
from tests.support.forking import forked_pytest
from tests.support.projects import EXAMPLES, copy_example, failed_laws

NOT_TRAINED = '("past_keys", "past_values", "mask")'
BELOW = 'but=("base",) if self.freeze_base else ()'


@dataclass(frozen=True)
class Treated:
    """An edit of an example, by which something is treated as if it had another role."""

    example: str
    edit: tuple[str, str]
    law: str = "P9"
    needs: tuple[str, ...] = ()


def cache(old: str, new: str, law: str = "P9") -> Treated:
    return Treated("key_cache", (old, new), law)


def low_rank(old: str, new: str, law: str = "P9") -> Treated:
    return Treated("low_rank_linear", (old, new), law, ("linear",))


TREATED = {
    "data as a buffer: its gradient is cut off": cache("self.past_keys @", "jax.lax.stop_gradient(self.past_keys) @"),
    "data as a parameter: it is trained": cache(NOT_TRAINED, '("past_values", "mask")'),
    "data as static": cache('past_keys: Float[Array, "length size"]', 'past_keys: Float[Array, "l s"] = eqx.field(static=True)', "P2"),
    "a buffer as data: its gradient is not cut off": cache("jax.lax.stop_gradient(self.mask)", "self.mask"),
    "a buffer as a parameter: it is trained": cache(NOT_TRAINED, '("past_keys", "past_values")'),
    "a parameter as data: it is not trained": cache(NOT_TRAINED, NOT_TRAINED.replace("(", '("to_query", '), "P16"),
    "a parameter as a buffer: its gradient is cut off": cache("(self.to_query @ x)", "(jax.lax.stop_gradient(self.to_query) @ x)"),
    "a frozen part as a trained one: it moves": low_rank(BELOW, "but=()"),
    "a frozen part as a buffer: nothing passes through": low_rank("self.base(x)", "jax.lax.stop_gradient(self.base(x))"),
    "a parameter as a frozen one": low_rank(BELOW, f'but=("up",) + ({BELOW[4:]})'),
    "static as a leaf": low_rank("scale: float = eqx.field(static=True)", "scale: float", "P2"),
    "a sub-module as data": Treated("stack", ("trained_fields(self)", 'trained_fields(self, but=("layers",))'), "P16", ("affine",)),
    "a sub-module as static": Treated("stack", ("layers: tuple[Affine, ...]", "layers: tuple[Affine, ...] = eqx.field(static=True)"), "P2", ("affine",)),
    "a callable as a leaf": Treated("stack", ("activation: Callable[..., Any] = eqx.field(static=True)", "activation: Callable[..., Any]"), "P2", ("affine",)),
    "state as a buffer: its gradient is cut off": Treated("running_centre", ("(x - state.get(self.mean)) / deviation", "(x - jax.lax.stop_gradient(state.get(self.mean))) / deviation")),
    "a derived value as a buffer": Treated("positive_scale", ("return self.scale * x", "return jax.lax.stop_gradient(self.scale) * x")),
    "a shared array as a buffer": Treated("tied_embedding", ("return self.embedding.T", "return jax.lax.stop_gradient(self.embedding).T")),
    "data of a NamedTuple as parameters": Treated("belief", ("lambda _: False", "lambda _: True"), "P16"),
}  # fmt: skip


def roles() -> Iterator[str]:
    """The roles that the examples have."""
    for path in EXAMPLES.glob("specs/*.toml"):
        for field in load_spec(path).fields:
            yield "frozen" if field.frozen else field.role


def test_each_role_has_an_example() -> None:
    assert sorted({*roles()}) == sorted({*ROLES, "frozen"})


@pytest.mark.spread(8)
@pytest.mark.parametrize("name", TREATED)
def test_a_law_notices_what_is_treated_as_if_it_had_another_role(name: str, tmp_path: Path) -> None:
    one = TREATED[name]
    project = copy_example(one.example, tmp_path / "project", *one.needs)
    module = project / f"{one.example}.py"
    text = module.read_text()
    assert text.count(one.edit[0]) == 1, f"the example no longer reads {one.edit[0]!r}"
    module.write_text(text.replace(*one.edit))
    result = forked_pytest(project, "-k", f"p{one.law[1:]:0>2}_")
    assert one.law in failed_laws(result), result.stdout
