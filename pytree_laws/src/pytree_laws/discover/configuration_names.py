"""Names of configurations: what each changes, as text."""

from collections.abc import Mapping
from typing import Any

from ..inspect.arrays import is_array
from ..inspect.parameter_values import value_text
from .configurations import Configuration, TracedConfiguration


def changes_options_alone(trial: TracedConfiguration) -> bool:
    """Whether flags and options alone are changed, and no array has another form.

    Some values print as an address, which is another one in each process.
    """
    configuration = trial.configuration
    changes = configuration.changes.values()
    numbers = any(is_array(v) or isinstance(v, float | complex) for v in changes)
    return not numbers and " at 0x" not in configuration.name


def inputs_as_text(configuration: Configuration) -> str:
    text = changes_as_text({**configuration.inputs, **configuration.leaves})
    return f" with {text}" * bool(text)


def changes_as_text(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value_text(value)}" for name, value in changes.items())
