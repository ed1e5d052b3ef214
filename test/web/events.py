"""A page that listens: GET /web/events.

    with Events(browser) as events:
        events.next("changed")       # the data of the next such event; others before it are dropped

Each event must be one that docs/api/pages describes.
"""

import json
import time

from people import CONTRACT, SECURITY, request_bytes
from world import PATIENCE_S

SCHEMAS = {"changed": "ChangedEvent", "panel": "PanelEvent", "away": "Empty", "back": "Empty",
           "bye": "Empty"}
# So that browsers see that the stream is there.
PING = "event: ping\ndata: {}"


class Ended(Exception):
    """The server has ended the stream."""


class Events:
    def __init__(self, browser, devices=(), client=None):
        self.cookie = browser.cookie
        self.client = client or browser.world.client()
        self.client.socket.settimeout(PATIENCE_S)
        self.text = ""
        self.seen = []  # (name, data) of all events
        fields = [*browser.fields, ("Cookie", browser.cookie)]
        target = "/web/events" + ("?devices=" + ",".join(devices) if devices else "")
        data = request_bytes("GET", target, fields=fields)
        self.client.send(data.replace(b"Host: test", b"Host: 127.0.0.1", 1))
        while b"\r\n\r\n" not in self.client.buffer:
            self.client._fill()
        head, _, self.client.buffer = self.client.buffer.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.fields = dict(line.split(": ", 1) for line in lines[1:])
        if self.status == 200:
            assert self.fields["Content-Type"] == "text/event-stream"
            assert self.fields["Cache-Control"] == "no-store"
            assert SECURITY.items() <= self.fields.items()

    def __enter__(self):
        assert self.status == 200, self.client.buffer
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.client.close()

    def chunk(self):
        """The next piece of the stream."""
        while b"\r\n" not in self.client.buffer:
            self.client._fill()
        size = int(self.client._take(self.client.buffer.index(b"\r\n") + 2), 16)
        piece = self.client._take(size)
        assert self.client._take(2) == b"\r\n"
        if size == 0:
            raise Ended
        return piece.decode()

    def event(self):
        """(name, data) of the next event of any kind."""
        end = time.monotonic() + PATIENCE_S
        while True:
            while "\n\n" not in self.text:
                self.text += self.chunk()
            block, _, self.text = self.text.partition("\n\n")
            if block == PING:
                # They come for ever, so the socket is never silent.
                if time.monotonic() > end:
                    raise TimeoutError(f"no event, after {self.seen}")
                continue
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            assert list(fields) == ["event", "data"], block
            name, data = fields["event"], json.loads(fields["data"])
            errors = CONTRACT.errors({"$ref": f"#/components/schemas/{SCHEMAS[name]}"}, data)
            assert not errors, (name, data, errors)
            self.seen.append((name, data))
            return name, data

    def next(self, name, accepts=lambda data: True):
        """The data of the next event of this name that is accepted."""
        while True:
            got, data = self.event()
            if got == name and accepts(data):
                return data

    def topic(self, topic):
        """Waits until this topic has changed."""
        return self.next("changed", lambda data: data["topic"] == topic)

    def end(self):
        """The names of the events up to the end of the stream."""
        names = []
        try:
            while True:
                names.append(self.event()[0])
        except Ended:
            return names
