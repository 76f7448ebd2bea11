"""Output of other processes, read as it arrives and kept up to a limit."""

import os
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import IO

LAST_WORDS = 16_000
LONGEST_ANSWER = 64 * 2**20
"""Limit of an answer in bytes. A test file has some thousands."""
_PIECE = 2**16
_WAITING = 16
"""Number of lines in the queue before the writer has to wait."""


class Lines:
    """Lines of a stream, read by a thread. Text without a final newline is dropped."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lines: Queue[bytes | None] = Queue(_WAITING)
        self._closed = Event()
        self.too_long = False
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    def next(self, seconds: float) -> bytes | None:
        """Return the next line, or None at the end. Raises `TimeoutError`."""
        try:
            return self._lines.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None

    def close(self) -> None:
        """Let the reader end."""
        self._closed.set()

    def _read(self) -> None:
        pieces: list[bytes] = []
        size = 0
        while piece := _piece_of(self._stream):
            *ends, rest = piece.split(b"\n")
            for end in ends:
                self._put(b"".join([*pieces, end]))
                pieces, size = [], 0
            pieces.append(rest)
            size += len(rest)
            if size > LONGEST_ANSWER:
                self.too_long = True
                break
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        while not self._closed.is_set():
            try:
                self._lines.put(line, timeout=0.1)
            except Full:
                continue
            return


class Tail:
    """Last part of a stream, read by a thread."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = b""
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    @property
    def text(self) -> str:
        """Last part as text."""
        return self._kept.decode("utf-8", "replace")

    def _read(self) -> None:
        while piece := _piece_of(self._stream):
            self._kept = (self._kept + piece)[-LAST_WORDS:]


def _piece_of(stream: IO[bytes]) -> bytes:
    try:
        return os.read(stream.fileno(), _PIECE)
    except (OSError, ValueError):  # closed meanwhile
        return b""
