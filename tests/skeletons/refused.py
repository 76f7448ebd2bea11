"""The closed list of ordinary Python that is refused: what is known to go wrong when the class runs.

`docs/refusals.md` is made of it, and a test runs each mistake and sees it go wrong. What is not on the list is understood or
carried. Faults of the tool's own words, such as an unknown key, are no part of it.
"""

from msgspec import Struct


class Refusal(Struct, frozen=True):
    """One mistake: how a fault of it reads, what happens at run time, and what to write."""

    key: str
    says: str
    """What a fault of it says, as a regular expression."""
    happens: str
    """What happens when the class runs, as the last line of the traceback or as what is wrong with the numbers."""
    report: str
    """Where it was met."""
    fix: str
    mistake: str
    """What makes it: the body of a method, a method, or the statements of a file, one of them a class."""
    runs: str = ""
    """What shows it where it is no method: statements over `eqx`, `jax`, `jnp` and a class `Part` with one array."""


REFUSALS = (
    Refusal(
        key="unknown-name",
        says="the name `.*` is not known here|there is no class `",
        happens="NameError: name 'scale' is not defined",
        report="Python looks names up when the line runs, so a method that no test calls hides it.",
        fix="Import the name, bind it above the class, or read the field as `self.NAME`.",
        mistake="return scale * x",
    ),
    Refusal(
        key="unknown-attribute",
        says=r"`self\..*` is no field|`cls\..*` is no method",
        happens="AttributeError: 'Layer' object has no attribute 'bias'",
        report="A field that was renamed in the class and not in a branch of the call.",
        fix="Declare the field, or name one that is there. A class with `__getattr__` or a base of another library is not asked.",
        mistake="return self.weight * x + self.bias",
    ),
    Refusal(
        key="assigns-field",
        says="assigns `self.*`",
        happens="FrozenInstanceError: cannot assign to field 'weight'",
        report="equinox#711, equinox#840: instances are immutable once they are made.",
        fix="Return a new instance, with `eqx.tree_at` or the constructor; in kind `nnx`, or with role `state`, an assignment is right.",
        mistake="self.weight = self.weight + x\nreturn x",
    ),
    Refusal(
        key="misfit-call",
        says=r"`.*\(\.\.\.\)` (takes groups|does not fit)",
        happens="TypeError: Layer.__init__() got an unexpected keyword argument 'b'",
        report="ott's `LinearProblem`: 67 tests passed beside a method that always raised.",
        fix="Give what the constructor takes, here and in calls of other classes of the file: the class itself takes every field as it is stored, `create` what makes them.",
        mistake="return Layer(self.weight + x, b=3)",
    ),
    Refusal(
        key="optional-unasked",
        says="`self.*` (may be None|is None where)",
        happens="TypeError: unsupported operand type(s) for +: 'jaxlib._jax.ArrayImpl' and 'NoneType'",
        report="A bias that may be left out, added without a question.",
        fix="Ask before: `if self.offset is not None:`.",
        mistake="return x + self.offset",
    ),
    Refusal(
        key="field-and-method",
        says="is a field too",
        happens="TypeError: non-default argument 'offset' follows default argument",
        report="The method becomes the default of the field; where the constructor is the author's, the value hides the method.",
        fix="Rename one of the two.",
        mistake="def weight(self):\n    return 1",
    ),
    Refusal(
        key="role-unsaid",
        says="nothing says (what is stored|whether it is trained)|bare float has no role|no role of its own|mixes what is traced",
        happens="TracerBoolConversionError: Attempted boolean conversion of traced array",
        report="A rate that the call branches on is static, and one that is learned is an array: either guess is wrong for the other.",
        fix="Give the field a role: `static()`, `data()`, `param()`. One error asks for all fields of a kind.",
        mistake="class Layer(Module):\n    rate: float",
        runs=(
            "class Layer(eqx.Module):\n    rate: float\n"
            "jax.jit(lambda layer: 1.0 if layer.rate > 0 else 0.0)(Layer(0.5))"
        ),
    ),
    Refusal(
        key="taken-name",
        says=(
            "is a dim too|is a name that (the class|the module) (uses itself|imports)|is a word of Python|would be mangled"
            "|would hide the module|hides (the module|the builtin|what else|a member|`)|comes from two places"
        ),
        happens="AttributeError: 'ArrayImpl' object has no attribute 'asarray'",
        report="The constructor that is emitted reads `jnp`, and an argument of that name stands before the module.",
        fix="Rename it, or write the constructor yourself: what it reads is then yours.",
        mistake='class Layer(Module):\n    jnp: Float[Array, " n"] = param()',
        runs="def create(jnp):\n    return jnp.asarray(jnp)\ncreate(jnp.ones(3))",
    ),
    Refusal(
        key="shared-default",
        says="default of a Module would be shared",
        happens="RuntimeError: Array has been deleted",
        report="All instances hold the arrays of the one default, and to donate one instance deletes those of the others.",
        fix="Leave the default out, or make the part in `init`.",
        mistake="class Layer(Module):\n    part: eqx.nn.Identity = module(default=eqx.nn.Identity())",
        runs=(
            "class Layer(eqx.Module):\n    part: Part = Part(jnp.ones(3))\n"
            "jax.jit(lambda layer: layer, donate_argnums=0)(Layer())\nLayer().part.weight.tolist()"
        ),
    ),
    Refusal(
        key="unequal-static",
        says="would compile anew",
        happens="AssertionError: compiled twice",
        report="NaN as a static value is unequal to itself, so that every call compiles.",
        fix="Write a value that equals itself, or store an array.",
        mistake="class Layer(Module):\n    rate: float = static(float('nan'))",
        runs=(
            "class Layer(eqx.Module):\n    rate: float = eqx.field(static=True)\n"
            "call = jax.jit(lambda layer: 1.0)\ncall(Layer(float('nan')))\ncall(Layer(float('nan')))\n"
            "assert call._cache_size() == 1, 'compiled twice'"
        ),
    ),
    Refusal(
        key="default-of-another-type",
        says=r"is not (an? \w|'|True|False|\d)",
        happens="TypeError: 'str' object cannot be interpreted as an integer",
        report="A depth in quotes. The constructor checks static values by type, and would refuse its own default.",
        fix="Write a value of the declared type, or another type.",
        mistake="class Layer(Module):\n    depth: int = static('two')",
        runs="class Layer(eqx.Module):\n    depth: int = 'two'\nrange(Layer().depth)",
    ),
    Refusal(
        key="inherits-constructor",
        says="does not make the fields of",
        happens="TypeError: Layer.__init__() missing 1 required positional argument: 'weight'",
        report="A subclass adds a field to a class that has a `create`, which knows only the fields of its own.",
        fix="Write `__init__` in the subclass, or in the base, or leave a method of the base to subclasses.",
        mistake='class Base(Module):\n    weight: Float[Array, " n"] = param()\n\n\nclass Layer(Base):\n    rate: int = static()',
        runs=(
            "class Layer(Part):\n    rate: int\n    @classmethod\n    def create(cls, rate):\n"
            "        return cls(rate=rate)\nLayer.create(3)"
        ),
    ),
    Refusal(
        key="two-kinds",
        says="a class is of one kind",
        happens="TypeError: metaclass conflict",
        report="The class statement of a class that is a Module of Equinox and of Flax.",
        fix="Name one kind, and hold the other as a field.",
        mistake="class Layer(Module, nnx.Module):\n    pass",
        runs="class Layer(eqx.Module, nnx.Module):\n    pass",
    ),
    Refusal(
        key="base-twice",
        says="`.*` is there twice",
        happens="TypeError: duplicate base class Part",
        report="Python refuses the class statement.",
        fix="Remove one.",
        mistake="class Layer(Part, Part, Module):\n    pass",
        runs="class Layer(Part, Part):\n    pass",
    ),
    Refusal(
        key="unknown-keyword",
        says="unknown key `.*`",
        happens="TypeError: Layer.__init_subclass__() takes no keyword arguments",
        report="`layout=` with two letters exchanged, in a class statement. A base of another library may take any keyword.",
        fix="Write a key of a spec, or what a base takes.",
        mistake='class Layer(Module, layuot="flat"):\n    pass',
        runs='class Layer(eqx.Module, layuot="flat"):\n    pass',
    ),
    Refusal(
        key="unmade-field",
        says="is kept as it is, and does not make",
        happens="TypeError: Field 'weight' was not initialized",
        report="A branch in an `__init__` makes it the author's own, and a field with `param()` has nobody to make it.",
        fix="Assign the field there, or let `__init__` do no more than assign: the tool makes the rest.",
        mistake=(
            'class Layer(Module):\n    weight: Float[Array, " n"] = param()\n    rate: int = static()\n\n'
            "    def __init__(self, rate: int):\n        if rate > 0:\n            self.rate = rate"
        ),
        runs=(
            "class Layer(eqx.Module):\n    weight: object\n    rate: int\n\n"
            "    def __init__(self, rate):\n        if rate > 0:\n            self.rate = rate\nLayer(3)"
        ),
    ),
    Refusal(
        key="lost-attribute",
        says="stores what is no field, and is lost where jax rebuilds an instance",
        happens="AttributeError: 'Layer' object has no attribute 'size'",
        report="chebax: a series that locks itself with `object.__setattr__` was unlocked by each `jit`.",
        fix="Declare it, with a role.",
        mistake=(
            'class Layer(Pytree):\n    weight: Float[Array, " n"] = param()\n\n'
            "    def __init__(self, weight: Array):\n        self.weight = weight\n        self.size = len(weight)"
        ),
        runs=(
            "@jax.tree_util.register_pytree_node_class\nclass Layer:\n"
            "    def __init__(self, weight):\n        self.weight, self.size = weight, len(weight)\n\n"
            "    def tree_flatten(self):\n        return (self.weight,), None\n\n"
            "    @classmethod\n    def tree_unflatten(cls, aux, children):\n"
            "        node = object.__new__(cls)\n        (node.weight,) = children\n        return node\n"
            "jax.tree.map(jnp.sin, Layer(jnp.ones(2))).size"
        ),
    ),
    Refusal(
        key="registered-twice",
        says="is registered by its base, and once more by the file",
        happens="ValueError: Duplicate custom PyTreeDef type registration",
        report="A registered pytree whose base becomes `Pytree`, with its own registration left above it.",
        fix="Take out the base, and the class stays as it is written; or what registers it, with its two methods.",
        mistake=(
            "@jax.tree_util.register_pytree_node_class\nclass Layer(Pytree):\n"
            '    weight: Float[Array, " n"] = param()\n\n'
            "    def tree_flatten(self):\n        return (self.weight,), None\n\n"
            "    @classmethod\n    def tree_unflatten(cls, aux, children):\n        return cls(*children)"
        ),
        runs=(
            "@jax.tree_util.register_pytree_node_class\nclass Layer(eqx.Module):\n    weight: object\n\n"
            "    def tree_flatten(self):\n        return (self.weight,), None\n\n"
            "    @classmethod\n    def tree_unflatten(cls, aux, children):\n        return cls(*children)"
        ),
    ),
)
