"""Stands for a child of `adopt`: hands its streams to a fork of `adopt_server`, and lasts as long as that does.

`python adopt_client.py SOCKET CHILD WHEEL TYPES`
"""

import json
import os
import socket
import sys

_, server, *arguments = sys.argv
request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(server)
    socket.send_fds(connection, [json.dumps(request).encode()], [0, 1, 2])
    for stream in (0, 1, 2):  # else whoever reads of the fork would wait for this process as well
        os.close(stream)
    connection.recv(1)  # nothing comes: the other end is closed with the fork
