"""Workers are forked, but their random values differ, including those of a worker that replaces a killed one."""

import http.client
import os
import signal
import ssl

import certificates
import pytest
import tls
from server import PATIENCE_S, wait_until

WORKERS = 2
DRAWN = 8  # drawn by each worker from its first handshake on
HANDSHAKE, SERVER_HELLO, SERVER_KEY_EXCHANGE = 22, 2, 12
KEY_SHARE = 51


@pytest.fixture
def server(tmp_path, launch):
    pair = certificates.make(str(tmp_path), "first").options
    return launch("--tls-listen", "127.0.0.1:0", *pair, workers=WORKERS).start()


def sockets_of(worker):
    """Inodes of its sockets, except those that have just been closed."""
    found = set()
    for name in os.listdir(f"/proc/{worker}/fd"):
        try:
            found.add(os.readlink(f"/proc/{worker}/fd/{name}"))
        except FileNotFoundError:
            pass
    return {one for one in found if one.startswith("socket:")}


class Flight:
    """First messages of the server that are not encrypted."""

    def __init__(self, stream, made):
        self.stream, self.data = stream, b""
        hello, _ = tls.Piecewise(made).step()
        stream.sendall(hello)

    def _read(self, size):
        data = b""
        while len(data) < size:
            piece = self.stream.recv(size - len(data))
            assert piece, data
            data += piece
        return data

    def message(self):
        """Next message of the handshake, read from records (RFC 8446 5.1): its kind and body."""
        while len(self.data) < 4 or len(self.data) < 4 + number(self.data[1:4]):
            head = self._read(5)
            assert head[0] == HANDSHAKE, head
            self.data += self._read(number(head[3:]))
        end = 4 + number(self.data[1:4])
        kind, body, self.data = self.data[0], self.data[4:end], self.data[end:]
        return kind, body


def number(data):
    return int.from_bytes(data, "big")


def key_share(hello):
    """Key share of the server in TLS 1.3 (RFC 8446 4.2.8)."""
    at = 35 + hello[34] + 3
    end = at + 2 + number(hello[at:at + 2])
    at += 2
    while at < end:
        kind, length = number(hello[at:at + 2]), number(hello[at + 2:at + 4])
        if kind == KEY_SHARE:
            return hello[at + 8:at + 4 + length]
        at += 4 + length
    raise AssertionError("a ServerHello without a key")


def randoms(stream, made):
    """Random values of one handshake: the random and the key. The session ID is the client's own (1.3) or
    empty (1.2)."""
    flight = Flight(stream, made)
    kind, hello = flight.message()
    assert kind == SERVER_HELLO
    if made.minimum_version == ssl.TLSVersion.TLSv1_3:
        return [hello[2:34], key_share(hello)]
    while kind != SERVER_KEY_EXCHANGE:
        kind, body = flight.message()
    assert hello[34] == 0
    return [hello[2:34], body[4:4 + body[3]]]  # after its curve (RFC 8422 5.4)


def draw(server, version):
    """Collects values that the workers draw, including the first ones of each worker: two workers with
    equal states would draw equal values there."""
    made = tls.context(version=version)
    workers = server.workers()
    before = {worker: sockets_of(worker) for worker in workers}
    streams, drawn = [], []

    def each_has_enough():
        stream = tls.raw(tls.port_of(server))
        streams.append(stream)
        drawn.extend(randoms(stream, made))
        return all(len(sockets_of(worker) - before[worker]) >= DRAWN for worker in workers)

    try:
        wait_until(each_has_enough, "handshakes at each worker")
    finally:
        for stream in streams:
            stream.close()
    return drawn


def request_prefixes(server):
    """Each worker draws the first half of its request IDs when it starts."""
    found = set()

    def all_have_answered():
        client = http.client.HTTPConnection(*server.address, timeout=PATIENCE_S)
        client.request("GET", "/livez")
        found.add(client.getresponse().getheader("X-Request-Id")[:16])
        client.close()
        return len(found) == WORKERS

    wait_until(all_have_answered, "two workers with IDs of their own")
    return found


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_no_two_workers_draw_the_same(server, version):
    drawn, prefixes = draw(server, version), request_prefixes(server)
    killed = server.workers()[0]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: killed not in server.workers(), "a worker in its place")
    drawn += draw(server, version)
    assert len(drawn) > 2 * WORKERS * DRAWN
    assert len(set(drawn)) == len(drawn)
    assert len(prefixes | request_prefixes(server)) == WORKERS + 1
