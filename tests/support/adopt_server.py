"""What `asking` starts: a process that has imported what each child of `adopt` imports, and is forked for each of them.

`python adopt_server.py SOCKET CHILD WHEEL`; it ends when its input closes. Each connection brings the streams of a child.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys

LONGEST = 2**20
"""How long a request may be, in bytes: its arguments, folder and environment."""


def main(path: str, child: str, wheel: str) -> None:
    sys.path.pop(0)  # the folder of this file
    import_what_children_import(child, wheel)
    gc.freeze()  # a collection in a child looks through what is its own
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whose exit codes nobody asks for
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
            connection, _ = server.accept()
            if not os.fork():
                become_child(connection)
            connection.close()


def import_what_children_import(child: str, wheel: str) -> None:
    """Import jax, Equinox, the laws and the requests; what a class needs besides is imported with it."""
    program = runpy.run_path(child)
    program["load"]("scaffold_adopt", program["Path"](child).parent)
    program["load_laws"](wheel)
    importlib.import_module("equinox")
    importlib.import_module("scaffold_adopt.protocol.serve").load_handlers()


def become_child(connection: socket.socket) -> None:
    """Run the program with the streams, arguments, folder and environment of whoever connected."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    text, streams, _, _ = socket.recv_fds(connection, LONGEST, 3)
    request = json.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = request["arguments"]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
