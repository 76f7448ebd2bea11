"""What code tells that no annotation says: the types of arguments of constructors, those that lambdas alone name, the batch axis."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scaffold.source.definitions import arguments_of, method_of, owner_of
from scaffold.source.expressions import Function, nodes_of
from scaffold.source.instance import given_as, kept_arguments, last_name
from scaffold.source.local_makers import unfolded
from scaffold.source.taken_sizes import (
    NAMED_SIZE,
    RANDOM,
    RATES,
    gone_through,
    lists_of_sizes,
    names_in_size,
    shapes_taken,
    sizes_taken,
)
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.skeletons.words.names import Names

CONSTRUCTORS = {"__init__": "init", "create": "factory"}
_BRANCHES = (ast.If, ast.IfExp, ast.While, ast.Assert)
_COLLECTIVES = ("psum", "pmean", "pmax", "pmin", "all_gather", "axis_index", "axis_size")
_BIND = ("vmap", "pmap", "filter_vmap", "filter_pmap", "shard_map", "xmap")
_MAKING = ("field", "param", "data", "buffer", "state", "module")
"""The words whose lambda makes a field."""
SIZES = "tuple[int, ...]"
"""The type of a shape, and of several sizes."""
_KNOWN = ("key", "dtype", "rngs")
"""What a constructor has of itself."""


def inferred_types(
    node: Function, fields: Mapping[str, Mapping[str, Any]], classes: Mapping[str, ast.ClassDef]
) -> dict[str, str]:
    """The types in the grammar by argument: that of the field of its name, of a random key, or of a size.

    What is handed on to another of the `classes` of the file is what that takes.
    """
    bare = [argument.arg for argument in arguments_of(node) if argument.annotation is None]
    calls = [*nodes_of(ast.Call, *unfolded(node).body)]
    keys = {name for call in calls for name in random_keys(call)}
    sizes = {name for call in calls for name in sizes_taken(call)} | {*_sizes_kept(node, classes)}
    types = {name: kind for call in calls for name, kind in _handed_on(call, classes)}
    firsts = (part for call in calls if last_name(call) in RATES for part in call.args[:1])
    rates = (name for part in firsts for name in names_in_size(part))
    types |= dict.fromkeys(rates, "float") | dict.fromkeys(sizes, "int") | dict.fromkeys(keys, "key[]")
    types |= dict.fromkeys(_shapes_kept(node, classes), SIZES)
    # What stands as it is, behind `=`, is no type of the grammar.
    types |= {n: str(t["type"]) for n, t in fields.items() if str(t.get("type", "="))[:1] != "="}
    numbers = {argument: _number_of(other) for argument, other in _compared(node, classes)}
    types = numbers | dict.fromkeys(filter(NAMED_SIZE.search, bare), "int") | types
    return {name: types[name] for name in bare if name in types}


def types_taken(node: Function, classes: Mapping[str, ast.ClassDef]) -> dict[str, str]:
    """What is said of arguments without an annotation by a class method, as by a constructor; by another what it takes for sizes, and calls."""
    if owner_of(node) == "cls":
        return inferred_types(node, {}, classes)
    calls = [*nodes_of(ast.Call, *node.body)]
    called = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    sizes = {name for call in calls for name in sizes_taken(call, any_shape=False)}
    repeated = (each for each in nodes_of(ast.BinOp, *node.body) if isinstance(each.op, ast.Mult))
    lists = (each.right for each in repeated if isinstance(each.left, ast.List | ast.Tuple))
    sizes |= {name for right in lists for name in names_in_size(right)}
    counts = {name: "int" for name in sizes if not name.endswith("shape")}
    return {**counts, **dict.fromkeys(_shapes(node), SIZES), **dict.fromkeys(called, "callable")}


def constructor_of(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """The constructor that the author of a class wrote."""
    return next(filter(None, (method_of(owner, name) for name in CONSTRUCTORS)), None)


def _made_by(call: ast.Call, classes: Mapping[str, ast.ClassDef]) -> ast.ClassDef | None:
    """The class of the file of which a call makes an instance."""
    return classes.get(ast.unparse(call.func).removesuffix(".create"))


def _handed_on(call: ast.Call, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """The names that a call hands to a class of the file, each with the type of what that takes."""
    owner = _made_by(call, classes)
    maker = None if owner is None else constructor_of(owner)
    if maker is None:
        return
    others = {name: node for name, node in classes.items() if node is not owner}
    types = {part.arg: "int" for part in arguments_of(maker) if ast.unparse(part.annotation or part) == "int"}
    types |= inferred_types(maker, {}, others)
    places = [argument.arg for argument in (*maker.args.posonlyargs, *maker.args.args[1:])]
    by_name = ((keyword.arg or "", keyword.value) for keyword in call.keywords)
    given = (*zip(places, call.args, strict=False), *by_name)
    yield from ((v.id, types[taken]) for taken, v in given if isinstance(v, ast.Name) and taken in types)


def random_keys(call: ast.Call) -> Iterator[str]:
    """The names of random keys that a call takes: first in a function of `jax.random`, or by that name."""
    *_, room, _ = ("", *ast.unparse(call.func).split("."))
    given = [*(call.args[:1] if room in RANDOM else []), *given_as(call, "key")]
    yield from (value.id for value in given if isinstance(value, ast.Name))


def _sizes_kept(node: Function, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """The arguments that an instance keeps, and that its methods take for sizes: `jnp.zeros(self.slots)`."""
    bodies = (owner.body for owner in classes.values() if node in owner.body)
    read = {name for body in bodies for call in nodes_of(ast.Call, *body) for name in sizes_taken(call)}
    yield from (argument for argument, name in kept_arguments(node) if f"self.{name}" in read)


def _shapes_kept(node: Function, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """The arguments that a constructor takes for a shape or for several sizes, or a method that reads them off the instance."""
    yield from _shapes(node)
    read = {name for owner in classes.values() if node in owner.body for name in _shapes(owner)}
    yield from (argument for argument, name in kept_arguments(node) if f"self.{name}" in read)


def _shapes(tree: ast.AST) -> Iterator[str]:
    """The names that code takes for shapes, or for several sizes."""
    yield from (name for call in nodes_of(ast.Call, tree) for name in shapes_taken(call))
    yield from lists_of_sizes(tree)


def _compared(node: Function, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, Any]]:
    """The arguments that Python compares with a number to decide, as `if self.rate == 0.0`, each with that number.

    They are numbers: an array that is traced has no truth.
    """
    kept = {f"self.{name}": argument for argument, name in kept_arguments(node)}
    bodies = [owner.body for owner in classes.values() if node in owner.body]
    yield from ((kept[side], number) for side, number in _comparisons(*bodies) if side in kept)
    own = {argument.arg for argument in arguments_of(node)}
    yield from ((side, number) for side, number in _comparisons(node.body) if side in own)


def _number_of(other: Any) -> str:
    """The type of a number that is compared with another: one beside 2 counts something, one beside 0 or 1 may be a rate."""
    return "int" if isinstance(other, int) and abs(other) > 1 else "float"


def settings_kept(node: ast.FunctionDef, owner: ast.ClassDef) -> dict[str, str]:
    """The types of the arguments that an instance keeps as they are, and does nothing with that arrays alone can do.

    In an NNX module they are numbers, or several where code goes through them: what is an array there is kept in a Variable.
    """
    accesses = (*nodes_of(ast.Attribute, owner), *nodes_of(ast.Subscript, owner))
    products = (each for each in nodes_of(ast.BinOp, owner) if isinstance(each.op, ast.MatMult))
    sides = (side for product in products for side in (product.left, product.right))
    as_arrays = {*map(ast.unparse, (*sides, *(access.value for access in accesses)))}
    several = {*gone_through(owner)}
    return {
        argument: "float" if several.isdisjoint((argument, f"self.{name}")) else SIZES
        for argument, name in kept_arguments(node)
        if as_arrays.isdisjoint((argument, f"self.{name}"))
    }


def _comparisons(*bodies: Sequence[ast.stmt]) -> Iterator[tuple[str, Any]]:
    """What conditions compare with a number, with the number: `rate` and 0 of `if not 0 <= rate < 1`."""
    for branch in (node for body in bodies for kind in _BRANCHES for node in nodes_of(kind, *body)):
        for compare in nodes_of(ast.Compare, branch.test):
            compared = (compare.left, *compare.comparators)
            sides = {ast.unparse(side): literal_or_none(side) for side in compared}
            numbers = [value for value in sides.values() if isinstance(value, int | float)]
            yield from ((side, numbers[0]) for side, value in sides.items() if numbers and value is None)


def arguments_of_lambdas(node: ast.ClassDef, names: Names, above: tuple[str, ...] = ()) -> list[str]:
    """The arguments in the order of the lambdas, those that other classes of the file take for sizes as numbers.

    `module(lambda size, states, key: Recurrence(size, states, key=key))` takes `states`, of which the class has no array.
    None where all are known otherwise, or where nothing says what one is. `above` are the classes whose lambdas make it.
    """
    if node.name in above or constructor_of(node):
        return []
    lambdas = [each for part in node.body for each in _initialisers(part, names)]
    fields = {ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
    taken = dict.fromkeys(arg.arg for each in lambdas for arg in each.args.args if not each.args.defaults)
    taken = [name for name in taken if name not in fields and name not in _KNOWN]
    known = _words(node)
    unknown = {name for name in taken if name not in known and not names.brings(name)}
    within = (*above, node.name)
    sizes = {name for each in lambdas for name in _sizes_given(each.body, names, within)} if unknown else ()
    is_told = bool(unknown) and unknown.issubset(sizes)
    return [f"{name}: int" if name in unknown else name for name in taken] if is_told else []


def _initialisers(statement: ast.stmt, names: Names) -> list[ast.Lambda]:
    """The lambda that makes a field: the first argument of its word, or `init`."""
    match statement:
        case ast.AnnAssign(value=ast.Call(args=args) as call) if names.word(call) in _MAKING:
            return [value for value in (*args[:1], *given_as(call, "init")) if isinstance(value, ast.Lambda)]
        case _:
            return []


def _sizes_given(body: ast.expr, names: Names, within: tuple[str, ...]) -> Iterator[str]:
    """The names that are given to classes of the file for what is an int there, or a dim."""
    for call in nodes_of(ast.Call, body):
        owner = _made_by(call, names.classes)
        if owner is not None and constructor_of(owner) is None:
            yield from _by_name(call, owner, names, within)
        yield from (name for name, kind in _handed_on(call, names.classes) if kind == "int")


def _by_name(call: ast.Call, owner: ast.ClassDef, names: Names, within: tuple[str, ...]) -> Iterator[str]:
    """The names that are dims of a class whose constructor is emitted, or sizes that its own lambdas name."""
    sizes = _words(owner) | {text.partition(":")[0] for text in arguments_of_lambdas(owner, names, within)}
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(given, ast.Name) and given.id in sizes:
            yield given.id


def _words(node: ast.ClassDef) -> set[str]:
    """The fields of a class, and the words of all annotations, of which some are dims."""
    fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
    annotated = [*nodes_of(ast.AnnAssign, node), *nodes_of(ast.arg, node)]
    texts = [ast.unparse(each.annotation) for each in annotated if each.annotation is not None]
    texts += [ast.unparse(each.returns) for each in nodes_of(ast.FunctionDef, node) if each.returns]
    words = {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}
    return {*map(ast.unparse, fields), *words}


def batch_axis(node: ast.ClassDef, beside: Mapping[str, ast.ClassDef]) -> str:
    """The name of the axis, as `eqx.nn.BatchNorm(size, axis_name="batch")` or `jax.lax.pmean(x, "batch")` has it; empty where
    there is none, or several. A class averages over the axes of those of its file that it makes, `beside`.
    """
    names = {*_axes(node, beside)}
    return names.pop() if len(names) == 1 else ""


def _axes(node: ast.ClassDef, beside: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    calls = [*nodes_of(ast.Call, *node.body)]
    bound = {name for call in calls if last_name(call) in _BIND for name in _named(call)}
    made = dict.fromkeys(ast.unparse(call.func).partition(".")[0] for call in calls)
    parts = [beside[name] for name in made if name in beside and name != node.name]
    rest = {name: part for name, part in beside.items() if name != node.name}
    named = (name for call in calls if last_name(call) not in _BIND for name in _named(call))
    yield from {*named, *(name for part in parts for name in _axes(part, rest))} - bound


def _named(call: ast.Call) -> Iterator[str]:
    """The texts that a call gives as the name of an axis."""
    for value in (*given_as(call, "axis_name"), *(call.args if last_name(call) in _COLLECTIVES else ())):
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
