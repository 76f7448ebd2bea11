"""Drawn classes of few arrays in every role, whose body uses each of them in ways of all kinds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.drawn.drafts import Draw

SHAPES = ("f[]", "f[n]", "f[n,n]")
TERMS = {
    "f[]": ("{} * y", "y - jnp.sin({})", "jnp.where({} > 0.4, y, -y) * {}"),
    "f[n]": ("{} * y", "y + jnp.cos({})", "jnp.maximum({}, y)", "jnp.roll(y, 1) * {} + y[::-1]"),
    "f[n,n]": ("{} @ y", "y @ {}.T", "y + {}[0] * {}[:, 1]"),
}
"""Maps of `y` by an array of each shape."""
WAYS = (
    "y = {}",
    "y = {}  # as it is",
    "if self.flag:\n    y = {}\nelse:\n    y = y * 0.5",
    "for _ in range(2):\n    y = jnp.tanh({})",
    "def step(y):\n    return {}\ny = step(y)",
    "y = (lambda y: {})(y)",
    "y = sum(({}) * scale for scale in (1.0, 0.5))",
    "with jax.named_scope('part'):\n    y = {}",
)
SCAN = "y, _ = jax.lax.scan(lambda y, _: (jnp.tanh({}), None), y, length=2)"
"""Drawn once in a while: each compiles programs of its own."""
UPDATES = (
    "self.{0} = 0.9 * self.{0} + 0.1 * {1}",
    "self.{0} += {1}",
    "self.{0} *= 0.5 + {1}",
    "self.{0} = {1}",
    "if self.flag:\n    self.{0} = {1} - self.{0}",
    "for _ in range(2):\n    self.{0} = jnp.tanh(self.{0} + {1})",
    "self.{0} = self.{0} * {1}; y = y - jnp.sum(self.{0})",
)
MADE = {"f[]": "jnp.sum(y)", "f[n]": "jnp.sin(y)", "f[n,n]": "jnp.outer(y, y)"}
"""What a state of each shape is updated by."""
ROLES = {
    "module": ("param", "data", "buffer", "state", "derived", "shared", "module"),
    "pytree": ("param", "data", "buffer", "derived", "shared"),
    "closure": ("param", "data", "buffer", "derived"),
    "nnx": ("param", "data", "buffer", "state", "derived"),
}


@dataclass
class Body:
    """A class that is being drawn."""

    draw: Draw
    kind: str
    fields: dict[str, Any] = field(default_factory=lambda: {"flag": {"type": "bool", "default": True}})
    lines: list[str] = field(default_factory=lambda: ["y = x"])

    def one(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def add(self, role: str) -> None:
        """A field of the role, and the statements that use it."""
        name = f"{role}_{len(self.fields)}"
        _MEMBERS.get(role, _array)(self, name, role)

    def use(self, shape: str, value: str) -> None:
        term = self.one(*TERMS[shape]).format(value, value)
        self.lines.append(self.one(*WAYS * 5, SCAN).format(term) + "\ny = jnp.tanh(y)")

    def arrays(self) -> list[str]:
        """The parameters and data that are there for others to read."""
        kept = ("param", "data")
        return [n for n, t in self.fields.items() if t.get("role") in kept and t["type"] in SHAPES]


def _array(body: Body, name: str, role: str) -> None:
    shape = body.one(*SHAPES)
    holder = body.one("{}", "{}", "{}", "list[{}]", "dict[str, {}]", "{} | None", "tree")
    if (holder == "tree" and body.kind in ("nnx", "closure")) or (role == "param" and holder == "{} | None"):
        holder = "{}"
    body.fields[name] = {"type": holder.format(shape), "role": role}
    if role == "param" and body.one(True, False, False):
        body.fields[name]["frozen"] = True
    value = f"self.{name}"
    match holder:
        case "list[{}]":
            body.use(shape, f"{value}[{body.one(0, 1)}]")
        case "dict[str, {}]":
            body.use(shape, f"{value}['b']")
        case "tree":
            body.lines.append(f"y = y + sum(jnp.sum(leaf ** 2) for leaf in jax.tree.leaves({value}))")
        case "{} | None":
            term = body.one(*TERMS[shape]).format(value, value)
            body.lines.append(f"if {value} is not None:\n    y = {term}")
        case _:
            body.use(shape, value)


def _state(body: Body, name: str, role: str) -> None:
    shape = body.one(*SHAPES)
    body.fields[name] = {"type": shape, "role": role, **body.one({}, {"init": "ones"})}
    reads = body.draw(st.lists(st.booleans(), min_size=2, max_size=4))
    for is_read in [*reads, True]:
        if is_read:
            body.use(shape, f"self.{name}")
        else:
            body.lines.append(body.one(*UPDATES).format(name, MADE[shape]))
    body.lines.append(f"self.{name} = self.{name} * 0.5 + {MADE[shape]}")
    body.use(shape, f"self.{name}")


def _derived(body: Body, name: str, role: str) -> None:
    source = body.one(*body.arrays())
    shape = body.fields[source]["type"]
    init = body.one("=jnp.exp({})", "=self.{} * 2").format(source)
    body.fields[name] = {"type": shape, "role": role, "init": init}
    body.use(shape, f"self.{name}")


def _shared(body: Body, name: str, role: str) -> None:
    source = body.one(*body.arrays())
    body.fields[name] = {"type": body.fields[source]["type"], "role": role, "of": f"{source}.T"}
    body.use(body.fields[source]["type"], f"self.{name}")


def _module(body: Body, name: str, role: str) -> None:
    init = "=eqx.nn.Linear(n, n, key=key)"
    body.fields[name] = {"type": "equinox.nn:Linear", "init": init, "frozen": body.one("flag", True, False)}
    body.lines.append(body.one(*WAYS).format(f"jnp.tanh(self.{name}(y))"))


_MEMBERS: dict[str, Callable[[Body, str, str], None]] = {
    "state": _state,
    "derived": _derived,
    "shared": _shared,
    "module": _module,
}


@st.composite
def classes(draw: Draw) -> dict[str, Any]:
    """The raw tables of a spec, for `read_spec`."""
    kind = draw(st.sampled_from(["module", "module", "pytree", "nnx", "closure"]))
    body = Body(draw, kind)
    body.fields["anchor"] = {"type": body.one(*SHAPES), "role": "param"}
    body.use(body.fields["anchor"]["type"], "self.anchor")
    for role in draw(st.lists(st.sampled_from(ROLES[kind]), min_size=2, max_size=5)):
        body.add(role)
    _leave_out_roles(body)
    call = {"args": "x: f[n]", "returns": "f[n]", "body": "\n".join([*body.lines, "return y"])}
    return {"name": "Drawn", "kind": kind, "fields": body.fields, "call": call, **_form(body)}


def _leave_out_roles(body: Body) -> None:
    """Say nothing of what is given, in some of the classes that then train nothing: it is data."""
    tables = body.fields.values()
    frozen = any(table.get("frozen") not in (None, True) or "Linear" in table["type"] for table in tables)
    if not frozen and body.one(True, False):
        for table in tables:
            if table.get("role") in ("param", "data") and "frozen" not in table:
                del table["role"]


def _form(body: Body) -> dict[str, Any]:
    """How it is built and rebuilt, and how its fields lie."""
    forms: dict[str, tuple[dict[str, Any], ...]] = {
        "module": ({}, {"constructor": "init"}, {"groups": {"part": ["anchor"]}, "layout": "nested"}),
        "pytree": ({}, {"rebuild": "flag"}, {"rebuild": "factory"}, {"constructor": "init"}),
    }
    return body.one(*forms.get(body.kind, ({},)))
