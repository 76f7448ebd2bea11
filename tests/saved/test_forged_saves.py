"""Files of `save` that were forged: `load` refuses them, and names the leaf."""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.saved.test_serialisation import Files, files, refusal, small_tree

__all__ = ["files"]


@dataclass(frozen=True)
class Forger:
    """A file of `save_tree`, taken apart: the header, and the bytes of each tensor."""

    header: dict[str, Any]
    tensors: dict[str, bytes]

    @classmethod
    def of(cls, data: bytes) -> "Forger":
        size = int.from_bytes(data[:8], "little")
        header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
        places = {name: one["data_offsets"] for name, one in header.items() if name != "__metadata__"}
        return cls(header, {name: body[start:end] for name, (start, end) in places.items()})

    def with_tensor(self, name: str, data: bytes | None, **said: Any) -> "Forger":
        """A file in which a tensor is another, and so is its checksum; None takes it out."""
        header = json.loads(json.dumps(self.header))
        tensors = {
            one: content for one, content in {**self.tensors, name: data}.items() if content is not None
        }
        sums = json.loads(header["__metadata__"]["checksums"])
        header["__metadata__"]["checksums"] = json.dumps({**sums, name: zlib.crc32(data or b"")})
        header[name] = {**header.get(name, {}), **said}
        header = {one: header[one] for one in ("__metadata__", *tensors)}
        for one, content in tensors.items():
            start = sum(len(tensors[before]) for before in list(tensors)[: list(tensors).index(one)])
            header[one]["data_offsets"] = [start, start + len(content)]
        return Forger(header, tensors)

    def with_header(self, name: str, **said: Any) -> "Forger":
        """A file whose header says something else of a tensor than there is."""
        return Forger({**self.header, name: {**self.header[name], **said}}, self.tensors)

    def content(self, header: bytes | None = None, size: int | None = None) -> bytes:
        header = json.dumps(self.header).encode() if header is None else header
        size = len(header) if size is None else size
        return size.to_bytes(8, "little") + header + b"".join(self.tensors.values())


WEIGHT, STEPS, KEY, HALF = "['weight']", "['steps']", "['key']", "['half']"
FORGED: dict[str, tuple[Callable[[Forger], Forger], str]] = {
    "extra": (
        lambda file: file.with_tensor("['more']", b"ab", dtype="U8", shape=[2]),
        f"`{WEIGHT[:2]}more']` holds U8[2] and not nothing",
    ),
    "missing": (lambda file: file.with_tensor(WEIGHT, None), f"`{WEIGHT}` holds nothing and not F32[2, 3]"),
    "another dtype": (
        lambda file: file.with_header(WEIGHT, dtype="I32"),
        f"`{WEIGHT}` holds I32[2, 3] and not F32[2, 3]",
    ),
    "another shape": (
        lambda file: file.with_header(WEIGHT, shape=[3, 2]),
        f"`{WEIGHT}` holds F32[3, 2] and not F32[2, 3]",
    ),
    "too short": (
        lambda file: file.with_tensor(WEIGHT, bytes(20), shape=[5]),
        f"`{WEIGHT}` holds F32[5] and not F32[2, 3]",
    ),
    "too long": (
        lambda file: file.with_tensor(WEIGHT, bytes(28), shape=[7]),
        f"`{WEIGHT}` holds F32[7] and not F32[2, 3]",
    ),
    "an empty number": (
        lambda file: file.with_tensor(STEPS, b"", shape=[0]),
        f"`{STEPS}` holds I64[0] and not I64[]",
    ),
    "two numbers": (
        lambda file: file.with_tensor(STEPS, bytes(16), shape=[2]),
        f"`{STEPS}` holds I64[2] and not I64[]",
    ),
    "a number of bytes": (
        lambda file: file.with_tensor(STEPS, bytes(3), dtype="U8", shape=[3]),
        f"`{STEPS}` holds U8[3] and not I64[]",
    ),
    "half a key": (
        lambda file: file.with_tensor(KEY, bytes(4), shape=[1]),
        f"`{KEY}` holds U32[1] and not U32[2]",
    ),
    "another float": (
        lambda file: file.with_header(HALF, dtype="F16"),
        f"`{HALF}` holds F16[2] and not BF16[2]",
    ),
    "overlapping": (lambda file: file.with_header(HALF, data_offsets=[2, 6]), "damaged, or was not written"),
    "negative": (lambda file: file.with_header(HALF, data_offsets=[-4, 0]), "damaged, or was not written"),
    "beyond the end": (
        lambda file: file.with_header(KEY, data_offsets=[10**6, 10**6 + 8]),
        "damaged, or was not written",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_tensor_is_refused_and_named(files: Files, tmp_path: Path, name: str) -> None:
    forge, told = FORGED[name]
    files.save(tmp_path / "saved", small_tree())
    (tmp_path / "saved").write_bytes(forge(Forger.of((tmp_path / "saved").read_bytes())).content())
    assert told in refusal(files, tmp_path / "saved", small_tree())


def test_a_tensor_that_is_there_twice_is_refused_and_named(files: Files, tmp_path: Path) -> None:
    files.save(tmp_path / "saved", small_tree())
    file = Forger.of((tmp_path / "saved").read_bytes())
    again = f', "{WEIGHT}": {json.dumps(file.header[WEIGHT])}}}'
    header = json.dumps(file.header).encode()
    (tmp_path / "saved").write_bytes(file.content(header[:-1] + again.encode()))
    assert f"`{WEIGHT}` is there twice" in refusal(files, tmp_path / "saved", small_tree())


@pytest.mark.parametrize("size", [0, 2**31, 2**63, 2**64 - 1])
def test_a_header_of_another_length_is_refused(files: Files, tmp_path: Path, size: int) -> None:
    files.save(tmp_path / "saved", small_tree())
    file = Forger.of((tmp_path / "saved").read_bytes())
    (tmp_path / "saved").write_bytes(file.content(size=size))
    assert "`saved` is damaged" in refusal(files, tmp_path / "saved", small_tree())


@pytest.mark.parametrize("key", ["tree", "checksums"])
@pytest.mark.parametrize(
    "value", ["[" * 10_000, "[[1, 2]]", "null", "9" * 10_000, '{"a": 1, "a": 2}', "nonsense"]
)
def test_metadata_of_another_form_is_refused(files: Files, tmp_path: Path, key: str, value: str) -> None:
    files.save(tmp_path / "saved", small_tree())
    file = Forger.of((tmp_path / "saved").read_bytes())
    file.header["__metadata__"][key] = value
    (tmp_path / "saved").write_bytes(file.content())
    with pytest.raises(ValueError, match=r"damaged|does not fit"):
        files.load(tmp_path / "saved", small_tree())
