#!/usr/bin/python3
"""Strangers that want to keep others out: bench/strangers.py WHAT PORT [COUNT]

    guesses       COUNT at once guess at accounts that do not exist, from the addresses of one IPv6 /48.
                  The server believes what this proxy says of where they come from. Until it is ended
    reset         COUNT hellos of TLS, each from an address of its own, and each connection is reset at
                  once
    silent        the same, and nothing more is said. They stay until standard input ends
    frames        connections of one panel, one after the other, send pings until they are dropped or
                  have sent 6,000. PORT is the panel's URL, COUNT how many. Prints how many were answered
"""

import asyncio
import base64
import os
import secrets
import socket
import ssl
import struct
import sys
import urllib.parse

PINGS = 6000


async def guess(port):
    body = b'{"email":"%s@example.org","password":"a sentence of words"}'
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            while True:
                data = body % secrets.token_hex(4).encode()
                address = f"2001:db8:99:{secrets.randbelow(65536):x}::1"
                writer.write(f"POST /web/session HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n"
                             f"X-Forwarded-For: {address}\r\nContent-Type: application/json\r\n"
                             f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n")
                           if line.startswith(b"content-length:")]
                await reader.readexactly(int(lengths[0]))
        except (OSError, EOFError):
            pass


async def guess_all(port, count):
    await asyncio.gather(*(guess(port) for _ in range(count)))


def make_hello():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    goes = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), goes, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return goes.read()


def connect(port, number):
    """Connects from an address of its own; closing the socket sends a reset."""
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.bind((f"127.1.{number // 250 % 250}.{1 + number % 250}", 0))
    peer.connect(("127.0.0.1", port))
    return peer


def say_hello(port, count, stays):
    hello, peers = make_hello(), []
    for number in range(count):
        try:
            peer = connect(port, number)
            peer.sendall(hello)
        except OSError:
            continue
        if stays:
            peers.append(peer)
        else:
            peer.close()
    if stays:
        sys.stdin.read()


def ping(url):
    """Returns how many pings of a connection were answered."""
    answered = 0
    frame = b"\x89\x80" + bytes(4)
    with socket.create_connection((url.hostname, url.port)) as peer:
        key = base64.b64encode(os.urandom(16)).decode()
        peer.sendall(f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                     f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
                     .encode())
        try:
            for _ in range(PINGS // 100):
                peer.sendall(frame * 100)
                answered += peer.recv(65536).count(b"\x8a\x00")
            peer.shutdown(socket.SHUT_WR)
            while data := peer.recv(65536):
                answered += data.count(b"\x8a\x00")
        except OSError:
            pass
    return answered


def main():
    what, where, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if what == "guesses":
        asyncio.run(guess_all(int(where), count))
    elif what == "frames":
        print(sum(ping(urllib.parse.urlsplit(where)) for _ in range(count)))
    else:
        say_hello(int(where), count, what == "silent")


if __name__ == "__main__":
    main()
