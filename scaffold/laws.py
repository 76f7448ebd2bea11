"""The law suite as a reference: what each law says, the usual mistake behind a failure, and its fix."""

import ast
import textwrap
from dataclasses import asdict, dataclass

from scaffold.errors import ScaffoldError, suggestion
from scaffold.generate import law_suite


@dataclass(frozen=True)
class Law:
    """One law of the suite."""

    name: str
    statement: str
    mistake: str
    fix: str

    def to_json(self) -> dict[str, str]:
        return asdict(self)

    def text(self, number: str) -> str:
        parts = (
            f"{number} {self.name}",
            f"  {self.statement}",
            f"  mistake: {self.mistake}",
            f"  fix: {self.fix}",
        )
        return "\n".join(textwrap.fill(part, 88, subsequent_indent="    ") for part in parts)


def law_table(name: str | None = None) -> dict[str, Law]:
    """The laws by number, or the one law that `name` (a number or a word) names. Raises `ScaffoldError`."""
    every = {number: Law(*row) for number, row in _rows().items()}
    if name is None:
        return every
    found = {
        number: law for number, law in every.items() if name.lower() in (number.lower(), law.name.lower())
    }
    if not found:
        names = [*every, *(law.name for law in every.values())]
        raise ScaffoldError(
            f"there is no law `{name}`",
            where="command line",
            legal=tuple(every),
            fix=suggestion(name, names, "write a number such as P3"),
        )
    return found


def _rows() -> dict[str, tuple[str, str, str, str]]:
    # The suite imports jax, so its table is read and not imported.
    for node in ast.parse(law_suite()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == "LAWS":
                return ast.literal_eval(node.value)
    raise AssertionError("pytree_laws.py has no table LAWS")
