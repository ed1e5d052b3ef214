"""A client of server-sent events, on an existing connection."""

import json
import time

from world import PATIENCE_S, Answer

# Sent so that clients see that the stream works.
PING = "event: ping\ndata: {}"


class Ended(Exception):
    """The server has ended the stream."""


class EventStream:
    """errors_of(name, data): returns the faults of an event; names: names of its lines, in order."""

    def __init__(self, client, request):
        self.client = client
        self.client.socket.settimeout(PATIENCE_S)
        self.text = ""
        self.seen = []  # (name, data) of all events
        self.last_id = None
        self.retry_ms = None  # pause before a reconnection, as the server wants it
        self.client.send(request)
        while b"\r\n\r\n" not in self.client.buffer:
            self.client._fill()
        head, _, self.client.buffer = self.client.buffer.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.fields = dict(line.split(": ", 1) for line in lines[1:])
        if self.status == 200:
            assert self.fields["Content-Type"] == "text/event-stream"
            assert self.fields["Cache-Control"] == "no-store"

    def __enter__(self):
        assert self.status == 200, self.client.buffer
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.client.close()

    def refused(self):
        """Returns the answer that was sent instead of a stream."""
        assert self.status != 200
        return Answer(self.status, list(self.fields.items()),
                      self.client._take(int(self.fields["Content-Length"])))

    def chunk(self):
        """Returns the next piece of the stream."""
        while b"\r\n" not in self.client.buffer:
            self.client._fill()
        size = int(self.client._take(self.client.buffer.index(b"\r\n") + 2), 16)
        piece = self.client._take(size)
        assert self.client._take(2) == b"\r\n"
        if size == 0:
            raise Ended
        return piece.decode()

    def block(self):
        """Returns the lines of the next event that is not a ping: {name: value}."""
        end = time.monotonic() + PATIENCE_S
        while True:
            while "\n\n" not in self.text:
                self.text += self.chunk()
            block, _, self.text = self.text.partition("\n\n")
            if block.startswith("retry: "):
                self.retry_ms = int(block.removeprefix("retry: "))
            elif block != PING:
                return dict(line.split(": ", 1) for line in block.split("\n"))
            # Pings repeat for ever, so the socket is never silent.
            if time.monotonic() > end:
                raise TimeoutError(f"no event, after {self.seen}")

    def check(self, fields, data):
        """Returns the faults of an event, which the description must define."""
        raise NotImplementedError

    def event(self):
        """Returns (name, data) of the next event of any kind."""
        fields = self.block()
        name, data = fields["event"], json.loads(fields["data"])
        self.check(fields, data)
        self.last_id = fields.get("id", self.last_id)
        self.seen.append((name, data))
        return name, data

    def next(self, name, accepts=lambda data: True):
        """Returns the data of the next accepted event with this name; drops others before it."""
        while True:
            got, data = self.event()
            if got == name and accepts(data):
                return data

    def end(self):
        """Returns the names of the events up to the end of the stream."""
        names = []
        try:
            while True:
                names.append(self.event()[0])
        except Ended:
            return names
