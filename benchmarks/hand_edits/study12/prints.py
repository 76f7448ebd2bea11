"""Lines that print what an edit changes, by what was done."""

_ANTENNA = """
from antenna import Antenna
works = jnp.array([True, False, True, True])
def antenna(**options):
    return Antenna.create(draw(4, 2), works, jnp.array(0.7), key=key, **options)
direction = draw(2)
"""
_ROUTER = """
from router import Expert, Router
closed = np.array([False, True, False])
def router(**options):
    return Router(draw(3), closed, 4, 5, key=key, **options)
token = draw(4)
"""
_PORTFOLIO = """
from portfolio import Portfolio
tradable = np.array([True, False, True, True])
def portfolio(**options):
    scenarios = (draw(3), 2 * draw(3))
    dice = jax.random.key(3)
    return Portfolio.create(3, 1 + jnp.abs(draw(4)), tradable, jnp.array(0.9), scenarios, dice, key=key, **options)
"""
_SEISMOGRAPH = """
from seismograph import Belief, Seismograph
online = np.array([True, False, True, True])
def seismograph(**options):
    return Seismograph.create(3, 1 + jnp.abs(draw(4)), online, key=key, **options)
belief = Belief(draw(3), 1 + jnp.abs(draw(3)), jnp.int32(5))
shown = draw(4)
"""
_DELAY = """
from flax import nnx
from delay import Delay
import nnx_state
def delay(**options):
    seed = options.pop("seed", 0)
    return Delay(np.array([True, False, False]), 1 + draw(3), rngs=nnx.Rngs(seed), **options)
one, sample = delay(), draw(3)
path = os.path.join(tempfile.mkdtemp(), "delay.safetensors")
"""
_SPRINT = """
from sprint import Coach, Sprinter
sgd = optax.sgd(0.1)
def sprinter(**options):
    return eqx.nn.make_with_state(Sprinter.create)(3, 4, key=key, **options)
def coach(model, state, **options):
    lanes = np.array([True, True, False, True])
    return Coach.create(model, sgd, state, key=key, target=draw(4), lanes=lanes, **options)
"""

PRINTS = {
    "the taper has the default dtype": f"""{_ANTENNA}
print(antenna(dtype=half).taper().dtype)
""",
    "calibrations are not counted": f"""{_ANTENNA}
print(antenna().calibrated(draw(4)).calibrations)
""",
    "the coupling decays": f"""{_ANTENNA}
print(antenna().decayed().coupling)
""",
    "which dishes work is not copied": f"""{_ANTENNA}
print(antenna().working is works)
""",
    "a Hann window has half a period": f"""{_ANTENNA}
print(antenna(window="hann")(direction))
""",
    "distances are summed over dishes": f"""{_ANTENNA}
one = antenna()
print([int(one.nearest(place + 0.01)) for place in draw(4, 2)])
""",
    "what was sent has a gradient": f"""{_ROUTER}
print(eqx.filter_grad(lambda one: one.balance(draw(6, 4)))(router()).load)
""",
    "the jitter is drawn from a key of its own": f"""{_ROUTER}
one = router()
print(bool(jnp.all(one.weights(token, key=key) == one.weights(token, key=jax.random.key(1)))))
""",
    "one expert stands for all": f"""{_ROUTER}
first, second, *_ = router().experts
print(first.up is second.up, bool(jnp.all(first.up == second.up)))
""",
    "a load never follows fast": f"""{_ROUTER}
print(router().loaded(draw(3), fast=True).load)
""",
    "experts have the activation that is the default": f"""{_ROUTER}
print(Expert.create(5, 4, jnp.tanh, key=key)(token))
""",
    "what experts say is not divided": f"""{_ROUTER}
print(router().distilled(draw(2, 4)))
""",
    "score and idle change places where no paths are asked for": f"""{_PORTFOLIO}
one = portfolio()
print(jax.tree.unflatten(jax.tree.structure(one), jax.tree.leaves(one)).idle)
""",
    "the best of all days is sought": f"""{_PORTFOLIO}
print(portfolio().best(draw(6, 4)).shape)
""",
    "risk is the loading alone": f"""{_PORTFOLIO}
print(portfolio().select_risk().idle)
""",
    "neutral is written otherwise": f"""{_PORTFOLIO}
print(portfolio(style="neutral").shares())
""",
    "cash is left in the dtype in which it is given": f"""{_PORTFOLIO}
print(portfolio(dtype=half).cash.dtype)
""",
    "idle is a variance": f"""{_PORTFOLIO}
print(portfolio().risk())
""",
    "a blind step hands on the belief that it was given": f"""{_SEISMOGRAPH}
print(seismograph()(belief, shown, blind=True)[0].steps)
""",
    "steps begin as a Python number": f"""{_SEISMOGRAPH}
print(type(seismograph().initial().steps).__name__)
""",
    "stations that are offline give alarms": f"""{_SEISMOGRAPH}
print(seismograph().alarms(draw(6, 4), jnp.array(0.1)))
""",
    "a record is followed from rest": f"""{_SEISMOGRAPH}
one = seismograph()
print(bool(jnp.all(one.followed(belief, draw(6, 4)) == one.followed(one.initial(), draw(6, 4)))))
""",
    "gradients end at the belief before": f"""{_SEISMOGRAPH}
one = seismograph()
print(jax.grad(lambda mean: one(belief._replace(mean=mean), shown)[0].mean.sum())(belief.mean))
""",
    "the spread keeps what it should lose": f"""{_SEISMOGRAPH}
print(seismograph()(belief, shown)[0].spread)
""",
    "one turn too few is made": f"""{_SEISMOGRAPH}
print(seismograph().ahead(belief).mean)
""",
    "what is only followed counts as played": f"""{_DELAY}
one.loudness(sample)
print(one.played[...])
""",
    "the line is a statistic": f"""{_DELAY}
print(sorted(str(path) for path, _ in nnx.to_flat_state(nnx.state(one, nnx.Cache))))
""",
    "all lines hiss as a tape does": f"""{_DELAY}
print(one.hissing(sample, key=key) - sample)
""",
    "the colour is drawn from a seed of its own": f"""{_DELAY}
print(bool(jnp.all(delay(seed=1).colour.kernel[...] == delay(seed=2).colour.kernel[...])))
""",
    "channels are turned round in the tail": f"""{_DELAY}
one(sample)
print(one.tail(jnp.array(1.0)))
""",
    "a step keeps the state of the model as it was": f"""{_SPRINT}
model, state = sprinter()
one = coach(model, state)
clone = jax.tree.unflatten(*reversed(jax.tree.flatten(one.state)))
def loss(model):
    out, after = model(draw(4), clone)
    return out.sum(), after
gradients, after = eqx.filter_grad(loss, has_aux=True)(one.model)
print(one.apply_gradients(gradients, sgd, after).state.get(model.races))
""",
    "the state is not copied": f"""{_SPRINT}
model, state = sprinter()
print(coach(model, state).state.get(model.centre) is state.get(model.centre))
""",
    "no margin is added to the patience": f"""{_SPRINT}
one = coach(*sprinter())
for _ in range(5):
    one = one.watched(jnp.array(200.0))
print(one.stopped(jnp.int32(0)), one.stopped(jnp.int32(10)))
""",
    "the target has a gradient": f"""{_SPRINT}
one = coach(*sprinter())
print(jax.grad(lambda target: eqx.tree_at(lambda one: one.target, one, target).missed(jnp.ones(4)))(one.target))
""",
    "uphill costs nearly all breath": f"""{_SPRINT}
model, state = sprinter()
print(model(draw(4), state, uphill=True)[0])
""",
    "sets are told in the order of their hashes": """
import subprocess, sys
lines = "import serialisation; print(serialisation._as_text(frozenset('abcdefgh')))"
told = set()
for seed in "123":
    done = subprocess.run(
        [sys.executable, "-c", lines],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": sys.path[0]},
        capture_output=True,
        text=True,
        check=True,
    )
    told.add(done.stdout)
print(len(told) == 1)
""",
    "a leaf without a checksum is trusted": f"""{_ANTENNA}
import json, safetensors
from safetensors.numpy import load_file, save_file
path = os.path.join(tempfile.mkdtemp(), "antenna.safetensors")
one = antenna()
one.save(path)
with safetensors.safe_open(path, "np") as file:
    metadata = file.metadata()
tensors = load_file(path)
tensors[".gain"] = tensors[".gain"] + 1
sums = json.loads(metadata["checksums"])
del sums[".gain"]
save_file(tensors, path, metadata | {{"checksums": json.dumps(sums)}})
try:
    print(Antenna.load(path, one).gain)
except ValueError:
    print("refused")
""",
    "a file does not tell the types of Variables": f"""{_DELAY}
one.save(path)
like = delay()
like.level = nnx.Cache(like.level[...])
try:
    print(type(Delay.load(path, like).level).__name__)
except ValueError:
    print("refused")
""",
    "the type of a Variable decides, and none of its bases": f"""{_DELAY}
doubled = nnx_state.map_variables({{nnx.Variable: lambda value: value * 2}}, one)
print(doubled["wet"][...])
""",
    "what is not trained decays": f"""{_SPRINT}
import weight_decay
class Held(eqx.Module):
    weight: jax.Array
    mean: jax.Array
node, trained = Held(draw(2), draw(2)), Held(True, False)
print(weight_decay.decayed_fields(node, trained, but=()).mean)
print(sprinter(rested=True)[0].decayed().lungs)
""",
}
