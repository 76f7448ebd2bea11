"""Lines that print what an edit changes, by what was done."""

_CLIMATE = """
from climate import Climate
light, t = 1 + jnp.abs(draw(5)), draw(5)
def planet(light=light, **options):
    return Climate.create(light, key=key, **options)
"""
_PORTFOLIO = """
from portfolio import Portfolio
allowed = np.array([True, True, False, True, True])
def portfolio(**options):
    return Portfolio.create(draw(5), draw(5, 2), allowed, **options)
order, prices = draw(5), 1 + jnp.abs(draw(5))
"""
_OPERATOR = """
from operator_net import OperatorNet
net = OperatorNet(jnp.zeros(5), 4, 3, 2, key=key)
u, points = draw(5), draw(3)
"""
_CELLS = """
from flax import nnx
from cells import Cells
import nnx_state
def cells(**options):
    return Cells(3, 2, 4, np.array([True, True, False, True, True]), rngs=nnx.Rngs(0), **options)
model, counts, code = cells(), 3 * jnp.abs(draw(5)), draw(2)
"""
_BATTERY = """
from battery import Battery
def battery(**options):
    curve = 3 + jnp.linspace(0, 1, 4, dtype=options.get("dtype", jnp.float32))
    return eqx.nn.make_with_state(Battery.create)(3, curve, key=key, **options)
made, state = battery()
current = jnp.array(0.5)
"""
_SEGMENTER = """
from segmenter import Campaign, Segmenter
def segmenter(**options):
    return Segmenter(draw(2), 4, 3, key=key, **options)
def campaign(model=None, **options):
    return Campaign.create(segmenter() if model is None else model, optax.sgd(0.1), key=key, classes=3, **options)
images, labels = draw(2, 2, 6, 8), jax.random.randint(key, (2, 6, 8), 0, 3)
"""

PRINTS = {
    "the light of a dimmed planet has 32 bits": f"""{_CLIMATE}
print(planet(light.astype(half)).dimmed(jnp.array(0.1, half)).sunlight.dtype)
""",
    "the weather of bands and that of the planet are one draw": f"""{_CLIMATE}
print(planet().weather(t, key=key))
""",
    "the sharp edge of ice is in 32 bits": f"""{_CLIMATE}
print(planet(light, smooth=False, dtype=half).albedo(t.astype(half)).dtype)
""",
    "areas of land have a gradient": f"""{_CLIMATE}
land = np.array([True, False, True, False, True])
print(eqx.filter_grad(lambda planet: planet.mean(t, land))(planet()).area)
""",
    "heat flows from cold to warm": f"""{_CLIMATE}
print(planet().tendency(t))
""",
    "a symmetric planet has two norths": f"""{_CLIMATE}
print(Climate.symmetric(light, key=key).sunlight)
""",
    "without paths cash comes before the loadings": f"""{_PORTFOLIO}
print([leaf.shape for leaf in jax.tree.leaves(portfolio())])
""",
    "what may not be traded is traded": f"""{_PORTFOLIO}
print(portfolio().filled(order, prices).traded)
""",
    "the risk is that of what is held, whatever is asked": f"""{_PORTFOLIO}
print(portfolio().risk(jnp.ones(5)))
""",
    "the fee has no gradient": f"""{_PORTFOLIO}
print(jax.grad(lambda one: one.cost(order), allow_int=True)(portfolio()).fee)
""",
    "cash is trained": f"""{_PORTFOLIO}
print(portfolio().trainable().cash)
""",
    "an investor is twice as averse to risk": f"""{_PORTFOLIO}
print(portfolio().utility(prices))
""",
    "all layers begin alike": f"""{_OPERATOR}
print(net.layers.up[0] == net.layers.up[1])
""",
    "the last layer comes first": f"""{_OPERATOR}
print(net.coefficients(u))
""",
    "errors are squared where their size is asked for": f"""{_OPERATOR}
print(net.residual(u, points, absolute=True))
""",
    "sensors that fail are used all the same": f"""{_OPERATOR}
print(net.spread(u, key=key, share=0.5))
""",
    "cosines stand before sines": f"""{_OPERATOR}
print(net.basis(points[0]))
""",
    "cells are counted from which nothing is to be learnt": f"""{_CELLS}
model(counts, learn=False)
print(model.seen[...])
""",
    "the running depth takes the place of its Variable": f"""{_CELLS}
model(counts)
print(type(model.depth).__name__)
""",
    "a tenth of the rates is lost, whatever is asked": f"""{_CELLS}
print(model.sampled(code, key=key, dropout=0.7))
""",
    "genes that are not counted are likely or not, where counts are those of Poisson": f"""{_CELLS}
print(model.likelihood(counts, 1 + counts, poisson=True))
""",
    "what programs explain is taken from the hidden layer": f"""{_CELLS}
print(model.encode(counts))
""",
    "voltages are noisy at inference": f"""{_BATTERY}
print(eqx.nn.inference_mode(made)(current, state, key=key)[0])
""",
    "a second is in jax's own dtype": f"""{_BATTERY}
made, state = battery(dtype=half)
try:
    print(made(current.astype(half), state)[0].dtype)
except Exception as error:
    print(type(error).__name__)
""",
    "weight decay moves the rates": f"""{_BATTERY}
print(made.decayed().rate)
""",
    "a battery that does not age tells its size as a Python number": f"""{_BATTERY}
print(type(battery(ages=False)[0].size(current)).__name__)
""",
    "a current charges it": f"""{_BATTERY}
state = made(current, state)[1]
print(state.get(made.charge))
""",
    "each step mirrors images alike": f"""{_SEGMENTER}
now = campaign()
for step in range(4):
    print(eqx.tree_at(lambda state: state.step, now, jnp.array(step)).flipped(images[0])[0, 0, 0])
""",
    "images are upside down where they are mirrored sideways": f"""{_SEGMENTER}
now = campaign()
for step in range(4):
    print(eqx.tree_at(lambda state: state.step, now, jnp.array(step)).flipped(images[0], upright=False)[0, 0, 0])
""",
    "an average of few bits has few bits": f"""{_SEGMENTER}
print(campaign(segmenter(dtype=half)).ema.fine.dtype)
""",
    "pixels are counted in 32 bits": f"""{_SEGMENTER}
print(campaign(dtype=half).counted(labels).shown.dtype)
""",
    "chances are those of the last weights": f"""{_SEGMENTER}
now = campaign()
later = now.apply_gradients(jax.tree.map(jnp.ones_like, eqx.filter(now.model, eqx.is_array)), optax.sgd(0.1))
print(later.predicted(images[0])[:, 0, 0])
""",
    "channels that are kept are as large as before": f"""{_SEGMENTER}
print(segmenter()(images[0], key=key)[:, 0, 0])
""",
    "the classes of a pixel are compared with those of its row": f"""{_SEGMENTER}
print(campaign().loss(images, labels))
""",
    "bytes of a file that changed are not noticed": f"""{_CLIMATE}
name = os.path.join(tempfile.mkdtemp(), "planet")
planet().save(name)
data = bytearray(open(name, "rb").read())
data[-1] ^= 1
open(name, "wb").write(data)
print(Climate.load(name, planet()).sunlight.shape)
""",
    "the first difference of a file is told alone": f"""{_PORTFOLIO}
name = os.path.join(tempfile.mkdtemp(), "portfolio")
portfolio().save(name)
try:
    Portfolio.load(name, portfolio(aversion=0.5, short=True))
except ValueError as error:
    print(len(str(error).splitlines()))
""",
    "a state with other types of Variables is restored": f"""{_CELLS}
model.restore(jax.tree.map(
    lambda one: nnx.Variable(one.get_value()), model.snapshot(), is_leaf=lambda one: isinstance(one, nnx.Variable)
))
print("restored")
""",
    "settings that are floats are not compared": f"""{_CELLS}
name = os.path.join(tempfile.mkdtemp(), "cells")
model.save(name)
print(Cells.load(name, cells(memory=0.5)).memory)
""",
    "nothing is said of what a former file holds and the class has no more": f"""{_BATTERY}
from migrations import Migration
warnings.simplefilter("error")
class Wide(eqx.Module):
    series: jax.Array
    other: jax.Array
from serialisation import save_tree
from migrations import load_migrated
class Narrow(eqx.Module):
    migrations = (Migration(dropped=("other",), former="Wide"),)
    series: jax.Array
Wide.__module__ = Narrow.__module__ = "__main__"
Wide.__qualname__, Narrow.__qualname__ = "Wide", "Narrow"
name = os.path.join(tempfile.mkdtemp(), "battery")
save_tree(name, Wide(jnp.ones(2), jnp.ones(3)))
print(load_migrated(name, Narrow(jnp.zeros(2))).series)
""",
    "weight decay moves buffers": f"""{_SEGMENTER}
print(segmenter().decayed().mean)
""",
}
