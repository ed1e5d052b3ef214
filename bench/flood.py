#!/usr/bin/python3
"""A peer that sends the same all the time and reads what it gets: bench/flood.py URL WHAT

WHAT is one of those in FLOODS. URL is http://HOST:PORT/PATH, or for the frames of a panel its
ws://HOST:PORT/PATH; with https or wss each request or frame has a record of its own. Connects again
when it is dropped. Runs until it is ended.
"""

import socket
import ssl
import sys
import urllib.parse

PING, PONG, TEXT = 9, 10, 1
ENOUGH_BYTES = 256 * 1024
RECORDS_AT_ONCE = 1500


def frame(opcode, payload=b""):
    return bytes([0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0]) + payload


FLOODS = {
    "pings": frame(PING),
    "long-pings": frame(PING, b"x" * 125),
    "pongs": frame(PONG),
    "texts": frame(TEXT, b"{}"),
    "requests": b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n",
}


class Tls:
    """A TLS client over a socket. It does not decrypt what the server sends after the handshake."""

    def __init__(self, peer):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        came, self.goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(came, self.goes)
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                peer.sendall(self.goes.read())
                data = peer.recv(65536)
                if not data:
                    raise ConnectionError("dropped in the handshake") from None
                came.write(data)

    def seal(self, data, times=1):
        """Encrypts the data several times, each in a record of its own."""
        for _ in range(times):
            self.tls.write(data)
        return self.goes.read()  # the first time with the end of the handshake before it


class Plain:
    def __init__(self, peer):
        pass

    def seal(self, data, times=1):
        return data * times


def flood(url, data):
    is_tls = url.scheme in ("https", "wss")
    times = RECORDS_AT_ONCE if is_tls else ENOUGH_BYTES // len(data)
    with socket.create_connection((url.hostname, url.port)) as peer:
        sealer = Tls(peer) if is_tls else Plain(peer)
        if url.scheme in ("ws", "wss"):
            peer.sendall(sealer.seal(
                f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()))
            peer.recv(65536)
        rest = b""
        peer.setblocking(False)
        while True:
            try:
                rest = rest or sealer.seal(data, times)
                rest = rest[peer.send(rest):]
            except BlockingIOError:
                pass
            try:
                while peer.recv(1 << 20):
                    pass
                return  # the server dropped the connection
            except BlockingIOError:
                pass


def main():
    url, what = urllib.parse.urlsplit(sys.argv[1]), FLOODS[sys.argv[2]]
    while True:
        try:
            flood(url, what)
        except (ConnectionError, ssl.SSLError):
            pass


if __name__ == "__main__":
    main()
