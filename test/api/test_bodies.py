"""Bodies of each account have a share of the memory. Above it the answer is 503."""

import select
import socket
import time

from server import PATIENCE_S, wait_until

BODY_BYTES = 4 * 1024 * 1024
ALL_BODIES_BYTES = 128 * 1024 * 1024


def begin_upload(world, key):
    """A connection whose upload lacks its last byte."""
    connection = socket.create_connection(world.server.address, timeout=PATIENCE_S)
    connection.sendall(
        b"POST /v1/apps/none/upload HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer " + key.encode() + b"\r\n"
        b"Content-Length: %d\r\n\r\n" % BODY_BYTES)
    connection.setblocking(False)
    return connection


def feed(connections):
    """Sends all but the last byte of each body until one is answered. Returns the answered ones."""
    left = {connection: BODY_BYTES - 1 for connection in connections}
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answered, writable, _ = select.select(connections, list(left), [], 1)
        if answered:
            return answered
        for connection in writable:
            left[connection] -= connection.send(b" " * min(left[connection], 1 << 18))
            if left[connection] == 0:
                del left[connection]
    return []


def read_head(connection):
    connection.settimeout(PATIENCE_S)
    return connection.recv(65536).decode()


def test_unfinished_uploads_of_one_account(start):
    """The account is refused at its share, and others are not affected."""
    world = start(workers=1)
    greedy, other = world.account(), world.account()
    device, others_device = greedy.device(), other.device()
    connections = [begin_upload(world, greedy.key)
                   for _ in range(ALL_BODIES_BYTES // BODY_BYTES // 2 + 2)]
    try:
        answered = feed(connections)
        assert answered, "more than one account's share was taken"
        head = read_head(answered[0])
        assert head.startswith("HTTP/1.1 503 ") and "\r\nRetry-After: " in head
        assert others_device.push().status == 200
        with begin_upload(world, other.key) as upload:
            upload.settimeout(PATIENCE_S)
            upload.sendall(b"0".rjust(BODY_BYTES))
            assert read_head(upload).startswith("HTTP/1.1 404 ")  # the app is missing
    finally:
        for connection in connections:
            connection.close()
    # Closing the connections releases their memory.
    wait_until(lambda: device.push().status == 200, "a push that is taken")
