"""What each edit changes: `python -m benchmarks.hand_edits.study2.proofs` names those that change nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.hand_edits.edit import Edit
from benchmarks.hand_edits.study2 import SPECS, STUDY
from benchmarks.mutants import ROOT

HEAD = "m = M.MixtureHead.create(2, 3, jnp.zeros(5), jnp.ones(5), key=k)\n"
X64 = 'jax.config.update("jax_enable_x64", True)\n'
RING = """ring = M.Replay.create(3, 1)
for i in range(4):
    ring = ring.add(jnp.full(1, float(i)), jnp.int32(i), jnp.float32(i), jnp.bool_(False))
"""
STATE = "from lru import Lru\nstate = M.ScaledState.create(Lru.create(2, 3, key=k), optax.sgd(0.1), key=k, patience=1)\n"
MONITOR = "from flax import nnx\nm = M.Monitor(2, 3, rngs=nnx.Rngs(0))\n"

PROOFS: dict[str, str] = {
    "the prior begins as log probabilities in the place of zeros": HEAD + "m.prior",
    "a draw takes one key for the component and for the noise": HEAD + "m.sample(x, key=k)",
    "the index of a component is no longer cast to 32 bits": X64
    + HEAD
    + "str(m.component(x, jnp.zeros(5)).dtype)",
    "a gradient reaches the deviation in the last term of the log density": HEAD
    + "jax.grad(lambda d: at(m, deviation=d).log_prob(x, jnp.zeros(5)))(jnp.ones(5))",
    "the marginal mean weights the components and forgets the sum": HEAD + "m.mode(x, marginal=True)",
    "the constant of the normal density is added whole, and not taken off by half": HEAD
    + "m.log_prob(x, jnp.zeros(5))",
    "the count is that of the valid places, whose sum has 64 bits where jax has them": X64
    + RING.replace("float32", "float64")
    + "str(ring.count.dtype)",
    "a cleared ring has the usual discount, not its own": "M.Replay.create(5, 2, discount=0.5).cleared().discount",
    "no gradient reaches the value behind the newest transition": "jax.grad(lambda last: jnp.sum(M.Replay.create(5, 2).returns(last)))(1.0)",
    "newer transitions are likelier whatever `recent` says": RING
    + "jax.vmap(lambda key: ring.sample(key=key)[1])(jax.random.split(k, 50))",
    "whether the ring is full is a Python bool": RING + "jax.jit(lambda ring: ring.is_full)(ring)",
    "a cleared ring counts from the Python number 0": RING + "type(ring.cleared().count).__name__",
    "the cursor runs past the end of the ring": RING + "ring.rewards",
    "degrees are counted in floats": "str(M.GraphLayer(2, key=k).degrees(jnp.array([0, 1]), jnp.zeros((3, 2))).dtype)",
    "weight decay leaves the gate alone, too": "M.GraphLayer(2, key=k).decayed().gate",
    "edges that are kept are no longer scaled up": "M.GraphLayer(3, drop=0.5, key=k)(r(4, 3), jnp.arange(4), jnp.arange(4), key=k)",
    "the greatest message of a node that receives none is minus infinity": 'M.GraphLayer(3, reduce="max", key=k).pool(r(2, 3), jnp.array([0, 1]), r(4, 3))',
    "the eigenvalues have 64 bits whatever the class has": X64
    + "str(M.Lru.create(2, 3, key=k).eigenvalues.dtype)",
    "the state of a sequence begins in the default dtype": "str(M.Lru.create(2, 3, dtype=jnp.bfloat16, key=k)(jnp.zeros((4, 3), jnp.bfloat16)).dtype)",
    "weight decay leaves the head of a stack alone, too": "M.LruStack(2, 3, key=k).decayed().head",
    "the summary of units that run both ways is the mean of all numbers": "M.LruStack(2, 3, both_ways=True, key=k).summary(r(4, 3)).shape",
    "what drives the state is normalised by one minus the radius, not by that of its square": "M.Lru.create(2, 3, key=k).drive(x)",
    "Python decides whether the factor grows": STATE
    + "jax.jit(lambda s, f: s.adjusted(f).scale)(state, jnp.bool_(True))",
    "the average begins as the arrays of the model themselves": STATE
    + "[a is b for a, b in zip(jax.tree.leaves(state.model), jax.tree.leaves(state.ema))]",
    "the drift has no gradient where weights and average agree": STATE
    + "eqx.filter_grad(lambda m: eqx.tree_at(lambda s: s.model, state, m).drift())(state.model)",
    "gradients take the dtype of the factor": STATE
    + "[str(g.dtype) for g in jax.tree.leaves(state.unscaled(Lru.create(2, 3, dtype=jnp.bfloat16, key=k)))]",
    "the factor doubles a step later": STATE + "state.adjusted(jnp.bool_(True)).scale",
    "units are dropped outside of training, too": MONITOR + "m.training = False\nm(r(5, 2))",
    "asking for the corrected mean corrects the running one": MONITOR
    + "m(r(5, 2))\nm.corrected()\nm.mean.get_value()",
    "the momentum is the share of the batch": MONITOR + "m.moved(x, 2 * x)",
    "a file whose bytes changed is loaded": RING + "file = Path(folder, 'ring')\n"
    "ring.save(file)\n"
    "data = bytearray(file.read_bytes())\n"
    "data[-1] ^= 1\n"
    "file.write_bytes(bytes(data))\n"
    "M.Replay.load(file, ring).rewards",
    "a function of another module with the same name passes for the one that was saved": "def tanh(x): return -x\n"
    "tanh.__module__ = 'elsewhere'\n"
    "M.Stack.create(2, key=k).save(Path(folder, 'stack'))\n"
    "M.Stack.load(Path(folder, 'stack'), M.Stack.create(2, activation=tanh, key=k)).depth",
    "the filter spec has one False for a whole sub-module that is left out": "from linear import Linear\n"
    "str(jax.tree.structure(M.LowRankLinear.create(Linear(3, 2, key=k), 1, 3, 2, key=k).trainable()))",
    "the mask for weight decay asks each array, and no layer": "import weight_decay\n"
    "weight_decay.decayed(M.LruStack(2, 3, key=k))",
    "the first type that fits decides about a Variable, and not the nearest": MONITOR + "import nnx_state\n"
    "nnx_state.map_variables({nnx.Variable: lambda v: v, nnx.BatchStat: lambda v: v + 1}, m)['mean'].get_value()",
    "the state of the optimiser takes whatever dtype the update gives": "from regressor import Regressor\n"
    "from whiten import Whiten\n"
    "model = Regressor.create(Whiten.create(x, jnp.ones(3)), 3, 4, key=k)\n"
    "def start(weights): return jnp.zeros((), jnp.bfloat16)\n"
    "def update(gradients, state, weights=None): return gradients, state.astype(jnp.float32)\n"
    "optimiser = optax.GradientTransformation(start, update)\n"
    "str(M.TrainState.create(model, optimiser, key=k).apply_gradients(model, optimiser).opt_state.dtype)",
    "an explicit `inference=False` no longer wins over the field": "M.Dropout(0.5, inference=True)(jnp.ones(20), key=k, inference=False)",
    "scanned hidden layers begin with the key of the first layer": "M.MLP(3, 2, 4, 3, scan=True, key=k)(x)",
    "a snapshot follows the module": "from flax import nnx\n"
    "m = M.NnxBlock(3, rngs=nnx.Rngs(0))\n"
    "state = m.snapshot()\n"
    "m(x)\n"
    "state['calls'].get_value()",
    "scores are divided by the root of the number of positions": "M.KeyCache.create(3, r(4, 2), r(4, 2), jnp.zeros(4), key=k)(x)",
}
VALUE = """import sys
import {example}
from benchmarks.hand_edits.verdicts import value_of
print(value_of(sys.stdin.read(), {example}))
"""


def value(folder: Path, edit: Edit) -> str:
    """Run a proof in a folder of modules, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", VALUE.format(example=edit.example)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"},
        input=PROOFS[edit.done],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def values(right: Path, edit: Edit) -> tuple[str, str]:
    """What the proof gives before the edit and after."""
    with TemporaryDirectory() as name:
        folder = Path(name, "project")
        shutil.copytree(right, folder)
        module = folder / edit.place
        module.write_text(edit.applied(module.read_text(encoding="utf-8")), encoding="utf-8")
        return value(right, edit), value(folder, edit)


def main() -> int:
    from benchmarks.hand_edits.study.suites import Folders

    unchanged: list[str] = []
    with TemporaryDirectory() as root:
        folders = Folders(Path(root), SPECS)
        for edit in STUDY:
            if edit.tag == "legitimate":
                continue
            before, after = values(folders.folder_of(edit.example), edit)
            print(f"{edit.done}\n  before {before.strip()[:150]}\n  after  {after.strip()[:150]}", flush=True)
            if before == after:
                unchanged.append(edit.done)
    print(f"{len(unchanged)} change nothing", *unchanged, sep="\n")
    return bool(unchanged)


if __name__ == "__main__":
    sys.exit(main())
