"""What is said of a class: by the arguments of `scaffold new-module`, or by answers."""

from typing import Any

from msgspec import Struct, field


class Answers(Struct):
    """The texts from which the spec of a class is read; `name` is None, and the rest empty, until somebody says it.

    `pairs` are those of `--size`, `--option`, `--group` and `--preset`, by that name.
    """

    name: str | None
    fields: list[str]
    options: dict[str, str | None]
    pairs: dict[str, tuple[str, ...]]
    lower_for: tuple[str, ...] = field(default=())

    @property
    def is_name_alone(self) -> bool:
        """Whether nothing is said but the name, and maybe the kind."""
        more = [value for key, value in self.options.items() if key != "kind" and value is not None]
        return self.name is not None and not (
            self.fields or more or any(self.pairs.values()) or self.lower_for
        )

    def raw_spec(self) -> dict[str, Any]:
        """The tables of the spec. Raises `ScaffoldError` for what cannot be read."""
        from scaffold.spec.command_line import raw_spec  # here, because a run with `--spec` needs none of it

        return raw_spec(self.name or "", self.fields, self.options, self.pairs, self.lower_for)

    def command(self) -> str:
        """The command that says the same, to be run or mended in a shell."""
        import shlex

        said = [(f"--{key}", value) for key, value in self.options.items() if value is not None]
        said += [(f"--{key}", value) for key, values in self.pairs.items() for value in values]
        said += [("--lower-for", value) for value in self.lower_for]
        options = [key if key == "--save" else f"{key} {shlex.quote(value)}" for key, value in said]
        named = [shlex.quote(word) for word in (self.name or "NAME", *self.fields)]
        return " ".join(["scaffold new-module", *named, *options])
