#!/usr/bin/python3
"""A peer that sends the same all the time and reads what it gets: bench/flood.py URL WHAT

WHAT is one of those in FLOODS. URL is http://HOST:PORT/PATH, or for the frames of a panel its
ws://HOST:PORT/PATH. Connects again when it is dropped. Runs until it is ended.
"""

import os
import socket
import sys
import urllib.parse

PING, PONG, TEXT = 9, 10, 1
ENOUGH_BYTES = 256 * 1024


def frame(opcode, payload=b""):
    return bytes([0x80 | opcode, 0x80 | len(payload), 0, 0, 0, 0]) + payload


FLOODS = {
    "pings": frame(PING),
    "long-pings": frame(PING, b"x" * 125),
    "pongs": frame(PONG),
    "texts": frame(TEXT, b"{}"),
    "requests": b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n",
}


def flood(url, data):
    with socket.create_connection((url.hostname, url.port)) as peer:
        if url.scheme == "ws":
            peer.sendall(
                f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
            peer.recv(65536)
        rest = b""
        peer.setblocking(False)
        while True:
            try:
                rest = rest or data
                rest = rest[peer.send(rest):]
            except BlockingIOError:
                pass
            try:
                while peer.recv(1 << 20):
                    pass
                return  # it was dropped
            except BlockingIOError:
                pass


def main():
    url, what = urllib.parse.urlsplit(sys.argv[1]), FLOODS[sys.argv[2]]
    os.nice(5)  # it stands for another machine
    while True:
        try:
            flood(url, what * (ENOUGH_BYTES // len(what)))
        except ConnectionError:
            pass


if __name__ == "__main__":
    main()
