#!/usr/bin/python3
"""Stands for the programs of homes that listen, for bench/scenarios/homes.py.

    bench/home_ends.py events URL KEY...   eight streams of events for each key
    bench/home_ends.py receiver            a receiver of webhooks

Prints a line of JSON as soon as it is ready: of the receiver with its port. Ends when its input ends, and prints how
many events came.
"""

import http.server
import json
import os
import selectors
import socket
import sys
import threading
import urllib.parse

STREAMS_EACH = 8
PATIENCE_S = 30


def say(**members):
    print(json.dumps(members), flush=True)


def open_stream(url, key):
    stream = socket.create_connection((url.hostname, url.port), timeout=PATIENCE_S)
    stream.sendall(f"GET /v1/events HTTP/1.1\r\nHost: {url.netloc}\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
    head = stream.recv(65536)
    if not head.startswith(b"HTTP/1.1 200 "):
        sys.exit(f"a stream was refused: {head[:300]!r}")
    return stream


def listen(url, keys):
    """Returns the number of "pushed" events in all streams."""
    where = urllib.parse.urlsplit(url)
    streams = [open_stream(where, key) for key in keys for _ in range(STREAMS_EACH)]
    selector = selectors.DefaultSelector()
    for each in (*streams, sys.stdin):
        selector.register(each, selectors.EVENT_READ)
    say(streams=len(streams))
    count = 0
    while True:
        for ready, _ in selector.select():
            if ready.fileobj is sys.stdin:
                return count
            data = ready.fileobj.recv(1 << 18)
            if not data:
                sys.exit("the server ended a stream")
            count += data.count(b"event: pushed\n")


class Receiver(http.server.ThreadingHTTPServer):
    daemon_threads = True
    count = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.server.count += self.rfile.read(int(self.headers["Content-Length"])).count(b'"type":"pushed"')
        self.send_response(204)
        self.end_headers()


def receive():
    with Receiver(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        say(port=server.server_address[1])
        os.read(sys.stdin.fileno(), 1)
        server.shutdown()
        return server.count


def main():
    what, *arguments = sys.argv[1:]
    say(events=receive() if what == "receiver" else listen(arguments[0], arguments[1:]))


if __name__ == "__main__":
    main()
