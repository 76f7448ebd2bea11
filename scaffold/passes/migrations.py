"""Changes of a class between versions, which the class lists for `load`."""

import ast
from typing import TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from scaffold.source.definitions import annotated_names, class_statement
from scaffold.spec.model import Call, Method, ModuleSpec

ATTRIBUTE = "migrations"
COMMENT = "# What changed from version to version, the oldest first, for files of former ones."


class Migration(Struct, frozen=True):
    """Change of a class: added, dropped and renamed fields, and the former name of the class."""

    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    former: str = ""

    @property
    def source(self) -> str:
        """Source of the change in the class's list."""
        sources = {
            "added": repr(self.added),
            "dropped": repr(self.dropped),
            "renamed": repr(dict(self.renamed)),
            "former": repr(self.former),
        }
        said = {name: sources[name] for name in sources if getattr(self, name)}
        return f"Migration({', '.join(f'{name}={source}' for name, source in said.items())})"


def with_migrations(spec: ModuleSpec, migrations: tuple[Migration, ...]) -> ModuleSpec:
    """Add the list of changes to the spec."""
    rows = "".join(f"    {migration.source},\n" for migration in migrations)
    value = f"(\n{rows})" if rows else "()"
    first = spec.stored[0].name if spec.stored else "..."
    # Without an annotation, by which it would be a field of a NamedTuple.
    call = Call((), "", source=f"{ATTRIBUTE} = {value}", above=first, comment=COMMENT)
    listed = Method(ATTRIBUTE, call)
    return replace(spec, methods=(*spec.methods, listed))


def read_class(text: str, name: str) -> tuple[tuple[str, ...], tuple[Migration, ...]]:
    """Return the fields of a class in an emitted module, and the changes that it lists.

    Both are empty if the class is missing.
    """
    node = class_statement(text, name)
    body = node.body if node is not None else []
    annotated = ((field, ast.unparse(line.annotation)) for field, line in annotated_names(body))
    fields = tuple(field for field, annotation in annotated if "ClassVar" not in annotation)
    listed = next((statement.value for statement in body if _is_listing(statement)), None)
    calls = (
        [element for element in listed.elts if isinstance(element, ast.Call)]
        if isinstance(listed, ast.Tuple)
        else []
    )
    return fields, tuple(map(_read, calls))


def _is_listing(statement: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == ATTRIBUTE


def _read(call: ast.Call) -> Migration:
    said = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    renamed = tuple(said.get("renamed", {}).items())
    return Migration(said.get("added", ()), said.get("dropped", ()), renamed, said.get("former", ""))
