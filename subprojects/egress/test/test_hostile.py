"""What a server may declare and send: it costs its account a transfer, and nobody else anything."""

import contextlib
import itertools
import os
import ssl
import subprocess
import threading
import time
import zlib

import pytest

from egress_process import DATA, LOCAL, Egress, Flood, Server, tls_context

FETCHES = 24  # half of the transfers that there are: more wait
MEBIBYTE = 1 << 20
LATE = "takes more than 5s"


@pytest.mark.parametrize("is_tls, step", [(False, 64), (True, 509)])
def test_each_allocation_of_a_transfer_may_fail(certificate, is_tls, step):
    """It ends with an error then, and the next one, with a little more memory, begins anew."""
    with Server() as server:
        url = f"http://localhost:{server.server_address[1]}/packed"
        if is_tls:
            server.socket = tls_context(certificate).wrap_socket(server.socket, server_side=True)
            url = url.replace("http", "https")
        done = subprocess.run([os.environ["SCARCE_MEMORY"], url, certificate[0], "0", str(step)], capture_output=True,
                              check=False, text=True, timeout=300)
        server.shutdown()
    assert done.returncode == 0, done.stderr
    failed, enough = map(int, done.stdout.split())
    assert failed > 100 and enough < MEBIBYTE


def test_the_memory_of_an_account_grows_with_its_transfers():
    """3 MiB for each, and what idle connections may keep. Another account has its own."""
    done = subprocess.run([os.environ["SCARCE_MEMORY"]], capture_output=True, check=True, text=True, timeout=60)
    one, two, again, other = [int(word) / MEBIBYTE for word in done.stdout.split()]
    assert 3 <= one <= 3.5 and 6 <= two <= 6.5
    assert 3 <= again <= 3.5 and 3 <= other <= 3.5


GZIP = bytes.fromhex("1f8b0800000000000003")  # the begin of its format


def packed(begin, rest):
    """The begin of a stream of gzip, and what it goes on with, again and again."""
    coder = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return (GZIP + coder.compress(begin) + coder.flush(zlib.Z_FULL_FLUSH),
            coder.compress(rest) + coder.flush(zlib.Z_FULL_FLUSH))


def packed_thrice():
    """16 KiB become 16 MiB, those become 16 GiB, and those become nothing: blocks without contents."""
    begin, rest = packed(GZIP, (3 << 20) * bytes.fromhex("000000ffff"))
    begin, rest = packed(begin, 1000 * rest)
    return b"HTTP/1.1 200 OK\r\n" + 3 * b"Content-Encoding: gzip\r\n" + b"\r\n" + begin, rest


HTTP = {
    "header lines": (b"HTTP/1.1 200 OK\r\n", b"X-A: %s\r\n" % (1000 * b"a")),
    "a header line": (b"HTTP/1.1 200 OK\r\nX-A: ", 1000 * b"a"),
    "a status line": (b"HTTP/1.1 200 ", 1000 * b"a"),
    "hints": (b"", b"HTTP/1.1 103 Early Hints\r\nX-A: %s\r\n\r\n" % (1000 * b"a")),
    "a body": (b"HTTP/1.1 200 OK\r\n\r\n", 10000 * b"a"),
    "a chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n", 10000 * b"a"),
    "an extension": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", 1000 * b"a"),
    "trailers": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", b"X-A: %s\r\n" % (1000 * b"a")),
    "cookies": (b"HTTP/1.1 200 OK\r\n", b"Set-Cookie: a=%s\r\n" % (1000 * b"a")),
    "codings": packed_thrice(),
}


def peak_bytes(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))


def check_flood(running, flood, url, server, fetches=FETCHES):
    """Fetches of one account, as many as it may have, and of another one all the time."""
    hostile, honest = running.connect(), running.connect()
    for number in range(fetches):
        hostile.send(f"{url}/{number}", paced=True, scope=f"app-{number % 6}")
    ended = threading.Event()
    answers = []

    def receive():
        answers.extend(hostile.receive()[0]["fetch"] for _ in range(fetches))
        ended.set()

    threading.Thread(target=receive, daemon=True).start()
    times = []
    for number in itertools.count():
        began = time.monotonic()
        answer = honest.ask(f"{server.url}/{number}", paced=True)[0]
        times.append(time.monotonic() - began)
        assert answer.get("status") == 200, answer
        if ended.is_set():
            break
        time.sleep(0.02)
    assert all("error" in answer for answer in answers), answers
    assert running.process.poll() is None and flood.sent > 0
    assert peak_bytes(running.process) < int(DATA[:-1]) * MEBIBYTE / 2
    hostile.link.close()
    honest.link.close()


@pytest.mark.parametrize("what", HTTP)
def test_answers_without_end(egress, server, what):
    with Flood(*HTTP[what]) as flood:
        check_flood(egress, flood, f"http://127.0.0.1:{flood.port}", server)


def test_only_http_1_is_offered(server, certificate):
    """Of HTTP/2, a server can send frames that keep libcurl, and so all accounts, busy."""
    context = tls_context(certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    launch = ("--network", "--data", DATA, "--read", certificate[0])
    with contextlib.closing(Egress(*LOCAL, "--certificates", certificate[0], launch=launch)) as running:
        client = running.connect()
        answer = {"error": LATE}
        while LATE in answer.get("error", ""):  # on a busy machine
            answer = client.ask(f"https://localhost:{server.server_address[1]}/")[0]
        assert answer.get("status") == 200, answer
        client.link.close()


class Tickets(Flood):
    """A TLS server that sends tickets for later sessions without end (RFC 8446, 4.6.1), and no answer."""

    def __init__(self, context):
        context.num_tickets = 1 << 30
        self.context = context
        super().__init__(b"", b"")

    def _serve(self, peer):
        with peer, contextlib.suppress(OSError):
            peer.settimeout(self.PATIENCE_S)
            self.sent += 1
            self.context.wrap_socket(peer, server_side=True).close()


def test_tickets_without_end(server, certificate):
    """OpenSSL reads on and on by itself, if it may."""
    launch = ("--network", "--data", DATA, "--read", certificate[0])
    with Tickets(tls_context(certificate)) as flood, \
            contextlib.closing(Egress(*LOCAL, "--certificates", certificate[0], launch=launch)) as running:
        check_flood(running, flood, f"https://localhost:{flood.port}", server, fetches=6)


# Records of TLS that OpenSSL reads one after the other, before a handshake has come to its certificate.
RECORDS = {
    "requests for a hello": b"\x16\x03\x03\x40\x00" + bytes(16384),
    "empty records": 1000 * b"\x16\x03\x03\x00\x00",
    "warnings": 1000 * b"\x15\x03\x03\x00\x02\x01\x5a",
    "changes of cipher": 1000 * b"\x14\x03\x03\x00\x01\x01",
}


@pytest.mark.parametrize("what", RECORDS)
def test_records_without_end(egress, server, what):
    with Flood(b"", RECORDS[what]) as flood:
        check_flood(egress, flood, f"https://127.0.0.1:{flood.port}", server, fetches=6)


def test_heads_of_requests_are_bounded(egress, server):
    """As bodies are: an account may send much in fields, too."""
    hostile, honest = egress.connect(), egress.connect()
    fields = {f"X-{number}": 3000 * "a" for number in range(60)}
    for number in range(200):
        hostile.send(f"{server.url}/slow?{number}", headers=fields, scope=f"app-{number}", paced=True)
    refused = [hostile.receive()[0]["fetch"] for _ in range(50)]
    assert all("too many requests" in answer["error"] for answer in refused)
    assert honest.ask(server.url + "/", headers=fields)[0]["status"] == 200
    hostile.link.close()
    honest.link.close()


def test_a_server_chooses_no_group(server, certificate, tmp_path):
    """One of 10,000 bits takes half a second of a loop that serves all accounts."""
    group = tmp_path / "group.pem"
    subprocess.run(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048",
                    "-out", group], check=True, capture_output=True)
    context = tls_context(certificate)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("DHE-RSA-AES128-GCM-SHA256")
    context.load_dh_params(group)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    launch = ("--network", "--data", DATA, "--read", certificate[0])
    with contextlib.closing(Egress(*LOCAL, "--certificates", certificate[0], launch=launch)) as running:
        client = running.connect()
        answer = {"error": LATE}
        while LATE in answer.get("error", ""):  # on a busy machine
            answer = client.ask(f"https://localhost:{server.server_address[1]}/")[0]
        assert "handshake failure" in answer.get("error", ""), answer
        client.link.close()
