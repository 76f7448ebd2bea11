"""Description of a class, from the arguments of `scaffold new-module` or from answers."""

from typing import Any

from msgspec import Struct, field


class Answers(Struct):
    """Texts from which the spec of a class is read. Before the user names the class, `name` is None.

    `pairs` holds the values of `--size`, `--option`, `--group` and `--preset`, by that name.
    """

    name: str | None
    fields: list[str]
    options: dict[str, str | None]
    pairs: dict[str, tuple[str, ...]]
    lower_for: tuple[str, ...] = field(default=())

    @property
    def is_name_alone(self) -> bool:
        """Whether only the name and maybe the kind are given."""
        more = [value for key, value in self.options.items() if key != "kind" and value is not None]
        return self.name is not None and not (
            self.fields or more or any(self.pairs.values()) or self.lower_for
        )

    def raw_spec(self) -> dict[str, Any]:
        """Return the tables of the spec. Raises `ScaffoldError` for texts that do not parse."""
        from scaffold.spec.command_line import raw_spec  # here, because a run with `--spec` needs none of it

        return raw_spec(self.name or "", self.fields, self.options, self.pairs, self.lower_for)

    def command(self) -> str:
        """Return the equivalent command for a shell."""
        import shlex

        said = [(f"--{key}", value) for key, value in self.options.items() if value is not None]
        said += [(f"--{key}", value) for key, values in self.pairs.items() for value in values]
        said += [("--lower-for", value) for value in self.lower_for]
        options = [key if key == "--save" else f"{key} {shlex.quote(value)}" for key, value in said]
        named = [shlex.quote(word) for word in (self.name or "NAME", *self.fields)]
        return " ".join(["scaffold new-module", *named, *options])
