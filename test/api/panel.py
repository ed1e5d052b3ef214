"""A panel on a WebSocket for tests of the API: it accepts all messages."""

import base64
import json
import os
import socket
import struct

from world import PATIENCE_S

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    """The handshake was answered with a status other than 101."""

    def __init__(self, head, body):
        super().__init__(head)
        self.status, self.body = int(head.split()[1]), body


class Panel:
    def __init__(self, server, device, target=None, fields=()):
        """target: path to connect to, in place of the device's own. fields: further header fields."""
        self.socket = server.connect()
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {target or f'/d/{device.id}/ws?key={device.link_key}'} HTTP/1.1\r\nHost: test\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n"
            + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self._fill()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            self.socket.close()
            raise Refused(head, self.buffer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server has closed the connection")
        self.buffer += data

    def _take(self, size):
        while len(self.buffer) < size:
            self._fill()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def _frame(self):
        first, length = self._take(2)
        assert first & 0xf0 == 0x80 and length < 128, "an unfragmented, unmasked frame"
        if length == 126:
            length, = struct.unpack(">H", self._take(2))
        elif length == 127:
            length, = struct.unpack(">Q", self._take(8))
        return first & 0x0f, self._take(length)

    def _send(self, opcode, data):
        assert len(data) < 126
        mask = os.urandom(4)
        self.socket.sendall(bytes([0x80 | opcode, 0x80 | len(data)]) + mask +
                            bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def next(self):
        """Returns the next message: a dict for a text, bytes for a picture."""
        while True:
            opcode, data = self._frame()
            if opcode == TEXT:
                return json.loads(data)
            if opcode == BINARY:
                return data
            assert opcode == PING, opcode
            self._send(PONG, data)

    def says(self, message):
        """Sends a text; in two frames if it is longer than a frame may be."""
        self._send(TEXT, json.dumps(message, separators=(",", ":")).encode())

    def wait_for(self, condition):
        """Returns the first message for which the condition is true."""
        while True:
            message = self.next()
            if condition(message):
                return message

    def wait_for_brightness(self, value):
        """Checks that the next brightness has this value."""
        told = self.wait_for(lambda message: isinstance(message, dict) and "brightness" in message)
        assert told == {"brightness": value}

    def wait_for_picture(self, webp=None):
        return self.wait_for(lambda message: isinstance(message, bytes) and
                             (webp is None or message == webp))

    def wait_for_end(self):
        """Checks that the connection ends without a CLOSE frame."""
        self.socket.settimeout(PATIENCE_S)
        try:
            while True:
                self.next()
        except (ConnectionError, socket.timeout) as end:
            assert not isinstance(end, socket.timeout), "the connection is still there"
            assert self.buffer == b""
