"""Members that Modules and pytree classes share: properties, the call, and docstrings."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from msgspec.structs import replace

from scaffold.emit.annotations import Scope, call_signature
from scaffold.emit.as_spelled import documented
from scaffold.emit.docs import BODY, METHOD
from scaffold.emit.nesting import located
from scaffold.kind import kind_of
from scaffold.passes.read_as_lists import as_lists
from scaffold.passes.static_storage import as_given
from scaffold.source.definitions import statements
from scaffold.source.expressions import is_identity_test, nodes_of
from scaffold.source.instance import attribute_of_self, calls
from scaffold.source.rewriting import read_as, rename, rewrite
from scaffold.source.text import WIDTH, block, docstring
from scaffold.spec.fields.shared import tied_source
from scaffold.spec.fields.training import guarded_buffers
from scaffold.spec.grammar.types import ClassType, is_array
from scaffold.spec.model import Call, Field, Method, ModuleSpec
from scaffold.spec.rules.bases import asks_for
from scaffold.spec.states import is_state

STOP, STOPPED = "jax.lax.stop_gradient", "_stopped"
_STOPPED_FUNCTION = '''\
def _stopped(tree: Any) -> Any:
    """`tree` as it is, with no gradient to the arrays in it."""
    return jax.tree.map(
        lambda leaf: jax.lax.stop_gradient(leaf) if isinstance(leaf, jax.Array) else leaf, tree
    )
'''
_FORM = ("dtype", "ndim", "shape", "size")
"""Attributes of an array that do not depend on its values, and so have no gradient."""


def stop_gradients(spec: ModuleSpec, source: str, others: Iterable[str] = ()) -> str:
    """Read each field as the class stores it, with buffers behind `stop_gradient`.

    `others` are names of further instances of the class.
    """
    source, kind = as_given(spec, as_lists(spec, source)), kind_of(spec.kind)
    if kind.variables and spec.own_constructor is not None:  # who makes the Variables reads them too
        return source
    read = kind.read(spec, source)
    if read is not None:
        return read
    return located(spec, without_gradients(spec, source, others))


def without_gradients(spec: ModuleSpec, source: str, others: Iterable[str] = ()) -> str:
    """Put the buffers of the class and of its parts behind `stop_gradient`."""
    arrays = {field.name for field in spec.fields if is_array(field.type)}
    own = guarded_buffers(spec)
    source = guard(source, {name: _stopped(f"self.{name}", mixed=mixed) for name, mixed in own}, arrays)
    paths = {f"self.{path}": mixed for path, mixed in spec.buffers_of_parts}
    paths |= {f"{other}.{name}": mixed for other in others for name, mixed in own}

    def change(node: ast.AST, ancestors: tuple[ast.AST, ...]) -> str | None:
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return None
        is_kept = bool(ancestors) and _is_kept(ancestors[-1])
        text = ast.unparse(node)
        return _stopped(text, mixed=paths[text]) if text in paths and not is_kept else None

    return rewrite(source, change) if any(path in source for path in paths) else source


def _stopped(source: str, *, mixed: bool) -> str:
    """Stop the gradient of a buffer.

    A `mixed` buffer may hold non-arrays, which jax's own function rejects.
    """
    return f"{STOPPED if mixed else STOP}({source})"


def functions_for_buffers(spec: ModuleSpec) -> tuple[str, ...]:
    """Return the module's function that reads buffers with non-arrays, if the class needs it."""
    is_mixed = any(mixed for _, mixed in (*guarded_buffers(spec), *spec.buffers_of_parts))
    return (_STOPPED_FUNCTION,) if is_mixed and not kind_of(spec.kind).variables else ()


def properties(spec: ModuleSpec) -> list[tuple[str, str, str, str]]:
    """Return name, annotation, docstring and expression of each derived field that no base defines."""
    names = {field.name: f"self.{field.name}" for field in spec.fields}
    return [
        (
            field.name,
            (scope := Scope.of(spec, spec.name)).spelled(
                ("fields", field.name, "type"), scope.stored(field.type)
            ),
            documented(
                spec,
                ("fields", field.name, "doc"),
                field.doc if field.doc.strip() else _property_text(spec, field),
                BODY,
            ),
            stop_gradients(spec, rename(field.expression or "None", names)),
        )
        for field in spec.derived
        if field.annotated
    ]


def _property_text(spec: ModuleSpec, field: Field) -> str:
    if field.role == "shared":
        return f"Tied to `{tied_source(spec, field)}`, which alone is stored."
    return "Computed from the other fields at each use."


def readable(spec: ModuleSpec) -> list[tuple[str, str, str, str]]:
    """Return name, annotation, docstring and expression of fields in groups that read as the class's own."""
    return [
        (
            name,
            Scope.of(spec).held(field),
            docstring(f"`{name}` of `{group.name}`.", BODY),
            located(spec, f"self.{name}"),
        )
        for group in (spec.groups if spec.nests else ())
        if group.readable
        for name in group.fields
        if (field := spec.field(name)) is not None
    ]


def call_context(spec: ModuleSpec) -> dict[str, Any]:
    """Return the parts of `__call__`, empty without a call, and all methods as source."""
    functions, first = methods(spec), len(spec.constructors)
    return {**_call_context(spec), "constructors": functions[:first], "methods": functions[first:]}


def _call_context(spec: ModuleSpec) -> dict[str, Any]:
    call = spec.call
    if call is None:
        return {"has_call": False, "call_signature": "", "call_returns": "", "call_doc": "", "call_body": ""}
    method = Method("__call__", call)
    signature, returns, described, body = _function(spec, method)
    return {
        "has_call": True,
        "call_signature": signature,
        "call_returns": returns,
        "call_doc": documented(spec, (*_place(method), "doc"), described, BODY) if described else "",
        "call_body": body,
    }


def with_comments(spec: ModuleSpec, context: Mapping[str, Any]) -> dict[str, Any]:
    """Add the author's comments and statements above the class and its fields."""
    comments = {field.name: block(field.comment, METHOD).lstrip() for field in spec.fields if field.comment}

    def commented(lines: Sequence[str]) -> list[str]:
        return [_commented(spec, line, comments.get(line.partition(":")[0], "")) for line in lines]

    def with_statements(lines: Sequence[str]) -> list[str]:
        names = [line.partition(":")[0] for line in lines]
        return [
            part
            for name, line in zip((*names, "..."), (*commented(lines), ""), strict=True)
            for part in (*_statements_above(spec, name, names), line)
            if part
        ]

    small = [
        [name, doc, commented(lines), *rest] for name, doc, lines, *rest in context.get("small_classes", ())
    ]
    properties = [[*row, comments.get(row[0], "")] for row in context["properties"]]
    texts = {
        "comment": "\n".join(
            filter(None, (spec.comment, *(f"@{decorator}" for decorator in spec.decorators)))
        ),
        "below": spec.below,
        "fields": with_statements(context["fields"]),
        "properties": properties,
    }
    return {**context, **texts, **({"small_classes": small} if small else {})}


def _commented(spec: ModuleSpec, line: str, comment: str) -> str:
    """Add a comment to the declaration of a field, above it or, if the author had it there, behind it."""
    declared, newline, doc = line.partition("\n")
    behind = dict(spec.written).get(("fields", line.partition(":")[0], "comment"), "")
    *above, last = comment.split("\n")
    beside = f"{declared}  {behind}"
    if behind and last.strip() == behind and len(METHOD + beside) <= WIDTH:
        comment, line = "\n".join(above), f"{beside}{newline}{doc}"
    return f"{comment}\n{METHOD}{line}" if comment else line


def _statements_above(spec: ModuleSpec, name: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the carried statements above a field, or at the end if that field is not stored."""
    for method in (candidate for candidate in spec.methods if candidate.call.above):
        place = method.call.above if method.call.above in names else "..."
        if place == name:
            yield block("\n".join(filter(None, (method.call.comment, method.call.source))), METHOD).lstrip()


def methods(spec: ModuleSpec) -> list[str]:
    """Return the further constructors, the call and the methods as source, in order."""
    functions = (method for _, method in spec.functions if not (method.call.above or method.inherited))
    return ["\n".join(_method(spec, method)) for method in functions]


def _method(spec: ModuleSpec, method: Method) -> Iterator[str]:
    if method.call.comment:
        yield block(method.call.comment, METHOD) + "\n" * method.call.comment.endswith("\n")
    if method.call.source:
        yield block(carried(spec, method), METHOD)
        return
    signature, returns, described, body = _function(spec, method)
    is_asked = asks_for(spec, method)
    yield from (
        f"{METHOD}@{decorator}" for decorator in (*method.decorators, *["abc.abstractmethod"] * is_asked)
    )
    yield f"{METHOD}def {method.name}({signature}){f' -> {returns}' if method.call.returns else ''}:"
    if described:
        yield f"{BODY}{documented(spec, (*_place(method), 'doc'), described, BODY)}"
    if not (described and is_asked):
        yield body or f"{BODY}..."


def carried(spec: ModuleSpec, method: Method) -> str:
    """Return a definition word for word, except that methods read fields as the class stores them."""
    source = method.call.source
    if not (method.is_function and method.owner == "self"):
        return source
    annotated = [(node.arg, node.annotation) for node in nodes_of(ast.arg, *statements(source))]
    own = (spec.name, "Self")
    others = [n for n, annotation in annotated if annotation and ast.unparse(annotation).strip("'") in own]
    return stop_gradients(spec, source, others)


def _function(spec: ModuleSpec, method: Method) -> tuple[str, str, str, str]:
    """Return signature, result, docstring and body of a method."""
    call, scope = method.call, Scope.of(spec, spec.name)
    path = _place(method)
    signature = ", ".join(filter(None, (method.owner, call_signature(call.args, scope, path))))
    source = _dedented(call.body)
    others = [argument.name for argument in call.args if argument.type == ClassType(spec.name)]
    body = stop_gradients(spec, source, others) if method.owner == "self" else source
    is_inner = method.name.startswith("_") and method.name != "__call__" and not call.doc.strip()
    described = replace(call, returns=()) if method.builds(spec.name) else call
    returns = scope.spelled((*path, "returns"), _returns(call, scope))
    return signature, returns, "" if is_inner else _call_doc(described), block(body, BODY)


def _place(method: Method) -> tuple[str, ...]:
    """Return the path of a method's table."""
    return ("call",) if method.name == "__call__" else (method.table, method.name)


def _dedented(source: str) -> str:
    return block(source, "")


def _returns(call: Call, scope: Scope) -> str:
    kinds = [scope.plain(kind) for kind in call.returns]
    if not kinds:
        return "Any"
    return f"tuple[{', '.join(kinds)}]" if call.returns_tuple else kinds[0]


def _call_doc(call: Call) -> str:
    """Return the author's docstring of the call, and a sentence on its mapping."""
    return f"{call.doc}{_mapping_text(call)}".strip()


def _mapping_text(call: Call) -> str:
    """Return a sentence on how to map a call that averages over a batch."""
    if call.axis_name is None:
        return ""
    axes = ", the state with `in_axes` and `out_axes` None" if any(map(is_state, call.returns)) else ""
    return f'\n\nCalled under `jax.vmap` with `axis_name="{call.axis_name}"`{axes}.'


def guard(source: str, reads: Mapping[str, str], arrays: AbstractSet[str] = frozenset()) -> str:
    """Replace reads of `self.NAME` by the text in `reads`, unless the gradient is stopped there already.

    Forms of `arrays`, such as `self.NAME.dtype`, are left alone.
    """
    return read_as(source, reads, lambda node: _is_kept(node) or _asks_for_form(node, arrays))


def _is_kept(node: ast.AST) -> bool:
    """Whether reads below a node need no stop, in a None test, in `len`, or where they are stopped
    already."""
    return is_identity_test(node) or any(calls(node, name) for name in ("stop_gradient", STOPPED, "len"))


def _asks_for_form(node: ast.AST, arrays: AbstractSet[str]) -> bool:
    """Whether a node is the dtype, shape or size of an array of the class."""
    return isinstance(node, ast.Attribute) and node.attr in _FORM and attribute_of_self(node.value) in arrays
