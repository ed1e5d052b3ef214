"""Files that are passed on in parts: bounded in memory, size and time, and no burden to other accounts."""

import contextlib
import gzip
import itertools
import json
import struct
import threading
import time

import pytest

from egress_process import DATA, LOCAL, Egress, Flood, Server, tls_context
from test_hostile import peak_bytes

MEBIBYTE = 1 << 20
WINDOW = 256 << 10
LARGEST = 128 * MEBIBYTE


@pytest.fixture
def downloading(certificate):
    launch = ("--network", "--data", DATA, "--read", certificate[0])
    running = Egress(*LOCAL, "--certificates", certificate[0], launch=launch)
    yield running
    running.close()


@pytest.fixture
def files(certificate):
    """A server with TLS."""
    with Server() as running:
        running.socket = tls_context(certificate).wrap_socket(running.socket, server_side=True)
        running.url = f"https://localhost:{running.server_address[1]}"
        yield running
        running.gate.set()
        running.shutdown()


class Tls(Flood):
    """A server with TLS that sends what it is told, and then the rest without end, after a pause each time."""

    def __init__(self, certificate, begin, rest=b"", pause_s=0):
        self.context, self.pause_s = tls_context(certificate), pause_s
        self.is_left = threading.Event()
        super().__init__(begin, rest)
        self.url = f"https://localhost:{self.port}"

    def _serve(self, peer):
        with contextlib.suppress(OSError), self.context.wrap_socket(peer, server_side=True) as wrapped:
            try:
                super()._serve(wrapped)
            finally:
                self.is_left.set()


def send_order(client, **order):
    head = json.dumps(order).encode()
    client.link.sendall(struct.pack(">II", len(head), 0) + head)


def take(client, sent, length):
    send_order(client, take={"id": sent, "bytes": length})


def receive(client, sent):
    """The answer, the body's length and the size that was announced; each part is taken."""
    length, sizes = 0, set()
    while True:
        head, body = client.receive()
        if "fetch" in head:
            assert head["fetch"]["id"] == sent and body == b""
            return head["fetch"], length, sizes
        assert head["part"]["id"] == sent and 0 < len(body) <= WINDOW
        length += len(body)
        sizes.add(head["part"]["size"])
        take(client, sent, len(body))


def fetch(client, url, most=LARGEST, **members):
    return receive(client, client.send(url, download=most, **members))


def error(client, url, most=LARGEST, **members):
    return fetch(client, url, most, **members)[0]["error"]


def test_a_file(downloading, files):
    client = downloading.connect()
    answer, length, sizes = fetch(client, f"{files.url}/large?{20 * MEBIBYTE}")
    assert (answer["status"], length, sizes) == (200, 20 * MEBIBYTE, {20 * MEBIBYTE})
    assert fetch(client, f"{files.url}/to?/large?{MEBIBYTE}")[1] == MEBIBYTE
    # The least file, an empty one, and what is no file.
    assert fetch(client, f"{files.url}/large?1", 1)[1] == 1
    for _ in range(2):
        answer, length, _ = fetch(client, f"{files.url}/large?0")
        assert (answer["status"], length) == (200, 0)
    answer, length, _ = fetch(client, f"{files.url}/status?404")
    assert (answer["status"], length) == (404, 0)
    answer, length, _ = fetch(client, f"{files.url}/status?304", headers={"If-None-Match": '"a"'})
    assert (answer["status"], length) == (304, 0)
    assert files.seen[-1][2]["If-None-Match"] == '"a"' and "Accept-Encoding" not in files.seen[-1][2]
    assert files.count("/large?0") == 2  # nothing is kept


def test_requests_that_are_none(downloading, files):
    client = downloading.connect()
    assert "https://" in client.error(f"http://127.0.0.1:{files.server_address[1]}/", download=1)
    for most in (0, -1, LARGEST + 1, "1", 1.5, True):
        assert "1 to 134217728 bytes" in client.error(f"{files.url}/", download=most)
    assert "GET" in client.error(f"{files.url}/", download=1, method="POST")
    # An order about nothing is none.
    send_order(client, take={"id": 77, "bytes": 1})
    send_order(client, drop={"id": 77})
    assert fetch(client, f"{files.url}/large?5")[1] == 5


def test_a_client_that_does_not_store(downloading, certificate):
    """The server has to wait, and nobody else."""
    with Tls(certificate, b"HTTP/1.1 200 OK\r\n\r\n", bytes(MEBIBYTE)) as flood, Server() as server:
        slow, other = downloading.connect(), downloading.connect()
        sent = slow.send(flood.url, download=LARGEST)
        got = 0
        while got <= WINDOW - 16384:
            got += len(slow.receive()[1])
        for number in range(20):
            assert other.ask(f"{server.url}/{number}", paced=True)[0]["status"] == 200
        assert flood.sent < 16 * MEBIBYTE  # as much as sockets hold
        slow.link.settimeout(0.5)
        with pytest.raises(TimeoutError):
            slow.receive()
        slow.link.settimeout(60)
        take(slow, sent, got)
        assert len(slow.receive()[1]) > 0
        # It leaves: its transfer ends, and the server is told.
        slow.link.close()
        assert flood.is_left.wait(30)
        server.shutdown()


def test_a_file_that_is_dropped(downloading, certificate, files):
    client = downloading.connect()
    with Tls(certificate, b"HTTP/1.1 200 OK\r\n\r\n", bytes(MEBIBYTE)) as flood:
        sent = client.send(flood.url, download=LARGEST)
        assert client.receive()[0]["part"]["id"] == sent
        assert "another file" in error(downloading.connect(), f"{files.url}/", account=client.account)
        send_order(client, drop={"id": sent})
        assert flood.is_left.wait(30)
    sent = client.send(f"{files.url}/large?5", download=5)
    while True:
        head, body = client.receive()
        if "fetch" in head:
            break
        assert head["part"]["id"] in (sent, sent - 1)
    assert head["fetch"]["id"] == sent and head["fetch"]["status"] == 200


def test_as_many_as_there_may_be(downloading, files):
    clients = [downloading.connect() for _ in range(4)]
    sent = [client.send(f"{files.url}/held?5", download=5) for client in clients]
    deadline = time.monotonic() + 30
    while files.count("/held?5") < 4 and time.monotonic() < deadline:
        pass
    assert "too many files" in error(downloading.connect(), f"{files.url}/")
    # Other requests go on, those of the same accounts too.
    assert clients[0].ask(f"{files.url}/")[0]["status"] == 200
    files.gate.set()
    for client, number in zip(clients, sent):
        assert receive(client, number)[:2][1] == 5


def answer_of(lines, body=b""):
    return b"HTTP/1.1 200 OK\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


HOSTILE = {
    "a length beyond": (answer_of([b"Content-Length: 1048577"]), b"a" * 1000, "larger than 1 MiB"),
    "a body without end": (answer_of([]), b"a" * 10000, "larger than 1 MiB"),
    "a chunk without end": (answer_of([b"Transfer-Encoding: chunked"], b"7fffffff\r\n"), b"a" * 10000, "larger than 1 MiB"),
    "a length that is not kept": (answer_of([b"Content-Length: 100"], b"abc"), b"", "incomplete"),
    "header lines": (b"HTTP/1.1 200 OK\r\n", b"X-A: %s\r\n" % (1000 * b"a"), "headers"),
    "hints": (b"", b"HTTP/1.1 103 Early Hints\r\nX-A: %s\r\n\r\n" % (1000 * b"a"), "headers"),
    "an error without end": (b"HTTP/1.1 404 Not Found\r\n\r\n", b"a" * 10000, "larger than 1 MiB"),
    "a redirect without end": (b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", b"a" * 10000, ""),
    "redirects without end": (b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", b"", "more than 5 times"),
    "not HTTP": (b"220 mail\r\n", b"", "does not speak HTTP"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_server(downloading, certificate, what):
    """It ends its download with a reason; another account is answered meanwhile."""
    begin, rest, words = HOSTILE[what]
    with Tls(certificate, begin, rest) as flood, Server() as server:
        hostile, other = downloading.connect(), downloading.connect()
        ended = []
        sent = hostile.send(flood.url, download=MEBIBYTE)
        thread = threading.Thread(target=lambda: ended.append(receive(hostile, sent)), daemon=True)
        thread.start()
        for number in itertools.count():
            assert other.ask(f"{server.url}/{number}", paced=True)[0]["status"] == 200
            if not thread.is_alive():
                break
        answer, length, _ = ended[0]
        assert words in answer["error"] and length <= MEBIBYTE
        server.shutdown()
    assert peak_bytes(downloading.process) < 64 * MEBIBYTE


def test_redirects_of_a_download(downloading, files):
    client = downloading.connect()
    plain = f"http://127.0.0.1:{files.server_address[1]}/"
    assert "without https://" in error(client, f"{files.url}/to?{plain}")
    assert "not public" in error(client, f"{files.url}/to?https://10.1.2.3/")
    assert "not public" in error(client, f"{files.url}/", public="here")


def test_a_bomb_stays_packed(downloading, files):
    answer, length, _ = fetch(downloading.connect(), f"{files.url}/bomb")
    assert answer["status"] == 200 and length == len(gzip.compress(bytes(64 << 20)))


def test_a_server_that_drips(downloading, certificate):
    class Drip(Tls):
        def _serve(self, peer):
            with contextlib.suppress(OSError), self.context.wrap_socket(peer, server_side=True) as wrapped:
                wrapped.recv(65536)
                wrapped.sendall(self.begin)
                while not self.is_over:
                    wrapped.sendall(b"a")
                    time.sleep(0.1)

    with Drip(certificate, answer_of([])) as drip:
        began = time.monotonic()
        assert "too slow: less than 1 kB a second for 30 s" in error(downloading.connect(), drip.url)
        assert 25 < time.monotonic() - began < 60


def test_the_largest_file(downloading, certificate):
    """Neither memory nor the requests of another account take notice."""
    with Tls(certificate, answer_of([b"Content-Length: %d" % LARGEST]), bytes(MEBIBYTE)) as flood, \
            Flood(answer_of([b"Content-Length: 2"], b"ok"), b"") as server:
        large, other = downloading.connect(), downloading.connect()

        def times(until):
            taken = []
            for number in itertools.count():
                began = time.monotonic()
                assert other.ask(f"http://127.0.0.1:{server.port}/{number}", paced=True)[0]["status"] == 200
                taken.append((time.monotonic() - began) * 1000)
                if until(number):
                    return sorted(taken)

        alone = times(lambda number: number == 300)
        before = peak_bytes(downloading.process)
        ended = []
        sent = large.send(flood.url, download=LARGEST)
        began = time.monotonic()
        thread = threading.Thread(target=lambda: ended.append((receive(large, sent), time.monotonic())), daemon=True)
        thread.start()
        beside = times(lambda _: not thread.is_alive())
        (answer, length, sizes), end = ended[0]
        assert (answer["status"], length, sizes) == (200, LARGEST, {LARGEST})
    grown = peak_bytes(downloading.process) - before
    print(f"128 MiB in {end - began:.1f} s; memory +{grown >> 10} KiB")
    for name, taken in (("alone", alone), ("beside", beside)):
        print(f"{name}: {len(taken)} requests, p50 {taken[len(taken) // 2]:.2f} ms, p99 {taken[len(taken) * 99 // 100]:.2f} ms")
    assert grown < 4 * MEBIBYTE
    assert beside[len(beside) // 2] < 250
