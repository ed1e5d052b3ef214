"""Ports for programs that must be told theirs."""

import random
import socket

# Below the range from which the kernel takes ports (ip_local_port_range): a test beside this one that
# asks for any port, or connects, never gets one of these.
PORTS = range(10000, 32000)


def free_port(host="127.0.0.1"):
    while True:
        port = random.choice(PORTS)
        try:
            with socket.create_server((host, port)):
                return port
        except OSError:
            pass
