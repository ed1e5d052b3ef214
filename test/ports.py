"""Ports for programs that need a fixed port."""

import random
import socket

# Below the range from which the kernel takes ports (ip_local_port_range), so that parallel tests that use
# any port never get one of these.
PORTS = range(10000, 32000)


# A lock for each port that this process returned, since the program listens on it only later: a parallel
# test gets another port.
_taken = []


def _take(port):
    reservation = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        reservation.bind(f"\0displayd-test-port-{port}")  # abstract, so it ends with this process
    except OSError:
        reservation.close()
        return False
    _taken.append(reservation)
    return True


def free_port(host="127.0.0.1"):
    """Returns a port on which nothing listens, and which no other caller gets."""
    while True:
        port = random.choice(PORTS)
        try:
            with socket.create_server((host, port)):
                pass
        except OSError:
            continue
        if _take(port):
            return port
