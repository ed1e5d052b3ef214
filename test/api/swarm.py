"""Many connections driven by one loop, so that the order of answers is known.

with Swarm(worlds, 40) as swarm:
for answer in swarm.run([request_bytes(...), ...]): ...

Answers that one look at the sockets found together are in no order: they share a turn.
"""

import dataclasses
import selectors
import socket
import time

from world import PATIENCE_S, Answer, Connection, told_of


@dataclasses.dataclass
class Arrival:
    number: int  # the number of the request
    turn: int
    answer: Answer


class Place:
    """Address where a server listens; it is looked up once, not for every connection."""

    def __init__(self, world):
        self.address = world.server.address

    def connect(self):
        return socket.create_connection(self.address, timeout=PATIENCE_S)


class Swarm:
    """Connections to all worlds in turn; each request of a run has one of its own."""

    def __init__(self, worlds, size):
        places = [Place(world) for world in worlds]
        self.clients = [Connection(places[number % len(places)]) for number in range(size)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.close()

    @staticmethod
    def _complete(client):
        """The answer, once it is complete."""
        head, separator, rest = client.buffer.partition(b"\r\n\r\n")
        if not separator:
            return None
        lines = head.decode("latin-1").split("\r\n")
        answer = Answer(int(lines[0].split(" ")[1]),
                        [tuple(line.split(": ", 1)) for line in lines[1:]], b"")
        length = int(answer["Content-Length"])
        if len(rest) < length:
            return None
        answer.body, client.buffer = rest[:length], rest[length:]
        return answer

    def run(self, requests):
        """Sends all but the last byte of every request, then the last bytes one after the other, so
        that workers handle all at once. Returns the arrivals in order. Requests answered 503 are
        repeated when the answer says so, as clients must do."""
        assert len(requests) <= len(self.clients)
        clients = self.clients[:len(requests)]
        for client, request in zip(clients, requests):
            client.socket.setblocking(True)
            client.send(request[:-1])
        for client, request in zip(clients, requests):
            client.send(request[-1:])
        arrivals, busy = [], {}  # number: the time to repeat it
        end = time.monotonic() + PATIENCE_S
        with selectors.DefaultSelector() as selector:
            for number, client in enumerate(clients):
                client.socket.setblocking(False)
                selector.register(client.socket, selectors.EVENT_READ, number)
            turn = 0
            while len(arrivals) < len(requests):
                ready = selector.select(0.1 if busy else PATIENCE_S)
                assert ready or time.monotonic() < end, "no answer comes any more"
                turn += 1
                for key, _ in ready:
                    client = clients[key.data]
                    client._fill()
                    answer = self._complete(client)
                    if answer and is_busy(answer):
                        busy[key.data] = time.monotonic() + int(answer["Retry-After"])
                    elif answer:
                        arrivals.append(Arrival(key.data, turn, answer))
                        selector.unregister(client.socket)
                for number in [number for number, due in busy.items() if due <= time.monotonic()]:
                    del busy[number]
                    clients[number].send(requests[number])
        return arrivals


def is_busy(answer):
    status, retry_after_s = told_of(answer)
    return status == 503 and retry_after_s is not None


def last(arrivals):
    """Returns the numbers of the requests that may have been answered last."""
    turn = max(arrival.turn for arrival in arrivals)
    return {arrival.number for arrival in arrivals if arrival.turn == turn}
