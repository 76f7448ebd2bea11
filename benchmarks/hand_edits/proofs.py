"""For each edit that a run did not notice: an expression that has another value once the edit is made.

`M` is the edited module, `folder` an empty one, and the last line of a text the expression. What is found to differ is no proof of a mistake that
could be noticed, only that something changed.
"""

PRELUDE = """\
from pathlib import Path
import equinox as eqx, jax, jax.numpy as jnp, numpy as np, optax
k = jax.random.key(0)
x = jnp.array([0.3, -2.0, 5.0])
r = lambda *shape: jax.random.normal(jax.random.key(7), shape)
def at(m, **leaves):
    for name, value in leaves.items():
        m = eqx.tree_at(lambda m: getattr(m, name), m, value)
    return m
"""

PROOFS = {
    "affine: The bias is subtracted.": """\
m = M.Affine.create(2, 3, key=k)
at(m, bias=r(2))(x)
""",
    "affine_init: The product is wrapped in a new `jax.jit` at each call, which compiles it each time.": """\
m = M.AffineInit(3, 2, key=k)
m(x)
traced = []
real, jax.jit = jax.jit, lambda f: traced.append(f) or real(f)
m(x)
jax.jit = real
len(traced)
""",
    "linear: An output of size 1 loses its axis, as only the scalar output should.": "M.Linear(3, 1, key=k)(x).shape",
    "linear: The imaginary part of a complex weight repeats the real one.": "M.Linear(3, 2, dtype=jnp.complex64, key=k).weight",
    "embedding: A table that is given is stored as it is: neither copied nor cast to `dtype`.": "M.Embedding(weight=np.ones((3, 2)), dtype=jnp.float16).weight.dtype.name",
    "embedding: The two stored sizes are swapped.": """\
m = M.Embedding(4, 2, key=k)
(m.num_embeddings, m.embedding_size)
""",
    "embedding: Indices are counted from one.": "M.Embedding(4, 2, key=k)(jnp.int32(1))",
    "gru_cell: The bias of the candidate stays when biases are switched off.": "M.GRUCell(3, 2, use_bias=False, key=k).bias_n is None",
    "gru_cell: The reset gate and the update gate are swapped.": "M.GRUCell(3, 2, key=k)(x, r(2))",
    "gru_cell: The update gate says how much is new, not how much is kept.": "M.GRUCell(3, 2, key=k)(x, r(2))",
    "layer_norm: The bias is added only where there is a weight.": """\
m = M.LayerNorm(3, use_weight=False)
at(m, bias=r(3))(x)
""",
    "layer_norm: The state that is handed in is not handed back.": "type(M.LayerNorm(3)(x, 1)).__name__",
    "layer_norm: The former flag for weight and bias switches the weight alone.": """\
M.LayerNorm(3, elementwise_affine=False).bias is None
""",
    "layer_norm: The variance is that of a sample, divided by n - 1.": "M.LayerNorm(3)(x)",
    "layer_norm: Epsilon is added to the deviation, not to the variance.": "M.LayerNorm(3, eps=0.1)(x)",
    "layer_norm: Only the last axis is normalised.": "M.LayerNorm((2, 3))(r(2, 3))",
    "dropout: The argument `inference=False` no longer overrides the field.": "M.Dropout(0.5, inference=True)(r(9), key=k, inference=False)",
    "dropout: The probability is inverted: it says what is kept.": "M.Dropout(0.1)(r(99), key=k)",
    "dropout: What is kept is not scaled.": "M.Dropout(0.1)(r(99), key=k)",
    "dropout: One mask is drawn for all rows.": "M.Dropout(0.5)(r(9, 9), key=k)",
    "mlp: All hidden layers after the first start with the same weights.": """\
m = M.MLP(3, 2, 4, 3, key=k)
bool(jnp.all(m.layers[1].weight == m.layers[2].weight))
""",
    "mlp: The last layer has a bias when the hidden ones have.": """\
m = M.MLP(3, 2, 4, 3, use_bias=False, key=k)
m.layers[-1].bias is None
""",
    "mlp: The last layer is made in jax's default float.": "M.MLP(3, 2, 4, 3, dtype=jnp.float16, key=k).layers[-1].weight.dtype.name",
    "mlp: The first hidden layer has no activation where the layers are scanned over.": "M.MLP(3, 2, 4, 3, scan=True, key=k)(x)",
    "mlp: A scalar output goes without the final activation.": "M.MLP(3, 'scalar', 4, 3, final_activation=jnp.tanh, key=k)(x)",
    "coupling: The offset is left out on the way back.": """\
m = at(M.Coupling.create(2, key=k), offset=r(2))
m(r(4), inverse=True)
""",
    "key_cache: The scores are divided by the size, without the square root.": "M.KeyCache.create(3, r(4, 2), r(4, 2), jnp.zeros(4), key=k)(x)",
    "key_cache: The scores are scaled by the length of the cache, not by the size of a key.": "M.KeyCache.create(3, r(4, 2), r(4, 2), jnp.zeros(4), key=k)(x)",
    "leaky_cell: The rate is the logit itself.": "M.LeakyCell.create(2, 3, key=k)(r(2), x)",
    "leaky_cell: The rate says how much is new, not how much is kept.": "M.LeakyCell.create(2, 3, key=k)(r(2), x)",
    "leaky_cell: The recurrent weights are transposed.": "M.LeakyCell.create(2, 3, key=k)(r(2), x)",
    "max_norm: The largest entry is taken without its absolute value.": "M.MaxNorm.create(3)(-x)",
    "positive_scale: The scale is the exponential, not the softplus, of the parameter.": "M.PositiveScale.create(3, key=k)(x)",
    "positive_scale: The call scales by the unconstrained parameter.": "M.PositiveScale.create(3, key=k)(x)",
    "random_features: The input is multiplied by the width of the kernel, not divided.": "M.RandomFeatures.create(k, jnp.full(3, 2.0), 2)(x)",
    "regressor: The last layer is made in jax's default float.": """\
from whiten import Whiten
M.Regressor.create(Whiten.create(x, x, 3), 3, 2, dtype=jnp.float16, key=k).out.weight.dtype.name
""",
    "regressor: There is no activation between the layers.": """\
from whiten import Whiten
M.Regressor.create(Whiten.create(x, x + 3, 3), 3, 2, key=k)(x + 1)
""",
    "smooth: The signal is always continued by its last sample, whatever the padding says.": """\
from padding import Padding, Boundary
M.Smooth.create(3, Padding(2, Boundary.WRAP), key=k)(r(5))
""",
    "smooth: The taps are applied in the reverse order, as a correlation.": """\
from padding import Padding
M.Smooth.create(3, Padding(2), key=k)(r(5))
""",
    "smooth: One sample too few is added at each end.": """\
from padding import Padding
M.Smooth.create(3, Padding(2), key=k)(r(5)).shape
""",
    "stack: The last layer is kept and never applied.": "M.Stack.create(3, key=k)(x)",
    "stack: The layers before the last are applied in the reverse order.": "M.Stack.create(3, 4, key=k)(x)",
    "tied_embedding: The keys are derived from `hash` of a name, which differs between processes.": """\
M.TiedEmbedding.create(4, 3, key=k).embedding
""",
    "tied_embedding: The mix is transposed.": "M.TiedEmbedding.create(4, 3, key=k)(jnp.int32(1))",
    "whiten: A static field was added that nothing declares.": "str(jax.tree.structure(M.Whiten.create(x, x, 3)))",
    "whiten: The deviation is taken for a variance.": "M.Whiten.create(x, jnp.abs(x) + 3, 3)(x + 1)",
    "belief: Two fields changed places, so that positions mean something else.": "M.Belief(1, 2, 3).covariance",
    "split_params: The two parts of the partition are swapped.": "M.SplitParams.create(1.0, 2.0, 3.0).partition_small()[0].element1 is None",
    "split_params: The coefficients are taken in the reverse order.": "M.SplitParams.create(1.0, 2.0, 3.0)(x)",
    "split_table: The parts are put together without a word on None.": """\
m = M.SplitTable.create([True, False])
jax.tree.leaves(m.partition_first()[0].combine(m.partition_first()[1])).__len__()
""",
    "split_table: The mask is inverted: the channels that count stay as they are.": "M.SplitTable.create([True, False]).__class__(r(2), r(2), jnp.array([True, False]))(x[:2])",
    "table_bypass: A bool passes for an int.": "M.TableBypass.create({'b': 1.0}, 1.0, True).static",
    "table_bypass: The largest of the numbers is used, not their sum.": "M.TableBypass.create({'b': 1.0}, 1.0, 1)(x)",
    "table_bypass: The exponent is one too large.": "M.TableBypass.create({'b': 1.0}, 1.0, 1)(x)",
    "loop_condition: One step too many is taken.": """\
v = (jnp.int32(3), x)
M.LoopCondition.create(0.1, 3, (v,))(v)
""",
    "loop_condition: The loop goes on while either condition holds.": """\
v = (jnp.int32(4), x)
M.LoopCondition.create(0.1, 3, (v,))(v)
""",
    "loop_condition: The sign of the residual matters.": """\
v = (jnp.int32(0), -jnp.abs(x))
M.LoopCondition.create(0.1, 3, (v,))(v)
""",
    "solver_term: The drive is constant: the time was left out.": """\
e = (jnp.array(2.0), x, x)
M.SolverTerm.create(r(3, 3), x, 1.0, e)(*e)
""",
    "solver_term: The damping drives.": """\
e = (jnp.array(2.0), x, x)
M.SolverTerm.create(r(3, 3), x, 1.0, e)(*e)
""",
    "solver_term: The matrix is transposed.": """\
e = (jnp.array(2.0), x, x)
M.SolverTerm.create(r(3, 3), x, 1.0, e)(*e)
""",
    "running_centre: The variance starts at zero.": """\
m, s = eqx.nn.make_with_state(M.RunningCentre.create)(3)
s.get(m.variance)
""",
    "running_centre: The statistics move at inference, and only there.": """\
m, s = eqx.nn.make_with_state(M.RunningCentre.create)(3)
y, t = jax.vmap(m, axis_name='batch', in_axes=(0, None), out_axes=(0, None))(r(5, 3) + 2, s)
(t.get(m.mean), t.get(m.variance))
""",
    "running_centre: The decay of the variance is taken the wrong way round.": """\
m, s = eqx.nn.make_with_state(M.RunningCentre.create)(3)
y, t = jax.vmap(m, axis_name='batch', in_axes=(0, None), out_axes=(0, None))(r(5, 3) + 2, s)
(t.get(m.mean), t.get(m.variance))
""",
    "running_centre: The variance is the mean of the squares, not of the squared distances from the mean.": """\
m, s = eqx.nn.make_with_state(M.RunningCentre.create)(3)
y, t = jax.vmap(m, axis_name='batch', in_axes=(0, None), out_axes=(0, None))(r(5, 3) + 2, s)
(t.get(m.mean), t.get(m.variance))
""",
    "nnx_block: The momentum is taken the wrong way round.": """\
from flax import nnx
m = M.NnxBlock(3, rngs=nnx.Rngs(0))
m(x)
y = m(x)
m.mean[...]
""",
    "nnx_block: The input is centred by the mean as it was before the call.": """\
from flax import nnx
m = M.NnxBlock(3, rngs=nnx.Rngs(0))
m(x)
y = m(x)
y
""",
    "nnx_block: The block has lost its residual.": """\
from flax import nnx
m = M.NnxBlock(3, rngs=nnx.Rngs(0))
m(x)
y = m(x)
y
""",
    "train_state: The average is kept in 16 bits where the weights are.": """\
from whiten import Whiten
from regressor import Regressor
M.TrainState.create(Regressor.create(Whiten.create(x, x, 3), 3, 2, dtype=jnp.bfloat16, key=k), optax.sgd(0.1), key=k).ema.out.weight.dtype.name
""",
    "train_state: Further arguments do not reach the optimiser.": """\
from whiten import Whiten
from regressor import Regressor
o = optax.GradientTransformationExtraArgs(lambda p: (), lambda g, s, p=None, *, value=0.0, **_: (jax.tree.map(lambda a: a * value, g), s))
m = Regressor.create(Whiten.create(x, x, 3), 3, 2, key=k)
M.TrainState.create(m, o, key=k).apply_gradients(m, o, value=2.0).model.out.weight
""",
    "stack: The checksums of a file are no longer compared.": """\
m = M.Stack.create(3, key=k)
m.save(folder + '/a')
b = bytearray(Path(folder, 'a').read_bytes())
b[-2] ^= 1
Path(folder, 'a').write_bytes(b)
m.load(folder + '/a', m).depth
""",
    "random_features: A key that was saved is loaded as one of the default implementation.": """\
m = M.RandomFeatures.create(jax.random.key(1, impl='rbg'), x, 2)
m.save(folder + '/a')
m.load(folder + '/a', m)(x)
""",
    "table_bypass: A file that has more than the example is let through.": """\
m = M.TableBypass.create({'b': 1.0, 'c': 2.0}, 1.0, 1)
n = M.TableBypass.create({'b': 1.0}, 1.0, 1)
m.save(folder + '/a')
n.load(folder + '/a', n).static
""",
}
