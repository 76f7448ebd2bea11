"""Inference from code without annotations: types of arguments, sizes in lambdas, the batch axis."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scaffold.source.definitions import (
    annotations_passed,
    annotations_taken,
    arguments_of,
    arguments_with_defaults,
    method_of,
    owner_of,
)
from scaffold.source.expressions import Function, is_none, nodes_of
from scaffold.source.instance import (
    arguments_by_name,
    given_as,
    is_any,
    is_used_as_instance,
    kept_arguments,
    last_name,
)
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
from scaffold.spec.grammar.kept_annotations import members_of
from scaffold.spec.grammar.values import literal_or_none
from scaffold.spec.skeletons.classes.optimisers import trees_of_arguments
from scaffold.spec.skeletons.words.annotations import ARRAYS_BY_NAME, is_of_grammar
from scaffold.spec.skeletons.words.names import Names

CONSTRUCTORS = {"__init__": "init", "create": "factory"}
_BRANCHES = (ast.If, ast.IfExp, ast.While, ast.Assert)
_COLLECTIVES = ("psum", "pmean", "pmax", "pmin", "all_gather", "axis_index", "axis_size")
_BIND = ("vmap", "pmap", "filter_vmap", "filter_pmap", "shard_map", "xmap")
_MAKING = ("field", "param", "data", "buffer", "state", "module")
"""Words whose lambda makes a field."""
SIZES = "tuple[int, ...]"
"""Type of a shape, or of several sizes."""
_KNOWN = ("key", "dtype", "rngs")
"""Arguments that a constructor has anyway."""


def inferred_types(
    node: Function, fields: Mapping[str, Mapping[str, Any]], classes: Mapping[str, ast.ClassDef]
) -> dict[str, str]:
    """Infer the types of unannotated arguments: of a field, a random key, a size or a shape.

    An argument that is passed on to another class of `classes` has the type that this class takes.
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
    """Infer types of bare arguments: sizes and callables, or in a class method as in a constructor."""
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


def types_by_use(node: Function, owner: ast.ClassDef, names: Names) -> dict[str, str]:
    """Infer types for the tests, by use in code, of required arguments whose annotation says no shape."""
    needed = (argument for argument, default in arguments_with_defaults(node) if default is None)
    kinds = {argument.arg: argument.annotation for argument in needed}
    bare = [n for n, kind in kinds.items() if kind is None or is_any(kind) or is_any_array(kind, names)]
    bare = [name for name in bare if not names.has_value(node.name, name)]
    trees = trees_of_arguments(node, owner)
    read = {name.id for name in nodes_of(ast.Name, *node.body)}
    # What is not read may be any number.
    types = {name: "f[]" for name in bare if name not in read}
    is_type = is_of_grammar(owner.name, names) and node.name != "__init__"  # an instance would need one
    types |= dict.fromkeys(trees.intersection(bare), "tree")
    for name in (name for name in bare if name in read and name not in trees):
        is_instance = is_type and is_used_as_instance(node, name, owner)
        types[name] = owner.name if is_instance else names.shapes_of(owner).of_argument(node.name, name)
    made = {**types_taken(node, names.classes), **_types_handed_on(node, owner, names)}
    types = {name: types[name] for name in bare if types[name]}
    return types | dict(_stated(node, owner, names)) | {name: made[name] for name in bare if name in made}


def _types_handed_on(node: Function, owner: ast.ClassDef, names: Names) -> dict[str, str]:
    """Map bare arguments to the class or number that a method takes for them: `self.move(cloud)`."""
    methods = {part.name: part for part in owner.body if isinstance(part, Function)}
    elsewhere = {**annotations_passed(node, methods), **annotations_taken(node, methods)}
    taken = {name: ast.unparse(said).strip("'\"") for name, said in elsewhere.items()}
    known = (*names.classes, "int", "float", "bool", "str")
    return {name: text for name, text in taken.items() if text in known and is_of_grammar(text, names)}


def _stated(node: Function, owner: ast.ClassDef, names: Names) -> Iterator[tuple[str, str]]:
    """Yield the optional arrays of a method whose shape its code implies, as `x * mask` does.

    A wrong guess for a constructor would leave the whole class untried, so a check must state that shape.
    """
    for argument, default in arguments_with_defaults(node) if owner_of(node) != "cls" else ():
        kind = argument.annotation
        if is_none(default) and (kind is None or is_any_array(kind, names)):
            shapes, is_maker = names.shapes_of(owner), node.name == "__init__"
            text = (shapes.stated if is_maker else shapes.of_argument)(node.name, argument.arg)
            yield from [(argument.arg, text)] if text and not names.has_value(node.name, argument.arg) else []


def is_any_array(annotation: ast.expr, names: Names) -> bool:
    """Whether an annotation allows an array and says no shape, as `jax.Array` or a package's own name."""
    paths = (names.of(member).rpartition(".") for member in members_of(annotation))
    return any(module and name in ARRAYS_BY_NAME for module, _, name in paths)


def constructor_of(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the `__init__` or `create` that the author of a class wrote, or None."""
    return next(filter(None, (method_of(owner, name) for name in CONSTRUCTORS)), None)


def _made_by(call: ast.Call, classes: Mapping[str, ast.ClassDef]) -> ast.ClassDef | None:
    """Return the class of the file that a call instantiates, or None."""
    return classes.get(ast.unparse(call.func).removesuffix(".create"))


def _handed_on(call: ast.Call, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    """Yield the names that a call passes to a class of the file, each with the parameter's type."""
    owner = _made_by(call, classes)
    maker = None if owner is None else constructor_of(owner)
    if maker is None:
        return
    others = {name: node for name, node in classes.items() if node is not owner}
    types = {part.arg: "int" for part in arguments_of(maker) if ast.unparse(part.annotation or part) == "int"}
    types |= inferred_types(maker, {}, others)
    places = [argument.arg for argument in (*maker.args.posonlyargs, *maker.args.args[1:])]
    given = arguments_by_name(call, places)
    yield from ((v.id, types[taken]) for taken, v in given if isinstance(v, ast.Name) and taken in types)


def random_keys(call: ast.Call) -> Iterator[str]:
    """Yield the names of random keys in a call: first in a function of `jax.random`, or as `key`."""
    *_, room, _ = ("", *ast.unparse(call.func).split("."))
    given = [*(call.args[:1] if room in RANDOM else []), *given_as(call, "key")]
    yield from (value.id for value in given if isinstance(value, ast.Name))


def _sizes_kept(node: Function, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """Yield arguments that an instance stores and its methods use as sizes: `jnp.zeros(self.slots)`."""
    bodies = (owner.body for owner in classes.values() if node in owner.body)
    read = {name for body in bodies for call in nodes_of(ast.Call, *body) for name in sizes_taken(call)}
    yield from (argument for argument, name in kept_arguments(node) if f"self.{name}" in read)


def _shapes_kept(node: Function, classes: Mapping[str, ast.ClassDef]) -> Iterator[str]:
    """Yield arguments that are used as a shape or as several sizes, here or as attributes in methods."""
    yield from _shapes(node)
    read = {name for owner in classes.values() if node in owner.body for name in _shapes(owner)}
    yield from (argument for argument, name in kept_arguments(node) if f"self.{name}" in read)


def _shapes(tree: ast.AST) -> Iterator[str]:
    """Yield the names that code uses as shapes, or as several sizes."""
    yield from (name for call in nodes_of(ast.Call, tree) for name in shapes_taken(call))
    yield from lists_of_sizes(tree)


def _compared(node: Function, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, Any]]:
    """Yield arguments that a condition compares with a number, and the number: `if self.rate == 0.0`.

    Such arguments are numbers, because a traced array has no truth value.
    """
    kept = {f"self.{name}": argument for argument, name in kept_arguments(node)}
    bodies = [owner.body for owner in classes.values() if node in owner.body]
    yield from ((kept[side], number) for side, number in _comparisons(*bodies) if side in kept)
    own = {argument.arg for argument in arguments_of(node)}
    yield from ((side, number) for side, number in _comparisons(node.body) if side in own)


def _number_of(other: Any) -> str:
    """Return the type of a number compared with `other`: beside 2 a count, beside 0 or 1 maybe a rate."""
    return "int" if isinstance(other, int) and abs(other) > 1 else "float"


def settings_kept(node: ast.FunctionDef, owner: ast.ClassDef) -> dict[str, str]:
    """Return number types for the arguments that an instance stores and that no code uses as an array.

    In an NNX module arrays are kept in Variables, so other attributes are numbers. An attribute that code
    iterates over is several sizes.
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
    """Yield expressions that conditions compare with a number: `rate` and 0 of `if not 0 <= rate < 1`."""
    for branch in (node for body in bodies for kind in _BRANCHES for node in nodes_of(kind, *body)):
        for compare in nodes_of(ast.Compare, branch.test):
            compared = (compare.left, *compare.comparators)
            sides = {ast.unparse(side): literal_or_none(side) for side in compared}
            numbers = [value for value in sides.values() if isinstance(value, int | float)]
            yield from ((side, numbers[0]) for side, value in sides.items() if numbers and value is None)


def arguments_of_lambdas(node: ast.ClassDef, names: Names, above: tuple[str, ...] = ()) -> list[str]:
    """List the arguments of the lambdas in order. Sizes that other classes of the file take are `int`.

    `module(lambda size, states, key: Recurrence(size, states, key=key))` takes `states`, which is no dim of
    the class. The list is empty if all names are known, or if an unknown name is no size. `above` are the
    classes whose lambdas make the class.
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
    """Return the lambda that makes a field: the first argument of its word, or `init`."""
    match statement:
        case ast.AnnAssign(value=ast.Call(args=args) as call) if names.word(call) in _MAKING:
            return [value for value in (*args[:1], *given_as(call, "init")) if isinstance(value, ast.Lambda)]
        case _:
            return []


def _sizes_given(body: ast.expr, names: Names, within: tuple[str, ...]) -> Iterator[str]:
    """Yield names that are passed to a class of the file as an int, or as a dim."""
    for call in nodes_of(ast.Call, body):
        owner = _made_by(call, names.classes)
        if owner is not None and constructor_of(owner) is None:
            yield from _by_name(call, owner, names, within)
        yield from (name for name, kind in _handed_on(call, names.classes) if kind == "int")


def _by_name(call: ast.Call, owner: ast.ClassDef, names: Names, within: tuple[str, ...]) -> Iterator[str]:
    """Yield names that are dims of a class with a generated constructor, or sizes of its own lambdas."""
    sizes = _words(owner) | {text.partition(":")[0] for text in arguments_of_lambdas(owner, names, within)}
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(given, ast.Name) and given.id in sizes:
            yield given.id


def _words(node: ast.ClassDef) -> set[str]:
    """Return the fields of a class, and all words in its annotations, some of which are dims."""
    fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
    annotated = [*nodes_of(ast.AnnAssign, node), *nodes_of(ast.arg, node)]
    texts = [ast.unparse(each.annotation) for each in annotated if each.annotation is not None]
    texts += [ast.unparse(each.returns) for each in nodes_of(ast.FunctionDef, node) if each.returns]
    words = {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}
    return {*map(ast.unparse, fields), *words}


def batch_axis(node: ast.ClassDef, beside: Mapping[str, ast.ClassDef]) -> str:
    """Return the axis name, as in `eqx.nn.BatchNorm(size, axis_name="batch")`, or `""` without a single axis.

    A class averages also over the axes of classes in `beside` that its code makes.
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
    """Yield the texts that a call gives as the name of an axis."""
    for value in (*given_as(call, "axis_name"), *(call.args if last_name(call) in _COLLECTIVES else ())):
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value
