"""The rule for templates: text, `{{ name }}`, `{% for %}` over a list and `{% if flag %}`, and nothing else."""

from collections.abc import Iterator

from jinja2 import Environment, nodes

_TEXT = (nodes.Template, nodes.Output, nodes.TemplateData)


def violations(template: str) -> list[str]:
    """What the template does beyond the rule, in order."""
    return list(_visit(Environment(autoescape=False).parse(template)))


def _visit(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Name):
        return
    if isinstance(node, nodes.For):
        yield from _loop(node)
    elif isinstance(node, nodes.If):
        yield from _condition(node)
    elif not isinstance(node, _TEXT):
        yield f"line {node.lineno}: {type(node).__name__} decides something; decide it in Python"
        return
    for child in _bodies(node):
        yield from _visit(child)


def _loop(node: nodes.For) -> Iterator[str]:
    if not isinstance(node.iter, nodes.Name):
        yield f"line {node.lineno}: a loop runs over a list by its name"
    if node.test is not None or node.recursive or node.else_:
        yield f"line {node.lineno}: a loop has no condition, no else and no recursion"


def _condition(node: nodes.If) -> Iterator[str]:
    if not isinstance(node.test, nodes.Name):
        yield f"line {node.lineno}: a condition is the name of a flag"
    if node.elif_:
        yield f"line {node.lineno}: elif decides among several; decide it in Python"


def _bodies(node: nodes.Node) -> list[nodes.Node]:
    if isinstance(node, nodes.For):
        return list(node.body)
    if isinstance(node, nodes.If):
        return [*node.body, *node.else_]
    return list(node.iter_child_nodes())
