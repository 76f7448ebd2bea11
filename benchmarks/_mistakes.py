"""The mistakes that are made in emitted code, by name, and the mutants of a module that they give."""

import ast
import copy
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks._rewrites import (
    Rewriter,
    another,
    deleted,
    fields_changed,
    functions,
    inserted,
    member,
    nodes_changed,
    replaced,
    returned,
    rule,
    rules,
    several,
    uses_changed,
)

NEW = ("create", "__init__")
CALL = ("__call__",)
CHECKS = ("__check_init__", "__post_init__", "_check", "__init__")
SELECT = ("trainable", "trained", "select_small")
UPDATE = ("apply_gradients", "averaged", "step_key")
TWO_WAYS = ("_flatten", "_flatten_with_keys")
DRAWS = ("jax.random.normal(K_, S_, D_)", "F_(in_axis=A_, out_axis=B_)(K_, S_, D_)", "init(K_, S_, D_)")
COPIES = ("jnp.array(X_, D_)", "_real(X_)", "_real(X_, D_)")
PRELUDE = """
import functools
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
_COUNT, _CACHE = [0], {}
def _narrowed(tree):
    return jax.tree.map(lambda v: v.astype(jnp.bfloat16).astype(v.dtype), tree)
"""


@dataclass(frozen=True)
class Mutant:
    """A module with one mistake in it."""

    mistake: str
    line: int
    source: str


@functools.cache
def mutants_of(source: str) -> tuple[Mutant, ...]:
    """Every mutant of a module, each source once."""
    tree = ast.parse(source)
    seen, empty, found = {ast.unparse(tree)}, set(_lines_of_empty_arrays(tree)), list[Mutant]()
    for mistake, rewrite in MISTAKES.items():
        for line, changed in rewrite(tree):
            text = ast.unparse(ast.fix_missing_locations(changed))
            if text not in seen and line not in empty:
                seen.add(text)
                found.append(Mutant(mistake, line, PRELUDE + text))
    return tuple(found)


def _lines_of_empty_arrays(tree: ast.Module) -> Iterator[int]:
    """Where an array without elements is made, since an initialiser cannot make it: no value in it can be wrong."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and "nn.initializers" in ast.unparse(node.body):
            yield from range((node.body.end_lineno or 0) + 1, (node.orelse.end_lineno or 0) + 1)


def _draws(template: str) -> Rewriter:
    """Every form of a draw; `K_`, `S_`, `D_` are its key, shape and dtype, `DRAW_` is the draw with another key."""
    other = ((form, form.replace("K_", "jax.random.key(0)")) for form in DRAWS)
    return several(*(rule(NEW, form, template.replace("DRAW_", one)) for form, one in other))


def _one_key(node: ast.AST) -> ast.AST | None:
    """`a, b = split(key, 2)` becomes `a = b = key`."""
    if not isinstance(node, ast.Assign) or "random.split" not in ast.unparse(node.value):
        return None
    target = node.targets[0]
    names = [ast.unparse(one) for one in target.elts] if isinstance(target, ast.Tuple) else []
    return ast.parse(" = ".join([*names, "key"])).body[0] if names else None


def _defaults(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
    """Another default value of an argument of the constructor."""
    for function in functions(tree, NEW):
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if isinstance(default, ast.Constant) and default.value is not None:
                new = another(default.value)
                yield from replaced(
                    tree, NEW, lambda n, d=default, v=new: ast.Constant(v) if n is d else None
                )


def _floats(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
    """Another value of a float in the constructor: a preset, for example."""
    inside = {id(n) for f in functions(tree, NEW) for one in f.body for n in ast.walk(one)}

    def change(node: ast.AST) -> ast.AST | None:
        is_float = isinstance(node, ast.Constant) and type(node.value) is float and id(node) in inside
        return ast.Constant(node.value + 1) if is_float else None

    return replaced(tree, NEW, change)


def _compared(operator: int) -> Callable[[ast.AST], ast.AST | None]:
    """The bound of one comparison taken in or left out."""
    flipped = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}

    def change(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Compare) or type(node.ops[operator]) not in flipped:
            return None
        new = copy.deepcopy(node)
        new.ops[operator] = flipped[type(new.ops[operator])]()
        return new

    return change


def _elements(change: Callable[[list[ast.expr]], list[ast.expr]]) -> Callable[[ast.AST], ast.AST | None]:
    """Other elements of a tuple that is no constant."""

    def changed(node: ast.AST) -> ast.AST | None:
        plain = isinstance(node, ast.Tuple) and all(isinstance(one, ast.Constant) for one in node.elts)
        return ast.Tuple(change(node.elts), node.ctx) if isinstance(node, ast.Tuple) and not plain else None

    return changed


def _names(change: Callable[[list[ast.expr]], list[ast.expr]]) -> Callable[[ast.AST], ast.AST | None]:
    """Other names in a tuple of names."""

    def changed(node: ast.AST) -> ast.AST | None:
        held = [getattr(one, "value", None) for one in getattr(node, "elts", ())]
        is_names = isinstance(node, ast.Tuple) and held and all(isinstance(one, str) for one in held)
        return ast.Tuple(change(node.elts), ast.Load()) if is_names else None

    return changed


def _without_keyword(name: str) -> Callable[[ast.AST], ast.AST | None]:
    def change(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call) or name not in [one.arg for one in node.keywords]:
            return None
        kept = [one for one in node.keywords if one.arg != name]
        return ast.Call(node.func, node.args, kept)

    return change


def _turned_sign(node: ast.AST) -> ast.AST | None:
    turned = {ast.Add: ast.Sub, ast.Sub: ast.Add}
    if not isinstance(node, ast.BinOp) or type(node.op) not in turned:
        return None
    return ast.BinOp(node.left, turned[type(node.op)](), node.right)


def _literal_of_default(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
    """The default of an argument where the call should read the static field."""
    for function in functions(tree, NEW):
        names = [one.arg for one in function.args.args]
        found = [*zip(reversed(names), reversed(function.args.defaults), strict=False)]
        found += zip([one.arg for one in function.args.kwonlyargs], function.args.kw_defaults, strict=False)
        for name, default in found:
            if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
                yield from uses_changed(ast.unparse(default), (name,))(tree)


def _input_changed(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
    for function in functions(tree, NEW):
        for argument in function.args.args:
            if "Mapping" in ast.unparse(argument.annotation or ast.Constant("")):
                yield from inserted((function.name,), f"{argument.arg}['a'] = 42.0")(tree)


def _mutable_default(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
    for index, function in enumerate(functions(tree, NEW)):
        twin = copy.deepcopy(tree)
        one = functions(twin, NEW)[index]
        one.args.kwonlyargs.append(ast.arg("history"))
        one.args.kw_defaults.append(ast.List([], ast.Load()))
        one.body.insert(1, ast.parse("history.append(1)").body[0])
        yield function.lineno, twin


def _is_check(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Raise)


def _is_update(node: ast.stmt) -> bool:
    text = ast.unparse(node)
    return isinstance(node, ast.Assign | ast.AugAssign) and text.startswith("self.")


def _is_static(field: ast.AnnAssign) -> bool:
    return field.value is not None and "static" in ast.unparse(field.value)


STATIC = ast.parse("eqx.field(static=True)", mode="eval").body
MISTAKES: dict[str, Rewriter] = {
    # fields
    "array or module made static": fields_changed(lambda one: STATIC if one.value is None else False),
    "static made a leaf": fields_changed(lambda one: None if _is_static(one) else False),
    "list instead of a tuple": rule(NEW, "tuple(X_)", "list(X_)"),
    # constructor
    "one key for all draws": nodes_changed(NEW, _one_key),
    "constant key in the constructor": _draws("DRAW_"),
    "NumPy draws with a fixed seed": _draws("jnp.asarray(np.random.default_rng(0).standard_normal(S_), D_)"),
    "NumPy draws without a seed": _draws("jnp.asarray(np.random.standard_normal(S_), D_)"),
    "fans exchanged": rule(NEW, "F_(in_axis=-1, out_axis=-2)", "F_(in_axis=-2, out_axis=-1)"),
    "another spread": _draws("0.5 * jax.random.normal(K_, S_, D_)"),
    "given array not copied": rules(NEW, COPIES, "jnp.asarray(X_)"),
    "given array without its sign": rules(NEW, COPIES[1:], "jnp.abs(IT_)"),
    "given array scaled": rules(NEW, COPIES, "IT_ / 2"),
    "given array kept as NumPy": rules(NEW, COPIES, "np.asarray(X_)"),
    "given model not copied": rule(NEW, "_copied(X_)", "X_"),
    "dtype ignored": several(
        *(rule(NEW, f"jnp.{f}(X_, dtype)", f"jnp.{f}(X_, jnp.float32)") for f in ("array", "zeros", "ones")),
        rule(NEW, "_real(X_, asked)", "_real(X_)"),
    ),
    "weakly typed": several(
        rule(NEW, "jnp.zeros(S_, D_)", "jnp.full(S_, 0.0)"),
        rule(NEW, "jnp.ones(S_, D_)", "jnp.full(S_, 1.0)"),
    ),
    "another initial value": several(
        rule(NEW, "jnp.zeros(S_, D_)", "jnp.ones(S_, D_)"),
        rule(NEW, "jnp.ones(S_, D_)", "jnp.zeros(S_, D_)"),
        _floats,
    ),
    "another default": _defaults,
    "one array for all instances": several(
        *(
            rule(NEW, f"jnp.{f}(S_, D_)", f"_CACHE.setdefault(str((S_, D_)), jnp.{f}(S_, D_))")
            for f in ("zeros", "ones")
        )
    ),
    "input changed in place": _input_changed,
    "mutable default": _mutable_default,
    "counter in the constructor": inserted(NEW, "_COUNT[0] += 1"),
    "setting of jax in the constructor": inserted(NEW, "jax.config.update('jax_debug_nans', True)"),
    "np.random.seed in the constructor": inserted(NEW, "np.random.seed(0)"),
    "check left out": deleted(CHECKS, _is_check),
    "bound of a check": several(
        *(nodes_changed((*CHECKS, "create"), _compared(operator)) for operator in (0, -1))
    ),
    "check on the values of arrays": inserted(
        ("__check_init__", "__post_init__"),
        "if jnp.any(jax.tree.leaves(self.FIELD_)[0] > 1e9):\n    raise ValueError('big')",
        at_end=True,
    ),
    # call
    "print in the call": inserted(CALL, "print('debugging')"),
    "jax.debug.print in the call": inserted(CALL, "jax.debug.print('debugging')"),
    "setting of jax in the call": inserted(CALL, "jax.config.update('jax_debug_nans', True)"),
    "np.random.seed in the call": inserted(CALL, "np.random.seed(0)"),
    "counter in the call": inserted(CALL, "_COUNT[0] += 1"),
    "cache by id(self)": inserted(CALL, "_CACHE[id(self)] = 1"),
    "value kept in the module": inserted(CALL, "_CACHE['last'] = ARG_"),
    "value kept on self": inserted(CALL, "object.__setattr__(self, '_last', ARG_)"),
    "branch on values": inserted(CALL, "if jnp.sum(jax.tree.leaves(ARG_)[0]) > 1e9:\n    pass"),
    "argument changed in place": inserted(CALL, "if hasattr(ARG_, 'sum'):\n    ARG_ += 1"),
    "cast down on the way": returned("_narrowed(Y_)"),
    "result in a fixed dtype": returned("jnp.asarray(Y_, jnp.float16)"),
    "stop_gradient left out": rule((), "jax.lax.stop_gradient(X_)", "X_"),
    "stop_gradient on a parameter": uses_changed("jax.lax.stop_gradient(F_)"),
    "stop_gradient on a state": rule(CALL, "state.get(X_)", "jax.lax.stop_gradient(state.get(X_))"),
    "stop_gradient on the carry": rule(CALL, "hidden", "jax.lax.stop_gradient(hidden)"),
    "parameter not used": uses_changed("jnp.zeros_like(F_)"),
    "buffer not used": rule(CALL, "jax.lax.stop_gradient(X_)", "jax.lax.stop_gradient(jnp.zeros_like(X_))"),
    "half of a parameter": uses_changed("F_.at[..., -1].set(0)"),
    "constant instead of a static field": _literal_of_default,
    "noise from a constant key": rule(
        CALL, "jax.random.bernoulli(key, P_, S_)", "jax.random.bernoulli(jax.random.key(0), P_, S_)"
    ),
    "property cached": rule((), "property", "functools.cached_property"),
    # objects
    "__len__ of 0": member("def __len__(self):\n    return 0"),
    "__eq__ of the class alone": member(
        "def __eq__(self, other):\n    return type(self) is type(other)\n__hash__ = object.__hash__"
    ),
    "__eq__ on arrays": member(
        "def __eq__(self, other):\n    return vars(self) == vars(other)\n__hash__ = object.__hash__"
    ),
    "__getstate__ that forgets": member("def __getstate__(self):\n    return {}"),
    "array on the class": member("_scale = jnp.ones((2,), jnp.float32)"),
    "eq=False left out": rule((), "dataclass(frozen=True, eq=False)", "dataclass(frozen=True)"),
    "final left out": rule((), "final", "functools.partial(lambda cls: cls)"),
    # flatten and unflatten
    "children swapped": nodes_changed((*TWO_WAYS, "_unflatten"), _elements(lambda held: held[::-1])),
    "child left out": nodes_changed(TWO_WAYS, _elements(lambda held: held[:-1])),
    "child twice": nodes_changed(TWO_WAYS, _elements(lambda held: [*held, *held[-1:]])),
    "aux that is a list": nodes_changed(
        TWO_WAYS, lambda n: ast.List(n.elts, n.ctx) if isinstance(n, ast.Tuple) else None
    ),
    "statement of unflatten left out": deleted(("_unflatten",), lambda one: isinstance(one, ast.Assign)),
    "conversion in unflatten": rule(
        ("_unflatten",),
        "children",
        "tuple(map(jnp.asarray, children))",
        "tuple(jnp.array(v) if hasattr(v, 'shape') else v for v in children)",
        "tuple(2 * v if hasattr(v, 'shape') else v for v in children)",
    ),
    "rebuild flag forgotten": nodes_changed(("_unflatten",), _without_keyword("_rebuild")),
    "constructor in unflatten": rule(("_unflatten",), "object.__new__(C_)", "C_.create(*children, *aux)"),
    "names of children exchanged": rule(
        ("_flatten_with_keys",), "GetAttrKey(A_)", "GetAttrKey('attr' if A_ != 'attr' else 'table')"
    ),
    # helpers
    "field more in a filter": nodes_changed(
        SELECT, _names(lambda held: [*held, *map(ast.Constant, ("gain", "element3", "gains"))])
    ),
    "field less in a filter": nodes_changed(SELECT, _names(lambda held: held[:-1])),
    "trainable() without a sub-module": nodes_changed(
        SELECT,
        lambda n: (
            ast.parse("trained_fields(self, but=('hidden', 'layers'))", mode="eval").body
            if isinstance(n, ast.Call) and ast.unparse(n) == "trained_fields(self)"
            else None
        ),
    ),
    "as_function that returns self": nodes_changed(
        ("as_function",), lambda n: ast.parse("return self").body[0] if isinstance(n, ast.Return) else None
    ),
    # train states
    "field not updated": several(
        *(nodes_changed(UPDATE, _without_keyword(name)) for name in ("model", "opt_state", "step", "ema"))
    ),
    "sign in the update": nodes_changed(UPDATE, _turned_sign),
    "filter left out": rule((*UPDATE, "create"), "eqx.filter(X_, Y_)", "X_"),
    "step not folded into the key": rule(UPDATE, "jax.random.fold_in(K_, S_)", "K_"),
    # NNX
    "Variable of another type": several(
        rule(NEW, "nnx.Param(X_)", "nnx.Variable(X_)"),
        rule(NEW, "nnx.BatchStat(X_)", "nnx.Param(X_)"),
        rule(NEW, "Count(X_)", "nnx.Variable(X_)"),
    ),
    "array in no Variable": several(*(rule(NEW, f"{v}(X_)", "X_") for v in ("nnx.Param", "nnx.BatchStat"))),
    "update left out": deleted(CALL, _is_update),
    "snapshot that follows": rule(("snapshot",), "map_variables(F_, S_)", "nnx.state(S_)"),
    "restore that compares nothing": rule(("restore",), "restore_state(S_, V_)", "nnx.update(S_, V_)"),
}
