"""What strangers send without end, byte by byte: clients of the server, web servers that apps and webhooks
ask, and brokers that accounts connect to. See filling.py.

Each entry is (begin, rest): what is sent once, and what is sent again and again after it, until the other
side ends the connection. None as rest: nothing more, and the connection stays open.
"""

import base64
import contextlib
import gzip
import json
import socket
import struct
import threading

import images
from hostile_scripts import png

PIECE = 64 << 10
PATIENCE_S = 120

# ---- pictures ----


def huge_gif():
    """A screen of 65,535 x 65,535, and frames of that size without data."""
    frame = b"\x2c" + struct.pack("<HHHHB", 0, 0, 65535, 65535, 0) + b"\x08\x01\x00\x00"
    return b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0) + bytes(6) + 1000 * frame + b"\x3b"


def huge_webp():
    """A canvas of 16,383 x 16,383, and a thousand frames that have no data."""
    def chunk(name, data):
        return name + struct.pack("<I", len(data)) + data + bytes(len(data) & 1)

    side = struct.pack("<I", 16382)[:3]
    frame = chunk(b"ANMF", bytes(6) + side + side + b"\x01\x00\x00\x00" + chunk(b"VP8L", b"\x2f\xff\xff\xff\xff"))
    body = b"WEBP" + chunk(b"VP8X", b"\x02\x00\x00\x00" + side + side) + chunk(b"ANIM", bytes(6)) + 1000 * frame
    return b"RIFF" + struct.pack("<I", len(body)) + body


PICTURES = {
    "a PNG of 60,000 x 60,000": png(60_000, 60_000),
    "a GIF of 65,535 x 65,535": huge_gif(),
    "a WebP of 16,383 x 16,383": huge_webp(),
    "a PNG of 6,000 x 6,000 that is there": images.png(images.solid(size=(6000, 6000))),
    "a GIF of 200 frames": images.gif([images.noise(number) for number in range(200)]),
}

# ---- requests ----

HUGE_JSON = {
    "depth": 100_000 * b"[" + 100_000 * b"]",
    "names": b"{" + b",".join(b'"%d":0' % number for number in range(60_000)) + b"}",
    "one name": b"{" + b",".join(60_000 * [b'"a":0']) + b"}",
    "values": b"[" + b",".join(400_000 * [b"0"]) + b"]",
    "a number": b"1" * 900_000,
    "escapes": b'{"image":"' + 150_000 * b"\\u0041" + b'"}',
    "a string that does not end": b'{"image":"' + 900_000 * b"A",
}


def request(method, target, key=None, fields=(), body=b""):
    lines = [f"{method} {target} HTTP/1.1", "Host: a", *([f"Authorization: Bearer {key}"] if key else []), *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def json_request(method, target, key, body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return request(method, target, key, ["Content-Type: application/json", f"Content-Length: {len(body)}"], body)


def push_of(path, key, picture):
    return json_request("POST", f"{path}/push", key, {"image": base64.b64encode(picture).decode(), "background": True})


def heads(path, key):
    return {
        "fields": (b"GET / HTTP/1.1\r\nHost: a\r\n", b"X-A: %s\r\n" % (1000 * b"a")),
        "a field": (b"GET / HTTP/1.1\r\nHost: a\r\nX-A: ", PIECE * b"a"),
        "a target": (b"GET /", PIECE * b"a"),
        "lines before a request": (b"", PIECE // 2 * b"\r\n"),
        "half a head": (b"GET / HTTP/1.1\r\nHost: a\r\n", None),
        "requests whose answers are not read": (
            b"", 100 * request("GET", f"{path}/picture?scale=16&look=led", key)),
    }


def bodies(path, key):
    def chunked(*more):
        return request("POST", f"{path}/push", key, ["Content-Type: application/json", "Transfer-Encoding: chunked",
                                                     *more])

    def declared(size):
        return request("POST", f"{path}/push", key, ["Content-Type: application/json", f"Content-Length: {size}"])

    return {
        "extensions": (chunked(), b"1;%s\r\nx\r\n" % (200 * b"a")),
        "short extensions": (chunked(), 1000 * b"1;a=bcdef\r\nx\r\n"),
        "zeros before a size": (chunked(), 1000 * b"0000000000000001\r\nx\r\n"),
        "trailers": (chunked() + b"0\r\n", b"X-A: %s\r\n" % (1000 * b"a")),
        "chunks of a byte": (chunked(), 10_000 * b"1\r\nx\r\n"),
        "a chunk of 2^60 bytes": (chunked() + b"fffffffffffffff\r\n", PIECE * b"x"),
        "a body of 2^63 bytes": (declared((1 << 63) - 1), PIECE * b"x"),
        "a body that is not sent": (declared(1 << 20), None),
        "half a body": (declared(1 << 20) + (1 << 19) * b"x", None),
        "a body for which nobody waits": (chunked("Expect: 100-continue"), PIECE * b"x"),
    }


def frame(kind, data=b"", is_last=True, length=None):
    """A masked frame of a WebSocket. length: what it declares, if that is more."""
    size = len(data) if length is None else length
    lengths = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 \
        else b"\xff" + struct.pack(">Q", size)
    return bytes([0x80 * is_last | kind]) + lengths + bytes(4) + data


def websockets(target):
    upgrade = request("GET", target, fields=["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                                             f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}"])
    return {
        "pings": (upgrade, 100 * frame(9, 100 * b"a")),
        "fragments": (upgrade + frame(1, b"a", is_last=False), 1000 * frame(0, b"a", is_last=False)),
        "empty fragments": (upgrade + frame(1, is_last=False), 1000 * frame(0, is_last=False)),
        "a message of 2^62 bytes": (upgrade + frame(2, length=1 << 62), PIECE * b"a"),
        "messages": (upgrade, frame(1, json.dumps({"a": 4000 * "a"}).encode())),
        "frames without a mask": (upgrade, 1000 * b"\x81\x01a"),
        "frames of no kind": (upgrade, 1000 * frame(0x73, b"a")),
        "nothing": (upgrade, None),
    }


def tls_record(kind, data):
    return struct.pack(">BHH", kind, 0x0303, len(data)) + data


TLS = {
    "no TLS": (b"", PIECE * b"a"),
    "a hello of 16 MiB": (b"", tls_record(22, b"\x01\xff\xff\xff" + bytes(16000))),
    "a hello, byte by byte": (tls_record(22, b"\x01"), tls_record(22, b"\x00")),
    "empty records": (b"", 1000 * tls_record(22, b"")),
    "alerts": (b"", 1000 * tls_record(21, b"\x01\x00")),
    "nothing": (b"", None),
}

# ---- web servers ----

OK = b"HTTP/1.1 200 OK\r\n"
WEB = {
    "fields": (OK, b"X-A: %s\r\n" % (1000 * b"a")),
    "a field": (OK + b"X-A: ", PIECE * b"a"),
    "a status line": (b"HTTP/1.1 200 ", PIECE * b"a"),
    "hints": (b"", b"HTTP/1.1 103 Early Hints\r\nX-A: %s\r\n\r\n" % (1000 * b"a")),
    "a body": (OK + b"\r\n", PIECE * b"a"),
    "a body of 2^62 bytes": (OK + b"Content-Length: %d\r\n\r\n" % (1 << 62), PIECE * b"a"),
    "a chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n", PIECE * b"a"),
    "chunks of a byte": (OK + b"Transfer-Encoding: chunked\r\n\r\n", 10_000 * b"1\r\na\r\n"),
    "an extension": (OK + b"Transfer-Encoding: chunked\r\n\r\n1;", PIECE * b"a"),
    "trailers": (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", b"X-A: %s\r\n" % (1000 * b"a")),
    "cookies": (OK, b"Set-Cookie: a=%s\r\n" % (1000 * b"a")),
    "gzip of 64 MiB": (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(64 << 20)), None),
    "redirects": (b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 1000000\r\n\r\n", PIECE * b"a"),
    "nothing": (b"", None),
}
# For a client of TLS: no certificate is needed for these.
WEB_TLS = {
    "requests for a hello": (b"", tls_record(22, bytes(16384))),
    "alerts": (b"", 1000 * tls_record(21, b"\x01\x5a")),
    "a hello of 16 MiB": (b"", tls_record(22, b"\x02\xff\xff\xff" + bytes(16000))),
    "changes of cipher": (b"", 1000 * tls_record(20, b"\x01")),
    "empty records": (b"", 1000 * tls_record(22, b"")),
}

# ---- brokers ----


def packet(first, body, announced=0):
    """A packet of MQTT. announced: the length that it declares, if more is announced than is there."""
    length, left = b"", max(len(body), announced)
    while left > 127:
        length += bytes([left & 127 | 128])
        left >>= 7
    return bytes([first]) + length + bytes([left]) + body


def publication(topic, payload=b"", first=0x30, announced=0):
    number = b"\x00\x01" if first & 6 else b""
    return packet(first, struct.pack(">H", len(topic)) + topic.encode() + number + payload, announced)


CONNACK = b"\x20\x02\x00\x00"


def brokers(account, device):
    own = f"displayd/{account}/{device}"
    return {
        "messages": (CONNACK, 100 * publication(f"{own}/nothing", 500 * b"a")),
        "commands": (CONNACK, 100 * publication(f"{own}/light/set", b'{"brightness":1}')),
        "acknowledged messages": (CONNACK, 100 * publication(f"{own}/nothing", 500 * b"a", first=0x32)),
        "messages of QoS 2": (CONNACK, 100 * publication(f"{own}/push", 1000 * b"a", first=0x34)),
        "retained messages": (CONNACK, publication(f"{own}/entries/{90 * 'a'}", b"online", first=0x31)),
        "pictures": (CONNACK, publication(f"{own}/push", bytes((1 << 20) - 200))),
        "a message of 255 MiB": (CONNACK + publication(f"{own}/push", announced=255 << 20), PIECE * b"a"),
        "a topic of 64 KiB": (CONNACK, publication(60_000 * "a")),
        "half a message": (CONNACK + publication(f"{own}/push", announced=1 << 20), None),
        "a length without end": (CONNACK + b"\x30", PIECE * b"\xff"),
        "answers to pings": (CONNACK, 10_000 * b"\xd0\x00"),
        "acknowledgements": (CONNACK, 10_000 * b"\x40\x02\x00\x07"),
        "packets of no kind": (CONNACK, 10_000 * b"\xf0\x00"),
        "properties of MQTT 5": (packet(0x20, b"\x00\x00" + b"\xff\x7f" + 16_000 * b"\x26\x00\x01a\x00\x01b"), None),
        "nothing": (b"", None),
    }


# ---- sending ----


def pour(peer, begin, rest, may_go_on, note, reads=True):
    """Sends until the other side ends the connection, and takes what it says. note(bytes): called for what went.
    reads=False: takes nothing of what it says."""
    peer.settimeout(PATIENCE_S)
    with contextlib.suppress(OSError):
        peer.sendall(begin)
        note(len(begin))
        if reads:
            threading.Thread(target=drain, args=[peer], daemon=True).start()
        while rest and may_go_on():
            peer.sendall(rest)
            note(len(rest))


def drain(peer):
    with contextlib.suppress(OSError, ValueError):
        while peer.recv(PIECE):
            pass


class Peer:
    """A server that sends to each connection. bytes, connections: what there was so far."""

    def __init__(self, begin, rest):
        self.begin, self.rest = begin, rest
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.is_over = False
        self.bytes = self.connections = 0
        self.peers = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                peer = self.listener.accept()[0]
                self.peers.append(peer)
                threading.Thread(target=self._serve, args=[peer], daemon=True).start()

    def _serve(self, peer):
        with contextlib.suppress(OSError):
            peer.settimeout(PATIENCE_S)
            peer.recv(PIECE)
            self.connections += 1
        pour(peer, self.begin, self.rest, lambda: not self.is_over, self._note)

    def _note(self, size):
        self.bytes += size

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over = True
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for peer in self.peers:
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)
            peer.close()

