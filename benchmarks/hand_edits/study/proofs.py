"""For each edit that the first run of the study did not notice with a record: an expression that shows the change.

The form is that of `benchmarks/hand_edits/proofs.py`.
"""

ATTENTION = """\
m, s = eqx.nn.make_with_state(M.RotaryAttention.create)(3, 2, 4, capacity=2, window=2, key=k)
"""
QUANTITY = """\
q = M.Quantity.create(x, x**2, (1, 0, 0), 1000.0)
"""

PROOFS = {
    "rotary_attention: Keys are cut off from gradients when they are put into the cache.": ATTENTION
    + """\
s = m.step(r(3), s)[1]
jax.grad(lambda weight: jnp.sum(at(m, qkv=weight).step(x, s)[0]))(m.qkv)
""",
    "rotary_attention: A full cache overwrites its last entry, not its oldest.": ATTENTION
    + """\
for token in r(3, 3):
    y, s = m.step(token, s)
y
""",
    "rotary_attention: The window of a whole sequence is a token longer than that of a step.": ATTENTION
    + "m(r(3, 3), s)[0]",
    "invertible_linear: The temperature of a sample has no effect.": """\
M.InvertibleLinear.create(3, key=k).sample(temperature=0.5, key=k)
""",
    "spectral_block: The convolution gives 32 bits, whatever it is given.": """\
M.SpectralBlock.create(2, 3, dtype=jnp.bfloat16, key=k).convolved(r(2, 7).astype(jnp.bfloat16)).dtype.name
""",
    "vector_quantizer: The index of a code has the width that jax gives it.": """\
from flax import nnx
m = M.VectorQuantizer(in_size=3, size=2, codes=5, rngs=nnx.Rngs(0))
with jax.enable_x64(True):
    name = m.encode(r(4, 3)).dtype.name
name
""",
    "quantity: Variances of another shape than the values are taken.": "M.Quantity.create(r(3), r(2)).variance",
    "quantity: In another unit the variance is scaled as the value is.": QUANTITY + "q.to(1.0)",
    "quantity: Terms in different units are added without a conversion.": QUANTITY
    + "q + M.Quantity.create(x, x**2, (1, 0, 0))",
    "flow_state: The averaged model has the dtype of the average, not that of the model.": """\
from invertible_linear import InvertibleLinear
m = InvertibleLinear.create(3, dtype=jnp.bfloat16, key=k)
M.FlowState.create(m, optax.sgd(0.1), key=k).averaged().lower.dtype.name
""",
    "stack: A file is written in place, so that a run that is killed leaves half of it.": """\
import safetensors.numpy
m = M.Stack.create(3, key=k)
m.save(folder + '/a')
def killed(tensors, name, metadata):
    Path(name).write_bytes(b'half')
    raise KeyboardInterrupt
real, safetensors.numpy.save_file = safetensors.numpy.save_file, killed
try:
    m.save(folder + '/a')
except KeyboardInterrupt:
    pass
safetensors.numpy.save_file = real
m.load(folder + '/a', m).depth
""",
    "nnx_block: Functions are chosen by the very type of a Variable, not by its nearest base.": """\
from flax import nnx
from nnx_state import map_variables
m = M.NnxBlock(3, rngs=nnx.Rngs(0))
map_variables({nnx.Variable: jnp.zeros_like}, m)['mix'].get_value()
""",
    "nnx_block: A state of another dtype is restored.": """\
from flax import nnx
m = M.NnxBlock(3, rngs=nnx.Rngs(0))
(m.restore(nnx.state(M.NnxBlock(3, dtype=jnp.float16, rngs=nnx.Rngs(0)))), m.mix[...].dtype.name)
""",
    "mlp: Complex arrays are not trained.": """\
M.MLP(3, 2, 4, 1, activation=jnp.tanh, dtype=jnp.complex64, key=k).trainable().layers[0].weight
""",
    "decoder: The mask for optax asks each array, and no sub-module.": """\
from weight_decay import decayed
decayed(M.DecoderBlock(2, 4, 3, 5, key=k)).attention_scale
""",
    "so3: The root is taken of what may be zero; only the division is safe.": """\
jax.jacobian(lambda tangent: M.SO3.exp(tangent).matrix)(jnp.zeros(3))
""",
    "shear: Components that are integers stay so.": "M.Shear(1, 0).g1.dtype.name",
}

UNCHANGED = frozenset(
    {
        # `jnp.full` of a Python number is weakly typed, so the product has the dtype of the values, as before.
        "quantity: The weights of the plain mean are made in jax's default float.",
    }
)
"""Edits that turned out to change nothing."""
