"""Lines that print what an edit changes, by what was done."""

_TIDE = """
from tide import Tide
seen = np.array([True, False, True, True, True])
def tide(**options):
    dtype = options.get("dtype")
    return Tide.create(1 + jnp.abs(draw(5)), seen, options.pop("datum", draw(3)), key=key, **options)
time, wind = jnp.array(1.7), draw(3)
"""
_PALETTE = """
from palette import Palette
usable = np.array([True, False, True, True])
def palette(**options):
    spots = {"gold": jnp.abs(draw(3))}
    return Palette.create(spots, 1 + jnp.abs(draw(3)), usable, jax.random.key(3), key=key, **options)
cover = draw(4)
"""
_COLUMN = """
from column import Column, Tray
def column(**options):
    return Column(draw(4), np.array([True, False, True, False]), jnp.array(0.9), 4, 3, key=key, **options)
source = draw(3)
"""
_ORCHARD = """
from orchard import Orchard
def orchard(**options):
    row = options.pop("row", jnp.array([0, 1, 1, 0]))
    return eqx.nn.make_with_state(Orchard.create)(3, row, draw(4), key=key, **options)
trees, state = orchard()
weather = draw(3)
"""
_LOOM = """
from flax import nnx
from loom import Loom
import nnx_state
def loom(**options):
    seed = options.pop("seed", 0)
    return Loom(4, jnp.array([0, 1, 2]), 1 + draw(3), rngs=nnx.Rngs(seed), **options)
one, thread = loom(), draw(3)
"""
_AUCTION = """
from auction import Bidder, Market
def bidder(**options):
    return Bidder.create(3, 4, key=key, **options)
sgd = optax.sgd(0.1)
def market(model=None, **options):
    reserve = options.pop("reserve", draw(3))
    opened = np.array([True, True, False])
    return Market.create(model or bidder(), sgd, key=key, reserve=reserve, open=opened, **options)
def trained(one):
    return one.apply_gradients(eqx.filter_grad(lambda model: model(jnp.array(1), draw(4)))(one.model), sgd)
"""

PRINTS = {
    "waves are measured with the noise of heights": f"""{_TIDE}
one = tide()
print(one.measured(time, key=key)[1] - one.waves(time))
""",
    "the phase is cut off with the speed": f"""{_TIDE}
print(jax.grad(lambda one: one(time, wind).sum(), allow_int=True)(tide()).phase)
""",
    "floods are counted in the integers of the platform": f"""{_TIDE}
jax.config.update("jax_enable_x64", True)
print(tide().floods(draw(6), draw(3)).dtype)
""",
    "a survey cuts the datum off from what it was": f"""{_TIDE}
print(jax.grad(lambda one: one.surveyed(wind).datum.sum(), allow_int=True)(tide()).datum)
""",
    "without a trend the rise has the default dtype": f"""{_TIDE}
one = tide(trend="none", dtype=half)
print(one(time.astype(half), wind.astype(half)).dtype)
""",
    "the quadratic trend has the factor of the linear one": f"""{_TIDE}
print(tide(trend="quadratic")(time, wind))
""",
    "feet are more than metres": f"""{_TIDE}
print(tide(metric=False)(time, wind))
""",
    "the intent is no part of the treedef": f"""{_PALETTE}
print(jax.tree.map(lambda leaf: leaf, palette(intent="spot")).intent)
""",
    "the grain of sheets that follow is the same": f"""{_PALETTE}
print(jax.random.key_data(palette().printed(jnp.array(2)).grain))
""",
    "proofs are seen with the noise of the grain": f"""{_PALETTE}
one = palette(intent="proof")
seen = [one.error(cover, draw(3), key=jax.random.key(seed))[1] for seed in (1, 2)]
print(bool(jnp.all(seen[0] == seen[1])))
""",
    "inks that are not usable are printed": f"""{_PALETTE}
print(palette()(cover))
""",
    "wet ink absorbs less": f"""{_PALETTE}
print(palette()(cover, dry=False))
""",
    "what goes back has no gradient for the feed": f"""{_COLUMN}
print(jax.grad(lambda one: one.returned(draw(4)).sum(), allow_int=True)(column()).feed)
""",
    "the start is never trained, held or not": f"""{_COLUMN}
print(column(held=False).trainable().start)
""",
    "trays keep what they computed for the way back": f"""{_COLUMN}
one = column()
print("checkpoint" in str(jax.make_jaxpr(one)(source)), "remat" in str(jax.make_jaxpr(one)(source)))
""",
    "all trays are drawn from one key": f"""{_COLUMN}
mixing = column().trays.mixing
print(bool(jnp.all(mixing[0] == mixing[1])))
""",
    "a flooded condenser gives a half at least": f"""{_COLUMN}
print(column().condense(3 * draw(4), flooded=True))
""",
    "a tray boils by another curve": f"""{_COLUMN}
print(column()(source)[0])
""",
    "days are counted at inference too": f"""{_ORCHARD}
still = eqx.nn.inference_mode(trees)
print(still(weather, state, key=key)[1].get(trees.days))
""",
    "frost cuts the gradient": f"""{_ORCHARD}
def drunk(one):
    return one(weather, state, frost=True, key=key)[0].sum()
print(eqx.filter_grad(drunk)(trees).uptake)
""",
    "rain makes stress in the place of moisture": f"""{_ORCHARD}
state = trees.rained(draw(4), state)[1]
print(state.get(trees.moisture), state.get(trees.stress))
""",
    "how many rows there are is found from the values": f"""{_ORCHARD}
print(trees.by_row(draw(4), jnp.ones(4, bool)).shape)
""",
    "there is a pump, asked for or not": f"""{_ORCHARD}
print(orchard(use_pump=False)[0].pump)
""",
    "mulch keeps less": f"""{_ORCHARD}
trees, state = orchard(mulched=True)
print(trees(weather, state, key=key)[1].get(trees.moisture))
""",
    "the stiffness is trained": f"""{_LOOM}
print(sorted(str(path) for path, _ in nnx.to_flat_state(nnx.state(one, nnx.Param))))
""",
    "a repair is told and not made": f"""{_LOOM}
one(thread)
one.repaired(jnp.full(4, 0.03))
print(one.wear[...])
""",
    "satin is shifted as twill is": f"""{_LOOM}
print(loom(kind="satin")(thread))
""",
    "a snapshot is the state itself": f"""{_LOOM}
kept = one.snapshot()
one(thread)
print(kept["picks"][...])
""",
    "strict is three times the wear": f"""{_LOOM}
for _ in range(3):
    one(thread)
print(one.broken(jnp.array([-0.3, -0.1, 0.0, 0.05]), strict=True))
""",
    "each step draws the same lots": f"""{_AUCTION}
one = market()
print(bool(jnp.all(one.lots() == trained(one).lots())))
""",
    "the average begins as the weights themselves": f"""{_AUCTION}
one = market()
print(one.ema.value is one.model.value)
""",
    "steps are not counted": f"""{_AUCTION}
print(trained(market()).step)
""",
    "the table and the hidden layer are drawn from one key": f"""{_AUCTION}
print(bidder().hidden.weight)
""",
    "the purse has 32 bits once something is paid": f"""{_AUCTION}
print(market(dtype=half).paid(jnp.array(1.0, half)).purse.dtype)
""",
    "fees are a half": f"""{_AUCTION}
print(market().price(jnp.array(1), draw(4)))
""",
    "a file is written in its place": f"""{_TIDE}
import serialisation
path = os.path.join(tempfile.mkdtemp(), "tide.safetensors")
tide().save(path)
def broken(tensors, name, metadata):
    open(name, "w").write("half")
    raise OSError("no space left")
kept, serialisation.safetensors.numpy.save_file = serialisation.safetensors.numpy.save_file, broken
try:
    tide().save(path)
except OSError:
    pass
finally:
    serialisation.safetensors.numpy.save_file = kept
print(os.path.getsize(path) > 4)
""",
    "static fields are told by their types": f"""{_PALETTE}
path = os.path.join(tempfile.mkdtemp(), "palette.safetensors")
palette(screen=4).save(path)
try:
    print(Palette.load(path, palette(screen=8)).screen)
except ValueError:
    print("refused")
""",
    "a file is loaded into what it is to be like": f"""{_LOOM}
path = os.path.join(tempfile.mkdtemp(), "loom.safetensors")
one(thread)
one.save(path)
like = loom(seed=1)
print(Loom.load(path, like) is like, like.picks[...])
""",
    "a state of another dtype is restored": f"""{_LOOM}
kept = nnx_state.map_variables({{nnx.Param: lambda value: value.astype(half)}}, one)
try:
    one.restore(kept)
    print(one.weave[...].dtype)
except ValueError:
    print("refused")
""",
    "no part is asked what decays in it": f"""{_AUCTION}
import weight_decay
print(weight_decay.decayed(bidder()).caution)
""",
}
