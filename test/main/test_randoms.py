"""Workers are forked: what they draw at random is their own, also that of a worker in the place of one
that was killed."""

import http.client
import os
import signal
import ssl

import certificates
import pytest
import tls
from server import PATIENCE_S, wait_until

WORKERS = 2
DRAWN = 8  # by each worker, from its first handshake on
KEY_SHARE = 51


@pytest.fixture
def server(tmp_path, launch):
    pair = certificates.make(str(tmp_path), "first").options
    return launch("--tls-listen", "127.0.0.1:0", *pair, workers=WORKERS).start()


def sockets_of(worker):
    """Inodes. One that has just been closed is left out."""
    found = set()
    for name in os.listdir(f"/proc/{worker}/fd"):
        try:
            found.add(os.readlink(f"/proc/{worker}/fd/{name}"))
        except FileNotFoundError:
            pass
    return {one for one in found if one.startswith("socket:")}


def server_hello(stream, made):
    """The body of the ServerHello, which is not encrypted (RFC 8446 4.1.3)."""
    hello, _ = tls.Piecewise(made).step()
    stream.sendall(hello)
    data = b""
    while len(data) < 9 or len(data) < 9 + int.from_bytes(data[6:9], "big"):
        piece = stream.recv(65536)
        assert piece, data
        data += piece
    assert data[0] == 22 and data[5] == 2
    return data[9:9 + int.from_bytes(data[6:9], "big")]


def key_share(body):
    """That of the server in TLS 1.3; none in TLS 1.2."""
    at = 35 + body[34] + 3
    end = at + 2 + int.from_bytes(body[at:at + 2], "big")
    at += 2
    while at < end:
        kind, length = (int.from_bytes(body[at + i:at + i + 2], "big") for i in (0, 2))
        if kind == KEY_SHARE:
            return body[at + 8:at + 4 + length]
        at += 4 + length
    return None


def draw(server, version):
    """What the workers have drawn, in a list: randoms, and keys of TLS 1.3. Of each worker, its first
    ones are among them: that is where two with one state would draw the same."""
    made = tls.context(version=version)
    workers = server.workers()
    before = {worker: sockets_of(worker) for worker in workers}
    streams, drawn = [], []

    def each_has_enough():
        stream = tls.raw(tls.port_of(server))
        streams.append(stream)
        body = server_hello(stream, made)
        drawn.append(body[2:34])
        if version == ssl.TLSVersion.TLSv1_3:
            drawn.append(key_share(body))
        return all(len(sockets_of(worker) - before[worker]) >= DRAWN for worker in workers)

    try:
        wait_until(each_has_enough, "handshakes at each worker")
    finally:
        for stream in streams:
            stream.close()
    return drawn


def request_prefixes(server):
    """The first half of each request's ID is drawn by the worker when it starts."""
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
    assert None not in drawn and len(drawn) > WORKERS * DRAWN
    assert len(set(drawn)) == len(drawn)
    assert len(prefixes | request_prefixes(server)) == WORKERS + 1
