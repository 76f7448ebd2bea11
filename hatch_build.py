"""Build hook that puts the wheel of the laws into `scaffold/wheels`, from where the tool copies it."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilder

_EPOCH = "1580601600"  # hatchling's own default, which a variable of the machine must not move


class LawsWheel(BuildHookInterface[Any]):
    """Hook that hatchling calls before each build, also of an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the wheel, and replace an existing file only if it differs."""
        folder = Path(self.root, "scaffold", "wheels")
        folder.mkdir(exist_ok=True)
        builder = WheelBuilder(str(Path(self.root, "pytree_laws")))
        with TemporaryDirectory(dir=folder) as scratch, patch.dict(os.environ, SOURCE_DATE_EPOCH=_EPOCH):
            [built] = map(Path, builder.build(directory=scratch, versions=["standard"]))
            target = folder / built.name
            if not target.is_file() or target.read_bytes() != built.read_bytes():
                built.replace(target)  # at once: the tool may read it meanwhile
        for older in set(folder.glob("*.whl")) - {target}:
            older.unlink()
