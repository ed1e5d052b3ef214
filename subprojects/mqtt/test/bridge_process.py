"""A bridge to MQTT in its sandbox, and a worker's end of its link, for tests."""

import contextlib
import fcntl
import itertools
import json
import os
import re
import socket
import subprocess
import termios
import threading

from waiting import PATIENCE_S, wait_until

ACCOUNT = "0198f6a2-7c1e-7d3a-9b54-2f60c1d8e4aa"


class Bridge:
    """options: of the program. readable: files that it may read beside the usual ones."""

    def __init__(self, *options, readable=()):
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        read = [word for path in readable for word in ("--read", path)]
        command = [os.environ["SANDBOX_LAUNCH"], "--best-effort", "--data", "512M", "--network", *read,
                   os.environ["MQTT"], *options]

        def place_control():
            os.dup2(other.fileno(), 3)

        self.process = subprocess.Popen(command, preexec_fn=place_control, pass_fds=[3])
        other.close()
        self.control = own
        self.link, worker = socket.socketpair()
        socket.send_fds(own, [b"L"], [worker.fileno()])
        worker.close()
        self.link.settimeout(PATIENCE_S)
        self.lines = self.link.makefile("rb")
        self.hello = self.word()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.control.close()
        self.link.close()
        assert self.process.wait(PATIENCE_S) == 0

    def word(self):
        return json.loads(self.lines.readline())

    def say(self, word, descriptor=None):
        data = (json.dumps(word) + "\n").encode()
        if descriptor is None:
            self.link.sendall(data)
        else:
            socket.send_fds(self.link, [data], [descriptor])

    def open(self, port, host="127.0.0.1", tls=False, account=ACCOUNT, **members):
        self.say({"open": {"account": account, "host": host, "port": port, "tls": tls, "prefix": "displayd",
                           "discovery": "homeassistant", "all": False, "public": False, **members}})

    def state(self):
        """The next state that it reports."""
        while True:
            word = self.word()
            if "state" in word:
                return word["state"]


CONNACK = b"\x20\x02\x00\x00"


class SlowBroker:
    """It takes connections, acknowledges no message, and reads only when it is asked to."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        self.peers = []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            peer.settimeout(PATIENCE_S)
            peer.recv(4096)
            peer.sendall(CONNACK)
            self.peers.append(peer)
            threading.Thread(target=self._talk, args=[peer], daemon=True).start()

    def _talk(self, peer):
        with contextlib.suppress(OSError):  # the bridge has ended the connection
            self.talk(peer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for peer in self.peers:
            peer.close()

    def talk(self, peer):
        """What it does with a connection after the CONNACK, in a thread."""

    def read_all(self):
        """(first byte, body) of each packet of the only connection, until it ends."""
        [peer] = self.peers
        data = b"".join(iter(lambda: peer.recv(1 << 20), b""))
        packets = []
        while data:
            length = shift = 0
            at = 1
            while True:
                length |= (data[at] & 127) << shift
                at, shift, more = at + 1, shift + 7, data[at] & 128
                if not more:
                    break
            packets.append((data[0], data[at:at + length]))
            data = data[at + length:]
        return packets


def publish_packet(topic, payload=b"", first=0x30, announced=0):
    """A PUBLISH packet (MQTT 3.1.1, 3.3). announced: bytes of its payload, if more are announced than are there."""
    number = b"" if not first & 6 else b"\x00\x01"
    body = len(topic).to_bytes(2, "big") + topic.encode() + number + payload
    length, left = b"", max(len(body), announced)
    while left > 127:
        length += bytes([left & 127 | 128])
        left >>= 7
    return bytes([first]) + length + bytes([left]) + body


class FloodingBroker(SlowBroker):
    """It sends the packets that make(number) makes, until the bridge ends the connection."""

    def __init__(self, make):
        self.make = make
        self.sent = 0
        super().__init__()

    def talk(self, peer):
        threading.Thread(target=self._drain, args=[peer], daemon=True).start()
        for number in itertools.count():
            packet = self.make(number)
            peer.sendall(packet)
            self.sent += len(packet)

    def _drain(self, peer):
        with contextlib.suppress(OSError):
            while peer.recv(1 << 16):
                pass


def device_id(number):
    return ACCOUNT[:-2] + f"{number:02}"


class Api:
    """A worker's API: an account with devices, each with a hundred entries at most, whose IDs are long. It takes all
    that the bridge says, and never answers a command.

    events: of the first stream, (name, data); the list of devices is answered when the bridge has read them."""

    def __init__(self, bridge, devices, entries, events=()):
        self.bridge = bridge
        self.devices = [device_id(number) for number in range(devices)]
        self.entries = entries
        self.events = events
        self.asked = []  # paths
        self.open = set()
        self.given = 0  # sockets
        self.streams = threading.Event()
        threading.Thread(target=self._give_sockets, daemon=True).start()

    @property
    def has_answered_all(self):
        return len(set(self.asked)) == 3 * len(self.devices) + 2

    def _give_sockets(self):
        with contextlib.suppress(OSError, ValueError):  # the link is closed
            for line in self.bridge.lines:
                if "needs" in json.loads(line):
                    own, other = socket.socketpair()
                    self.given += 1
                    threading.Thread(target=self._serve, args=[own], daemon=True).start()
                    self.bridge.say({"socket": ACCOUNT}, other.fileno())
                    other.close()

    def _serve(self, one):
        self.open.add(one)
        with one, contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                if not data.startswith(b"GET "):
                    continue  # a command, or the rest of one
                path = re.match(rb"GET (\S+)", data)[1].decode()
                if path == "/v1/events":
                    self._stream(one)
                else:
                    body = json.dumps(self._answer(path)).encode()
                    one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                self.asked.append(path)
        self.open.remove(one)

    def _stream(self, one):
        one.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for name, data in () if self.streams.is_set() else self.events:
            one.sendall(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
        wait_until(lambda: not any(fcntl.ioctl(one, termios.TIOCOUTQ, bytes(4))), "a bridge that reads")
        self.streams.set()

    def _answer(self, path):
        if path == "/v1/devices":
            self.streams.wait(PATIENCE_S)
            return [{"id": device} for device in self.devices]
        if path.endswith("/rotation"):
            return {"entries": [{"installationId": f"{number:03}" + 80 * "ü", "name": f"{number:03}" + 300 * "x"}
                                for number in range(self.entries)]}
        return {"name": "Panel", "brightness": 50}
