"""Lines that print what an edit changes, by what was done."""

_REACTIONS = """
from reactions import Reactions
made, feed = draw(5, 3), draw(3)
used = np.array([[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 0, 1], [2, 1, 0]], np.int32)
def tank(made=made, **options):
    return Reactions.create(made, used, feed, key=key, **options)
c, dt = jnp.array([0.5, 1.0, 2.0]), jnp.array(0.1)
name = os.path.join(tempfile.mkdtemp(), "tank")
"""
_TRUSS = """
from truss import Truss
starts, ends = np.array([0, 0, 1, 1, 2], np.int32), np.array([1, 2, 2, 3, 3], np.int32)
held = np.array([True, False, False, True])
def truss(places=draw(4, 2), **options):
    return Truss.create(places, starts, ends, held, **options)
load = 0.1 * draw(4, 2)
"""
_FOLDING = """
from folding import Folding, Triangle
def folding(**options):
    return Folding(4, 3, 2, 7, 2, key=key, **options)
model, chain = folding(), jnp.array([0, 3, 1, 2, 1], jnp.int32)
"""
_CODER = """
from flax import nnx
from sparse_coder import SparseCoder, Usage
import nnx_state
def coder(**options):
    return SparseCoder(5, 3, rngs=nnx.Rngs(0), **options)
model, xs = coder(), draw(2, 3)
"""
_EQUALISER = """
from equaliser import Equaliser
def equaliser(**options):
    return eqx.nn.make_with_state(Equaliser.create)(draw(3), key=key, **options)
layer, state = equaliser()
x, target = jnp.array(0.7), jnp.array(-0.4)
"""
_SURVIVAL = """
from survival import Hazard, Trial
def hazard(**options):
    return Hazard.create(5, 4, draw(3), key=key, **options)
def trial(model=None, optimiser=optax.sgd(0.1)):
    return Trial.create(hazard() if model is None else model, optimiser, key=jax.random.key(3), intervals=4)
people, when, dead = draw(7, 3), jnp.array([0, 1, 2, 3, 3, 1, 0], jnp.int32), jnp.arange(7) % 2 == 0
"""

PRINTS = {
    "a network with another feed follows the law of mass action": f"""{_REACTIONS}
print(tank(law="saturating").fed(c).law)
""",
    "reactions and the flow draw from one key": f"""{_REACTIONS}
print(tank().jittered(c, dt, key=key))
""",
    "arrays that are given are not copied": f"""{_REACTIONS}
given = jnp.asarray(made)
print(tank(given).made is given)
""",
    "the chance of the flow is drawn in jax's own dtype": f"""{_REACTIONS}
print(tank(dtype=half).jittered(c.astype(half), dt.astype(half), key=key).dtype)
""",
    "the barriers have no gradient": f"""{_REACTIONS}
print(eqx.filter_grad(lambda tank: jnp.sum(tank(c, temperature=dt)))(tank()).barrier)
""",
    "barriers make reactions faster where it is colder": f"""{_REACTIONS}
print(tank()(c, temperature=dt))
""",
    "the slope of the midpoint is taken at the end of the step": f"""{_REACTIONS}
print(tank().advanced(c, dt, midpoint=True))
""",
    "trusses are compared field by field": f"""{_TRUSS}
one = truss()
print(hash(one) == hash(one), one == truss())
""",
    "a truss that was bent has borne no more loads": f"""{_TRUSS}
print(truss().bent(load).loads)
""",
    "places that were bent have no gradient by those before": f"""{_TRUSS}
print(jax.grad(lambda places: jnp.sum(truss(places).bent(load).places[0]))(draw(4, 2)))
""",
    "loads are counted in jax's own integers": f"""{_TRUSS}
jax.config.update("jax_enable_x64", True)
print(truss().loads.dtype)
""",
    "bars that are longer push": f"""{_TRUSS}
print(truss().respond(load).displacement)
""",
    "the projection is left out of what is trained even where it is not frozen": f"""{_FOLDING}
print(folding(freeze=False).trainable().base.weight)
""",
    "weight decay moves the projection that is frozen": f"""{_FOLDING}
print(model.decayed().base.weight)
""",
    "gradients go through each round of recycling": f"""{_FOLDING}
print(eqx.filter_grad(lambda model: model(chain, recycle=1)[0, 1, 2])(model).kind)
""",
    "layers run from the last to the first": f"""{_FOLDING}
print(model(chain))
""",
    "a third residue that is not known is heard where edges come in, and the first is not": f"""{_FOLDING}
print(Triangle.create(2, 3, outgoing=False, key=key)(draw(5, 5, 3), jnp.arange(5) < 3)[0, 1])
""",
    "no rounds at all are let through": f"""{_CODER}
print(coder(rounds=0).rounds)
""",
    "the rotation has a gradient where signals are rebuilt": f"""{_CODER}
graph, own, rest = nnx.split(model, lambda path, _: "filters" in path, ...)
print(jax.grad(lambda own: jnp.sum(nnx.merge(graph, own, rest).rebuilt(jnp.arange(5.0))))(own)["filters"][...])
""",
    "atoms that were revived do not count as active": f"""{_CODER}
model.revived(xs, key=key)
print(model.usage[...])
""",
    "the offset is made in jax's own dtype": f"""{_CODER}
print(coder(dtype=half).back[...].dtype)
""",
    "a snapshot follows what the module does": f"""{_CODER}
before = model.snapshot()
model(xs[0])
print(before["centre"][...])
""",
    "steps are as long as the norm of the dictionary allows, not its square": f"""{_CODER}
print(model.code(xs[0]))
""",
    "the taps follow at inference as well": f"""{_EQUALISER}
print(eqx.nn.inference_mode(layer)(x, state, target)[1].get(layer.weights))
""",
    "new taps are zeros, as the line is": f"""{_EQUALISER}
print(layer.flushed(state, taps=True)[1].get(layer.weights))
""",
    "the response has no gradient by the taps": f"""{_EQUALISER}
print(jax.grad(lambda taps: layer.response(x, state.set(layer.weights, taps))[0])(draw(3)))
""",
    "decibels are bounded by Python's `max`": f"""{_EQUALISER}
print(eqx.filter_jit(layer.response)(x, state, decibels=True)[0])
""",
    "a sample that adapts enters the line at its end": f"""{_EQUALISER}
print(layer.adapt(x, target, state)[1].get(layer.line))
""",
    "each step draws the same people": f"""{_SURVIVAL}
state = trial()
print(eqx.tree_at(lambda state: state.step, state, jnp.array(5)).resampled(people))
""",
    "the model of the average has the dtype of the average": f"""{_SURVIVAL}
print(trial(hazard(dtype=half)).averaged().inner.dtype)
""",
    "the ends of intervals have a gradient by their widths": f"""{_SURVIVAL}
print(eqx.filter_grad(lambda model: jnp.sum(model.survival(people[0])))(hazard()).edges)
""",
    "how likely somebody outlives all is told with an axis": f"""{_SURVIVAL}
print(hazard().survival(people[0], final=True).shape)
""",
    "the state of the optimiser is not copied": f"""{_SURVIVAL}
first = hazard()
holds = optax.GradientTransformation(lambda weights: kept, lambda updates, state, params=None: (updates, state))
kept = jnp.ones(3)
print(trial(first, holds).opt_state is kept)
""",
    "those at risk are the last that were counted alone": f"""{_SURVIVAL}
print(trial().counted(when, dead).counted(when, dead).at_risk)
""",
    "the interval in which somebody dies is not lived through": f"""{_SURVIVAL}
print(trial().loss(people, when, dead))
""",
    "what a file holds in 64 bits is cut to 32 without a word": f"""{_REACTIONS}
jax.config.update("jax_enable_x64", True)
wide = tank(dtype=jnp.float64)
wide.save(name)
like = eqx.filter_eval_shape(lambda: tank(dtype=jnp.float64))
jax.config.update("jax_enable_x64", False)
print(Reactions.load(name, like).made.dtype)
""",
    "a save that fails leaves a file behind": f"""{_TRUSS}
place = tempfile.mkdtemp()
os.mkdir(os.path.join(place, "taken"))
try:
    truss().save(os.path.join(place, "taken"))
except OSError:
    print(len(os.listdir(place)))
""",
    "a file that another program wrote is refused with a `KeyError`": f"""{_SURVIVAL}
import safetensors.numpy
name = os.path.join(tempfile.mkdtemp(), "foreign")
safetensors.numpy.save_file({{"inner": np.ones(3)}}, name, {{"format": "np"}})
print(Hazard.load(name, hazard()))
""",
    "what a state has more than the module is added to it": f"""{_CODER}
state = model.snapshot()
state["other"] = nnx.Param(jnp.ones(3))
model.restore(state)
print(model.other)
""",
    "the first base class that is named decides what a Variable becomes": f"""{_CODER}
print(nnx_state.map_variables({{nnx.Variable: lambda value: -value, nnx.Param: lambda value: 0 * value}}, model)["threshold"])
""",
}
